"""Runs of variants: killed and continued, shared out and merged, replayed, and told from the command line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import carromsim as cs
from carromsim import cli
from carromsim.studies.declaring.declare import study_from_toml
from carromsim.studies.runs.reading import Run, open_run
from carromsim.studies.variants.declaration import Variant
from carromsim.studies.variants.study import SIDE_BY_SIDE, VariantStudy
from runs.fake import files

DECLARED: dict[str, Any] = {
    "variants": ["icf", "bell_i", {"ruleset": "icf", "name": "queen5", "changes": {"queen.value": 5}}],
    "boards": 12,
    "seed": 8,
    "sensitivity": {"rows": 2, "skill": ["expert"], "policy": [], "mu_surface": [0.2]},
}
CODE = f"""
import os, signal, sys
from carromsim.studies.variants.study import SIDE_BY_SIDE, VariantStudy
SIDE_BY_SIDE["board"] = 2, 2
def progress(done, total, counts):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
VariantStudy(**{DECLARED!r}).run(sys.argv[1], workers=int(sys.argv[2]), progress=progress)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Give a run of eight parts."""
    root = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIDE_BY_SIDE, "board", (2, 2))
        VariantStudy(**DECLARED).run(root, workers=2)
    return open_run(root)


def test_a_chunk_holds_whole_pairs(run: Run) -> None:
    assert run.study == VariantStudy(**DECLARED)
    assert run.manifest["tables"] == ["compared.boards/1"]
    assert run.manifest["chunks"] == {"rows": 6, "count": 8}
    assert run.verify() == []
    rows = pa.table(run)
    assert rows["row"].to_pylist() == list(range(48))
    assert rows["variant"].to_pylist() == ["icf", "bell_i", "queen5"] * 16
    assert rows["number"].to_pylist() == [k for count in (12, 2, 2) for k in range(count) for _ in range(3)]
    assert rows["scenario"].to_pylist() == [""] * 36 + ["skill=expert"] * 6 + ["mu_surface=0.2"] * 6


def test_a_run_counts_as_the_study_does(run: Run) -> None:
    found, alone = run.summary().to_dict(), VariantStudy(**DECLARED).summarise(workers=1).to_dict()
    for key in ("variants", "differences", "laws", "sensitivity", "warnings"):
        assert found[key] == alone[key]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_twice_and_continued_it_is_the_same_run(run: Run, tmp_path: Path, workers: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    root = tmp_path / "run"
    for done in (12, 24):
        killed = subprocess.run([sys.executable, "-c", CODE, str(root), str(workers), str(done)], env=environment)
        assert killed.returncode == -signal.SIGKILL
        assert not (root / "parts.json").exists()
    whole = files(run.directory)
    assert all(whole[name] == data for name, data in files(root).items() if name.endswith("parquet"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIDE_BY_SIDE, "board", (2, 2))
        VariantStudy(**DECLARED).run(root, workers=workers)
    assert files(root) == whole


@pytest.mark.slow
def test_shares_are_merged(run: Run, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIDE_BY_SIDE, "board", (2, 2))
        for number in (1, 2):
            VariantStudy(**DECLARED).run(tmp_path / str(number), share=(number, 2), workers=1)
        cs.merge_runs([tmp_path / "1", tmp_path / "2"], tmp_path / "whole")
    assert files(tmp_path / "whole") == files(run.directory)


@pytest.mark.parametrize("row", [4, 38, 47])
def test_a_row_is_replayed(run: Run, row: int) -> None:
    cell, played = run.rerun(row)
    stored = run.row(row)
    assert stored is not None
    assert run.study.batch(range(row, row + 1))["boards"].equals(stored)
    told = run.study.replay_dict((cell, played))  # type: ignore[attr-defined]
    assert told["boards"] == stored.to_pylist()
    assert len(told["strokes"]) == stored["strokes"][0].as_py()


def test_commands_about_a_run(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(run.directory)
    assert cli.run(["verify", root]) == 0
    assert "all 48 rows of this variants study are there and sound" in capsys.readouterr().out
    assert cli.run(["summary", root, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["summary"]
    assert (told["baseline"], told["rows"], list(told["differences"])) == ("icf", 48, ["bell_i", "queen5"])
    assert {each["scenario"] for each in told["sensitivity"]} == {"skill=expert", "mu_surface=0.2"}
    assert cli.run(["summary", root]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("Baseline icf", "queen5: icf, queen.value = 5", "breaker's advantage", "both play on icf"):
        assert words in shown
    assert cli.run(["replay", root, "--row", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["stored"], told["parameters"]["variant"], told["parameters"]["number"]) == ("equal", "bell_i", 1)
    assert cli.run(["diff", root, root]) == 0
    assert "48 pairs" in capsys.readouterr().out


def test_runs_with_variants_in_another_order_are_not_paired(tmp_path: Path) -> None:
    """Row 0 is of one variant in the one run, and of another in the other."""
    for name, variants in (("one", ["icf", "bell_i"]), ("other", ["bell_i", "icf"])):
        VariantStudy(variants=variants, boards=2, baseline="icf").run(tmp_path / name, workers=1)
    found = cs.diff_runs(tmp_path / "one", tmp_path / "other")
    assert not found.paired
    assert {(each.rows_a, each.rows_b) for each in found.metrics if each.metric.endswith(":by_rules")} == {(2, 2)}
    assert {each.difference for each in found.metrics if each.rows_a} == {0.0}


@pytest.mark.slow
def test_matches_are_compared(tmp_path: Path) -> None:
    study = VariantStudy(variants=["bell_i", "bell_ii"], matches=2, seed=3)
    run = study.run(tmp_path / "run", workers=1)
    assert run.verify() == []
    assert run.manifest["tables"] == ["compared.matches/1", "compared.games/1", "compared.boards/1"]
    tables = {name: dataset.to_table() for name, dataset in run.tables.items()}
    assert tables["matches"]["row"].to_pylist() == [0, 1, 2, 3]
    boards = tables["boards"].to_pylist()
    assert [(row["row"], row["board"]) for row in boards] == sorted((row["row"], row["board"]) for row in boards)
    for row, boards_of in zip(range(4), tables["matches"].to_pylist(), strict=True):
        there = [each for each in boards if each["row"] == row]
        assert len(there) == boards_of["boards"] + boards_of["void_boards"]
        assert {each["variant"] for each in there} == {boards_of["variant"]}
    found = run.summary().to_dict()
    assert found["unit"] == "match"
    assert set(found["differences"]["bell_ii"]) >= {"won_opener", "advantage", "games", "boards", "strokes"}
    assert len(run.study.replay_dict(run.rerun(3))["boards"]) == sum(each["row"] == 3 for each in boards)  # type: ignore[attr-defined]


BAD = [
    (["icf"], "1 variants: name at least two rule sets"),
    (["icf", "icf"], "icf is there twice"),
    (["icf", "q=ifc"], "q=ifc: ifc: unknown rule set 'ifc': did you mean 'icf'?"),
    (["icf", "q=icf,queen.valu=5"], "q=icf,queen.valu=5: changes: unknown field of a rule set 'queen.valu'"),
    (["icf", "q=icf,queen.value"], "'queen.value' must be FIELD=VALUE"),
    (["icf", "q=icf,queen.value=5,queen.value=4"], "queen.value is there twice"),
    (["icf", "icf,queen.value=5"], "changed rules need a name"),
    (["icf", "a:b=icf"], "a:b=icf: name: "),
    (["icf", "ukca", "--baseline", "ukac"], "--baseline ukac: did you mean 'ukca'?"),
    (["icf", "ukca", "--boards", "0"], "--boards 0: must be greater than or equal to 1"),
    (["icf", "ukca", "--boards", "5", "--matches", "5"], "must have boards or matches, and not both"),
    (["icf", "ukca", "--gap", "0.2"], "gap = 0.2: 'icf' cannot be played: impossible layout"),
    (["icf", "ukca", "--sensitivity", "1"], "--sensitivity 1: must be at least 2"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_commands_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("baseline", "board"), [("", "ukca"), ('baseline = "icf"\n', "icf")])
def test_a_board_that_a_file_describes_begins_with_that_of_the_baseline(baseline: str, board: str) -> None:
    study = study_from_toml(
        f'kind = "variants"\n{baseline}variants = ["ukca", "icf"]\nequipment = {{mu_surface = 0.1}}\n'
    )
    assert study.equipment == cs.Equipment.preset(board).replace(mu_surface=0.1)  # type: ignore[attr-defined]


def test_a_field_that_is_changed_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"queen\.value is there twice"):
        Variant(ruleset="icf", name="q", changes={"queen": {"value": 5}, "queen.value": 4})  # type: ignore[arg-type]


def test_the_command_declares_what_a_file_declares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "house.toml").write_text('extends = "icf"\nqueen.value = 4\n')
    (tmp_path / "study.toml").write_text(
        'kind = "variants"\nvariants = ["icf", "house.toml", {name = "q", ruleset = "icf", changes = {queen.value = 5,'
        ' dues.cannot_pay = "forget"}}]\nboards = 2\nbaseline = "q"\n'
    )
    words = ["icf", str(tmp_path / "house.toml"), "q=icf,queen.value=5,dues.cannot_pay=forget"]
    options = ["--boards", "2", "--baseline", "q", "--quiet", "--json"]
    assert cli.run(["compare", *words, *options]) == 0
    one = json.loads(capsys.readouterr().out)
    assert cli.run(["run", str(tmp_path / "study.toml"), "--quiet", "--json"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert one["study"] == other["study"]
    assert one["summary"]["variants"] == other["summary"]["variants"]

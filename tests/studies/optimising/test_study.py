"""Searches that are really played: declared, run, stopped, continued, replayed, refused."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import carromsim as cs
from carromsim import cli
from carromsim.stats import wilson
from carromsim.studies.analysis.planning import plan_study
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.optimising.plan import Stage
from carromsim.studies.optimising.study import BreakOptimisation
from runs.fake import files

TINY: dict[str, Any] = {
    "ruleset": "ukca",
    "objective": {"men": 1.0, "striker": -2.0},
    "scouts": 5,
    "restarts": 2,
    "generations": 3,
    "candidates": 4,
    "strokes": 12,
    "finalists": 2,
    "finalist_strokes": 20,
    "verdict_strokes": 30,
    "map_points": 2,
    "map_strokes": 8,
    "robustness": {"gap": [0.0002], "e_disc": [0.75]},
    "robustness_strokes": 8,
}
"""5 scouts, 24 searched, 5 finalists, 2 verdicts, 10 of the map, 2 conditions: chunks of 4 rows cut stages."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(BreakOptimisation(**TINY).run(tmp_path_factory.mktemp("whole") / "run").directory)


def test_rows_are_those_of_the_plan(whole: Path) -> None:
    table = pq.read_table(whole / "evaluations").to_pylist()
    assert [row["row"] for row in table] == list(range(48))
    stages = [row["stage"] for row in table]
    assert stages == [0] * 5 + [1] * 24 + [2] * 5 + [3] * 2 + [4] * 10 + [5] * 2
    assert [row["origin"] for row in table[31:34]] == ["mean", "mean", "straight"]
    assert {row["origin"] for row in table[29:31]} <= {"scout", "search"}
    assert [row["varied"] for row in table[36:]] == [
        *(name for name in ("x", "aim", "speed", "spin", "rotation") for _ in range(2)), "gap", "e_disc",
    ]  # fmt: skip
    assert (table[46]["gap"], table[47]["gap"], table[47]["e_disc"]) == (0.0002, 0.00005, 0.75)
    assert all((row["gain"] is not None) == (row["stage"] in (3, 5)) for row in table)
    winner = max(table[29:34], key=lambda row: row["objective"])
    for name in ("x", "angle", "speed", "spin", "rotation"):
        assert table[34][name] == table[46][name] == winner[name]


def test_a_row_is_what_a_break_study_says_of_the_same_strokes(whole: Path) -> None:
    study = BreakOptimisation(**TINY)
    row = pq.read_table(whole / "evaluations").to_pylist()[34]
    luck = range(row["first_stroke"], row["first_stroke"] + row["strokes"])
    hand = {"sd_x": 0.001, "sd_angle": np.radians(0.7), "sd_speed": 0.05, "sd_spin": 5.0}
    for break_, mean in (
        ({name: row[name] for name in ("x", "angle", "speed", "spin", "rotation")}, row["objective"]),
        ({"speed": 6.0}, row["straight"]),
    ):
        again = BreakStudy(ruleset="ukca", strokes=luck.stop, **break_, **hand)
        table = again.batch(luck)["strokes"]
        men, striker = (np.asarray(table[name]) for name in ("n_pocketed", "striker"))
        assert mean == pytest.approx(np.mean(men - 2.0 * striker), abs=1e-12)
    assert study.setting.skill.sd_spin == 5.0


@pytest.mark.parametrize(
    "left", [range(0), range(1), range(3), range(8), range(11), [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]]
)
def test_a_run_that_is_continued_has_the_bytes_of_one_that_was_not_stopped(
    whole: Path, tmp_path: Path, left: Any
) -> None:
    run = tmp_path / "run"
    (run / "evaluations").mkdir(parents=True)
    for number in left:
        name = f"evaluations/part-{number:08d}.parquet"
        (run / name).write_bytes((whole / name).read_bytes())
    (run / "manifest.json").write_bytes((whole / "manifest.json").read_bytes())
    BreakOptimisation(**TINY).run(run, workers=1)
    assert files(run) == files(whole)


PROGRAM = """
import sys
from carromsim.studies.optimising.study import BreakOptimisation
import json
study = BreakOptimisation(**json.loads(sys.argv[2]))
def progress(done, total, counts):
    print(done, flush=True)
study.run(sys.argv[1], workers=2, progress=progress)
"""


@pytest.mark.slow
def test_killed_and_continued(whole: Path, tmp_path: Path) -> None:
    run, seen = tmp_path / "run", []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    for stop in (4, 16, 32):
        command = [sys.executable, "-c", PROGRAM, str(run), json.dumps(TINY)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as runner:
            assert runner.stdout is not None
            while int(runner.stdout.readline()) < stop:
                pass
            time.sleep(0.05)
            os.kill(runner.pid, signal.SIGKILL)
        seen.append(len(list((run / "evaluations").glob("*.parquet"))))
    assert seen == sorted(seen)
    BreakOptimisation(**TINY).run(run)
    assert files(run) == files(whole)


@pytest.mark.slow
def test_processes_give_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    BreakOptimisation(**TINY).run(tmp_path / "run", executor="processes", workers=2)
    assert files(tmp_path / "run") == files(whole)


def test_rows_do_not_depend_on_who_asks_for_them(whole: Path) -> None:
    table = pq.read_table(whole / "evaluations")
    study = BreakOptimisation(**TINY)
    assert study.batch(range(29, 34))["evaluations"].to_pylist() == table.slice(29, 5).to_pylist()
    assert [row for batch in study.stream(2) for row in batch.to_pylist()] == table.to_pylist()
    copy = pickle.loads(pickle.dumps(study))
    assert copy == study
    assert copy.batch(range(5))["evaluations"].to_pylist() == table.slice(0, 5).to_pylist()
    assert study.summarise(workers=2).to_dict()["verdict"] == cs.open_run(whole).summary().to_dict()["verdict"]


def test_opened_verified_and_replayed(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = cs.open_run(whole)
    assert run.verify() == []
    evaluation, summary = run.rerun(34)
    assert evaluation.stage == Stage.VERDICT
    assert summary.counts.rows == 30
    assert cli.run(["replay", str(whole), "--row", "47"]) == 0
    told = capsys.readouterr().out
    assert "equal to the row that stands there" in told
    assert "8 strokes, seed 1" in told
    assert cli.run(["replay", str(whole), "--row", "48"]) == 2
    assert "must be a whole number from 0 to 47" in capsys.readouterr().err
    assert cli.run(["verify", str(whole)]) == 0
    assert cli.run(["summary", str(whole)]) == 0
    told = capsys.readouterr().out
    for words in ("winner: men", "as fast: striker", "The search said", "rotation [deg]", "e_disc"):
        assert words in told


def test_an_unfinished_run_has_no_verdict_yet(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    (run / "evaluations").mkdir(parents=True)
    for name in ("manifest.json", "evaluations/part-00000000.parquet"):
        (run / name).write_bytes((whole / name).read_bytes())
    assert cli.run(["summary", str(run)]) == 0
    assert "There is no verdict yet: 4 of 48 evaluations are there" in capsys.readouterr().out
    assert cs.open_run(run).summary().to_dict()["verdict"] == []


def test_a_run_that_lost_a_part_claims_nothing_that_it_does_not_know(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knows = cs.open_run(whole).summary()
    for part in sorted((whole / "evaluations").iterdir()):
        run = tmp_path / part.stem
        shutil.copytree(whole, run)
        (run / "parts.json").unlink()
        (run / "evaluations" / part.name).unlink()
        assert cli.run(["summary", str(run)]) == 0
        told = cs.open_run(run).summary()
        assert told.claim in (None, knows.claim)
        assert told.winner in (None, knows.winner)
        assert told.as_fast in (None, knows.as_fast)
    capsys.readouterr()


def test_a_run_of_another_search_is_refused_without_a_traceback(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    (run / "evaluations").mkdir(parents=True)
    for name in ("manifest.json", *(f"evaluations/part-{number:08d}.parquet" for number in range(4))):
        (run / name).write_bytes((whole / name).read_bytes())
    monkeypatch.setattr("carromsim.studies.optimising.course.STEP_FROM_STRAIGHT", 0.2)
    with pytest.raises(cs.VersionsError, match="row 5 of the run has x = .*another version of cmaes"):
        BreakOptimisation(**TINY).run(run)
    assert cli.run(["replay", str(run), "--row", "20"]) == 1
    assert "row 5 of the run has x = " in capsys.readouterr().err


def test_shares_of_a_term_have_the_intervals_of_shares() -> None:
    settings = TINY | {"objective": {"any": 1.0}, "verdict_strokes": 200, "map_points": 0, "robustness": {}}
    summary = BreakOptimisation(**settings).summarise()
    winner = summary.winner
    worth, gain = summary.worth(winner), summary.gain(winner)
    low, high = wilson(round(worth.estimate * winner.n), winner.n)
    assert (worth.low, worth.high) == (float(low), float(high))
    assert -1.0 <= gain.low <= gain.estimate <= gain.high <= 1.0
    assert gain.estimate == pytest.approx(worth.estimate - summary.straight(winner))


@pytest.mark.slow
def test_boards_that_are_won(tmp_path: Path) -> None:
    settings = TINY | {
        "objective": {"board_won": 1.0, "men": 0.1},
        "generations": 1,
        "restarts": 1,
        "ruleset": "bell_i",
    }
    summary = BreakOptimisation(**settings, seed=4).summarise()
    winner = summary.winner
    share = summary.worth(winner, "board_won")
    assert 0.0 < share.estimate < 1.0
    assert winner.n > 20
    assert round(share.estimate * winner.n) == pytest.approx(share.estimate * winner.n)


def test_the_pack_is_turned_where_the_rules_leave_it_to_the_breaker() -> None:
    for rules, turned in (("icf", False), ("bell_i", False), ("ukca", True), ("caint", True)):
        study = BreakOptimisation(ruleset=rules, restarts=1, generations=1, candidates=4, strokes=2)
        rotations = np.asarray(study.batch(range(4))["evaluations"]["rotation"])
        assert ("rotation" in study.space.names) is turned
        assert bool(np.any(rotations != 0.0)) is turned


BAD: list[tuple[dict[str, Any], str]] = [
    ({"objective": {"mn": 1.0}}, "mn: did you mean 'men'"),
    ({"objective": {}}, "must be weights by term"),
    ({"objective": {"men": 0.0}}, "men = 0.0: must be a finite number other than 0"),
    ({"objective": {"men": "much"}}, "men = 'much': must be a finite number"),
    ({"pareto": True}, "objective must have 2 terms to trade off, not 1"),
    ({"straight_speed": 12.0}, "straight_speed = 12: must be at most fastest = 10 m/s"),
    ({"scouts": 1}, "scouts = 1: must be at least 4, one for each further start"),
    ({"candidates": 3}, "greater than or equal to 4"),
    ({"policy": "gredy"}, "must be one of random, greedy, lookahead"),
    ({"skill": "clu"}, "did you mean 'club'"),
    ({"gap": 0.2}, "gap = 0.2: "),
    ({"jitter": 0.1}, "jitter = 0.1: must be from 0 to gap"),
    ({"robustness": {"speed": [1.0]}}, "speed: known: e_cushion, e_disc, gap, mu_surface"),
    ({"robustness": {"e_disc": [1.5]}}, "robustness = {e_disc = 1.5}: "),
    ({"robustness": {"gap": ["wide"]}}, "must be a list of finite numbers"),
    ({"until": {"metric": "men", "half_width": 0.1}}, "plays all of its rows"),
]


@pytest.mark.parametrize(("fields", "message"), BAD, ids=[str(fields) for fields, _ in BAD])
def test_what_makes_no_sense_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="(?s)" + message.replace("(", r"\(").replace("{", r"\{").replace("[", r"\[")):
        BreakOptimisation(**fields)


def test_what_a_search_cannot_do_is_told(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = BreakOptimisation(**TINY)
    with pytest.raises(ValueError, match=r"share = \(1, 2\): the rows of a study of kind 'optimise' depend"):
        study.run(tmp_path / "run", share=(1, 2))
    with pytest.raises(ValueError, match="plan: the rows"):
        plan_study(study)
    with pytest.raises(ValueError, match="cannot be merged: the rows"):
        cs.merge_runs([whole], tmp_path / "merged")
    with pytest.raises(ValueError, match="runs of kind 'optimise' have no metrics"):
        cs.diff_runs(whole, whole)
    assert cli.run(["optimise", "--objective", "men"]) == 2
    assert "--objective men: must be TERM=WEIGHT" in capsys.readouterr().err
    assert cli.run(["optimise", "--objective", "mn=1", "--restarts", "0"]) == 2
    told = capsys.readouterr().err
    assert "--objective mn=1: mn: did you mean 'men'" in told
    assert "--restarts 0: must be greater than or equal to 1" in told
    monkeypatch.setitem(sys.modules, "cmaes", None)
    assert cli.run(["optimise", "--quiet"]) == 1
    assert "cmaes is not installed: pip install 'carromsim[optimise]'" in capsys.readouterr().err
    assert cli.run(["summary", str(whole)]) == 0  # reading needs no search


def test_a_pareto_search_tells_its_front(capsys: pytest.CaptureFixture[str]) -> None:
    study = BreakOptimisation(**TINY | {"pareto": True, "objective": {"men": 1.0, "striker": -1.0}})
    summary = study.summarise()
    Console(width=100).print(study.report(summary))
    told = capsys.readouterr().out
    for words in ("+1 men against -1 striker", "30 fresh strokes", "straight", "Beaten: another break"):
        assert words in told
    assert "Search  " not in told.partition("Beaten")[2]
    verdict = summary.to_dict()["verdict"]
    assert len(verdict) == 5
    assert any(each["undominated"] for each in verdict)
    assert study.rows == 5 + 24 + 5 + 5

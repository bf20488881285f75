"""Shares of one study brought together: the bytes of the run that was never shared out."""

import re
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.merging import merge_runs, missing_chunks
from carromsim.studies.runs.reading import open_run
from carromsim.studies.shots.study import ShotStudy

STUDY = ShotStudy(strokes=5 * 4096 + 100)


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def part(root: Path, number: int) -> Path:
    return root / "shots" / f"part-{number:08d}.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("merging") / "whole"
    STUDY.run(root)
    return root


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three shares of the study; not to be changed."""
    roots = [tmp_path_factory.mktemp("merging") / f"share{i}" for i in (1, 2, 3)]
    for i, root in enumerate(roots, 1):
        STUDY.run(root, share=(i, 3))
    return roots


@pytest.fixture
def shares(played: list[Path], tmp_path: Path) -> list[Path]:
    """Copies of the three shares."""
    copies = []
    for root in played:
        copy = tmp_path / root.name
        for name, data in files(root).items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(data)
        copies.append(copy)
    return copies


def test_shares_make_the_whole_run(whole: Path, shares: list[Path], tmp_path: Path) -> None:
    assert [len(list((root / "shots").iterdir())) for root in shares] == [2, 2, 2]
    run = merge_runs(shares, tmp_path / "out")
    assert files(tmp_path / "out") == files(whole)
    assert missing_chunks(run) == []
    assert run.verify() == []
    assert [sorted(files(root)) for root in shares] == [
        ["manifest.json", *(f"shots/part-0000000{number}.parquet" for number in (i, i + 3))] for i in range(3)
    ]


def test_overlapping_shares_and_a_finished_run_are_fine(whole: Path, shares: list[Path], tmp_path: Path) -> None:
    merge_runs([shares[1], whole, shares[1], shares[0]], tmp_path / "out")
    assert files(tmp_path / "out") == files(whole)


def test_what_is_missing_is_left_for_the_study_to_play(whole: Path, shares: list[Path], tmp_path: Path) -> None:
    run = merge_runs([shares[2], shares[0]], tmp_path / "out")
    assert missing_chunks(run) == [1, 4]
    assert not (tmp_path / "out" / "parts.json").exists()
    STUDY.run(tmp_path / "out")
    assert files(tmp_path / "out") == files(whole)


def test_a_run_gets_what_it_lacks(whole: Path, shares: list[Path]) -> None:
    assert missing_chunks(merge_runs([shares[1]], shares[0])) == [2, 5]
    merge_runs([shares[2]], shares[0])
    assert files(shares[0]) == files(whole)


def test_a_damaged_part_is_named_and_nothing_is_merged(shares: list[Path], tmp_path: Path) -> None:
    data = bytearray(part(shares[1], 4).read_bytes())
    data[len(data) // 2] ^= 1
    part(shares[1], 4).write_bytes(bytes(data))
    with pytest.raises(DirectoryError, match=r"share2: shots/part-00000004.parquet: damaged"):
        merge_runs(shares, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_part_of_other_rows_is_named(shares: list[Path], tmp_path: Path) -> None:
    part(shares[0], 1).write_bytes(part(shares[0], 0).read_bytes())
    with pytest.raises(DirectoryError, match=r"share1: shots/part-00000001.parquet: does not belong here: rows 0:4096"):
        merge_runs(shares, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_another_study_is_refused_with_the_differences(shares: list[Path], tmp_path: Path) -> None:
    ShotStudy(strokes=STUDY.strokes, seed=2, skill="expert").run(tmp_path / "other", share=(1, 6))
    with pytest.raises(DirectoryError, match="not parts of one run") as told:
        merge_runs([shares[0], tmp_path / "other"], tmp_path / "out")
    assert f"study.seed: 1 in {shares[0]}, 2 in {tmp_path / 'other'}" in str(told.value)
    assert "study.skill" in str(told.value)
    assert "study_hash" not in str(told.value)
    assert not (tmp_path / "out").exists()


def test_a_directory_with_something_else_is_refused(shares: list[Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    with pytest.raises(DirectoryError, match="not empty"):
        merge_runs(shares, tmp_path / "out")
    with pytest.raises(ValueError, match="at least one"):
        merge_runs([], tmp_path / "out")
    for one in (str(shares[0]), shares[0]):
        with pytest.raises(ValueError, match=re.escape(f"directories = {one!r}: must be a list")):
            merge_runs(one, tmp_path / "out")  # type: ignore[arg-type]


def test_runs_that_ended_early_are_merged(tmp_path: Path) -> None:
    study = ShotStudy(strokes=40_960, until={"metric": "success", "against": 0.5})
    study.run(tmp_path / "a")
    merge_runs([tmp_path / "a"], tmp_path / "b")
    assert files(tmp_path / "b") == files(tmp_path / "a")
    assert missing_chunks(open_run(tmp_path / "b")) == []


def test_the_command_tells_what_is_missing(
    shares: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert cli.run(["merge", str(shares[1]), "--out", out]) == 0
    told = capsys.readouterr().out
    assert f"{out}: 2 of 6 chunks are there; missing: 0, 2-3, 5\n" in told
    assert f"carromsim run STUDY.toml --out {out}" in told
    assert cli.run(["merge", str(shares[0]), str(shares[2]), "--out", out]) == 0
    assert capsys.readouterr().out == f"{out}: the run is whole\n"
    part(shares[1], 1).write_bytes(b"PAR1")
    assert cli.run(["merge", str(shares[1]), "--out", str(tmp_path / "other")]) == 2
    assert "part-00000001.parquet: damaged" in capsys.readouterr().err

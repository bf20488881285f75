"""Runs of each kind with something wrong in them: `verify` names it, nothing is read silently, `run` mends it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import carromsim as cs
from carromsim.studies.kinds import KINDS
from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.reading import Run
from fuzz.directories import paths
from fuzz.small_runs import small_run, small_study
from runs.fake import files

each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def run(kind: str, tmp_path: Path) -> Run:
    shutil.copytree(small_run(kind), tmp_path / "run")
    return cs.open_run(tmp_path / "run")


def parts(run: Run) -> list[Path]:
    return sorted(Path(run.directory).glob("*/*.parquet"))


def damages(data: bytes, flips: int) -> Iterator[bytes]:
    """Cut it short, flip bits in header, pages and footer, zero a block, put another run's part in its place."""
    rng = np.random.default_rng(len(data))
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for length in (0, 3, 4, len(data) // 2, footer, len(data) - 8, len(data) - 1):
        yield data[:length]
    ends = [0, 3, 4, footer - 1, footer, len(data) - 9, len(data) - 5, len(data) - 1]
    places = np.concatenate([rng.integers(0, footer, flips), rng.integers(footer, len(data), flips), ends])
    for place in places.tolist():
        yield data[:place] + bytes([data[place] ^ 1 << int(rng.integers(8))]) + data[place + 1 :]
    yield data[:1000] + bytes(512) + data[1512:]
    yield data + b"\0"
    yield b"PAR1" + bytes(100)


def read(run: Run) -> list[pa.RecordBatch] | None:
    """Read the first table as summaries, comparisons and plots do; None if that is refused."""
    try:
        return list(run.batches())
    except OSError:
        return None


@pytest.mark.parametrize("flips", [6, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("recorded", [True, False])
@each_kind
def test_every_damage_to_a_part_is_named_and_none_is_read_for_rows(run: Run, recorded: bool, flips: int) -> None:
    if not recorded:
        (Path(run.directory) / "parts.json").unlink()
    rows, first = read(run), run.study.tables[0].name
    for path in parts(run):
        data, name = path.read_bytes(), path.relative_to(run.directory).as_posix()
        for damaged in damages(data, flips):
            path.write_bytes(damaged)
            assert [problem.path for problem in run.verify(threads=1)] == [name]
            if path.parent.name == first and recorded:
                assert read(run) is None
        path.write_bytes(data)
    assert run.verify(threads=1) == []
    assert read(run) == rows


@each_kind
def test_the_runs_own_command_makes_damaged_parts_again_to_the_byte(run: Run, kind: str) -> None:
    whole = files(run.directory)
    for path in parts(run):
        times = {other: other.stat().st_mtime_ns for other in parts(run)}
        path.write_bytes(path.read_bytes()[:-3] + b"\0AR")
        small_study(kind).run(run.directory, workers=1)
        assert files(run.directory) == whole
        chunk = {path, *path.parents[1].glob(f"*/{path.name}")}
        if kind != "optimise":  # a search plays on from where it was
            assert {other for other in parts(run) if other.stat().st_mtime_ns != times[other]} <= chunk


def changed(value: Any) -> Any:
    """Give another value of the same kind."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else [] if value else [1]


@each_kind
def test_every_field_of_a_manifest_is_heeded(run: Run, kind: str) -> None:
    """A change in the study, its hash, its tables or its chunks is told at once, in the versions by `verify`."""
    path = Path(run.directory) / "manifest.json"
    told = json.loads(path.read_bytes())
    ways = [way for way in paths(told) if not isinstance(_at(told, way), dict)]
    for way in ways[:: max(len(ways) // 150, 1)] + [way for way in ways if way[0] != "study"]:
        other = json.loads(path.read_bytes())
        _at(other, way[:-1])[way[-1]] = changed(_at(told, way))
        assert other != told
        path.write_text(json.dumps(other))
        if way[0] == "versions":
            again = cs.open_run(run.directory)
            assert again.changed_versions()
            assert len(again.verify(threads=1)) == len(parts(run))
        elif way == ("chunks", "rows"):  # of a run of one chunk nothing but its own command can tell
            with pytest.raises(DirectoryError, match="chunks.rows"):
                small_study(kind).run(run.directory, workers=1)
        else:
            with pytest.raises(DirectoryError):
                cs.open_run(run.directory)
        path.write_text(json.dumps(told))


def _at(told: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        told = told[key]
    return told


@each_kind
def test_every_field_of_a_record_is_heeded(run: Run, kind: str, tmp_path: Path) -> None:
    """Of a record that says otherwise, it or the part of which it speaks is named; the run's own command mends it."""
    path = Path(run.directory) / "parts.json"
    data = path.read_bytes()
    for way in paths(json.loads(data)):
        told = json.loads(data)
        value = _at(told, way)
        _at(told, way[:-1])[way[-1]] = [] if isinstance(value, dict | list) else changed(value)
        damaged = json.dumps(told, indent=1).encode() + b"\n"
        path.write_bytes(damaged)
        assert run.verify(threads=1), way
        assert path.read_bytes() == damaged
        path.write_bytes(data)


def test_parts_and_records_of_other_kinds_are_told_apart(tmp_path: Path) -> None:
    for kind, other in (("break", "shot"), ("board", "match"), ("match", "variants")):
        root = tmp_path / kind
        shutil.copytree(small_run(kind), root)
        run = cs.open_run(root)
        theirs = parts(cs.open_run(small_run(other)))[0]
        shutil.copy(theirs, parts(run)[0])
        (problem,) = run.verify(threads=1)
        assert problem.why.startswith("does not belong here")
        with pytest.raises(OSError, match="does not belong here"):
            list(
                run.parts.batches(run.study.tables[[t.name for t in run.study.tables].index(parts(run)[0].parent.name)])
            )
        small_study(kind).run(root, workers=1)
        shutil.copy(small_run(other) / "parts.json", root / "parts.json")
        (problem,) = run.verify(threads=1)
        assert problem.path == "parts.json"
        small_study(kind).run(root, workers=1)
        assert run.verify(threads=1) == []
        assert files(root) == files(small_run(kind))
        shutil.copy(small_run(other) / "manifest.json", root / "manifest.json")
        assert {problem.why for problem in cs.open_run(root).verify(threads=1)} & {"missing"} or cs.open_run(
            root
        ).verify()

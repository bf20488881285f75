"""`verify` names every file that is not what it was, whatever happened to it."""

import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from carromsim.studies.counting.stopping import Until
from carromsim.studies.runs import study as protocol
from carromsim.studies.runs.directory import InUseError, locked
from carromsim.studies.runs.reading import Run
from carromsim.studies.runs.running import run_study
from carromsim.studies.runs.study import manifest_of
from carromsim.tables.dataset import Problem
from carromsim.tables.places import Folder
from runs import fake
from runs.fake import Throws, files

PART = "throws/part-00000001.parquet"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return run_study(Throws(), tmp_path / "run", workers=1)


def test_a_sound_run_has_no_problems_and_is_left_as_it_was(run: Run) -> None:
    before = files(run.directory)
    assert run.verify() == []
    assert files(run.directory) == before


def test_a_missing_record_is_rebuilt(run: Run) -> None:
    before = files(run.directory)
    (run.directory / "parts.json").unlink()
    assert run.verify() == []
    assert files(run.directory) == before


@pytest.mark.parametrize("text", [b"", b"{}", b'{"format": "carromsim-parts/1", "study": "other"}'])
def test_a_damaged_record_is_named_and_the_same_call_mends_it(run: Run, text: bytes) -> None:
    before = files(run.directory)
    (run.directory / "parts.json").write_bytes(text)
    assert run.verify() == [Problem("parts.json", "is damaged, or of another run")]
    assert (run.directory / "parts.json").read_bytes() == text
    run_study(Throws(), run.directory)
    assert files(run.directory) == before
    assert run.verify() == []


@pytest.mark.parametrize(
    ("was", "is_"), [(b'"throws": 130', b'"throws": 131'), (b'"parts":', b'"stopped": {},\n "parts":'), (b"}\n", b"} ")]
)
def test_a_record_that_can_be_read_and_says_otherwise_is_named_and_left(run: Run, was: bytes, is_: bytes) -> None:
    before = files(run.directory)
    damaged = before["parts.json"].replace(was, is_)
    assert damaged != before["parts.json"]
    (run.directory / "parts.json").write_bytes(damaged)
    assert run.verify() == [Problem("parts.json", "is damaged: it does not say what stands here")]
    assert files(run.directory) == before | {"parts.json": damaged}
    run_study(Throws(), run.directory)
    assert files(run.directory) == before
    assert run.verify() == []


def test_parts_are_sent_to_workers_without_the_record(run: Run) -> None:
    parts, table = run.parts, run.study.tables[0]
    parts.read(table, 0)
    sent = pickle.loads(pickle.dumps(parts))
    assert vars(sent).keys() == vars(run.parts).keys()
    assert sent.read(table, 1).equals(parts.read(table, 1))


def test_a_record_may_end_early_only_if_it_says_why(run: Run) -> None:
    parts, record = run.parts, run.parts.read_record()
    assert record is not None
    first = {name: entries[:2] for name, entries in record.items()}
    why = {"reason": "half_width", "rows": 100}
    parts.write_record(first, why)
    told = json.loads((run.directory / "parts.json").read_bytes())
    assert (told["stopped"], told["rows"]["throws"]) == (why, 100)
    assert parts.read_record() == first
    for changed in (
        {key: value for key, value in told.items() if key != "stopped"},
        told | {"parts": told["parts"] | {"bounces": told["parts"]["bounces"][:1]}},
        told | {"parts": {name: [] for name in told["parts"]}},
        told | {"parts": {name: entries * 2 for name, entries in told["parts"].items()}},
    ):
        (run.directory / "parts.json").write_text(json.dumps(changed))
        assert parts.read_record() is None
    parts.write_record(record)
    assert parts.read_record() == record


def test_missing_parts_and_strangers_are_named(run: Run) -> None:
    (run.directory / PART).unlink()
    (run.directory / "bounces" / "part-00000003.parquet").write_bytes(b"one too many")
    (run.directory / "throws" / ".hidden").write_bytes(b"")
    assert run.verify() == [
        Problem(PART, "missing"),
        Problem("throws/.hidden", "does not belong to this run"),
        Problem("bounces/part-00000003.parquet", "does not belong to this run"),
    ]
    assert str(run.verify()[0]) == f"{PART}: missing"


@pytest.mark.parametrize("recorded", [True, False])
def test_missing_parts_in_a_row_are_named_together(tmp_path: Path, recorded: bool) -> None:
    run = run_study(Throws(rows=500), tmp_path / "run", workers=1)
    for table, numbers in (("throws", [0, 4, 5, 6, 8, 9]), ("bounces", [0, 5, 7])):
        for number in numbers:
            (run.directory / table / f"part-{number:08d}.parquet").unlink()
    (run.directory / "bounces" / "part-00000006.parquet").write_bytes(b"")
    if not recorded:
        (run.directory / "parts.json").unlink()
    assert [str(problem).partition(": damaged")[0] for problem in run.verify()] == [
        "throws/part-00000000.parquet: missing",
        "bounces/part-00000000.parquet: missing",
        "throws/part-00000004.parquet to part-00000006.parquet: missing",
        "bounces/part-00000005.parquet: missing",
        "bounces/part-00000006.parquet",
        "bounces/part-00000007.parquet: missing",
        "throws/part-00000008.parquet to part-00000009.parquet: missing",
    ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("until", [None, Until(metric="six", half_width=1e-6)])
def test_a_run_that_has_hardly_begun_is_looked_at_at_once(tmp_path: Path, until: Until | None) -> None:
    study = Throws(rows=2**40, until=until)
    stop = KeyboardInterrupt()

    def interrupt(done: int, total: int, counts: object) -> None:
        if done >= 150:
            raise stop

    with pytest.raises(KeyboardInterrupt):
        run_study(study, tmp_path / "run", workers=1, progress=interrupt)
    run = Run(place=Folder(tmp_path / "run"), manifest=manifest_of(study), study=study)
    assert run.summary()["counts"] == study.counts_of(study.batch(range(150))["throws"]).tolist()
    assert [str(problem) for problem in run.verify()] == [
        f"{table}/part-00000003.parquet to part-{2**40 // 50:08d}.parquet: missing" for table in ("throws", "bounces")
    ]


@pytest.mark.parametrize("recorded", [True, False])
def test_parts_of_another_place_or_run_are_named(run: Run, tmp_path: Path, recorded: bool) -> None:
    if not recorded:
        (run.directory / "parts.json").unlink()
    run_study(Throws(seed=2), tmp_path / "other")
    for source, why in (
        (run.directory / "throws" / "part-00000000.parquet", "rows 0:50, not 50:100"),
        (tmp_path / "other" / PART, "study "),
        (run.directory / "bounces" / "part-00000001.parquet", "schema bounces/3, not throws/1"),
    ):
        original = (run.directory / PART).read_bytes()
        shutil.copy(source, run.directory / PART)
        (problem,) = run.verify()
        assert problem.path == PART
        assert problem.why.startswith(f"does not belong here: {why}")
        (run.directory / PART).write_bytes(original)


def test_parts_of_other_versions_are_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = protocol.versions() | {"numba": "0.1"}
    with monkeypatch.context() as patch:
        patch.setattr(protocol, "versions", lambda: other)
        run_study(Throws(), tmp_path / "other")
    shutil.copy(tmp_path / "other" / PART, run.directory / PART)
    (problem,) = run.verify()
    assert problem.why.startswith("does not belong here: versions")


def test_a_part_with_other_values_is_found_by_its_checksum(run: Run) -> None:
    table = pq.read_table(run.directory / PART)
    changed = table.set_column(2, table.schema.field(2), [np.arange(50.0)])
    pq.write_table(changed, run.directory / PART)
    (problem,) = run.verify()
    assert (problem.path, problem.why) == (PART, "damaged: its checksum is not the one in parts.json")
    (run.directory / "parts.json").unlink()
    (problem,) = run.verify()
    assert (problem.path, problem.why) == (PART, "damaged: its rows, written again, give other bytes")
    assert not (run.directory / "parts.json").exists()  # a damaged run gets no record that would bless it


def damages(data: bytes, step: int) -> list[bytes]:
    """Damage a file everywhere: cut it short, flip one bit, zero a block."""
    rng = np.random.default_rng(5)
    found = [data[:length] for length in range(0, len(data), 40 * step)]
    for place in range(0, len(data), step):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        found.append(bytes(flipped))
    return [*found, data[:1000] + bytes(512) + data[1512:], data + b"\0"]


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_every_damage_is_named(run: Run, recorded: bool, step: int) -> None:
    """Header, pages, page headers and footer; without a record every 13th byte is tried, in the slow test every one."""
    if not recorded:
        (run.directory / "parts.json").unlink()
    path = run.directory / PART
    data = path.read_bytes()
    parts = run.parts
    record = parts.read_record()
    assert (record is not None) is recorded
    for damaged in damages(data, step):
        path.write_bytes(damaged)
        found = parts.check(1, record)["throws"]
        assert isinstance(found, Problem), (len(damaged), "not noticed")
    path.write_bytes(data)
    assert run.verify() == []


def test_a_part_that_cannot_be_read_is_named(run: Run) -> None:
    (run.directory / PART).unlink()
    (run.directory / PART).mkdir()
    assert run.verify() == [Problem(PART, "cannot be read (Is a directory)")]


def test_a_run_that_is_going_on_is_not_checked(run: Run) -> None:
    with locked(run.directory), pytest.raises(InUseError, match=f"in use by process {os.getpid()} on "):
        run.verify()


def test_a_run_opened_by_a_relative_path_is_locked_where_it_lies(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened = Run(place=Folder(Path("run")), manifest=run.manifest, study=run.study)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "run" / "parts.json").unlink()
    with locked(tmp_path / "run"), pytest.raises(InUseError):
        opened.verify()
    assert opened.verify() == []
    assert (tmp_path / "run" / "parts.json").exists()  # written again
    assert not list(Path().iterdir())


def test_the_summary_of_a_damaged_run_names_the_part(run: Run) -> None:
    again = Run(place=run.place, manifest=run.manifest, study=run.study)
    assert again.summary()["counts"] == run.summary()["counts"]
    (run.directory / PART).write_bytes((run.directory / PART).read_bytes()[:-5])
    with pytest.raises(OSError, match=f"{PART} is damaged .*; the run's own command mends it"):
        again.summary()


def test_a_part_that_is_gone_is_missing_and_not_damaged(run: Run) -> None:
    (run.directory / PART).unlink()
    with pytest.raises(FileNotFoundError) as told:
        run.parts.read(run.study.tables[0], 1)
    assert str(told.value) == f"{run.directory / PART} is missing; the run's own command plays it again"


def test_tables_are_datasets_of_what_stands(run: Run) -> None:
    assert list(run.tables) == ["throws", "bounces"]
    assert run.tables["throws"].to_table()["row"].to_pylist() == list(range(130))
    assert run.tables["bounces"].count_rows() == sum(n % 3 for n in range(130))
    (run.directory / PART).unlink()
    assert run.tables["throws"].to_table()["row"].to_pylist() == [*range(50), *range(100, 130)]
    for path in (run.directory / "throws").iterdir():
        path.unlink()
    assert run.tables["throws"].to_table().schema.equals(fake.THROWS.arrow())
    assert "Run(" in repr(run)

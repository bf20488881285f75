"""The protocol of a run: what stands when, who may write, and that stopping anywhere changes no byte."""

import errno
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carromsim.studies.runs import study as protocol
from carromsim.studies.runs.directory import DirectoryError, InUseError, locked
from carromsim.studies.runs.reading import open_run
from carromsim.studies.runs.running import run_study
from carromsim.studies.runs.study import study_hash
from runs import fake
from runs.fake import Throws, files

N_CHUNKS = 3
PARTS = sorted(f"{table}/part-0000000{n}.parquet" for table in ("throws", "bounces") for n in range(N_CHUNKS))
FAKE = str(Path(fake.__file__))


@pytest.fixture
def undisturbed(tmp_path: Path) -> dict[str, bytes]:
    """All files of a run that nothing happened to."""
    run_study(Throws(), tmp_path / "undisturbed", workers=1)
    return files(tmp_path / "undisturbed")


# What stands


def test_a_run_holds_its_manifest_whole_parts_and_their_record(undisturbed: dict[str, bytes]) -> None:
    assert sorted(undisturbed) == sorted(["manifest.json", "parts.json", *PARTS])
    manifest = json.loads(undisturbed["manifest.json"])
    assert manifest["study"] == Throws().declaration()
    assert manifest["study_hash"] == study_hash(Throws().declaration())
    assert manifest["chunks"] == {"rows": 50, "count": 3}
    assert manifest["tables"] == ["throws/1", "bounces/3"]
    assert set(manifest["versions"]) == {"carromsim", "numba", "numpy", "pyarrow", "python", "kernels"}
    record = json.loads(undisturbed["parts.json"])
    assert record["rows"] == {"throws": 130, "bounces": sum(n % 3 for n in range(130))}
    assert [part["rows"] for part in record["parts"]["throws"]] == [50, 50, 30]


def test_rows_of_pieces_make_one_contiguous_part(
    tmp_path: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Throws, "piece_rows", 7)
    run_study(Throws(), tmp_path / "pieces")
    assert files(tmp_path / "pieces") == undisturbed
    assert pq.ParquetFile(tmp_path / "pieces" / PARTS[-1]).num_row_groups == 1


def test_a_footer_names_study_versions_rows_and_schema_and_no_place(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    manifest = json.loads(undisturbed["manifest.json"])
    footer = pq.ParquetFile(pa.BufferReader(undisturbed["throws/part-00000002.parquet"])).metadata.metadata
    assert footer[b"carromsim.study"].decode() == manifest["study_hash"]
    assert json.loads(footer[b"carromsim.versions"]) == manifest["versions"]
    assert footer[b"carromsim.rows"] == b"100:130"
    assert footer[b"carromsim.schema"] == b"throws/1"
    for data in undisturbed.values():
        assert str(tmp_path).encode() not in data
        assert b"undisturbed" not in data


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_change_no_byte(tmp_path: Path, undisturbed: dict[str, bytes], workers: int) -> None:
    run_study(Throws(), tmp_path / "run", workers=workers)
    assert files(tmp_path / "run") == undisturbed


def test_progress_and_counts(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []

    def progress(done: int, total: int, counts: Any) -> None:
        told.append((done, total, int(counts.sum())))

    run = run_study(Throws(), tmp_path / "run", progress=progress, workers=1)  # several end chunks in any order
    assert [line[:2] for line in told] == [(0, 130), (50, 130), (100, 130), (130, 130)]
    summary = run.summary()
    assert sum(summary["counts"]) == told[-1][2]
    assert summary["seconds"] > 0
    again = run_study(Throws(), tmp_path / "run", progress=progress)
    assert told[4:] == [(130, 130, 0)]
    assert again.summary() == {"counts": summary["counts"], "seconds": None}


def test_equal_declarations_have_equal_hashes() -> None:
    assert study_hash({"a": 1, "b": {"c": 2.0, "d": None}}) == study_hash({"b": {"d": None, "c": 2.0}, "a": 1})
    assert study_hash({"a": 1}) != study_hash({"a": 2})


# Going on


@pytest.mark.parametrize("missing", [PARTS[:1], PARTS[2:4], PARTS, ["parts.json"], [PARTS[5], "parts.json"]])
def test_the_same_call_makes_what_is_missing(
    tmp_path: Path, undisturbed: dict[str, bytes], missing: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "undisturbed"
    for name in missing:
        (root / name).unlink()
    made: list[str] = []
    real = Path.replace
    monkeypatch.setattr(Path, "replace", lambda path, to: (made.append(to.name), real(path, to))[1])
    run_study(Throws(), root)
    assert files(root) == undisturbed
    chunks = {name.partition("/")[2] for name in missing if "/" in name}
    assert {name for name in made if name != "parts.json"} == chunks


def test_a_run_that_stands_is_left_alone(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    root = tmp_path / "undisturbed"
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    run_study(Throws(), root)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert files(root) == undisturbed


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("how", ["truncate", "flip", "empty", "swap", "other study", "other rows"])
def test_damaged_parts_and_no_others_are_made_again(
    tmp_path: Path, undisturbed: dict[str, bytes], how: str, recorded: bool
) -> None:
    root, name = tmp_path / "undisturbed", "throws/part-00000001.parquet"
    data = bytearray(undisturbed[name])
    if how == "truncate":
        data = data[:-100]
    elif how == "flip":
        data[len(data) // 3] ^= 4
    elif how == "empty":
        data.clear()
    elif how == "swap":
        data = bytearray(undisturbed["throws/part-00000000.parquet"])
    else:
        other = Throws(seed=2) if how == "other study" else Throws(rows=131)
        run_study(other, tmp_path / "other")
        data = bytearray((tmp_path / "other" / name).read_bytes())
    (root / name).write_bytes(data)
    if not recorded:
        (root / "parts.json").unlink()
    untouched = [path for path in root.rglob("*.parquet") if path.name != "part-00000001.parquet"]
    before = [path.stat().st_mtime_ns for path in untouched]
    run_study(Throws(), root)
    assert files(root) == undisturbed
    assert [path.stat().st_mtime_ns for path in untouched] == before


def test_a_wrong_record_is_put_right(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    root = tmp_path / "undisturbed"
    for text in (
        b"{",
        b"[]",
        b'{"format": "carromsim-parts/1"}',
        undisturbed["parts.json"].replace(b'"rows": 50', b'"rows": 49'),
    ):
        (root / "parts.json").write_bytes(text)
        run_study(Throws(), root)
        assert files(root) == undisturbed


# Another run, another study, something else


def test_another_study_is_refused_and_the_differences_named(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    root = tmp_path / "undisturbed"
    with pytest.raises(DirectoryError) as refused:
        run_study(Throws(seed=2, rows=260), root)
    assert str(refused.value).splitlines() == [
        f"directory = {str(root)!r} holds another run:",
        "  study.rows: 130 there, 260 now",
        "  study.die.seed: 1 there, 2 now",
        "  chunks.count: 3 there, 6 now",
        "use another directory, or start anew in this one (fresh=True, --fresh)",
    ]
    assert files(root) == undisturbed


def test_other_versions_are_refused(
    tmp_path: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = protocol.versions()
    changed = {name: value for name, value in now.items() if name != "numba"} | {"numpy": "1.0", "extra": "2"}
    monkeypatch.setattr(protocol, "versions", lambda: changed)
    with pytest.raises(DirectoryError) as refused:
        run_study(Throws(), tmp_path / "undisturbed")
    for line in (
        f'versions.numpy: "{now["numpy"]}" there, "1.0" now',
        f'versions.numba: "{now["numba"]}" there, nothing now',
        'versions.extra: nothing there, "2" now',
    ):
        assert line in str(refused.value)
    assert files(tmp_path / "undisturbed") == undisturbed


def test_fresh_starts_anew_and_removes_the_old_run_only(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    root = tmp_path / "undisturbed"
    (root / "notes.txt").write_text("mine")
    (root / "throws" / "notes.txt").write_text("mine too")
    run_study(Throws(rows=40, seed=3), root, fresh=True)
    run_study(Throws(rows=40, seed=3), tmp_path / "new", fresh=True)
    mine = {"notes.txt": b"mine", "throws/notes.txt": b"mine too"}
    assert files(root) == files(tmp_path / "new") | mine


def test_fresh_makes_an_equal_run_again(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    before = os.stat(tmp_path / "undisturbed" / PARTS[0]).st_ino, os.stat(tmp_path / "undisturbed" / PARTS[0]).st_mtime
    run_study(Throws(), tmp_path / "undisturbed", fresh=True)
    after = os.stat(tmp_path / "undisturbed" / PARTS[0]).st_ino, os.stat(tmp_path / "undisturbed" / PARTS[0]).st_mtime
    assert files(tmp_path / "undisturbed") == undisturbed
    assert before != after


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("content", ["notes.txt", "manifest.json", "throws/part-00000000.parquet", ".hidden"])
def test_a_directory_that_holds_no_run_is_refused_and_left_alone(tmp_path: Path, content: str, fresh: bool) -> None:
    (tmp_path / content).parent.mkdir(exist_ok=True)
    (tmp_path / content).write_text('{"name": "somebody else\'s"}')
    before = files(tmp_path)
    with pytest.raises(DirectoryError, match=r"is not empty: must be a new or an empty directory, or the one of this"):
        run_study(Throws(), tmp_path, fresh=fresh)
    assert files(tmp_path) == before


@pytest.mark.parametrize("fresh", [False, True])
def test_a_damaged_manifest_is_named(tmp_path: Path, undisturbed: dict[str, bytes], fresh: bool) -> None:
    root = tmp_path / "undisturbed"
    (root / "manifest.json").write_bytes(undisturbed["manifest.json"][:-10])
    before = files(root)
    with pytest.raises(DirectoryError, match="manifest.json is not JSON"):
        run_study(Throws(), root, fresh=fresh)
    assert files(root) == before


def test_a_manifest_cannot_make_fresh_remove_anything_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "part-00000000.parquet").write_text("precious")
    run_study(Throws(), tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    tables = ["../precious/1", str(tmp_path / "precious"), "..", ""]
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest | {"tables": tables}))
    run_study(Throws(), tmp_path / "run", fresh=True)
    assert files(tmp_path / "precious") == {"part-00000000.parquet": b"precious"}


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(DirectoryError, match="cannot be used"):
            run_study(Throws(), path)
    assert files(tmp_path) == {"file": b""}


def test_bad_workers_are_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers = 0"):
        run_study(Throws(), tmp_path / "run", workers=0)
    assert list(tmp_path.iterdir()) == []


# Two runners


def test_a_second_runner_is_refused_at_once_and_told_by_whom(tmp_path: Path) -> None:
    command = [sys.executable, FAKE, str(tmp_path / "run"), "130", "0.2"]  # half a minute
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_env()) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "0\n"
        started = time.monotonic()
        with pytest.raises(InUseError, match=f"is in use by process {first.pid} on {platform.node()}: wait"):
            run_study(Throws(), tmp_path / "run")
        assert time.monotonic() - started < 1.0
        first.kill()
    assert (tmp_path / "run" / "lock").exists()
    run_study(Throws(), tmp_path / "run")  # the lock ended with the process
    assert not (tmp_path / "run" / "lock").exists()


def test_two_threads_cannot_share_a_directory_either(tmp_path: Path) -> None:
    tmp_path.joinpath("run").mkdir()
    refused: list[BaseException] = []

    def second() -> None:
        try:
            run_study(Throws(), tmp_path / "run")
        except InUseError as error:
            refused.append(error)

    with locked(tmp_path / "run"):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        with pytest.raises(InUseError):
            run_study(Throws(), tmp_path / "run")
    assert len(refused) == 1
    assert list((tmp_path / "run").iterdir()) == []


def test_many_runners_at_once_give_one_run(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    """Each tries until it is its turn; they open, hold and remove one lock file."""

    def go() -> None:
        while True:
            try:
                run_study(Throws(), tmp_path / "run", workers=1)
            except InUseError:
                time.sleep(0.001)
            else:
                return

    runners = [threading.Thread(target=go) for _ in range(8)]
    for runner in runners:
        runner.start()
    for runner in runners:
        runner.join()
    assert files(tmp_path / "run") == undisturbed


def take(root: Path, how: str) -> None:
    """Put the directory of a run out of the way while it goes on."""
    if how == "moved":
        root.rename(root.with_name("moved"))
    else:
        while root.exists():  # the runner goes on to write
            shutil.rmtree(root, ignore_errors=True)


@pytest.mark.parametrize(("how", "executor"), [("deleted", "threads"), ("moved", "threads"), ("deleted", "processes")])
@pytest.mark.parametrize("done", [0, 50])
def test_who_lost_his_directory_changes_nothing_in_the_run_that_began_there(
    tmp_path: Path, how: str, executor: str, done: int
) -> None:
    root, new = tmp_path / "run", Throws(seed=2)
    run_study(new, tmp_path / "undisturbed", workers=1)

    def begin_anew(rows: int, total: int, counts: Any) -> None:
        if rows == done:
            take(root, how)
            run_study(new, root, workers=1)

    with pytest.raises(OSError, match=f"its directory was removed, or another run began there: '{root}/lock'"):
        run_study(Throws(rows=1000), root, workers=1, executor=executor, progress=begin_anew)
    assert files(root) == files(tmp_path / "undisturbed")


@pytest.mark.parametrize("done", [0, 50])
def test_who_lost_his_directory_leaves_the_lock_to_the_run_that_goes_on_there(tmp_path: Path, done: int) -> None:
    root, new, ended = tmp_path / "run", Throws(seed=2), threading.Event()
    run_study(new, tmp_path / "undisturbed", workers=1)
    begun, others = threading.Event(), []

    def wait(rows: int, total: int, counts: Any) -> None:
        begun.set()
        assert ended.wait(30.0)

    def begin_anew(rows: int, total: int, counts: Any) -> None:
        if rows == done:
            take(root, "deleted")
            others.append(threading.Thread(target=run_study, args=(new, root), kwargs={"progress": wait}))
            others[0].start()
            assert begun.wait(30.0)

    with pytest.raises(OSError, match="another run began there"):
        run_study(Throws(rows=1000), root, workers=1, progress=begin_anew)
    with pytest.raises(InUseError):
        run_study(new, root)
    ended.set()
    others[0].join()
    assert files(root) == files(tmp_path / "undisturbed")


def test_who_checks_a_run_that_was_replaced_writes_no_record(tmp_path: Path) -> None:
    root = tmp_path / "run"
    run_study(Throws(), root)
    with locked(root) as held:
        take(root, "deleted")
        run_study(Throws(seed=2), root)
        for change in (lambda: held.write("parts.json", b"{}"), lambda: held.remove("parts.json")):
            with pytest.raises(OSError, match="another run began there"):
                change()
    assert json.loads((root / "parts.json").read_bytes())["study"] == study_hash(Throws(seed=2).declaration())


# Stopping


@pytest.mark.parametrize(("failing", "left"), [(0, 0), (1, 2), (5, 4)])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_stopped_run_keeps_whole_parts_or_nothing(
    tmp_path: Path,
    undisturbed: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    failing: int,
    left: int,
    error: BaseException,
) -> None:
    seen = 0

    def fsync(handle: int) -> None:
        nonlocal seen
        if Path(os.readlink(f"/proc/self/fd/{handle}")).name.endswith("parquet.tmp"):
            seen += 1
            if seen > failing:
                raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(type(error)):
            run_study(Throws(), tmp_path / "new" / "run", workers=2)
    found = files(tmp_path / "new") if left else {}
    parts = {name.removeprefix("run/"): data for name, data in found.items() if name.endswith("parquet")}
    assert len(parts) == failing
    assert all(undisturbed[name] == data for name, data in parts.items())
    assert bool(left) == (tmp_path / "new").exists()
    run_study(Throws(), tmp_path / "new" / "run")
    assert files(tmp_path / "new" / "run") == undisturbed


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.mark.parametrize("fresh", ["no", 0, None])
def test_a_run_is_removed_only_by_a_plain_wish(fresh: Any, tmp_path: Path) -> None:
    run_study(Throws(), tmp_path / "run")
    before = files(tmp_path / "run")
    with pytest.raises(ValueError, match=f"fresh = {fresh!r}: must be True or False"):
        run_study(Throws(), tmp_path / "run", fresh=fresh)
    assert files(tmp_path / "run") == before


@pytest.mark.parametrize(
    "name",
    ["\0", "a\0b/c", pytest.param("a\ud800", marks=pytest.mark.skipif(os.name == "nt", reason="is a name there"))],
)
def test_what_is_no_name_is_told_to_be_none(name: str) -> None:
    for use in (open_run, lambda name: run_study(Throws(), name)):
        with pytest.raises(DirectoryError) as refused:
            use(name)
        assert str(refused.value) == f"directory = {name!r}: is no name that a directory can have"

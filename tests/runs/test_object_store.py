"""Runs on object stores: the bytes of a local run, whatever is killed, refused or damaged on the way."""

import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import fsspec
import pyarrow.fs
import pyarrow.parquet as pq
import pytest

from carromsim import cli
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.reading import Run, open_run
from carromsim.studies.runs.running import run_study
from carromsim.studies.runs.study import manifest_of
from carromsim.tables import urls
from carromsim.tables.dataset import Problem
from carromsim.tables.places import Bucket, place_of
from runs import fake
from runs.fake import Throws, files
from runs.store import BUCKET, KEY, SECRET, Environ, Store, writes

PART = "throws/part-00000001.parquet"
SMALL = Throws(rows=60)
BREAKS = BreakStudy(strokes=100, seed=6)


@pytest.fixture(scope="module", autouse=True)
def _credentials() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield
    urls.opened.cache_clear()


@pytest.fixture(scope="module")
def server(_credentials: None) -> Iterator[Store]:
    server = Store()
    yield server
    server.close()


@pytest.fixture
def store(server: Store) -> Iterator[Store]:
    yield server
    server.refuses = lambda environ: False


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    """Name a prefix that no other test has."""
    return f"runs/{hashlib.sha256(request.node.name.encode()).hexdigest()[:12]}"


@pytest.fixture
def undisturbed(tmp_path: Path) -> dict[str, bytes]:
    run_study(Throws(), tmp_path / "undisturbed", workers=1)
    return files(tmp_path / "undisturbed")


def in_memory(prefix: str) -> dict[str, bytes]:
    """Read all files below a prefix of fsspec's memory."""
    system = fsspec.filesystem("memory")
    return {name.removeprefix(f"/{prefix}/"): system.cat_file(name) for name in system.find(f"/{prefix}")}


# The same bytes


@pytest.mark.parametrize("workers", [1, 2])
def test_every_place_has_the_bytes_of_a_local_run(
    tmp_path: Path, store: Store, prefix: str, undisturbed: dict[str, bytes], workers: int
) -> None:
    run_study(Throws(), (tmp_path / "url").as_uri(), workers=workers)
    run_study(Throws(), f"memory://{prefix}", workers=workers)
    run_study(Throws(), store.url(prefix), workers=workers)
    assert files(tmp_path / "url") == undisturbed
    assert in_memory(prefix) == undisturbed
    assert store.files(prefix) == undisturbed


def test_processes_write_their_parts_to_a_store_themselves(
    store: Store, prefix: str, undisturbed: dict[str, bytes]
) -> None:
    run_study(Throws(), store.url(prefix), workers=2, executor="processes")
    assert store.files(prefix) == undisturbed


@pytest.mark.parametrize("where", ["s3", "memory"])
def test_a_run_of_breaks_on_a_store_is_the_local_one(
    tmp_path: Path, store: Store, prefix: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened, read, counted, checked and replayed there, with the numbers of the local run."""
    monkeypatch.setattr(BreakStudy, "chunk_rows", 40)
    url = store.url(prefix) if where == "s3" else f"memory://{prefix}"
    local = BREAKS.run(tmp_path / "run")
    BREAKS.run(url)
    there = store.files(prefix) if where == "s3" else in_memory(prefix)
    assert {name: hashlib.sha256(data).hexdigest() for name, data in there.items()} == {
        name: hashlib.sha256(data).hexdigest() for name, data in files(tmp_path / "run").items()
    }
    run = open_run(url)
    assert run.directory == url
    assert run.study == BREAKS
    assert run.verify() == []
    found, expected = run.summary().to_dict(), local.summary().to_dict()
    assert {name: value for name, value in found.items() if expected[name] == value} == {
        name: value for name, value in expected.items() if name not in ("seconds", "rate", "strokes_per_second")
    }
    assert run.tables["strokes"].to_table().equals(local.tables["strokes"].to_table())
    assert run.to_polars().equals(local.to_polars())
    stored = run.row(73)
    assert stored is not None
    assert stored.equals(BREAKS.batch(range(73, 74))["strokes"])
    assert (
        run.sql("select count(*), sum(n_white) from strokes").fetchall()
        == local.sql("select count(*), sum(n_white) from strokes").fetchall()
    )


def test_the_commands_take_urls(store: Store, prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    url, other = store.url(prefix), store.url(prefix, credentials=f"{KEY}:{SECRET}@")
    BREAKS.run(url)
    assert cli.run(["verify", url]) == 0
    assert capsys.readouterr().out == f"{url}: all 100 rows of this break study are there and sound\n"
    assert cli.run(["summary", other, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["directory"] == url.replace("s3://", f"s3://{KEY}:***@")
    assert cli.run(["replay", other, "--row", "7"]) == 0
    shown = capsys.readouterr().out
    assert "equal to the row that stands there" in shown
    assert SECRET not in shown
    store.put(f"{prefix}/strokes/part-00000000.parquet", b"PAR1")
    assert cli.run(["verify", other]) == 1
    shown, told_wrong = capsys.readouterr()
    assert shown.startswith("strokes/part-00000000.parquet: damaged: ")
    assert told_wrong.endswith(": 1 problem\n")
    assert SECRET not in shown + told_wrong


# Going on


def test_a_runner_that_is_killed_as_it_writes_loses_nothing(store: Store, prefix: str, tmp_path: Path) -> None:
    study = Throws(rows=1000)
    run_study(study, tmp_path / "run")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    uploads = 0
    for kill_at in (5, 8, 15):  # uploads, each begun and never finished
        killed = False

        def kill(environ: Environ, kill_at: int = kill_at) -> bool:
            nonlocal uploads, killed
            if environ["REQUEST_METHOD"] == "PUT" and "uploadId" in environ["QUERY_STRING"]:
                uploads += 1
                if uploads >= kill_at and not killed:
                    runner.send_signal(signal.SIGKILL)
                    killed = True
            return False

        store.refuses, uploads = kill, 0
        command = [sys.executable, str(fake.__file__), store.url(prefix), "1000", "0.0005", "2"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as runner:
            pass
        assert runner.returncode == -signal.SIGKILL
        there, expected = store.files(prefix), files(tmp_path / "run")
        assert 1 < len(there) < len(expected)
        assert all(expected[name] == data for name, data in there.items())
    store.refuses = lambda environ: False
    run_study(study, store.url(prefix))
    assert store.files(prefix) == files(tmp_path / "run")


@pytest.mark.parametrize("where", ["s3", "memory"])
def test_damaged_missing_and_strange_objects_are_named_and_mended(
    store: Store, prefix: str, undisturbed: dict[str, bytes], where: str
) -> None:
    url = store.url(prefix) if where == "s3" else f"memory://{prefix}"
    place = place_of(url)
    run = run_study(Throws(), url)
    flipped = bytearray(undisturbed[PART])
    flipped[len(flipped) // 2] ^= 1
    for name, data in ((PART, bytes(flipped)), ("throws/part-00000002.parquet", b""), ("bounces/notes.txt", b"mine")):
        place.write(name, data)
    place.remove("bounces/part-00000000.parquet")
    problems = run.verify()
    assert {problem.path for problem in problems} == {
        PART,
        "throws/part-00000002.parquet",
        "bounces/part-00000000.parquet",
        "bounces/notes.txt",
    }
    assert Problem("bounces/part-00000000.parquet", "missing") in problems
    place.remove("bounces/notes.txt")
    place.remove("parts.json")
    run_study(Throws(), url)
    assert (store.files(prefix) if where == "s3" else in_memory(prefix)) == undisturbed
    assert run.verify() == []


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_a_store_that_refuses_any_request_leaves_nothing_half_written(
    store: Store, prefix: str, tmp_path: Path, dead: bool, step: int
) -> None:
    """Request 0, 3, 6, ... that writes is refused, alone or with all that follow; in the slow test every one."""
    run_study(SMALL, tmp_path / "run", workers=1)
    expected, seen = files(tmp_path / "run"), 0
    for failing in range(0, 100, step):
        url, seen = store.url(f"{prefix}/{failing}"), 0

        def refuse(environ: Environ, failing: int = failing) -> bool:
            nonlocal seen
            if not writes(environ):
                return False
            seen += 1
            return seen == failing + 1 or (dead and seen > failing)

        store.refuses = refuse
        with suppress(OSError, DirectoryError):
            run_study(SMALL, url, workers=1)
            assert seen <= failing  # otherwise something was refused, and it has to be told
        store.refuses = lambda environ: False
        there = store.files(f"{prefix}/{failing}")
        assert all(expected[name] == data for name, data in there.items())
        if seen <= failing:
            break
        run_study(SMALL, url, workers=1)
        assert store.files(f"{prefix}/{failing}") == expected
    assert failing > 15


def test_a_write_that_is_interrupted_leaves_no_half_object(store: Store, prefix: str) -> None:
    """Closing a stream completes its object: a Ctrl-C between opening and closing must remove it."""
    bucket = Bucket(store.url(prefix))
    bucket.write("whole", b"1234")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bucket, "filesystem", _Interrupting(bucket.filesystem))
        with pytest.raises(KeyboardInterrupt):
            bucket.write("part", b"1234")
    assert store.files(prefix) == {"whole": b"1234"}


class _Interrupting:
    """A file system whose streams take half of what they are given and are interrupted then."""

    def __init__(self, real: "pyarrow.fs.FileSystem") -> None:
        self._real = real

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def open_output_stream(self, path: str) -> "_Interrupting":
        self._stream = self._real.open_output_stream(path)
        return self

    def write(self, data: bytes) -> None:
        self._stream.write(data[: len(data) // 2])
        raise KeyboardInterrupt

    def close(self) -> None:
        self._stream.close()


def test_a_short_object_is_noticed_at_once_and_removed(store: Store, prefix: str) -> None:
    bucket = Bucket(store.url(prefix))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bucket, "_put", lambda self, path, data: store.put(f"{prefix}/part", bytes(data)[:-1]))
        with pytest.raises(OSError, match=f"{BUCKET}/{prefix}/part had 3 of its 4 bytes after it was written"):
            bucket.write("part", b"1234")
    assert store.files(prefix) == {}


# Two runners, other studies, refusals


def test_two_runners_of_one_study_give_one_run(store: Store, prefix: str, undisturbed: dict[str, bytes]) -> None:
    """Nothing keeps the second away; he writes what the first writes."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, str(fake.__file__), store.url(prefix), "130", "0.001", "1"]
    runners = [subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) for _ in range(2)]
    assert [runner.wait() for runner in runners] == [0, 0]
    assert store.files(prefix) == undisturbed


def test_another_study_is_refused_and_a_fresh_one_replaces_it(
    store: Store, prefix: str, undisturbed: dict[str, bytes]
) -> None:
    run_study(Throws(), store.url(prefix))
    with pytest.raises(DirectoryError, match="holds another run:\n  study.die.seed: 1 there, 2 now"):
        run_study(Throws(seed=2), store.url(prefix))
    assert store.files(prefix) == undisturbed
    run_study(Throws(seed=2, rows=40), store.url(prefix), fresh=True)
    assert sorted(store.files(prefix)) == [
        "bounces/part-00000000.parquet",
        "manifest.json",
        "parts.json",
        "throws/part-00000000.parquet",
    ]


@pytest.mark.parametrize("where", ["s3", "memory"])
def test_a_runner_whose_place_was_taken_is_told_at_the_end(
    store: Store, prefix: str, undisturbed: dict[str, bytes], where: str
) -> None:
    """As by --fresh, or by another study that began in the same moment."""
    url = store.url(prefix) if where == "s3" else f"memory://{prefix}"

    def take(done: int, total: int, counts: object) -> None:
        if done == 50:
            run_study(Throws(seed=2), url, fresh=True)

    with pytest.raises(DirectoryError, match="was taken by another run meanwhile"):
        run_study(Throws(), url, workers=1, progress=take)
    mixed = Run(place=place_of(url), manifest=manifest_of(Throws(seed=2)), study=Throws(seed=2)).verify()
    assert mixed
    assert Problem("parts.json", "is damaged, or of another run") in mixed
    assert {problem.why.split(":")[0] for problem in mixed if "/" in problem.path} == {"does not belong here"}
    run_study(Throws(), url, fresh=True)
    assert (store.files(prefix) if where == "s3" else in_memory(prefix)) == undisturbed


def test_a_prefix_with_other_things_in_it_is_refused(store: Store, prefix: str) -> None:
    store.put(f"{prefix}/notes.txt", b"mine")
    with pytest.raises(DirectoryError, match="is not empty: must be a new or an empty directory"):
        run_study(Throws(), store.url(prefix))
    assert store.files(prefix) == {"notes.txt": b"mine"}


def test_stores_that_cannot_be_used_are_told_without_the_password(store: Store, prefix: str) -> None:
    wrong = store.url(prefix, credentials="nobody:top-secret@")
    missing = store.url(prefix, bucket="no-such-bucket")
    for url, shown, why in (
        (wrong, "nobody:***@", "ACCESS_DENIED|INVALID_ACCESS_KEY_ID"),
        (missing, "no-such-bucket", "NO_SUCH_BUCKET"),
    ):
        with pytest.raises(DirectoryError, match=why) as refused:
            run_study(Throws(), url)
        assert shown in str(refused.value)
        assert "top-secret" not in str(refused.value)
    with pytest.raises(DirectoryError, match="cannot be read") as refused:
        open_run(wrong)
    assert "top-secret" not in str(refused.value)
    with pytest.raises(DirectoryError, match="holds no run"):
        open_run(store.url(prefix))
    assert "top-secret" not in repr(Bucket(wrong))
    assert pickle.loads(pickle.dumps(Bucket(wrong))) == Bucket(wrong)


@pytest.mark.slow
def test_a_store_that_does_not_answer_is_named(prefix: str) -> None:
    """pyarrow tries for some six seconds."""
    url = f"s3://{BUCKET}/{prefix}?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1"
    with pytest.raises(DirectoryError, match=f"'s3://{BUCKET}/{prefix}.* cannot be read .*NETWORK_CONNECTION"):
        open_run(url)


def test_a_store_may_be_read_only(store: Store, prefix: str) -> None:
    run = run_study(Throws(), store.url(prefix))
    store.delete(f"{prefix}/parts.json")
    store.refuses = writes
    assert run.verify() == []
    with pytest.raises(OSError, match="ACCESS_DENIED"):
        run_study(Throws(), store.url(prefix))
    assert pq.read_table(run.place.path("throws"), filesystem=run.place.filesystem).num_rows == 130

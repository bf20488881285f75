"""Places: what a path or a URL means, what is refused, and that folders and stores keep one contract."""

import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest

from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.reading import open_run
from carromsim.studies.runs.running import run_study
from carromsim.tables import urls
from carromsim.tables.places import Bucket, Folder, Place, is_temporary, place_of
from runs.fake import Throws, files


@pytest.fixture(params=["folder", "file", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "memory":
        return place_of(f"memory://{tmp_path}")
    return place_of(tmp_path if request.param == "folder" else tmp_path.as_uri())


def test_a_place_writes_reads_lists_and_removes(place: Place) -> None:
    place.make(["strokes"])
    assert place.names("strokes") == place.names("nowhere") == []
    assert not place.exists("strokes/b")
    place.write("strokes/b", b"old")
    place.write("strokes/b", pa.py_buffer(b"new"))
    place.write("strokes/a", b"")
    place.write("c.json", b"{}")
    assert place.read("strokes/b") == place.read("strokes/b", 3) == b"new"
    with pytest.raises(OSError, match=r"is too long: must have at most 2 bytes: '.*strokes/b'"):
        place.read("strokes/b", 2)
    assert place.names("strokes") == ["a", "b"]
    assert place.names() == ["c.json", "strokes"]
    assert (place.exists("strokes/b"), place.exists("strokes")) == (True, False)
    with place.filesystem.open_input_file(place.path("strokes/b")) as file:
        assert file.read() == b"new"
    place.remove("strokes/b")
    place.remove("strokes/b")
    assert place.names("strokes") == ["a"]
    with pytest.raises(FileNotFoundError):
        place.read("strokes/b")
    place.prune(["strokes"])
    assert place.read("strokes/a") == b""


def test_a_place_can_be_sent_elsewhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a", b"1")
    sent = pickle.dumps(place)
    monkeypatch.chdir("/")
    assert pickle.loads(sent).read("a") == b"1"


def test_a_relative_folder_stays_where_it_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker, or the caller a moment later, may stand in another directory."""
    monkeypatch.chdir(tmp_path)
    run = run_study(Throws(), "run")
    sent = pickle.dumps(run.place)
    monkeypatch.chdir("/")
    assert str(pickle.loads(sent)) == str(run.place) == str(run.directory) == "run"
    assert pickle.loads(sent).names() == ["bounces", "manifest.json", "parts.json", "throws"]
    assert run.tables["throws"].count_rows() == 130


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("runs/first", "runs/first"),
        (Path("runs/first"), "runs/first"),
        ("c:/runs", "c:/runs"),
        ("file:///tmp/a%20b", "/tmp/a b"),
        ("FILE:///tmp/x", "/tmp/x"),
        ("file://localhost/tmp/x", "/tmp/x"),
        ("a:b", "a:b"),
        ("./s3:", "s3:"),
        (".", "."),
    ],
)
def test_what_is_a_local_folder(given: str | Path, expected: str) -> None:
    place = place_of(given)
    assert isinstance(place, Folder)
    assert place.directory == Path(expected)
    assert place.root == Path(expected).absolute()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("memory://a/b", "memory://a/b"),
        ("s3://bucket/runs?region=eu-west-1", "s3://bucket/runs?region=eu-west-1"),
        ("s3://id:s%2Fecret@bucket/runs?region=eu-west-1", "s3://id:***@bucket/runs?region=eu-west-1"),
        ("gs://bucket/runs", "gs://bucket/runs"),
        ("abfs://box:secret@account.dfs.core.windows.net/runs", "abfs://box:***@account.dfs.core.windows.net/runs"),
    ],
)
def test_urls_are_shown_without_credentials(url: str, shown: str) -> None:
    place = place_of(url)
    assert isinstance(place, Bucket)
    assert str(place) == shown
    assert "ecret" not in repr(place)
    assert pickle.loads(pickle.dumps(place)) == place


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://id:secret/s+3cret@bucket/runs", "s3://id:***@bucket/runs"),
        ("s3://id:s3cret#s3cret@bucket/runs", "s3://id:***@bucket/runs"),
        ("s3://id:s3cret?s3cret@bucket/runs?region=x", "s3://id:***@bucket/runs?region=x"),
        ("s3://id:s3cret@s3cret@bucket/runs", "s3://id:***@bucket/runs"),
        ("s3:/id:s3cret@bucket/runs", "s3:/id:***@bucket/runs"),
        ("gs://bucket/runs?auth=s3cret&scheme=http", "gs://bucket/runs?auth=***&scheme=http"),
        ("s3://bucket/runs?sas=s3cret#s3cret&passphrase=s3=cret", "s3://bucket/runs?sas=***&passphrase=***"),
        ("s3://bucket/runs?region=x;token=s3cret&x", "s3://bucket/runs?region=***&***"),
        ("file://id:s3cret@host/runs", "file://id:***@host/runs"),
        (
            "s3://bucket/runs?endpoint_override=http://id:s3cret@localhost:9000&sort=s3cret",
            "s3://bucket/runs?endpoint_override=***&sort=***",
        ),
    ],
)
def test_what_a_bad_url_may_hold_is_not_told(url: str, shown: str) -> None:
    with pytest.raises(ValueError, match="directory = ") as refused:
        place_of(url)
    assert f"directory = {shown!r}" in str(refused.value)
    assert "cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nope://bucket/run", "directory = 'nope://bucket/run' cannot be opened: Protocol not known: nope"),
        ("s3:/bucket/run", "a URL has two slashes, as in s3://...; give it as text"),
        (Path("s3://bucket/run"), "a URL has two slashes, as in s3://...; give it as text, a Path takes one away"),
        ("", "directory = '': must name a directory"),
        ("s3:", "directory = 's3:': must be one URL, as in s3://bucket/prefix"),
        ("simplecache::s3://bucket/run", "directory = 'simplecache::s3://bucket/run': must be one URL"),
        (
            "simplecache::s3://id:secret@bucket/run",
            "'simplecache::s3://id:...@bucket/run': must be one URL",
        ),
        ("zip::/tmp/run.zip", "directory = 'zip::/tmp/run.zip': must be one URL"),
        ("file://host/run", "must be file:///path for a local path"),
        ("file:///run?x=1", "must be file:///path for a local path"),
        ("s3://", "must name a bucket"),
        ("s3://id:secret@bucket/run?token=secret", "Unexpected query parameter"),
        ("s3://id:secret@bu cket/run", "cannot be opened: Cannot parse URI"),
    ],
)
@pytest.mark.parametrize("use", [lambda url: run_study(Throws(), url), open_run])
def test_bad_urls_are_refused_before_anything_is_written(
    url: str | Path, why: str, use: Callable[[str | Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DirectoryError, match=why.replace("?", "\\?")) as refused:
        use(url)
    assert "secret" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("url", "library"), [("sftp://u:secret@host/run", "paramiko"), ("fake://x/y", "fsspec")])
def test_a_missing_library_is_named(url: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = urls.import_module

    def missing(name: str) -> object:
        if library == "fsspec":
            raise ModuleNotFoundError("No module named 'fsspec'", name="fsspec")
        return real(name)

    monkeypatch.setattr(urls, "import_module", missing)
    monkeypatch.setitem(__import__("sys").modules, "paramiko", None)
    with pytest.raises(ValueError, match=f"needs a library that is not installed: .*{library}") as refused:
        place_of(url)
    assert "secret" not in str(refused.value)


def test_two_workers_may_write_one_part_at_once(tmp_path: Path) -> None:
    """Each has a temporary file of its own, so that neither renames the other's away."""
    place = Folder(tmp_path)
    place.make(["strokes"])
    data, failed = os.urandom(300_000), []

    def write() -> None:
        try:
            for _ in range(20):
                place.write("strokes/part-00000000.parquet", data)
        except OSError as error:
            failed.append(error)

    writers = [threading.Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        if place.exists("strokes/part-00000000.parquet"):
            assert place.read("strokes/part-00000000.parquet") == data
    assert failed == []
    assert files(tmp_path) == {"strokes/part-00000000.parquet": data}


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    names = [".0123456789abcdef-throws-part-00000000.parquet.tmp", ".0123456789abcdef-manifest.json.tmp"]
    assert all(is_temporary(name) for name in names)
    others = ["part-00000000.parquet", ".tmp", ".0123-a.json.tmp", ".0123456789abcdef-notes.txt.tmp", "manifest.json"]
    assert not any(is_temporary(name) for name in others)
    run_study(Throws(), tmp_path)
    for name in [*names, ".mine.tmp"]:
        (tmp_path / name).write_bytes(b"half")
    run_study(Throws(), tmp_path)
    assert {path.name for path in tmp_path.iterdir() if path.name.endswith("tmp")} == {".mine.tmp"}


def test_an_fsspec_file_system_that_needs_folders_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As SFTP does; here fsspec's own local one under another name."""
    from fsspec.implementations.local import LocalFileSystem

    class Elsewhere(LocalFileSystem):  # type: ignore[misc]
        protocol = "elsewhere"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return str(LocalFileSystem._strip_protocol(path.removeprefix("elsewhere://")))

    fsspec.register_implementation("elsewhere", Elsewhere, clobber=True)
    run_study(Throws(), tmp_path / "local")
    run_study(Throws(), f"elsewhere://{tmp_path}/there")
    assert files(tmp_path / "there") == files(tmp_path / "local")

"""A run that came from somebody else reads, writes and removes nothing outside its directory."""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import carromsim as cs
from carromsim.studies.analysis.comparing import diff_runs
from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.study import study_hash
from carromsim.toml import DEEPEST, MOST_BYTES, MOST_KEYS, DeclarationError, read_text
from carromsim.toml_files import LONGEST_CHAIN
from fuzz.small_runs import small_run, small_study
from runs.fake import files

links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    shutil.copytree(small_run("break"), tmp_path / "run")
    return tmp_path / "run"


def edit(run: Path, **changes: Any) -> None:
    path = run / "manifest.json"
    told = json.loads(path.read_bytes())
    told["study"] |= changes.pop("study", {})
    told |= changes
    told["study_hash"] = study_hash(told["study"])
    path.write_text(json.dumps(told))


@links
@pytest.mark.parametrize("fresh", [False, True])
def test_a_folder_that_is_a_link_is_neither_read_nor_written(run: Path, tmp_path: Path, fresh: bool) -> None:
    elsewhere = tmp_path / "elsewhere"
    (run / "strokes").rename(elsewhere)
    (run / "strokes").symlink_to(elsewhere)
    before = files(elsewhere)
    with pytest.raises(DirectoryError, match="is a symbolic link"):
        small_study("break").run(run, fresh=fresh)
    with pytest.raises(OSError, match="symbolic link"):
        cs.open_run(run).summary()
    with pytest.raises(OSError, match="symbolic link"):
        cs.open_run(run).verify()
    assert files(elsewhere) == before


@links
def test_a_part_that_is_a_link_is_named_and_not_read(run: Path, tmp_path: Path) -> None:
    part = run / "strokes" / "part-00000000.parquet"
    part.rename(tmp_path / "elsewhere")
    part.symlink_to(tmp_path / "elsewhere")
    (problem,) = cs.open_run(run).verify()
    assert problem.why == "cannot be read (is a symbolic link, which nothing in a run may be)"
    for read in (lambda: cs.open_run(run).summary(), lambda: cs.open_run(run).tables):
        with pytest.raises(OSError, match="symbolic link"):
            read()


@links
@pytest.mark.parametrize("linked", ["linked/run", "linked_run"])
def test_a_run_may_be_reached_through_a_link(run: Path, tmp_path: Path, linked: str) -> None:
    before = files(run)
    (tmp_path / "linked").symlink_to(tmp_path)
    (tmp_path / "linked_run").symlink_to(run)
    assert diff_runs(tmp_path / linked, small_run("break")).rows == small_study("break").rows
    assert cs.open_run(tmp_path / linked).verify() == []
    small_study("break").run(tmp_path / linked)
    assert files(run) == before


def outside(run: Path, tmp_path: Path, name: str) -> Path:
    """Put a file of a run, as sound as it was, somewhere else, and a link to it in its place."""
    elsewhere = tmp_path / "elsewhere"
    (run / name).rename(elsewhere)
    (run / name).symlink_to(elsewhere)
    return elsewhere


@links
def test_a_manifest_that_is_a_link_is_not_read(run: Path, tmp_path: Path) -> None:
    elsewhere = outside(run, tmp_path, "manifest.json")
    before = elsewhere.read_bytes()
    with pytest.raises(DirectoryError, match="is a symbolic link"):
        cs.open_run(run)
    for fresh in (False, True):
        with pytest.raises(DirectoryError, match="is a symbolic link"):
            small_study("break").run(run, fresh=fresh)
    assert elsewhere.read_bytes() == before


@links
def test_a_record_that_is_a_link_is_named_and_not_read(run: Path, tmp_path: Path) -> None:
    elsewhere = outside(run, tmp_path, "parts.json")
    before = elsewhere.read_bytes()
    assert cs.open_run(run).parts.read_record() is None
    assert [problem.path for problem in cs.open_run(run).verify()] == ["parts.json"]
    for fresh in (False, True):
        with pytest.raises((DirectoryError, OSError), match="is a symbolic link"):
            small_study("break").run(run, fresh=fresh)
    assert elsewhere.read_bytes() == before


@links
def test_a_lock_that_is_a_link_is_not_followed(run: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("kept")
    (run / "lock").symlink_to(secret)
    for fresh in (False, True):
        with suppress(DirectoryError):
            small_study("break").run(run, fresh=fresh)
    assert secret.read_text() == "kept"


@pytest.mark.parametrize("label", ["../elsewhere/1", "/tmp/1", "..", "a/../../b/1", "x.../1", "strokes\0/1"])
def test_tables_of_a_manifest_lead_nowhere(run: Path, tmp_path: Path, label: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "part-00000000.parquet").write_bytes(b"kept")
    edit(run, tables=[label])
    with pytest.raises(DirectoryError, match="tables"):
        cs.open_run(run)
    small_study("break").run(run, fresh=True)
    assert files(elsewhere) == {"part-00000000.parquet": b"kept"}


@pytest.mark.parametrize("key", ["ruleset", "equipment"])
def test_a_manifest_names_no_files(run: Path, tmp_path: Path, key: str) -> None:
    (tmp_path / "own.toml").write_text('extends = "icf"\n')
    for named in (str(tmp_path / "own.toml"), "../own.toml", "icf"):
        edit(run, study={key: named})
        with pytest.raises(DirectoryError, match=f"{key} = .*must be written out in full"):
            cs.open_run(run)


def test_variants_of_a_manifest_name_no_files(tmp_path: Path) -> None:
    shutil.copytree(small_run("variants"), tmp_path / "run")
    edit(tmp_path / "run", study={"variants": ["../own.toml", "ukca"]})
    with pytest.raises(DirectoryError, match=r"ruleset = '../own.toml': must be written out in full"):
        cs.open_run(tmp_path / "run")


def test_files_have_a_largest_size_and_depth(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    for text, why in (
        ("#" * (MOST_BYTES + 1), f"at most {MOST_BYTES:,} bytes"),
        ("a = " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"at most {DEEPEST} levels"),
        ("\n".join(f"k{number} = {number}" for number in range(MOST_KEYS + 1)), f"at most {MOST_KEYS:,}"),
        (".".join("a" * 400_000) + " = 1", f"at most {DEEPEST} levels"),
        ("a = " + "{a = " * 500 + "1" + "}" * 500, f"at most {DEEPEST} levels"),
    ):
        path.write_text(text)
        for load in (cs.load_study, cs.Equipment.load, cs.RuleSet.load, cs.Measurements.load):
            with pytest.raises(DeclarationError, match=why):
                load(path)


def test_an_endless_file_has_an_end() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("there is none here")
    with pytest.raises(DeclarationError, match="is too long"):
        cs.Equipment.load(Path("/dev/zero"))


def test_a_deep_manifest_is_told(run: Path) -> None:
    (run / "manifest.json").write_text('{"a":' * 100_000)
    with pytest.raises(DirectoryError, match="nested too deeply"):
        cs.open_run(run)
    (run / "parts.json").write_text("[" * 100_000)


def test_a_chain_of_files_has_an_end(tmp_path: Path) -> None:
    for number in range(LONGEST_CHAIN + 2):
        (tmp_path / f"{number}.toml").write_text(f'extends = "{number + 1}.toml"\n')
    with pytest.raises(DeclarationError, match=f"at most {LONGEST_CHAIN} files may extend one another"):
        cs.Equipment.load(tmp_path / "0.toml")


@pytest.mark.parametrize("name", ["a\0b.toml", "\ud800.toml", "x" * 5000 + ".toml"])
def test_names_that_no_file_can_have_are_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be read|is no name of a file"):
        cs.Equipment.load(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes there")
@pytest.mark.parametrize("name", ["manifest.json", "parts.json", "strokes/part-00000000.parquet"])
def test_a_named_pipe_in_a_run_is_not_waited_for(run: Path, name: str) -> None:
    (run / name).unlink()
    os.mkfifo(run / name)
    if name == "manifest.json":
        with pytest.raises(DirectoryError, match="manifest.json cannot be read .is no regular file"):
            cs.open_run(run)
    else:
        assert [str(problem) for problem in cs.open_run(run).verify()] == [
            f"{name}: cannot be read (is no regular file)"
        ]
    if name.startswith("strokes"):
        with pytest.raises(OSError, match="is no regular file"):
            cs.open_run(run).sql("select count(*) from strokes")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes there")
def test_a_study_is_read_from_a_pipe_that_is_open_and_from_no_named_one(tmp_path: Path) -> None:
    named = tmp_path / "study.toml"
    os.mkfifo(named)
    with pytest.raises(DeclarationError, match="study.toml: is a named pipe: must be a file"):
        read_text(named)
    end, start = os.pipe()
    os.write(start, b"kind = 1")
    os.close(start)
    assert read_text(f"/dev/fd/{end}") == "kind = 1"  # as the shell passes <(...)
    os.close(end)

"""What is said of texts that are too long, too deep or of too many keys, and what is not too many."""

import dataclasses
import json
from pathlib import Path

import pytest

import carromsim as cs
from carromsim.rules.cases import CaseError, cases_of
from carromsim.studies.declaring.fields import _equipment
from carromsim.studies.runs import directory
from carromsim.studies.runs.directory import DirectoryError, read_manifest
from carromsim.studies.runs.reading import Run
from carromsim.studies.runs.running import run_study
from carromsim.tables.dataset import _ENTRY_BYTES, Entry, Parts
from carromsim.tables.places import Folder
from carromsim.toml import DEEPEST, MOST_BYTES, MOST_KEYS, MOST_RUN_BYTES, DeclarationError, parse, parse_json
from runs.fake import Throws

DEEP = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)


def test_a_message_names_its_file_once() -> None:
    many = "\n".join(f"k{number} = 1" for number in range(MOST_KEYS + 1))
    for read, text in ((parse, many), (parse, f"a = {DEEP}"), (parse_json, DEEP)):
        with pytest.raises(DeclarationError) as caught:
            read(text, "own")
        assert str(caught.value).count("own") == 1


DOTTED = ".".join(["word"] * (DEEPEST + 50))
TEXTS = {
    "comment": (f"# {DOTTED} 'it\n", {}),
    "escape": (f'a = "\\"{DOTTED}" # {DOTTED}\n', {"a": f'"{DOTTED}'}),
    "list": (f"a = ['\\', '{DOTTED}']\n", {"a": ["\\", DOTTED]}),
    "lines": (f'a = """\n{DOTTED} "" \\""" {DOTTED}"""""\n', {"a": f'{DOTTED} "" """ {DOTTED}""'}),
    "literal lines": (f"a = '''it's '' \"\"\" # {DOTTED}''''\n", {"a": f"it's '' \"\"\" # {DOTTED}'"}),
    "keys": (f"[\"{DOTTED}\"]\n'{DOTTED}' . b = 1.5\n", {DOTTED: {DOTTED: {"b": 1.5}}}),
}


@pytest.mark.parametrize(("text", "read"), TEXTS.values(), ids=TEXTS)
def test_comments_and_strings_have_as_many_dots_as_they_like_and_hide_no_long_key(text: str, read: object) -> None:
    assert parse(text, "own") == read
    for key in ("a" + " . a" * 400_000, "[" + '".".' * 200_000 + "a]", f"b = {{{DOTTED} = 1}}"):
        with pytest.raises(DeclarationError, match="own: brackets are nested too deeply, or keys"):
            parse(f"{text}{key} = 1\n", "own")


@pytest.mark.parametrize(
    ("text", "why"),
    [("a = 1.", "own:1: Expected newline"), (f'a = 1\nb = "{DOTTED}', "own:2: "), ("a. = 1", "own:1: Invalid initial")],
)
def test_what_is_no_toml_is_not_called_too_deep(text: str, why: str) -> None:
    with pytest.raises(DeclarationError, match=why):
        parse(text, "own")


def test_a_file_of_cases_may_have_many() -> None:
    cases: list[dict[str, dict[str, int]]] = [{"before": {}, "stroke": {}} for _ in range(MOST_KEYS)]
    assert len(cases_of(json.dumps(cases), "own")) == MOST_KEYS


@pytest.mark.parametrize("text", [" " * (MOST_BYTES + 1), "\u0915" * (MOST_BYTES // 2)])
def test_cases_have_a_largest_size_wherever_they_come_from(text: str) -> None:
    with pytest.raises(CaseError, match=f"at most {MOST_BYTES:,} bytes"):
        cases_of(text, "standard input")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return run_study(Throws(), tmp_path / "run", workers=1)


def test_a_manifest_has_a_largest_size(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run.directory / "manifest.json"
    most = len(path.read_bytes()) + 100
    monkeypatch.setattr(directory, "MOST_RUN_BYTES", most)
    path.write_bytes(path.read_bytes() + b" " * 100)
    assert read_manifest(run.place) == run.manifest
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(
        DirectoryError, match=rf"manifest.json cannot be read \(is too long: must have at most {most:,}"
    ):
        read_manifest(run.place)


def test_a_study_whose_manifest_could_not_be_read_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_RUN_BYTES", 100)
    with pytest.raises(DirectoryError, match="manifest.json is too long: must have at most 100 bytes"):
        run_study(Throws(), tmp_path / "new", workers=1)
    assert list(tmp_path.iterdir()) == []


def test_a_record_has_a_largest_size_by_the_parts_of_its_run(run: Run) -> None:
    path = run.directory / "parts.json"
    sound = path.read_bytes()
    path.write_bytes(sound + b" " * (MOST_BYTES + 6 * 256 - len(sound)))
    assert run.parts.read_record() is not None
    path.write_bytes(path.read_bytes() + b" ")
    assert run.parts.read_record() is None
    (problem,) = run.verify()
    assert str(problem) == "parts.json: cannot be read (is too long: must have at most 2,001,536 bytes)"
    run_study(Throws(), run.directory)
    assert path.read_bytes() == sound


def test_the_longest_record_of_a_run_can_be_read() -> None:
    """Of ten billion breaks, and of parts with numbers as long as they come."""
    most, count = 2**63 - 1, 10_000
    parts = Parts(
        place=Folder(Path("/nowhere")),
        tables=Throws.tables,
        chunks=range(most - 1),
        study="",
        versions={},
        reproducible=False,
    )
    longest = parts.record({"throws": [Entry(most, most, "0" * 64)] * count, "bounces": []})
    breaks = parts.record({"throws": [Entry(4096, 999_999, "0" * 64)] * count, "bounces": []})
    assert len(longest) / count + len(f"{most}") - len("00000000") < _ENTRY_BYTES
    assert len(breaks) / count * 10**10 / 4096 < 0.4 * MOST_RUN_BYTES


def test_an_equipment_may_leave_out_what_has_a_default() -> None:
    told = dataclasses.asdict(cs.Equipment.preset("icf"))
    del told["face_hole"]
    assert _equipment(told) == cs.Equipment(**told)
    for wrong in (told | {"sides": 1}, {key: told[key] for key in told if key != "side"}):
        with pytest.raises(ValueError, match="must have every field of Equipment that has no default.*'side"):
            _equipment(wrong)

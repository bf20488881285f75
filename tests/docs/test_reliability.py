"""The page on reliability: every figure with its command and counts, every complaint with a test that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    below = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


FIGURES = rows("Figures")
COMPLAINTS = rows("Complaints about others")


def tests_named(text: str) -> list[tuple[str, str]]:
    """Return file and function of all tests that a text names."""
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)


def stands(file: str, function: str) -> bool:
    """Tell whether a file has a test of this name."""
    path = ROOT / file
    return (
        path.is_file() and re.search(rf"^def {function}\(", path.read_text(encoding="utf-8"), re.MULTILINE) is not None
    )


def test_every_figure_has_a_command_what_was_tried_and_what_failed() -> None:
    assert [row[0] for row in FIGURES] == [f"R{number}" for number in range(1, 21)]
    for name, promise, command, tried, failed in FIGURES:
        assert promise, name
        assert re.search(r"`[^`]+`", command), name
        assert re.search(r"\d", tried), name
        assert re.fullmatch(r"[\d,]+(\W.*)?", failed), name


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row[0])
def test_what_a_command_names_is_there(row: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"`([^`]+)`", row[2]):
        if target := re.match(r"make ([a-z-]+)", command):
            assert re.search(rf"^{target[1]}:", makefile, re.MULTILINE), command
        for path, function in re.findall(r"(tests/[\w/.]+)(?:::(\w+))?", command):
            assert (ROOT / path).exists(), path
            assert not function or stands(path, function), command


def test_every_complaint_that_applies_has_a_test_named_after_it() -> None:
    assert [int(row[0]) for row in COMPLAINTS] == [number for number in range(1, 19) if number != 8]
    for _, project, what, tests in COMPLAINTS:
        stems = tuple(f"test_{name.lower()}_{number}_" for name, number in re.findall(r"(\w+) #(\d+)", project + what))
        named = tests_named(tests)
        assert named, project
        for file, function in named:
            assert function.startswith(stems), (function, stems)
            assert stands(file, function), (file, function)


def test_every_test_of_a_complaint_is_on_the_page() -> None:
    there = {
        (path.relative_to(ROOT).as_posix(), function)
        for path in (ROOT / "tests" / "complaints").glob("test_*.py")
        for function in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert there == {test for row in COMPLAINTS for test in tests_named(row[3])}

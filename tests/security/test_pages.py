"""Names that would like to be HTML or commands of a terminal are text wherever they are shown."""

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import carromsim as cs
from carromsim import cli
from carromsim.players.skill import Skill
from carromsim.studies.runs.reading import Run
from carromsim.viz import replay
from carromsim.viz.report import report_page

HOSTILE = "</script></style></title><img src=x onerror=alert(1)><b onclick=alert(2)>&lt;"


class Seen(HTMLParser):
    """Counts elements, and notes handlers and addresses outside."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.bad: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        for name, value in attrs:
            away = name in ("src", "href", "action", "data") and not (value or "").startswith(("data:", "#"))
            if name.startswith("on") or away:
                self.bad.append(f"{tag} {name}={value}")


def studies(name: str) -> dict[str, Any]:
    """Make studies in which everything is called so that can be called anything."""
    board = cs.Equipment.preset("icf").replace(name=name)
    rules = cs.RuleSet.load("icf").replace({"name": name})
    hand = Skill(sd_x=0.001, sd_angle=0.01, sd_speed=0.05, sd_spin=5.0, name=name)
    shared = {"equipment": board, "ruleset": rules}
    return {
        "break": cs.BreakStudy(strokes=6, **shared),
        "shot": cs.ShotStudy(strokes=4, skill=hand, **shared),
        "board": cs.BoardStudy(boards=1, stroke_limit=4, policy="random", skill=hand, **shared),
    }


def both(kind: str, folder: Path) -> tuple[Run, Run]:
    """Play a study with plain names, and one with hostile ones."""
    plain, hostile = (studies(called)[kind] for called in ("a name", HOSTILE))
    return plain.run(folder / "plain", workers=1), hostile.run(folder / "hostile", workers=1)


def compare(plain: str, hostile: str) -> None:
    """Look whether two pages have the same elements, and none that does anything."""
    expected, found = Seen(plain), Seen(hostile)
    assert found.bad == []
    for tag in ("script", "style", "title", "img", "b", "iframe", "object", "link"):
        assert found.elements[tag] == expected.elements[tag], tag
    assert "Content-Security-Policy" in hostile


def test_names_in_a_replay_are_text(tmp_path: Path) -> None:
    compare(*(replay(run, 0).html() for run in both("break", tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["break", "shot", "board"])
def test_names_in_a_report_are_text(tmp_path: Path, kind: str) -> None:
    compare(*(report_page(run) for run in both(kind, tmp_path)))


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\x9b31m", "\u202e", "\ud800", "x" * 300])
def test_names_are_lines_of_text(name: str) -> None:
    for make in (
        lambda: cs.Equipment.preset("icf").replace(name=name),
        lambda: cs.RuleSet.load("icf").replace({"name": name}),
        lambda: Skill(sd_x=0, sd_angle=0, sd_speed=0, sd_spin=0, name=name),
    ):
        with pytest.raises(ValueError, match="must be a line of text that prints"):
            make()


def test_complaints_are_no_commands_for_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "\x1b[2J\x9b.toml"]) == 2
    shown = capsys.readouterr().err
    assert r"\x1b[2J\x9b.toml" in shown
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert cli.run(["rules", "show", "y" * 50_000]) == 2
    assert len(capsys.readouterr().err) < 10_000

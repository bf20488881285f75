"""Names in every script are text; what steers a terminal or turns a line around is none."""

import json
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.cli.app import terminal_text
from carromsim.problems import name_problem


@pytest.mark.parametrize(
    "name", ["\u0915\u094d\u200d\u0937", "\u0645\u06cc\u200c\u0631\u0648\u0645", "A\u00a0B", "A\u3000B"]
)
def test_joiners_and_spaces_of_any_script_are_text(name: str) -> None:
    assert name_problem(name) is None
    assert terminal_text(name) == name


@pytest.mark.parametrize("char", ["\x1b", "\n", "\x9b", "\ud800", "\u2028", "\u2029", "\u202e", "\u2066", "\u2069"])
def test_controls_and_turns_of_direction_are_not(char: str) -> None:
    assert "must be a line of text" in str(name_problem(f"a{char}b"))
    assert char not in terminal_text(f"a{char}b")


STEERING = "\x9b31m \x9d0;title\x9c \u202egnp"


@pytest.mark.parametrize("command", ["show", "diff"])
@pytest.mark.parametrize(("kind", "line"), [("rules", "queen.value = 5"), ("equipment", "mu_surface = 0.3")])
def test_a_comment_in_a_file_does_not_steer_the_terminal(
    kind: str, line: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f'# {STEERING}\nextends = "icf"\n{line} # {STEERING}\n', encoding="utf-8")
    assert cli.run([kind, command, str(file), *(["icf"] if command == "diff" else [])]) == 0
    shown = capsys.readouterr().out
    assert "31m" in shown
    assert all(char.isprintable() for char in shown.replace("\n", ""))


def test_the_name_of_a_case_does_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {"shooter": "white", "on_board": {"white": 6, "black": 5}, "queen": "on_board"}
    case = {"id": "\x1b[31mred\x07\ud800", "ruleset": "icf", "before": before, "stroke": {"pocketed": {"own": 1}}}
    (tmp_path / "cases.json").write_text(json.dumps([case | {"expect": {"turn": "passes"}}]))
    assert cli.run(["rules", "check", str(tmp_path / "cases.json")]) == 1
    assert r"\x1b[31mred\x07\ud800  turn: expected" in capsys.readouterr().out

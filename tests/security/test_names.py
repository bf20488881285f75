"""Names in every script are text; what steers a terminal or turns a line around is none."""

import pytest

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

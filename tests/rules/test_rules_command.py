"""`carromsim rules`: what it lists, shows and compares, and how mistakes are explained."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.rules.ruleset import NAMES, RuleSet
from carromsim.rules.ruleset_groups import KINDS

HOUSE = """# Our [bold]rules[/bold]
extends = "icf"
queen.value = 5          # the house: [red]five[/red]
dues.cannot_pay = "forget"
opening.attempts = 2
"""


@pytest.fixture(autouse=True)
def terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("house.toml").write_text(HOUSE, encoding="utf-8")
    return "house.toml"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["rules", *arguments]) == 0
    text, errors = capsys.readouterr()
    assert errors == ""
    assert "\x1b" not in text
    if "--json" not in arguments:
        assert max(len(line) for line in text.splitlines()) <= 80
    return text


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(shown(capsys, *arguments, "--json"))


def words(text: str) -> str:
    return " ".join(text.split())


def first_words(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines() if line and line[0] != " "]


def keys(text: str) -> list[str]:
    """Put the names of a table behind the groups that head them."""
    found, group = [], ""
    for word in first_words(text):
        group = word[1:-1] if word[0] == "[" else group
        if f"{group}.{word}" in KINDS:
            found.append(f"{group}.{word}")
    return found


def test_list_has_each_rule_set(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "list")
    assert first_words(text) == ["Rules", *NAMES]
    assert "bell_i bell 30 5 R. C. Bell, the queen at any time (his method i)" in words(text)
    found = told(capsys, "list")
    assert list(found) == list(NAMES)
    assert found["icf"].pop("about") == "International Carrom Federation, Laws of Carrom"
    assert found["icf"] == RuleSet.load("icf").values


@pytest.mark.parametrize("name", NAMES)
def test_show_has_every_law_with_its_value_and_number(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, rules = shown(capsys, "show", name), RuleSet.load(name)
    assert text.startswith(f"{name}: {rules.about[:50]}")
    assert keys(text) == list(KINDS)
    queen = next(line for line in text.splitlines() if line.startswith("value "))
    assert queen.split()[:2] == ["value", str(rules.queen.value)]
    assert rules.law("queen.value") in queen
    fields = told(capsys, "show", name)["fields"]
    assert {key: field["value"] for key, field in fields.items()} == rules.values
    assert {key: field["law"] for key, field in fields.items()} == {key: rules.law(key) for key in rules.values}


def test_show_says_none_and_marks_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    text = words(shown(capsys, "show", "ukca"))
    assert "queen_mix_cap 1 UKCA H15: one for the queen with any mixture" in text
    assert "[opening] rotation free UKCA D6: the breaker may swivel the pack" in text
    assert "attempts 3 [A] ICF 45: the UKCA names no number" in text
    assert "board_max none UKCA F4: names no ceiling" in text
    assert "equipment ukca carromsim equipment show ukca" in text


def test_show_of_house_rules(house: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "show", house)
    assert text.startswith("house: Our [bold]rules[/bold]\n")
    assert "value 5 the house: [red]five[/red]" in words(text)
    assert "cannot_pay forget house.toml:4" in words(text)
    assert "cutoff 22 ICF 54: none from 22 before the board" in words(text)
    fields = told(capsys, "show", house)["fields"]
    assert fields["queen.value"] == {
        "value": 5,
        "law": "the house",
        "source": {"file": "house.toml", "line": 3, "comment": "the house: [red]five[/red]"},
    }
    assert fields["score.clock"]["value"] is None


def test_diff_has_what_differs_with_both_laws(house: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "diff", "icf", house)
    assert keys(text) == ["opening.attempts", "dues.cannot_pay", "queen.value"]
    assert "[opening] attempts 3 2 ICF 45a: the first and two more house.toml:5" in words(text)
    assert told(capsys, "diff", "icf", house)["queen.value"][0] == {
        "value": 3,
        "law": "ICF 52b",
        "source": {
            "file": "icf",
            "line": RuleSet.load("icf").sources["queen.value"].line,
            "comment": "ICF 52b: to the winner who covered her; also 53b",
        },
    }
    found = told(capsys, "diff", "ukca", "caint")
    assert {key: [one["value"], other["value"]] for key, (one, other) in found.items()} == {
        "equipment": ["ukca", "caint"],
        "dues.striker_with_own": [1, 2],
        "dues.double": ["on_same_pocket", "off"],
        "placing.overboard": ["centre_then_circle", "circle"],
    }


def test_rules_that_differ_in_name_only_do_not_differ(house: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(house).write_text('extends = "icf"')
    assert shown(capsys, "diff", "icf", house) == "icf and house.toml do not differ\n"
    assert told(capsys, "diff", "icf", house) == {}


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["show", "icff"], ["unknown rule set 'icff': did you mean 'icf'? known: bell_i, bell_ii, caint, icf, "]),
        (["show", "none.toml"], ["none.toml: cannot be read (No such file or directory)"]),
        (["diff", "icf", "bad.toml"], ["bad.toml:1: quen: unknown key, did you", "bad.toml:3: queen.value = -1: must"]),
        (["shw", "icf"], ['Did you mean "show"?']),
        (["show"], ["ORIGIN"]),
        (["diff", "icf"], ["SECOND"]),
    ],
)
def test_mistakes_are_explained(
    house: str, capsys: pytest.CaptureFixture[str], arguments: list[str], messages: list[str]
) -> None:
    Path("bad.toml").write_text('quen.value = 5\nextends = "icf"\nqueen.value = -1')
    assert cli.run(["rules", *arguments]) == 2
    text, errors = capsys.readouterr()
    assert text == ""
    assert "Traceback" not in errors
    lines = errors.splitlines()
    assert len(lines) == len(messages)
    for line, message in zip(lines, messages, strict=True):
        assert line.startswith("carromsim: ")
        assert message in line


def test_a_diff_needs_no_compiler_and_no_tables() -> None:
    code = (
        "import sys\nfrom carromsim import cli\ncli.run(['rules', 'diff', 'icf', 'usca'])\n"
        "print(sorted({'numba', 'pyarrow', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"

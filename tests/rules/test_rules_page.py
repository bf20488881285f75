"""docs/rules.md says what the rule sets say, and its examples work."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from carromsim import cli
from carromsim.rules.ruleset import NAMES, RuleSet
from carromsim.rules.ruleset_groups import GROUPS, KINDS

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_rules", DOCS / "write_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)  # it imports its neighbour
        spec.loader.exec_module(module)
    return module


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def rows(text: str) -> list[list[str]]:
    lines = (line for line in text.splitlines() if line.startswith("| `"))
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_tables_are_those_of_the_code(script: ModuleType) -> None:
    for name, text in script.TABLES.items():
        assert script.filled(PAGE, name, text()) == PAGE, "run python docs/write_rules.py"


def test_the_comparison_has_every_field_of_the_five_with_value_and_law(script: ModuleType) -> None:
    found = rows(script.side_by_side())
    assert [row[0] for row in found] == [f"`{key.partition('.')[2]}`" for key in KINDS]
    for place, name in enumerate(script.FIVE, 1):
        rules = RuleSet.load(name)
        for row, key in zip(found, KINDS, strict=True):
            value, law = row[place][1:].split("` ", 1)
            assumed = rules.law(key).startswith("[A] ")
            assert (law[0] == "*", law.strip("*")) == (assumed, rules.law(key).removeprefix("[A] "))
            said = rules.values[key]
            assert value == ("none" if said is None else str(said).lower())
    assert re.findall(r"\*\*`\[(\w+)\]`\*\*", PAGE) == list(GROUPS)


def test_every_field_is_explained(script: ModuleType) -> None:
    found = rows(script.meanings())
    assert [row[0].strip("`") for row in found] == list(KINDS)
    assert all(len(row[1]) > 15 for row in found)
    assert "| `queen.cutoff` | Score before the board from which she is worth nothing |" in PAGE
    assert len({row[1] for row in found}) == len(KINDS)


def test_every_rule_set_is_introduced_and_every_assumption_numbered() -> None:
    introduced = PAGE.partition("## House rules")[0]
    assert re.findall(r"^\| `(\w+)` \| ", introduced, flags=re.MULTILINE) == list(NAMES)
    listed = PAGE.partition("## Assumptions")[2].partition("## Contradictions")[0]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", listed, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 20


def test_the_examples_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (house,), (case,) = blocks("toml"), blocks("json")
    Path("house.toml").write_text(house)
    Path("case.json").write_text(case)
    changes = {"name": "house", "queen.value": 5, "dues.cannot_pay": "forget", "opening.attempts": 2}
    ours = RuleSet.load("house.toml")
    assert ours == RuleSet.load("icf").replace(changes)
    assert [ours.law("queen.value"), ours.law("opening.attempts")] == ["the house", "house.toml:5"]
    for block in blocks("console"):
        for command, expected in re.findall(r"^\$ carromsim (.*)\n((?:[^$].*\n)*)", block, flags=re.MULTILINE):
            assert cli.run(command.split()) == 0
            shown = capsys.readouterr().out
            assert not expected or shown == expected
    assert cli.run(["adjudicate", "case.json", "--ruleset", "ukca"]) == 0
    assert "Turn      passes to the other side\nDues      1 incurred, 1 placed now" in capsys.readouterr().out


def test_the_python_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "docs/rules.md", "exec"), names)
    turns, match, doubles = capsys.readouterr().out.splitlines()
    assert sum(map(int, re.findall(r"\d+", turns)[:4])) == 500
    assert match == "1 2 [0 5]", "the other side breaks, from the top, and plays white: the five points are black's"
    assert doubles == "(0, 1, 2, 3) 0 0"

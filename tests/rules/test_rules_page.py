"""docs/rules.md says what the rule sets say."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

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

"""Fills the tables of docs/rules.md: ``python docs/write_rules.py``."""

import sys
from collections.abc import Sequence
from pathlib import Path

from filling import filled, table

from carromsim.rules.ruleset import RuleSet
from carromsim.rules.ruleset_groups import GROUPS, KINDS
from carromsim.toml import toml_value

PAGE = Path(__file__).parent / "rules.md"

FIVE = ("ukca", "caint", "icf", "bell_i", "bell_ii")


def fields(group: str) -> list[str]:
    """Give the keys of a group."""
    return [key for key in KINDS if key.startswith(f"{group}.")]


def cell(rules: RuleSet, key: str) -> str:
    """Write a value and its law; the law of an assumption in italics."""
    value = rules.values[key]
    law = rules.law(key)
    law = f"*{law.removeprefix('[A] ')}*" if law.startswith("[A] ") else law
    return f"`{'none' if value is None else toml_value(value).strip(chr(34))}` {law}"


def side_by_side(names: Sequence[str] = FIVE) -> str:
    """Give a table per group of rule sets side by side, with laws."""
    found = [RuleSet.load(name) for name in names]
    parts = []
    for group in GROUPS:
        rows = [[f"`{key.partition('.')[2]}`", *(cell(rules, key) for rules in found)] for key in fields(group)]
        parts.append(table((f"**`[{group}]`**", *(f"`{name}`" for name in names)), rows))
    return "\n\n".join(parts)


def variants(names: Sequence[str] = ("usca", "short_set", "point")) -> str:
    """Give what the variants say that their file has written: value, and the ICF's."""
    icf = RuleSet.load("icf")
    rows = []
    for rules in map(RuleSet.load, names):
        differ = [key for key in KINDS if rules.values[key] != icf.values[key]]
        rows += [[f"`{rules.name}`", f"`{key}`", cell(rules, key), cell(icf, key)] for key in differ]
    return table(("rules", "law", "here", "`icf`"), rows)


def meanings() -> str:
    """Give a table of all fields: what each decides, and what it may be."""
    rows = []
    for key, kind in KINDS.items():
        allowed = kind.allowed.replace('"none"', "none").replace('"', "`").replace("none", "`none`")
        rows.append([f"`{key}`", kind.about, allowed.replace("``none``", "`none`")])
    return table(("law", "what it decides", "allowed"), rows)


TABLES = {"comparison": side_by_side, "variants": variants, "fields": meanings}
"""By the name of their marks on the page."""


def main() -> None:
    """Fill all tables anew."""
    page = PAGE.read_text(encoding="utf-8")
    for name, text in TABLES.items():
        page = filled(page, name, text())
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

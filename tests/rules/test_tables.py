"""Every cell of the decision tables, before the slow referee and before the package."""

from collections import Counter
from typing import Any

import pytest

from carromsim.rules.cases import rule_case
from oracles import laws, laws_cases

CELLS = list(laws_cases.tables())
each = pytest.mark.parametrize(("name", "case", "expected"), CELLS, ids=[name for name, _, _ in CELLS])


def wrong(expected: dict[str, Any], got: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {key: (value, got.get(key)) for key, value in expected.items() if got.get(key) != value}


@each
def test_slow_referee(name: str, case: dict[str, Any], expected: dict[str, Any]) -> None:
    assert wrong(expected, laws.judge(case)) == {}, name


@each
def test_package(name: str, case: dict[str, Any], expected: dict[str, Any]) -> None:
    assert wrong(expected, rule_case(case)) == {}, name


def test_every_cell_is_read() -> None:
    # 24 rows in T1, T2, T5, T6, 12 in T3, 30 in T4; method ii has no pending and no covered queen, T6 no Bell.
    assert Counter(name.split()[0] for name, _, _ in CELLS) == {
        "T1": 24 * 5,
        "T2": 24 * 5,
        "T3": 12 * 4,
        "T4": 30 * 4 + 12,
        "T5": 24 * 5,
        "T6": 24 * 3,
    }

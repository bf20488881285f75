"""Thousands of cases of each adversarial kind, in both modes of contact, and a hundred thousand if there is time."""

from collections.abc import Callable
from typing import Any

import pytest

from adversarial.all_kinds import KINDS, MODES, count

kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
modes = pytest.mark.parametrize("contact", MODES)


@kinds
@modes
def test_a_thousand_adversarial_cases(kind: Callable[..., Any], contact: str) -> None:
    found = count(kind, 1000, contact, seed=7)
    assert found.failed == 0, found.first
    assert found.cases > 500
    assert found.given_up < 0.02 * found.cases


@pytest.mark.slow
@pytest.mark.timeout(3600)
@kinds
@modes
def test_a_hundred_thousand_adversarial_cases(kind: Callable[..., Any], contact: str) -> None:
    found = count(kind, 100_000, contact, seed=1)
    assert found.failed == 0, found.first
    assert found.cases > 50_000
    assert found.given_up < 0.02 * found.cases

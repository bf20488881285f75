"""Numbers of Python and NumPy are taken, of whatever type."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim.play.setup import Setup
from carromsim.rules.cases import _men, _whole
from carromsim.stats.checks import real_array


@pytest.mark.parametrize("value", [[Decimal(3)], [Fraction(6, 2)], np.array([3], dtype=object), Decimal(3)])
def test_objects_that_are_numbers_are_taken(value: Any) -> None:
    array = real_array("x", value)
    assert array.dtype == np.float64
    assert array.flat[0] == 3.0


@pytest.mark.parametrize("value", [[None], [Decimal(3), "3"], [10**400], [Decimal("sNaN")], [3j, None]])
def test_other_objects_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="x: .* is not allowed; give numbers"):
        real_array("x", value)


def test_cases_take_integers_of_numpy() -> None:
    assert _men({"on_board": {"white": np.int64(9)}}, "on_board", "white", "own") == 9
    assert _whole(np.uint8(1))
    assert not _whole(True)
    assert not _whole(1.0)


NOBODY: Any = (None, None)


def test_a_truth_of_numpy_is_one() -> None:
    laws = cs.RuleSet.load("icf")
    truth: Any = np.True_
    with pytest.raises(ValueError, match="unit = 'none'"):  # which is looked at after keep_strokes
        Setup(rules=laws, policies=NOBODY, skills=NOBODY, unit="none", keep_strokes=truth)

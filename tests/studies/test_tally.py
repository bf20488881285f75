"""Tallies: exact in any order, quantiles within their resolution."""

import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from carromsim.stats import normal_quantile
from carromsim.studies.counting.tally import Tally

VALUES = np.random.default_rng(5).lognormal(0.3, 0.8, 3000)


def test_moments_are_those_of_the_rounded_values() -> None:
    tally = Tally.of(VALUES, 10**6)
    rounded = np.rint(VALUES * 1e6) / 1e6
    assert tally.n == 3000
    assert tally.mean == pytest.approx(rounded.mean(), rel=1e-14)
    assert tally.sd == pytest.approx(rounded.std(ddof=1), rel=1e-12)
    half = normal_quantile(0.9) * tally.sd / math.sqrt(3000)
    assert tally.interval(0.9) == pytest.approx((tally.mean - half, tally.mean + half))


@pytest.mark.parametrize("p", [0.0, 0.05, 0.3, 0.5, 0.95, 0.999, 1.0])
def test_quantiles_are_good_to_their_resolution(p: float) -> None:
    assert Tally.of(VALUES, 10**6).quantile(p) == pytest.approx(
        np.quantile(VALUES, p, method="inverted_cdf"), rel=1 / 64
    )


def test_the_order_of_adding_changes_no_bit() -> None:
    parts = [Tally.of(part, 10**6) for part in np.split(VALUES, [7, 500, 501, 2000])]
    whole = Tally.of(VALUES, 10**6)
    for seed in range(5):
        Random(seed).shuffle(parts)
        added = Tally.of(np.empty(0), 10**6)
        for part in parts:
            added += part
        assert (added.n, added.total, added.squares) == (whole.n, whole.total, whole.squares)
        assert np.array_equal(added.bins, whole.bins)


def test_values_of_any_size_are_held() -> None:
    values = np.array([0.0, 1e-9, 1e-3, 5.0, 131071.0, 131072.0, 1e305])
    tally = Tally.of(values, 10**6)
    assert tally.bins.sum() == 7
    assert tally.mean == pytest.approx(1e305 / 7)
    assert tally.sd == pytest.approx(1e305 / math.sqrt(7))
    assert 0.0 <= tally.quantile(0.0) < 2**-10
    assert tally.quantile(0.99) == math.inf
    assert tally.to_dict()["q95"] is None


def test_whole_numbers_up_to_127_have_bins_of_their_own() -> None:
    tally = Tally.of(np.arange(128))
    assert set(tally.bins[tally.bins > 0]) == {1}
    assert [tally.quantile(p) for p in (0.0, 0.25, 0.5, 0.75, 1.0)] == [0.0, 31.0, 63.0, 95.0, 127.0]


def test_of_nothing_nothing_is_known() -> None:
    nothing = Tally.of(np.empty(0))
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.sd)
    assert math.isnan(nothing.quantile(0.5))
    assert nothing.interval() == (-math.inf, math.inf)
    assert set(nothing.to_dict().values()) == {0, None}
    one = Tally.of(np.array([3]))
    assert (one.mean, one.interval()) == (3.0, (-math.inf, math.inf))
    assert one.to_dict() == {
        "n": 1,
        "mean": 3.0,
        "low": None,
        "high": None,
        "sd": None,
        "q05": 3.0,
        "q50": 3.0,
        "q95": 3.0,
    }


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="steps = 10: must be 1"):
        _ = Tally.of(np.array([1])) + Tally.of(np.array([1]), 10)
    with pytest.raises(ValueError, match=r"p = 1.5: must be from 0 to 1"):
        Tally.of(np.array([1])).quantile(1.5)


@pytest.mark.parametrize(
    ("steps", "values"), [(10**6, VALUES), (1, np.arange(300)), (1, np.array([7])), (1, 100 + np.arange(9) ** 3)]
)
@pytest.mark.parametrize("most", [5, 45, 10**6])
def test_bars_of_equal_width_hold_exactly_the_values_between_their_edges(
    steps: int, values: np.ndarray, most: int
) -> None:
    edges, counts = Tally.of(values, steps).histogram(most)
    width = np.diff(edges)
    assert np.ptp(width) == 0.0
    assert math.log2(width[0]).is_integer()
    assert steps > 1 or width[0] >= 1.0
    assert len(counts) <= 2 * most + 2
    np.testing.assert_array_equal(counts, [np.count_nonzero((values >= a) & (values < b)) for a, b in pairwise(edges)])
    assert counts.sum() == len(values)


def test_of_no_value_there_is_one_empty_bar() -> None:
    edges, counts = Tally.of(np.empty(0)).histogram(10)
    assert (edges.tolist(), counts.tolist()) == ([0.0, 1.0], [0])

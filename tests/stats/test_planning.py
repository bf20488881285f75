"""Plans against the intervals and tests that they plan for."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from carromsim.stats import (
    asymptotic_mean,
    beta_binomial,
    log_e_value,
    normal_quantile,
    rows_for_difference,
    rows_for_half_width,
    rows_until_decided,
    rows_until_half_width,
    tuning,
    wilson,
)
from carromsim.stats.sequences import FIRST_ROWS


def test_textbook_sizes() -> None:
    # A poll: +-3 percentage points of a half (1067 by the textbook's normal interval; Wilson's is shorter by z^2 rows).
    assert rows_for_half_width(0.03, share=0.5) == 1064
    assert rows_for_half_width(0.5, variance=9.0) == 139  # (1.96 * 3 / 0.5)^2
    # 0.25 against 0.40: (1.960 sqrt(2 * 0.325 * 0.675) + 0.842 sqrt(0.1875 + 0.24))^2 / 0.15^2 = 151.9.
    assert rows_for_difference(0.15, share=0.25) == 152
    assert rows_for_difference(1.0, variance=4.0, power=0.9) == 85  # 2 * 4 * (1.960 + 1.282)^2


@pytest.mark.parametrize("level", [0.9, 0.99])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("half_width", [0.05, 0.004])
def test_rows_are_the_fewest_that_make_wilsons_interval_so_narrow(
    half_width: float, share: float, level: float
) -> None:
    def half(n: int, share: float = share) -> float:
        z = normal_quantile(level)
        return float(z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))

    n = rows_for_half_width(half_width, share=share, level=level)
    assert half(n) <= half_width < half(n - 1)
    successes = round(share * n)
    low, high = wilson(successes, n, level)
    assert (high - low) / 2 == pytest.approx(half(n, successes / n), rel=1e-12)


def test_a_difference_is_found_as_often_as_promised() -> None:
    n = rows_for_difference(0.1, share=0.3)
    k = np.arange(n + 1)
    both = np.outer(stats.binom.pmf(k, n, 0.3), stats.binom.pmf(k, n, 0.4))
    pooled = (k[:, np.newaxis] + k) / (2 * n)
    with np.errstate(invalid="ignore"):
        z = (k[:, np.newaxis] - k) / n / np.sqrt(2 * pooled * (1 - pooled) / n)
    assert both[np.abs(z) > normal_quantile(0.95)].sum() == pytest.approx(0.8, abs=0.01)


def test_pairing_saves_what_it_says() -> None:
    apart = rows_for_difference(0.01, variance=2.0)
    assert rows_for_difference(0.01, variance=2.0, reduction=0.75) == pytest.approx(apart / 4, abs=1)
    assert rows_for_difference(0.01, variance=2.0, reduction=-0.5) == pytest.approx(apart * 1.5, abs=2)


@pytest.mark.parametrize("tuned", [100.0, 1000.0, 50_000.0])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.8])
def test_a_share_is_known_after_as_many_rows_as_planned(share: float, tuned: float) -> None:
    n = rows_until_half_width(0.02, share=share, tuned=tuned)
    for rows, narrow in ((round(1.02 * n), True), (round(0.98 * n), False)):
        low, high = beta_binomial(round(share * rows), rows, tuned=tuned)
        assert (high - low <= 0.04) == narrow


def test_a_mean_is_known_after_as_many_rows_as_planned() -> None:
    n = rows_until_half_width(0.1, variance=2.0)
    for rows, narrow in ((n, True), (n - 1, False)):
        low, high = asymptotic_mean(rows, 5.0, 2.0)
        assert (high - low <= 0.2) == narrow
    assert rows_until_half_width(100.0, variance=2.0) == FIRST_ROWS


def test_a_decision_takes_about_as_many_rows_as_planned() -> None:
    share, against = 0.55, 0.5
    n = rows_until_decided(share, against)
    assert log_e_value(round(share * n), n, against) == pytest.approx(np.log(20.0), rel=0.02)
    rng = np.random.default_rng(8)
    wins = np.cumsum(rng.random((200, 6 * n)) < share, axis=1)
    rows = np.arange(1, 6 * n + 1, max(n // 20, 1))
    evidence = log_e_value(wins[:, rows - 1], rows, against)
    first = np.where(np.any(evidence >= np.log(20.0), axis=1), rows[np.argmax(evidence >= np.log(20.0), axis=1)], 6 * n)
    assert np.median(first) == pytest.approx(n, rel=0.2)
    assert rows_until_decided(share, against, trials=0.25) == pytest.approx(4 * n, abs=4)


def test_the_tuning_is_right_within_a_tenth() -> None:
    for share in (0.05, 0.2, 0.5):
        best = min(rows_until_half_width(0.01, share=share, tuned=t) for t in np.geomspace(1e3, 1e5, 5))
        assert rows_until_half_width(0.01, share=share, tuned=tuning(0.01)) <= 1.1 * best


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rows_for_half_width(0.0, share=0.5), "half_width: 0.0 is not allowed; give finite numbers above 0"),
        (lambda: rows_for_half_width(0.1), "share, variance: give exactly one"),
        (lambda: rows_for_half_width(0.1, share=0.5, variance=1.0), "share, variance: give exactly one"),
        (lambda: rows_for_half_width(0.1, share=1.5), "share: 1.5 is not allowed"),
        (lambda: rows_for_half_width(0.1, variance=0.0), "variance: 0.0 is not allowed"),
        (lambda: rows_for_half_width(1e-9, variance=1.0), "rows would be needed; ask for a wider interval"),
        (lambda: rows_until_half_width(1e-9, share=0.5), "rows would be needed; ask for a wider interval"),
        (lambda: rows_for_difference(0.7, share=0.5), "difference: 0.7 is not allowed; a share of 0.5 cannot"),
        (lambda: rows_for_difference(0.1, share=0.5, reduction=1.0), "reduction: 1.0 is not allowed"),
        (lambda: rows_for_difference(0.1, share=0.5, power=1.0), "power: 1.0 is not allowed"),
        (lambda: rows_until_decided(0.5), "share: 0.5 is not allowed; equal to `against` it is never decided"),
        (lambda: rows_until_decided(0.5, 0.0), "against: 0.0 is not allowed"),
        (lambda: rows_until_decided(0.6, trials=0.0), "trials: 0.0 is not allowed"),
        (lambda: tuning(-1.0), "half_width: -1.0 is not allowed"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

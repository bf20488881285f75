"""How many rows a study needs, from what a pilot has seen."""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from carromsim.stats.checks import between, confidence, one, positive, real_array, shares
from carromsim.stats.distributions import normal_quantile
from carromsim.stats.intervals import Interval
from carromsim.stats.sequences import FIRST_ROWS, TUNED, log_evidence, mean_factor, share_ends
from carromsim_kernels.state import FloatArray

MOST_ROWS = 10**12
"""More rows than this are no plan, and from there on logarithms of gamma functions are no longer exact enough."""


def rows_for_half_width(
    half_width: float, *, share: float | None = None, variance: float | None = None, level: float = 0.95
) -> int:
    """Tell how many rows make half the length of an interval as small as wished.

    Parameters
    ----------
    half_width : float
        Above 0; of a share in the unit of the share, of a mean in the unit of the quantity.
    share : float, optional
        Of a share: what it is likely to be, 0 to 1 (0.5 is the dearest).
    variance : float, optional
        Of a mean: the variance of a row, above 0. Exactly one of share and variance.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    int
        Rows, at least 2. For a share Wilson's interval at that share is solved for n, for a mean
        z sd / sqrt(n).

    Raises
    ------
    ValueError
        For arguments outside their range, and where more than 10^12 rows are needed.
    """
    width = one("half_width", positive("half_width", half_width))
    z2 = normal_quantile(level) ** 2
    is_share, value = _one_of(share, variance)
    if is_share:
        spread = value * (1.0 - value)
        # width^2 (n + z^2)^2 = z^2 (spread n + z^2 / 4): Wilson's half-width, a quadratic in n.
        half_b = z2 * (width * width - 0.5 * spread)
        c = z2 * z2 * (width * width - 0.25)
        root = math.sqrt(max(half_b * half_b - width * width * c, 0.0))
        return _rows((root - half_b) / (width * width))
    return _rows(z2 * value / width**2)


def rows_for_difference(
    difference: float,
    *,
    share: float | None = None,
    variance: float | None = None,
    reduction: float = 0.0,
    level: float = 0.95,
    power: float = 0.8,
) -> int:
    """Tell how many rows each of two runs needs to find a difference.

    Parameters
    ----------
    difference : float
        Between the two, above 0.
    share : float, optional
        Of shares: the first share, 0 to 1; the second is supposed on the side nearer to 0.5, where it varies more.
    variance : float, optional
        Of means: the variance of a row of either, above 0. Exactly one of share and variance.
    reduction : float
        What pairing saves (`variance_reduction`), below 1; 0 for runs of different seeds.
    level : float
        1 minus the probability of seeing a difference where there is none, from 0.01 to 1 (exclusive).
    power : float
        Probability of seeing the difference, between 0 and 1 (exclusive).

    Returns
    -------
    int
        Rows of each run, at least 2.

    Raises
    ------
    ValueError
        For arguments outside their range, a difference that leads out of 0 to 1, more than 10^12 rows.

    References
    ----------
    J. L. Fleiss, B. Levin, M. C. Paik, "Statistical Methods for Rates and Proportions", 3rd ed. (2003), chapter 4,
    without continuity correction; for means the same with the variance of a row.
    """
    gap = one("difference", positive("difference", difference))
    if not one("reduction", real_array("reduction", reduction)) < 1.0:
        raise ValueError(f"reduction: {reduction!r} is not allowed; give a number below 1")
    z_level, z_power = normal_quantile(level), NormalDist().inv_cdf(between("power", power))
    is_share, value = _one_of(share, variance)
    if is_share:
        second = value + gap if value <= 0.5 else value - gap
        if not 0.0 <= second <= 1.0:
            raise ValueError(f"difference: {difference!r} is not allowed; a share of {value:g} cannot differ by that")
        middle = 0.5 * (value + second)
        spread = value * (1.0 - value) + second * (1.0 - second)
        wanted = z_level * math.sqrt(2.0 * middle * (1.0 - middle)) + z_power * math.sqrt(spread)
    else:
        wanted = (z_level + z_power) * math.sqrt(2.0 * value)
    return _rows(wanted**2 * (1.0 - reduction) / gap**2)


def tuning(half_width: float) -> float:
    """Give the rows for which to tune `beta_binomial` before it is known how frequent something is.

    Parameters
    ----------
    half_width : float
        At which the study is to stop, of a share, above 0.

    Returns
    -------
    float
        0.5 / half_width^2. For shares from 0.05 to 0.95 a study then takes at most a tenth more rows than with the
        best tuning, for 0.01 a fifth more; with `TUNED` it may take 60 % more (docs/statistics.md).
    """
    return 0.5 / one("half_width", positive("half_width", half_width)) ** 2


def rows_until_half_width(
    half_width: float,
    *,
    share: float | None = None,
    variance: float | None = None,
    level: float = 0.95,
    tuned: float = TUNED,
) -> int:
    """Tell at how many rows, about, a study stops whose confidence sequence is to become as narrow as wished.

    Parameters
    ----------
    half_width, share, variance, level
        As for `rows_for_half_width`.
    tuned : float
        As the study's sequence has it.

    Returns
    -------
    int
        Rows at which the sequence has that half-width if the estimate is what it is supposed to be; of a mean at
        least `FIRST_ROWS`.

    Raises
    ------
    ValueError
        As for `rows_for_half_width`.
    """
    width = one("half_width", positive("half_width", half_width))
    is_share, value = _one_of(share, variance)
    if is_share:
        return _first_rows(lambda n: _length(share_ends(value * n, n, level, tuned)) > 2.0 * width)
    sd = math.sqrt(value)
    return max(_first_rows(lambda n: sd * mean_factor(n, level, tuned) > width), FIRST_ROWS)


def rows_until_decided(
    share: float, against: float = 0.5, *, trials: float = 1.0, level: float = 0.95, tuned: float = TUNED
) -> int:
    """Tell at how many rows, about, a study stops that asks whether a share differs from a number.

    Parameters
    ----------
    share : float
        What it is likely to be, 0 to 1.
    against : float
        The number, between 0 and 1, other than `share`.
    trials : float
        Share of the rows that count, above 0, up to 1: for A against B those that are one and not the other.
    level, tuned
        As for `beta_binomial`.

    Returns
    -------
    int
        Rows at which the evidence reaches its bound if the share is seen as supposed. Half of all studies take
        longer, some much longer.

    Raises
    ------
    ValueError
        For arguments outside their range, `share` equal to `against`, more than 10^12 rows.
    """
    likely = one("share", shares("share", share))
    between("against", against)
    if likely == against:
        raise ValueError(f"share: {share!r} is not allowed; equal to `against` it is never decided")
    if not 0.0 < one("trials", real_array("trials", trials)) <= 1.0:
        raise ValueError(f"trials: {trials!r} is not allowed; give a number above 0, up to 1")
    bound = -math.log1p(-confidence(level))
    needed = _first_rows(lambda n: log_evidence(likely * n, n, np.array(against), level, tuned) < bound)
    return _rows(needed / trials)


def _first_rows(too_few: Callable[[FloatArray], NDArray[np.bool_]]) -> int:
    """Find the number of rows from which on they are no longer too few, by doubling and halving."""
    few, enough = 1, 2
    while too_few(np.array(float(enough))):
        few, enough = enough, _rows(2.0 * enough)
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (middle, enough) if too_few(np.array(float(middle))) else (few, middle)
    return enough


def _rows(needed: float) -> int:
    if not needed < MOST_ROWS:
        raise ValueError(
            f"{needed:.3g} rows would be needed; ask for a wider interval (half_width) or a larger difference"
        )
    return max(math.ceil(needed), 2)


def _one_of(share: float | None, variance: float | None) -> tuple[bool, float]:
    """Tell whether it is a share, and give the one that was given."""
    if share is not None and variance is None:
        return True, one("share", shares("share", share))
    if variance is not None and share is None:
        return False, one("variance", positive("variance", variance))
    raise ValueError("share, variance: give exactly one of them, share of a share and variance of a mean")


def _length(ends: Interval) -> FloatArray:
    return ends.high - ends.low

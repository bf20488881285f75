"""A metric in two samples, row by row or not: exact sums, and the difference that follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carromsim.stats import Difference, holm, newcombe, paired_means, paired_shares, variance_reduction, welch
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.studies.counting.metrics import Metric, exact_dot, whole_steps
from carromsim.studies.counting.stopping import Evidence
from carromsim_kernels.state import FloatArray

__all__ = ["TESTS", "MetricDifference", "Pairs", "differences_of"]

TESTS = {
    (True, True): "McNemar's test, Tango's interval",
    (True, False): "score test, Newcombe's interval",
    (False, True): "paired t test",
    (False, False): "Welch's t test",
}
"""How a metric is compared, by whether it is a share and whether rows are paired."""


@dataclass(frozen=True, kw_only=True)
class MetricDifference:
    """A metric in two samples: two runs, or two variants.

    Parameters
    ----------
    metric, words : str
        Key and words of the metric.
    share : bool
        Whether it is a share.
    rows_a, rows_b : int
        Rows that are trials of it; if rows are paired, of it in both runs.
    a, b : float
        Estimates of the two, NaN without a trial.
    difference, low, high : float
        a - b with its interval.
    p : float
        Two-sided p-value of "no difference".
    p_holm : float
        The same, corrected for all comparisons that were made together.
    test : str
        By which test and interval.
    reduction : float or None
        Share of the difference's variance that pairing takes away; None if rows are not paired, NaN if nothing varies.
    """

    metric: str
    words: str
    share: bool
    rows_a: int
    rows_b: int
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    test: str
    reduction: float | None

    @property
    def found(self) -> bool:
        """Whether there is a difference, at the level of all comparisons together that the correction is for."""
        return self.p_holm < 1.0 - LEVEL


@dataclass(frozen=True)
class Pairs:
    """What is known of a metric in two samples: whole numbers, which add up exactly in any order.

    Parameters
    ----------
    a, b : Evidence
        Of the first and of the second; of pairs: of the rows that are trials in both.
    product : int
        Sum of the products of paired values, in squared steps; of a share the rows that are seen in both.
    """

    a: Evidence
    b: Evidence
    product: int

    @classmethod
    def none(cls) -> "Pairs":
        """Give what is known without a row."""
        return cls(Evidence.none(), Evidence.none(), 0)

    @classmethod
    def of(cls, metric: Metric, a: FloatArray, b: FloatArray) -> "Pairs":
        """Give what paired values (n,) say, NaN where a row is no trial."""
        both = ~(np.isnan(a) | np.isnan(b))
        one, other = (whole_steps(values[both], metric.steps or 1) for values in (a, b))
        return cls(Evidence.of(one), Evidence.of(other), exact_dot(one, other))

    def __add__(self, other: "Pairs") -> "Pairs":
        return Pairs(self.a.add(other.a), self.b.add(other.b), self.product + other.product)

    @property
    def gap(self) -> Evidence:
        """What is known of the differences of paired rows."""
        a, b, both = self.a, self.b, self.product
        return Evidence(a.n, a.total - b.total, a.squares + b.squares - 2 * both)

    @property
    def reduction(self) -> float:
        """Share of the difference's variance that pairing takes away; NaN if nothing varies."""
        return float(variance_reduction(self.a.variance, self.b.variance, self.gap.variance))

    def difference(self, metric: Metric, *, paired: bool) -> Difference:
        """Give a - b in the metric's unit, its interval and its p-value, by the test of `TESTS`."""
        a, b, both = self.a, self.b, self.product
        if metric.is_share and paired:
            return paired_shares(both, a.total - both, b.total - both, a.n - a.total - b.total + both, LEVEL)
        if metric.is_share:
            return newcombe(a.total, a.n, b.total, b.n, LEVEL)
        steps = metric.steps or 1
        if paired:
            return paired_means(self.gap.n, self.gap.total / steps, self.gap.squares / steps**2, LEVEL)
        one, other = ((each.n, each.mean(metric) if each.n else 0.0, each.variance / steps**2) for each in (a, b))
        return welch(*one, *other, LEVEL)


def differences_of(compared: Sequence[tuple[str, Metric, Pairs]], *, paired: bool) -> tuple[MetricDifference, ...]:
    """Compare metric by metric, and correct the p-values for the number of comparisons.

    Parameters
    ----------
    compared : sequence of (str, Metric, Pairs)
        Key of each comparison, what is compared, and what is known of it.
    paired : bool
        Whether rows are compared one by one.
    """
    found = [sums.difference(metric, paired=paired) for _, metric, sums in compared]
    corrected = holm([float(each.p) for each in found])
    return tuple(
        MetricDifference(
            metric=key,
            words=metric.words,
            share=metric.is_share,
            rows_a=sums.a.n,
            rows_b=sums.b.n,
            a=sums.a.mean(metric),
            b=sums.b.mean(metric),
            difference=float(gap.estimate),
            low=float(gap.low),
            high=float(gap.high),
            p=float(gap.p),
            p_holm=float(p_holm),
            test=TESTS[metric.is_share, paired],
            reduction=sums.reduction if paired else None,
        )
        for (key, metric, sums), gap, p_holm in zip(compared, found, corrected, strict=True)
    )

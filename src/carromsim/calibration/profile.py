"""Profile likelihood: how far a coefficient can be moved before the best fit of everything else is too bad.

Unlike an interval from the curvature at the best fit, it is right for what the data bound on one side only, and finds
what they cannot tell at all.
"""

import math
from dataclasses import dataclass

from carromsim.calibration.fit import LIMITS, NAMES, Fit, Problem, find_root, slippery

_FLAT = 0.02
"""Rise of chi-square, relative to the limit's, half way to an end; a parabola has 0.25."""


@dataclass(frozen=True)
class Range:
    """What the data say about one coefficient.

    Attributes
    ----------
    value : float
        Best fit.
    low, high : float
        Ends of the interval, at most the limits of the coefficient.
    low_open, high_open : bool
        Whether the interval ends there at the limit and not because of the data.
    flat : bool
        Whether nothing between the best fit and one of the ends fits worse. Not looked for if no end is open.
    """

    value: float
    low: float
    high: float
    low_open: bool
    high_open: bool
    flat: bool


class Profile:
    """Chi-square above its minimum as a function of one coefficient, everything else fitted.

    Parameters
    ----------
    problem : Problem
    best : Fit
        Its minimum.
    index : int
        Of the coefficient.
    guess : float
        Of its standard error, where to look first.
    """

    def __init__(self, problem: Problem, best: Fit, index: int, guess: float) -> None:
        self.problem, self.best, self.index, self.guess = problem, best, index, guess
        self.limits = LIMITS[NAMES[index]]
        self.fits = {float(best.coefficients[index]): best}

    def rise(self, value: float) -> float:
        """Give chi-square at a value of the coefficient, less its minimum, >= 0."""
        if value not in self.fits:
            near = self.fits[min(self.fits, key=lambda known: abs(known - value))]
            starts = [near.coefficients.copy(), slippery(near.coefficients)]
            for start in starts:
                start[self.index] = value
            starts.append(self.problem.sticky(starts[0]))
            starts[-1][self.index] = value
            self.fits[value] = self.problem.best(starts, self.index, near.unseen)
        return max(self.fits[value].chi2 - self.best.chi2, 0.0)

    @property
    def lowest(self) -> Fit:
        """The best of all fits so far: better than the minimum if that is not the only one."""
        return min(self.fits.values(), key=lambda fit: fit.chi2)

    def range(self, limit: float) -> Range:
        """Find the interval in which chi-square rises by less than `limit`."""
        value = float(self.best.coefficients[self.index])
        low, low_open = self._end(value, self.limits[0], limit)
        high, high_open = self._end(value, self.limits[1], limit)
        flat = any(self._is_flat(value, end, limit) for end in (low, high)) if low_open or high_open else False
        return Range(value, low, high, low_open, high_open, flat)

    def _is_flat(self, value: float, end: float, limit: float) -> bool:
        return abs(end - value) > 1e-6 and self.rise(0.5 * (value + end)) < _FLAT * limit

    def _end(self, value: float, last: float, limit: float) -> tuple[float, bool]:
        """Walk from the best fit towards a limit of the coefficient until chi-square is too high, then find where."""
        low, high = self.limits
        first = min(max(1.02 * math.sqrt(limit) * self.guess, 1e-4 * (high - low)), 0.25 * (high - low))
        inside, step = value, math.copysign(first, last - value)
        while True:  # each step is a quarter of the way so far, or more
            outside = inside + step
            if abs(outside - value) >= abs(last - value):
                outside = last
            rise = self.rise(outside)
            if rise >= limit:
                break
            if outside == last:
                return last, True
            further = 1.2 * (math.sqrt(limit / max(rise, 1e-12)) - 1.0)  # as if it were a parabola
            inside, step = outside, (outside - value) * min(max(further, 0.25), 2.0)
        width = abs(outside - value)
        root = find_root(lambda x: math.sqrt(self.rise(x)) - math.sqrt(limit), inside, outside, 3e-3 * width)
        return root, False

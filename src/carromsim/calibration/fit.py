"""The joint fit: coefficients and the true values behind all measurements, by maximum likelihood.

Errors are normal with known standard deviations, so that the likelihood is least squares. What nobody sees exactly,
such as the speed before a hit, is fitted along with the coefficients ("errors in variables"), held by its measurement.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carromsim.calibration.kinds import KINDS
from carromsim.calibration.laws import Coefficients, FloatArray, Setting
from carromsim.calibration.measurements import Measurement, Measurements
from carromsim.equipment import STRIKER, Equipment

LIMITS: Mapping[str, tuple[float, float]] = {
    "mu_surface": (1e-4, 1.0),
    "e_cushion": (0.0, 1.0),
    "mu_cushion": (0.0, 1.0),
    "e_disc": (0.0, 1.0),
    "mu_disc": (0.0, 1.0),
}
"""Where coefficients are looked for, in the order of `Coefficients`."""

NAMES = Coefficients._fields
_N = len(NAMES)

_STEP = 1e-7
"""Of the difference quotients, relative to values of order one."""

_ROUNDING = 8.0 * np.finfo(np.float64).eps

_LOW, _HIGH = np.array([LIMITS[name] for name in NAMES]).T

_ANCHOR = 1e-3
"""Pull of each unknown towards where its fit begins, in standard errors per unit: nothing against any measurement, but
enough to keep in place what no measurement depends on."""

_SLIPPERY = 0.02

_JUST = 1e-4
"""By how much livelier discs are than those whose rims begin to stick, as a start of a fit (restitution)."""

_TOLERANCE = 1e-7
"""Of chi-square and of the unknowns, relative. Finer, a fit creeps along where contacts begin to stick."""

_MOST_STEPS = 60
"""Of a fit; most take five. Where friction and speeds are known by their ratio only, there is no end to be reached."""


class NeedsScipy(ImportError):
    """The fit needs an extra that is not installed."""

    def __init__(self) -> None:
        super().__init__("calibration needs scipy; install the extra: pip install 'carromsim[calibrate]'")


def least_squares(*arguments: Any, **options: Any) -> Any:
    """Call scipy's least squares, which is loaded here and not before."""
    try:
        from scipy.optimize import least_squares as solve
    except ImportError:
        raise NeedsScipy from None
    return solve(*arguments, **options)


def find_root(function: Callable[[float], float], a: float, b: float, tolerance: float) -> float:
    """Find where a function of different signs at a and b is zero."""
    from scipy.optimize import brentq

    return float(brentq(function, a, b, xtol=tolerance))


def tail_probability(chi2: float, dof: int) -> float:
    """Chance of so great a chi-square or a greater one."""
    from scipy.special import chdtrc

    return float(chdtrc(dof, chi2))


@dataclass(frozen=True)
class Fit:
    """A minimum of chi-square.

    Attributes
    ----------
    coefficients : (5,) float64
        In the order of `Coefficients`.
    unseen : (k,) float64
        True values behind the measurements.
    residuals : (r,) float64
        (expected - measured) / standard error.
    chi2 : float
    """

    coefficients: FloatArray
    unseen: FloatArray
    residuals: FloatArray
    chi2: float


class _Group:
    """All measurements of one kind as arrays."""

    def __init__(self, kind: str, rows: Sequence[Measurement], places: Sequence[int], equipment: Equipment) -> None:
        self.kind = KINDS[kind]
        self.keys = [key for key in self.kind.measured if any(key in row.values for row in rows)]
        table = {key: np.array([row.values.get(key, np.nan) for row in rows]) for key in self.kind.measured}
        self.first = self.kind.start(table, max(equipment.mu_surface, 0.02) * equipment.gravity)
        data = np.array([table[key] for key in self.keys])
        self.seen = ~np.isnan(data)
        self.data = data[self.seen]
        errors = np.array([[row.errors.get(key, np.nan) for row in rows] for key in self.keys])
        self.errors = errors[self.seen]
        self.places = list(places)
        self.place = np.broadcast_to(np.array(places), data.shape)[self.seen]
        self.free = np.array([[bool(keys & row.values.keys()) for row in rows] for keys in self.kind.unseen])
        given = {key: np.array([row.given[key] for row in rows]) for key in rows[0].given}
        self.setting = _setting(equipment, given)

    def slopes(self, moved: FloatArray, base: FloatArray) -> FloatArray:
        """Difference quotients of what is measured, in units of its standard errors, (r,)."""
        change = (moved - base)[self.seen]
        change[np.abs(change) <= _ROUNDING * np.abs(base[self.seen])] = 0.0  # else the fit runs after rounding errors
        slopes: FloatArray = change / (_STEP * self.errors)
        return slopes

    def expected(self, coefficients: FloatArray, unseen: FloatArray) -> FloatArray:
        """Give the expected values of all that is measured anywhere in the group, (keys, n)."""
        told = self.kind.law(Coefficients(*coefficients.tolist()), unseen, self.setting)
        return np.array([told[key] for key in self.keys])


def _setting(equipment: Equipment, given: dict[str, FloatArray]) -> Setting:
    radius = float(equipment.radius[STRIKER])
    return Setting(
        gravity=equipment.gravity,
        first_run=equipment.side - equipment.base_line_distance - radius,
        run=equipment.side - 2.0 * radius,
        beta_disc=equipment.beta_disc,
        beta_cushion=equipment.beta_cushion,
        v_c_disc=equipment.v_c_disc,
        v_c_cushion=equipment.v_c_cushion,
        given=given,
    )


def slippery(coefficients: FloatArray) -> FloatArray:
    """Give the coefficients with rims that hardly rub, as a start of a fit.

    Where rims stick, no measurement depends on their friction, and no slope leads to a better one; where they slide,
    some slope does.
    """
    return np.where([name in ("mu_disc", "mu_cushion") for name in NAMES], _SLIPPERY, coefficients)


class Problem:
    """Chi-square of all measurements as a function of coefficients and unseen true values."""

    def __init__(self, measurements: Measurements) -> None:
        self.groups = []
        for kind in KINDS:
            places = [place for place, row in enumerate(measurements.rows) if row.kind == kind]
            rows = [measurements.rows[place] for place in places]
            if rows:
                self.groups.append(_Group(kind, rows, places, measurements.equipment))
        self.measurement: NDArray[np.int64] = np.concatenate([group.place for group in self.groups])
        """Of each residual: the measurement that it belongs to."""
        self.touched = frozenset[str]().union(*(group.kind.coefficients for group in self.groups))
        """Coefficients on which some measurement may depend."""

    def sticky(self, coefficients: FloatArray) -> FloatArray:
        """Give the coefficients with discs just so lively that the rims of all cuts stick, as a start of a fit.

        Where rims slide, no throw depends on restitution. From livelier discs a step may lead among those that slide,
        where the fit would stay; from these it leads away from them.
        """
        start = coefficients.copy()
        for group in self.groups:
            if group.kind is KINDS["cut"]:
                mu = max(float(coefficients[NAMES.index("mu_disc")]), _SLIPPERY)
                steepest = float(np.tan(np.abs(group.first[0])).max())
                e = (1.0 + group.setting.beta_disc) * steepest / (3.0 * mu) - 1.0
                start[NAMES.index("e_disc")] = min(max(e + _JUST, 0.0), 1.0)
        return start

    def best(self, starts: Sequence[FloatArray], fixed: int | None = None, unseen: FloatArray | None = None) -> Fit:
        """Fit from several places, as `fit` does, and take the best."""
        return min((self.fit(start, fixed, unseen) for start in starts), key=lambda fit: fit.chi2)

    def fit(self, coefficients: FloatArray, fixed: int | None = None, unseen: FloatArray | None = None) -> Fit:
        """Find the least chi-square.

        Parameters
        ----------
        coefficients : (5,) float64
            Where to begin.
        fixed : int, optional
            Coefficient that keeps its value.
        unseen : (k,) float64, optional
            Where to begin with the true values; default: what the measurements suggest.
        """
        if unseen is None:
            unseen = np.concatenate([group.first[group.free] for group in self.groups])
        loose = [i for i, name in enumerate(NAMES) if i != fixed and name in self.touched]
        columns = np.array([*loose, *range(_N, _N + len(unseen))], dtype=np.intp)
        whole = np.concatenate([coefficients, unseen])
        low = np.append(_LOW[loose], np.full(len(unseen), -np.inf))
        high = np.append(_HIGH[loose], np.full(len(unseen), np.inf))

        def filled(x: FloatArray) -> FloatArray:
            full = whole.copy()
            full[columns] = x
            return full

        if not len(columns):  # nothing is loose, and a fit of nothing fails with some versions of NumPy
            final = self.residuals(whole)
            return Fit(whole[:_N], whole[_N:], final, float(final @ final))

        start = np.clip(whole[columns], low, high)
        anchor = _ANCHOR * np.identity(len(columns))
        found = least_squares(
            lambda x: np.append(self.residuals(filled(x)), _ANCHOR * (x - start)),
            start,
            jac=lambda x: np.vstack([self.jacobian(filled(x))[:, columns], anchor]),
            bounds=(low, high),
            method="dogbox",
            ftol=_TOLERANCE,
            xtol=_TOLERANCE,
            max_nfev=_MOST_STEPS,
        )
        best = filled(found.x)
        final = self.residuals(best)
        return Fit(best[:_N], best[_N:], final, float(final @ final))

    def residuals(self, x: FloatArray) -> FloatArray:
        """Give (expected - measured) / standard error, for coefficients followed by unseen values."""
        parts = [(group.expected(x[:_N], z)[group.seen] - group.data) / group.errors for group, z in self._split(x)]
        return np.concatenate(parts)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Give the derivatives of the residuals, by difference quotients: (r, 5 + k)."""
        result = np.zeros((len(self.measurement), len(x)))
        row, column = 0, _N
        for group, z in self._split(x):
            base, rows = group.expected(x[:_N], z), slice(row, row + len(group.data))
            for i, name in enumerate(NAMES):
                if name in group.kind.coefficients:
                    moved = group.expected(x[:_N] + _STEP * (np.arange(_N) == i), z)
                    result[rows, i] = group.slopes(moved, base)
            own = column - 1 + np.cumsum(group.free).reshape(group.free.shape)  # column of each true value that is free
            _, of = np.nonzero(group.seen)
            for j, free in enumerate(group.free):
                moved = group.expected(x[:_N], z + _STEP * (np.arange(len(z)) == j)[:, np.newaxis])
                found = np.flatnonzero(free[of])
                result[row + found, own[j, of[found]]] = group.slopes(moved, base)[found]
            row, column = rows.stop, column + int(group.free.sum())
        return result

    def slopes(self, best: Fit) -> FloatArray:
        """Give the derivatives of the residuals at a fit, (r, 5 + k)."""
        return self.jacobian(np.concatenate([best.coefficients, best.unseen]))

    def freedom(self, place: int) -> int:
        """Count what a measurement gives beyond the true values that are fitted to it, at least 1."""
        group, own = self._find(place)
        return max(int(group.seen[:, own].sum()) - int(group.free[:, own].sum()), 1)

    def expected(self, best: Fit, place: int) -> dict[str, float]:
        """Give what the fit expects of all that was measured in a measurement."""
        group, own = self._find(place)
        z = next(z for other, z in self._split(np.concatenate([best.coefficients, best.unseen])) if other is group)
        values = group.expected(best.coefficients, z)[:, own]
        return {
            key: float(value) for key, value, seen in zip(group.keys, values, group.seen[:, own], strict=True) if seen
        }

    def _find(self, place: int) -> tuple[_Group, int]:
        """Find the group of a measurement and its number in there."""
        return next((group, group.places.index(place)) for group in self.groups if place in group.places)

    def _split(self, x: FloatArray) -> Iterator[tuple[_Group, FloatArray]]:
        """Yield each group with its true values, (unseen, n)."""
        at = _N
        for group in self.groups:
            z = group.first.copy()
            count = int(group.free.sum())
            z[group.free] = x[at : at + count]
            at += count
            yield group, z

"""What a calibration found: verdicts in words, as a dictionary and as an equipment file."""

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from carromsim.calibration.fit import LIMITS, NAMES, Fit, Problem, slippery, tail_probability
from carromsim.calibration.laws import FloatArray
from carromsim.calibration.measurements import Measurements
from carromsim.calibration.profile import Profile, Range
from carromsim.equipment import Equipment
from carromsim.stats import normal_quantile
from carromsim.tables.files import write_whole
from carromsim.toml import toml_value

LEVEL = 0.95
"""Of the intervals."""

MISFIT = 0.05
"""Probability of so great a chi-square by chance, below which the standard errors are taken to be too small."""

ADVICE: Mapping[str, str] = {
    "mu_surface": "slides: start speed and distance, or distance and time",
    "e_cushion": "straight rebounds: speeds before and after",
    "mu_cushion": "slanting rebounds: speeds towards and along the cushion, before and after",
    "e_disc": "head-on hits: speeds before and after, or how far both discs slide",
    "mu_disc": "cuts of 45 to 70 degrees: the angle of throw, or spin and speed of the man",
}
"""What to measure in order to know a coefficient."""

_LOWER = 1e-3
"""In chi-square: by so much a fit on the way must be better than the best one for that to be looked for again."""

_MOST_RESTARTS = 5

_AT_LIMIT = 0.01
"""Share of the interval: a best fit nearer than that to the coefficient's own limit is no value, but a bound."""

_SIGNATURE = "# Written by carromsim calibrate"


@dataclass(frozen=True)
class Found:
    """What the data say about one coefficient.

    Attributes
    ----------
    name : str
        Field of `Equipment`.
    status : {"found", "at least", "at most", "unknown"}
        Whether the data give a value, bound it on one side, or cannot tell.
    value : float or None
        Best fit; None unless found.
    low, high : float or None
        95 % interval; None where the data set no end.
    """

    name: str
    status: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def verdict(self) -> str:
        """In words: the value and its interval, a bound, or that the data cannot tell, and what would help."""
        advice = f"to know it, add {ADVICE[self.name]}"
        if self.status == "unknown":
            return f"the data cannot tell; {advice}"
        if self.status == "found":
            return f"{self.written(self.value)} ({self.written(self.low)} to {self.written(self.high)})"
        return f"{self.bound}; {advice}"

    @property
    def bound(self) -> str:
        """The one-sided bound, in words: "at least 0.12"."""
        return f"{self.status} {self.written(self.high if self.low is None else self.low)}"

    def written(self, number: float | None) -> str:
        """Write a number as precisely as the interval deserves: its half width to two digits, to one from 3 on."""
        if number is None:
            return ""
        half = 0.0 if self.low is None or self.high is None else 0.5 * (self.high - self.low)
        if half == 0.0:
            return f"{number:.2f}" if number >= 0.095 else f"{number:.2g}"
        size = math.floor(math.log10(half))
        places = -size if half >= 2.95 * 10.0**size else 1 - size
        return f"{number:.{min(max(places, 1), 6)}f}"


@dataclass(frozen=True)
class Disagreement:
    """A measurement against the fit.

    Attributes
    ----------
    kind, label : str
        Which.
    deviation : float
        Distance from the fit in standard errors, over all that was measured.
    suspicious : bool
        Whether a distance like that, among so many measurements, has a chance below 5 %.
    measured, expected : mapping of str to float
        SI units.
    """

    kind: str
    label: str
    deviation: float
    suspicious: bool
    measured: Mapping[str, float]
    expected: Mapping[str, float]


@dataclass(frozen=True)
class Calibration:
    """Coefficients of a board, as far as its measurements tell.

    Attributes
    ----------
    measurements : Measurements
    found : mapping of str to Found
        By the names of `Equipment`.
    chi2 : float
        Sum of squared deviations in standard errors.
    dof : int
        Degrees of freedom: how many numbers could have disagreed.
    p_value : float or None
        Chance of so great a chi-square or a greater one if the standard errors are right; None if there is no degree
        of freedom.
    widened : float
        Factor by which the intervals are wider because that chance is below 5 %; 1 else.
    worst : Disagreement or None
        The measurement that disagrees most; None without degrees of freedom.
    """

    measurements: Measurements
    found: Mapping[str, Found]
    chi2: float
    dof: int
    p_value: float | None
    widened: float
    worst: Disagreement | None

    @property
    def equipment(self) -> Equipment:
        """The board: the equipment of the measurements with what was found."""
        changes = {name: self._chosen(found) for name, found in self.found.items()}
        return self.measurements.equipment.replace(name=self.measurements.name, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers and words, for JSON."""
        found = {name: {**asdict(one), "verdict": one.verdict} for name, one in self.found.items()}
        return {
            "name": self.measurements.name,
            "equipment": self.measurements.equipment.name,
            "measurements": len(self.measurements.rows),
            "level": LEVEL,
            "coefficients": found,
            "chi2": self.chi2,
            "dof": self.dof,
            "p_value": self.p_value,
            "widened": self.widened,
            "worst": None if self.worst is None else asdict(self.worst),
        }

    def to_toml(self, folder: Path = Path()) -> str:
        """Write an equipment file with what was found and its intervals, to stand in a folder."""
        count, base, origin = len(self.measurements.rows), self.measurements.equipment, self.measurements.origin
        head = f"{_SIGNATURE} from {count} measurement{'s' if count > 1 else ''}; 95 % intervals."
        if origin is None:
            own = {"name", *self.found}
            rest = [line for line in base.to_toml().splitlines() if line.partition(" ")[0] not in own]
        else:
            path = Path(os.path.relpath(origin, folder)).as_posix() if isinstance(origin, Path) else origin
            rest = [f"extends = {toml_value(path)}"]
        lines = [head, *rest, f"name = {toml_value(self.measurements.name)}", ""]
        return "\n".join(lines + [self._line(found) for found in self.found.values()]) + "\n"

    def write(self, path: str | PathLike[str]) -> None:
        """Write `to_toml` to a file, whole or not at all.

        Raises
        ------
        FileExistsError
            If there is a file that no calibration wrote, or the one that the measurements start from.
        OSError
            If it cannot be written.
        """
        file, origin = Path(path), self.measurements.origin
        if isinstance(origin, Path) and file.exists() and file.samefile(origin):
            raise FileExistsError(f"{file}: is the equipment that the measurements start from; give another name")
        if file.is_file() and not file.read_bytes().startswith(_SIGNATURE.encode()):
            raise FileExistsError(f"{file}: is there already, and no calibration wrote it; give another name")
        write_whole(file, self.to_toml(file.parent).encode())

    def _line(self, found: Found) -> str:
        """Write one coefficient: its value and the interval, or why it is what it was."""
        base = self.measurements.equipment
        chosen, usual = self._chosen(found), float(getattr(base, found.name))
        line = f"{found.name} = {chosen:.5g}  # "
        if found.status == "found":
            return line + found.verdict
        if chosen != usual:
            return line + f"the nearest to {usual:g}, which {base.name} has; {found.verdict}"
        origin = "" if self.measurements.origin is None else "# "
        return f"{origin}{line}as {base.name} has it; {found.verdict}"

    def _chosen(self, found: Found) -> float:
        """Take the value that was found; else the usual one, moved into the interval."""
        if found.value is not None:
            return found.value
        usual = float(getattr(self.measurements.equipment, found.name))
        usual = usual if found.low is None else max(usual, found.low)
        return usual if found.high is None else min(usual, found.high)


def judge(measurements: Measurements) -> Calibration:
    """Fit all coefficients and judge each."""
    problem = Problem(measurements)
    usual = np.array([getattr(measurements.equipment, name) for name in NAMES])
    best = problem.best([slippery(usual), usual])
    for _ in range(_MOST_RESTARTS):
        slopes = problem.slopes(best)
        dof = _freedom(slopes, best)
        p_value = tail_probability(best.chi2, dof) if dof > 0 else None
        widened = math.sqrt(best.chi2 / dof) if p_value is not None and p_value < MISFIT else 1.0
        limit = (normal_quantile(LEVEL) * widened) ** 2
        variance = np.maximum(np.diag(np.linalg.pinv(slopes.T @ slopes, hermitian=True)), 0.0)
        profiles = [
            Profile(problem, best, index, math.sqrt(guess)) for index, guess in enumerate(variance[: len(NAMES)])
        ]
        ranges = [p.range(limit) if name in problem.touched else None for p, name in zip(profiles, NAMES, strict=True)]
        lowest = min((profile.lowest for profile in profiles), key=lambda fit: fit.chi2)
        if lowest.chi2 > best.chi2 - _LOWER:
            break
        best = problem.fit(lowest.coefficients, unseen=lowest.unseen)  # there was another, deeper minimum
    found = {name: _judged(name, one) for name, one in zip(NAMES, ranges, strict=True)}
    worst = _worst(problem, best, measurements) if dof > 0 else None
    return Calibration(measurements, found, best.chi2, dof, p_value, widened, worst)


def _freedom(slopes: FloatArray, best: Fit) -> int:
    """Count the numbers that say something, less those that are fitted to them; a coefficient at a limit is not."""
    limits = zip(best.coefficients, (LIMITS[name] for name in NAMES), strict=True)
    fitted = [low + 1e-6 < value < high - 1e-6 for value, (low, high) in limits] + [True] * len(best.unseen)
    telling = slopes[np.any(slopes != 0.0, axis=1)]
    size = np.linalg.norm(telling, axis=0)
    columns = (size > 0.0) & fitted
    return len(telling) - int(np.linalg.matrix_rank(telling[:, columns] / size[columns], tol=1e-5))


def _judged(name: str, range_: Range | None) -> Found:
    """Turn a range into a verdict."""
    if range_ is None or (range_.low_open and range_.high_open):
        return Found(name, "unknown", None, None, None)
    least = range_.value - range_.low < _AT_LIMIT * (range_.high - range_.low)
    most = range_.high - range_.value < _AT_LIMIT * (range_.high - range_.low)
    # The upper limit of a friction is where the search ends, not where friction does.
    if range_.high_open and (range_.flat or most or name.startswith("mu")):
        return Found(name, "at least", None, range_.low, None)
    if range_.low_open and (range_.flat or least):
        return Found(name, "at most", None, None, range_.high)
    return Found(name, "found", range_.value, range_.low, range_.high)


def _worst(problem: Problem, best: Fit, measurements: Measurements) -> Disagreement:
    """Find the measurement that is the least likely, given how many numbers it has to disagree with."""
    count = len(measurements.rows)
    squares = np.bincount(problem.measurement, best.residuals**2, count)
    chances = [tail_probability(square, problem.freedom(place)) for place, square in enumerate(squares.tolist())]
    place = min(range(count), key=lambda p: (chances[p], -squares[p]))
    row = measurements.rows[place]
    return Disagreement(
        kind=row.kind,
        label=row.label,
        deviation=math.sqrt(squares[place]),
        suspicious=chances[place] < MISFIT / count,
        measured=dict(row.values),
        expected=problem.expected(best, place),
    )

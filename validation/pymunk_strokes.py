"""Part 4: single strokes in pymunk and in the package, side by side against closed forms."""

import math
from dataclasses import dataclass

import numpy as np

import carromsim as cs
from validation import pymunk_world, report, strokes
from validation.strokes import Stroke

TOLERANCE = 1e-8
"""Of the package's places of rest [m]."""
DIRECTION_TOLERANCE = 1e-6
"""Of the direction in which a man leaves [degrees]."""
STEPS = (1e-3, 1e-4)
STRIKER, MAN = 0, 5
DAMPED_SLOWEST = 1e-3
DAMPING_FITTED_AT = 3.0
"""Speeds [m/s]: where a damped disc counts as resting, and where the damping is made to fit."""


@dataclass(frozen=True)
class Finding:
    """Of one disc of one stroke over the starting points: places of rest, (starts, 2) [m], by every method."""

    stroke: Stroke
    disc: int
    exact: np.ndarray
    uncoupled: np.ndarray
    package: np.ndarray
    pymunk: tuple[np.ndarray, ...]
    """One array per time step."""

    @property
    def name(self) -> str:
        """Stroke, and disc where there are two."""
        return self.stroke.name + (("; striker", "; man")[self.disc] if len(self.stroke.discs) == 2 else "")

    def off(self, places: np.ndarray) -> np.ndarray:
        """Return how far places of rest are from the closed form, (starts,) [m]."""
        return np.hypot(*(places - self.exact).T)

    def turned(self, places: np.ndarray) -> np.ndarray:
        """Return how far a disc's path is turned against the closed form, (starts,) [degrees]; it started at rest."""
        start = np.array([self.stroke.discs[self.disc].x, self.stroke.discs[self.disc].y])
        angles = (np.arctan2(*(end - start).T[::-1]) for end in (places, self.exact))
        return np.abs(np.degrees(np.subtract(*angles)))


def run(quick: bool = False) -> report.Part:
    """Compare places of rest.

    Parameters
    ----------
    quick : bool
        One starting point and one time step, for the tests.
    """
    starts, steps = (1, STEPS[:1]) if quick else (20, STEPS)
    findings = [finding for stroke in strokes.all_strokes() for finding in _play(stroke, starts, steps)]
    cuts = [finding for finding in findings if finding.disc == 1 and "cut" in finding.name]
    verdicts = [
        report.Verdict(
            "carromsim, places of rest", max(float(f.off(f.package).max()) for f in findings), TOLERANCE, "m"
        ),
        report.Verdict(
            "carromsim, directions of men after a cut",
            max(float(f.turned(f.package).max()) for f in cuts), DIRECTION_TOLERANCE, "degrees",
        ),
    ]  # fmt: skip
    tables = [_places(findings, steps), _directions(cuts, steps), _damping()]
    figures = {"pymunk": _draw_places(findings, steps), "pymunk_cuts": _draw_cuts(cuts, steps)}
    return report.Part("Single strokes, beside pymunk", _text(starts), verdicts, tables, figures)


def _text(starts: int) -> str:
    disc, cushion = strokes.ON_DISC, strokes.ON_CUSHION
    return f"""
Strokes whose end is known: one or two discs that slide (friction {strokes.MU_SURFACE}), hit once (e {disc.e}, rim
friction {disc.mu}, or 0 where rims are smooth) and rebound from straight cushions (e {cushion.e}, rim friction
{cushion.mu}); striker 15 g, man 5.25 g. Where they come to rest follows from the coupled law by quadrature and from
the closed forms of impact, applied one after the other. Each stroke begins at {starts} points within the path of one
millisecond, because a time-stepping program depends on where in a step an impact falls. Errors are distances from the
closed form.

pymunk is set up as favourably as it allows. The surface is a pivot joint of at most μ m g and a gear joint of at most
(2/3) μ m g R per disc. It multiplies the elasticities and the frictions of two shapes; so discs have √e and √μ of
the pair, and cushions e/√e and μ/√μ. `collision_slop` is 0 instead of 0.1 m and there are {pymunk_world.ITERATIONS}
solver iterations instead of 10.

What remains has two causes. Its steps: impacts are seen up to one step late, so that lines of centres and places
are wrong; that shrinks with the step. And its surface: sliding and spinning brake independently there; that error
does not shrink (a velocity function with the coupled law in it would remove it). The column *no coupling* is this
second error alone (the closed forms with independent braking), and *of its own law* is the first alone. A fine step
makes pymunk agree with its own law, which shows that it is set up rightly; it has no demand to meet here."""


def _play(stroke: Stroke, starts: int, steps: tuple[float, ...]) -> list[Finding]:
    """Play one stroke from all its starting points by every method."""
    speed = math.hypot(stroke.discs[0].vx, stroke.discs[0].vy)
    begun = [stroke.back(k / starts * STEPS[0] * speed) for k in range(starts)]
    exact = np.array([strokes.ends(one) for one in begun])
    uncoupled = np.array([strokes.ends(one, strokes.Uncoupled) for one in begun])
    package = _in_package(begun)
    pymunk = [np.array([pymunk_world.ends(one, dt) for one in begun]) for dt in steps]
    return [
        Finding(stroke, k, exact[:, k], uncoupled[:, k], package[:, k], tuple(places[:, k] for places in pymunk))
        for k in range(len(stroke.discs))
    ]


def _in_package(begun: list[Stroke]) -> np.ndarray:
    """Return where the discs of equal strokes from several starting points rest in the package, (n, discs, 2) [m]."""
    n, stroke = len(begun), begun[0]
    indices = [STRIKER, MAN][: len(stroke.discs)]
    equipment = cs.Equipment.preset("icf").replace(
        name="strokes", side=stroke.side, pocket_radius=0.0, gravity=strokes.GRAVITY, mu_surface=strokes.MU_SURFACE,
        e_disc=stroke.on_disc.e, mu_disc=stroke.on_disc.mu,
        e_cushion=strokes.ON_CUSHION.e, mu_cushion=strokes.ON_CUSHION.mu,
        striker_mass=strokes.STRIKER["mass"], striker_radius=strokes.STRIKER["radius"],
        man_mass=strokes.MAN["mass"], man_radius=strokes.MAN["radius"],
    )  # fmt: skip
    pos, vel, omega = np.full((n, 20, 2), np.nan), np.zeros((n, 20, 2)), np.zeros((n, 20))
    for row, one in enumerate(begun):
        for index, disc in zip(indices, one.discs, strict=True):
            pos[row, index], vel[row, index], omega[row, index] = (disc.x, disc.y), (disc.vx, disc.vy), disc.omega
    return cs.simulate_motion(pos, vel, omega, equipment=equipment, record=False, threads=1).pos[:, indices]


def _milli(values: np.ndarray) -> str:
    """Return mean and largest, in thousandths."""
    return f"{1e3 * values.mean():.2f} / {1e3 * values.max():.2f}"


def _places(findings: list[Finding], steps: tuple[float, ...]) -> report.Table:
    rows = [
        [
            f.name, f"{1e3 * f.off(f.uncoupled).max():.2f}", *(_milli(f.off(places)) for places in f.pymunk),
            _milli(np.hypot(*(f.pymunk[-1] - f.uncoupled).T)), f"{1e3 * f.off(f.package).max():.1g}",
        ]
        for f in findings
    ]  # fmt: skip
    head = ["stroke", "no coupling", *(f"pymunk {1e3 * dt:g} ms" for dt in steps), "of its own law", "carromsim"]
    caption = "Distance of the place of rest from the closed form [mm], mean / largest of the starting points."
    return report.Table(caption, head, rows)


def _directions(cuts: list[Finding], steps: tuple[float, ...]) -> report.Table:
    rows = []
    for f in cuts:
        errors = [f.turned(places) for places in f.pymunk]
        words = [f"{error.mean():.3f} / {error.max():.3f}" for error in errors]
        rows.append([f.stroke.name, *words, f"{f.turned(f.package).max():.1g}"])
    caption = "Direction in which the man leaves, off the closed form [degrees], mean / largest."
    return report.Table(caption, ["stroke", *(f"pymunk {1e3 * dt:g} ms" for dt in steps), "carromsim"], rows)


def _damping() -> report.Table:
    """Return what pymunk's damping, common in hobby simulators, makes of the sliding distance."""
    mu_g = strokes.MU_SURFACE * strokes.GRAVITY
    # A damped disc travels (v - slowest) / -ln(damping); this makes it right at one speed.
    rate = (DAMPING_FITTED_AT - DAMPED_SLOWEST) / (0.5 * DAMPING_FITTED_AT**2 / mu_g)
    rows = []
    for speed in (0.5, 1.0, 3.0, 6.0):
        path = pymunk_world.damped_path(speed, math.exp(-rate), STEPS[0], DAMPED_SLOWEST)
        exact = 0.5 * speed**2 / mu_g
        rows.append([f"{speed:g}", f"{exact:.3f}", f"{path:.3f}", f"{path / exact - 1.0:+.0%}"])
    caption = (
        "Sliding distance if the surface is pymunk's `damping`, as in hobby simulators, fitted at "
        f"{DAMPING_FITTED_AT:g} m/s ({math.exp(-rate):.2f} of the velocity left after a second; slower than "
        f"{1e3 * DAMPED_SLOWEST:g} mm/s counts as rest)."
    )
    return report.Table(caption, ["speed [m/s]", "friction, closed form [m]", "pymunk, damped [m]", "error"], rows)


def _styles(steps: tuple[float, ...]) -> list[tuple[str, str, str]]:
    """Return label, marker and colour of each time step."""
    looks = (("o", report.RED), ("^", report.ORANGE))
    return [(f"pymunk, step {1e3 * dt:g} ms", *look) for dt, look in zip(steps, looks, strict=False)]


def _draw_places(findings: list[Finding], steps: tuple[float, ...]) -> report.Figure:
    """Draw the largest distance from the closed form, stroke by stroke."""
    figure, (axis,) = report.new_figure("Place of rest, distance from the closed form (largest)", height=5.6)
    rows, floor = np.arange(len(findings))[::-1], 1e-13

    def dots(values: list[np.ndarray], marker: str, colour: str, label: str, face: str | None = None) -> None:
        largest = [1e3 * max(float(value.max()), floor) for value in values]
        axis.semilogx(largest, rows, marker, color=colour, label=label, markerfacecolor=face)

    for k, (label, marker, colour) in enumerate(_styles(steps)):
        dots([f.off(f.pymunk[k]) for f in findings], marker, colour, label, colour)
    dots([f.off(f.uncoupled) for f in findings], "D", report.BLACK, "closed form without coupling", "none")
    dots([f.off(f.package) for f in findings], "s", report.BLUE, "carromsim", report.BLUE)
    axis.axvline(1e3 * TOLERANCE, color=report.BLUE, linestyle="--", label="carromsim's tolerance")
    axis.set(xlabel=f"distance [mm]; below {1e3 * floor:g} mm drawn there", yticks=rows)
    axis.set_yticklabels([f.name for f in findings], fontsize=7)
    axis.legend(loc="upper center", bbox_to_anchor=(0.35, -0.1), ncols=3)
    return figure


def _draw_cuts(cuts: list[Finding], steps: tuple[float, ...]) -> report.Figure:
    """Draw the error of the man's direction against the cut angle."""
    figure, axes = report.new_figure("Direction of a man after a cut, off the closed form", 2)
    for axis, word in zip(axes, ("smooth rims", "rims rub"), strict=True):
        chosen = [f for f in cuts if f.name.endswith(f"{word}; man")]
        angles = [float(f.name.split("°")[0].split()[1]) for f in chosen]
        series = [(*style, [f.turned(f.pymunk[k]) for f in chosen]) for k, style in enumerate(_styles(steps))]
        series.append(("carromsim", "s", report.BLUE, [f.turned(f.package) for f in chosen]))
        for label, marker, colour, errors in series:
            mean, largest = ([max(pick(e), 1e-14) for e in errors] for pick in (np.mean, np.max))
            axis.semilogy(angles, largest, marker + "-", color=colour, label=f"{label}, largest")
            axis.semilogy(angles, mean, marker + ":", color=colour, markerfacecolor="none", label="mean")
        axis.set(xlabel="cut angle [degrees]", ylabel="error of direction [degrees]", title=word)
    axes[0].legend(fontsize=7, loc="center")
    return figure

"""Part 1: how far and how long a spinning disc slides, against the coupled law of dry friction by quadrature."""

import json
from pathlib import Path

import numpy as np

import carromsim as cs
from oracles.sliding import Motion
from validation import report

TOLERANCE = 1e-8
"""Relative, of the stopping time, the stopping distance, and of speed, spin and path on the way."""
NEAR_TOLERANCE = 1e-6
"""The same within a millionth of the fixed ratio, where the package's table ends."""
JUDGE_TOLERANCE = 1e-10
MAN = 5
PLANE = 200.0
GOLDEN = Path(__file__).parents[1] / "tests" / "data" / "golden_sliding_spinning.json"
FIXED_RATIO = 0.6530017892055977
"""Of v / (R |omega|) as the disc comes to rest, 0.653 by Farkas et al. (2003)."""


def run(quick: bool = False) -> report.Part:
    """Compare single discs on a wide plane with the law, from v / (R |omega|) = 1/1000 to 1000.

    Parameters
    ----------
    quick : bool
        Few discs, for the tests.
    """
    ratios = np.geomspace(1e-3, 1e3, 13 if quick else 121)
    rng = np.random.default_rng(1)
    stops, halves = zip(*(_errors(ratio, *_draw(rng)) for ratio in ratios), strict=True)
    time_errors, path_errors = np.array(stops).T
    speed, spin, path = np.array(halves).T
    near = [FIXED_RATIO * (1.0 + sign * 10.0**k) for k in range(-12, -5) for sign in (-1.0, 1.0)]
    near_error = max(max(_errors(ratio, *_draw(rng))[0]) for ratio in [FIXED_RATIO, *near])
    verdicts = [
        report.Verdict("stopping time", float(time_errors.max()), TOLERANCE),
        report.Verdict("stopping distance", float(path_errors.max()), TOLERANCE),
        report.Verdict("speed at half that time, of the initial speed", float(speed.max()), TOLERANCE),
        report.Verdict("spin at half that time, of the initial spin", float(spin.max()), TOLERANCE),
        report.Verdict("path at half that time, of the stopping distance", float(path.max()), TOLERANCE),
        report.Verdict("stopping time or distance within 1e-6 of the fixed ratio", near_error, NEAR_TOLERANCE),
        report.Verdict("the quadrature itself, against the golden motions", _judge_error(), JUDGE_TOLERANCE),
    ]
    text = f"""
One disc on a plane of {PLANE:.0f} m, {len(ratios)} ratios v/(R|ω|) over six decades; speed at the rim or of the centre
0.02 to 10 m/s, radius 12 to 22 mm, friction 0.03 to 0.2, spin of either sign, drawn at random. The law is
m dv/dt = -μ m g f(ε), I dω/dt = -μ m g R t(ε) with the complete elliptic integrals in f and t (Farkas, Bartels, Unger,
Wolf, PRL 90, 248302 (2003)); its integrals along the two universal curves are taken by Chebyshev quadrature with
70-digit integrands (`tests/oracles/sliding.py`), which itself is compared with {len(_golden())} motions integrated by
DOP853. All errors are relative, the largest of all discs.

As a disc comes to rest its ratio tends to {FIXED_RATIO:.4f}. The package's table ends 4e-8 from that ratio, and a
disc that *starts* still nearer to it is treated as one at the end of the table; that costs up to 1.2e-7 of the
distance, and has a demand of its own."""
    figure = _figure(ratios, time_errors, path_errors)
    return report.Part("Stopping of sliding and spinning discs", text, verdicts, [_table()], {"stopping": figure})


def _draw(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Return speed scale [m/s], radius [m], friction and direction of spin of one disc."""
    speed = float(np.exp(rng.uniform(np.log(0.02), np.log(10.0))))
    return speed, rng.uniform(0.012, 0.022), rng.uniform(0.03, 0.2), float(rng.choice([-1.0, 1.0]))


def _slide(v: float, omega: float, radius: float, mu: float, until: float = np.inf) -> cs.Outcomes:
    """Let one man slide from the middle of the plane along x, in the package."""
    field = cs.Equipment.preset("icf").replace(
        name="plane", side=PLANE, pocket_radius=0.0, man_radius=radius, mu_surface=mu
    )
    pos, vel, spin = np.full((20, 2), np.nan), np.zeros((20, 2)), np.zeros(20)
    pos[MAN], vel[MAN, 0], spin[MAN] = 0.0, v, omega
    return cs.simulate_motion(pos, vel, spin, equipment=field, until=until, record=False, threads=1)


def _errors(
    ratio: float, scale: float, radius: float, mu: float, sign: float
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Return the relative errors of (time, path) at rest and of (speed, spin, path) at half the stopping time."""
    v, omega = scale * min(ratio, 1.0), sign * scale / max(ratio, 1.0) / radius
    law = Motion(v, omega, radius, mu * cs.Equipment.preset("icf").gravity)
    end, half = _slide(v, omega, radius, mu), _slide(v, omega, radius, mu, until=0.5 * law.t_stop)
    speed, spin, path = law.state(0.5 * law.t_stop)
    at_rest = abs(end.duration[0] / law.t_stop - 1.0), abs(end.pos[0, MAN, 0] / law.s_stop - 1.0)
    on_the_way = (
        abs(half.vel[0, MAN, 0] - speed) / v,
        abs(half.omega[0, MAN] - spin) / abs(omega),
        abs(half.pos[0, MAN, 0] - path) / law.s_stop,
    )
    return at_rest, on_the_way


def _golden() -> list[dict[str, float]]:
    """Return the golden motions of discs that touch the surface with their whole face."""
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if case["contact_ratio"] == 1.0 and case["kappa"] == 0.0]


def _judge_error() -> float:
    """Return the largest relative error of the quadrature's stopping times and distances."""
    worst = 0.0
    for case in _golden():
        law = Motion(case["v"], case["omega"], case["R"], case["mu"] * case["g"])
        time, path = abs(law.t_stop / case["t_stop"] - 1.0), abs(law.s_stop - case["s_stop"])
        # Paths below a micrometre are known to 1e-15 m only.
        worst = max(worst, time, path / max(case["s_stop"], 1e-5))
    return worst


def _table() -> report.Table:
    """Return what the coupling does to a man at 1 m/s, by the law and by the package."""
    mu, radius = 0.1, 0.0155
    mu_g = mu * cs.Equipment.preset("icf").gravity
    rows = []
    for ratio in (1000.0, 10.0, 5.0, 2.5, 1.0, FIXED_RATIO, 0.2, 0.05):
        law, got = Motion(1.0, 1.0 / ratio / radius, radius, mu_g), _slide(1.0, 1.0 / ratio / radius, radius, mu)
        rows.append(
            [
                f"{ratio:.4g}", f"{law.s_stop:.10f}", f"{got.pos[0, MAN, 0]:.10f}",
                f"{law.t_stop:.10f}", f"{got.duration[0]:.10f}", f"{law.s_stop * 2.0 * mu_g:.4f}",
            ]
        )  # fmt: skip
    caption = (
        "A man at 1 m/s, μ = 0.1. The last column is his distance in units of v²/(2 μ g), that of a disc without spin."
    )
    head = ["v/(Rω)", "distance, law [m]", "carromsim [m]", "time, law [s]", "carromsim [s]", "ratio"]
    return report.Table(caption, head, rows)


def _figure(ratios: np.ndarray, time_errors: np.ndarray, path_errors: np.ndarray) -> report.Figure:
    """Draw the law with the package's distances on it, and the errors."""
    figure, (left, right) = report.new_figure("Stopping of sliding and spinning discs", 2)
    radius, mu = 0.0155, 0.1
    mu_g = mu * cs.Equipment.preset("icf").gravity
    curve, dots = np.geomspace(0.05, 100.0, 80), np.geomspace(0.05, 100.0, 12)

    def by_law(ratio: float) -> float:
        return float(Motion(1.0, 1.0 / ratio / radius, radius, mu_g).s_stop * 2.0 * mu_g)

    def by_package(ratio: float) -> float:
        return float(_slide(1.0, 1.0 / ratio / radius, radius, mu).pos[0, MAN, 0] * 2.0 * mu_g)

    left.loglog(curve, [by_law(x) for x in curve], color=report.BLUE, label="law, by quadrature")
    left.loglog(dots, [by_package(x) for x in dots], "o", color=report.ORANGE, label="carromsim")
    left.set(xlabel="v / (R |ω|)", ylabel="stopping distance / (v² / 2μg)")
    left.legend()
    smallest = np.finfo(float).eps / 2.0  # an error of zero has no logarithm
    right.loglog(ratios, np.maximum(time_errors, smallest), "o", color=report.BLUE, label="time")
    right.loglog(ratios, np.maximum(path_errors, smallest), "^", color=report.RED, label="distance")
    right.axhline(TOLERANCE, color=report.BLACK, linestyle="--", label="tolerance")
    right.set(xlabel="v / (R |ω|)", ylabel="relative error of carromsim")
    right.legend(loc="center left")
    return figure

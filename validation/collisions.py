"""Part 2: hits of two discs, rebounds from cushions and round corners, against closed forms in 40-digit arithmetic."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mpmath as mp
import numpy as np

import carromsim as cs
from validation import exact, report

VELOCITY_TOLERANCE = 1e-10
"""Of velocity and rim speed after the impact, in units of the fastest speed before it."""
PLACE_TOLERANCE = 1e-9
"""Of places after the impact [m]."""
SIDE, CORNER = 4.0, 1.5
"""Side of the board and radius of its corners [m]."""
SPAN = 0.03
"""Time that every state is followed [s]; the impact lies within it."""
FIRST, SECOND = 0, 5
SLOWEST = 2.1e-3
"""Slower impacts are elastic by a rule of the package that ends bounces [m/s]."""
FLATTEST = 0.051
"""Rebounds from a corner flatter than 0.05 (sine of the angle) are steepened by another such rule."""


@dataclass(frozen=True)
class Case:
    """A state shortly before its impact on a second disc, or on the wall (nx, ny), or in the corner (+-1, +-1)."""

    one: exact.Disc
    two: exact.Disc | None = None
    wall: tuple[int, int] = (0, 0)


MakeCases = Callable[[np.random.Generator, cs.Equipment, int], Iterator[Case]]


@dataclass
class Errors:
    """Of one kind of impact, one entry per state: how direct it was, whether rims stuck, and the errors."""

    directness: list[float]
    sticks: list[bool]
    velocity: list[float]
    place: list[float]


def run(quick: bool = False) -> report.Part:
    """Compare random impacts on a plane without friction, unequal discs and all coefficients, with closed forms.

    Parameters
    ----------
    quick : bool
        Few states, for the tests.
    """
    draws, states = (6, 10) if quick else (150, 40)
    found = {
        name: _compare(np.random.default_rng(seed), draws, states, make)
        for seed, (name, make) in enumerate(
            {"two discs": _hits, "disc and straight cushion": _rebounds, "disc and round corner": _corners}.items(), 2
        )
    }
    verdicts = [
        verdict
        for name, errors in found.items()
        for verdict in (
            report.Verdict(
                f"{name}: velocities and rim speeds, of the fastest", max(errors.velocity), VELOCITY_TOLERANCE
            ),
            report.Verdict(f"{name}: places", max(errors.place), PLACE_TOLERANCE, "m"),
        )
    ]
    text = f"""
Two discs, a disc and a straight cushion, or a disc and a round corner of the frame, on a surface
without friction: from random places and velocities through the
impact to {1e3 * SPAN:.0f} ms after the start. {draws} sets of equipment: masses 1 to 50 g and radii 8 to 40 mm
of each disc apart, e from 0 to 1, rim friction from 0 to 1, tangential restitution β from -1 to 1, extremes included,
e constant or falling with speed as e + (1 - e) v_c/(v_c + v) with v_c to 2 m/s;
{states} states each, with centre speeds to 10 m/s, rim speeds to 5 m/s, and any directness from head-on to grazing
(slowest approach {1e3 * SLOWEST:.1f} mm/s; flattest rebound from a corner {FLATTEST}, as a sine).
The closed forms (Walton and Braun 1986) and the moment of contact
are taken in {exact.DIGITS}-digit arithmetic from the same binary numbers. The direction of the line of centres
depends on the moment of contact, so that errors of a part in 10¹² of a radius show most in grazing hits."""
    return report.Part("Hits of two discs and rebounds from the frame", text, verdicts, [_table(found)], _draw(found))


def _equipment(rng: np.random.Generator) -> cs.Equipment:
    """Return a plane without friction or pockets, with unequal discs and coefficients from all of their range."""

    def coefficient(low: float, high: float) -> float:
        return float(rng.choice([low, high, *rng.uniform(low, high, 4)]))

    return cs.Equipment.preset("icf").replace(
        name="collisions", side=SIDE, pocket_radius=0.0, mu_surface=0.0, corner="rounded", corner_size=CORNER,
        man_radius=rng.uniform(0.008, 0.04), striker_radius=rng.uniform(0.008, 0.04),
        man_mass=np.exp(rng.uniform(np.log(1e-3), np.log(0.05))),
        striker_mass=np.exp(rng.uniform(np.log(1e-3), np.log(0.05))),
        e_disc=coefficient(0.0, 1.0), e_cushion=coefficient(0.0, 1.0),
        mu_disc=coefficient(0.0, 1.0), mu_cushion=coefficient(0.0, 1.0),
        beta_disc=coefficient(-1.0, 1.0), beta_cushion=coefficient(-1.0, 1.0),
        v_c_disc=rng.choice([0.0, rng.uniform(0.0, 2.0)]), v_c_cushion=rng.choice([0.0, rng.uniform(0.0, 2.0)]),
    )  # fmt: skip


def _velocity(rng: np.random.Generator) -> np.ndarray:
    """Return a velocity of any direction, up to 10 m/s; sometimes zero."""
    speed, angle = rng.choice([0.0, rng.uniform(0.0, 10.0), rng.uniform(0.0, 1.0)]), rng.uniform(0.0, 2.0 * np.pi)
    return speed * np.array([np.cos(angle), np.sin(angle)])


def _disc(rng: np.random.Generator, place: np.ndarray, velocity: np.ndarray, mass: float, radius: float) -> exact.Disc:
    """Return a disc that flies through a place, with any spin, some time before that."""
    spin = rng.choice([0.0, rng.uniform(-5.0, 5.0) / radius])
    return exact.Disc(*(float(value) for value in (*place, *velocity, spin, mass, radius)))


def _hits(rng: np.random.Generator, eq: cs.Equipment, n: int) -> Iterator[Case]:
    """Yield states of two discs that will touch: a random contact, taken back in time."""
    while n > 0:
        normal = rng.uniform(0.0, 2.0 * np.pi)
        direction = np.array([np.cos(normal), np.sin(normal)])
        v1, v2 = _velocity(rng), _velocity(rng)
        if rng.random() < 0.2:  # all but a graze
            along = direction @ (v1 - v2)
            v1 = v1 - direction * (along - 10.0 ** rng.uniform(np.log10(SLOWEST), 0.0))
        if direction @ (v1 - v2) < SLOWEST:
            continue
        before = rng.uniform(0.1, 0.6) * SPAN
        place = direction * (eq.striker_radius + eq.man_radius)
        one = _disc(rng, -v1 * before, v1, eq.striker_mass, eq.striker_radius)
        two = _disc(rng, place - v2 * before, v2, eq.man_mass, eq.man_radius)
        if np.hypot(one.x - two.x, one.y - two.y) <= one.radius + two.radius:
            continue
        n -= 1
        yield Case(one, two)


def _rebounds(rng: np.random.Generator, eq: cs.Equipment, n: int) -> Iterator[Case]:
    """Yield states of one disc that will touch one of the four cushions."""
    limit = 0.5 * SIDE - eq.striker_radius
    while n > 0:
        wall = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)][rng.integers(4)])
        velocity = _velocity(rng)
        if velocity @ wall < SLOWEST:
            continue
        before = rng.uniform(0.1, 0.6) * SPAN
        place = wall * limit + np.array([-wall[1], wall[0]]) * rng.uniform(-0.15, 0.15)
        one = _disc(rng, place - velocity * before, velocity, eq.striker_mass, eq.striker_radius)
        n -= 1
        yield Case(one, wall=(int(wall[0]), int(wall[1])))


def _corners(rng: np.random.Generator, eq: cs.Equipment, n: int) -> Iterator[Case]:
    """Yield states of one disc that will touch one of the four round corners, and once only within the span."""
    if eq.e_cushion < 2.0 * FLATTEST:
        return  # next to no rebound is steep enough
    centre, reach = 0.5 * SIDE - CORNER, CORNER - eq.striker_radius
    cushion = _on_cushion(eq)
    while n > 0:
        signs, angle = rng.choice([-1, 1], 2), rng.uniform(0.0, 0.5 * np.pi)
        normal = signs * np.array([np.cos(angle), np.sin(angle)])
        velocity = _velocity(rng)
        approach, speed = velocity @ normal, np.hypot(*velocity)
        if approach < SLOWEST or cushion.restitution(approach) * approach < FLATTEST * speed:
            continue
        before = rng.uniform(0.1, 0.6) * SPAN
        place = signs * centre + normal * reach
        one = _disc(rng, place - velocity * before, velocity, eq.striker_mass, eq.striker_radius)
        case = Case(one, wall=(int(signs[0]), int(signs[1])))
        with mp.workdps(exact.DIGITS):
            (end,), _, _ = _closed_form(eq, case)
        if np.hypot(*(signs * [float(end.x), float(end.y)] - centre)) < reach:
            n -= 1
            yield case


def _compare(rng: np.random.Generator, draws: int, states: int, make: MakeCases) -> Errors:
    """Play random states in the package and in closed form."""
    errors = Errors([], [], [], [])
    for _ in range(draws):
        eq = _equipment(rng)
        cases = list(make(rng, eq, states))
        outcomes = _play(eq, cases)
        for row, case in enumerate(cases):
            _judge(errors, eq, case, outcomes, row)
    return errors


def _play(eq: cs.Equipment, cases: list[Case]) -> cs.Outcomes:
    """Let the package play the states to the end of the span."""
    pos, vel, omega = np.full((len(cases), 20, 2), np.nan), np.zeros((len(cases), 20, 2)), np.zeros((len(cases), 20))
    for row, case in enumerate(cases):
        for index, disc in ((FIRST, case.one), (SECOND, case.two)):
            if disc is not None:
                pos[row, index], vel[row, index], omega[row, index] = (disc.x, disc.y), (disc.vx, disc.vy), disc.omega
    return cs.simulate_motion(pos, vel, omega, equipment=eq, until=SPAN, record=False, threads=1)


def _judge(errors: Errors, eq: cs.Equipment, case: Case, outcomes: cs.Outcomes, row: int) -> None:
    """Add one state's errors."""
    scale = max(np.hypot(d.vx, d.vy) + abs(d.omega) * d.radius for d in (case.one, case.two) if d is not None)
    with mp.workdps(exact.DIGITS):
        discs, directness, sticks = _closed_form(eq, case)
        velocity, place = 0.0, 0.0
        for index, disc in zip((FIRST, SECOND), discs, strict=False):
            v, x = outcomes.vel[row, index], outcomes.pos[row, index]
            rim = abs(outcomes.omega[row, index] - disc.omega) * disc.radius
            velocity = max(velocity, float(abs(v[0] - disc.vx)), float(abs(v[1] - disc.vy)), float(rim))
            place = max(place, float(abs(x[0] - disc.x)), float(abs(x[1] - disc.y)))
    status = int(outcomes.status[row])
    errors.directness.append(directness)
    errors.sticks.append(sticks)
    errors.velocity.append(velocity / scale if status == 0 else np.inf)
    errors.place.append(place if status == 0 else np.inf)


def _closed_form(eq: cs.Equipment, case: Case) -> tuple[list[exact.Disc], float, bool]:
    """Return the discs at the end of the span, the cosine of the angle of incidence, and whether the rims stuck."""
    one = exact.precise(case.one)
    if case.two is not None:
        two = exact.precise(case.two)
        time = exact.contact_time(one, two)
        at = one.after(time), two.after(time)
        closing = mp.matrix([one.vx - two.vx, one.vy - two.vy])
        normal = mp.matrix([at[1].x - at[0].x, at[1].y - at[0].y])
        directness = float((closing.T * normal)[0] / mp.norm(closing) / mp.norm(normal))
        on_disc = exact.Contact(eq.e_disc, eq.mu_disc, eq.beta_disc, eq.v_c_disc)
        *ends, sticks = exact.collide(*at, on_disc)
    else:
        time, nx, ny = _wall_contact(eq, one, case.wall)
        directness = float((one.vx * nx + one.vy * ny) / mp.hypot(one.vx, one.vy))
        *ends, sticks = exact.rebound(one.after(time), nx, ny, _on_cushion(eq))
    return [disc.after(SPAN - time) for disc in ends], directness, sticks


def _on_cushion(eq: cs.Equipment) -> exact.Contact:
    return exact.Contact(eq.e_cushion, eq.mu_cushion, eq.beta_cushion, eq.v_c_cushion)


def _wall_contact(eq: cs.Equipment, one: exact.Disc, wall: tuple[int, int]) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Return when a disc touches a straight cushion or a corner [s], and the unit vector into it there."""
    half, (nx, ny) = mp.mpf(eq.side) / 2, wall
    if nx == 0 or ny == 0:
        return (half - one.radius - (one.x * nx + one.y * ny)) / (one.vx * nx + one.vy * ny), mp.mpf(nx), mp.mpf(ny)
    centre, reach = half - mp.mpf(eq.corner_size), eq.corner_size - one.radius
    time = exact.arc_time(one, nx * centre, ny * centre, reach)
    at = one.after(time)
    return time, (at.x - nx * centre) / reach, (at.y - ny * centre) / reach


def _table(found: dict[str, Errors]) -> report.Table:
    rows = []
    for name, errors in found.items():
        directness, velocity, place = map(np.array, (errors.directness, errors.velocity, errors.place))
        for what, chosen in (("all", directness > 0.0), ("directness above 0.1", directness > 0.1)):
            rows.append(
                [
                    f"{name}, {what}", str(chosen.sum()), f"{np.mean(np.array(errors.sticks)[chosen]):.0%}",
                    f"{np.median(velocity[chosen]):.1g}", f"{velocity[chosen].max():.1g}",
                    f"{place[chosen].max():.1g} m",
                ]
            )  # fmt: skip
    caption = "Directness is the cosine of the angle of incidence: 1 head-on, 0 grazing."
    head = ["impact", "states", "sticking", "velocity error, median", "largest", "place error, largest"]
    return report.Table(caption, head, rows)


def _draw(found: dict[str, Errors]) -> dict[str, report.Figure]:
    """Draw the error of the velocities against directness."""
    figure, axes = report.new_figure("Impacts against 40-digit closed forms", len(found))
    smallest = np.finfo(float).eps / 4.0  # an error of zero has no logarithm
    for axis, (name, errors) in zip(axes, found.items(), strict=True):
        sticks = np.array(errors.sticks)
        for which, marker, colour, label in (
            (sticks, "o", report.BLUE, "rims stick"), (~sticks, "^", report.ORANGE, "rims slide")
        ):  # fmt: skip
            x, y = np.array(errors.directness)[which], np.maximum(errors.velocity, smallest)[which]
            axis.loglog(x, y, marker, color=colour, label=label, markersize=2, alpha=0.5)
        axis.axhline(VELOCITY_TOLERANCE, color=report.BLACK, linestyle="--", label="tolerance")
        axis.set(xlabel="directness (1 = head-on)", title=name, xlim=(2e-4, 1.5), ylim=(1e-17, 1e-9))
    axes[0].set_ylabel("velocity error / fastest speed")
    axes[-1].legend(loc="center left")
    return {"collisions": figure}

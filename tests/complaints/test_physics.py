"""What people complain of in other engines' physics, each as a scene of its own.

The adversarial kinds and the comparison with the slow twin look at the same from all sides, with many more cases.
"""

import numpy as np
import pytest

import carromsim as cs
from adversarial.against_twin import tally
from adversarial.judging import Cases, deepest, empty, energy, judge, units
from carromsim_kernels.state import EventKind, Tolerances

ICF = cs.Equipment.preset("icf")
A, B = 4, 9
modes = pytest.mark.parametrize("contact", ["sequential", "compliant"])


def test_pooltool_154_no_disc_passes_through_another() -> None:
    """At certain speeds and angles a ball passes through others: by brute force, thousands of crossings of two discs.

    Where 2000 looks at the undisturbed paths find the discs deeper in each other than a micrometre, they must have hit;
    where the paths stay a micrometre apart, they must not. And breaks are those of the slow twin, event by event.
    """
    rng, n = np.random.default_rng(154), 3000
    eq = ICF.replace(side=20.0, pocket_radius=0.0)
    pos, vel, omega = empty(n)
    pos[:, [A, B]] = rng.uniform(-0.1, 0.1, (n, 2, 2))
    vel[:, [A, B]] = rng.uniform(0.0, 6.0, (n, 2, 1)) * units(rng.uniform(0.0, 2.0 * np.pi, (n, 2)))
    apart = np.hypot(*(pos[:, A] - pos[:, B]).T) > 2.0 * eq.man_radius
    pos, vel, omega = pos[apart], vel[apart], omega[apart]
    nearest = np.full(len(pos), np.inf)
    speed, brake = np.hypot(*np.moveaxis(vel[:, [A, B]], 2, 0)), eq.mu_surface * eq.gravity
    for t in np.linspace(0.0, 1.0, 2001):
        u = np.minimum(t, speed / brake)
        ways = np.where(speed > 0.0, u - 0.5 * brake * u**2 / speed, 0.0)
        places = pos[:, [A, B]] + ways[..., None] * vel[:, [A, B]]
        nearest = np.minimum(nearest, np.hypot(*(places[:, 0] - places[:, 1]).T) - 2.0 * eq.man_radius)
    hit = cs.simulate_motion(pos, vel, omega, equipment=eq, until=1.0, record=False).n_disc_hits > 0
    step = (speed.sum(axis=1) * 2.5e-4) ** 2 / (4.0 * eq.man_radius)  # nearer by this between two looks
    assert hit[nearest < -1e-6].all()
    assert not hit[nearest > 1e-6 + step].any()
    assert 200 < np.sum(nearest < -1e-6) < len(pos) - 200
    assert not tally(1, seed=154, breaks=True).failed


@modes
def test_pooltool_217_two_cushions_at_once_keep_a_disc_on_the_table(contact: str) -> None:
    """In a corner only one of two cushions is handled: on the diagonal, beside it by a bit, and from both cushions."""
    one = np.array([np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 2.0)])
    for corner in ("right_angled", "rounded", "cut_away"):
        eq = ICF.replace(contact=contact, corner=corner, pocket_radius=0.0, e_cushion=0.9)
        pos, vel, omega = empty(18)
        pos[:, A] = 0.1 * np.stack([np.repeat(one, 6), np.ones(18)], axis=1)
        if corner == "right_angled":
            pos[9:, A] = 0.37 - eq.man_radius
        vel[:, A] = 6.0 * np.stack([np.tile(one, 6), np.ones(18)], axis=1)
        assert not judge(Cases(eq, pos, vel, omega), np.random.default_rng(217))
        hits = Cases(eq, pos, vel, omega).play(record=True)
        assert np.all(hits.n_cushion_hits >= 2)


def test_pooltool_287_one_sliding_disc_is_a_stroke() -> None:
    """No mode for carrom's sliding discs, and two balls needed; #288 likewise. One disc stops by Coulomb's law."""
    speed = np.linspace(0.01, 1.05, 50)
    out = cs.simulate(cs.Layout(np.full((20, 2), np.nan)), cs.Strokes(x=0.0, speed=speed), equipment=ICF)
    brake = ICF.mu_surface * ICF.gravity
    way = out.pos[:, 0, 1] + 0.5 * ICF.side - ICF.base_line_distance
    np.testing.assert_allclose(way, speed**2 / (2.0 * brake), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(out.duration, speed / brake, rtol=1e-12)
    assert not out.n_disc_hits.any()


@modes
def test_pymunk_231_a_fast_striker_goes_through_nothing(contact: str) -> None:
    """Fast bodies tunnel, and sink into each other; pythonarcade/arcade 689 likewise: 1 to 50 m/s, which is allowed."""
    rng, n = np.random.default_rng(231), 400
    eq = ICF.replace(contact=contact)
    pos = cs.opening(eq, gap=1e-4, n=n, rotation=rng.uniform(0.0, 2.0, n)).pos.copy()
    vel, omega = np.zeros((n, 20, 2)), np.zeros((n, 20))
    side = units(rng.uniform(0.0, 2.0 * np.pi, n))
    pos[:, 0] = 0.25 * side
    vel[:, 0] = -rng.uniform(1.0, 50.0, n)[:, None] * side
    rows = Cases(eq, pos, vel, omega)
    assert not judge(rows, rng)
    out = rows.play(record=True)
    assert np.all(out._events["kind"][out._first_event[:-1]] == EventKind.DISC_HIT)  # never first the frame behind
    assert cs.simulate(cs.opening(eq), cs.Strokes(x=0.0, speed=50.0), equipment=eq).status[0] == 0


@modes
def test_box2d_501_slow_hits_keep_the_restitution_of_the_law(contact: str) -> None:
    """Slow bounces become inelastic and stick, and circles overlap; box2d 425, pybox2d 75, GDevelop 1219 likewise.

    Here slower than `Tolerances.elastic_speed`, 2 mm/s, hits are elastic: at 1 mm/s as well, and nothing sticks. Above
    it is e(v), with and without v_c.
    """
    closing = np.array([1.001e-3, 1.5e-3, 1.99e-3, 2.01e-3, 3e-3, 0.01, 0.1, 1.0])
    for e, v_c in ((0.0, 0.0), (0.5, 0.0), (0.85, 0.1)):
        eq = ICF.replace(contact=contact, mu_surface=0.0, pocket_radius=0.0, e_disc=e, v_c_disc=v_c)
        pos, vel, omega = empty(len(closing))
        pos[:, A], pos[:, B] = 0.0, [2.0 * eq.man_radius + 1e-4, 0.0]
        vel[:, A, 0] = closing
        until = 2e-4 / closing
        out = cs.simulate_motion(pos, vel, omega, equipment=eq, until=until, record=False)
        law = np.where(closing < Tolerances().elastic_speed, 1.0, (e * closing + v_c) / (closing + v_c))
        np.testing.assert_allclose(out.vel[:, B, 0] - out.vel[:, A, 0], law * closing, rtol=1e-12, atol=1e-16)
        assert deepest(eq, out.pos).max() <= 1e-9


@modes
@pytest.mark.parametrize("law", ["hertz", "linear"])
def test_rapier_630_chains_of_elastic_hits_gain_no_energy(contact: str, law: str) -> None:
    """Energy grows in chains of elastic contacts: Newton's cradle and nineteen in a hexagon, from all sides."""
    n = 60
    smooth = {"mu_disc": 0.0, "mu_cushion": 0.0, "mu_surface": 0.01, "e_disc": 1.0, "e_cushion": 1.0}
    eq = ICF.replace(contact=contact, force_law=law, pocket_radius=0.0, **smooth)
    pack = cs.opening(eq).pos[1:]
    cradle = np.stack([2.0 * eq.man_radius * (np.arange(19) - 9.0), np.zeros(19)], axis=1)[:9]
    for places, radius in ((pack, 0.16), (cradle - cradle.mean(axis=0), 0.19)):
        pos, vel, omega = empty(n)
        pos[:, 1 : 1 + len(places)] = places
        side = units(2.0 * np.pi * np.arange(n) / n)
        pos[:, 0], vel[:, 0] = radius * side, -4.0 * side
        rows, least = Cases(eq, pos, vel, omega), energy(eq, vel, omega)
        start = least.copy()
        for until in np.linspace(0.03, 0.5, 15):
            state = rows.play(until)
            now, pressed = energy(eq, state.vel, state.omega), deepest(eq, state.pos) > 1e-9
            assert not state.status.any()
            assert np.all(now[~pressed] <= (least + 1e-12 * start)[~pressed])
            least = np.where(pressed, least, now)
        assert np.all(least > 0.8 * start)  # and hardly any is lost but to the surface

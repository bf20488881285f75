"""The speculative jump: its chances are those of the formula, it is keyed by row, and off it changes nothing."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import binomtest

import carromsim as cs
from carromsim.streams import JUMP_SLOTS, Streams
from carromsim_kernels.jumps import exp_minus
from carromsim_kernels.state import EventKind

ICF = cs.Equipment.preset("icf")
RISKY = ICF.replace(jump_chance=0.3, jump_speed=4.0, jump_width=1.0)
N = 20_000


def chance(equipment: cs.Equipment, v: float) -> float:
    return equipment.jump_chance / (1.0 + math.exp(-(v - equipment.jump_speed) / equipment.jump_width))


def head_on(equipment: cs.Equipment, speed: float, n: int, **options: int) -> cs.Outcomes:
    """Let two men, in touch, hit each other in the middle of the board, n times, and stop soon after."""
    pos, vel = np.full((n, 20, 2), np.nan), np.zeros((n, 20, 2))
    pos[:, 2], pos[:, 3] = [-ICF.man_radius, 0.0], [ICF.man_radius, 0.0]
    vel[:, 2] = [speed, 0.0]
    return cs.simulate_motion(pos, vel, np.zeros((n, 20)), equipment=equipment, until=1e-3, record=False, **options)


def is_likely(count: int, n: int, p: float) -> bool:
    return bool(binomtest(count, n, p).pvalue > 1e-4)


@pytest.mark.kernel
@pytest.mark.parametrize("z", [0.0, 1e-9, 0.1, 0.6931471805599453, 1.0, 7.3, 40.0, 650.0, 1e4])
def test_the_exponential_is_one(z: float) -> None:
    assert exp_minus(z) == pytest.approx(math.exp(-z), rel=2e-13, abs=1e-300)


@pytest.mark.parametrize("speed", [2.0, 4.0, 8.0])
def test_either_disc_of_a_hit_leaves_with_the_chance_of_the_formula(speed: float) -> None:
    out = head_on(RISKY, speed, N)
    p = chance(RISKY, speed)
    for disc in (2, 3):
        assert is_likely(int(out.overboard[:, disc].sum()), N, p)
    assert is_likely(int(np.sum(out.overboard[:, 2] & out.overboard[:, 3])), N, p * p)
    gone = out.overboard == 1
    assert np.isnan(out.pos[gone]).all()
    assert np.all(out.pocket == -1)
    assert out.n_events.tolist() == (1 + out.overboard.sum(axis=1)).tolist()


def test_a_disc_leaves_in_the_first_of_several_impacts_with_their_chances() -> None:
    """A disc bounces between two cushions: it is still there after k of them with the product of the chances."""
    equipment = RISKY.replace(mu_surface=1e-6, e_cushion=1.0, corner="right_angled", pocket_radius=0.0)
    pos, vel = np.full((N, 20, 2), np.nan), np.zeros((N, 20, 2))
    pos[:, 2], vel[:, 2] = [0.0, 0.1], [5.0, 0.0]
    width = equipment.side - 2.0 * equipment.man_radius
    until = (0.5 * width + 3.0 * width) / 5.0 + 0.5 * width / 5.0  # four hits
    out = cs.simulate_motion(pos, vel, np.zeros((N, 20)), equipment=equipment, until=until, record=True)
    p = chance(RISKY, 5.0)
    for k in range(1, 5):
        left = out.n_cushion_hits[out.overboard[:, 2] == 1] == k
        assert is_likely(int(left.sum()), N, (1.0 - p) ** (k - 1) * p)
    row = int(np.flatnonzero(out.overboard[:, 2])[0])
    last = out.events(row)[-1]
    assert (last["kind"], last["a"], last["b"]) == (EventKind.OVERBOARD, 2, -1)


def test_off_the_luck_is_not_asked() -> None:
    layout = cs.opening("icf", gap=5e-5, jitter=1e-5, seed=2, n=50)
    strokes = cs.Strokes(x=np.linspace(-0.05, 0.05, 50), speed=9.0)
    first = cs.simulate(layout, strokes, seed=1)
    assert not first.overboard.any()
    np.testing.assert_array_equal(first.pos, cs.simulate(layout, strokes, seed=2).pos)
    # Chances that never come true change no bit either.
    np.testing.assert_array_equal(
        first.pos, cs.simulate(layout, strokes, equipment=RISKY.replace(jump_chance=1e-30)).pos
    )


def rows_of(numbers: Sequence[int] | slice) -> cs.Outcomes:
    layout = cs.opening("icf", gap=5e-5, jitter=1e-5, seed=2, n=200)
    strokes = cs.Strokes(x=np.linspace(-0.05, 0.05, 200)[numbers], speed=7.0)
    first = numbers.start if isinstance(numbers, slice) else numbers[0]
    return cs.simulate(cs.Layout(layout.pos[numbers]), strokes, equipment=RISKY, seed=5, first_row=first)


def test_a_row_has_its_own_luck_whatever_it_is_played_with() -> None:
    """Packs in touch: the chances of bursts are taken by the largest closing speed of each contact."""
    whole = rows_of(slice(0, 200))
    assert 0.5 < np.mean(whole.overboard.sum(axis=1)) < 6.0
    assert len(np.unique(whole.overboard, axis=0)) > 20
    for part in (slice(60, 61), slice(130, 170)):
        some = rows_of(part)
        np.testing.assert_array_equal(some.overboard, whole.overboard[part])
        np.testing.assert_array_equal(some.pos, whole.pos[part])
    assert np.all((whole.pocket >= 0) + whole.overboard + ~np.isnan(whole.pos[..., 0]) == 1)


def test_the_number_is_that_of_the_slot() -> None:
    out = head_on(RISKY, 8.0, 500, seed=9, first_row=40)
    luck = Streams(9).uniform(np.arange(40, 540), 0, JUMP_SLOTS)
    np.testing.assert_array_equal(out.overboard[:, [2, 3]], (luck < chance(RISKY, 8.0))[:, [2, 3]])


def test_a_study_carries_it_and_warns() -> None:
    study = cs.BreakStudy(strokes=400, seed=3, equipment=RISKY)
    rows = study.batch(range(400))["strokes"]
    number = np.asarray(rows.column("n_overboard"))
    assert number.sum() > 50
    assert [sum(row) for row in rows.column("overboard").to_pylist()] == number.tolist()
    assert study.batch(range(120, 180))["strokes"].equals(rows.slice(120, 60))
    (warning,) = study.summarise().warnings
    left = np.count_nonzero(number)
    assert warning.startswith(f"discs left the board in {left} of 400 strokes, by a speculative model")
    assert cs.BreakStudy(strokes=5).summarise().warnings == []


@pytest.mark.parametrize("first_row", [-1, 1.5, True])
def test_bad_first_rows_are_refused(first_row: float) -> None:
    with pytest.raises(ValueError, match=f"first_row = {first_row!r}: must be a whole number >= 0"):
        head_on(RISKY, 1.0, 2, first_row=first_row)  # type: ignore[arg-type]

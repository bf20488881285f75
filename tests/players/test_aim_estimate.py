"""What is estimated against what falls when the skill's own hand executes it."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.aim import AimKind, candidates
from carromsim.players.skill import SKILLS
from carromsim.stats import wilson
from players.positions import random_turns

BINS = 10


def attempt(rules, skill, n=400):
    """Kinds, estimates and success of the six best strokes of random positions."""
    parts = []
    for seed, men in enumerate(((9, 9), (5, 5), (2, 3))):
        turns = random_turns(rules, n, men, seed=seed, skill=skill)
        wanted = np.zeros((n, cs.N_DISCS))
        wanted[:, cs.WHITE] = 1.0
        found = candidates(turns, wanted, 6)
        rows, place = np.nonzero(found["kind"] >= 0)
        best, pos = found[rows, place], turns.pos[rows]
        strokes = cs.Strokes(x=best["x"], angle=best["angle"], speed=best["speed"], spin=best["spin"])
        done = SKILLS[skill].executed(strokes, turns.equipment, seed=seed, rows=rows, stroke=place, pos=pos)
        outcomes = cs.simulate(cs.Layout(pos), done, equipment=turns.equipment)
        fell = outcomes.pocket[np.arange(len(rows)), best["target"]] == best["pocket"]
        parts.append((best["kind"], best["estimate"], fell))
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


@pytest.mark.parametrize("skill", ["novice", "club", "expert", "champion"])
@pytest.mark.parametrize("rules", ["icf", "ukca", "bell_i"])
def test_estimates_are_frequencies(rules, skill):
    kind, estimate, fell = attempt(rules, skill)
    direct = np.isin(kind, (AimKind.DIRECT, AimKind.BACKSHOT))
    for chosen, error, worst in ((direct, 0.08, 0.12), (~direct, 0.12, 0.2)):
        bins = np.minimum((estimate[chosen] * BINS).astype(int), BINS - 1)
        n, hits, total = (np.bincount(bins, w, BINS) for w in (None, fell[chosen] * 1.0, estimate[chosen]))
        if n.sum() >= 500:  # fewer say little
            assert np.abs(hits - total).sum() / n.sum() < error
        seen = wilson(hits.astype(int), n.astype(int), 0.999)
        off = np.maximum(seen.low - total / np.maximum(n, 1), total / np.maximum(n, 1) - seen.high)
        assert off[n >= 50].max(initial=-1.0) < worst, "beyond the interval"


def test_estimates_tell_good_strokes_from_bad_ones():
    _, estimate, fell = attempt("ukca", "club", 200)
    order = np.argsort(estimate)
    fifths = [part.mean() for part in np.array_split(fell[order], 5)]
    assert fifths == sorted(fifths)
    assert fifths[-1] - fifths[0] > 0.5

"""Who goes on to the next stage."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from carromsim.studies.optimising.records import Evaluation
from carromsim_kernels.state import FloatArray

__all__ = ["distinct_best", "dominated", "front", "scalar_worth"]

DISTINCT = 0.02
"""Two breaks count as one if no coordinate differs by more than this share of the box."""


def distinct_best(
    rows: Sequence[Evaluation],
    worth: FloatArray,
    points: Mapping[int, FloatArray],
    wanted: int,
    apart: float = DISTINCT,
) -> list[Evaluation]:
    """Give the best breaks of which no two are nearly the same; if there are too few, the best of the others too.

    Parameters
    ----------
    rows : sequence of Evaluation
    worth : (n,) float64
        What each is worth.
    points : mapping of int to (k,) float64
        Where each lies in the box, by row.
    wanted : int
        How many.
    apart : float
        By how much some coordinate must differ, as a share of the box.

    Returns
    -------
    list of Evaluation
        The best first; of equally good ones the earliest.
    """
    best: list[Evaluation] = []
    spare: list[Evaluation] = []
    for k in np.argsort(-worth, kind="stable").tolist():
        if len(best) == wanted:
            break
        each = rows[k]
        near = any(np.max(np.abs(points[each.row] - points[other.row])) <= apart for other in best)
        (spare if near else best).append(each)
    return [*best, *spare][:wanted]


def worth_of(rows: Sequence[Evaluation], weights: Mapping[str, float]) -> FloatArray:
    """Give what each break is worth by each term alone, (n, k), more is better; a term that is not known: -inf."""
    found = [each.of_terms for each in rows]
    return np.array(
        [
            [np.sign(weight) * told[name].get("mean", -np.inf * weight) for name, weight in weights.items()]
            for told in found
        ]
    )


def scalar_worth(
    rows: Sequence[Evaluation], scale: Sequence[Evaluation], weights: Mapping[str, float], shares: FloatArray
) -> FloatArray:
    """Give what each break is worth if the terms have shares, each in units of its scatter from stroke to stroke.

    Parameters
    ----------
    rows : sequence of Evaluation
    scale : sequence of Evaluation
        The breaks by whose mean standard deviations the terms are scaled.
    weights : mapping of str to float
        The objective, of which the signs count.
    shares : (k,) float64
    """
    scatter = np.array([[told[name].get("sd", 0.0) for name in weights] for told in (each.of_terms for each in scale)])
    unit = scatter.mean(axis=0)
    worth: FloatArray = (worth_of(rows, weights) / np.where(unit > 0.0, unit, 1.0)) @ shares
    return worth


def dominated(worth: FloatArray) -> NDArray[np.bool_]:
    """Tell which breaks another one beats in some term and in no term falls short of; worth (n, k), more is better."""
    at_least = (worth[np.newaxis] >= worth[:, np.newaxis]).all(axis=2)
    better = (worth[np.newaxis] > worth[:, np.newaxis]).any(axis=2)
    return np.asarray(np.any(np.logical_and(at_least, better), axis=1))


def front(rows: Sequence[Evaluation], weights: Mapping[str, float], wanted: int) -> list[Evaluation]:
    """Give breaks that none of the others dominates, spread along the first term; then those of the next front.

    Parameters
    ----------
    rows : sequence of Evaluation
    weights : mapping of str to float
        The objective, of which the signs count.
    wanted : int
        How many.
    """
    left = list(rows)
    chosen: list[Evaluation] = []
    while left and len(chosen) < wanted:
        worth = worth_of(left, weights)
        out = dominated(worth)
        best = sorted(np.flatnonzero(~out).tolist(), key=lambda k: (-worth[k, 0], k))
        room = wanted - len(chosen)
        if len(best) > room:
            best = [best[round(k)] for k in np.linspace(0, len(best) - 1, room)]
        chosen += [left[k] for k in best]
        left = [row for row, beaten in zip(left, out, strict=True) if beaten]
    return chosen

"""Which rows of a run are worth looking at: typical and extreme ones, found in one pass over its parts."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import QUEEN, STRIKER
from carromsim.play.records import Ended
from carromsim.studies.optimising.plan import Stage
from carromsim.tables.batches import values_of
from carromsim_kernels.state import FloatArray, Status

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.optimising.records import Evaluation
    from carromsim.studies.runs.reading import Run

__all__ = ["ShownRow", "shown_rows"]

Scores = Mapping[str, FloatArray]
"""By what is looked for: how much each of some rows (n,) is that; NaN of one that is not at all."""


class ShownRow(NamedTuple):
    """A row that is worth looking at.

    Attributes
    ----------
    row : int
    words : str
        Why.
    board : int or None
        Of a match: which of its boards, from 0.
    """

    row: int
    words: str
    board: int | None = None


def shown_rows(run: "Run") -> list[ShownRow]:
    """Find typical and extreme rows, each once, as far as there are any.

    Parameters
    ----------
    run : Run
        Of any kind, finished or not.

    Returns
    -------
    list of ShownRow
        Of breaks: a typical one, the most men, the striker falls, the longest. Of shots: a success, a miss, the striker
        falls, the longest. Of boards: a typical one, the shortest, the longest; of matches the last board of each of
        these. Of variants: one number under the baseline and under the first other variant. Of a search: the winner,
        or both ends of the front.
    """
    kind = run.study.kind
    if kind == "optimise":
        return _of_search(run.summary())
    if kind == "variants":
        return _pair(run)
    scores = {"break": _of_breaks, "shot": _of_shots, "board": _of_play, "match": _of_play}[kind](run)
    found = _best(run, scores)
    words: dict[int, list[str]] = {}
    for what, row in found.items():
        words.setdefault(row, []).append(what)
    told = (", ".join([first, *map(_lower, more)]) for first, *more in words.values())
    return [ShownRow(row, each, _last_board(run, row)) for row, each in zip(words, told, strict=True)]


def _lower(words: str) -> str:
    return words[0].lower() + words[1:]


def _best(run: "Run", scores: "Callable[[pa.RecordBatch], Scores]") -> dict[str, int]:
    """Give for each thing that is looked for the row that is it most, the first of several, in the order of scores."""
    best: dict[str, tuple[float, int]] = {}
    order: dict[str, None] = {}
    for batch in run.batches():
        rows = values_of(batch, "row")
        for what, score in scores(batch).items():
            order[what] = None
            if np.isnan(score).all():
                continue
            place = int(np.nanargmax(score))
            if what not in best or score[place] > best[what][0]:
                best[what] = float(score[place]), int(rows[place])
    return {what: best[what][1] for what in order if what in best}


def _where(wanted: NDArray[np.bool_], values: Any) -> FloatArray:
    """Give values (n,) as scores, NaN where they are not wanted."""
    return np.where(wanted, np.asarray(values, np.float64), np.nan)


def _of_breaks(run: "Run") -> "Callable[[pa.RecordBatch], Scores]":
    counts = run.summary().counts
    middle = int(np.searchsorted(np.cumsum(counts.n_pocketed), math.ceil(counts.ok / 2)))
    lasts = counts.tallies["duration"].quantile(0.5)

    def scores(batch: "pa.RecordBatch") -> Scores:
        ok = values_of(batch, "status") == Status.OK
        fell = values_of(batch, "pocket", -1) >= 0
        men, duration = fell[:, QUEEN:].sum(axis=1), values_of(batch, "duration", math.nan)
        return {
            "Typical: as many men fall as in the median break, in the median time": _where(
                ok, -100.0 * np.abs(men - middle) - np.abs(duration - lasts)
            ),
            "The most men fall": _where(ok & (men > 0), men),
            "The striker falls": _where(ok & fell[:, STRIKER], 0.0),
            "The longest": _where(ok, duration),
        }

    return scores


def _of_shots(run: "Run") -> "Callable[[pa.RecordBatch], Scores]":
    def scores(batch: "pa.RecordBatch") -> Scores:
        ok = values_of(batch, "status") == Status.OK
        success, striker = values_of(batch, "success", -1), values_of(batch, "striker", -1)
        return {
            "The man falls": _where(ok & (success == 1), 0.0),
            "The man does not fall": _where(ok & (success == 0), 0.0),
            "The striker falls": _where(ok & (striker == 1), 0.0),
            "The longest": _where(ok, values_of(batch, "duration", math.nan)),
        }

    return scores


def _of_play(run: "Run") -> "Callable[[pa.RecordBatch], Scores]":
    middle = run.summary().counts.tallies["strokes"].quantile(0.5)

    def scores(batch: "pa.RecordBatch") -> Scores:
        finished, strokes = values_of(batch, "ended") == Ended.RULES, values_of(batch, "strokes").astype(np.float64)
        return {
            "Typical: about as many strokes as the median": _where(finished, -np.abs(strokes - middle)),
            "The shortest": _where(finished, -strokes),
            "The longest": _where(finished, strokes),
        }

    return scores


def _last_board(run: "Run", row: int) -> int | None:
    """Give the number of the last board of a row that is a match; None of what is none."""
    study: Any = run.study
    stands = run.row(row)
    if getattr(study, "unit", "") != "match" or stands is None:
        return None
    return int(values_of(stands, "boards")[0] + values_of(stands, "void_boards")[0]) - 1


def _pair(run: "Run") -> list[ShownRow]:
    """Give a number that the rules ended under the baseline and the first other variant, as long as the median."""
    study: Any = run.study
    played = run.summary().played(study.baseline)
    if played is None:
        return []
    names = [each.name for each in study.variants]
    base, other = names.index(study.baseline), names.index(study.others[0].name)
    middle = played.tallies["strokes"].quantile(0.5)

    def scores(batch: "pa.RecordBatch") -> Scores:
        rows, finished = values_of(batch, "row"), values_of(batch, "ended") == Ended.RULES
        block, variant, number = study.blocks.place(rows)
        partner = np.isin(study.blocks.rows_of(0, other, number), rows[finished])
        strokes = values_of(batch, "strokes").astype(np.float64)
        return {"pair": _where((block == 0) & (variant == base) & finished & partner, -np.abs(strokes - middle))}

    found = _best(run, scores)
    if not found:
        return []
    _, _, number = study.blocks.place(np.array([found["pair"]]))
    pair = [(names[each], int(study.blocks.rows_of(0, each, number)[0])) for each in (base, other)]
    return [ShownRow(row, f"Number {number[0]:,} under {name}", _last_board(run, row)) for name, row in pair]


def _of_search(summary: Any) -> list[ShownRow]:
    """Give the winner of a search, or both ends of the front of one that trades two terms off."""
    if summary.winner is not None:
        return [ShownRow(summary.winner.row, "The winner: the first of its strokes in the verdict")]
    verdict = summary.of(Stage.VERDICT)
    front = [each for each, good in zip(verdict, summary.undominated, strict=False) if good]
    found: dict[int, ShownRow] = {}
    for term, weight in summary.study.objective.items() if front else ():

        def worth(each: "Evaluation", term: str = term, weight: float = weight) -> float:
            return float(np.sign(weight) * summary.worth(each, term).estimate)

        row = max(front, key=worth).row
        found.setdefault(row, ShownRow(row, f"The best by {term} of those that none beats"))
    return list(found.values())

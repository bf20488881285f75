"""What a rule set makes of breaks: from outcomes to rulings, and from rulings to columns of the table `strokes`."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.outcomes import Outcomes
from carromsim.rules.adjudication import Rulings, adjudicate
from carromsim.rules.records import Colour, RecordArray, board_state
from carromsim.rules.referee import declare, facts_from_outcomes
from carromsim.rules.words import said_of_ruling
from carromsim.strokes import Strokes
from carromsim.studies.counting.laws import law_names
from carromsim.tables.batches import values_of
from carromsim_kernels.laws import QueenState, Turn
from carromsim_kernels.state import Status

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.breaks.declaration import BreakDeclaration

RULED = {
    "continue": "the breaker plays on",
    "pass": "the turn passes",
    "retry": "the break is played again",
    "board_end": "the board is over",
    "break_made": "the break counts as made",
    "any_due": "at least one due",
    "queen_covered": "the queen is covered",
    "queen_pending": "the queen has yet to be covered",
    "queen_returned": "the queen comes back",
}
"""What a ruling may say, by key, in words; the first four are the turns, of which every ruling says one."""

MOST_DUES = 127
"""Of one stroke: the ruling has 8 bits for them."""


def opening_board() -> RecordArray:
    """Give the board that white breaks: everything on it, nothing owed, no score, (1,)."""
    return board_state(break_made=False)


def rule_on_breaks(rows: range, strokes: Strokes, out: Outcomes, study: "BreakDeclaration") -> Rulings:
    """Rule on the breaks that have an outcome.

    Parameters
    ----------
    rows : range
        Their row numbers.
    strokes : Strokes
        As executed.
    out : Outcomes
        What came of them.
    study : BreakDeclaration
        Its rule set, equipment, conduct and seed.

    Returns
    -------
    Rulings
        Of the rows whose status is ok, in their order.
    """
    ok = np.flatnonzero(out.status == Status.OK)
    played = Strokes(**{name: getattr(strokes, name)[ok] for name in ("x", "angle", "speed", "spin", "seat")})
    named = [field.name for field in fields(out) if not field.name.startswith("_")]
    found = Outcomes(**{name: getattr(out, name)[ok] for name in named})
    facts = facts_from_outcomes(found, played, Colour.WHITE, study.equipment)
    boards = np.repeat(opening_board(), len(ok))
    numbers = np.arange(rows.start, rows.stop, dtype=np.int64)[ok]
    facts = declare(facts, boards, study.conduct, seed=study.seed, rows=numbers, stroke=0)
    return adjudicate(boards, facts, study.ruleset)


def told_of_break(rulings: Rulings) -> dict[str, Any]:
    """Give what a ruling, the only one, says of a break: `ruling`, `laws` and `score` of a `Take`."""
    return said_of_ruling(rulings.row(0), Colour.WHITE)


def ruling_columns(rulings: Rulings, ok: NDArray[np.bool_]) -> tuple[dict[str, Any], dict[str, NDArray[np.bool_]]]:
    """Give the columns of the table that say the rulings, and where their values are missing.

    Parameters
    ----------
    rulings : Rulings
        Of the rows that have an outcome.
    ok : (n,) bool
        Which these are.
    """
    found: dict[str, NDArray[Any]] = {
        "turn": rulings["turn"],
        "break_made": rulings.after["break_made"],
        "dues_incurred": rulings["dues_incurred"],
        "dues_paid": rulings["dues_paid"][:, 0],
        "returned_own": rulings["returned"][:, 0],
        "returned_opponent": rulings["returned"][:, 1],
        "queen_after": rulings.after["queen"],
        "queen_returned": rulings["queen_returned"],
        "laws": law_names(rulings["laws"], rulings.rules),
    }
    columns = {}
    for name, values in found.items():
        columns[name] = np.zeros(len(ok), values.dtype)
        columns[name][ok] = values
    return columns, dict.fromkeys(found, ~ok)


def seen_in_rulings(rows: "pa.RecordBatch") -> dict[str, NDArray[np.bool_]]:
    """Give what the rulings say of rows of the table `strokes` that have an outcome, (n,) by the keys of `RULED`."""
    columns = {name: values_of(rows, name) for name in ("turn", "break_made", "queen_after", "queen_returned")}
    dues, queen = values_of(rows, "dues_incurred"), columns["queen_after"]
    return {
        **{turn.name.lower(): columns["turn"] == turn for turn in Turn},
        "break_made": columns["break_made"] == 1,
        "any_due": dues > 0,
        "queen_covered": queen >= QueenState.COVERED_WHITE,
        "queen_pending": queen == QueenState.PENDING,
        "queen_returned": columns["queen_returned"] == 1,
    }

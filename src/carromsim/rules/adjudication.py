"""The referee: boards and facts in, rulings out, with the laws that decided them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.rules.records import COLOURS, RecordArray, check_boards, check_facts
from carromsim.rules.ruleset import RuleSet
from carromsim_kernels.adjudicate import adjudicate_batch
from carromsim_kernels.laws import BOARD_STATE, RULING, STROKE_FACTS, QueenState, Rule, Turn

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Rulings", "adjudicate", "deciding_fields"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Rulings:
    """What a rule set makes of n strokes, one row each.

    Attributes
    ----------
    rules : RuleSet
        That ruled.
    records : (n,) record array
        Fields: `turn` (`Turn`: 0 the shooter continues, 1 the turn passes, 2 he plays the stroke again, 3 the board has
        ended); `dues_incurred` by the shooter, without those that were declined; `dues_paid` (2,): own and opponent's
        men placed now; `returned` (2,): own and opponent's men that come back and are no dues; `queen_returned`;
        `winner` (0 white, 1 black, -1 none yet) and his `points`; `score_delta` (2,), white's and black's; `laws`: bit
        r is set if the field `Rule(r)` of the rule set decided something.
    after : (n,) record array
        The boards before the next stroke, as `board_state` makes them; at a board's end, as it ended.
    """

    rules: RuleSet
    records: RecordArray
    after: RecordArray

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        turns = np.bincount(self.records["turn"], minlength=len(Turn))
        told = ", ".join(f"{count} {turn.name.lower()}" for turn, count in zip(Turn, turns, strict=True) if count)
        return f"Rulings({self.rules.name}: {told or 'none'})"

    def __getitem__(self, field: str) -> NDArray[Any]:
        return self.records[field]

    def fields(self, row: int) -> tuple[str, ...]:
        """Name the fields of the rule set that decided a row, as in ("dues.striker", "turn.striker_ends")."""
        return deciding_fields(int(self.records["laws"][row]))

    def laws(self, row: int) -> tuple[str, ...]:
        """Name the laws that decided a row: what stands behind those fields in the rule set's file."""
        return tuple(dict.fromkeys(self.rules.law(field) for field in self.fields(row)))

    def row(self, row: int) -> dict[str, Any]:
        """Give one ruling in words and numbers, with the keys of `expect` in a file of cases."""
        ruling, after = self.records[row], self.after[row]
        told: dict[str, Any] = {
            "turn": Turn(ruling["turn"]).name.lower(),
            "dues_incurred": int(ruling["dues_incurred"]),
            "forced_returns": dict(zip(("own", "opponent"), ruling["returned"].tolist(), strict=True)),
            "dues_paid_now": int(ruling["dues_paid"][0]),
            "opponent_dues_paid_now": int(ruling["dues_paid"][1]),
            "queen_returned": bool(ruling["queen_returned"]),
            "queen_after": QueenState(after["queen"]).name.lower(),
            "on_board_after": _by_colour(after["on_board"]),
            "dues_after": _by_colour(after["dues"]),
            "score_delta": _by_colour(ruling["score_delta"]),
            "break_made_after": bool(after["break_made"]),
        }
        if ruling["winner"] >= 0:
            told["board"] = {"winner": COLOURS[ruling["winner"]], "points": int(ruling["points"])}
        return told | {"laws": list(self.laws(row))}

    def to_arrow(self) -> "pa.Table":
        """Return the rulings as a pyarrow.Table, pairs in two columns each; what a row does not have is null."""
        import pyarrow as pa

        columns: dict[str, Any] = {}
        for name in RULING.names or ():
            values = self.records[name]
            if values.ndim == 2:
                ends = COLOURS if name == "score_delta" else ("own", "opponent")
                columns |= {f"{name}_{end}": values[:, i] for i, end in enumerate(ends)}
            elif name != "laws":
                missing = self.records["winner"] < 0 if name in ("winner", "points") else None
                columns[name] = pa.array(values, mask=missing)
        named = {bits: list(self.laws(row)) for row, bits in _first_rows(self.records["laws"])}
        columns["laws"] = [named[bits] for bits in self.records["laws"].tolist()]
        return pa.table(columns)


def adjudicate(board_state: RecordArray, stroke_facts: RecordArray, rules: RuleSet | str) -> Rulings:
    """Rule on strokes.

    Parameters
    ----------
    board_state : (n,) or (1,) record array
        The board before each stroke: from `carromsim.board_state`, or `Rulings.after`.
    stroke_facts : (n,) or (1,) record array
        What happened in it: from `carromsim.stroke_facts`, or from a simulation (`carromsim.facts_from_outcomes`).
    rules : RuleSet or str
        The rule set, or what `RuleSet.load` takes.

    Returns
    -------
    Rulings
        Of n rows. Row by row or all at once, the rulings are the same.

    Raises
    ------
    ValueError
        If a board cannot be, or a stroke cannot have happened on its board; the message names field, row and value.
    """
    for name, given, layout in (
        ("board_state", board_state, BOARD_STATE),
        ("stroke_facts", stroke_facts, STROKE_FACTS),
    ):
        if not isinstance(given, np.ndarray) or given.dtype != layout or given.ndim != 1:
            raise ValueError(f"{name} must be a record array of one dimension, as carromsim.{name} makes it")
    n = len(board_state) if len(stroke_facts) == 1 else len(stroke_facts)
    if len(board_state) not in (1, n):
        raise ValueError(f"{len(board_state)} boards and {len(stroke_facts)} strokes: must be as many, or one")
    states, facts = (np.array(np.broadcast_to(given, n)) for given in (board_state, stroke_facts))
    rules = rules if isinstance(rules, RuleSet) else RuleSet.load(rules)
    check_boards(states, any_man=rules.turn.own_men == "any")
    check_facts(states, facts)
    records, after = np.zeros(n, RULING), np.zeros(n, BOARD_STATE)
    adjudicate_batch(*(each.view(np.recarray) for each in (states, facts, rules.params, records, after)))
    return Rulings(rules=rules, records=records, after=after)


def deciding_fields(laws: int) -> tuple[str, ...]:
    """Name the fields of a rule set that a ruling's `laws` stands for."""
    return tuple(rule.name.lower().replace("_", ".", 1) for rule in Rule if laws >> rule & 1)


def _by_colour(pair: NDArray[Any]) -> dict[str, int]:
    return dict(zip(COLOURS, pair.tolist(), strict=True))


def _first_rows(laws: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Give for each different value the first row that has it, and the value."""
    values, rows = np.unique(laws, return_index=True)
    return list(zip(rows.tolist(), values.tolist(), strict=True))

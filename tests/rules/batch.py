"""Case dicts by the thousand: as records for `carromsim.adjudicate`, and rulings as `expect` dicts."""

from collections.abc import Iterator
from typing import Any

import carromsim as cs
from carromsim.rules.adjudication import Rulings
from carromsim.rules.records import COLOURS, RecordArray

Case = dict[str, Any]
BEFORE = ("shooter", "breaker", "break_made", "break_attempt", "queen", "turn_pocketed_own")
PAIRS = ("on_board", "ever_pocketed", "dues", "score")
DECLARED = {"left_base": True, "board_lost_by": None, "interference": False, "technical_fouls": 0} | dict.fromkeys(
    ("bad_setup", "premature_break"), False
)


def by_colour(pair: dict[str, Any]) -> list[Any]:
    return [pair.get(colour, 0) for colour in COLOURS]


def boards(cases: list[Case]) -> RecordArray:
    before = [case["before"] for case in cases]
    fields = {name: [each[name] for each in before] for name in BEFORE}
    pairs = {name: [by_colour(each[name]) for each in before] for name in PAIRS}
    agreed = [case["options"].get("double_due_agreed", False) for case in cases]
    return cs.board_state(**fields, **pairs, double_due_agreed=agreed)


def facts(cases: list[Case]) -> RecordArray:
    strokes = [case["stroke"] for case in cases]
    plain = ("touched_piece", "crossed_front", "striker_same_pocket_as_own", "direct_hit_behind", "improper")
    fields = {name: [each[name] for each in strokes] for name in (*plain, "call_double_due")}
    fields |= {name: [each[name] for each in strokes] for name in ("decline_dues", "demand_extra")}
    fields |= {name: [each.get(name, default) for each in strokes] for name, default in DECLARED.items()}
    for piece in ("own", "opponent", "queen", "striker"):
        fields[piece] = [each["pocketed"][piece] for each in strokes]
        fields[f"overboard_{piece}"] = [each["overboard"][piece] for each in strokes]
    fell = [each.get("fell_between_strokes", {}) for each in strokes]
    fields["fell_between_strokes"] = [by_colour(each) for each in fell]
    fields["queen_fell_between_strokes"] = [each.get("queen", False) for each in fell]
    return cs.stroke_facts(**fields)


def told(rulings: Rulings) -> Iterator[dict[str, Any]]:
    """Yield each ruling as the slow referee words it, without the game."""
    for row in range(len(rulings)):
        words, after = rulings.row(row), rulings.after[row]
        del words["laws"]
        if "board" not in words:
            words["next"] = {
                "shooter": COLOURS[after["shooter"]],
                "breaker": COLOURS[after["breaker"]],
                "break_attempt": int(after["break_attempt"]),
                "ever_pocketed": dict(zip(COLOURS, after["ever_pocketed"].astype(bool).tolist(), strict=True)),
                "turn_pocketed_own": int(after["turn_pocketed_own"]),
            }
        yield words

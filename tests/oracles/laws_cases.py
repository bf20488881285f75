"""Case dicts: written by keyword or read from the decision tables of `tests/data/rule_tables.md`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oracles.laws_scene import MEN, OTHER

Case = dict[str, Any]
DATA = Path(__file__).parent.parent / "data"


def make_case(ruleset: str, white: int = 6, black: int = 5, **words: Any) -> Case:
    """Return a case: white (6 men on the board) to play against black (5), nothing happens, but for the words given.

    `own`, `opponent`, `queen_fell`, `striker` are pocketed, `over_*` leave the board; `ever`, `dues`, `score` are
    (white, black); other words go to `before` or `stroke` under their own names.
    """
    ever = words.pop("ever", (white < MEN, black < MEN))
    pairs = {name: dict(zip(OTHER, words.pop(name, (0, 0)), strict=True)) for name in ("dues", "score")}
    before = {
        "shooter": "white",
        "breaker": "white",
        "break_made": True,
        "break_attempt": 1,
        "on_board": {"white": white, "black": black},
        "pocketed": {"white": MEN - white, "black": MEN - black},
        "ever_pocketed": dict(zip(OTHER, ever, strict=True)),
        "queen": "on_board",
        **pairs,
        "turn_pocketed_own": 0,
        "boards_played": 0,
    }
    fell = {name: words.pop(name, 0) for name in ("own", "opponent")}
    fell |= {"queen": words.pop("queen_fell", False), "striker": words.pop("striker", False)}
    over = {name: words.pop(f"over_{name}", no) for name, no in (("own", 0), ("opponent", 0))}
    over |= {name: words.pop(f"over_{name}", False) for name in ("queen", "striker")}
    stroke = {
        "touched_piece": True,
        "crossed_front": True,
        "pocketed": fell,
        "overboard": over,
        "striker_same_pocket_as_own": False,
        "direct_hit_behind": False,
        "improper": False,
        "call_double_due": False,
        "decline_dues": False,
        "demand_extra": True,
    }
    options = {"double_due_agreed": True} if words.pop("double_due_agreed", False) else {}
    before |= {name: words.pop(name) for name in list(words) if name in before}
    return {"ruleset": ruleset, "options": options, "before": before, "stroke": stroke | words}


def tables() -> Iterator[tuple[str, Case, dict[str, Any]]]:
    """Yield name, case and expectation of every cell of the decision tables."""
    for table, rows in read_tables().items():
        columns = rows[0][3:] if table == "T4" else rows[0][4:]
        for row in rows[1:]:
            if table == "T4":
                last, queen, stroke = row[:3]
                start, cells = ending(last, queen, stroke), row[3:]
            else:
                start, cells = middle(table, row[:4]), row[4:]
            for ruleset, cell in zip(columns, cells, strict=True):
                if cell == "n/a":
                    continue
                if cell == "as T2":
                    twin = next(line for line in read_tables()["T2"] if line[:4] == row[:4])
                    cell = twin[4 + columns.index(ruleset)]
                words = start | foul(table, ruleset)
                if ruleset.startswith("bell"):
                    words.pop("dues", None)  # Bell knows no owed dues
                if table == "T3" and ruleset == "bell_i":
                    words["turn_pocketed_own"] = 1
                case = make_case(ruleset, **words)
                label = " ".join([table, *row[: len(row) - len(cells)], ruleset])
                yield label, case, read_cell(case, cell)


def read_tables() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for line in (DATA / "rule_tables.md").read_text().splitlines():
        if title := re.match(r"\*\*(T\d):", line):
            rows = found[title[1]] = []
        elif line.startswith("|") and not line.startswith("|---"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def middle(table: str, row: list[str]) -> dict[str, Any]:
    """Return the words of a row of T1, T2, T3, T5, T6."""
    own, opponent, queen, striker = row
    words: dict[str, Any] = {"own": int(own[0]), "opponent": int(opponent[0])}
    words |= {"queen_fell": queen == "Q", "striker": striker == "S"}
    if table in ("T2", "T5"):
        words |= {"white": 9, "black": 6, "ever": (table == "T5", True)}
    else:
        words |= {"white": 5, "black": 5}
    if table == "T3":
        words["queen"] = "pending"
    if table == "T5":
        words["dues"] = (1, 0)
    return words


def ending(last: str, queen: str, stroke: str) -> dict[str, Any]:
    """Return the words of a row of T4."""
    white, black = {"own": (1, 3), "opp": (3, 1), "both": (1, 1)}[last]
    words: dict[str, Any] = {"white": white, "black": black, "queen": queen, "score": (10, 10)}
    words |= {"own": int(last != "opp"), "opponent": int(last != "own")}
    return words | {"queen_fell": stroke.startswith("Q"), "striker": stroke.endswith("S")}


def foul(table: str, ruleset: str) -> dict[str, bool]:
    if table != "T6":
        return {}
    return {"improper": True} if ruleset == "icf" else {"direct_hit_behind": True}


def read_cell(case: Case, cell: str) -> dict[str, Any]:
    """Turn a cell like `P d2 p1 o1 Q-back` into an expectation."""
    before, fell = case["before"], case["stroke"]["pocketed"]
    if end := re.fullmatch(r"END ([WB]) (\d+)", cell):
        return {"turn": "board_end", "board": {"winner": {"W": "white", "B": "black"}[end[1]], "points": int(end[2])}}
    marks = cell.split()
    number = {mark[0]: int(mark[1:]) for mark in marks[1:] if re.fullmatch(r"[drRpo]\d+", mark)}
    rest = [mark for mark in marks[1:] if not re.fullmatch(r"[drRpo]\d+", mark)]
    paid = number.get("p", number["d"])
    owed = before["dues"]["white"] + number["d"] - paid
    assert number.get("o", owed) == owed, cell
    queens = {"Q-pend": "pending", "Q-cov": "covered_white", "Q-back": "on_board"}
    after = [queens[mark] for mark in rest if mark in queens] or [before["queen"]]
    assert [mark for mark in rest if mark not in queens] in ([], ["-1pt"]), cell
    returned = {"own": number.get("r", 0), "opponent": number.get("R", 0)}
    on_board = before["on_board"]
    return {
        "turn": {"C": "continue", "P": "pass"}[marks[0]],
        "dues_incurred": number["d"],
        "forced_returns": returned,
        "dues_paid_now": paid,
        "queen_returned": "Q-back" in rest,
        "queen_after": after[0],
        "on_board_after": {
            "white": on_board["white"] - fell["own"] + returned["own"] + paid,
            "black": on_board["black"] - fell["opponent"] + returned["opponent"],
        },
        "dues_after": {"white": owed, "black": 0},
        "score_delta": {"white": -1 if "-1pt" in rest else 0, "black": 0},
        "break_made_after": True,
    }

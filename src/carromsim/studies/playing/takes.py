"""Boards and matches as strokes to be shown one after the other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from carromsim.layouts import Layout
from carromsim.play.records import Ended
from carromsim.play.replay import Replayed, replay
from carromsim.play.setup import STROKES_OF_A_BOARD
from carromsim.rules.records import COLOURS
from carromsim.rules.ruleset import LAW_SEPARATOR
from carromsim.rules.words import said_of_ruling
from carromsim.strokes import N_SEATS, Strokes
from carromsim.studies.playing.report import ENDED, meant_in_words
from carromsim.studies.takes import Take, checked_board
from carromsim_kernels.laws import QueenState, Turn

if TYPE_CHECKING:
    from carromsim.studies.playing.declaration import PlayDeclaration

Rows = Mapping[str, list[dict[str, Any]]]
"""Rows of the tables of one board or match, by table."""


def takes_of(study: "PlayDeclaration", row: int, board: int | None) -> list[Take]:
    """Play a row again and give its strokes; see `DeclaredStudy.takes`."""
    replayed = replay(study.setup(), row)
    rows: Rows = study.replay_dict(replayed.played)
    chosen = checked_board(board, len(rows["boards"]))
    return [
        take
        for told in rows["boards"]
        if chosen in (None, told["board"])
        for take in _takes_of_board(study, replayed, rows, told)
    ]


def _takes_of_board(study: "PlayDeclaration", replayed: Replayed, rows: Rows, told: Mapping[str, Any]) -> list[Take]:
    """Give the strokes of one board, given its row in the table `boards`."""
    takes = []
    score = [told[f"score_before_{colour}"] for colour in COLOURS]
    mine = [place for place, stroke in enumerate(rows["strokes"]) if stroke["board"] == told["board"]]
    for place in mine:
        stroke = rows["strokes"][place]
        score = [points + stroke[f"score_delta_{colour}"] for points, colour in zip(score, COLOURS, strict=True)]
        ended, match, side = told if place == mine[-1] else None, "matches" in rows, stroke["player"] % 2
        said = said_of_ruling(ruling_of(stroke, ended), stroke["colour"], (0, 0) if match else score)
        if match:
            said["score"] += f"; game {told['game']}, {_by_side(score, told['white'])}"
        if ended is not None:
            said["score"] += _end(rows, ended)
        where, of_side = (f"Board {told['board']}, stroke", f" (side {side})") if match else ("Stroke", "")
        who = f"{COLOURS[stroke['colour']]}{of_side}, {study.skill[side].name or 'a hand of his own'}"
        columns = {name: [stroke[name]] for name in ("x", "angle", "speed", "spin", "seat")}
        take = Take(
            layout=Layout(replayed.layout.pos[place]),
            strokes=Strokes(**columns),
            equipment=study.equipment,
            coefficients={},
            seed=study.seed,
            row=stroke["row"],
            stroke=STROKES_OF_A_BOARD * stroke["board"] + stroke["stroke"],
            board=stroke["board"],
            title=f"{where} {stroke['stroke']}: {who} (seat {stroke['seat']})",
            meant=meant_in_words(_on_the_board(stroke)),
            **said,
        )
        takes.append(take)
    return takes


def _on_the_board(stroke: Mapping[str, Any]) -> dict[str, Any]:
    """Name the pocket aimed at as on the board, which turns with the player's seat."""
    seen = stroke["aimed_pocket"]
    return {**stroke, "aimed_pocket": None if seen is None else (seen + stroke["seat"]) % N_SEATS}


def ruling_of(stroke: Mapping[str, Any], board: Mapping[str, Any] | None) -> dict[str, Any]:
    """Give a ruling with the keys of `Rulings.row`: from the stroke's row, and its board's if it was the last."""

    def by_colour(name: str) -> dict[str, int]:
        return {colour: stroke[f"{name}_{colour}"] for colour in COLOURS}

    told = {
        "turn": Turn(stroke["turn"]).name.lower(),
        "dues_incurred": stroke["dues_incurred"],
        "forced_returns": {"own": stroke["returned_own"], "opponent": stroke["returned_opponent"]},
        "dues_paid_now": stroke["dues_paid_own"],
        "opponent_dues_paid_now": stroke["dues_paid_opponent"],
        "queen_returned": bool(stroke["queen_returned"]),
        "queen_after": QueenState(stroke["queen_after"]).name.lower(),
        "on_board_after": by_colour("on_board"),
        "dues_after": by_colour("dues"),
        "score_delta": by_colour("score_delta"),
        "laws": list(filter(None, stroke["laws"].split(LAW_SEPARATOR))),
    }
    if board is not None and board["winner"] is not None:
        told["board"] = {"winner": COLOURS[board["winner"]], "points": board["points"]}
    return told


def _by_side(score: list[int], white: int) -> str:
    """Say a score by colour as one by side."""
    sides = score if white == 0 else score[::-1]
    return ", ".join(f"side {side}: {points}" for side, points in enumerate(sides))


def _end(rows: Rows, board: Mapping[str, Any]) -> str:
    """Say what ended with a board: nothing but the board, as the rules have it; or itself without; a game, a match."""
    words = "" if board["ended"] == Ended.RULES else f"; the board is played no further: {ENDED[Ended(board['ended'])]}"
    later = rows["boards"][board["board"] + 1 :]
    game_goes_on = any(each["game"] == board["game"] for each in later)
    for what, ended in (("game", rows.get("games", [])), ("match", rows.get("matches", []))):
        for found in ended:
            mine = not game_goes_on and found["game"] == board["game"] if what == "game" else not later
            if mine and found["winner_side"] is not None:
                words += f"; side {found['winner_side']} wins the {what}"
    return words

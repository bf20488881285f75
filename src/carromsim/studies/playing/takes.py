"""Boards and matches as strokes to be shown one after the other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from carromsim.layouts import Layout
from carromsim.play.records import Ended
from carromsim.play.replay import Replayed, replay
from carromsim.play.setup import STROKES_OF_A_BOARD
from carromsim.rules.records import COLOURS
from carromsim.rules.words import ruling_in_short, stands_in_words
from carromsim.strokes import N_SEATS, Strokes
from carromsim.studies.counting.laws import LAW_SEPARATOR
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
        stands, ruling = _board_after(stroke), _ruling(stroke)
        if "matches" in rows:
            stands += f"; game {told['game']}: {_by_side(score, told['white'])}"
        if place == mine[-1]:
            ruling += _won(told)
            stands += _end(rows, told)
        where = f"Board {told['board']}, stroke" if "matches" in rows else "Stroke"
        who = f"{COLOURS[stroke['colour']]}, {study.skill[stroke['player'] % 2].name or 'a hand of his own'}"
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
            ruling=ruling,
            laws=tuple(filter(None, stroke["laws"].split(LAW_SEPARATOR))),
            score=stands,
        )
        takes.append(take)
    return takes


def _on_the_board(stroke: Mapping[str, Any]) -> dict[str, Any]:
    """Name the pocket aimed at as on the board, which turns with the player's seat."""
    seen = stroke["aimed_pocket"]
    return {**stroke, "aimed_pocket": None if seen is None else (seen + stroke["seat"]) % N_SEATS}


def _ruling(stroke: Mapping[str, Any]) -> str:
    """Say what was ruled, but for who has won."""
    return ruling_in_short(
        Turn(stroke["turn"]),
        stroke["colour"],
        dues_incurred=stroke["dues_incurred"],
        dues_paid=[stroke["dues_paid_own"], stroke["dues_paid_opponent"]],
        returned=[stroke["returned_own"], stroke["returned_opponent"]],
        queen_returned=bool(stroke["queen_returned"]),
    )


def _board_after(stroke: Mapping[str, Any]) -> str:
    """Say how the board stands after a stroke."""
    men, owed = ([stroke[f"{name}_{colour}"] for colour in COLOURS] for name in ("on_board", "dues"))
    return stands_in_words(men, QueenState(stroke["queen_after"]), owed)


def _by_side(score: list[int], white: int) -> str:
    """Say a score by colour as one by side."""
    sides = score if white == 0 else score[::-1]
    return ", ".join(f"side {side} {points}" for side, points in enumerate(sides))


def _won(board: Mapping[str, Any]) -> str:
    """Say who has won a board, if anybody has."""
    if board["winner"] is None:
        return ""
    points = board["points"]
    return f"; {COLOURS[board['winner']]} wins, {points} point{'' if points == 1 else 's'}"


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

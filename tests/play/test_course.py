"""What boards tell of their course: the laws that decided, how far the winner was behind, who cleared his men first."""

import functools

import numpy as np
import pytest

import carromsim as cs
from carromsim.play.engine import play
from carromsim.play.records import Ended, Played
from carromsim.play.setup import Start
from carromsim.players.greedy import Greedy
from carromsim.players.turns import Choice, Turns
from carromsim.rules.records import RecordArray
from carromsim.rules.ruleset import RuleSet
from carromsim_kernels.laws import Rule, Turn
from play.players import setup

WHITE, BLACK = 0, 1


@functools.cache
def played(name: str) -> Played:
    return play(setup(name, Greedy(), stroke_limit=120), range(60))


def strokes_of(boards: Played, board: RecordArray) -> RecordArray:
    return boards.strokes[(boards.strokes["row"] == board["row"]) & (boards.strokes["board"] == board["board"])]


def bits(laws: int) -> set[Rule]:
    return {rule for rule in Rule if laws & (1 << rule)}


def cleared_first(strokes: RecordArray) -> int:
    """The first colour that stands alone without a man, stroke by stroke."""
    for white, black in strokes["on_board"].tolist():
        if white == 0 and black > 0:
            return WHITE
        if black == 0 and white > 0:
            return BLACK
    return -1


def deficit(strokes: RecordArray, winner: int) -> int:
    most = 0
    for men in strokes["on_board"].tolist():
        most = max(most, men[winner] - men[1 - winner])
    return most


def deficit_in_pocketed(strokes: RecordArray, winner: int) -> int:
    """The same where every man is an own man: by men that a side has pocketed and kept."""
    has, most = [0, 0], 0
    for stroke in strokes:
        has[stroke["colour"]] += int(stroke["n_white"]) + int(stroke["n_black"])
        if stroke["turn"] != Turn.BOARD_END:  # what comes back then is not told
            has[stroke["colour"]] -= int(stroke["returned"].sum()) + int(stroke["dues_paid"].sum())
        most = max(most, has[1 - winner] - has[winner])
    return most


@pytest.mark.parametrize("name", ["ukca", "icf", "bell_i", "point"])
def test_the_course_of_a_board_is_that_of_its_strokes(name: str) -> None:
    found = played(name)
    any_man = RuleSet.load(name).turn.own_men == "any"
    behind = deficit_in_pocketed if any_man else deficit
    for board in found.boards:
        own = strokes_of(found, board)
        assert bits(board["laws"]) == set().union(*(bits(laws) for laws in own["laws"].tolist()))
        assert board["cleared_first"] == (-1 if any_man else cleared_first(own))
        assert board["deficit"] == (-1 if board["winner"] < 0 else behind(own, board["winner"]))
    over = found.boards[found.boards["ended"] == Ended.RULES]
    assert (over["deficit"] >= 3).any()
    assert (over["deficit"] == 0).any()
    assert len(np.unique(found.boards["laws"])) > 1
    assert any_man or set(over["cleared_first"].tolist()) >= {WHITE, BLACK}


def test_a_board_that_nobody_won_has_no_deficit() -> None:
    boards = play(setup(stroke_limit=7), range(5)).boards
    assert boards["deficit"].tolist() == [-1] * 5
    assert boards["cleared_first"].tolist() == [-1] * 5
    assert (boards["laws"] != 0).all()


class Sniper:
    """Pockets the white man that `before_the_pocket` places; 20 discs, seat 0."""

    def choose(self, turns: Turns) -> Choice:
        return Choice.of(cs.Strokes(x=np.zeros(len(turns)), angle=_aim()[0], speed=3.0))


def _aim() -> tuple[float, np.ndarray]:
    """Direction from the middle of the base line to the pocket ahead on the right, and where the pocket is."""
    equipment = cs.Equipment.preset("icf")
    line, corner = equipment.base_line_distance - equipment.side / 2, equipment.side / 2 - equipment.pocket_offset
    return float(np.arctan2(corner - line, corner)), np.array([corner, corner])


def last_white(queen: str | tuple[float, float], black: int) -> Start:
    """White's last man before the pocket, and some black ones out of the way."""
    angle, corner = _aim()
    man = corner - 0.1 * np.array([np.cos(angle), np.sin(angle)])
    there = {"queen": queen} if isinstance(queen, tuple) else {}
    pos = cs.arrange(white=[tuple(man)], black=[(-0.2, 0.05 * i) for i in range(black)], **there).pos
    state = cs.board_state(on_board=(1, black), queen=queen if isinstance(queen, str) else "on_board")
    return Start(pos=pos, state=state)


@pytest.mark.parametrize(
    ("queen", "winner", "deficit"), [("covered_white", WHITE, 0), ((-0.2, -0.1), BLACK, 4)], ids=["covered", "on board"]
)
def test_who_clears_his_men_first_loses_to_the_queen(
    queen: str | tuple[float, float], winner: int, deficit: int
) -> None:
    """ICF 107: the last man is pocketed while the queen is on the board, and the board is lost."""
    board = play(setup("icf", Sniper(), "perfect", start=last_white(queen, 4)), range(1)).boards[0]
    assert (board["winner"], board["cleared_first"], board["deficit"]) == (winner, WHITE, deficit)
    assert (Rule.END_OWN_LAST in bits(board["laws"])) == (winner == BLACK)


def test_laws_of_a_match_are_those_of_its_boards() -> None:
    rules = RuleSet.load("bell_i").replace({"score.target": 6})
    found = play(setup(rules=rules, policy=Greedy(), unit="match", stroke_limit=35, keep_strokes=False), range(4))
    assert (found.boards["ended"] != Ended.RULES).any(), "void boards count"
    assert len(found.boards) > len(found.matches) == 4
    for match in found.matches:
        own = found.boards[found.boards["row"] == match["row"]]
        assert bits(match["laws"]) == set().union(*(bits(laws) for laws in own["laws"].tolist()))

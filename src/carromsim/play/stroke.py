"""One stroke of each lane: choose, disturb, simulate, adjudicate, place."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim.layouts import Layout
from carromsim.outcomes import Outcomes
from carromsim.play.choosing import Aimed, aim
from carromsim.play.lanes import colour_of, noise_number
from carromsim.play.records import PLAYED_STROKE, Ended
from carromsim.play.setup import Setup
from carromsim.rules.adjudication import Rulings, adjudicate
from carromsim.rules.placement import Placed, place, put_off
from carromsim.rules.records import MOST_OWED, RecordArray
from carromsim.rules.referee import declare, facts_from_outcomes
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.score import clock_seconds, slams
from carromsim.simulation import simulate
from carromsim.strokes import N_SEATS
from carromsim_kernels.laws import QueenState, Turn
from carromsim_kernels.state import CodeArray, IntArray, Status

__all__ = ["GOES_ON", "play_strokes"]

GOES_ON = -1
"""In place of a reason why a board ended."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Played:
    """What happened in the lanes whose strokes could be simulated."""

    before: RecordArray
    aimed: Aimed
    outcomes: Outcomes
    facts: RecordArray
    rulings: Rulings
    placed: Placed
    after: RecordArray


def play_strokes(setup: Setup, lanes: RecordArray) -> tuple[CodeArray, CodeArray, RecordArray, RecordArray]:
    """Play the coming stroke of each lane; the lanes are taken on in place.

    Returns
    -------
    ended : (n,) int8
        Why the board of a lane ended, `GOES_ON` where it did not.
    status : (n,) int8
        Of the simulation.
    rulings : (n,) record array of RULING
        Zeros where there was none.
    strokes : (m,) record array of `PLAYED_STROKE`
        Of the lanes whose strokes could be simulated; none if they are not kept.
    """
    aimed = aim(setup, lanes)
    outcomes = simulate(
        Layout(lanes["pos"]),
        aimed.strokes(),
        equipment=setup.equipment,
        seed=setup.seed,
        rows=lanes["row"],
        stroke=noise_number(lanes),
        threads=1,
    )
    no_room = np.isnan(aimed.intended[:, 0])
    done = np.flatnonzero(outcomes.status == Status.OK)
    ended = np.where(no_room, Ended.NO_ROOM, Ended.FAILED).astype(np.int8)
    ended[done] = GOES_ON
    played = _judge(setup, lanes[done], aimed.take(done), _rows_of(outcomes, done))
    records = _records(played) if setup.keep_strokes else np.empty(0, PLAYED_STROKE)
    lanes[done] = _taken_on(setup, played)
    ended[done[played.rulings["turn"] == Turn.BOARD_END]] = Ended.RULES
    ended[(ended == GOES_ON) & (lanes["state"]["dues"].max(axis=1) > MOST_OWED)] = Ended.OWED
    ended[(ended == GOES_ON) & (lanes["stroke"] >= setup.stroke_limit)] = Ended.STROKE_LIMIT
    rulings = np.zeros(len(lanes), played.rulings.records.dtype)
    rulings["winner"] = -1
    rulings[done] = played.rulings.records
    return ended, np.where(no_room, Status.OK, outcomes.status).astype(np.int8), rulings, records


def _rows_of(outcomes: Outcomes, rows: NDArray[np.intp]) -> Outcomes:
    if len(rows) == len(outcomes):
        return outcomes
    named = [field.name for field in fields(outcomes) if not field.name.startswith("_")]
    return Outcomes(**{name: getattr(outcomes, name)[rows] for name in named})


def _judge(setup: Setup, lanes: RecordArray, aimed: Aimed, outcomes: Outcomes) -> _Played:
    """Let the referee rule, and the players put back what comes back."""
    states = lanes["state"].copy()
    facts = facts_from_outcomes(outcomes, aimed.strokes(), states["shooter"], setup.equipment)
    number = noise_number(lanes)
    facts = declare(facts, states, setup.conduct, seed=setup.seed, rows=lanes["row"], stroke=number)
    rulings = adjudicate(states, facts, setup.rules)
    placed = place(
        outcomes.pos,
        states,
        facts,
        rulings.records,
        setup.rules,
        setup.equipment,
        _seats_of_next(setup, lanes, rulings["turn"]),
        choose=setup.choose,
    )
    after = put_off(rulings.after, placed.waiting)
    return _Played(
        before=lanes, aimed=aimed, outcomes=outcomes, facts=facts, rulings=rulings, placed=placed, after=after
    )


def _seats_of_next(setup: Setup, lanes: RecordArray, turn: CodeArray) -> CodeArray:
    """Give the seats of the players of white and of black who play next for their sides, (n, 2) int8."""
    player = lanes["player"]
    other = setup.seating.right(player)
    # The shooter himself plays next for his side unless his turn has passed: then his partner, if he has one.
    own = np.where(turn == Turn.PASS, setup.seating.right(other), player)
    seats, rows = np.empty((len(lanes), 2), np.int8), np.arange(len(lanes))
    for next_player in (own, other):
        seats[rows, colour_of(lanes, next_player)] = setup.seating.seat(next_player, lanes["match"]["turned"])
    return seats


def _taken_on(setup: Setup, played: _Played) -> RecordArray:
    """Give the lanes after their strokes."""
    lanes, rulings, before = played.before.copy(), played.rulings, played.before["state"]
    rows, shooter = np.arange(len(lanes)), before["shooter"]
    first_turn = lanes["turns"][rows, shooter] == 1
    slam = slams(before, played.facts, rulings.records, first_turn)
    lanes["slam"] = np.stack(slam, axis=1)
    breaking = before["break_made"] == 0
    made = breaking & (played.after["break_made"] != 0)
    lanes["broke"] = np.where(made, lanes["player"], lanes["broke"])
    lanes["missed_breaks"] += breaking & ~made
    covered = (played.after["queen"] >= QueenState.COVERED_WHITE) & (before["queen"] < QueenState.COVERED_WHITE)
    lanes["covered_by"] = np.where(covered, lanes["player"], lanes["covered_by"])
    lanes["dues"][rows, shooter] += rulings["dues_incurred"]
    lanes["retries"] += rulings["turn"] == Turn.RETRY
    lanes["laws"] |= rulings["laws"]
    lanes["behind"] = np.maximum(lanes["behind"], _behind(played.after, setup.rules))
    cleared = _cleared(played.after, setup.rules)
    lanes["cleared_first"] = np.where(lanes["cleared_first"] < 0, cleared, lanes["cleared_first"])
    lanes["seconds"] += clock_seconds(setup.rules, played.outcomes.duration)
    lanes["stroke"] += 1
    passes = rulings["turn"] == Turn.PASS
    lanes["player"] = np.where(passes, setup.seating.right(lanes["player"]), lanes["player"])
    lanes["turns"][rows, played.after["shooter"]] += passes
    lanes["state"], lanes["pos"] = played.after, played.placed.pos
    return lanes


def _behind(states: RecordArray, rules: RuleSet) -> IntArray:
    """Count the men by which white and black are behind, (n, 2) int: negative of who is ahead.

    Who has more men of his own left is behind; where any man is an own man, who has pocketed fewer.
    """
    if rules.turn.own_men == "any":
        left: IntArray = -states["held"].sum(axis=2, dtype=np.int64)
    else:
        left = states["on_board"].astype(np.int64)
    return left - left[:, ::-1]


def _cleared(states: RecordArray, rules: RuleSet) -> CodeArray:
    """Give the one colour that has no man on the board, (n,) int8.

    It is -1 where that is neither or both, and where any man is an own man.
    """
    cleared = states["on_board"] == 0
    one = (cleared[:, 0] != cleared[:, 1]) & (rules.turn.own_men == "colour")
    return np.where(one, cleared[:, 1], -1).astype(np.int8)


def _records(played: _Played) -> RecordArray:
    """Write down strokes."""
    lanes, aimed, out, rulings, after = played.before, played.aimed, played.outcomes, played.rulings, played.after
    records = np.empty(len(lanes), PLAYED_STROKE)
    for name in ("row", "board", "stroke", "player"):
        records[name] = lanes[name]
    records["game"], records["seat"] = lanes["match"]["game"], aimed.seat
    records["colour"], records["breaking"] = lanes["state"]["shooter"], lanes["state"]["break_made"] == 0
    records["kind"], records["target"] = aimed.kind, aimed.target
    records["aimed_pocket"], records["estimate"] = aimed.pocket, aimed.estimate
    for column, name in enumerate(("x", "angle", "speed", "spin")):
        records[f"intended_{name}"], records[name] = aimed.intended[:, column], aimed.executed[:, column]
    fell = out.pocket >= 0
    records["n_white"], records["n_black"] = fell[:, WHITE].sum(axis=1), fell[:, BLACK].sum(axis=1)
    records["queen"], records["striker"] = fell[:, QUEEN], fell[:, STRIKER]
    records["n_overboard"] = out.overboard.sum(axis=1)
    records["first_hit"], records["duration"] = out.first_hit, out.duration
    records["fell"], records["fell_as_aimed"] = _success(aimed, out)
    for name in ("turn", "dues_incurred", "dues_paid", "returned", "queen_returned", "score_delta", "laws"):
        records[name] = rulings[name]
    records["waiting"] = played.placed.waiting
    records["queen_after"], records["on_board"], records["dues"] = after["queen"], after["on_board"], after["dues"]
    return records


def _success(aimed: Aimed, out: Outcomes) -> tuple[CodeArray, CodeArray]:
    """Say whether the target fell, anywhere and where it should; -1 where there was none."""
    target = np.where(aimed.target < 0, STRIKER, aimed.target)
    pocket = out.pocket[np.arange(len(target)), target]
    nothing = aimed.target < 0
    # Pockets are counted counter-clockwise like seats, so the shooter's pocket p is p + seat on the board.
    as_aimed = pocket == (aimed.pocket + aimed.seat) % N_SEATS
    anywhere = np.where(nothing, -1, pocket >= 0).astype(np.int8)
    return anywhere, np.where(nothing | (aimed.pocket < 0), -1, as_aimed & (pocket >= 0)).astype(np.int8)

"""Door 2: rule on a batch of strokes. One referee for every rule set: it reads fields and knows no rule set's name.

The order of a ruling: does the stroke count; what fell, who offended; the queen; last men; who plays on; dues; the end.
Every field that decides something is noted, so that a ruling names its laws.
"""

import numpy as np

from carromsim_kernels.board_end import board_lost, decide_by_last_men, finish
from carromsim_kernels.jit import entry, kernel
from carromsim_kernels.laws import BOARD_STATE, MEN, DirectHit, Exists, OwnLast, OwnMen, Pay, QueenState, Rule, Turn
from carromsim_kernels.offences import (
    call_double_due,
    charge_conduct,
    charge_overboard,
    charge_pocketed,
    return_last_men,
    return_men_of_offences,
    return_men_overboard,
)
from carromsim_kernels.payment import decline_dues, pay_dues
from carromsim_kernels.queen_rule import judge_queen, judge_right, judge_slow_drop, send_back
from carromsim_kernels.shared import finish_on_points, pay_from_held, share_men, take_men
from carromsim_kernels.sheet import SHEET, Record, Records, cite, end_turn

UNDECIDED = -1
_SHEET, _BOARD_STATE = np.dtype((np.record, SHEET)), np.dtype((np.record, BOARD_STATE))
"""Of scratch: without the JIT only the fields of records are found by `record.name`."""


@kernel
def open_sheet(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """Take down what fell, as the shooter sees it."""
    own, opp = state.shooter, 1 - state.shooter
    sheet.own, sheet.opp, sheet.winner, sheet.turn = own, opp, -1, UNDECIDED
    sheet.at_break = 1 - state.break_made
    sheet.missed = int(sheet.at_break and not facts.touched_piece)
    sheet.foul = int(facts.improper and rules.dues_improper > 0)
    sheet.early = int(sheet.at_break and facts.premature_break and rules.dues_premature_break > 0)
    sheet.own_fell, sheet.opp_fell, sheet.queen_fell = facts.own, facts.opponent, facts.queen
    sheet.men_before, sheet.men_all = state.on_board[own] - facts.fell_between_strokes[own], MEN
    slow_own, slow_opp = facts.fell_between_strokes[own], facts.fell_between_strokes[opp]
    sheet.own_on = state.on_board[own] - slow_own - facts.own - facts.overboard_own
    sheet.opp_on = state.on_board[opp] - slow_opp - facts.opponent - facts.overboard_opponent
    sheet.own_last = int(facts.own > 0 and sheet.own_on + facts.overboard_own == 0)
    sheet.opp_last = int(facts.opponent > 0 and sheet.opp_on + facts.overboard_opponent == 0)
    if sheet.early:  # all that fell comes back
        sheet.own_last = sheet.opp_last = 0
    sheet.owed_own, sheet.owed_opp = state.dues[own], state.dues[opp]
    sheet.ever_own = int(state.ever_pocketed[own] or slow_own > 0)
    sheet.turn_men = state.turn_pocketed_own
    sheet.before = state.queen
    if rules.turn_own_men == OwnMen.ANY:
        share_men(sheet, state, facts)
    judge_right(sheet, state, rules)
    judge_slow_drop(sheet, facts, rules)


@kernel
def is_won_before(sheet: Record, state: Record, facts: Record, rules: Record) -> bool:
    """End the board if what fell by itself has ended it: then the stroke was not to be played."""
    slow_own, slow_opp = facts.fell_between_strokes[sheet.own], facts.fell_between_strokes[sheet.opp]
    if rules.turn_own_men == OwnMen.ANY or slow_own + slow_opp + facts.queen_fell_between_strokes == 0:
        return False
    men_own, men_opp = state.on_board[sheet.own] - slow_own, state.on_board[sheet.opp] - slow_opp
    settled = sheet.before >= QueenState.COVERED_WHITE or rules.end_own_last == OwnLast.FINISH
    if not settled or (men_own > 0 and men_opp > 0):
        return False
    undo_stroke(sheet, facts)
    sheet.own_on, sheet.opp_on = men_own, men_opp
    finish(sheet, state, rules)
    return True


@kernel
def is_made(sheet: Record, facts: Record, rules: Record) -> bool:
    """Whether the stroke counts as made; if not it is taken again."""
    if rules.stroke_exists == Exists.LEFT_BASE:
        made = bool(facts.left_base)
    elif rules.stroke_exists == Exists.CROSSED:
        breach = facts.touched_piece and rules.stroke_direct_hit == DirectHit.AFTER_CROSSING
        made = bool(facts.crossed_front or breach)
    else:
        made = bool(facts.crossed_front or facts.touched_piece)
    if not made:
        cite(sheet, Rule.STROKE_EXISTS)
    return made


@kernel
def is_void(facts: Record, rules: Record) -> bool:
    """Whether the stroke hit a disc that it could only reach after crossing the front line, or before it crossed."""
    if rules.stroke_direct_hit != DirectHit.AFTER_CROSSING:
        return False
    return bool(facts.direct_hit_behind or (facts.touched_piece and not facts.crossed_front))


@kernel
def undo_stroke(sheet: Record, facts: Record) -> None:
    """Bring everything back that a stroke took which is void or was not made."""
    sheet.returned_own = facts.own + facts.overboard_own
    sheet.returned_opp = facts.opponent + facts.overboard_opponent
    sheet.queen_back = max(sheet.queen_back, facts.queen, facts.overboard_queen)
    sheet.queen = sheet.before
    sheet.own_fell = sheet.opp_fell = 0


@kernel
def void_stroke(sheet: Record, facts: Record, rules: Record) -> None:
    """Undo a stroke, and end the turn; a queen that waits for her cover comes back too."""
    undo_stroke(sheet, facts)
    if sheet.queen == QueenState.PENDING:
        send_back(sheet, Rule.QUEEN_COVER)
        if rules.queen_returns_turn_men:
            sheet.returned_own += sheet.turn_men
            cite(sheet, Rule.QUEEN_RETURNS_TURN_MEN)
    end_turn(sheet, Rule.STROKE_DIRECT_HIT)


@kernel
def judge_stroke(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """Work out offences, the queen, whether last men decide the board, what comes back, and if the turn goes on.

    A board that a last man decides is over at once: nobody takes men out of the pockets any more (ICF 102 to 112).
    """
    charge_conduct(sheet, facts, rules)
    charge_overboard(sheet, facts, rules)
    charge_pocketed(sheet, facts, rules)
    call_double_due(sheet, state, facts, rules)
    judge_queen(sheet, facts, rules)
    decide_by_last_men(sheet, state, facts, rules)
    if sheet.winner >= 0:
        return_men_overboard(sheet, facts)
    else:
        return_men_of_offences(sheet, facts, rules)
        return_last_men(sheet, rules)
    if sheet.own_fell > 0 and rules.turn_own_man_keeps:
        sheet.keeps = 1


@kernel
def turn_after(sheet: Record, state: Record, rules: Record) -> int:
    """Say who plays next, the board's end apart."""
    if sheet.keeps and not sheet.ends:
        return Turn.CONTINUE
    if sheet.missed and not sheet.ends and not sheet.penalty:
        cite(sheet, Rule.OPENING_ATTEMPTS)
        if state.break_attempt < rules.opening_attempts:
            sheet.attempt_used = 1
            return Turn.RETRY
    return Turn.PASS


@kernel
def rule_on(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """Rule on one stroke; the sheet is blank."""
    open_sheet(sheet, state, facts, rules)
    if is_won_before(sheet, state, facts, rules):
        return
    if facts.board_lost_by >= 0 and rules.end_board_loss:
        sheet.queen = sheet.before
        board_lost(sheet, state, rules, facts.board_lost_by)
        return
    if not is_made(sheet, facts, rules):
        undo_stroke(sheet, facts)
        sheet.turn = Turn.RETRY
    elif is_void(facts, rules):
        void_stroke(sheet, facts, rules)
        sheet.turn = Turn.PASS
    else:
        judge_stroke(sheet, state, facts, rules)
        sheet.turn = turn_after(sheet, state, rules)
    sheet.own_on += sheet.returned_own
    sheet.opp_on += sheet.returned_opp
    settle(sheet, state, facts, rules)


@kernel
def settle(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """Pay what is due, and end the board if the last man is down."""
    if sheet.winner >= 0:
        sheet.dues = 0  # written off
        return
    decline_dues(sheet, facts, rules)
    turn_over = sheet.turn == Turn.PASS
    if rules.turn_own_men == OwnMen.ANY:
        take_men(sheet, state, facts, rules)
        pay_from_held(sheet, rules, turn_over)
        finish_on_points(sheet, state)
        return
    if sheet.own_on == 0 and (sheet.dues == 0 or (rules.dues_pay == Pay.END_OF_TURN and not sheet.penalty)):
        finish(sheet, state, rules)  # what is still owed is written off
    if sheet.winner < 0:
        pay_dues(sheet, rules, turn_over)
        finish(sheet, state, rules)


@kernel
def write_ruling(sheet: Record, ruling: Record) -> None:
    """Write what the sheet says."""
    if sheet.winner >= 0:  # what is still owed is written off
        sheet.turn, sheet.owed_own, sheet.owed_opp = Turn.BOARD_END, 0, 0
    elif sheet.turn == Turn.CONTINUE or (sheet.turn == Turn.PASS and not sheet.ends):
        cite(sheet, Rule.TURN_OWN_MAN_KEEPS)
    ruling.turn, ruling.dues_incurred = sheet.turn, sheet.dues
    ruling.dues_paid[0], ruling.dues_paid[1] = sheet.paid_own, sheet.paid_opp
    ruling.returned[0], ruling.returned[1] = sheet.returned_own, sheet.returned_opp
    ruling.queen_returned = sheet.queen_back
    ruling.winner, ruling.points = sheet.winner, sheet.points
    ruling.score_delta[sheet.own], ruling.score_delta[sheet.opp] = sheet.gained - sheet.minus, 0
    if sheet.winner >= 0:
        ruling.score_delta[sheet.winner] += sheet.award
    ruling.laws = sheet.laws


@kernel
def write_after(sheet: Record, state: Record, facts: Record, rules: Record, ruling: Record, after: Record) -> None:
    """Write the state before the next stroke."""
    own, opp = sheet.own, sheet.opp
    after.double_due_agreed = state.double_due_agreed
    after.ever_pocketed[own] = int(sheet.ever_own or (sheet.own_fell > 0 and not sheet.early))
    slow = facts.fell_between_strokes[opp] > 0 and rules.turn_own_men == OwnMen.COLOUR
    after.ever_pocketed[opp] = int(state.ever_pocketed[opp] or slow or (sheet.opp_fell > 0 and not sheet.early))
    for side in range(2):
        after.score[side] = state.score[side]
        after.points[side] = state.points[side] + ruling.score_delta[side]
    after.held[own][own], after.held[own][opp] = sheet.held_own, sheet.held_opp
    after.held[opp][own], after.held[opp][opp] = state.held[opp][own], state.held[opp][opp]
    after.on_board[own], after.on_board[opp] = sheet.own_on, sheet.opp_on
    after.dues[own], after.dues[opp] = sheet.owed_own, sheet.owed_opp
    after.queen = sheet.queen
    made = sheet.turn != Turn.RETRY and (facts.touched_piece or rules.opening_attempts == 1)
    after.break_made, after.breaker = int(state.break_made or made), state.breaker
    after.break_attempt = state.break_attempt + sheet.attempt_used
    after.shooter = own
    stay_down = sheet.turn_men + sheet.own_fell - (sheet.returned_own - facts.overboard_own)
    men_down = sheet.men_all - sheet.own_on - (sheet.opp_on if rules.turn_own_men == OwnMen.ANY else 0)
    after.turn_pocketed_own = max(0, min(stay_down, men_down))
    if sheet.turn == Turn.PASS:
        after.shooter, after.turn_pocketed_own = opp, 0
        if not after.break_made:
            after.breaker, after.break_attempt = opp, 1


@entry
def adjudicate_batch(states: Records, facts: Records, params: Records, rulings: Records, after: Records) -> None:
    """Rule on n strokes one after the other, without holding the interpreter's lock.

    Parameters
    ----------
    states : (n,) array of `laws.BOARD_STATE`
        The board before each stroke.
    facts : (n,) array of `laws.STROKE_FACTS`
        What happened; it must be possible in that state (`carromsim.adjudicate` checks that).
    params : (1,) array of `laws.RULE_PARAMS`
        The rule set.
    rulings : (n,) array of `laws.RULING`
        Written in place.
    after : (n,) array of `laws.BOARD_STATE`
        The board before the next stroke, or as the board ended; may be `states` itself.
    """
    sheets, boards, rules = np.zeros(2, _SHEET), np.zeros(1, _BOARD_STATE), params[0]
    sheet, state = sheets[0], boards[0]
    for s in range(len(states)):
        sheets[0] = sheets[1]  # blank
        boards[0] = states[s]  # which `after` may overwrite
        rule_on(sheet, state, facts[s], rules)
        write_ruling(sheet, rulings[s])
        write_after(sheet, state, facts[s], rules, rulings[s], after[s])

"""Games in which every man is an own man: it scores by its colour for whoever pockets it, and points win the board."""

from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import MEN, QueenState, Rule
from carromsim_kernels.payment import number_to_pay
from carromsim_kernels.sheet import Record, cite, cite_man, man_value, queen_value


@kernel
def share_men(sheet: Record, state: Record, facts: Record) -> None:
    """Take all men as the shooter's own; one that fell between strokes is his too, because he plays next."""
    slow = facts.fell_between_strokes[0] + facts.fell_between_strokes[1]
    sheet.own_fell, sheet.opp_fell = facts.own + facts.opponent, 0
    sheet.own_last = sheet.opp_last = 0
    sheet.men_before, sheet.men_all = state.on_board[0] + state.on_board[1] - slow, 2 * MEN
    sheet.ever_own = int(state.ever_pocketed[sheet.own] or slow > 0)


@kernel
def take_men(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """Hand the shooter the men that fell and stay down, and their points, and those of a queen that is now his."""
    own, opp = sheet.own, sheet.opp
    kept_own = facts.fell_between_strokes[own] + facts.own + facts.overboard_own - sheet.returned_own
    kept_opp = facts.fell_between_strokes[opp] + facts.opponent + facts.overboard_opponent - sheet.returned_opp
    sheet.held_own = state.held[own][own] + kept_own
    sheet.held_opp = state.held[own][opp] + kept_opp
    sheet.gained = kept_own * man_value(rules, own) + kept_opp * man_value(rules, opp)
    if kept_own > 0:
        cite_man(sheet, own)
    if kept_opp > 0:
        cite_man(sheet, opp)
    if sheet.queen >= QueenState.COVERED_WHITE and sheet.before < QueenState.COVERED_WHITE:
        sheet.gained += queen_value(rules, state, own)
        cite(sheet, Rule.QUEEN_VALUE)


@kernel
def give_lowest_back(sheet: Record, rules: Record) -> None:
    """Place the man of least value that the shooter holds; he loses its points."""
    own_value, opp_value = man_value(rules, sheet.own), man_value(rules, sheet.opp)
    if sheet.held_own > 0 and (own_value <= opp_value or sheet.held_opp == 0):
        sheet.held_own -= 1
        sheet.paid_own += 1
        sheet.own_on += 1
        sheet.gained -= own_value
    else:
        sheet.held_opp -= 1
        sheet.paid_opp += 1
        sheet.opp_on += 1
        sheet.gained -= opp_value


@kernel
def pay_from_held(sheet: Record, rules: Record, turn_over: bool) -> None:
    """Place the shooter's dues, lowest man first; what he cannot pay may cost a lowest man's points."""
    for _ in range(number_to_pay(sheet, rules, turn_over, sheet.held_own + sheet.held_opp)):
        give_lowest_back(sheet, rules)
    sheet.minus *= min(rules.score_white, rules.score_black)


@kernel
def finish_on_points(sheet: Record, state: Record) -> None:
    """End the board when all men are down and the queen is settled: more points win, the queen's side if level."""
    if sheet.own_on + sheet.opp_on > 0 or sheet.queen < QueenState.COVERED_WHITE:
        return
    mine = state.points[sheet.own] + sheet.gained - sheet.minus
    yours = state.points[sheet.opp]
    sheet.winner = sheet.own
    if yours > mine or (yours == mine and sheet.queen == QueenState.COVERED_WHITE + sheet.opp):
        sheet.winner = sheet.opp
    sheet.points = max(mine, yours)
    cite(sheet, Rule.TURN_OWN_MEN)

"""The end of a board: who has won it, and how many points."""

from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import ALL, OpponentLast, OwnLast, QueenState, Rule
from carromsim_kernels.sheet import Record, cite, cite_man, man_value, queen_value


@kernel
def award(sheet: Record, rules: Record, winner: int, points: int) -> None:
    """End the board."""
    if points > rules.end_board_max:
        points = rules.end_board_max
        cite(sheet, Rule.END_BOARD_MAX)
    sheet.winner, sheet.points, sheet.award = winner, points, points


@kernel
def demanded(sheet: Record, facts: Record, rules: Record) -> int:
    """Points that the winner may demand and does: one for the striker, one for an improper stroke (ICF 87b)."""
    offences = int(facts.striker) + sheet.foul
    if not rules.end_demand_points or offences == 0:
        return 0
    cite(sheet, Rule.END_DEMAND_POINTS)
    return offences if facts.demand_extra == ALL else int(min(offences, facts.demand_extra))


@kernel
def fixed_points(sheet: Record, state: Record, rules: Record, winner: int, with_queen: bool) -> int:
    """Points of a board that is lost by law: fewer from the queen's cut-off, or if she is the loser's."""
    if not with_queen or state.score[winner] >= rules.queen_cutoff:
        cite(sheet, Rule.END_FIXED_POINTS_FROM_CUTOFF)
        return int(rules.end_fixed_points_from_cutoff)
    cite(sheet, Rule.END_FIXED_POINTS)
    return int(rules.end_fixed_points)


@kernel
def value_of_queen(sheet: Record, state: Record, rules: Record, winner: int) -> int:
    """Points for the queen, noted as such."""
    cite(sheet, Rule.QUEEN_VALUE if queen_value(rules, state, winner) > 0 else Rule.QUEEN_CUTOFF)
    return queen_value(rules, state, winner)


@kernel
def board_lost(sheet: Record, state: Record, rules: Record, loser: int) -> None:
    """Lose a board by conduct: the other side has the loser's men on the board, and the queen if she is not covered."""
    men = sheet.own_on if loser == sheet.own else sheet.opp_on
    points = men * man_value(rules, loser)
    if sheet.before <= QueenState.PENDING:
        points += value_of_queen(sheet, state, rules, 1 - loser)
    cite(sheet, Rule.END_BOARD_LOSS)
    cite_man(sheet, loser)
    award(sheet, rules, 1 - loser, points)


@kernel
def decide_by_last_men(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """End the board at once if a last man fell that loses or wins it whatever comes back (ICF 95, 102 to 112)."""
    mine, yours = QueenState.COVERED_WHITE + sheet.own, QueenState.COVERED_WHITE + sheet.opp
    loses = rules.end_own_last == OwnLast.LOSE
    gives = rules.end_opponent_last == OpponentLast.OPPONENT_WINS_WITH_QUEEN
    left = sheet.before == QueenState.ON_BOARD and (not sheet.queen_fell or sheet.blocked)
    offended = facts.striker or sheet.foul
    if sheet.own_last and sheet.opp_last and loses and gives:
        cite(sheet, Rule.END_OWN_LAST)
        cite(sheet, Rule.END_OPPONENT_LAST)
        if offended or left:
            extra = demanded(sheet, facts, rules)
            award(sheet, rules, sheet.opp, fixed_points(sheet, state, rules, sheet.opp, sheet.before != mine) + extra)
        else:
            award(sheet, rules, sheet.own, fixed_points(sheet, state, rules, sheet.own, sheet.before != yours))
    elif sheet.own_last and left and loses:
        cite(sheet, Rule.END_OWN_LAST)
        points = fixed_points(sheet, state, rules, sheet.opp, True)
        award(sheet, rules, sheet.opp, points + demanded(sheet, facts, rules))
    elif sheet.opp_last and gives:
        cite(sheet, Rule.END_OPPONENT_LAST)
        cite_man(sheet, sheet.own)
        points = (sheet.own_on + facts.overboard_own) * man_value(rules, sheet.own) + demanded(sheet, facts, rules)
        if sheet.before != mine:
            points += value_of_queen(sheet, state, rules, sheet.opp)
        award(sheet, rules, sheet.opp, points)


@kernel
def finish(sheet: Record, state: Record, rules: Record) -> None:
    """End the board if a side has no man left: dues are paid, men are back."""
    settled = sheet.queen >= QueenState.COVERED_WHITE or rules.end_own_last == OwnLast.FINISH
    if sheet.own_on == 0 and settled:
        win(sheet, state, rules, sheet.own, sheet.opp_on)
    elif sheet.own_on == 0 and rules.end_own_last == OwnLast.LOSE:
        cite(sheet, Rule.END_OWN_LAST)
        award(sheet, rules, sheet.opp, fixed_points(sheet, state, rules, sheet.opp, True))
    elif sheet.opp_on == 0 and (settled or rules.end_opponent_last != OpponentLast.CONTINUE):
        cite(sheet, Rule.END_OPPONENT_LAST)
        win(sheet, state, rules, sheet.opp, sheet.own_on)


@kernel
def win(sheet: Record, state: Record, rules: Record, winner: int, men: int) -> None:
    """Award a board to the side that has no man left: the other's men, and the queen if he covered her."""
    points = men * man_value(rules, 1 - winner)
    if sheet.queen == QueenState.COVERED_WHITE + winner:
        points += value_of_queen(sheet, state, rules, winner)
    elif sheet.queen <= QueenState.PENDING:
        cite(sheet, Rule.END_OWN_LAST)
    cite(sheet, Rule.TURN_OWN_MEN)
    cite_man(sheet, 1 - winner)
    award(sheet, rules, winner, points)

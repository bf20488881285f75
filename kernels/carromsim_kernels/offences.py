"""What a stroke costs: fouls, penalties, the dues for each, and the men that come back because of them."""

from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import MEN, DirectHit, DoubleDue, OpponentLast, OwnLast, OwnMen, QueenState, Returned, Rule
from carromsim_kernels.sheet import Record, charge, cite, end_turn


@kernel
def charge_conduct(sheet: Record, facts: Record, rules: Record) -> None:
    """Charge what the people did: interference, a bad set-up, an improper stroke, a break before the word to play."""
    if facts.technical_fouls > 0 and rules.dues_technical_foul > 0:  # costs men, not the turn
        sheet.dues += facts.technical_fouls * rules.dues_technical_foul
        cite(sheet, Rule.DUES_TECHNICAL_FOUL)
    if facts.interference and rules.dues_interference > 0:
        charge(sheet, Rule.DUES_INTERFERENCE, rules.dues_interference)
        sheet.ends = 1
    if sheet.at_break and facts.bad_setup and rules.dues_bad_setup > 0:
        charge(sheet, Rule.DUES_BAD_SETUP, rules.dues_bad_setup)
        sheet.ends = 1
    if sheet.early:
        charge(sheet, Rule.DUES_PREMATURE_BREAK, rules.dues_premature_break)
        sheet.ends = 1
    if sheet.foul:
        sheet.ends = 1
        if sheet.missed and not rules.opening_missed_striker_due:
            cite(sheet, Rule.OPENING_MISSED_STRIKER_DUE)
        else:
            charge(sheet, Rule.DUES_IMPROPER, rules.dues_improper)
    if facts.direct_hit_behind and rules.stroke_direct_hit == DirectHit.FORWARD_ONLY:
        charge(sheet, Rule.DUES_DIRECT_HIT, rules.dues_direct_hit)
        end_turn(sheet, Rule.STROKE_DIRECT_HIT)


@kernel
def charge_overboard(sheet: Record, facts: Record, rules: Record) -> None:
    """Charge what left the board: one due however many men, and the striker apart."""
    if facts.overboard_own + facts.overboard_opponent + facts.overboard_queen > 0:
        cite(sheet, Rule.DUES_OVERBOARD)
        charge(sheet, Rule.DUES_OVERBOARD, rules.dues_overboard)
        if rules.turn_overboard_ends:
            end_turn(sheet, Rule.TURN_OVERBOARD_ENDS)
    if facts.overboard_striker:
        cite(sheet, Rule.DUES_STRIKER_OVERBOARD)
        charge(sheet, Rule.DUES_STRIKER_OVERBOARD, rules.dues_striker_overboard)
        if rules.turn_striker_overboard_ends:
            end_turn(sheet, Rule.TURN_STRIKER_OVERBOARD_ENDS)


@kernel
def charge_pocketed(sheet: Record, facts: Record, rules: Record) -> None:
    """Charge the striker and the opponent's men in the pockets, and the queen that falls too early and alone."""
    sheet.other_penalty = int(sheet.penalty or sheet.ends or sheet.opp_fell > 0 or sheet.queen_fell)
    of_striker, extra = striker_dues(sheet, facts, rules)
    of_opponent = opponent_dues(sheet, rules)
    if sheet.queen_fell and of_striker + of_opponent > rules.dues_queen_mix_cap:
        of_striker, of_opponent = rules.dues_queen_mix_cap, 0  # UKCA H15
        cite(sheet, Rule.DUES_QUEEN_MIX_CAP)
    sheet.striker_part = of_striker + extra
    if of_striker + of_opponent + extra > 0:
        sheet.dues += of_striker + of_opponent + extra
        sheet.penalty = 1
    if sheet.queen_fell and not sheet.right and sheet.own_fell + sheet.opp_fell + facts.striker == 0:
        charge(sheet, Rule.DUES_QUEEN_PREMATURE, rules.dues_queen_premature)


@kernel
def striker_dues(sheet: Record, facts: Record, rules: Record) -> tuple[int, int]:
    """Give the dues for the striker in a pocket: for him alone, and what an own man in the same stroke adds."""
    if not facts.striker:
        return 0, 0
    if rules.turn_striker_ends:
        end_turn(sheet, Rule.TURN_STRIKER_ENDS)
    if sheet.missed and not rules.opening_missed_striker_due:
        end_turn(sheet, Rule.OPENING_MISSED_STRIKER_DUE)
        return 0, 0
    replaced = rules.dues_striker_own_returned == Returned.ONE_SAME_POCKET and facts.striker_same_pocket_as_own
    if sheet.own_fell > 0 and replaced:  # Bell 8 in place of 9
        cite(sheet, Rule.DUES_STRIKER_OWN_RETURNED)
        return 0, 0
    cite(sheet, Rule.DUES_STRIKER)
    if sheet.own_fell == 0:
        return rules.dues_striker, 0
    cite(sheet, Rule.DUES_STRIKER_WITH_OWN)
    return rules.dues_striker, rules.dues_striker_with_own - rules.dues_striker


@kernel
def opponent_dues(sheet: Record, rules: Record) -> int:
    """Give the due for the opponent's men in the pockets; for his last man it is another law's, and no more."""
    if sheet.opp_fell == 0:
        return 0
    if rules.turn_opponent_man_ends:
        end_turn(sheet, Rule.TURN_OPPONENT_MAN_ENDS)
    if sheet.opp_last and rules.end_opponent_last == OpponentLast.RETURN_AND_DUE:
        end_turn(sheet, Rule.END_OPPONENT_LAST)
        return 1  # UKCA H17 in place of H14
    if rules.dues_opponent_man > 0:
        cite(sheet, Rule.DUES_OPPONENT_MAN)
    return int(rules.dues_opponent_man)


@kernel
def call_double_due(sheet: Record, state: Record, facts: Record, rules: Record) -> None:
    """Let the opponent's call make it two dues and the shooter plays on, if the two can be paid at once (UKCA H13)."""
    may = rules.dues_double == DoubleDue.ON_SAME_POCKET and state.double_due_agreed and facts.call_double_due
    followed = facts.striker and sheet.own_fell > 0 and facts.striker_same_pocket_as_own
    in_pockets = MEN - sheet.own_on - facts.overboard_own
    if sheet.before == QueenState.PENDING and rules.queen_returns_turn_men:  # she comes back, and they with her
        in_pockets -= sheet.own_fell + sheet.turn_men
    uncovered_last = sheet.own_last and sheet.before < QueenState.COVERED_WHITE  # UKCA H18, a penalty of its own
    if may and followed and not sheet.other_penalty and not uncovered_last and in_pockets >= 2:
        sheet.dues += 2 - sheet.striker_part
        sheet.doubled, sheet.ends = 1, 0
        cite(sheet, Rule.DUES_DOUBLE)


@kernel
def return_men_overboard(sheet: Record, facts: Record) -> None:
    """Bring back what left the board, and no more; it counts as on the board."""
    sheet.returned_own, sheet.returned_opp = facts.overboard_own, facts.overboard_opponent


@kernel
def return_men_of_offences(sheet: Record, facts: Record, rules: Record) -> None:
    """Bring back what a foul, the striker or the edge of the board took: they are no dues."""
    fouled = sheet.own_fell > 0 and sheet.foul and rules.dues_improper_own_returned
    together = sheet.own_fell > 0 and facts.striker and rules.dues_striker_own_returned == Returned.ALL
    if fouled:
        cite(sheet, Rule.DUES_IMPROPER_OWN_RETURNED)
    if together:
        cite(sheet, Rule.DUES_STRIKER_OWN_RETURNED)
    own_back = sheet.early or sheet.turn_back or fouled or together
    opp_back = sheet.early or (own_back and rules.turn_own_men == OwnMen.ANY)
    followed = facts.striker and facts.striker_same_pocket_as_own
    one_back = followed and rules.dues_striker_own_returned == Returned.ONE_SAME_POCKET
    return_men_overboard(sheet, facts)
    sheet.returned_own += sheet.turn_back * sheet.turn_men + (facts.own if own_back else int(one_back))
    sheet.returned_opp += facts.opponent if opp_back else 0


@kernel
def return_last_men(sheet: Record, rules: Record) -> None:
    """Bring back a last man that may not be down yet, and charge the shooter if he pocketed it (UKCA H17, H18, H8)."""
    covered = sheet.queen >= QueenState.COVERED_WHITE
    returns = rules.end_opponent_last == OpponentLast.RETURN_AND_DUE and (sheet.opp_last or not covered)
    if returns and sheet.opp_on == 0 and sheet.returned_opp == 0:
        sheet.returned_opp = 1
        cite(sheet, Rule.END_OPPONENT_LAST)
    if sheet.own_on > 0 or sheet.returned_own > 0 or rules.end_own_last != OwnLast.RETURN_AND_DUE:
        return
    if not covered or sheet.penalty:
        sheet.returned_own = 1
        cite(sheet, Rule.END_OWN_LAST)
    if not covered and sheet.own_last:
        charge(sheet, Rule.END_OWN_LAST, 1)
        sheet.ends = 1

"""Dues: which the opponent forgoes, which are paid now, which stay owed."""

from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import ALL, MEN, CannotPay, Decline, Pay, Rule
from carromsim_kernels.sheet import Record, cite


@kernel
def decline_dues(sheet: Record, facts: Record, rules: Record) -> None:
    """Take off the new dues that the opponent forgoes; where it is all or none, a part of them is none (ICF 87a)."""
    if facts.decline_dues == 0 or sheet.dues == 0 or sheet.doubled or rules.dues_decline == Decline.NO:
        return
    cite(sheet, Rule.DUES_DECLINE)
    if facts.decline_dues == ALL or facts.decline_dues >= sheet.dues:
        sheet.dues = 0
    elif rules.dues_decline == Decline.EACH:
        sheet.dues -= facts.decline_dues


@kernel
def pay_dues(sheet: Record, rules: Record, turn_over: bool) -> None:
    """Place what can be placed now, of both sides; men that come back because of this stroke are back already."""
    own_men = MEN - sheet.own_on
    if rules.dues_cannot_pay != CannotPay.OWE and sheet.dues > own_men:
        if rules.dues_cannot_pay == CannotPay.MINUS_POINT:
            sheet.minus = sheet.dues - own_men
        sheet.dues = own_men
        cite(sheet, Rule.DUES_CANNOT_PAY)
    sheet.owed_own += sheet.dues
    if rules.dues_pay == Pay.AT_ONCE or turn_over:
        sheet.paid_own = min(sheet.owed_own, own_men)
        sheet.paid_opp = min(sheet.owed_opp, MEN - sheet.opp_on)
    else:  # the turn goes on: what was owed before waits, a new due does not if a man is there
        sheet.paid_own = min(sheet.dues, own_men)
    if sheet.owed_own + sheet.owed_opp > 0:
        cite(sheet, Rule.DUES_PAY)
    sheet.owed_own -= sheet.paid_own
    sheet.owed_opp -= sheet.paid_opp
    if sheet.owed_own + sheet.owed_opp > 0:
        cite(sheet, Rule.DUES_CANNOT_PAY)
    sheet.own_on += sheet.paid_own
    sheet.opp_on += sheet.paid_opp

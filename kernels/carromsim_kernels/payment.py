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
def number_to_pay(sheet: Record, rules: Record, turn_over: bool, men: int) -> int:
    """Say how many of his men the shooter gives back now, and what becomes of the dues that he has no man for.

    What he owes from before waits for the end of the turn, or is paid at once, by the rules; a new due does not wait if
    a man is there (UKCA H3, ICF 72c).
    """
    sheet.owed_own += sheet.dues
    payable = sheet.owed_own if rules.dues_pay == Pay.AT_ONCE or turn_over else sheet.dues
    number = min(payable, men)
    short = payable - number
    if payable > 0:
        cite(sheet, Rule.DUES_PAY)
    if short > 0:
        cite(sheet, Rule.DUES_CANNOT_PAY)
        if rules.dues_cannot_pay != CannotPay.OWE:
            sheet.owed_own -= short
            sheet.dues = max(0, sheet.dues - short)
        if rules.dues_cannot_pay == CannotPay.MINUS_POINT:
            sheet.minus = short
    sheet.owed_own -= number
    return int(number)


@kernel
def pay_dues(sheet: Record, rules: Record, turn_over: bool) -> None:
    """Place what can be placed now, of both sides; men that come back because of this stroke are back already."""
    sheet.paid_own = number_to_pay(sheet, rules, turn_over, MEN - sheet.own_on)
    sheet.own_on += sheet.paid_own
    if sheet.owed_opp > 0 and (rules.dues_pay == Pay.AT_ONCE or turn_over):
        sheet.paid_opp = min(sheet.owed_opp, MEN - sheet.opp_on)
        sheet.owed_opp -= sheet.paid_opp
        sheet.opp_on += sheet.paid_opp
        cite(sheet, Rule.DUES_PAY)

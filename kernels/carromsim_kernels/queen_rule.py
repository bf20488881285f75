"""The queen: who has a right to her, whether she is covered, when she comes back."""

from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import Cover, OpeningQueen, OwnLast, QueenState, Right, Rule
from carromsim_kernels.sheet import Record, cite


@kernel
def judge_right(sheet: Record, state: Record, rules: Record) -> None:
    """Work out whether the shooter may pocket the queen, as things stood before the stroke."""
    if rules.queen_right == Right.ANY_TIME:
        sheet.right = 1
    elif rules.queen_right == Right.AFTER_OWN_MAN:
        sheet.right = sheet.ever_own
    else:
        sheet.right = int(sheet.men_before == 0)
    sheet.blocked = int(rules.queen_blocked_by_due and state.dues[sheet.own] > 0)
    if rules.queen_opening == OpeningQueen.NEVER_POCKETED:
        sheet.opening = 1 - sheet.ever_own
    elif rules.queen_opening == OpeningQueen.ALL_ON_BOARD:
        sheet.opening = int(sheet.men_before == sheet.men_all)


@kernel
def judge_slow_drop(sheet: Record, facts: Record, rules: Record) -> None:
    """Give a queen that fell between strokes to the shooter, to be covered, if he may have her; else she comes back."""
    if facts.queen_fell_between_strokes and sheet.before == QueenState.ON_BOARD:
        if sheet.right and not sheet.blocked and needs_cover(sheet, rules):
            sheet.before = QueenState.PENDING
        elif sheet.right and not sheet.blocked:
            sheet.before = QueenState.COVERED_WHITE + sheet.own
        else:
            sheet.queen_back = 1
            cite(sheet, Rule.QUEEN_RIGHT)


@kernel
def judge_queen(sheet: Record, facts: Record, rules: Record) -> None:
    """Work out where the queen stands after the stroke; `sheet.ends` and `sheet.penalty` are known."""
    sheet.queen = sheet.before
    if facts.overboard_queen:
        sheet.queen_back = 1
    if sheet.queen_fell:
        judge_fallen_queen(sheet, facts, rules)
    elif sheet.before == QueenState.PENDING:
        judge_pending_queen(sheet, facts, rules)
    if sheet.queen == QueenState.PENDING and (sheet.ends or not sheet.keeps):
        send_back(sheet, Rule.QUEEN_COVER)
    if sheet.queen_back and rules.queen_returns_turn_men and not facts.overboard_queen:  # Bell 7
        sheet.turn_back = 1
        cite(sheet, Rule.QUEEN_RETURNS_TURN_MEN)


@kernel
def needs_cover(sheet: Record, rules: Record) -> bool:
    """Whether the shooter has to cover the queen: not where none is needed, nor without a man left to do it."""
    return bool(rules.queen_cover == Cover.NEXT_STROKE and not (sheet.right and sheet.men_before == 0))


@kernel
def voids_cover(sheet: Record, facts: Record, rules: Record) -> bool:
    """Whether an offence in this stroke forbids to pocket or cover the queen with it."""
    if sheet.penalty and rules.queen_penalty_voids_cover and not sheet.foul and not facts.striker:
        cite(sheet, Rule.QUEEN_PENALTY_VOIDS_COVER)
        return True
    return bool(sheet.foul or sheet.early or facts.striker)


@kernel
def judge_fallen_queen(sheet: Record, facts: Record, rules: Record) -> None:
    """Rule on a queen pocketed by this stroke."""
    if sheet.blocked and not sheet.foul:
        sheet.ends = 1
        send_back(sheet, Rule.QUEEN_BLOCKED_BY_DUE)
    elif voids_cover(sheet, facts, rules):
        rightful = sheet.right and not sheet.opening and not sheet.foul and not sheet.early
        if facts.striker and rightful and rules.queen_striker_keeps_turn:
            sheet.keeps = 1
            send_back(sheet, Rule.QUEEN_STRIKER_KEEPS_TURN)
        else:
            send_back(sheet, Rule.DUES_STRIKER if facts.striker else Rule.QUEEN_COVER)
    elif not needs_cover(sheet, rules):
        judge_uncovered_queen(sheet)
    elif sheet.own_fell == 0 and not sheet.right:
        send_back(sheet, Rule.QUEEN_RIGHT)
    elif sheet.own_fell == 0:
        sheet.queen, sheet.keeps = QueenState.PENDING, 1
        cite(sheet, Rule.QUEEN_RIGHT)
    elif sheet.opening and sheet.own_fell < rules.queen_opening_men:
        sheet.queen, sheet.keeps = QueenState.PENDING, 1
        cite(sheet, Rule.QUEEN_OPENING)
        cite(sheet, Rule.QUEEN_OPENING_MEN)
    else:
        cover(sheet)


@kernel
def judge_uncovered_queen(sheet: Record) -> None:
    """Rule on a queen that needs no cover: hers is who may have her."""
    cite(sheet, Rule.QUEEN_RIGHT)
    if sheet.right:
        cover(sheet)
    else:
        send_back(sheet, Rule.QUEEN_RIGHT)


@kernel
def judge_pending_queen(sheet: Record, facts: Record, rules: Record) -> None:
    """Rule on a queen that this stroke had to cover."""
    last = sheet.own_last and rules.end_own_last == OwnLast.RETURN_AND_DUE  # a penalty, and the turn ends
    if sheet.own_fell > 0 and facts.striker and rules.queen_cover_extended and not sheet.foul and not last:
        sheet.keeps = 1
        cite(sheet, Rule.QUEEN_COVER_EXTENDED)
    elif sheet.own_fell > 0 and not voids_cover(sheet, facts, rules):
        cover(sheet)
    else:
        send_back(sheet, Rule.QUEEN_COVER)


@kernel
def cover(sheet: Record) -> None:
    """Give the queen to the shooter for good."""
    sheet.queen = QueenState.COVERED_WHITE + sheet.own
    sheet.keeps = 1
    cite(sheet, Rule.QUEEN_COVER)


@kernel
def send_back(sheet: Record, rule: int) -> None:
    """Return the queen to the board, and note why."""
    sheet.queen, sheet.queen_back = QueenState.ON_BOARD, 1
    cite(sheet, rule)

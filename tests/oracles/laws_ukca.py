"""UKCA and CAINT, stroke by stroke. CAINT follows UKCA wherever the comparison table is silent [A]."""

from oracles.laws_scene import Scene, Verdict, forgone, in_pockets

QUEEN_POINTS, CUT_OFF = 5, 24
ATTEMPTS = 3


def exists(scene: Scene) -> bool:
    """C11: played if the striker crosses the front line or touches a piece before it does; else it can be retaken."""
    return scene.fact("crossed_front") or scene.fact("touched_piece")


def right_to_queen(scene: Scene) -> bool:
    """G6: an own piece has been pocketed before, even if it came back."""
    return scene.ever[scene.shooter]


def bonus(scene: Scene, winner: str, queen: str) -> int:
    """F4, F5: five to the winner who covered the queen, unless his tally before the board was 24 or more."""
    return QUEEN_POINTS if queen == f"covered_{winner}" and scene.score(winner) < CUT_OFF else 0


def conduct(scene: Scene) -> int:
    """Penalties that do not depend on what fell."""
    penalties = 0
    if scene.fact("direct_hit_behind"):
        penalties += 1  # H11; C13 (a rebound) is no direct hit and never declared as one
    if scene.fact("bad_setup") and not scene.break_made:
        penalties += 1  # H10
    if scene.fact("interference"):
        penalties += 1  # H21, H22
    if scene.fact("improper"):
        penalties += 1  # a pushed striker; by agreement [A]
    if scene.over("striker"):
        penalties += 1  # H19
    if scene.over("own") or scene.over("opponent") or scene.over("queen"):
        penalties += 1  # H20 with H2: once, however many
    return penalties


def penalties_of_the_fall(scene: Scene) -> int:
    """H12, H14 to H17; H18 comes later, when it is known whether the queen is covered."""
    striker = 1 if scene.striker else 0  # H12
    if scene.striker and scene.fell_own and scene.rules == "caint":
        striker = 2  # comparison table: two pieces
    opponent = 1 if scene.fell_opponent else 0  # H14 with H2: once, however many; H17 in its place for the last one
    if scene.queen_fell and (striker or opponent):
        # H15: any combination of striker and opponent's pieces with the queen is one due.
        # CAINT's second piece for striker and own piece is a thing of its own [A].
        return 1 + (1 if striker == 2 else 0)
    if scene.queen_fell and not scene.fell_own and not right_to_queen(scene):
        return 1  # H16
    return striker + opponent


def queen_after(scene: Scene, penalty: bool) -> str:
    """G2, G3, G4, G6 to G9."""
    if scene.queen.startswith("covered"):
        return scene.queen
    if scene.queen == "on_board" and not scene.queen_fell:
        return "on_board"
    if penalty:
        return "on_board"  # G4
    mine = f"covered_{scene.shooter}"
    if scene.queen == "pending":
        return mine if scene.fell_own else "on_board"  # G2, G3
    if scene.fell_own >= 2:
        return mine  # G7, G9
    if scene.fell_own == 1:
        return mine if scene.ever[scene.shooter] else "pending"  # G7, G8
    return "pending"  # G6; H16 was a penalty


def double_due(scene: Scene, penalties: int, penalties_without_h12: int) -> bool:
    """H13: agreed, called, striker after an own piece into its pocket, two pieces there to pay, nothing else wrong."""
    agreed = bool((scene.case.get("options") or {}).get("double_due_agreed", False))
    if scene.rules != "ukca" or not agreed or not scene.fact("call_double_due") or not scene.striker_took_own:
        return False
    if penalties_without_h12 or penalties != 1:
        return False
    if scene.own_last and not scene.queen.startswith("covered"):
        return False  # H18 is another penalty
    returning = 1 if scene.own_last else 0
    return in_pockets(scene, Verdict("continue", scene.queen, own_back=returning))[scene.shooter] >= 2


def missed_break(scene: Scene) -> Verdict:
    """D7: no piece touched, no break. Three attempts [A]; a penalty ends the turn (H9) and with it the right."""
    penalties = conduct(scene) + (1 if scene.striker else 0)
    lost = bool(penalties) or scene.attempt >= ATTEMPTS
    verdict = Verdict("pass" if lost else "retry", scene.queen, dues=penalties, break_made=False, break_lost=lost)
    verdict.attempt = 1 if lost else scene.attempt + 1
    return settle(scene, verdict)


def settle(scene: Scene, verdict: Verdict) -> Verdict:
    """H3, H4: dues placed at the end of the turn; those of this stroke at once if men are there."""
    verdict.dues += scene.count("technical_fouls")  # Table 2: by agreement one each; nothing is said of the turn [A]
    verdict.dues -= forgone(scene.stroke["decline_dues"], verdict.dues, all_or_nothing=False)  # H4
    pockets = in_pockets(scene, verdict)
    due_now = verdict.dues + (scene.owed[scene.shooter] if verdict.turn == "pass" else 0)
    verdict.paid_own = min(due_now, pockets[scene.shooter])
    if verdict.turn == "pass":
        verdict.paid_opponent = min(scene.owed[scene.other], pockets[scene.other])
    return verdict


def judge(scene: Scene) -> Verdict:
    if not exists(scene):
        return Verdict("retry", scene.queen, break_made=scene.break_made, attempt=scene.attempt)
    if not scene.break_made and not scene.fact("touched_piece"):
        return missed_break(scene)
    others = conduct(scene)
    penalties = others + penalties_of_the_fall(scene)
    beside_striker = others + (1 if scene.fell_opponent or scene.queen_fell else 0)
    double = double_due(scene, penalties, beside_striker)
    queen = queen_after(scene, penalty=bool(penalties))
    if scene.own_last and not queen.startswith("covered"):
        penalties += 1  # H18
    if scene.own_last and not penalties:
        # F1: all own pieces down, the queen covered by either player. F4: dues are ignored, technical ones too [A].
        points = scene.opponent + bonus(scene, scene.shooter, queen)
        return Verdict("board_end", queen, winner=scene.shooter, points=points)
    verdict = Verdict("pass", queen)
    verdict.own_back = scene.over("own") + (1 if scene.own_last and penalties else 0)  # H6, H20; H8, H18
    verdict.opponent_back = scene.over("opponent") + (1 if scene.opponent_last else 0)  # H6, H20; H17
    gone = scene.queen_fell or scene.queen == "pending" or bool(scene.over("queen"))
    verdict.queen_back = gone and queen == "on_board"  # H5
    verdict.dues = 2 if double else penalties
    legal_queen = scene.queen_fell and queen != "on_board"
    if double or (not penalties and (scene.fell_own or legal_queen)):
        verdict.turn = "continue"  # E1, E2, H9, H13
    return settle(scene, verdict)

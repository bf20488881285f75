"""ICF Laws of Carrom, stroke by stroke."""

from oracles.laws_scene import MEN, Scene, Verdict, forgone, in_pockets

ATTEMPTS = 3
CUT_OFF = 22
CEILING = 12  # 55


def fixed(scene: Scene, winner: str) -> int:
    """Return the points of the results that the laws fix: three, one from 22 (102 to 112)."""
    return 1 if scene.score(winner) >= CUT_OFF else 3


def queen_points(scene: Scene, winner: str) -> int:
    """52b, 53b, 54: three, none from 22."""
    return 0 if scene.score(winner) >= CUT_OFF else 3


def right_to_queen(scene: Scene) -> bool:
    """92: an own man has been pocketed (95c: even if it came back); 95b: no due outstanding."""
    return scene.ever[scene.shooter] and scene.owed[scene.shooter] == 0


def missed_break(scene: Scene) -> Verdict:
    """45: two more chances; lost at once, without a due, by pocketing the striker or by an improper stroke."""
    fouls = (1 if scene.fact("interference") else 0) + (1 if scene.fact("premature_break") else 0)
    lost = bool(fouls) or scene.striker or scene.fact("improper") or scene.attempt >= ATTEMPTS
    verdict = Verdict("pass" if lost else "retry", scene.queen, dues=fouls, break_made=False, break_lost=lost)
    verdict.attempt = 1 if lost else scene.attempt + 1
    return settle(scene, verdict)


def settle(scene: Scene, verdict: Verdict) -> Verdict:
    """72c, 78a, 83: placed as soon as there is a man, whoever's turn it is; 87a: forgone all or none."""
    verdict.dues += scene.count("technical_fouls")  # 63: a due each, the turn goes on
    verdict.dues -= forgone(scene.stroke["decline_dues"], verdict.dues, all_or_nothing=True)
    return pay(scene, verdict)


def pay(scene: Scene, verdict: Verdict) -> Verdict:
    pockets = in_pockets(scene, verdict)
    verdict.paid_own = min(scene.owed[scene.shooter] + verdict.dues, pockets[scene.shooter])
    verdict.paid_opponent = min(scene.owed[scene.other], pockets[scene.other])  # 78a, 78b-ii
    return verdict


def board_end(scene: Scene) -> tuple[str, int] | None:
    """Laws 52 to 55, 102 to 112: winner and points if the stroke ends the board."""
    if scene.own_last and scene.opponent_last:
        return both_last(scene)
    if scene.own_last:
        return own_last(scene)
    if scene.opponent_last:
        return opponent_last(scene)
    return None


def demanded(scene: Scene) -> int:
    """87b: a point for the striker and one for an improper stroke, as far as the beneficiary asks for them."""
    on_offer = (1 if scene.striker else 0) + (1 if scene.fact("improper") else 0)
    asked = scene.stroke["demand_extra"]
    return on_offer if asked is True else min(int(asked), on_offer)


def own_last(scene: Scene) -> tuple[str, int] | None:
    proper = not scene.fact("improper")
    if scene.queen == "on_board" and not scene.queen_fell:
        return scene.other, fixed(scene, scene.other) + demanded(scene)  # 107, 108
    if scene.striker or not proper:
        return None  # 73, 98a, 101a: men and due come out; 77a, 98b, 101b
    dues = scene.count("technical_fouls") + (1 if scene.fact("interference") else 0)
    if dues > forgone(scene.stroke["decline_dues"], dues, all_or_nothing=True):
        return None  # 63, 64a: there are men to pay with, so one comes back and the board is not over [A]
    if scene.covered_by(scene.other):
        return scene.shooter, scene.opponent - scene.fell_opponent  # 53c
    return scene.shooter, scene.opponent - scene.fell_opponent + queen_points(scene, scene.shooter)  # 52-54, 97a


def opponent_last(scene: Scene) -> tuple[str, int]:
    men = scene.own - scene.fell_own  # men of a foul are not returned first
    if scene.covered_by(scene.shooter):
        return scene.other, men + demanded(scene)  # 52a, 53c
    return scene.other, men + queen_points(scene, scene.other) + demanded(scene)  # 103, 106, 111, 52a, 53b


def both_last(scene: Scene) -> tuple[str, int]:
    clean = not scene.striker and not scene.fact("improper")
    extra = demanded(scene)
    if scene.covered_by(scene.shooter):
        # Clean as 104a [A]; 110, and 110b for an improper stroke without the striker [A].
        return (scene.shooter, fixed(scene, scene.shooter)) if clean else (scene.other, 1 + extra)
    if scene.covered_by(scene.other):
        # Clean as the mirror of 110a [A]; 112, and 112b without the striker [A].
        return (scene.shooter, 1) if clean else (scene.other, fixed(scene, scene.other) + extra)
    if (scene.queen == "pending" or scene.queen_fell) and clean:
        return scene.shooter, fixed(scene, scene.shooter)  # 102a, 104a
    return scene.other, fixed(scene, scene.other) + extra  # 102b, 104b, 105, 109


def queen_and_turn(scene: Scene) -> tuple[str, bool]:
    """Return the queen's place after the stroke and whether the shooter goes on, interference left aside."""
    mine = f"covered_{scene.shooter}"
    settled = scene.queen if scene.queen.startswith("covered") else "on_board"
    if scene.fact("improper"):
        return settled, False  # 64, 72b, 77, 98b, 99b, 101b
    if scene.queen_fell and scene.owed[scene.shooter]:
        return "on_board", False  # 95b
    if scene.striker:
        if scene.queen == "pending" and scene.fell_own:
            return "pending", True  # 101a, again if it happens again [A]
        if scene.queen_fell and not scene.fell_own:
            return "on_board", right_to_queen(scene) and scene.own < MEN  # 99a; 95d
        return settled, scene.fell_own > 0  # 73, 75, 98a; 72a, 74, 100a
    if scene.queen == "pending":
        return (mine, True) if scene.fell_own else ("on_board", False)  # 96
    if scene.queen_fell:
        if scene.fell_own == 0:
            return ("pending", True) if right_to_queen(scene) else ("on_board", False)  # 92, 48; 95a
        if scene.own == MEN and scene.fell_own == 1:
            return "pending", True  # 97b
        return mine, True  # 97
    return settled, scene.fell_own > 0  # 48


def judge(scene: Scene) -> Verdict:
    if not (scene.stroke.get("left_base", True) or scene.fact("touched_piece")):
        return pay(scene, Verdict("retry", scene.queen, break_made=scene.break_made, attempt=scene.attempt))  # 127b
    if not scene.break_made and not scene.fact("touched_piece"):
        return missed_break(scene)
    result = board_end(scene)
    if result:
        return Verdict("board_end", scene.queen, winner=result[0], points=min(result[1], CEILING))
    premature = scene.fact("premature_break") and not scene.break_made
    queen, goes_on = queen_and_turn(scene)
    improper, foul = scene.fact("improper"), scene.fact("interference")
    verdict = Verdict("pass", queen, own_back=scene.over("own"), opponent_back=scene.over("opponent"))  # 65
    if scene.striker or improper or premature:
        verdict.own_back += scene.fell_own  # 73, 64b, 77a
    verdict.dues = sum(1 for fault in (scene.striker, improper, foul, premature) if fault)  # 72, 64a
    if premature:
        verdict.opponent_back += scene.fell_opponent  # the men pocketed come out, whosever they are
        verdict.queen, verdict.undone = "on_board", True
    if goes_on and not foul and not premature:
        verdict.turn = "continue"
    elif verdict.queen == "pending":
        verdict.queen = "on_board"  # 96: no next stroke, no cover
    gone = scene.queen_fell or scene.queen == "pending" or bool(scene.over("queen"))
    verdict.queen_back = gone and verdict.queen == "on_board"
    return settle(scene, verdict)

"""Bell's rules with the red queen's two methods, i and ii, stroke by stroke."""

from oracles.laws_scene import Scene, Verdict, in_pockets, left_on_board

QUEEN_POINTS = 5


def void(scene: Scene) -> Verdict:
    """3, 4: a disc was hit before the striker had crossed the line: all comes back, the turn ends, no due [A]."""
    verdict = Verdict("pass", scene.queen, undone=True)
    verdict.own_back = scene.fell_own + scene.over("own")
    verdict.opponent_back = scene.fell_opponent + scene.over("opponent")
    verdict.queen_back = scene.queen_fell or bool(scene.over("queen"))
    if scene.queen == "pending":  # 7: the turn is over and the red is not covered
        verdict.queen, verdict.queen_back = "on_board", True
        verdict.own_back += scene.turn_men
    return verdict


def striker_penalty(scene: Scene, verdict: Verdict) -> None:
    """8: the disc that the striker followed comes back; 9, else: a disc comes out, or a point is lost."""
    if not scene.striker:
        return
    if scene.striker_took_own:
        verdict.own_back = max(verdict.own_back, scene.over("own") + 1)  # it may be among those of rule 7
    elif in_pockets(scene, verdict)[scene.shooter]:
        verdict.dues = verdict.paid_own = 1
    else:
        verdict.minus = 1


def goes_on(scene: Scene) -> bool:
    """1, 6, 8, 9: an own disc and neither striker nor opponent's disc."""
    return scene.fell_own > 0 and not scene.fell_opponent and not scene.striker


def judge_i(scene: Scene) -> Verdict:
    verdict = Verdict("continue" if goes_on(scene) else "pass", scene.queen)
    verdict.own_back, verdict.opponent_back = scene.over("own"), scene.over("opponent")
    if scene.queen_fell or scene.queen == "pending":
        if scene.fell_own and not scene.striker:
            verdict.queen = f"covered_{scene.shooter}"  # 7, i
        elif scene.queen_fell and not scene.fell_opponent and not scene.striker:
            verdict.queen, verdict.turn = "pending", "continue"  # i: she may still be covered in this turn
        else:
            # 7: to the centre together with the player's discs of this turn.
            verdict.queen, verdict.queen_back = "on_board", True
            verdict.own_back += scene.turn_men + scene.fell_own
    verdict.queen_back = verdict.queen_back or bool(scene.over("queen"))
    striker_penalty(scene, verdict)
    return finish_i(scene, verdict)


def finish_i(scene: Scene, verdict: Verdict) -> Verdict:
    """10: all own discs down wins; the opponent's last one gives him the setup [A]; both: the shooter's [A]."""
    left = left_on_board(scene, verdict)
    left[scene.shooter] += verdict.paid_own
    for winner, loser in ((scene.shooter, scene.other), (scene.other, scene.shooter)):
        if left[winner] == 0:
            bonus = QUEEN_POINTS if verdict.queen == f"covered_{winner}" else 0
            verdict.turn, verdict.winner, verdict.points = "board_end", winner, left[loser] + bonus
            return verdict
    return verdict


def judge_ii(scene: Scene) -> Verdict:
    verdict = Verdict("continue" if goes_on(scene) else "pass", scene.queen)
    verdict.own_back, verdict.opponent_back = scene.over("own"), scene.over("opponent")
    if scene.queen_fell and scene.own == 0 and not scene.striker:
        # ii, 10: the red after the last disc ends the setup.
        points = scene.opponent - scene.fell_opponent + QUEEN_POINTS
        verdict.turn, verdict.winner, verdict.points = "board_end", scene.shooter, points
        return verdict
    # ii: too early, or spoilt by the striker whose disc comes back [A].
    verdict.queen_back = scene.queen_fell or bool(scene.over("queen"))
    striker_penalty(scene, verdict)
    return verdict


def judge(scene: Scene) -> Verdict:
    crossed, touched = scene.fact("crossed_front"), scene.fact("touched_piece")
    if not crossed and not touched:
        return Verdict("retry", scene.queen, break_made=scene.break_made, attempt=scene.attempt)  # 4
    if touched and (not crossed or scene.fact("direct_hit_behind")):
        return void(scene)
    return judge_i(scene) if scene.rules == "bell_i" else judge_ii(scene)

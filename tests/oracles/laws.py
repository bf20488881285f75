"""The slow twin of the referee: five rule sets written law by law, each as a player would read it.

It shares nothing with the package: no tables of fields, no codes, one plain function for each family of rule sets, with
the number of the law behind each line. It reads a case (`ruleset`, `before`, `stroke`, `options`) and returns what
is expected of a referee, with one more entry `next`, the rest of the state before the next stroke.
"""

from typing import Any

from oracles import laws_bell, laws_icf, laws_ukca
from oracles.laws_scene import OTHER, Scene, Verdict, left_on_board

RULE_SETS = ("ukca", "caint", "icf", "bell_i", "bell_ii")
QUEEN_POINTS = {"ukca": (5, 24), "caint": (5, 24), "icf": (3, 22), "bell_i": (5, None), "bell_ii": (5, None)}
TARGET = {"ukca": 29, "caint": 29, "icf": 25, "bell_i": 30, "bell_ii": 30}
BOARDS_OF_A_GAME = 8  # ICF 56


def judge(case: dict[str, Any]) -> dict[str, Any]:
    """Return the `expect` of a case, with `next`."""
    scene = set_the_scene(case)
    over = over_before_the_stroke(scene)
    if over:
        return answer(scene, over)
    loser = case["stroke"].get("board_lost_by")
    if loser:
        return answer(scene, board_lost(scene, loser))
    family = {"ukca": laws_ukca, "caint": laws_ukca, "icf": laws_icf, "bell_i": laws_bell, "bell_ii": laws_bell}
    return answer(scene, family[case["ruleset"]].judge(scene))


def set_the_scene(case: dict[str, Any]) -> Scene:
    """UKCA I5, ICF 71: what fell by itself between two strokes counts as pocketed by its owner."""
    before, stroke = case["before"], case["stroke"]
    shooter = before["shooter"]
    fell = stroke.get("fell_between_strokes") or {}
    men = {colour: before["on_board"][colour] - fell.get(colour, 0) for colour in OTHER}
    ever = {colour: before["ever_pocketed"][colour] or fell.get(colour, 0) > 0 for colour in OTHER}
    owed = dict(before["dues"])
    turn_men = before["turn_pocketed_own"]
    scene = Scene(
        case, shooter, men[shooter], men[OTHER[shooter]], ever, before["queen"], False, owed, turn_men, stroke
    )
    if fell.get("queen"):
        right = {
            "ukca": laws_ukca.right_to_queen(scene),
            "caint": laws_ukca.right_to_queen(scene),
            "icf": laws_icf.right_to_queen(scene),
            "bell_i": True,
            "bell_ii": scene.own == 0,
        }[case["ruleset"]]
        taken = f"covered_{shooter}" if case["ruleset"] == "bell_ii" else "pending"  # ii knows no cover
        scene.queen = taken if right else "on_board"
        scene.queen_sent_back = not right
    return scene


def over_before_the_stroke(scene: Scene) -> Verdict | None:
    """A last man, or the red of method ii, that fell by itself can end the board. All of this is [A]."""
    if scene.rules == "bell_ii":
        if scene.queen == "on_board":
            return None
        return Verdict("board_end", scene.queen, winner=scene.shooter, points=scene.opponent + 5)
    fell = scene.stroke.get("fell_between_strokes") or {}
    men = {scene.shooter: scene.own, scene.other: scene.opponent}
    for winner in (scene.shooter, scene.other):
        if men[winner] == 0 and fell.get(winner):
            if scene.rules != "bell_i" and not scene.queen.startswith("covered"):
                raise NotImplementedError("a last man that falls by itself while the queen is not covered")
            value, cut_off = QUEEN_POINTS[scene.rules]
            holds = scene.covered_by(winner) and not (cut_off is not None and scene.score(winner) >= cut_off)
            return Verdict("board_end", scene.queen, winner=winner, points=men[OTHER[winner]] + (value if holds else 0))
    return None


def board_lost(scene: Scene, loser: str) -> Verdict:
    """ICF 51, 91, 121, 126b (others [A]): the other side gets the loser's men and the queen if nobody has her.

    S1: "the carrommen and Queen then on the surface": what fell or left the board in the stroke is not there.
    """
    winner = OTHER[loser]
    value, cut_off = QUEEN_POINTS[scene.rules]
    free = not scene.queen.startswith("covered") and not (cut_off is not None and scene.score(winner) >= cut_off)
    own = scene.own - scene.fell_own - scene.over("own")
    opponent = scene.opponent - scene.fell_opponent - scene.over("opponent")
    men = own if loser == scene.shooter else opponent
    return Verdict("board_end", scene.queen, winner=winner, points=men + (value if free else 0))


def answer(scene: Scene, verdict: Verdict) -> dict[str, Any]:
    """Put a verdict into the words of a case's `expect`."""
    shooter, other = scene.shooter, scene.other
    delta = {shooter: -verdict.minus, other: 0}
    if verdict.turn == "board_end":
        delta[verdict.winner] += verdict.points
        return {
            "turn": "board_end",
            "board": {"winner": verdict.winner, "points": verdict.points},
            "score_delta": delta,
            "dues_after": {shooter: 0, other: 0},
            "game": game(scene, delta),
        }
    return {
        "turn": verdict.turn,
        "dues_incurred": verdict.dues,
        "forced_returns": {"own": verdict.own_back, "opponent": verdict.opponent_back},
        "dues_paid_now": verdict.paid_own,
        "opponent_dues_paid_now": verdict.paid_opponent,
        "queen_returned": verdict.queen_back or scene.queen_sent_back,
        "queen_after": verdict.queen,
        "on_board_after": on_board_after(scene, verdict),
        "dues_after": {
            shooter: scene.owed[shooter] + verdict.dues - verdict.paid_own,
            other: scene.owed[other] - verdict.paid_opponent,
        },
        "score_delta": delta,
        "break_made_after": verdict.break_made,
        "next": following(scene, verdict),
    }


def on_board_after(scene: Scene, verdict: Verdict) -> dict[str, int]:
    men = (
        {scene.shooter: scene.own, scene.other: scene.opponent}
        if verdict.turn == "retry"
        else left_on_board(scene, verdict)
    )
    men[scene.shooter] += verdict.paid_own
    men[scene.other] += verdict.paid_opponent
    return men


def following(scene: Scene, verdict: Verdict) -> dict[str, Any]:
    """Return what else the next stroke starts from."""
    before = scene.case["before"]
    shooter, breaker = scene.shooter, before["breaker"]
    fell = {shooter: scene.fell_own > 0, scene.other: scene.fell_opponent > 0}
    goes_on = verdict.turn == "continue"
    down = 9 - on_board_after(scene, verdict)[shooter]  # of the men of this turn dues may have taken some
    return {
        "shooter": scene.other if verdict.turn == "pass" else shooter,
        "breaker": OTHER[breaker] if verdict.break_lost else breaker,
        "break_attempt": verdict.attempt,
        "ever_pocketed": {colour: scene.ever[colour] or (fell[colour] and not verdict.undone) for colour in OTHER},
        "turn_pocketed_own": (
            0
            if verdict.turn == "pass"
            else min(down, scene.turn_men + (scene.fell_own - (verdict.own_back - scene.over("own")) if goes_on else 0))
        ),
    }


def game(scene: Scene, delta: dict[str, int]) -> dict[str, Any]:
    """Return whether the game is over, who won it, who breaks next (UKCA E4, F2; ICF 49, 56; Bell 11).

    White had the right to break this board, even if he lost it to black, so black has it next.
    """
    before, rules = scene.case["before"], scene.rules
    score = {colour: before["score"][colour] + delta[colour] for colour in OTHER}
    ahead = max(score, key=lambda colour: score[colour])
    level = score["white"] == score["black"]
    played_out = rules == "icf" and before["boards_played"] + 1 >= BOARDS_OF_A_GAME
    if score[ahead] >= TARGET[rules] or (played_out and not level):
        return {"over": True, "winner": ahead, "next_breaker": None}
    tie = played_out and level  # 56b: an extra board, the break by toss
    return {"over": False, "winner": None, "next_breaker": "toss" if tie else "black"}

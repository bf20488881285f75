"""Random strokes that could have happened under a rule set."""

import random
from typing import Any

from oracles.laws_cases import Case, make_case
from oracles.laws_scene import MEN, OTHER

Words = dict[str, Any]


def random_case(dice: random.Random, ruleset: str) -> Case:
    """Draw a board that the rule set can lead to and a stroke on it; rare things often enough to meet each other."""
    colour = dice.choice(list(OTHER))
    words = break_board(dice, ruleset) if dice.random() < 0.1 else open_board(dice, ruleset, colour)
    words |= {"shooter": colour, "breaker": colour if not words["break_made"] else dice.choice(list(OTHER))}
    low = -3 if ruleset.startswith("bell") else 0
    top = {"icf": 24, "ukca": 28, "caint": 28}.get(ruleset, 29)
    words["score"] = tuple(dice.choice((dice.randint(low, top), top - 3, top - 2)) for _ in OTHER)
    words["boards_played"] = dice.randint(0, 8)
    men = {"white": words["white"], "black": words["black"]}
    fell = slow_drop(dice, ruleset, men, words["queen"]) if words["break_made"] and dice.random() < 0.06 else {}
    left = {name: number - fell.get(name, 0) for name, number in men.items()}
    queen_there = words["queen"] == "on_board" and not fell.get("queen")
    words |= what_fell(dice, left[colour], left[OTHER[colour]], queen_there)
    words |= conduct(dice, words)
    if fell:
        words["fell_between_strokes"] = fell
    return make_case(ruleset, **words)


def break_board(dice: random.Random, ruleset: str) -> Words:
    owing = ruleset in ("ukca", "caint") and dice.random() < 0.2
    attempts = 1 if ruleset.startswith("bell") else 3
    words: Words = {"white": MEN, "black": MEN, "break_made": False, "queen": "on_board"}
    return words | {
        "break_attempt": dice.randint(1, attempts),
        "dues": (dice.randint(0, 1), dice.randint(0, 1)) if owing else (0, 0),
    }


def open_board(dice: random.Random, ruleset: str, shooter: str) -> Words:
    least = 0 if ruleset == "bell_ii" and dice.random() < 0.2 else 1
    men = {colour: dice.choice((1, 2, 9, *range(least, MEN + 1))) for colour in OTHER}
    if least == 0:
        men[dice.choice(list(OTHER))] = 0
    ever = {colour: men[colour] < MEN or dice.random() < 0.5 for colour in OTHER}
    queen = "on_board"
    if ruleset != "bell_ii":
        queen = dice.choice(("on_board", "on_board", "on_board", "pending", "covered_white", "covered_black"))
    needs_a_man = {"pending": shooter, "covered_white": "white", "covered_black": "black"}.get(queen)
    if needs_a_man and not (queen == "pending" and ruleset == "bell_i"):
        ever[needs_a_man] = True
    dues = dict.fromkeys(OTHER, 0)
    for colour in OTHER:
        # Owed dues of ICF stand only as long as no man is there to pay them; UKCA's wait for the end of the turn.
        if not ruleset.startswith("bell") and (men[colour] == MEN or ruleset != "icf"):
            dues[colour] = dice.choice((0, 0, 0, 1, 2))
    return {
        **men,
        "break_made": True,
        "ever": (ever["white"], ever["black"]),
        "queen": queen,
        "dues": (dues["white"], dues["black"]),
        "turn_pocketed_own": dice.randint(0, MEN - men[shooter]) if dice.random() < 0.5 else 0,
    }


def slow_drop(dice: random.Random, ruleset: str, men: dict[str, int], queen: str) -> dict[str, Any]:
    """Let one piece fall by itself: a side's last man only where it is clear what becomes of him.

    That is where he wins the board, and in Bell's rules, which know no last man. No source speaks of the rest.
    """
    what = dice.choice(("white", "black", "queen"))
    if what == "queen":
        return {"queen": True} if queen == "on_board" else {}
    clear = ruleset.startswith("bell") or queen.startswith("covered")
    return {what: 1} if men[what] > 1 or (men[what] == 1 and clear) else {}


def some(dice: random.Random, there: int) -> int:
    """Return how many of the men fall: often none, often the last ones."""
    few = dice.choice((0, 0, 1, 1, 2, 3))
    return min(there, few) if dice.random() < 0.8 or there > 4 else there


def what_fell(dice: random.Random, own: int, opponent: int, queen_there: bool) -> Words:
    if dice.random() < 0.07:
        crossed = dice.random() < 0.6
        striker = dice.random() < 0.3
        gone = {"striker": striker, "over_striker": not striker and dice.random() < 0.2}
        left = crossed or striker or dice.random() < 0.7
        return {"touched_piece": False, "crossed_front": crossed, "left_base": left, **gone}
    words: Words = {"own": some(dice, own), "opponent": some(dice, opponent) if dice.random() < 0.5 else 0}
    words["queen_fell"] = queen_there and dice.random() < 0.3
    words["striker"] = dice.random() < 0.35
    words["striker_same_pocket_as_own"] = words["striker"] and words["own"] > 0 and dice.random() < 0.5
    if dice.random() < 0.12:
        words["over_own"] = min(own - words["own"], dice.randint(0, 2))
        words["over_opponent"] = min(opponent - words["opponent"], dice.randint(0, 1))
        words["over_queen"] = queen_there and not words["queen_fell"] and dice.random() < 0.3
        words["over_striker"] = not words["striker"] and dice.random() < 0.4
    words["crossed_front"] = dice.random() < 0.95
    words["direct_hit_behind"] = dice.random() < 0.08
    return words


def conduct(dice: random.Random, words: Words) -> Words:
    """Draw what an umpire may declare and what the opponent may choose."""
    found: Words = {
        "double_due_agreed": dice.random() < 0.5,
        "call_double_due": dice.random() < 0.4,
        "decline_dues": dice.choice((False, False, False, True, 1, 2)),
        "demand_extra": dice.choice((True, True, False, 1)),
        "improper": dice.random() < 0.12,
        "interference": dice.random() < 0.04,
        "technical_fouls": dice.choice((1, 2)) if dice.random() < 0.04 else 0,
    }
    if found["call_double_due"]:
        found["decline_dues"] = False  # who claims does not forgo
    if not words["break_made"]:
        found |= {"bad_setup": dice.random() < 0.1, "premature_break": dice.random() < 0.1}
    if dice.random() < 0.02:
        found["board_lost_by"] = dice.choice(list(OTHER))
    return found

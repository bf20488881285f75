"""Positions for the tests of policies."""

import numpy as np

import carromsim as cs
from carromsim.players.skill import skill_of
from carromsim.players.turns import Turns

RULE_SETS = cs.RuleSet.names()


def turns_of(rules, pos, states, skill="club", seed=1, first_row=0, stroke=0, equipment=None):
    """Turns of boards (n, 20, 2) and n states, or one for all."""
    rules = cs.RuleSet.load(rules) if isinstance(rules, str) else rules
    pos = np.asarray(pos, dtype=float)
    n = len(pos)
    return Turns(
        pos=pos,
        states=np.array(np.broadcast_to(states, n)),
        rules=rules,
        equipment=equipment or cs.Equipment.preset(rules.equipment),
        skill=skill_of(skill),
        seed=seed,
        rows=np.arange(first_row, first_row + n),
        stroke=np.full(n, stroke),
    )


def state_of(rules, pos, **fields):
    """One state that fits the discs which lie there; where any man is an own man white holds what is gone."""
    there = ~np.isnan(pos[:, 0])
    on_board = [int(there[cs.WHITE].sum()), int(there[cs.BLACK].sum())]
    queen = "on_board" if there[cs.QUEEN] else "covered_black"
    fields = {"shooter": "white", "on_board": on_board, "queen": queen, **fields}
    if rules.turn.own_men == "any":
        fields["held"] = [[9 - on_board[0], 9 - on_board[1]], [0, 0]]
    return cs.board_state(**fields)


def random_turns(rules, n, men=(9, 9), queen=True, clear=False, seed=1, **fields):
    """Discs scattered over the board; `fields` go to the state, the rest to `turns_of`."""
    rules = cs.RuleSet.load(rules) if isinstance(rules, str) else rules
    others = {name: fields.pop(name) for name in ("skill", "first_row", "stroke", "equipment") if name in fields}
    equipment = others.get("equipment") or cs.Equipment.preset(rules.equipment)
    pos = cs.random_layout(equipment, n, seed, n_men=men, queen=queen, clear_base_line=clear).pos
    return turns_of(rules, pos, state_of(rules, pos[0], **fields), seed=seed, **others)

"""The built-in policies by name. Any object with a method `choose` is a policy too, see `Policy`."""

import numpy as np

from carromsim.players.greedy import Greedy, Random
from carromsim.players.lookahead import Lookahead
from carromsim.players.turns import Policy

__all__ = ["POLICIES", "policy_of"]

POLICIES = ("random", "greedy", "lookahead")
"""Names; "lookahead:128" is `lookahead` with 128 strokes to think of, in place of 64."""


def policy_of(policy: str | Policy) -> Policy:
    """Give a policy, or the built-in one of that name.

    Parameters
    ----------
    policy : str or Policy
        "random", "greedy", "lookahead", or "lookahead:N" with the number of strokes that it imagines per choice.

    Raises
    ------
    ValueError
        If there is no such name, or the object has no method `choose`.
    """
    if not isinstance(policy, str):
        if isinstance(policy, np.ndarray) or not callable(getattr(policy, "choose", None)):  # arrays choose, too
            raise ValueError(f"policy = {policy!r}: must be a name or an object with a method choose(turns)")
        return policy
    name, colon, budget = policy.partition(":")
    if name == "lookahead" and (budget.isdecimal() or not colon):
        return Lookahead(int(budget)) if colon else Lookahead()
    if policy == "greedy":
        return Greedy()
    if policy == "random":
        return Random()
    raise ValueError(f"policy = {policy!r}: must be one of {', '.join(POLICIES)}, lookahead:N, or a Policy")

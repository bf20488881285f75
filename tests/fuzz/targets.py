"""Everything that takes input, and how much of the work each gets."""

from fuzz import of_physics, of_rules

TARGETS = (*of_physics.TARGETS, *of_rules.TARGETS)

_RATHER_MORE = {"simulate": 6, "simulate_motion": 5, "adjudicate": 5, "studies": 10, "stats": 8}
_RATHER_LESS = {"play_boards": 1, "fit_skill": 1, "follow": 1}

SHARES = {target.name: {**_RATHER_MORE, **_RATHER_LESS}.get(target.name, 2) for target in TARGETS}
"""By name."""

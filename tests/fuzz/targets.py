"""Everything that takes input, and how much of the work each gets."""

from fuzz import commands, directories, of_physics, of_rules, texts

TARGETS = (*of_physics.TARGETS, *of_rules.TARGETS, *texts.TARGETS, *directories.TARGETS, *commands.TARGETS)

_MORE = {"simulate": 6, "simulate_motion": 5, "adjudicate": 5, "studies": 10, "stats": 8, "study files": 14}
_FILES = {"rule files": 6, "equipment files": 8, "measurements": 8, "positions": 4, "cases": 6}
_RUNS = {"open_run": 5, "Run.verify": 4, "commands": 10, "commands on runs": 3}
_LESS = {"play_boards": 1, "fit_skill": 1, "follow": 1, "run again": 1}

SHARES = {target.name: {**_MORE, **_FILES, **_RUNS, **_LESS}.get(target.name, 2) for target in TARGETS}
"""By name."""

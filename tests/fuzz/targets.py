"""Everything that takes input, and how much of the work each gets."""

from fuzz import commands, directories, of_physics, of_rules, texts

TARGETS = (*of_physics.TARGETS, *of_rules.TARGETS, *texts.TARGETS, *directories.TARGETS, *commands.TARGETS)

_MORE = {"simulate": 6, "simulate_motion": 5, "adjudicate": 4, "studies": 8, "stats": 10, "study files": 12}
_FILES = {"rule files": 6, "equipment files": 8, "measurements": 8, "positions": 6, "cases": 8}
_RUNS = {"open_run": 3, "Run.verify": 2, "commands": 5, "commands on runs": 2}
_LESS = {"play_boards": 1, "fit_skill": 1, "follow": 1, "run again": 1, "diff_runs": 1}
_QUICK = ("Layout", "Strokes", "Equipment.replace", "Equipment.load", "RuleSet.replace", "board_state", "stroke_facts")
_QUICKER = (
    "Skill",
    "skill_of",
    "policy_of",
    "DeclaredRates",
    "Uniform",
    "Normal",
    "Truncated",
    "Grid",
    "arrange",
    "opening",
)

_WISHES = {**_MORE, **_FILES, **_RUNS, **_LESS, **dict.fromkeys((*_QUICK, *_QUICKER), 5)}
SHARES = {target.name: _WISHES.get(target.name, 2) for target in TARGETS}
"""By name."""

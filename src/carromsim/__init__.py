"""carromsim: carrom by the million, and sliding discs in general.

The public names are loaded when they are first used, so that ``import carromsim`` and the command's
help do not wait for Numba and Arrow.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carromsim.calibration import Calibration, Measurements, calibrate
    from carromsim.equipment import BLACK, N_DISCS, QUEEN, STRIKER, WHITE, Equipment
    from carromsim.layouts import Layout, arrange, opening, random_layout
    from carromsim.outcomes import Outcomes
    from carromsim.play import play_boards, play_matches
    from carromsim.players.fitting import fit_skill
    from carromsim.players.skill import SKILLS, Skill
    from carromsim.rules.adjudication import Rulings, adjudicate
    from carromsim.rules.records import board_state, stroke_facts
    from carromsim.rules.referee import DeclaredRates, declare, facts_from_outcomes
    from carromsim.rules.ruleset import RuleSet
    from carromsim.simulation import simulate, simulate_motion
    from carromsim.strokes import Strokes
    from carromsim.studies.analysis.comparing import Comparison, diff_runs
    from carromsim.studies.analysis.planning import Plan, plan_study
    from carromsim.studies.breaks.study import BreakStudy
    from carromsim.studies.counting.stopping import Until
    from carromsim.studies.declaring.declare import load_study
    from carromsim.studies.declaring.parameters import Grid, Normal, Truncated, Uniform
    from carromsim.studies.optimising.study import BreakOptimisation
    from carromsim.studies.playing.boards import BoardStudy
    from carromsim.studies.playing.matches import MatchStudy
    from carromsim.studies.runs.merging import merge_runs
    from carromsim.studies.runs.reading import Run, open_run
    from carromsim.studies.runs.trying import ChunkError
    from carromsim.studies.runs.work import VersionsError
    from carromsim.studies.shots.study import ShotStudy
    from carromsim.studies.takes import Take
    from carromsim.studies.variants.declaration import Variant
    from carromsim.studies.variants.study import VariantStudy
    from carromsim.surfaces import SURFACES, Surface, surface
    from carromsim.trajectories import Trajectory, follow

_HOME = {
    **dict.fromkeys(("Calibration", "Measurements", "calibrate"), "calibration"),
    **dict.fromkeys(("BLACK", "N_DISCS", "QUEEN", "STRIKER", "WHITE", "Equipment"), "equipment"),
    **dict.fromkeys(("Layout", "arrange", "opening", "random_layout"), "layouts"),
    "Outcomes": "outcomes",
    **dict.fromkeys(("play_boards", "play_matches"), "play"),
    "fit_skill": "players.fitting",
    **dict.fromkeys(("SKILLS", "Skill"), "players.skill"),
    **dict.fromkeys(("Rulings", "adjudicate"), "rules.adjudication"),
    **dict.fromkeys(("board_state", "stroke_facts"), "rules.records"),
    **dict.fromkeys(("DeclaredRates", "declare", "facts_from_outcomes"), "rules.referee"),
    "RuleSet": "rules.ruleset",
    "simulate": "simulation",
    "simulate_motion": "simulation",
    "Strokes": "strokes",
    "BoardStudy": "studies.playing.boards",
    "BreakOptimisation": "studies.optimising.study",
    "BreakStudy": "studies.breaks.study",
    "MatchStudy": "studies.playing.matches",
    "ShotStudy": "studies.shots.study",
    "Take": "studies.takes",
    "Variant": "studies.variants.declaration",
    "VariantStudy": "studies.variants.study",
    **dict.fromkeys(("Comparison", "diff_runs"), "studies.analysis.comparing"),
    "merge_runs": "studies.runs.merging",
    **dict.fromkeys(("Plan", "plan_study"), "studies.analysis.planning"),
    "Until": "studies.counting.stopping",
    "ChunkError": "studies.runs.trying",
    "VersionsError": "studies.runs.work",
    "load_study": "studies.declaring.declare",
    **dict.fromkeys(("Grid", "Normal", "Truncated", "Uniform"), "studies.declaring.parameters"),
    **dict.fromkeys(("Run", "open_run"), "studies.runs.reading"),
    **dict.fromkeys(("SURFACES", "Surface", "surface"), "surfaces"),
    **dict.fromkeys(("Trajectory", "follow"), "trajectories"),
}

__all__ = [
    "BLACK",
    "N_DISCS",
    "QUEEN",
    "SKILLS",
    "STRIKER",
    "SURFACES",
    "WHITE",
    "BoardStudy",
    "BreakOptimisation",
    "BreakStudy",
    "Calibration",
    "ChunkError",
    "Comparison",
    "DeclaredRates",
    "Equipment",
    "Grid",
    "Layout",
    "MatchStudy",
    "Measurements",
    "Normal",
    "Outcomes",
    "Plan",
    "RuleSet",
    "Rulings",
    "Run",
    "ShotStudy",
    "Skill",
    "Strokes",
    "Surface",
    "Take",
    "Trajectory",
    "Truncated",
    "Uniform",
    "Until",
    "Variant",
    "VariantStudy",
    "VersionsError",
    "adjudicate",
    "arrange",
    "board_state",
    "calibrate",
    "declare",
    "diff_runs",
    "facts_from_outcomes",
    "fit_skill",
    "follow",
    "load_study",
    "merge_runs",
    "open_run",
    "opening",
    "plan_study",
    "play_boards",
    "play_matches",
    "random_layout",
    "simulate",
    "simulate_motion",
    "stroke_facts",
    "surface",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'carromsim' has no attribute {name!r}")
    value = getattr(import_module(f"carromsim.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

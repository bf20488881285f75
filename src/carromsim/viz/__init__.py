"""Pictures, plots and pages of what was played.

The public names are loaded when they are first used, so that a page which needs no plot does not wait for Matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carromsim.viz.board import draw_before_after, draw_position, draw_trajectory
    from carromsim.viz.plots import (
        convergence,
        final_positions,
        forest,
        front,
        lengths,
        men_pocketed,
        optimum,
        pocket_flow,
        scores,
        sensitivity_map,
        success,
    )
    from carromsim.viz.replays import Replay, replay
    from carromsim.viz.report import report_page

_PLOTS = (
    "convergence",
    "final_positions",
    "forest",
    "front",
    "lengths",
    "men_pocketed",
    "optimum",
    "pocket_flow",
    "scores",
    "sensitivity_map",
    "success",
)
_HOME = {
    **dict.fromkeys(_PLOTS, "plots"),
    "report_page": "report",
    **dict.fromkeys(("draw_before_after", "draw_position", "draw_trajectory"), "board"),
    **dict.fromkeys(("Replay", "replay"), "replays"),
}

__all__ = [
    "Replay",
    "convergence",
    "draw_before_after",
    "draw_position",
    "draw_trajectory",
    "final_positions",
    "forest",
    "front",
    "lengths",
    "men_pocketed",
    "optimum",
    "pocket_flow",
    "replay",
    "report_page",
    "scores",
    "sensitivity_map",
    "success",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'carromsim.viz' has no attribute {name!r}")
    value = getattr(import_module(f"carromsim.viz.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Pictures, plots and pages of what was played.

The public names are loaded when they are first used, so that a page which needs no plot does not wait for Matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carromsim.viz.board import draw_before_after, draw_position, draw_trajectory
    from carromsim.viz.replays import Replay, replay

_HOME = {
    **dict.fromkeys(("draw_before_after", "draw_position", "draw_trajectory"), "board"),
    **dict.fromkeys(("Replay", "replay"), "replays"),
}

__all__ = [
    "Replay",
    "draw_before_after",
    "draw_position",
    "draw_trajectory",
    "replay",
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

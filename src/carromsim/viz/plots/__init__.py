"""Plots of runs: one function each, which takes a run and gives the axes that it drew on."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carromsim.viz.plots.breaks import final_positions, men_pocketed, pocket_flow
    from carromsim.viz.plots.converging import convergence
    from carromsim.viz.plots.optimising import front, optimum, sensitivity_map
    from carromsim.viz.plots.playing import lengths, scores
    from carromsim.viz.plots.shots import success
    from carromsim.viz.plots.variants import forest

PLOTS: Mapping[str, tuple[str, ...]] = {
    "break": ("final_positions", "pocket_flow", "men_pocketed", "convergence"),
    "shot": ("success", "convergence"),
    "board": ("lengths", "scores", "convergence"),
    "match": ("lengths", "scores", "convergence"),
    "variants": ("forest", "convergence"),
    "optimise": ("optimum", "sensitivity_map", "front"),
}
"""Which plots there are of a study, by its kind. A search for one best break has no front, one that trades two terms
off has nothing else."""

_HOME = {
    **dict.fromkeys(("final_positions", "men_pocketed", "pocket_flow"), "breaks"),
    "convergence": "converging",
    **dict.fromkeys(("front", "optimum", "sensitivity_map"), "optimising"),
    **dict.fromkeys(("lengths", "scores"), "playing"),
    "success": "shots",
    "forest": "variants",
}

__all__ = [
    "PLOTS",
    "convergence",
    "final_positions",
    "forest",
    "front",
    "lengths",
    "men_pocketed",
    "optimum",
    "plot_named",
    "pocket_flow",
    "scores",
    "sensitivity_map",
    "success",
]


def plot_named(name: str) -> Callable[..., Any]:
    """Give the function of a plot; KeyError if there is none."""
    plot: Callable[..., Any] = getattr(import_module(f"carromsim.viz.plots.{_HOME[name]}"), name)
    return plot


def __getattr__(name: str) -> Any:
    """Load a plot from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'carromsim.viz.plots' has no attribute {name!r}")
    return plot_named(name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""The one door to matplotlib, which not everybody installs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes_or_new", "need_matplotlib"]


def need_matplotlib() -> None:
    """Raise ImportError, saying how to install it, if matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError("pictures and plots need matplotlib: pip install 'carromsim[viz]'") from error


def axes_or_new(ax: "Axes | None", paper: str) -> "Axes":
    """Give the axes to draw on: those given, or the only ones of a new pyplot figure on paper of a colour."""
    need_matplotlib()
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    figure, new = plt.subplots(layout="constrained")
    figure.set_facecolor(paper)
    return new

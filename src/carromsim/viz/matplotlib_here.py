"""The one door to matplotlib, which not everybody installs."""

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["axes_or_new", "figure_bytes", "need_matplotlib"]

_DPI = 150
"""Dots per inch of a PNG."""
_UNDATED: Mapping[str, Mapping[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What would make two files of one figure differ."""


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


def figure_bytes(figure: "Figure", kind: str) -> bytes:
    """Give a figure as a file, "png", "svg" or "pdf": the same bytes for the same figure and versions."""
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "carromsim", "pdf.compression": 6}):
        figure.savefig(file, format=kind, dpi=_DPI, metadata=_UNDATED[kind])
    return file.getvalue()

"""All plots of a run: which apply, and each as the bytes of a file."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from carromsim.viz.matplotlib_here import figure_bytes, need_matplotlib
from carromsim.viz.plots import PLOTS, plot_named
from carromsim.viz.plots.style import SIZE, SQUARE, figure_of

if TYPE_CHECKING:
    from carromsim.studies.runs.reading import Run

__all__ = ["Picture", "Wanted", "counted_once", "plots_of"]


class Picture(NamedTuple):
    """A plot as a file.

    Attributes
    ----------
    data : bytes
    title, of : str
        What is shown, and of what: rule set, equipment, hands and number of rows.
    """

    data: bytes
    title: str
    of: str


class Wanted(NamedTuple):
    """A plot that can be drawn of a run.

    Attributes
    ----------
    name : str
        Of a file without its suffix: the plot's name, with what it is about if there are several.
    plot : str
        A name of `PLOTS`.
    options : mapping
        Of the plot's function, all but `ax` and `theme`.
    size : (float, float) [inches]
    """

    name: str
    plot: str
    options: Mapping[str, Any]
    size: tuple[float, float] = SIZE

    def draw(self, run: "Run", theme: str, kind: str) -> Picture:
        """Draw it as a file, "png", "svg" or "pdf"; the same bytes for the same run and versions.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        OSError
            If a part of the run is damaged.
        """
        need_matplotlib()
        figure = figure_of(theme, self.size)
        ax = plot_named(self.plot)(run, **self.options, ax=figure.subplots(), theme=theme)
        return Picture(figure_bytes(figure, kind), ax.get_title(loc="left"), ax.texts[0].get_text())


def counted_once(run: "Run") -> "Run":
    """Give the run with its counts, so that no plot counts its rows again."""
    found = run.summary()
    return replace(run, counts=found.counts, seconds=found.seconds, stopped=found.stopped)


def plots_of(run: "Run") -> Iterator[Wanted]:
    """Give all plots that apply to a run.

    Parameters
    ----------
    run : Run
        Of any kind; its rows need not all be there.
    """
    study: Any = run.study
    for plot in PLOTS[study.kind]:
        if plot == "success":
            from carromsim.viz.plots.shots import varied

            yield from (Wanted(f"success-{key}", plot, {"against": key}) for key in varied(run))
            if not varied(run):
                yield Wanted(plot, plot, {})
        elif plot == "forest":
            from carromsim.viz.plots.variants import forest_size, headlines

            size = forest_size([each.name for each in study.others])
            yield from (Wanted(f"forest-{key}", plot, {"metric": key}, size) for key in headlines(run))
        elif study.kind != "optimise" or (plot == "front") == study.pareto:
            yield Wanted(plot, plot, {}, SQUARE if plot in ("final_positions", "pocket_flow") else SIZE)

"""What a part of the validation finds, and how it becomes a page with pictures."""

import importlib.metadata
import platform
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

VERSIONS_OF = ("carromsim", "numpy", "numba", "pymunk", "scipy", "mpmath")

# Okabe and Ito's colours, told apart with any kind of colour vision; markers differ too.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """One demand on one number: its size must not exceed the tolerance.

    Attributes
    ----------
    what : str
        The number, in words.
    value, tolerance : float
        In `unit`. A value that is not a number misses every tolerance.
    unit : str
        "" for a pure number.
    """

    what: str
    value: float
    tolerance: float
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Whether the demand is met."""
        return abs(self.value) <= self.tolerance


@dataclass(frozen=True)
class Table:
    """A table of text: caption, names of the columns, rows."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Part:
    """What one part of the validation found.

    Attributes
    ----------
    title, text : str
        Heading, and what was compared with what, in Markdown.
    verdicts : list of Verdict
        At least one.
    tables : list of Table
    figures : dict of str to Figure
        By file name without ``.png``; the value's title becomes its description.
    """

    title: str
    text: str
    verdicts: list[Verdict]
    tables: list[Table] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every demand is met; a part without demands has proved nothing."""
        return bool(self.verdicts) and all(verdict.passed for verdict in self.verdicts)


def new_figure(title: str, columns: int = 1, width: float = 8.5, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    """Return a titled figure [inches] with axes side by side; no display is needed."""
    matplotlib.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "lines.markersize": 4})
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title)
    return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def write(parts: Sequence[Part], limits: str, command: str, page: Path) -> None:
    """Write the page, and its pictures into a folder of the same name beside it.

    Parameters
    ----------
    parts : sequence of Part
    limits : str
        What is not validated, in Markdown.
    command : str
        That makes the page.
    page : Path
        Ending in ``.md``.
    """
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    lines = [*_head(parts, command)]
    for number, part in enumerate(parts, 1):
        lines += ["", f"## {number}. {part.title}", "", _wrapped(part.text), *_verdicts(part)]
        for table in part.tables:
            lines += ["", table.caption, "", *_table(table.head, table.rows)]
        for name, figure in part.figures.items():
            figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
            lines += ["", f"![{figure.get_suptitle()}]({folder.name}/{name}.png)"]
    page.write_text("\n".join([*lines, "", "## What is not validated", "", limits.strip(), ""]), encoding="utf-8")


def _head(parts: Sequence[Part], command: str) -> list[str]:
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in VERSIONS_OF)
    rows = [[str(k), part.title, _word(part.passed)] for k, part in enumerate(parts, 1)]
    return [
        "# Validation",
        "",
        "The package against laws, formulas and programs that it shares no code with. A tolerance that is missed makes",
        "the command fail.",
        "",
        f"Made by `{command}` on {datetime.now(UTC):%Y-%m-%d} with Python {platform.python_version()}, {versions}.",
        "",
        *_table(["part", "what", "verdict"], rows),
    ]


def _verdicts(part: Part) -> list[str]:
    rows = [
        [v.what, f"{v.value:.2g} {v.unit}".strip(), f"{v.tolerance:.2g} {v.unit}".strip(), _word(v.passed)]
        for v in part.verdicts
    ]
    return ["", *_table(["demand", "found", "tolerance", "verdict"], rows)]


def _wrapped(text: str) -> str:
    """Return paragraphs with lines filled anew."""
    return "\n\n".join(textwrap.fill(paragraph, 119) for paragraph in text.strip().split("\n\n"))


def _word(passed: bool) -> str:
    return "met" if passed else "**MISSED**"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, *rows]]
    return [lines[0], "|" + "---|" * len(head), *lines[1:]]

"""How commands print tables and JSON."""

import json
import sys
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table

from carromsim.cli.app import terminal_text


class Lines(Table):
    """A table whose cells are text to a terminal, whatever file they were read from."""

    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        """Add a row; see `rich.table.Table`."""
        super().add_row(*(terminal_text(cell) if isinstance(cell, str) else cell for cell in cells), **how)


def table(*headings: str) -> Table:
    """Begin a table without lines whose cells break over lines."""
    made = Lines(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        made.add_column(terminal_text(heading), overflow="fold")
    return made


def stdout() -> Console:
    """Return the console for a command's result. It prints text as it is: what stands in a file is no markup."""
    return Console(highlight=False, markup=False, emoji=False)


def print_parts(*parts: RenderableType) -> None:
    """Print one thing after the other, a text as a line."""
    console = stdout()
    for part in parts:
        console.print(terminal_text(part) if isinstance(part, str) else part)


def print_json(told: Any) -> None:
    """Print something for programs."""
    sys.stdout.write(json.dumps(told, indent=2, allow_nan=False) + "\n")

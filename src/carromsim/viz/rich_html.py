"""What reports lay out for a terminal, as HTML: real tables and lists, which can be read aloud and copied."""

import html
import re
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

__all__ = ["html_of"]

_LABELLED = re.compile(r"(\S+(?: \S+)*?)\s{2,}(\S.*)")
"""A line with a label and what belongs to it, in columns."""
_FULL_LABEL = re.compile(r"(\S{9}) (\S.*)")
"""Such a line whose label fills its column, which is ten wide."""
_BAR = "█"
_LONGEST_BAR = 40


def html_of(parts: RenderableType | Iterable[RenderableType]) -> str:
    """Turn what `DeclaredStudy.report` gives, or parts of it, into HTML.

    Parameters
    ----------
    parts : rich.console.Group, rich.table.Table, rich.text.Text, str, or several of them

    Returns
    -------
    str
        Tables with headings of columns, and of rows in the first column; lists of labels; paragraphs. A line in italics
        above a table is its caption.

    Raises
    ------
    TypeError
        For what is none of these.
    """
    if isinstance(parts, str | Text):
        return _paragraphs(_plain(parts))
    if isinstance(parts, Table):
        return _table(parts, "")
    if isinstance(parts, Group):
        parts = parts.renderables
    if not isinstance(parts, Iterable):
        raise TypeError(f"parts has {type(parts).__name__}: must be groups, tables and text")
    found, caption = [], ""
    for part in parts:
        if isinstance(part, Text) and part.style == "italic":
            caption = part.plain
        else:
            found.append(_table(part, caption) if isinstance(part, Table) else html_of(part))
            caption = ""
    return "\n".join(filter(None, found))


def _plain(cell: RenderableType) -> str:
    """Give the text of a cell as it is: a name that somebody chose may hold what looks like markup."""
    if not isinstance(cell, str | Text):
        raise TypeError(f"a cell is {type(cell).__name__}: must be text")
    return cell.plain if isinstance(cell, Text) else cell


def _paragraphs(text: str) -> str:
    """Write text: lines with a label as a list, all others as paragraphs."""
    lines = text.splitlines()
    labels = [_LABELLED, *([_FULL_LABEL] if any(map(_LABELLED.fullmatch, lines)) else [])]
    found: list[str] = []
    labelled: list[str] = []
    for line in [*lines, ""]:
        columns = next(filter(None, (label.fullmatch(line) for label in labels)), None)
        if columns is not None:
            labelled += [f"<dt>{html.escape(columns[1])}</dt>", f"<dd>{html.escape(columns[2])}</dd>"]
        elif labelled and line.startswith("  "):  # goes on with what the line above said
            labelled += [f"<dd>{html.escape(line.strip())}</dd>"]
        else:
            if labelled:
                found.append(f"<dl>{''.join(labelled)}</dl>")
                labelled = []
            if line.strip():
                found.append(f"<p>{html.escape(line.strip())}</p>")
    return "\n".join(found)


def _table(table: Table, caption: str) -> str:
    """Write a table; nothing if it has headings only. A row whose other cells are empty is a heading of those below."""
    if not table.row_count:
        return ""
    aligned = [' class="number"' if column.justify == "right" else "" for column in table.columns]
    names = [_plain(column.header) for column in table.columns]
    headings = "".join(_heading(name, "col", kind) for name, kind in zip(names, aligned, strict=True))
    rows = [
        _row([_plain(cell) for cell in cells], aligned)
        for cells in zip(*(column.cells for column in table.columns), strict=True)
    ]
    body = "\n".join(rows)
    label = html.escape(caption or next(filter(None, names), "Table"))
    told = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{label}"><table>{told}\n'
        f"<thead><tr>{headings}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _heading(name: str, scope: str, kind: str) -> str:
    """Write the heading of a column or row; an empty one heads nothing."""
    return f'<th scope="{scope}"{kind}>{html.escape(name.strip())}</th>' if name.strip() else f"<td{kind}></td>"


def _row(cells: list[str], aligned: list[str]) -> str:
    first, *rest = cells
    if first.strip() and rest and not any(cell.strip() for cell in rest):
        return f'<tr><th scope="rowgroup" colspan="{len(cells)}">{html.escape(first)}</th></tr>'
    written = [_heading(first, "row", ' class="inner"' if first.startswith("  ") else aligned[0])]
    written += [f"<td{kind}>{_cell(cell)}</td>" for cell, kind in zip(rest, aligned[1:], strict=True)]
    return f"<tr>{''.join(written)}</tr>"


def _cell(text: str) -> str:
    """Write a cell; bars are for the eye alone."""
    bar = text.strip()
    if not bar or bar.strip(_BAR):
        return html.escape(bar)
    size = f'width="160" height="12" viewBox="0 0 {_LONGEST_BAR} 1" preserveAspectRatio="none"'
    return f'<svg class="bar" aria-hidden="true" {size}><rect width="{len(bar)}" height="1"/></svg>'

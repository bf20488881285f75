"""What a notebook shows of an object: a small board, and beside it the key facts."""

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from carromsim.drawing.palette import DARK, LIGHT, Palette
from carromsim.drawing.svg import style_sheet, svg_board
from carromsim.equipment import PRESETS, Equipment

__all__ = ["card", "icf_picture"]

WIDTH = 240
"""Of the picture [px]."""


def card(title: str, facts: Mapping[str, object], picture: str = "", caption: str = "") -> str:
    """Lay out a picture and facts as HTML that follows a light or a dark browser and styles nothing but itself.

    Parameters
    ----------
    title, caption : str
        Plain text.
    facts : mapping of str to object
        Plain text; values are shown by `str`.
    picture : str
        SVG; "": none.

    Returns
    -------
    str
    """
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in facts.items())
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    figure = f"<figure>{picture}{below}</figure>" if picture or caption else ""
    return (
        f'<div class="carromsim-card"><style>{_STYLE}</style>{figure}'
        f'<div><strong>{escape(title)}</strong><table class="carromsim-facts">{rows}</table></div></div>'
    )


def icf_picture(pos: ArrayLike, extra: str = "") -> str:
    """Draw a position, (20, 2) [m], on an ICF board, as whoever knows no other does; "" if it reaches beyond that."""
    board: Equipment = PRESETS["icf"]
    places = np.asarray(pos)
    with np.errstate(invalid="ignore"):
        beyond = bool((np.abs(places) > board.side / 2).any())
    return "" if beyond else svg_board(board, places, width=WIDTH, extra=extra)


def _colours(palette: Palette) -> str:
    """Give the rules of a card that have to do with colour."""
    return (
        f".carromsim-card{{background:{palette.paper};color:{palette.ink};border:1px solid {palette.rule}}}"
        f".carromsim-card .carromsim-facts td{{color:{palette.ink}}}"
        f".carromsim-card figcaption,.carromsim-card .carromsim-facts th{{color:{palette.muted}}}"
        + style_sheet(palette, ".carromsim-card")
    )


# The selectors of the table are so long in order to weigh more than those of notebooks, which stripe every table.
_STYLE = (
    ".carromsim-card{display:flex;flex-wrap:wrap;gap:16px;padding:12px;border-radius:6px;width:fit-content;"
    "max-width:100%;box-sizing:border-box;font:13px/1.5 system-ui,sans-serif}"
    ".carromsim-card figure{margin:0}"
    f".carromsim-card svg{{display:block;width:{WIDTH}px;height:auto;max-width:100%}}"
    f".carromsim-card figcaption{{max-width:{WIDTH}px;margin-top:4px;font-size:12px}}"
    ".carromsim-card table.carromsim-facts{margin:6px 0 0;border-collapse:collapse}"
    ".carromsim-card table.carromsim-facts tr:nth-child(n){background:none}"
    ".carromsim-card table.carromsim-facts tr:nth-child(n)>:nth-child(n){padding:1px 12px 1px 0;border:0;"
    "background:none;font-size:13px;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    ".carromsim-card table.carromsim-facts tr:nth-child(n)>th{font-weight:normal;white-space:nowrap}"
    f"{_colours(LIGHT)}@media (prefers-color-scheme:dark){{{_colours(DARK)}}}"
)

"""Colours by what they mean, for light and for dark surroundings."""

from typing import NamedTuple

__all__ = ["DARK", "LIGHT", "SERIES", "Palette", "palette_of"]


class Palette(NamedTuple):
    """A colour, "#rrggbb", for each role that something in a picture can have.

    Attributes
    ----------
    wood, frame, frame_edge, hole : str
        The playing surface, the frame and the edge of its cushions, the pockets.
    line, circle : str
        What is painted black on a real board (lines, arrows, outlines), and what is painted red (moons).
    striker, queen, white, black : str
        The faces of discs.
    striker_ring, queen_ring, white_ring, black_ring : str
        The rings on these faces, which tell discs apart without colour.
    disc_edge : str
        The rim of every disc; it stands out against the wood.
    trail, mark : str
        Where a disc went, and what else points something out on the wood.
    paper, ink, muted, rule : str
        Around the board: background, text, text of less weight, thin lines.
    """

    wood: str
    frame: str
    frame_edge: str
    hole: str
    line: str
    circle: str
    striker: str
    striker_ring: str
    queen: str
    queen_ring: str
    white: str
    white_ring: str
    black: str
    black_ring: str
    disc_edge: str
    trail: str
    mark: str
    paper: str
    ink: str
    muted: str
    rule: str


LIGHT = Palette(
    wood="#f0dcb4",
    frame="#7d4f30",
    frame_edge="#4f2f1b",
    hole="#262019",
    line="#3f342a",
    circle="#d5573f",
    striker="#3d8fd6",
    striker_ring="#f3f9ff",
    queen="#c3132f",
    queen_ring="#ffd9c7",
    white="#fffaf0",
    white_ring="#857660",
    black="#2d2a28",
    black_ring="#b3a595",
    disc_edge="#1d1712",
    trail="#6a4a9c",
    mark="#00639c",
    paper="#ffffff",
    ink="#1b1b1f",
    muted="#5c5c66",
    rule="#d0d0d6",
)

DARK = Palette(
    wood="#4b3c2b",
    frame="#2c1e13",
    frame_edge="#8a6a4c",
    hole="#0a0806",
    line="#c8b698",
    circle="#b8422f",
    striker="#4f9fe3",
    striker_ring="#082742",
    queen="#f0525f",
    queen_ring="#3f0810",
    white="#f6ecd9",
    white_ring="#7a6a54",
    black="#181513",
    black_ring="#948778",
    disc_edge="#e9dcc6",
    trail="#c3a6f0",
    mark="#6cc3ff",
    paper="#15161a",
    ink="#ececf1",
    muted="#a5a6b0",
    rule="#3b3c44",
)

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442")
"""For curves and bars, in this order: the colours of Okabe and Ito, told apart by the colour-blind."""


def palette_of(theme: str) -> Palette:
    """Give the palette of a theme, "light" or "dark"."""
    themes = {"light": LIGHT, "dark": DARK}
    if theme not in themes:
        raise ValueError(f"theme = {theme!r}: must be 'light' or 'dark'")
    return themes[theme]

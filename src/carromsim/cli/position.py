"""Position files: which discs lie where, by name, in TOML."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carromsim.cli.app import BadInput

if TYPE_CHECKING:
    from carromsim.equipment import Equipment
    from carromsim.layouts import Layout

KEYS = ("queen", "white", "black", "equipment")
MOST_MEN = 9


def read_position(
    path: Path, equipment: "Equipment | None" = None, otherwise: str = "icf"
) -> "tuple[Layout, Equipment]":
    """Read a position and the board it lies on.

    Parameters
    ----------
    path : Path
        A TOML file that may say ``queen = [x, y]``, ``white = [[x, y], ...]``, ``black = ...`` (metres from the
        board's centre) and ``equipment = "icf"``, a preset or a file whose path begins in the folder of this one. An
        empty file is an empty board.
    equipment : Equipment, optional
        Board to use whatever the file says. Default: the file's.
    otherwise : str
        Preset of the board if the file names none either.

    Returns
    -------
    Layout, Equipment

    Raises
    ------
    BadInput
        If the file cannot be read or makes no sense; all mistakes at once, each with the line of its key.
    """
    from carromsim.layouts import arrange
    from carromsim.toml_lines import key_lines, line_of

    text, told = _read(path)
    lines = key_lines(text)
    mistakes = [(line_of(lines, key), f"{path}:{line_of(lines, key)}: {why}") for key, why in _mistakes(told)]
    board = equipment
    if board is None:
        board, wrong = _board(told.get("equipment", otherwise), path, line_of(lines, "equipment"))
        mistakes += [(line_of(lines, "equipment"), why) for why in wrong]
    if mistakes or board is None:
        raise BadInput("\n".join(why for _, why in sorted(mistakes, key=lambda mistake: mistake[0])))
    layout = arrange(queen=told.get("queen"), white=told.get("white", ()), black=told.get("black", ()))
    try:
        layout.check(board, striker=False)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    return layout, board


def is_pack(layout: "Layout", board: "Equipment") -> bool:
    """Whether all men and the queen lie in the outer circle: as the opening pack, and as after no stroke that broke it.

    Parameters
    ----------
    layout : Layout
        A single one.
    board : Equipment
    """
    import numpy as np

    from carromsim.equipment import OUTER_CIRCLE, QUEEN

    edge = np.hypot(layout.pos[QUEEN:, 0], layout.pos[QUEEN:, 1]) + board.radius[QUEEN:]
    return bool(np.all(edge <= OUTER_CIRCLE))  # NaN, of a man that is not there, is not


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    from carromsim.toml import DeclarationError, parse, read_text

    try:
        text = read_text(path)
        return text, parse(text, str(path))
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except DeclarationError as error:
        raise BadInput(str(error)) from None


def _board(origin: Any, path: Path, line: int) -> "tuple[Equipment | None, Sequence[str]]":
    """Give the equipment that a position names, or what is wrong with it."""
    from carromsim.equipment_files import describe
    from carromsim.toml import DeclarationError

    try:
        return describe(origin, path.parent).equipment, ()
    except DeclarationError as error:  # its messages name the file
        return None, error.problems
    except ValueError as error:
        return None, [f"{path}:{line}: {error}"]


def _mistakes(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the contents of a position file, and at which key."""
    from carromsim.equipment import did_you_mean

    for key, value in told.items():
        if key == "equipment":  # a matter of its own
            continue
        if key == "striker":
            yield key, "unknown key 'striker': where it stands is an option, --x"
        elif key not in KEYS:
            yield key, f"unknown key {key!r}: {did_you_mean(key, KEYS)}"
        elif key == "queen":
            if not _is_point(value):
                yield key, f"queen = {value!r}: must be [x, y], two finite numbers in m"
        elif not isinstance(value, list) or len(value) > MOST_MEN:
            given = f"{len(value)} men" if isinstance(value, list) else repr(value)
            yield key, f"{key} = {given}: must be a list [[x, y], ...] of at most {MOST_MEN} men"
        else:
            for number, point in enumerate(value, 1):
                if not _is_point(point):
                    yield key, f"{key} {number} = {point!r}: must be [x, y], two finite numbers in m"


def _is_point(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= sys.float_info.max for v in value)
    )

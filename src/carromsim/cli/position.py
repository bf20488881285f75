"""Position files: which discs lie where, by name, in TOML."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carromsim.cli.app import BadInput

if TYPE_CHECKING:
    from carromsim.equipment import Equipment
    from carromsim.layouts import Layout

KEYS = ("queen", "white", "black", "equipment")
MOST_MEN = 9


def read_position(path: Path, equipment: str | None = None) -> "tuple[Layout, Equipment]":
    """Read a position and the board it lies on.

    Parameters
    ----------
    path : Path
        A TOML file that may say ``queen = [x, y]``, ``white = [[x, y], ...]``, ``black = ...`` (metres from the
        board's centre) and ``equipment = "icf"``. An empty one is an empty board.
    equipment : str, optional
        Preset to use whatever the file says. Default: the file's, else "icf".

    Returns
    -------
    Layout, Equipment

    Raises
    ------
    BadInput
        If the file cannot be read or makes no sense; all mistakes at once, each with the line of its key.
    """
    from carromsim.equipment import Equipment
    from carromsim.layouts import arrange
    from carromsim.studies.toml_lines import key_lines, line_of

    text, told = _read(path)
    mistakes = list(_mistakes(told))
    if mistakes:
        lines = key_lines(text)
        raise BadInput("\n".join(f"{path}:{line_of(lines, key)}: {why}" for key, why in mistakes))
    board = Equipment.preset(equipment or told.get("equipment", "icf"))
    layout = arrange(queen=told.get("queen"), white=told.get("white", ()), black=told.get("black", ()))
    try:
        layout.check(board, striker=False)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    return layout, board


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors on Windows begin files with a mark
        return text, tomllib.loads(text)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: is no text in UTF-8") from None
    except (ValueError, RecursionError) as error:  # mistakes of grammar name the line themselves
        raise BadInput(f"{path}: {error}") from None


def _mistakes(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the contents of a position file, and at which key."""
    from carromsim.equipment import PRESETS, did_you_mean

    for key, value in told.items():
        if key == "striker":
            yield key, "unknown key 'striker': where it stands is an option, --x"
        elif key not in KEYS:
            yield key, f"unknown key {key!r}: {did_you_mean(key, KEYS)}"
        elif key == "equipment":
            if not isinstance(value, str) or value not in PRESETS:
                yield key, f"unknown equipment preset {value!r}: {did_you_mean(value, PRESETS)}"
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

"""Measurements on one board, as they come from a file or from Python."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from carromsim.equipment import Equipment


@dataclass(frozen=True)
class Measurement:
    """One measurement.

    Attributes
    ----------
    kind : str
        One of `carromsim.calibration.kinds.KINDS`.
    label : str
        For people: the kind, its number, and its line if it came from a file.
    values, errors : mapping of str to float
        What was measured and its standard errors, SI units.
    given : mapping of str to float
        What is known exactly, SI units.
    """

    kind: str
    label: str
    values: Mapping[str, float]
    errors: Mapping[str, float]
    given: Mapping[str, float]


@dataclass(frozen=True)
class Measurements:
    """Measurements on one board.

    Attributes
    ----------
    rows : tuple of Measurement
        In the order of the file.
    equipment : Equipment
        Gives sizes, masses, gravity, and whatever coefficients are not looked for.
    origin : str, Path or None
        The preset or the file that the equipment is; None if it was given as an object.
    name : str
        Of the board.
    """

    rows: tuple[Measurement, ...]
    equipment: Equipment
    origin: str | Path | None
    name: str

    @staticmethod
    def load(path: str | PathLike[str]) -> "Measurements":
        """Read a TOML file; docs/calibrate.md explains what it may say.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake with its line.
        OSError
            If the file cannot be read.
        """
        from carromsim.calibration.reading import from_file

        return from_file(Path(path))

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> "Measurements":
        """Take what a file would say as dictionaries and lists; `equipment` may be an `Equipment`.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake.

        Examples
        --------
        >>> film = Measurements.from_dict({"slide": {"speed": [1.5, 1.6], "distance": [1.15, 1.28]}})
        >>> film.rows[1].values
        {'speed': 1.6, 'distance': 1.28}
        """
        from carromsim.calibration.reading import from_mapping

        return from_mapping(given)


def example() -> str:
    """Give a commented TOML file with every kind of measurement, to start from."""
    return (resources.files("carromsim.calibration") / "example.toml").read_text(encoding="utf-8")

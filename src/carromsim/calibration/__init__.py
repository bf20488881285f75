"""Calibration: friction and restitution of one's own board from measurements with a phone; see docs/calibrate.md."""

from os import PathLike

from carromsim.calibration.measurements import Measurements
from carromsim.calibration.result import Calibration, judge

__all__ = ["Calibration", "Measurements", "calibrate"]


def calibrate(measurements: Measurements | str | PathLike[str]) -> Calibration:
    """Find the coefficients of a board from measurements: a joint fit with 95 % intervals.

    Parameters
    ----------
    measurements : Measurements or path
        Or the TOML file that holds them.

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError
        If they are neither.
    DeclarationError
        A ValueError: if the file is not valid; it names every mistake with its line.
    OSError
        If the file cannot be read.
    ImportError
        If scipy is not installed; the extra "calibrate" brings it.

    Examples
    --------
    >>> film = Measurements.from_dict({"slide": [{"speed": [1.50, 1.72], "distance": [0.87, 1.15]}]})
    >>> calibrate(film).found["mu_surface"].verdict
    '...'
    """
    if isinstance(measurements, Measurements):
        return judge(measurements)
    if not isinstance(measurements, str | PathLike):
        raise ValueError(
            f"measurements = {measurements!r}: must be Measurements, or the path of a TOML file;"
            " `Measurements.from_dict` takes what a file would say"
        )
    return judge(Measurements.load(measurements))

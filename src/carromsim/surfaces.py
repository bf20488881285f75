"""Playing surfaces by what is put on them: a guess at their friction, and the range in which it may lie.

Nobody has measured carrom's friction well. What was found: 0.131 for a board of unknown powder (video of a class,
1.72 m/s and 1.28 m/s^2), and 0.05 to 0.16 for a disc on a layer of starch on plywood, which carrom powder resembles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from carromsim.problems import did_you_mean

__all__ = ["SURFACES", "Surface", "surface"]


@dataclass(frozen=True)
class Surface:
    """What lies between disc and wood, and how much it rubs. All its numbers are guesses.

    Attributes
    ----------
    name : str
    mu : float
        Coulomb friction.
    low, high : float
        The range in which that may lie.
    what : str
        In words.
    """

    name: str
    mu: float
    low: float
    high: float
    what: str

    @property
    def spread(self) -> tuple[float, float]:
        """Ends of the range, as `Uniform` takes them: ``Uniform(*surface("powder").spread)``."""
        return self.low, self.high


SURFACES: Mapping[str, Surface] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Surface("polish", 0.12, 0.08, 0.18, "light furniture polish"),
            Surface("powder", 0.10, 0.05, 0.13, "carrom powder"),
            Surface("fine_powder", 0.10, 0.05, 0.13, "high-quality dry powder"),
            Surface("french_chalk", 0.11, 0.07, 0.15, "polish with powdered French chalk"),
        )
    }
)
"""By name."""


def surface(name: str) -> Surface:
    """One of `SURFACES`.

    >>> surface("powder").mu
    0.1
    """
    if not isinstance(name, str) or name not in SURFACES:
        raise ValueError(f"unknown surface {name!r}: {did_you_mean(name, SURFACES)}")
    return SURFACES[name]

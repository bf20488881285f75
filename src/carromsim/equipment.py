"""The physical board and its discs: a frozen, validated record. The presets stand in data/equipment/*.toml."""

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Self

import numpy as np

from carromsim.equipment_limits import (
    EACH_DISC,
    NUMBERS,
    EquipmentError,
    as_float,
    as_twenty,
    field_problems,
)
from carromsim.problems import Problem, did_you_mean
from carromsim_kernels.state import N_DISCS, STRIKER, FloatArray

__all__ = [
    "BLACK",
    "CENTRE_CIRCLE",
    "N_DISCS",
    "OUTER_CIRCLE",
    "PRESETS",
    "QUEEN",
    "STRIKER",
    "WHITE",
    "Equipment",
    "did_you_mean",
    "disc_name",
]

QUEEN = 1
WHITE = slice(2, 11)
BLACK = slice(11, 20)

OUTER_CIRCLE = 0.0850
"""Radius of the outer, main or large circle of every board [m] (ICF: diameter 170 mm; the others as the ICF)."""
CENTRE_CIRCLE = 0.0159
"""Radius of the red circle in its middle [m] (ICF: diameter 31.8 mm; the others as the ICF)."""


def disc_name(index: int) -> str:
    """Name a disc for people: its kind, its number among its kind, and its index where the two differ.

    >>> disc_name(4)
    'white 3 (disc 4)'
    """
    if index == STRIKER:
        return "striker"
    if index == QUEEN:
        return "queen"
    kind, first = ("white", WHITE.start) if index < BLACK.start else ("black", BLACK.start)
    return f"{kind} {index - first + 1} (disc {index})"


@dataclass(frozen=True, kw_only=True)
class Equipment:
    """Board, discs and striking geometry, in SI units.

    Validation rejects the impossible, not the unusual: a board of 200 m or a surface without friction is a fair
    experiment. So is anything from a thousandth of a millimetre to 1000 km and from a microgram to 1000 t, with
    friction up to 100 and speeds up to 10 km/s; beyond that numbers mean nothing any more. A derived number does not
    follow its origin: whoever changes `pocket_radius` decides about `pocket_offset` too.

    Attributes
    ----------
    name : str
        Kept by `replace` unless changed there.
    side : float
        Side of the square playing surface [m].
    pocket_radius : float
        Radius of the four holes [m]; 0 means no pockets.
    pocket_offset : float
        Distance of a pocket's centre from each of its two frames [m].
    capture_rule : {"tipping", "centre"}
        When a disc begins to fall: when it tips over the rim, or when its centre is over the hole.
    fall_height : float
        A disc is gone when it has been beyond that limit for the time of a free fall from this height [m]; 0: at once.
    corner : {"rounded", "right_angled", "cut_away"}
        Inner corners of the frame: quarter circles that touch both cushions, straight cushions to the very end, or a
        straight piece across the corner at 45 degrees.
    corner_size : float
        Radius of the quarter circles, or how much of each cushion the piece across cuts off [m]. A disc that is no
        smaller than the circle meets the two straight cushions.
    man_radius, man_mass : float
        Of the queen, the white and the black carrommen [m], [kg].
    striker_radius, striker_mass : float
        Of the striker [m], [kg].
    disc_radius, disc_mass : tuple of 20 float, optional
        Disc by disc, striker first, in place of the four above [m], [kg].
    face : float
        Radius of the face on which a disc slides, in units of its own: less than 1 if its edges are rounded.
    face_hole : float
        Inner radius of that face if it is a ring, in units of its outer one; 0: a full face.
    mu_surface : float
        Coulomb friction of disc on playing surface.
    e_disc, e_cushion : float
        Normal restitution, disc on disc and disc on frame, 0 to 1: its limit at high speed.
    v_c_disc, v_c_cushion : float
        The restitution at speed v is e + (1 - e) v_c / (v_c + v) [m/s]; 0: the same at every speed.
    mu_disc, mu_cushion : float
        Coulomb friction in the same contacts.
    beta_disc, beta_cushion : float
        Tangential restitution in the same contacts, -1 to 1.
    contact : str
        What happens where more than two discs are in touch at once, as in the break of a pack: "compliant",
        contact forces for as long as they last; or "sequential", hits of two discs one after the other.
    t_contact : float
        How long the elastic hit of two men of man_mass lasts [s], at 3 m/s if the force law is Hertz's. Never measured;
        for wood and acrylic 50 to 200 us by the theory of elasticity.
    force_law : str
        Of such contacts: "hertz", force ~ overlap^1.5 (crowned rims), or "linear" (flat rims).
    contact_steps : float
        Time steps per t_contact, a whole number from 10 to 1000.
    jump_chance : float
        Speculative: the chance that a disc leaves the board in a very hard impact, 0 to 1; 0, the default, switches it
        off. At an approach speed v it is jump_chance / (1 + exp(-(v - jump_speed) / jump_width)).
    jump_speed, jump_width : float
        The approach speed of half that chance, and by how much it must differ to change the odds by a factor e [m/s].
    gravity : float
        Acceleration of free fall [m/s^2].
    front_line_distance : float
        From the shooter's frame to the front edge of his front (inner) base line [m].
    base_line_distance : float
        From the shooter's frame to the centre of a striker that touches both base lines [m].
    base_line_half_length : float
        From the middle of the base lines to their ends, end circles included [m].
    end_circle_offset : float
        From the middle of the base lines to the centre of an end circle [m].
    end_circle_guard : float or None
        Radius of the part of an end circle that a striker must cover fully or not touch [m].
        None: no such rule, the striker stands anywhere between the ends of the base lines.
    arrow_half_width : float or None
        Half the width of the diagonal arrow that a striker must not touch [m]. None: no such rule.
    """

    name: str
    side: float
    pocket_radius: float
    pocket_offset: float
    corner_size: float
    man_radius: float
    man_mass: float
    striker_radius: float
    striker_mass: float
    mu_surface: float
    e_disc: float
    e_cushion: float
    mu_disc: float
    # The defaults are those of data/equipment/icf.toml, which has their sources; a test compares.
    disc_radius: tuple[float, ...] | None = None
    disc_mass: tuple[float, ...] | None = None
    face: float = 1.0
    face_hole: float = 0.0
    mu_cushion: float = 0.10
    beta_disc: float = 0.0
    beta_cushion: float = 0.0
    contact: str = "compliant"
    t_contact: float = 100e-6
    force_law: str = "hertz"
    contact_steps: float = 20.0
    jump_chance: float = 0.0
    jump_speed: float = 5.0
    jump_width: float = 0.5
    v_c_disc: float = 0.0
    v_c_cushion: float = 0.0
    capture_rule: str = "tipping"
    fall_height: float = 0.004
    corner: str = "rounded"
    gravity: float = 9.80665
    front_line_distance: float = 0.1333
    base_line_distance: float = 0.1174
    base_line_half_length: float = 0.2350
    end_circle_offset: float = 0.2191
    end_circle_guard: float | None = 0.0159
    arrow_half_width: float | None = 0.001

    def __post_init__(self) -> None:
        """Check every field and turn numbers into float; all problems appear in one error."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        problems = field_problems(given)
        if problems:
            raise EquipmentError(problems)
        for field in EACH_DISC:
            object.__setattr__(self, field, as_twenty(given[field]))
        for field in NUMBERS:
            if given[field] is not None:
                object.__setattr__(self, field, as_float(given[field]))
        problems = _misfits(self)
        if problems:
            raise EquipmentError(problems)

    @classmethod
    def preset(cls, name: str) -> "Equipment":
        """One of `PRESETS`: "icf", "ukca", "caint" or "bell"."""
        if not isinstance(name, str) or name not in PRESETS:
            raise ValueError(f"unknown equipment preset {name!r}: {did_you_mean(name, PRESETS)}")
        return PRESETS[name]

    @classmethod
    def of(cls, equipment: "Equipment | str") -> "Equipment":
        """Give equipment as it is, or the preset of that name."""
        return equipment if isinstance(equipment, Equipment) else cls.preset(equipment)

    @classmethod
    def load(cls, origin: str | PathLike[str]) -> "Equipment":
        """Read equipment from a TOML file, or give a preset.

        Parameters
        ----------
        origin : str or path
            A file: a path object, or text that ends in ".toml" or has a slash in it. Other text names a preset.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake with its file, line and key.
        """
        from carromsim.equipment_files import describe

        return describe(origin).equipment

    def to_toml(self) -> str:
        """Write everything as TOML; `load` gives equal equipment."""
        from carromsim.equipment_files import written

        return written(self)

    def replace(self, **changes: Any) -> Self:
        """Copy with some fields changed, validated like any other."""
        known = [field.name for field in dataclasses.fields(self)]
        unknown = [f"{name!r}: {did_you_mean(name, known)}" for name in changes if name not in known]
        if unknown:
            raise ValueError("unknown equipment field " + "; ".join(unknown))
        return dataclasses.replace(self, **changes)

    @cached_property
    def radius(self) -> FloatArray:
        """Radius of each disc, (20,) float64 [m], read-only."""
        return _per_disc(self.striker_radius, self.man_radius, self.disc_radius)

    @cached_property
    def mass(self) -> FloatArray:
        """Mass of each disc, (20,) float64 [kg], read-only."""
        return _per_disc(self.striker_mass, self.man_mass, self.disc_mass)

    @property
    def largest_man_radius(self) -> float:
        """Radius of the largest disc but the striker [m]."""
        return float(self.radius[QUEEN:].max())

    @cached_property
    def capture_radius(self) -> FloatArray:
        """Limit: a disc whose centre is nearer to a pocket's falls, (20,) float64 [m], read-only; 0 if it fits none.

        A disc of radius R tips over the edge of a hole of radius a when the chord between its two points of
        support lies behind its centre: d < sqrt(a^2 - R^2). By the rule "centre" it falls when d < a.
        """
        square = self.pocket_radius**2 - self.radius**2
        if self.capture_rule == "centre":
            return _read_only(np.where(square > 0.0, self.pocket_radius, 0.0))
        return _read_only(np.sqrt(np.maximum(square, 0.0)))


def _per_disc(striker: float, man: float, each: tuple[float, ...] | None) -> FloatArray:
    if each is not None:
        return _read_only(np.array(each))
    values = np.full(N_DISCS, man)
    values[STRIKER] = striker
    return _read_only(values)


def _read_only(values: FloatArray) -> FloatArray:
    values.setflags(write=False)
    return values


def _misfits(equipment: Equipment) -> list[Problem]:
    """Fields that are possible alone and impossible together."""
    side = equipment.side
    problems: list[Problem] = []

    def demand(field: str, holds: bool, allowed: str) -> None:
        if not holds:
            problems.append(Problem(field, getattr(equipment, field), f"must be {allowed}"))

    half = f"side / 2 = {side / 2:g} m"
    if equipment.disc_radius is not None:
        demand("disc_radius", max(equipment.disc_radius) < side / 2, f"less than {half} each, or wider than the board")
    for field in ("pocket_radius", "man_radius", "striker_radius"):
        demand(field, getattr(equipment, field) < side / 2, f"less than {half}, it is wider than the board")
    demand("pocket_offset", equipment.pocket_offset <= side / 2, f"at most {half}")
    demand("corner_size", equipment.corner_size <= side / 2, f"at most {half}")
    if not problems:
        apart, inside = side / 2 - equipment.pocket_offset, math.sqrt(2.0) * equipment.pocket_offset
        most = f"at most {min(apart, inside):g} m"
        demand("pocket_radius", equipment.pocket_radius <= apart, f"{most}, neighbouring pockets overlap")
        demand("pocket_radius", equipment.pocket_radius <= inside, f"{most}, a pocket swallows the frame's corner")
    demand("front_line_distance", equipment.front_line_distance <= side, f"at most side = {side:g} m")
    radius = float(equipment.radius[STRIKER])
    if radius < side / 2:
        demand(
            "base_line_distance",
            radius <= equipment.base_line_distance <= side - radius,
            f"from striker_radius = {radius:g} m to side - striker_radius = {side - radius:g} m",
        )
    return problems


class _Presets(Mapping[str, Equipment]):
    """The presets by name, each read when it is first asked for."""

    _names = ("icf", "ukca", "caint", "bell")

    def __getitem__(self, name: str) -> Equipment:
        if name not in self._names:
            raise KeyError(name)
        from carromsim.equipment_files import preset_description

        return preset_description(name).equipment

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


PRESETS: Mapping[str, Equipment] = _Presets()
"""By name."""

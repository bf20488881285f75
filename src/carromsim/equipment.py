"""The physical board and its discs: a frozen, validated record, and four presets with the source of each number."""

import dataclasses
import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from carromsim_kernels.state import LONGEST_CONTACT, N_DISCS, SHORTEST_CONTACT, STRIKER, FloatArray

__all__ = ["BLACK", "N_DISCS", "PRESETS", "QUEEN", "STRIKER", "WHITE", "Equipment", "did_you_mean", "disc_name"]

QUEEN = 1
WHITE = slice(2, 11)
BLACK = slice(11, 20)


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


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """End of an error message about an unknown word: the closest known one, if any, and all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(str(word), names, n=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    return f"{guess}known: {', '.join(names)}"


@dataclass(frozen=True, kw_only=True)
class Equipment:
    """Board, discs and striking geometry, in SI units.

    Validation rejects the impossible, not the unusual: a board of 200 m or a surface without friction
    is a fair experiment. A derived number does not follow its origin: whoever changes `pocket_radius`
    decides about `pocket_offset` too.

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
        [m], [kg].
    disc_radius, disc_mass : tuple of 20 float, optional
        Disc by disc, striker first, in place of the four above [m], [kg]; but t_contact is that of two men of man_mass.
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
        How long the elastic hit of two men lasts [s], at 3 m/s if the force law is Hertz's. Never measured; for wood
        and acrylic 50 to 200 us by the theory of elasticity.
    force_law : str
        Of such contacts: "hertz", force ~ overlap^1.5 (crowned rims), or "linear" (flat rims).
    contact_steps : float
        Time steps per t_contact, a whole number from 10 to 1000.
    jump_chance : float
        Speculative: the chance that a disc leaves the board in a very hard impact, 0 to 1; 0, the default, switches it
        off. At an approach speed v it is jump_chance / (1 + exp(-(v - jump_speed) / jump_width)).
    jump_speed, jump_width : float
        [m/s].
    gravity : float
        [m/s^2].
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
    disc_radius: tuple[float, ...] | None = None
    disc_mass: tuple[float, ...] | None = None
    face: float = 1.0  # the laws ask for a round edge: an upper limit
    face_hole: float = 0.0
    mu_cushion: float = 0.10  # guess; 0.08 in the one video analysis found (tangential / normal impulse)
    beta_disc: float = 0.0  # guess: no tangential rebound; air-table pucks show a little (Maw, Barber, Fawcett 1981)
    beta_cushion: float = 0.0  # guess, as beta_disc
    contact: str = "compliant"
    t_contact: float = 100e-6  # guess, 50 to 200 us: Hertz contact of crowned rims, line contact of flat ones
    force_law: str = "hertz"
    contact_steps: float = 20.0
    jump_chance: float = 0.0
    jump_speed: float = 5.0  # speculative, as all of this
    jump_width: float = 0.5
    v_c_disc: float = 0.0  # not measured; slow wooden discs stop dead, fast ones follow through (Crokinole, film)
    v_c_cushion: float = 0.0  # not measured
    capture_rule: str = "tipping"  # statics of a disc on the rim of a hole
    fall_height: float = 0.004  # guess: half the thickness of a man, 7 to 9 mm by the ICF laws
    corner: str = "rounded"  # ICF: "inside curved corners"
    gravity: float = 9.80665  # standard gravity
    # ICF Laws of Carrom: the outer base line is 101.5 mm from the frame, the circles that touch both are 31.8 mm wide.
    front_line_distance: float = 0.1333
    base_line_distance: float = 0.1174
    base_line_half_length: float = 0.2350  # ICF: 470 mm including the end circles
    end_circle_offset: float = 0.2191  # 235 mm less the circle's radius
    end_circle_guard: float | None = 0.0159  # ICF 130, UKCA C2: the whole circle, diameter 31.8 mm
    arrow_half_width: float | None = 0.001  # ICF 130b forbids to touch the arrow; its width is a guess (0.5 to 1.5 mm)

    def __post_init__(self) -> None:
        """Check every field and turn numbers into float; all problems appear in one error."""
        problems = [] if isinstance(self.name, str) else [f"name = {self.name!r}: must be a string"]
        for field, words in WORDS.items():
            word = getattr(self, field)
            if not isinstance(word, str) or word not in words:
                problems.append(f"{field} = {word!r}: {did_you_mean(word, words)}")
        for field, unit in (("disc_radius", "m"), ("disc_mass", "kg")):
            value = getattr(self, field)
            numbers = _as_twenty(value)
            if value is not None and numbers is None:
                problems.append(f"{field} = {value!r}: must be {N_DISCS} finite numbers > 0 {unit}, or None")
            object.__setattr__(self, field, numbers)
        for field, (accept, allowed) in _ALLOWED.items():
            value = getattr(self, field)
            if value is None and field in _OPTIONAL:
                continue
            number = _as_float(value)
            if accept(number):
                object.__setattr__(self, field, number)
            else:
                problems.append(f"{field} = {value!r}: must be {allowed}{' or None' if field in _OPTIONAL else ''}")
        if not problems:
            problems = _misfits(self)
        if problems:
            count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
            raise ValueError(f"impossible equipment, {count}: " + "; ".join(problems))

    @classmethod
    def preset(cls, name: str) -> "Equipment":
        """One of `PRESETS`: "icf", "ukca", "caint" or "bell"."""
        if not isinstance(name, str) or name not in PRESETS:
            raise ValueError(f"unknown equipment preset {name!r}: {did_you_mean(name, PRESETS)}")
        return PRESETS[name]

    def replace(self, **changes: Any) -> Self:
        """Copy with some fields changed, validated like any other."""
        known = [field.name for field in dataclasses.fields(self)]
        unknown = [f"{name!r}: {did_you_mean(name, known)}" for name in changes if name not in known]
        if unknown:
            raise ValueError("unknown equipment field " + "; ".join(unknown))
        return dataclasses.replace(self, **changes)

    @property
    def radius(self) -> FloatArray:
        """Radius of each disc, (20,) float64 [m], a new array."""
        return _per_disc(self.striker_radius, self.man_radius, self.disc_radius)

    @property
    def mass(self) -> FloatArray:
        """Mass of each disc, (20,) float64 [kg], a new array."""
        return _per_disc(self.striker_mass, self.man_mass, self.disc_mass)

    @property
    def largest_man_radius(self) -> float:
        """Radius of the largest disc but the striker [m]."""
        return float(self.radius[QUEEN:].max())

    @property
    def capture_radius(self) -> FloatArray:
        """Limit: a disc whose centre is nearer to a pocket's centre falls, (20,) float64 [m]; 0 if it fits no pocket.

        A disc of radius R tips over the edge of a hole of radius a when the chord between its two points of
        support lies behind its centre: d < sqrt(a^2 - R^2). By the rule "centre" it falls when d < a.
        """
        square = self.pocket_radius**2 - self.radius**2
        if self.capture_rule == "centre":
            return np.where(square > 0.0, self.pocket_radius, 0.0)
        return np.sqrt(np.maximum(square, 0.0))


def _per_disc(striker: float, man: float, each: tuple[float, ...] | None) -> FloatArray:
    if each is not None:
        return np.array(each)
    values = np.full(N_DISCS, man)
    values[STRIKER] = striker
    return values


def _as_float(value: object) -> float:
    """Return a number as float, anything else as NaN, which no field accepts."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _as_twenty(value: object) -> tuple[float, ...] | None:
    """Return a number per disc as floats; None for anything else."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return None
    numbers = tuple(_as_float(number) for number in value)
    return numbers if len(numbers) == N_DISCS and all(0.0 < number < math.inf for number in numbers) else None


def _misfits(equipment: Equipment) -> list[str]:
    """Fields that are possible alone and impossible together."""
    side, problems = equipment.side, []

    def demand(field: str, holds: bool, allowed: str) -> None:
        if not holds:
            problems.append(f"{field} = {getattr(equipment, field)!r}: must be {allowed}")

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


_Limit = tuple[Callable[[float], bool], str]


def _limit(condition: Callable[[float], bool], text: str) -> _Limit:
    return (lambda value: math.isfinite(value) and condition(value)), text


_POSITIVE_M = _limit(lambda v: v > 0, "a finite number > 0 m")
_LENGTH = _limit(lambda v: v >= 0, "a finite number >= 0 m")
_POSITIVE_KG = _limit(lambda v: v > 0, "a finite number > 0 kg")
_FRICTION = _limit(lambda v: v >= 0, "a finite number >= 0")
_RESTITUTION = _limit(lambda v: 0 <= v <= 1, "from 0 to 1")
_SPEED = _limit(lambda v: v >= 0, "a finite number >= 0 m/s")
_TANGENTIAL = _limit(lambda v: -1 <= v <= 1, "from -1 to 1")

_ALLOWED: Mapping[str, _Limit] = {
    "side": _POSITIVE_M,
    "pocket_radius": _LENGTH,
    "pocket_offset": _LENGTH,
    "corner_size": _LENGTH,
    "man_radius": _POSITIVE_M,
    "man_mass": _POSITIVE_KG,
    "striker_radius": _POSITIVE_M,
    "striker_mass": _POSITIVE_KG,
    "mu_surface": _FRICTION,
    "e_disc": _RESTITUTION,
    "e_cushion": _RESTITUTION,
    "mu_disc": _FRICTION,
    "mu_cushion": _FRICTION,
    "beta_disc": _TANGENTIAL,
    "beta_cushion": _TANGENTIAL,
    "t_contact": _limit(
        lambda v: SHORTEST_CONTACT <= v <= LONGEST_CONTACT,
        f"from {SHORTEST_CONTACT:g} to {LONGEST_CONTACT:g} s: steps resolve nothing shorter, bursts nothing longer",
    ),
    "contact_steps": _limit(
        lambda v: v == int(v) and 10 <= v <= 1000, "a whole number from 10 to 1000: fewer do not resolve a contact"
    ),
    "v_c_disc": _SPEED,
    "v_c_cushion": _SPEED,
    "fall_height": _LENGTH,
    # What the table of the motion law can hold, see carromsim.data.build_motion_table.
    "face": _limit(lambda v: 0.89 <= v <= 1, "from 0.89 to 1: from 0.866 down a disc would end spinning on the spot"),
    "face_hole": _limit(lambda v: 0 <= v <= 0.9, "from 0 to 0.9: motion on a narrower ring is not tabulated"),
    "jump_chance": _limit(lambda v: 0 <= v <= 1, "from 0 to 1"),
    "jump_speed": _SPEED,
    "jump_width": _limit(lambda v: v > 0, "a finite number > 0 m/s"),
    "gravity": _limit(lambda v: v > 0, "a finite number > 0 m/s^2"),
    "front_line_distance": _POSITIVE_M,
    "base_line_distance": _POSITIVE_M,
    "base_line_half_length": _POSITIVE_M,
    "end_circle_offset": _LENGTH,
    "end_circle_guard": _POSITIVE_M,
    "arrow_half_width": _LENGTH,
}
WORDS: Mapping[str, tuple[str, ...]] = {
    "contact": ("compliant", "sequential"),
    "force_law": ("hertz", "linear"),
    "capture_rule": ("tipping", "centre"),
    "corner": ("rounded", "right_angled", "cut_away"),
}
"""Fields that are a word, and the words that they may be."""

_OPTIONAL = frozenset({"end_circle_guard", "arrow_half_width"})

_ICF = Equipment(
    name="icf",
    side=0.740,  # ICF A.1: 735 to 740 mm
    pocket_radius=0.02225,  # ICF A.3: diameter 44.5 +- 1.5 mm
    pocket_offset=0.02225,  # guess: the circle touches both frames; the laws give no distance
    corner_size=0.02225,  # guess: the frame's corner runs along the pocket
    man_radius=0.0155,  # ICF: diameter 30.2 to 31.8 mm, middle of the range
    man_mass=0.00525,  # ICF: 5.00 to 5.50 g, middle of the range
    striker_radius=0.02065,  # ICF: diameter at most 41.3 mm
    striker_mass=0.015,  # ICF: at most 15 g
    mu_surface=0.10,  # guess for high-quality dry powder, 0.05 to 0.13; 0.131 in one video analysis
    e_disc=0.85,  # guess, 0.75 to 0.93; air-table pucks 0.93 (Maw, Barber, Fawcett 1981)
    e_cushion=0.70,  # guess, 0.6 to 0.8; 0.68 in one video analysis
    mu_disc=0.15,  # guess, 0.08 to 0.25; air-table pucks 0.12
)

# UKCA's abridged rules give disc sizes only; board, lines, pockets and men are taken to be the ICF's.
# Striker: 38 to 42 mm, at most 15 g. Surface: light furniture polish, friction a guess, 0.08 to 0.18.
_UKCA = _ICF.replace(name="ukca", mu_surface=0.12)

# CAINT is known from the UKCA page's table of differences. Striker: 40 to 42.5 mm, at most 15 g. Only the red moon
# (diameter 25.4 mm) must be covered or untouched. Surface: carrom powder, friction a guess, 0.05 to 0.13.
_CAINT = _ICF.replace(name="caint", mu_surface=0.10, end_circle_guard=0.0127)

# Bell, Board and Table Games from Many Civilizations II, pp. 127-129; his figures 101 and 102 were not seen, so that
# the side and the striking box are the ICF's (guess).
_BELL = _ICF.replace(
    name="bell",
    pocket_radius=0.0211875,  # Bell: diameter 1.25 strikers, 42.375 mm
    pocket_offset=0.0211875,  # guess: touches both frames
    corner_size=0.0211875,  # guess, as ICF
    fall_height=0.00238,  # guess: half the thickness, 3/16 inch by Bell
    man_radius=0.0127,  # Bell: diameter printed as "1 inches", which may have lost a fraction
    man_mass=0.0021,  # guess: 5.25 g scaled by volume, (25.4 / 31)^2 x (4.76 / 8); thickness 3/16 inch by Bell
    striker_radius=0.01695,  # Bell: diameter 1 1/3 inch
    striker_mass=0.015,  # guess: Bell gives none, the later laws' maximum
    mu_surface=0.11,  # guess for polish with powdered French chalk, 0.07 to 0.15
    end_circle_guard=None,  # Bell: anywhere in the player's own box
    arrow_half_width=None,  # Bell: none
)

PRESETS: Mapping[str, Equipment] = MappingProxyType({preset.name: preset for preset in (_ICF, _UKCA, _CAINT, _BELL)})

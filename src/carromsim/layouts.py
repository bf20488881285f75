"""Where the discs lie before a stroke: the opening pack, arbitrary positions, random legal positions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import BLACK, N_DISCS, QUEEN, STRIKER, WHITE, Equipment, disc_name
from carromsim.layout_faults import beyond_frame, faults
from carromsim.problems import as_array
from carromsim.streams import JITTER_SLOTS, POSITION_SLOTS, Streams, counters
from carromsim.strokes import direction, legal_intervals
from carromsim_kernels.state import FloatArray, IntArray

__all__ = ["Layout", "arrange", "opening", "random_layout"]

_MOST_ROWS = 2**63 - 1
_REPORTED = 8
"""Problems that one error message spells out."""


@dataclass(frozen=True, init=False, eq=False)
class Layout:
    """Positions of the 20 discs, once or for n rows.

    Parameters
    ----------
    pos : (20, 2) or (n, 20, 2) float
        Centres in the board's frame, in disc order [m]; NaN for a disc that is not on the surface. Copied.

    Attributes
    ----------
    pos : (20, 2) or (n, 20, 2) float64, C-contiguous, read-only
    """

    pos: FloatArray

    def __init__(self, pos: ArrayLike) -> None:
        given = as_array("pos", pos)
        if given.ndim not in (2, 3) or given.shape[-2:] != (N_DISCS, 2):
            raise ValueError(f"pos has shape {given.shape}: must be (20, 2) or (n, 20, 2)")
        if given.dtype.kind not in "iuf":
            raise ValueError(f"pos has dtype {given.dtype}: must be numbers")
        array = np.array(given, dtype=np.float64, order="C")
        array.setflags(write=False)
        object.__setattr__(self, "pos", array)

    @property
    def scalar(self) -> bool:
        """Whether this is a single layout, (20, 2)."""
        return self.pos.ndim == 2

    @property
    def n(self) -> int:
        """Number of rows; 1 for a single layout."""
        return 1 if self.scalar else len(self.pos)

    def __len__(self) -> int:
        return self.n

    def _repr_html_(self) -> str:
        """Show row 0 on an ICF board, for notebooks; a layout does not know which board it is for."""
        from carromsim.drawing.card import card, icf_picture
        from carromsim.drawing.svg import told_discs

        rows = self.pos.reshape(-1, N_DISCS, 2)
        facts: dict[str, object] = {} if self.scalar else {"rows": self.n}
        if self.n == 0:
            return card("Layout", facts)
        facts["discs" if self.scalar else "discs of row 0"] = told_discs(np.isfinite(rows[0]).all(axis=1))
        picture = icf_picture(rows[0])
        what = "" if self.scalar else "row 0 "
        caption = f"{what}on an ICF board" if picture else f"{what}reaches beyond an ICF board"
        return card("Layout", facts, picture, caption.strip())

    def check(self, equipment: Equipment, *, striker: bool = True) -> None:
        """Raise ValueError if discs overlap, lie outside the board or have half a position.

        Parameters
        ----------
        equipment : Equipment
        striker : bool
            Whether the striker's entry counts; a stroke ignores it.
        """
        found: list[tuple[int, str]] = []
        count = 0
        # NaN and infinities are the very things looked for.
        with np.errstate(invalid="ignore", over="ignore"):
            for rows, describe in faults(self.pos.reshape(-1, N_DISCS, 2), equipment, striker):
                count += len(rows)
                found += [(row, describe(row)) for row in rows[:_REPORTED].tolist()]
        if found:
            found.sort(key=lambda problem: problem[0])
            texts = [text if self.scalar else f"row {row}: {text}" for row, text in found[:_REPORTED]]
            more = f"; and {count - _REPORTED} more" if count > _REPORTED else ""
            raise ValueError("impossible layout: " + "; ".join(texts) + more)


# The pack on a triangular lattice: a disc at (i, j) lies at x = i * sqrt(3) / 2 * D, y = j / 2 * D, where D is the
# distance of neighbours. Whites 2, 3, 4 and 5, 7, 9 make the Y, whose stem points to the breaker at the bottom;
# every line of five through the queen reads W W Q B W. (UKCA D5, ICF 41a.)
_PACK = {
    1: (0, 0),
    # inner ring
    2: (0, -2), 11: (1, -1), 3: (1, 1), 12: (0, 2), 4: (-1, 1), 13: (-1, -1),
    # corners of the outer ring
    5: (0, -4), 6: (2, -2), 7: (2, 2), 8: (0, 4), 9: (-2, 2), 10: (-2, -2),
    # edges of the outer ring
    14: (1, -3), 15: (2, 0), 16: (1, 3), 17: (-1, 3), 18: (-2, 0), 19: (-1, -3),
}  # fmt: skip


def opening(
    equipment: Equipment | str = "icf",
    *,
    rotation: ArrayLike = 0.0,
    gap: ArrayLike = 0.0,
    jitter: ArrayLike = 0.0,
    seed: int = 0,
    n: int | None = None,
    first_row: int = 0,
    rows: ArrayLike | None = None,
    board: ArrayLike = 0,
) -> Layout:
    """Lay the opening pack: the queen in the centre, six men around her, twelve around these; no striker.

    Parameters
    ----------
    equipment : Equipment or str
        Or the name of a preset.
    rotation : float or (n,) float
        Counter-clockwise [rad]; at 0 the stem of the white Y points to seat 0. The period is 2 pi / 3.
    gap : float or (n,) float
        Between neighbours that are as large as the largest man [m], at least 0.
    jitter : float or (n,) float
        Each coordinate of each disc is shifted by a uniform number within +-jitter [m], at most gap / (2 sqrt 2),
        so that no two discs overlap.
    seed : int
        Of the jitter.
    n : int, optional
        Number of rows; each has its own jitter. Default: the length of the arrays among the arguments, and without
        any a single layout, which is that of `first_row`.
    first_row : int
        Number of the first row: a row's jitter depends on the seed, its number and that of the board alone.
    rows : (n,) int, optional
        Numbers of the rows, in any order, in place of those from `first_row` on.
    board : int or (n,) int
        Number of the board within its row, for rows of which each plays several.

    Returns
    -------
    Layout
        (20, 2), or (n, 20, 2) if `n`, `rows` or an array is given.
    """
    equipment, streams = Equipment.of(equipment), Streams(seed)
    numbers = None if rows is None else np.atleast_1d(counters("rows", rows))
    if numbers is not None and n is None:
        n = len(numbers)
    given = {"rotation": (rotation, "rad"), "gap": (gap, "m"), "jitter": (jitter, "m")}
    values = {name: _finite(name, value, unit) for name, (value, unit) in given.items()}
    single = n is None and all(value.ndim == 0 for value in values.values())
    longest = max((len(value) for value in values.values() if value.ndim), default=1)
    counted = _rows(longest if n is None else n, first_row)
    numbers = counted if numbers is None else numbers
    boards = counters("board", board)
    for name, value in {"rows": numbers, "board": boards, **values}.items():
        if value.ndim and value.shape != counted.shape:
            raise ValueError(f"{name} has shape {value.shape}: must be a number or of shape {counted.shape}")
    turn, space, shift = (np.atleast_1d(value) for value in values.values())
    _at_least_0("gap", space)
    _at_least_0("jitter", shift)
    largest = space / (2.0 * math.sqrt(2.0))
    # A caller who works out the largest jitter in another order of operations may be off in the last digit.
    beyond = shift > largest * (1.0 + 1e-12)
    if beyond.any():
        worst, most = (float(np.broadcast_to(values, beyond.shape)[beyond][0]) for values in (shift, largest))
        raise ValueError(f"jitter = {worst!r} m: must be 0 to gap / (2 sqrt 2) = {most:g} m")

    pos = np.full((len(numbers), N_DISCS, 2), np.nan)
    pos[:, list(_PACK)] = _lattice(turn, 2.0 * equipment.largest_man_radius + space)
    if np.any(shift > 0.0):
        noise = streams.uniform(numbers, boards, JITTER_SLOTS).reshape(pos.shape)
        pos += shift[:, np.newaxis, np.newaxis] * (2.0 * noise - 1.0)
    return Layout(pos[0] if single else pos)


def _lattice(rotation: FloatArray, spacing: FloatArray) -> FloatArray:
    """Lay the discs of the pack, in the order of `_PACK`: (n, 19, 2) for (n,) or (1,) turns and distances."""
    lattice = np.array(list(_PACK.values()), dtype=np.float64)
    spacing, unit = spacing[:, np.newaxis], direction(rotation)
    x, y = lattice[:, 0] * (math.sqrt(3.0) / 2.0 * spacing), lattice[:, 1] * (spacing / 2.0)
    cos, sin = unit[:, :1], unit[:, 1:]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


Point = tuple[float, float]


def arrange(
    *,
    striker: Point | None = None,
    queen: Point | None = None,
    white: Sequence[Point | None] = (),
    black: Sequence[Point | None] = (),
) -> Layout:
    """Lay discs by name; what is not named is not on the surface.

    Parameters
    ----------
    striker, queen : (x, y) or None
        Centre in the board's frame [m].
    white, black : sequence of up to nine (x, y) or None
        In disc order; None leaves a place out.

    Returns
    -------
    Layout
        (20, 2); not checked against any equipment (`Layout.check`).
    """
    pos = np.full((N_DISCS, 2), np.nan)
    named: list[tuple[str, int, Point | None]] = [("striker", STRIKER, striker), ("queen", QUEEN, queen)]
    for name, points, places in (("white", white, WHITE), ("black", black, BLACK)):
        listed = points.ndim > 0 if isinstance(points, np.ndarray) else isinstance(points, Sequence)
        if not listed or isinstance(points, str | bytes):
            raise ValueError(f"{name} = {points!r}: must be a list of points (x, y) in m")
        room = places.stop - places.start
        if len(points) > room:
            raise ValueError(f"{name} has {len(points)} points: at most {room}")
        named += [(f"{name}[{i}]", places.start + i, point) for i, point in enumerate(points)]
    for name, disc, point in named:
        if point is not None:
            pos[disc] = _point(name, point)
    return Layout(pos)


def _point(name: str, point: object) -> FloatArray:
    array = as_array(name, point)
    if array.shape != (2,) or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} = {point!r}: must be two finite numbers (x, y) in m, or None")
    return array.astype(np.float64)


def random_layout(
    equipment: Equipment | str = "icf",
    n: int | None = None,
    seed: int = 0,
    *,
    n_men: int | tuple[int, int] = 18,
    queen: bool = True,
    striker: bool = False,
    clear_base_line: bool = True,
    first_row: int = 0,
    trials: int = 1000,
) -> Layout:
    """Scatter discs uniformly, one after the other, each where it overlaps none before it and does not fall.

    Parameters
    ----------
    equipment : Equipment or str
        Or the name of a preset.
    n : int, optional
        Number of rows. Default: a single layout, which is that of `first_row`.
    seed : int
        A row depends on the seed and its number alone.
    n_men : int or (int, int)
        Carrommen on the board, 0 to 18, or whites and blacks, each 0 to 9. A single number is split evenly, the odd
        one is white. Always the first of each colour.
    queen, striker : bool
        Whether these are on the board.
    clear_base_line : bool
        Keep clear of every legal placement of the striker at seat 0.
    first_row : int
        Number of the first row.
    trials : int
        Random places to try for a disc before giving up with a ValueError.

    Returns
    -------
    Layout
        (20, 2), or (n, 20, 2) if `n` is given.
    """
    equipment = Equipment.of(equipment)
    for name, wish in (("queen", queen), ("striker", striker), ("clear_base_line", clear_base_line)):
        if not isinstance(wish, bool | np.bool_):
            raise ValueError(f"{name} = {wish!r}: must be True or False")
    rows = _rows(1 if n is None else n, first_row)
    discs = [STRIKER] * bool(striker) + [QUEEN] * bool(queen) + _first_men(n_men)
    _check_number("trials", trials)
    streams, pos = Streams(seed), np.full((len(rows), N_DISCS, 2), np.nan)
    for disc in discs:
        reach = equipment.side / 2 - equipment.radius[disc]
        slots = range(POSITION_SLOTS.start + 2 * disc, POSITION_SLOTS.start + 2 * disc + 2)
        missing = np.arange(len(rows))
        for trial in range(trials):
            if len(missing) == 0:
                break
            place = reach * (2.0 * streams.uniform(rows[missing], trial, slots) - 1.0)
            free = _is_free(place, disc, pos[missing], equipment, clear_base_line and disc != STRIKER)
            pos[missing[free], disc] = place[free]
            missing = missing[~free]
        if len(missing):
            where = f"row {rows[missing[0]]}: no free place for {disc_name(disc)} in {trials} trials"
            raise ValueError(f"{where}; the board of {equipment.side:g} m is too full for {len(discs)} discs")
    return Layout(pos[0] if n is None else pos)


def _first_men(n_men: int | tuple[int, int]) -> list[int]:
    most = WHITE.stop - WHITE.start
    counts = (n_men - n_men // 2, n_men // 2) if isinstance(n_men, int) else n_men
    if not isinstance(counts, tuple) or len(counts) != 2 or not all(count in range(most + 1) for count in counts):
        raise ValueError(f"n_men = {n_men!r}: must be 0 to {2 * most}, or two numbers from 0 to {most}")
    return [*range(WHITE.start, WHITE.start + counts[0]), *range(BLACK.start, BLACK.start + counts[1])]


def _is_free(
    place: FloatArray, disc: int, pos: FloatArray, equipment: Equipment, clear_base_line: bool
) -> NDArray[np.bool_]:
    """Whether a disc fits at place (n, 2) beside the discs at pos (n, 20, 2) and does not fall; (n,) bool."""
    radius = equipment.radius
    apart = place[:, np.newaxis] - pos
    blocked = (apart**2).sum(axis=-1) <= (radius + radius[disc]) ** 2  # a disc not yet placed is NaN and blocks nothing
    free: NDArray[np.bool_] = ~blocked.any(axis=1)
    pocket = equipment.side / 2 - equipment.pocket_offset
    free &= beyond_frame(place, equipment.radius[disc], equipment) <= 0.0
    free &= ((np.abs(place) - pocket) ** 2).sum(axis=1) > equipment.capture_radius[disc] ** 2
    if clear_base_line and len(legal := legal_intervals(equipment)):
        # Distance from the segment on which the striker's centre may be.
        along = np.maximum(np.abs(place[:, 0]) - legal.max(), 0.0)
        across = place[:, 1] + (equipment.side / 2 - equipment.base_line_distance)
        free &= along**2 + across**2 > (radius[STRIKER] + radius[disc]) ** 2
    return free


def _rows(n: int, first_row: int) -> IntArray:
    _check_number("n", n)
    _check_number("first_row", first_row)
    if first_row + n > _MOST_ROWS:
        raise ValueError(f"first_row = {first_row}, n = {n}: rows are numbered up to 2**63 - 1")
    return np.arange(first_row, first_row + n, dtype=np.int64)


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"{name} = {value!r}: must be an integer of at least 0")


def _finite(name: str, value: ArrayLike, unit: str) -> FloatArray:
    """Return a number or a one-dimensional array of finite numbers as float64."""
    array = as_array(name, value)
    if array.dtype.kind not in "iuf" or array.ndim > 1:
        raise ValueError(f"{name} = {value!r}: must be a finite number [{unit}], or a one-dimensional array of such")
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{name} = {float(bad)}: must be a finite number [{unit}]")
    return array.astype(np.float64)


def _at_least_0(name: str, values: FloatArray) -> None:
    if np.any(values < 0.0):
        raise ValueError(f"{name} = {float(values[values < 0.0][0])!r} m: must be at least 0 m")

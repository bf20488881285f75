"""The bridge: layouts, strokes and equipment become arrays, chunks of arrays go through the kernels, outcomes return.

Parallelism is here and nowhere else: a chunk of rows is simulated by one thread, without the interpreter's lock.
A row's outcome depends on nothing but the row, so neither threads nor chunks change a bit of it.
"""

import math
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.chunks import Chunks, check_count, in_order, thread_count
from carromsim.data.motion_tables import motion_table
from carromsim.equipment import STRIKER, Equipment, did_you_mean
from carromsim.equipment_limits import FASTEST, MOST_FRICTION
from carromsim.layouts import Layout
from carromsim.outcomes import EVENT_DTYPE, Outcomes, empty_result
from carromsim.problems import as_array
from carromsim.streams import JUMP_SLOTS, Streams
from carromsim.strokes import FASTEST_SPIN, Strokes, check_placement
from carromsim_kernels.batch import simulate_batch
from carromsim_kernels.contact import contact_law
from carromsim_kernels.scene import Scenes, new_scene
from carromsim_kernels.state import (
    N_DISCS,
    Board,
    Corner,
    Discs,
    FloatArray,
    IntArray,
    Jumps,
    Log,
    Physics,
    Result,
    Start,
    Status,
    Tolerances,
)

CHUNK_ROWS = 256
"""About 50 ms of breaks: enough that the Python cost of a chunk disappears, little enough to share out evenly."""

Events = NDArray[np.void]

_LARGEST = np.array(
    [
        MOST_FRICTION if name.startswith("mu_") else FASTEST if name.startswith("v_c_") else math.inf
        for name in Physics._fields
    ]
)
"""No coefficient of a row is larger, as none of `Equipment` is; inf: the kernels judge it."""


def simulate(
    layout: Layout,
    strokes: Strokes,
    *,
    equipment: Equipment | str = "icf",
    coefficients: Mapping[str, ArrayLike] | None = None,
    seed: int = 0,
    first_row: int = 0,
    rows: ArrayLike | None = None,
    stroke: ArrayLike = 0,
    until: ArrayLike = math.inf,
    record: bool = False,
    threads: int | None = None,
    chunk_rows: int | None = None,
) -> Outcomes:
    """Simulate strokes from layouts until everything rests, or the clock is stopped.

    Parameters
    ----------
    layout : Layout
        Positions, one for all strokes or one per row. Its striker entry is ignored.
    strokes : Strokes
        One per row, or one for all layouts.
    equipment : Equipment or str
        Or the name of a preset.
    coefficients : mapping of str to (n,) float, optional
        Coefficients that differ from row to row, in place of the equipment's: any of mu_surface, e_disc, e_cushion,
        mu_disc, mu_cushion, beta_disc, beta_cushion, v_c_disc, v_c_cushion, t_contact. A row with an impossible
        value gets status 3.
    seed : int
        Matters only where chance enters a stroke: for discs that jump, see `Equipment.jump_chance`.
    first_row : int
        Number of the first row: row k has the chance of row first_row + k, whatever else is simulated with it.
    rows : (n,) int, optional
        Numbers of the rows, in any order, in place of those from `first_row` on.
    stroke : int or (n,) int
        Number of the stroke within its row, for rows that play several.
    until : float or (n,) float
        When to stop the clock [s], >= 0; the state is returned as it is then. Default: when everything rests.
    record : bool
        Whether to keep the events of every row (`Outcomes.events`); such rows are simulated twice.
    threads : int, optional
        1 runs in this thread alone. Default: one per core.
    chunk_rows : int, optional
        Rows that a thread takes at a time.

    Returns
    -------
    Outcomes
        One row per stroke.

    Raises
    ------
    ValueError
        If an argument makes no sense: a single layout that is impossible, a single stroke that is illegal, numbers
        of rows that do not match. In a batch a bad row is no error but has a status: 2 if the striker or other discs
        overlap at the start, 3 for an illegal placement, a speed that is negative or beyond reason and the like.
    """
    equipment = Equipment.of(equipment)
    if not isinstance(layout, Layout) or not isinstance(strokes, Strokes):
        raise ValueError(
            f"layout = {type(layout).__name__}, strokes = {type(strokes).__name__}: must be a Layout and a Strokes"
        )
    if layout.n != strokes.n and 1 not in (layout.n, strokes.n):
        raise ValueError(f"layout has {layout.n} rows and strokes {strokes.n}: must be equal, or one of them 1")
    place, velocity = strokes.start(equipment)
    _check_single(layout, strokes, equipment, place)
    status = np.where(strokes.is_legal(equipment), Status.OK, Status.BAD_INPUT).astype(np.int8)

    n = 0 if 0 in (layout.n, strokes.n) else max(layout.n, strokes.n)
    coefficients = {} if coefficients is None else coefficients
    physics = _physics(equipment, n, coefficients)
    status = np.where((physics > _LARGEST).any(axis=1), Status.BAD_INPUT, status).astype(np.int8)
    untils = _untils(until, n)
    if "mu_surface" not in coefficients and equipment.mu_surface == 0.0 and np.isinf(untils).any():
        raise ValueError("equipment.mu_surface = 0: nothing would ever rest; until must be finite")
    layouts = np.broadcast_to(layout.pos, (n, N_DISCS, 2))
    luck = _luck(equipment, n, seed, first_row, rows, stroke)
    columns = [np.broadcast_to(a, (n, *a.shape[1:])) for a in (place, velocity, strokes.spin, strokes.seat, status)]

    def start(chunk: range) -> Start:
        part = slice(chunk.start, chunk.stop)
        place, velocity, spin, seat, status = (column[part] for column in columns)
        pos = np.array(layouts[part], order="C")
        vel, omega = np.zeros((len(chunk), N_DISCS, 2)), np.zeros((len(chunk), N_DISCS))
        pos[:, STRIKER], vel[:, STRIKER], omega[:, STRIKER] = place, velocity, spin
        seats, statuses = np.array(seat, order="C"), np.array(status, order="C")
        return Start(pos, vel, omega, seats, physics[part], statuses, luck[part])

    return _run(start, n, equipment, untils, record, threads, chunk_rows)


def simulate_motion(
    pos: ArrayLike,
    vel: ArrayLike,
    omega: ArrayLike,
    *,
    equipment: Equipment | str = "icf",
    until: ArrayLike = math.inf,
    record: bool = True,
    seed: int = 0,
    first_row: int = 0,
    threads: int | None = None,
    chunk_rows: int | None = None,
) -> Outcomes:
    """Simulate any moving discs, legal stroke or not.

    Parameters
    ----------
    pos : (n, 20, 2) or (20, 2) float
        Centres in disc order [m]; NaN for a disc that is not on the surface.
    vel : (n, 20, 2) or (20, 2) float
        Velocities [m/s]; those of absent discs do not matter.
    omega : (n, 20) or (20,) float
        Spins, counter-clockwise [rad/s].
    equipment : Equipment or str
        Or the name of a preset.
    until : float or (n,) float
        When to stop the clock [s], >= 0; the state is returned as it is then. Must be finite on a surface
        without friction. Default: when everything rests.
    record : bool
        Whether to keep the events of every row; such rows are simulated twice.
    seed, first_row, threads, chunk_rows
        As in `simulate`.

    Returns
    -------
    Outcomes
        One row per state; the shooter's facts (front line) are those of seat 0.

    Raises
    ------
    ValueError
        If shapes do not match, or a single state (20, 2) is impossible: discs overlap, or are faster than 10,000 m/s
        or 1e6 rad/s. In a batch (n, 20, 2) a bad row is no error but has a status.
    """
    equipment = Equipment.of(equipment)
    places = Layout(pos).pos
    untils = _untils(until, 1 if places.ndim == 2 else len(places))
    if equipment.mu_surface == 0.0 and np.isinf(untils).any():
        raise ValueError("until = inf: must be finite with equipment.mu_surface = 0, where nothing ever rests")
    single = places.ndim == 2
    shape = places.shape
    velocities, spins = _numbers("vel", vel, shape), _numbers("omega", omega, shape[:-1])
    if single:
        _check_state(places, velocities, spins, equipment)
        places, velocities, spins = places[np.newaxis], velocities[np.newaxis], spins[np.newaxis]

    physics = _physics(equipment, len(places), {})
    too_fast = (_beyond_reason(velocities, spins) & ~np.isnan(places[..., 0])).any(axis=1)
    status = np.where(too_fast, Status.BAD_INPUT, Status.OK).astype(np.int8)
    luck = _luck(equipment, len(places), seed, first_row)

    def start(rows: range) -> Start:
        p, v, w = (np.array(column[rows.start : rows.stop], order="C") for column in (places, velocities, spins))
        part, seat_0 = slice(rows.start, rows.stop), np.zeros(len(rows), np.int8)
        return Start(p, v, w, seat_0, physics[part], np.array(status[part], order="C"), luck[part])

    return _run(start, len(places), equipment, untils, record, threads, chunk_rows)


def _check_single(layout: Layout, strokes: Strokes, equipment: Equipment, place: FloatArray) -> None:
    """Raise for what one layout or one stroke, valid for all rows, has wrong; rows of a batch get a status."""
    if strokes.scalar:
        check_placement(float(strokes.x[0]), equipment)
    if layout.scalar:
        layout.check(equipment, striker=False)
    if layout.scalar and strokes.scalar:
        pos = layout.pos.copy()
        pos[STRIKER] = place[0]
        Layout(pos).check(equipment)


def _check_state(pos: FloatArray, vel: FloatArray, omega: FloatArray, equipment: Equipment) -> None:
    """Raise for what a single state has wrong."""
    Layout(pos).check(equipment)
    present = ~np.isnan(pos[:, 0])
    for name, values in (("vel", vel), ("omega", omega)):
        bad = np.flatnonzero(present & ~np.isfinite(values).reshape(N_DISCS, -1).all(axis=1))
        if bad.size:
            raise ValueError(f"{name}[{bad[0]}] = {values[bad[0]]}: must be finite")
    for i in np.flatnonzero(present & _beyond_reason(vel, omega)):
        most = f"at most {FASTEST:g} m/s and {FASTEST_SPIN:g} rad/s"
        raise ValueError(f"vel[{i}] = {vel[i]}, omega[{i}] = {omega[i]:g}: must be {most}")


def _beyond_reason(vel: FloatArray, omega: FloatArray) -> NDArray[np.bool_]:
    """Tell which discs are faster than any could be: sums of squares would be off, or overflow."""
    with np.errstate(over="ignore"):
        return np.asarray((np.hypot(vel[..., 0], vel[..., 1]) > FASTEST) | (np.abs(omega) > FASTEST_SPIN))


def _numbers(name: str, value: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return float64 numbers of the demanded shape."""
    array = as_array(name, value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} has dtype {array.dtype}: must be numbers")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}: must be {shape}")
    return np.array(array, dtype=np.float64, order="C")


def _untils(until: ArrayLike, n: int) -> FloatArray:
    """Return when to stop the clock of each row, (n,) [s]."""
    times = as_array("until", until)
    if times.dtype.kind not in "iuf":
        raise ValueError(f"until has dtype {times.dtype}: must be numbers")
    if times.shape not in ((), (n,)):
        raise ValueError(f"until has shape {times.shape}: must be one number or ({n},), one for each row")
    wrong = times[~(times >= 0.0)]
    if wrong.size:
        raise ValueError(f"until = {wrong[0]}: must be >= 0 s, or inf")
    return np.array(np.broadcast_to(times, n), dtype=np.float64, order="C")


def _luck(
    equipment: Equipment, n: int, seed: int, first_row: int, rows: ArrayLike | None = None, stroke: ArrayLike = 0
) -> FloatArray:
    """Return what decides about jumps, (n, 20) in (0, 1); it is drawn only if there are any."""
    streams = Streams(seed)
    if isinstance(first_row, bool) or not isinstance(first_row, int | np.integer) or first_row < 0:
        raise ValueError(f"first_row = {first_row!r}: must be a whole number >= 0")
    if equipment.jump_chance == 0.0:
        return np.ones((n, N_DISCS))
    numbers = np.arange(first_row, first_row + n) if rows is None else as_array("rows", rows)
    if numbers.shape != (n,):
        raise ValueError(f"rows has shape {numbers.shape}: must be ({n},), one number for each stroke")
    return streams.uniform(numbers, stroke, JUMP_SLOTS)


def _board(equipment: Equipment) -> Board:
    half = equipment.side / 2
    return Board(
        half_side=half,
        pocket_centre=half - equipment.pocket_offset,
        front_line=equipment.front_line_distance - half,
        gravity=equipment.gravity,
        fall_time=math.sqrt(2.0 * equipment.fall_height / equipment.gravity),
        corner=Corner[equipment.corner.upper()],
        corner_size=equipment.corner_size,
    )


@lru_cache(maxsize=32)
def scene_of(equipment: Equipment) -> Scenes:
    """Give the kernels' record of equipment: all that the rows of a chunk share. To be copied, not written to."""
    radius = equipment.radius
    law = contact_law(
        equipment.contact == "compliant",
        equipment.force_law == "hertz",
        equipment.contact_steps,
        equipment.man_mass,
    )
    return new_scene(
        _board(equipment),
        Discs(radius, equipment.mass, equipment.face * radius, equipment.capture_radius),
        law,
        Jumps(equipment.jump_chance, equipment.jump_speed, equipment.jump_width),
        motion_table(equipment.face, equipment.face_hole),
        Tolerances(),
    )


_scratch = threading.local()


def _own_scene(equipment: Equipment) -> Scenes:
    """Give this thread's own scene: the last one that it made, if that was for such equipment."""
    blank = scene_of(equipment)
    if getattr(_scratch, "blank", None) is not blank:
        _scratch.blank, _scratch.scene = blank, blank.copy()
    return cast(Scenes, _scratch.scene)


def _physics(equipment: Equipment, n: int, coefficients: Mapping[str, ArrayLike]) -> FloatArray:
    """Return the coefficients of each row, (n, 10) in the order of Physics."""
    physics = np.tile([getattr(equipment, name) for name in Physics._fields], (n, 1))
    if not isinstance(coefficients, Mapping):
        raise ValueError(f"coefficients = {coefficients!r}: must be a mapping of names to numbers for each row")
    for name, values in coefficients.items():
        if name not in Physics._fields:
            raise ValueError(f"coefficients: unknown {name!r}: {did_you_mean(name, Physics._fields)}")
        physics[:, Physics._fields.index(name)] = _numbers(f"coefficients[{name!r}]", values, (n,))
    return physics


def _run(
    start: Callable[[range], Start],
    n: int,
    equipment: Equipment,
    until: FloatArray,
    record: bool,
    threads: int | None,
    chunk_rows: int | None,
) -> Outcomes:
    """Send all rows through the kernel, chunk by chunk, and gather the outcomes."""
    if not isinstance(record, bool | np.bool_):
        raise ValueError(f"record = {record!r}: must be True or False")
    size = CHUNK_ROWS if chunk_rows is None else check_count("chunk_rows", chunk_rows)
    result = empty_result(n)

    def work(rows: range) -> Events | None:
        part = Result._make(column[rows.start : rows.stop] for column in result)
        begun, scene, stop = start(rows), _own_scene(equipment), until[rows.start : rows.stop]
        simulate_batch(scene, begun, stop, part, _empty_log(np.zeros(len(rows) + 1, np.int64)))
        if not record:
            return None
        log = _empty_log(np.concatenate([[0], np.cumsum(part.n_events, dtype=np.int64)]))
        simulate_batch(scene, begun, stop, part, log)
        return _events(log)

    parts = list(in_order(work, Chunks(n, size), thread_count(threads)))
    if not record:
        return Outcomes(**result._asdict())
    events = np.concatenate([np.empty(0, EVENT_DTYPE), *(part for part in parts if part is not None)])
    first = np.concatenate([[0], np.cumsum(result.n_events, dtype=np.int64)])
    return Outcomes(**result._asdict(), _events=events, _first_event=first)


def _empty_log(first: IntArray) -> Log:
    """Return room for the events of a chunk, given where each row's begin."""
    n = int(first[-1])
    return Log(first, np.empty(n), np.empty(n, np.int8), np.empty(n, np.int8), np.empty(n, np.int8))


def _events(log: Log) -> Events:
    events = np.empty(len(log.t), EVENT_DTYPE)
    for name in ("t", "kind", "a", "b"):
        events[name] = getattr(log, name)
    return events

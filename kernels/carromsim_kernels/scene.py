"""The scene of one stroke: everything the event loop reads and writes, in one record.

A record, because compiled code passes it as a single pointer: no reference counting, no allocation, and
every access is a constant offset. One scene serves a chunk, row after row, and is never shared.
"""

import math
from typing import Annotated, get_args, get_type_hints

import numpy as np

from carromsim_kernels.motion import CELLS, HINTS
from carromsim_kernels.state import (
    DAMPING_CELLS,
    N_DISCS,
    Board,
    ContactLaw,
    Corner,
    Discs,
    FloatArray,
    IntArray,
    Jumps,
    MotionTable,
    Tolerances,
)

PerDisc = Annotated[FloatArray, (N_DISCS,)]
CodePerDisc = Annotated[IntArray, (N_DISCS,)]
PerPair = Annotated[FloatArray, (N_DISCS, N_DISCS)]
CodePerPair = Annotated[IntArray, (N_DISCS, N_DISCS)]

PerContact = Annotated[FloatArray, (N_DISCS, N_DISCS + 5)]
CodePerContact = Annotated[IntArray, (N_DISCS, N_DISCS + 5)]
MOST_CONTACTS = N_DISCS * (N_DISCS - 1) // 2 + 2 * N_DISCS
PerListed = Annotated[FloatArray, (MOST_CONTACTS,)]
CodePerListed = Annotated[IntArray, (MOST_CONTACTS,)]

SHARP = 1e-9
"""A disc for which a corner begins less than this before its end [m] meets straight cushions there."""
PARKED = 1e9
"""Discs that are not on the surface are parked this far away [m], where every rejection test drops them."""


class Scene:
    """Fields of the record; their types give its layout.

    The segment of a disc is its path from its last event to its next certain one: cushion, tipping limit or stop.
    Pockets and corners of the frame are counted alike: 0 bottom left, 1 bottom right, 2 top right, 3 top left.
    """

    # The world: the same during a chunk ...
    half_side: float
    pocket_centre: float
    front_line: float
    gravity: float
    fall_time: float
    corner: int
    corner_size: float
    touch: float
    push_speed: float
    push_overlap: float
    push_pause: float
    still_speed: float
    elastic_speed: float
    start_overlap: float
    burst_speed: float
    burst_cap: float
    least_angle: float
    least_rebound: float
    max_events: int
    max_refined: int
    compliant: int
    hertz: int
    contact_steps: float
    contact_mass: float
    damping: Annotated[FloatArray, (DAMPING_CELLS + 1,)]
    jump_chance: float
    jump_speed: float
    jump_width: float
    radius: PerDisc
    mass: PerDisc
    inv_mass: PerDisc
    turn: PerDisc  # angular velocity per impulse along the rim [1/(kg m)]
    face: PerDisc
    capture: PerDisc
    bend: PerDisc  # |x| and |y| of its centre beyond which it is in a corner; inf for one that meets straight cushions
    cells: Annotated[FloatArray, (2 * CELLS, 3, 6)]
    roots: Annotated[IntArray, (2,)]
    ratio: Annotated[FloatArray, (2, CELLS + 1)]
    ratio_fixed: float
    force_fixed: float
    edges: Annotated[FloatArray, (CELLS + 1,)]
    hint: Annotated[IntArray, (2, HINTS)]
    bow: Annotated[FloatArray, (2, CELLS)]
    gamma: float
    kappa: float
    # ... or a row.
    mu_g: float
    e_disc: float
    e_cushion: float
    mu_disc: float
    mu_cushion: float
    beta_disc: float
    beta_cushion: float
    v_c_disc: float
    v_c_cushion: float
    t_contact: float
    stiffness: float  # of contacts, k [N/m^1.5] or [N/m]
    burst_step: float
    seat: int

    # Where a disc's segment begins, and its motion from there.
    x: PerDisc
    y: PerDisc
    dir_x: PerDisc  # 0 for a disc that does not travel
    dir_y: PerDisc
    speed: PerDisc
    omega: PerDisc
    time: PerDisc
    mode: CodePerDisc  # of the motion law: REST, CONSTANT or CURVE
    first_cell: CodePerDisc
    inv_scale: PerDisc
    speed_factor: PerDisc
    t_stop: PerDisc  # when it would come to rest
    s_stop: PerDisc  # after which path
    decel_min: PerDisc
    decel_max: PerDisc
    on_board: CodePerDisc
    falling: CodePerDisc  # the pocket beyond whose tipping limit it is, -1 = none
    falls_at: PerDisc  # when it will be gone; inf = never

    # Where the segment ends, and what is there.
    segment: PerDisc  # its length
    end_x: PerDisc
    end_y: PerDisc
    self_kind: CodePerDisc  # EventKind, ENTERING or LEAVING
    self_place: CodePerDisc  # which cushion (0 right, 1 left, 2 far, 3 near, 4 + corner) or pocket
    self_time: PerDisc  # when it gets there, or a lower bound
    self_exact: CodePerDisc  # 0: a lower bound

    # Path and speed at the time for which they were last asked.
    at_time: PerDisc
    at_path: PerDisc
    at_speed: PerDisc

    # Pairs, symmetric.
    pair_time: PerPair  # of contact, or a lower bound; inf = never on the present segments
    pair_exact: CodePerPair  # 0: a lower bound

    # The earliest event of each disc.
    best_time: PerDisc
    best_partner: CodePerDisc  # the other disc, -1 for a cushion, pocket or stop
    best_rank: CodePerDisc  # its place among events of equal time: what is to be looked at first, then by kind
    bound: PerDisc  # scratch of the prediction of pairs
    near: CodePerDisc  # scratch of the rejection pass of bursts

    # The burst under way. Place, velocity and spin of the active discs; of the others as of the last look.
    active: CodePerDisc
    px: PerDisc
    py: PerDisc
    vx: PerDisc
    vy: PerDisc
    spin: PerDisc
    ux: PerDisc  # velocity foreseen for the end of the step
    uy: PerDisc
    ax: PerDisc  # acceleration at its beginning
    ay: PerDisc
    bx: PerDisc  # ... and at its end
    by: PerDisc
    rubbed: PerDisc  # until when the surface's friction has acted
    seen_x: PerDisc  # where it was when the pairs to watch were listed
    seen_y: PerDisc
    contact_step: CodePerContact  # in which it was last in touch with a disc, or a cushion
    contact_fastest: PerContact  # closing speed so far
    contact_zeta: PerContact
    contact_force: PerContact  # at the end of the last step
    contact_slip: PerContact  # at which it would stick
    watch_i: CodePerListed
    watch_j: CodePerListed
    watch_reach: PerListed  # sum of the radii
    watch_mass: PerListed  # reduced mass
    watch_reach2: PerListed  # ... squared
    overlapping: CodePerListed  # places in the list of those in touch
    touch_i: CodePerListed
    touch_j: CodePerListed
    touch_nx: PerListed
    touch_ny: PerListed
    touch_force: PerListed
    touch_mass: PerListed
    touch_overlap: PerListed
    touch_closing: PerListed  # speed foreseen for the end of the step
    happened_kind: CodePerListed  # the events of the present step
    happened_i: CodePerListed
    happened_j: CodePerListed
    n_happened: int
    step: int  # number of the present step, counted through all bursts of the scene
    n_watched: int
    n_touching: int
    live: int
    stale: int  # 1: the list of watched pairs has to be renewed
    unparted: int  # 1: discs have joined that may overlap others without a contact
    near_frame: int
    burst_due: float
    burst_energy: float

    # What is known of the row so far.
    pocket: CodePerDisc
    pocket_time: PerDisc
    overboard: CodePerDisc
    stay: PerDisc  # chance of not having jumped yet
    luck: PerDisc
    leaps: CodePerDisc  # 1: has to leave
    n_leaping: int  # 1: some disc has to leave
    first_hit: int
    first_hit_direct: int
    first_hit_behind: int
    crossed_front_line: int
    striker_cushions: int
    n_events: int
    n_crossings: int  # of tipping limits
    n_refined: int
    n_disc_hits: int
    n_cushion_hits: int


def _record_type() -> np.dtype[np.void]:
    """Turn the annotations of Scene into the record's layout."""
    layout: list[tuple[str, type, tuple[int, ...]]] = []
    for name, hint in get_type_hints(Scene, include_extras=True).items():
        if hint in (float, int):
            layout.append((name, np.float64 if hint is float else np.int64, ()))
        else:
            array, shape = get_args(hint)
            layout.append((name, np.float64 if array == FloatArray else np.int64, shape))
    return np.dtype(layout, align=True)


SCENE = _record_type()


Scenes = np.recarray[tuple[int], np.dtype[np.record]]


def where_corners_begin(board: Board, radius: FloatArray) -> FloatArray:
    """Return the |x| = |y| beyond which a corner's shape keeps a disc's centre back, (20,) [m]; inf: it never does."""
    if board.corner == Corner.RIGHT_ANGLED:
        return np.full(N_DISCS, np.inf)
    begin = np.full(N_DISCS, board.half_side - board.corner_size)
    if board.corner == Corner.CUT_AWAY:  # the disc touches cushion and piece at once, on the bisector of their angle
        begin -= (math.sqrt(2.0) - 1.0) * radius
    return np.where(board.half_side - radius - begin > SHARP, begin, np.inf)


def new_scene(board: Board, discs: Discs, law: ContactLaw, jumps: Jumps, table: MotionTable, tol: Tolerances) -> Scenes:
    """Make the scene of a chunk, an array of one record, with all that its rows share."""
    scene: Scenes = np.zeros(1, SCENE).view(np.recarray)
    for source in (board, discs, law, jumps, table, tol):
        for name, value in source._asdict().items():
            scene[name][0] = value
    scene["inv_mass"][0] = 1.0 / discs.mass
    scene["turn"][0] = 2.0 / (discs.mass * discs.radius)
    scene["bend"][0] = where_corners_begin(board, discs.radius)
    return scene

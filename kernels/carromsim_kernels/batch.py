"""Door 1: simulate a chunk of strokes."""

import math

from carromsim_kernels.discs import is_at_rest
from carromsim_kernels.facts import note_striker
from carromsim_kernels.jit import entry, kernel
from carromsim_kernels.scene import Scene, Scenes
from carromsim_kernels.state import N_DISCS, STRIKER, FloatArray, Log, Result, Start, Status
from carromsim_kernels.stroke import begin_row, run_stroke, start_status, state_at

OK = int(Status.OK)
BAD_INPUT = int(Status.BAD_INPUT)


@kernel
def clear_row(result: Result, s: int, status: int) -> None:
    """Write an empty outcome: what a row says that was not simulated to its end."""
    result.status[s] = status
    result.pocket[s, :] = -1
    result.pocket_time[s, :] = math.nan
    result.overboard[s, :] = 0
    result.pos[s, :, :] = math.nan
    result.vel[s, :, :] = 0.0
    result.omega[s, :] = 0.0
    result.first_hit[s] = -1
    result.first_hit_direct[s], result.first_hit_behind[s], result.crossed_front_line[s] = 0, 0, 0
    result.n_events[s], result.n_disc_hits[s], result.n_cushion_hits[s] = 0, 0, 0
    result.duration[s] = 0.0


@kernel
def write_row(scene: Scene, result: Result, s: int, t: float) -> None:
    """Write what came of row s, and where everything is at time t."""
    for i in range(N_DISCS):
        result.pocket[s, i], result.pocket_time[s, i] = scene.pocket[i], scene.pocket_time[i]
        result.overboard[s, i] = scene.overboard[i]
        if scene.on_board[i] == 0:
            continue
        x, y, vx, vy, omega = state_at(scene, i, t)
        result.pos[s, i, 0], result.pos[s, i, 1] = x, y
        if not is_at_rest(scene, i):
            result.vel[s, i, 0], result.vel[s, i, 1], result.omega[s, i] = vx, vy, omega
        if i == STRIKER:
            note_striker(scene, x, y)
    result.first_hit[s], result.first_hit_direct[s] = scene.first_hit, scene.first_hit_direct
    result.first_hit_behind[s], result.crossed_front_line[s] = scene.first_hit_behind, scene.crossed_front_line
    result.n_events[s] = scene.n_events
    result.n_disc_hits[s], result.n_cushion_hits[s] = scene.n_disc_hits, scene.n_cushion_hits
    result.duration[s] = t


@entry
def simulate_batch(scenes: Scenes, start: Start, until: FloatArray, result: Result, log: Log) -> None:
    """Simulate the rows of a chunk one after the other, without holding the interpreter's lock.

    Parameters
    ----------
    scenes : (1,) array of Scene records
        Scratch of this chunk, made by `new_scene` for its equipment; not shared with another thread.
    start : Start
        How the n rows begin; not changed.
    until : (n,) float64
        When to stop the clock of each row [s]; inf to wait until everything rests.
    result : Result
        Outcome columns of n rows, written in place. A row that fails gets a status; nothing is raised.
    log : Log
        Where to record events; there is room for none if its `first` is all zero.
    """
    scene: Scene = scenes[0]
    for s in range(start.pos.shape[0]):
        status = start_status(scene, start, s)
        if status == OK and until[s] == math.inf and start.physics[s, 0] == 0.0:
            status = BAD_INPUT
        clear_row(result, s, status)
        if status != OK:
            continue
        begin_row(scene, start, s)
        status, t = run_stroke(scene, until[s], log, s)
        if status == OK:
            write_row(scene, result, s, t)
        result.status[s] = status

"""Door 1: simulate a chunk of strokes. Everything the event loop needs is allocated here, once."""

from carromsim_kernels.discs import new_workspace
from carromsim_kernels.jit import entry
from carromsim_kernels.state import Board, Discs, Log, MotionTable, Physics, Result, Start, Tolerances, World
from carromsim_kernels.stroke import run_stroke


@entry
def simulate_batch(
    start: Start,
    discs: Discs,
    board: Board,
    table: MotionTable,
    tol: Tolerances,
    until: float,
    result: Result,
    log: Log,
) -> None:
    """Simulate the rows of a chunk one after the other, without holding the interpreter's lock.

    Parameters
    ----------
    start : Start
        How the n rows begin; not changed.
    discs, board, table, tol
        The equipment in numbers, the motion law and the numerical limits.
    until : float
        When to stop the clock [s]; inf to wait until everything rests.
    result : Result
        Outcome columns of n rows, written in place. A row that fails gets a status; nothing is raised.
    log : Log
        Where to record events, or empty arrays.
    """
    ws = new_workspace()
    for s in range(start.pos.shape[0]):
        p = start.physics[s]
        physics = Physics(p[0], p[1], p[2], p[3], p[4], p[5], p[6])
        world = World(board, physics, physics.mu_surface * board.gravity, table, tol)
        run_stroke(ws, world, start, discs, until, result, log, s)

"""Door 3: candidate strokes of a position. Geometry, clearance and a chance of success; no simulation.

Every disc that is wanted, every pocket: an errand (`aim_errands`) for a disc, done by the striker (`aim_strokes`).
"""

import numpy as np

from carromsim_kernels.aim_errands import bank_errand, combine, straight_errand
from carromsim_kernels.aim_path import find_free_places
from carromsim_kernels.aim_records import CANDIDATE, NO_CANDIDATE, AimKind
from carromsim_kernels.aim_strokes import best_stroke, direct_kind
from carromsim_kernels.jit import entry, kernel
from carromsim_kernels.sheet import Record, Records
from carromsim_kernels.state import N_DISCS, FloatArray

Tables = np.recarray[tuple[int, int], np.dtype[np.record]]

LEAST_CHANCE = 1e-6
"""What is less likely is no candidate."""
GOOD = 0.6
"""Other than direct strokes are looked at only if the best direct one has less than this part of the value of the most
wanted disc: they are rarely better, and take several times as long."""
_CANDIDATE = np.dtype((np.record, CANDIDATE))
"""Of scratch: without the JIT only the fields of records are found by `record.name`."""
MAN_BANK, STRIKER_REBOUND = int(AimKind.MAN_BANK), int(AimKind.STRIKER_REBOUND)
COMBINATION = int(AimKind.COMBINATION)


@kernel
def load(aim: Record, pos: FloatArray) -> None:
    """Take down a position, (20, 2)."""
    aim.n_there = 0
    for disc in range(1, N_DISCS):
        x, y = pos[disc, 0], pos[disc, 1]
        if not (np.isnan(x) or np.isnan(y)):
            aim.x[disc], aim.y[disc] = x, y
            aim.there[aim.n_there] = disc
            aim.n_there += 1
    find_free_places(aim)


@kernel
def keep(aim: Record, kind: int, worth: float, found: Record, best: Records) -> None:
    """Put a candidate among the best, in order; of two equals the earlier one stays in front."""
    found.kind, found.target, found.via, found.pocket = kind, aim.target, aim.via, aim.pocket
    found.spin, found.value = 0.0, worth * found.estimate
    last = len(best) - 1
    if best[last].kind != NO_CANDIDATE and best[last].value >= found.value:
        return
    while last > 0 and (best[last - 1].kind == NO_CANDIDATE or best[last - 1].value < found.value):
        best[last] = best[last - 1]
        last -= 1
    best[last] = found


@kernel
def floor_for(best: Records, worth: float) -> float:
    """Return the chance that a stroke has to exceed to be among the best."""
    last = best[len(best) - 1]
    return float(max(LEAST_CHANCE, last.value / worth if last.kind != NO_CANDIDATE else 0.0))


@kernel
def find_direct(aim: Record, wanted: FloatArray, found: Record, best: Records) -> None:
    """Look at direct strokes."""
    for i in range(aim.n_there):
        target = aim.there[i]
        worth = wanted[target]
        if not worth > 0.0:
            continue
        for pocket in range(4):
            floor = floor_for(best, worth)
            if floor < 1.0 and straight_errand(aim, target, pocket) and best_stroke(aim, -1, floor, found):
                keep(aim, direct_kind(aim), worth, found, best)


@kernel
def find_rebounds(aim: Record, worth: float, found: Record, best: Records) -> None:
    """Look at strokes by a cushion, other than the near one, that do the errand."""
    for cushion in range(3):
        floor = floor_for(best, worth)
        if floor < 1.0 and best_stroke(aim, cushion, floor, found):
            keep(aim, STRIKER_REBOUND, worth, found, best)


@kernel
def find_combinations(aim: Record, worth: float, found: Record, best: Records) -> None:
    """Look at strokes at another disc, which does the errand's part of the striker."""
    target, ux, uy, lo, hi = aim.target, aim.ux, aim.uy, aim.lo, aim.hi
    launch, least, most = aim.launch, aim.least, aim.most
    for i in range(aim.n_there):
        via = aim.there[i]
        floor = floor_for(best, worth)
        if via == target or floor >= 1.0:
            continue
        aim.ux, aim.uy, aim.lo, aim.hi = ux, uy, lo, hi
        aim.launch, aim.least, aim.most = launch, least, most
        if combine(aim, via) and best_stroke(aim, -1, floor, found):
            keep(aim, COMBINATION, worth, found, best)


@kernel
def find_banks(aim: Record, target: int, pocket: int, worth: float, found: Record, best: Records) -> None:
    """Look at strokes that send the disc by a cushion."""
    for cushion in range(4):
        floor = floor_for(best, worth)
        if floor < 1.0 and bank_errand(aim, target, pocket, cushion) and best_stroke(aim, -1, floor, found):
            keep(aim, MAN_BANK, worth, found, best)


@kernel
def find(aim: Record, wanted: FloatArray, found: Record, best: Records) -> None:
    """Look at direct strokes, and at the others if there is no good direct one."""
    find_direct(aim, wanted, found, best)
    most = 0.0
    for i in range(aim.n_there):
        most = max(most, wanted[aim.there[i]])
    if best[0].kind != NO_CANDIDATE and best[0].value >= GOOD * most:
        return
    for i in range(aim.n_there):
        target = aim.there[i]
        worth = wanted[target]
        if not worth > 0.0:
            continue
        for pocket in range(4):
            if straight_errand(aim, target, pocket):
                find_rebounds(aim, worth, found, best)
                find_combinations(aim, worth, found, best)
            find_banks(aim, target, pocket, worth, found, best)


@entry
def aim_batch(aims: Records, pos: FloatArray, wanted: FloatArray, best: Tables) -> None:
    """Find the best candidate strokes of n positions, without holding the interpreter's lock.

    Parameters
    ----------
    aims : (1,) array of `aim_records.AIM`
        Equipment, skill and placements; the rest is scratch.
    pos : (n, 20, 2) float64
        In the shooter's frame [m]; NaN for a disc that is not on the surface. The striker's entry does not matter.
    wanted : (n, 20) float64
        What each disc is worth if it falls; it is not wanted if that is not above 0.
    best : (n, k) array of `aim_records.CANDIDATE`
        Written in place, the best value first; kind -1 where there are fewer.
    """
    aim = aims[0]
    founds = np.zeros(1, _CANDIDATE)
    found = founds[0]
    for row in range(len(pos)):
        for j in range(best.shape[1]):
            best[row][j].kind = NO_CANDIDATE
        load(aim, pos[row])
        find(aim, wanted[row], found, best[row])

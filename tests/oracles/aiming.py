"""Direct strokes by marching, the slow way: no formula for what is in the way, none for the pocket's mouth.

Without throw (mu_disc = 0) a man leaves along the line of centres, so that the ghost is known for each way to a pocket.
"""

import math

import numpy as np

import carromsim as cs
from carromsim.strokes import direction

STEP = 5e-4
"""[m]"""


def clear(start, end, radius, pos, radii, margin=0.0):
    """Whether a disc gets from start to end with at least `margin` between it and the discs at pos."""
    n = max(int(math.hypot(*(end - start)) / STEP), 1) + 1
    way = start + np.linspace(0.0, 1.0, n)[:, np.newaxis] * (end - start)
    gaps = np.hypot(way[:, np.newaxis, 0] - pos[:, 0], way[:, np.newaxis, 1] - pos[:, 1]) - (radius + radii)
    return bool(np.all(gaps > margin)) if len(pos) else True


def others(pos, but):
    """Indices of the men on the surface except one."""
    return [disc for disc in range(1, cs.N_DISCS) if disc != but and not np.isnan(pos[disc, 0])]


def easy_direct_strokes(pos, equipment, targets, xs, margin, thinnest_deg=60.0):
    """Pairs (target, pocket) that some placement reaches directly, straight into the pocket's centre, with room."""
    radius, half = equipment.radius, equipment.side / 2
    centre = half - equipment.pocket_offset
    base = equipment.base_line_distance - half
    found = set()
    for target in targets:
        rest = others(pos, target)
        for pocket, signs in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            hole = centre * np.array(signs)
            u = (hole - pos[target]) / math.hypot(*(hole - pos[target]))
            mouth_edge = hole - equipment.capture_radius[target] * u
            if np.abs(mouth_edge).max() > half - radius[target] - margin:
                continue
            if not clear(pos[target], mouth_edge, radius[target], pos[rest], radius[rest], margin):
                continue
            ghost = pos[target] - (radius[cs.STRIKER] + radius[target]) * u
            if np.abs(ghost).max() > half - radius[cs.STRIKER] - margin:
                continue
            for x in xs:
                start = np.array([x, base])
                to_ghost = ghost - start
                if to_ghost @ u < math.cos(math.radians(thinnest_deg)) * math.hypot(*to_ghost):
                    continue
                if clear(start, ghost, radius[cs.STRIKER], pos[rest], radius[rest], margin):
                    found.add((target, pocket))
                    break
    return found


def first_met(pos, equipment, x, angle):
    """The disc that a striker from x meets first on its straight way, and its centre then; (-1, ...) if none."""
    radius, discs = equipment.radius, others(pos, -1)
    start = np.array([x, equipment.base_line_distance - equipment.side / 2])
    way = start + np.arange(0.0, 1.2, STEP)[:, np.newaxis] * direction(np.array([angle]))[0]
    gaps = np.hypot(way[:, np.newaxis, 0] - pos[discs, 0], way[:, np.newaxis, 1] - pos[discs, 1])
    met = gaps <= radius[cs.STRIKER] + radius[discs]
    if not met.any():
        return -1, way[-1]
    step = int(np.argmax(met.any(axis=1)))
    return discs[int(np.argmax(met[step]))], way[step]

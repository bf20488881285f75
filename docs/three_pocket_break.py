"""The three-pocket break of the UKCA text: where the pack lies, natural strokes at it, and how they are played."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import carromsim as cs
from carromsim.players.skill import SKILLS
from carromsim.studies.breaks.summary import white_pockets
from carromsim.tables.batches import values_of
from carromsim_kernels.state import Status

UKCA = cs.Equipment.preset("ukca")
TURN = math.radians(15.0)
"""Of the pack, which brings the white pair (3, 7) on the line to the top right pocket, and disc 10 to its near end."""
RANDOM = cs.Uniform(0.0, 2.0 * math.pi / 3.0)
"""All turns of the pack that differ."""
PAIR, NEAR, TOP_RIGHT = (3, 7), 10, 2
SPEED = 6.0
"""A hard stroke, and the default of break studies [m/s]."""
SEED = 1


class Aim(NamedTuple):
    """Where the striker stands on the base line [m], and its direction [rad]."""

    x: float
    angle: float


def line_to_pocket() -> NDArray[np.float64]:
    """Give the unit vector from the centre of the board to the top right pocket, (2,)."""
    return np.full(2, math.sqrt(0.5))


def aims(gap: float = 0.00005) -> dict[str, Aim]:
    """Give natural strokes at the pack that is turned by 15 degrees.

    From the left end circle, which is as near to the line as the laws let the striker stand: so that it meets disc 10
    where the line enters it; at the middle of disc 10; at the middle of the pack. And straight ahead from the middle.

    Parameters
    ----------
    gap : float
        Between neighbours in the pack [m].
    """
    line = line_to_pocket()
    near = -2.0 * (2.0 * UKCA.man_radius + gap) * line
    places = {
        "on the line": near - (UKCA.man_radius + UKCA.striker_radius) * line,
        "at the middle of disc 10": near,
        "at the queen": np.zeros(2),
    }
    start = np.array([-UKCA.end_circle_offset, UKCA.base_line_distance - UKCA.side / 2])
    found = {name: Aim(float(start[0]), math.atan2(*(place - start)[::-1])) for name, place in places.items()}
    return {**found, "straight ahead from the middle": Aim(0.0, math.pi / 2)}


def mirrored(aim: Aim) -> Aim:
    """Give the stroke that a mirror on the board's vertical middle line shows."""
    return Aim(-aim.x, math.pi - aim.angle)


@dataclass(frozen=True)
class Played:
    """Strokes: the pocket of each disc, -1 for none, (n, 20); and which had an outcome at all, (n,)."""

    pocket: NDArray[np.int8]
    ok: NDArray[np.bool_]

    @property
    def pockets(self) -> NDArray[np.int64]:
        """In how many different pockets whites fell, (n,)."""
        return white_pockets(self.pocket)

    @property
    def pair_falls(self) -> NDArray[np.bool_]:
        """Whether a man of the pair falls into the pocket at which it points, (n,)."""
        return np.asarray((self.pocket[:, PAIR] == TOP_RIGHT).any(axis=1))


def study_of(hand: str, strokes: int, aim: Aim, seed: int = SEED, **told: Any) -> cs.BreakStudy:
    """Give a break of the UKCA by a hand."""
    skill = SKILLS[hand]
    scatter = {name: getattr(skill, name) for name in ("sd_x", "sd_angle", "sd_speed", "sd_spin")}
    fields = {"rotation": TURN, "speed": SPEED, "x": aim.x, "angle": aim.angle} | scatter | told
    return cs.BreakStudy(ruleset="ukca", strokes=strokes, seed=seed, **fields)


def play(study: cs.BreakStudy) -> Played:
    """Play a study, and keep what fell where."""
    parts = [(values_of(rows, "pocket", -1), np.asarray(rows["status"])) for rows in study.stream()]
    pocket, status = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Played(pocket.astype(np.int8), status == Status.OK)


def by_turn(turns: Sequence[float], study: cs.BreakStudy) -> NDArray[np.int64]:
    """Play a study at each of some turns [degrees]; count strokes, and those with whites in 1, 2, 3 pockets, (k, 4)."""
    played = play(study.model_copy(update={"rotation": cs.Grid([math.radians(turn) for turn in turns])}))
    # Of a grid, row after row takes the next value.
    pockets, ok = played.pockets.reshape(-1, len(turns)), played.ok.reshape(-1, len(turns))
    return np.stack([ok.sum(axis=0), *((pockets >= least).sum(axis=0) for least in (1, 2, 3))], axis=1)


def together(parts: Sequence[Played]) -> Played:
    """Put strokes of several cells together."""
    return Played(*(np.concatenate([getattr(each, name) for each in parts]) for name in ("pocket", "ok")))

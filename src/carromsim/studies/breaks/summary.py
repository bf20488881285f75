"""What a break study found, in counts: integers only, so that they add up over chunks exactly and in any order."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim.layouts import opening
from carromsim.studies.breaks.ruling import MOST_DUES, RULED, seen_in_rulings
from carromsim.studies.breaks.sensitivity import splits
from carromsim.studies.counting.frequencies import add, frequency, mean_of_counts
from carromsim.studies.counting.laws import count_laws
from carromsim.studies.counting.sensitivity import Split, middle
from carromsim.studies.counting.tally import Tally
from carromsim.studies.declaring.parameters import Grid, Parameter
from carromsim.tables.batches import rows_where, values_of
from carromsim.tables.schemas import POCKET_NAMES
from carromsim_kernels.state import N_DISCS, FloatArray, IntArray, Status

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.breaks.declaration import BreakDeclaration

TRUSTED_GAP = 0.0005
"""Gap of the pack from which on hits of two discs one after the other agree with contact-force integration [m]."""

QUESTIONS = {
    "any": "at least one man or the queen",
    "white": "at least one white",
    "black": "at least one black",
    "queen": "the queen",
    "striker": "the striker",
}
"""What may fall, by key, in words."""

WHITE_POCKETS = {
    "white_pockets_1": "whites in at least one pocket",
    "white_pockets_2": "whites in at least two different pockets",
    "white_pockets_3": "whites in at least three different pockets",
}
"""How far the whites go apart in one stroke, by key, in words: at least so many different pockets take one."""

PLACES = ("centre", "inner ring", "edges", "corners")
"""Where a man lay in the opening pack, from the inside to the outside; edges and corners make the outer ring."""

FREE = 4.0
"""A man is free if no other lies nearer than this many radii (of the largest man), centre to centre: one more would fit
between."""

_LEAST_TURN = 1e-9
"""Of a pack [rad]; less is the rounding of a third of a full turn."""

STEPS = {"duration": 10**6, "n_events": 1, "n_disc_hits": 1, "n_cushion_hits": 1, "spread": 10**6}
"""What is tallied, and to which part of its unit."""


@cache
def groups() -> Mapping[str, IntArray]:
    """Give the discs that are counted together: all men and the queen, by colour, by place in the pack."""
    pos = opening("icf").pos
    apart = np.hypot(pos[:, 0], pos[:, 1])
    rings = np.unique(np.round(apart[QUEEN:], 6))  # the pack has four distances from its centre
    place = dict(zip(PLACES, (np.flatnonzero(np.abs(apart - ring) < 1e-5) for ring in rings), strict=True))
    discs = np.arange(N_DISCS)
    colour = {"white": discs[WHITE], "black": discs[BLACK], "queen": discs[[QUEEN]], "striker": discs[[STRIKER]]}
    return {"any": discs[QUEEN:], **colour, **place}


@dataclass(frozen=True, kw_only=True, eq=False)
class BreakCounts:
    """Counts over rows of the table `strokes`. All but `status` are of the rows whose status is ok.

    Parameters
    ----------
    status : (n_statuses,) int64
        Rows by status code.
    fallen : dict of str to (20,) int64
        By the keys of `groups`: rows by how many of the group fell.
    pockets : (20, 4) int64
        Rows in which a disc fell into a pocket.
    distinct : (5,) int64
        Rows by how many different pockets took a man or the queen.
    distinct_white : (5,) int64
        Rows by how many different pockets took a white.
    free : (20,) int64
        Rows by how many men (queen included) were free at the end, see `FREE`.
    tallies : dict of str to Tally
        `duration`, `n_events`, `n_disc_hits` and `n_cushion_hits` as in the table; `spread`: mean distance of the
        men and the queen that are still on the surface from their common centre [m].
    sensitivity : dict of str to (k, 20) int64
        By the keys of `splits`: rows by bin of what was varied, and by how many men and queen fell.
    tight : int
        Rows whose pack was tighter than `TRUSTED_GAP`.
    jumped : int
        Rows in which a disc left the board over the frame.
    ruled : dict of str to int
        By the keys of `RULED`: rows of which the ruling says so.
    dues : (128,) int64
        Rows by dues incurred.
    laws : dict of str to int
        Rows by each law that decided their ruling; several may decide one.
    """

    noun: ClassVar[str] = "strokes"

    status: IntArray
    fallen: dict[str, IntArray]
    pockets: IntArray
    distinct: IntArray
    distinct_white: IntArray
    free: IntArray
    tallies: dict[str, Tally]
    sensitivity: dict[str, IntArray]
    tight: int
    jumped: int
    ruled: dict[str, int]
    dues: IntArray
    laws: dict[str, int]

    @classmethod
    def none(cls) -> Self:
        """Give the counts of no rows."""
        return cls(
            status=np.zeros(len(Status), np.int64),
            fallen={key: np.zeros(N_DISCS, np.int64) for key in groups()},
            pockets=np.zeros((N_DISCS, len(POCKET_NAMES)), np.int64),
            distinct=np.zeros(len(POCKET_NAMES) + 1, np.int64),
            distinct_white=np.zeros(len(POCKET_NAMES) + 1, np.int64),
            free=np.zeros(N_DISCS, np.int64),
            tallies={name: Tally.of(np.empty(0), steps) for name, steps in STEPS.items()},
            sensitivity={},
            tight=0,
            jumped=0,
            ruled=dict.fromkeys(RULED, 0),
            dues=np.zeros(MOST_DUES + 1, np.int64),
            laws={},
        )

    @classmethod
    def of(cls, batch: "pa.RecordBatch", study: "BreakDeclaration") -> Self:
        """Count rows of the table `strokes`.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            Any rows, in any order.
        study : BreakDeclaration
            Whose rows they are: fixes how what was varied is cut into bins.
        """
        status = values_of(batch, "status")
        rows = rows_where(batch, np.equal(status, Status.OK))
        pocket = values_of(rows, "pocket", -1)
        fell = pocket >= 0
        number = fell[:, QUEEN:].sum(axis=1)
        pos = positions(rows)
        into = pocket[:, :, np.newaxis] == np.arange(len(POCKET_NAMES))
        measured = {name: values_of(rows, name) for name in STEPS if name != "spread"}
        measured["spread"] = spread(pos)
        ruled, dues = seen_in_rulings(rows), values_of(rows, "dues_incurred")
        return cls(
            status=np.bincount(status, minlength=len(Status)),
            fallen={key: np.bincount(fell[:, discs].sum(axis=1), minlength=N_DISCS) for key, discs in groups().items()},
            pockets=into.sum(axis=0),
            distinct=np.bincount(into[:, QUEEN:].any(axis=1).sum(axis=1), minlength=len(POCKET_NAMES) + 1),
            distinct_white=np.bincount(white_pockets(pocket), minlength=len(POCKET_NAMES) + 1),
            free=np.bincount(n_free(pos, FREE * study.equipment.largest_man_radius), minlength=N_DISCS),
            tallies={name: Tally.of(values, STEPS[name]) for name, values in measured.items()},
            sensitivity={split.key: _cross(split, rows, number) for split in splits(study)},
            tight=int(np.count_nonzero(values_of(rows, "gap") < TRUSTED_GAP)),
            jumped=int(np.count_nonzero(values_of(rows, "n_overboard", 0))),
            ruled={key: int(np.count_nonzero(ruled[key])) for key in RULED},
            dues=np.bincount(dues, minlength=MOST_DUES + 1),
            laws=count_laws(rows),
        )

    def __add__(self, other: Self) -> Self:
        return type(self)(
            **{field.name: add(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)}
        )

    @property
    def strokes(self) -> int:
        """All rows."""
        return int(self.status.sum())

    @property
    def rows(self) -> int:
        """All rows, as every study's counts name them."""
        return self.strokes

    @property
    def headline(self) -> tuple[str, int, int]:
        """How many strokes have pocketed a man or the queen, of those with status ok."""
        return "pocketing", self.fell["any"], self.ok

    @property
    def ok(self) -> int:
        """Rows with status ok: the trials of every frequency."""
        return int(self.status[Status.OK])

    @property
    def n_pocketed(self) -> IntArray:
        """Rows by number of men and queen pocketed, (20,) int64."""
        return self.fallen["any"]

    @property
    def fell(self) -> dict[str, int]:
        """Rows in which it fell, by the keys of `QUESTIONS` and of `WHITE_POCKETS`."""
        fell = {key: int(self.fallen[key][1:].sum()) for key in QUESTIONS}
        apart = {key: int(self.distinct_white[least:].sum()) for least, key in enumerate(WHITE_POCKETS, 1)}
        return fell | apart


def positions(rows: "pa.RecordBatch") -> FloatArray:
    """Give where the men and the queen lie at the end, (n, 19, 2) [m]; NaN for one that is not on the surface."""
    return np.stack([values_of(rows, name, np.nan) for name in ("pos_x", "pos_y")], axis=-1)[:, QUEEN:]


def white_pockets(pocket: NDArray[Any]) -> IntArray:
    """Count the different pockets that took a white.

    Parameters
    ----------
    pocket : (n, 20) int
        The pocket of each disc, -1 for one that did not fall.

    Returns
    -------
    (n,) int64
        0 to 4.
    """
    whites = pocket[:, WHITE]
    return np.asarray(sum(np.any(whites == each, axis=1).astype(np.int64) for each in range(len(POCKET_NAMES))))


def _cross(split: Split, rows: "pa.RecordBatch", number: IntArray) -> IntArray:
    """Count rows by bin of a split and by how many fell, (k, 20)."""
    cell = split.place(rows) * N_DISCS + number
    return np.bincount(cell, minlength=split.bins * N_DISCS).reshape(split.bins, N_DISCS)


def spread(pos: FloatArray) -> FloatArray:
    """Measure how far a pack has opened: mean distance of its men from their common centre.

    Parameters
    ----------
    pos : (n, m, 2) float64 [m]
        NaN for a man that is not on the surface.

    Returns
    -------
    (k,) float64 [m]
        One per row that has a man on the surface.
    """
    there = ~np.isnan(pos[..., 0])
    count = there.sum(axis=1)
    kept = np.where(there[..., np.newaxis], pos, 0.0)[count > 0]
    count, there = count[count > 0], there[count > 0]
    apart = kept - (kept.sum(axis=1) / count[:, np.newaxis])[:, np.newaxis]
    distance = np.sqrt(apart[..., 0] ** 2 + apart[..., 1] ** 2)
    return np.asarray(np.where(there, distance, 0.0).sum(axis=1) / count)


def n_free(pos: FloatArray, room: float) -> IntArray:
    """Count the men that have no other within a distance.

    Parameters
    ----------
    pos : (n, m, 2) float64 [m]
        m odd; NaN for a man that is not on the surface.
    room : float
        [m]

    Returns
    -------
    (n,) int64
    """
    crowded = np.isnan(pos[..., 0])
    for shift in range(1, pos.shape[1] // 2 + 1):  # of an odd number of men each pair meets exactly once
        apart = pos - np.roll(pos, -shift, axis=1)
        near = apart[..., 0] ** 2 + apart[..., 1] ** 2 <= room**2
        crowded |= near | np.roll(near, shift, axis=1)
    return np.asarray((~crowded).sum(axis=1))


@dataclass(frozen=True, kw_only=True)
class BreakSummary:
    """Frequencies of a break study with the intervals in which the truth may lie.

    Parameters
    ----------
    study : BreakDeclaration
        What was asked.
    counts : BreakCounts
        Of all rows.
    seconds : float or None
        Wall time, writing included. None: read from a run, which does not know.
    stopped : mapping or None
        Why it ended, as `carromsim.studies.counting.stopping.Stopping.told` says it; None of a study without `until`.
    """

    study: "BreakDeclaration"
    counts: BreakCounts
    seconds: float | None = None
    stopped: Mapping[str, Any] | None = None

    @property
    def strokes_per_second(self) -> float | None:
        """Rows per second of wall time, if known."""
        return self.counts.strokes / self.seconds if self.seconds else None

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        found, counts = [], self.counts
        if counts.tight and self.study.equipment.contact == "sequential":
            found.append(
                f"{counts.tight:,} of {counts.ok:,} packs had a gap below {TRUSTED_GAP * 1e3:g} mm: packs so tight"
                ' squeeze several discs at once, which sequential hits get wrong; contact = "compliant" gets it right'
            )
        if self.study.equipment.jump_chance:
            found.append(
                f"discs left the board in {counts.jumped:,} of {counts.ok:,} strokes, by a speculative model that"
                f" rests on no measurement (jump_chance = {self.study.equipment.jump_chance:g})"
            )
        rules = self.study.ruleset
        if rules.opening.rotation == "y_to_breaker" and is_turned(self.study.rotation):
            found.append(
                f"the pack is turned, which {rules.law('opening.rotation')} does not allow: the white Y points to the"
                " breaker"
            )
        failed = counts.strokes - counts.ok
        if failed:
            found.append(f"{failed:,} of {counts.strokes:,} strokes failed and are left out of every frequency")
        return found

    def probability(self, key: str) -> tuple[float, float, float]:
        """Give the frequency of one of `QUESTIONS` or `WHITE_POCKETS` and its 95 % Wilson interval.

        NaN, 0, 1 without a valid stroke.
        """
        return frequency(self.counts.fell[key], self.counts.ok)

    def ruled(self, key: str) -> tuple[float, float, float]:
        """Give the frequency of one of `RULED` and its 95 % Wilson interval; NaN, 0, 1 without a valid stroke."""
        return frequency(self.counts.ruled[key], self.counts.ok)

    def mean_dues(self) -> tuple[float, float, float]:
        """Give the mean number of dues incurred in one stroke and its 95 % interval (central limit theorem)."""
        return mean_of_counts(self.counts.dues)

    def mean_pocketed(self, group: str = "any") -> tuple[float, float, float]:
        """Give the mean number of a group that falls in one stroke and its 95 % interval (central limit theorem).

        Parameters
        ----------
        group : str
            A key of `groups`: "any" (men and queen), a colour, or one of `PLACES`.
        """
        return mean_of_counts(self.counts.fallen[group])

    def mean_free(self) -> tuple[float, float, float]:
        """Give the mean number of free men at the end and its 95 % interval."""
        return mean_of_counts(self.counts.free)

    @property
    def spread_before(self) -> float:
        """Spread of the pack before the break [m], at the middle of the gaps if they vary."""
        return float(spread(opening(self.study.equipment, gap=middle(self.study.gap)).pos[np.newaxis, QUEEN:])[0])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        from carromsim.studies.breaks.json_view import summary_dict

        return summary_dict(self)


def is_turned(rotation: Parameter) -> bool:
    """Whether some pack is turned away from where rotation 0 lays it; a third of a full turn changes nothing."""
    if not isinstance(rotation, float | Grid):
        return True
    third = 2.0 * math.pi / 3.0
    turns = rotation.values if isinstance(rotation, Grid) else (rotation,)
    return any(abs(math.remainder(turn, third)) > _LEAST_TURN for turn in turns)

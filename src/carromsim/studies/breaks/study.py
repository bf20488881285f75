"""The break study: the first stroke of a board, played many times with the scatter of a human hand."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.layouts import Layout, opening
from carromsim.outcomes import Outcomes
from carromsim.simulation import simulate
from carromsim.streams import Slot, Streams
from carromsim.strokes import Strokes, clip_to_legal, snap_to_end_circle
from carromsim.studies.breaks.declaration import SLOTS, BreakDeclaration
from carromsim.studies.breaks.metrics import METRICS, observed_breaks
from carromsim.studies.breaks.rows import strokes_batch
from carromsim.studies.breaks.ruling import rule_on_breaks, told_of_break
from carromsim.studies.breaks.summary import BreakCounts, BreakSummary
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.declaring.coefficients import COEFFICIENTS
from carromsim.studies.declaring.parameters import draw
from carromsim.studies.stroke_report import stroke_dict, stroke_report
from carromsim.studies.takes import Take, checked_board, stroke_in_words
from carromsim.tables.schemas import STROKES, TableSchema
from carromsim_kernels.state import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

SLOWEST = 0.01
"""Least executed speed as a share of the intended one: no finger sends the striker backwards."""


class BreakStudy(BreakDeclaration):
    """A break, its scatter and how often to play it. Frozen; every row follows from these fields and its number.

    The default scatter is a guess at a club player, who breaks well but not like a machine. Nobody has
    measured it; each number says what it means on the board.

    Parameters
    ----------
    ruleset : RuleSet, str or path
        The laws, a shipped rule set's name (`RuleSet.names`), or a TOML file (`RuleSet.load`). They rule on every break
        and name the equipment preset. White breaks a full board.
    equipment : Equipment, str or path, optional
        Another board than the rule set's, the name of a preset, or a TOML file (`Equipment.load`).
    strokes : int
        How many, at least 1.
    until : Until or mapping, optional
        When enough strokes were played, instead of all: {metric = "any", half_width = 0.01} once the interval of a
        metric is short enough, or {metric = "white", against = "black"} once it is told from another one or from a
        number. Looked at after each chunk by an interval that holds at all looks together; level = 0.95 is that of
        the interval.
    seed : int
        0 <= seed < 2^64. The same seed gives the same scatter to every variant of a study.
    rotation : Parameter
        Turn of the pack, counter-clockwise [rad]; at 0 the stem of the white Y points to the breaker.
    gap : Parameter
        Between neighbours in the pack [m]. The default is a guess for a pack set up by hand; it matters, and nobody
        has measured it.
    jitter : float, optional
        Each disc is shifted by up to this much in x and in y, row by row [m]. At most gap / (2 sqrt 2), which
        is the default, row by row if the gap varies: no hand lays a pack to a hundredth of a millimetre, and a
        perfectly regular pack is a special case that pockets markedly more.
    x : Parameter
        Intended place of the striker: centre, along the base line from its middle [m].
    angle : Parameter
        Intended direction, counter-clockwise from +x [rad]; pi / 2 is straight ahead.
    speed : Parameter
        Intended speed [m/s], 0 to 10,000.
    spin : Parameter
        Intended spin [rad/s], counter-clockwise positive; at most 1,000,000 either way.
    mu_surface, e_disc, e_cushion, mu_disc : Parameter, optional
        Friction and restitution in place of the equipment's, which are the default. 0 < mu_surface <= 100,
        0 <= e_disc, e_cushion <= 1, 0 <= mu_disc <= 100. For mu_surface a `Surface`, or {"surface": name}, means any
        friction in its range.
    v_c_disc, v_c_cushion : Parameter, optional
        How fast restitution falls with speed: e + (1 - e) v_c / (v_c + v) [m/s], in place of the equipment's; 0: not
        at all.
    t_contact : Parameter, optional
        Duration of the elastic hit of two men [s], at 3 m/s if the force law is Hertz's, in place of the equipment's;
        1e-6 to 1e-3. It matters where discs are in touch.
    sd_x : float
        Standard deviation of the placement [m]. 1 mm: set by eye between two lines.
    sd_angle : float
        Standard deviation of the direction [rad]. 0.7 degrees: 3 mm at the centre of the board, seen from the base
        line.
    sd_speed : float
        Standard deviation of the speed, relative to the intended one. 5 %.
    sd_spin : float
        Standard deviation of the spin [rad/s]. 5 rad/s: a finger that meets a 6 m/s striker 0.2 mm off its middle.
    conduct : DeclaredRates or mapping, optional
        How often people do what no physics decides, such as an improper stroke; drawn from the seed, row by row. The
        default: nobody does anything wrong, and the other side takes all that the laws offer it.

    Notes
    -----
    A `Parameter` is a number, or a `Uniform`, `Normal`, `Truncated` or `Grid`: then every row has its own value,
    which depends on the seed and its number alone and stands in a column of the table. With grids, row after row
    plays the next combination of their values, so that each is played equally often.

    A drawn placement is moved to the nearest legal one, and so is the executed one, because a player sees where
    the striker stands before he flicks it and would not leave it in a foul place; over an end circle it is
    centred there. The executed speed is at least 1 % of the intended one. Directions are unlimited. A hand of absurd
    scatter that makes a speed or a spin beyond their limits has made no stroke: status 3.
    """

    @property
    def tables(self) -> tuple[TableSchema, ...]:
        """The table `strokes`."""
        return (STROKES,)

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk: about 1 s on one core."""
        return 4096

    @property
    def piece_rows(self) -> int:
        """Rows of a piece: some 0.15 s; each batch costs 1 ms."""
        return 1024

    @property
    def rows(self) -> int:
        """Rows of the table `strokes`."""
        return self.strokes

    def drawn(self, rows: range) -> dict[str, FloatArray]:
        """Give what each of some rows drew for every parameter, (n,) float64 by field.

        Parameters
        ----------
        rows : range
            Row numbers; a row's values do not depend on which others are asked for.
        """
        values = draw(self.parameters, SLOTS, Streams(self.seed), np.arange(rows.start, rows.stop, dtype=np.int64))
        if not isinstance(self.x, float):
            values["x"] = clip_to_legal(values["x"], self.equipment)
        return values

    def executed(self, rows: range) -> Strokes:
        """Give the strokes of some rows as the hand executed them.

        Parameters
        ----------
        rows : range
            Row numbers; a row's stroke does not depend on which others are asked for.

        Returns
        -------
        Strokes
            One per row.
        """
        return self._executed(rows, self.drawn(rows))

    def layout(self, rows: range) -> Layout:
        """Give the packs of some rows.

        Parameters
        ----------
        rows : range
            Row numbers; a row's pack does not depend on which others are asked for.

        Returns
        -------
        Layout
            One per row.
        """
        return self._layout(rows, self.drawn(rows))

    def batch(self, rows: range) -> "dict[str, pa.RecordBatch]":
        """Play some rows of the study in this thread.

        Parameters
        ----------
        rows : range
            Row numbers.

        Returns
        -------
        dict of str to pyarrow.RecordBatch
            Rows of each table, by its name.
        """
        drawn = self.drawn(rows)
        strokes = self._executed(rows, drawn)
        out = self._simulate(rows, drawn, strokes)
        rulings = rule_on_breaks(rows, strokes, out, self)
        return {STROKES.name: strokes_batch(rows, drawn, strokes, out, rulings)}

    def replay(self, row: int) -> Outcomes:
        """Play one row again and keep its events; its outcome is that of the table, bit for bit.

        Parameters
        ----------
        row : int
            0 <= row < strokes.
        """
        number = self.checked_row(row)
        rows = range(number, number + 1)
        drawn = self.drawn(rows)
        return self._simulate(rows, drawn, self._executed(rows, drawn), record=True)

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the break of one row, ready to be shown; see `DeclaredStudy.takes`."""
        number = self.checked_row(row)
        checked_board(board, 1)
        rows = range(number, number + 1)
        drawn = self.drawn(rows)
        strokes = self._executed(rows, drawn)
        rulings = rule_on_breaks(rows, strokes, self._simulate(rows, drawn, strokes), self)
        take = Take(
            layout=Layout(self._layout(rows, drawn).pos[0]),
            strokes=strokes,
            equipment=self.equipment,
            coefficients={name: float(drawn[name][0]) for name in COEFFICIENTS},
            seed=self.seed,
            row=number,
            stroke=0,
            title="Break",
            meant=stroke_in_words(*(float(drawn[name][0]) for name in ("x", "angle", "speed", "spin"))),
        )
        return [replace(take, **told_of_break(rulings)) if len(rulings) else take]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by key."""
        return METRICS

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of rows of the table `strokes`; see `DeclaredStudy.observed`."""
        return observed_breaks(batch, self)

    def empty_counts(self) -> BreakCounts:
        """Give the counts of no rows."""
        return BreakCounts.none()

    def counts_of(self, batch: "pa.RecordBatch") -> BreakCounts:
        """Count some rows of the table `strokes`."""
        return BreakCounts.of(batch, self)

    def summary_of(
        self, counts: BreakCounts, seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> BreakSummary:
        """Give the summary of counts that were added up."""
        return BreakSummary(study=self, counts=counts, seconds=seconds, stopped=stopped)

    def report(self, summary: BreakSummary) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""
        from carromsim.studies.breaks.report import break_report

        return break_report(self, summary)

    def replay_dict(self, played: Outcomes) -> dict[str, Any]:
        """Give a replayed stroke as plain names and numbers, ready for JSON."""
        return stroke_dict(played)

    def replay_report(self, played: Outcomes) -> "RenderableType":
        """Lay out a replayed stroke for a terminal."""
        return stroke_report(played)

    def _executed(self, rows: range, drawn: Mapping[str, FloatArray]) -> Strokes:
        """Let the hand scatter around what it intended."""
        numbers: IntArray = np.arange(rows.start, rows.stop, dtype=np.int64)
        streams = Streams(self.seed)

        def scatter(slot: Slot, sd: float) -> FloatArray:
            return sd * streams.normal(numbers, 0, slot)

        x = clip_to_legal(drawn["x"] + scatter(Slot.PLACEMENT, self.sd_x), self.equipment)
        return Strokes(
            x=snap_to_end_circle(x, self.equipment),
            angle=drawn["angle"] + scatter(Slot.ANGLE, self.sd_angle),
            speed=drawn["speed"] * np.maximum(1.0 + scatter(Slot.SPEED, self.sd_speed), SLOWEST),
            spin=drawn["spin"] + scatter(Slot.SPIN, self.sd_spin),
        )

    def _layout(self, rows: range, drawn: Mapping[str, FloatArray]) -> Layout:
        """Lay the pack of each row. Of a pack that is turned alike in all rows the directions are worked out once."""
        rotation = self.rotation if isinstance(self.rotation, float) else drawn["rotation"]
        gap = self.gap if isinstance(self.gap, float) else drawn["gap"]
        jitter = gap / (2.0 * math.sqrt(2.0)) if self.jitter is None else self.jitter
        return opening(
            self.equipment,
            rotation=rotation,
            gap=gap,
            jitter=jitter,
            seed=self.seed,
            n=len(rows),
            first_row=rows.start,
        )

    def _simulate(
        self, rows: range, drawn: Mapping[str, FloatArray], strokes: Strokes, *, record: bool = False
    ) -> Outcomes:
        return simulate(
            self._layout(rows, drawn),
            strokes,
            equipment=self.equipment,
            coefficients={name: drawn[name] for name in COEFFICIENTS},
            seed=self.seed,
            first_row=rows.start,
            record=record,
            threads=1,
        )

"""The variant study: rule sets that are played by the same players with the same luck, and compared."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from carromsim.play.engine import play
from carromsim.play.records import Played
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.playing.declaration import PlayDeclaration
from carromsim.studies.takes import Take
from carromsim.studies.variants.counts import VariantCounts, counted, unit_metrics, unit_observed
from carromsim.studies.variants.declaration import Scenario, Variant, VariantDeclaration
from carromsim.studies.variants.rows import Cell
from carromsim.studies.variants.summary import VariantSummary
from carromsim.tables.schemas import TableSchema
from carromsim.tables.schemas_variants import COMPARED

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

SIDE_BY_SIDE = {"board": (256, 32), "match": (32, 4)}
"""Numbers of a chunk, which every variant plays: of policies that choose at a glance, and if any looks ahead.

With seven variants some twenty seconds on one core.
"""


class VariantStudy(VariantDeclaration):
    """Rule sets, who plays under them, and with what they are compared. Frozen; every row follows from these fields.

    Number k has the same luck for every variant: the same pack, the same errors of the hand, stroke by stroke. So what
    differs is due to the rules, unless a variant declares more.

    Parameters
    ----------
    variants : list of Variant, mapping, RuleSet, str or path
        What is compared, 2 to 50: a rule set, or {ruleset = "icf", name = "queen5", changes = {queen.value = 5}} with a
        name and the fields that differ. A variant may have its own policy, skill, equipment, gap, rotation and conduct.
    baseline : str, optional
        Name of the variant with which the others are compared; default: the first.
    equipment : Equipment, str or path, optional
        The board of all variants, whatever their rule sets name, so that rules are compared and not boards. Default:
        that of the baseline's rule set.
    policy : str or two of them
        How strokes are chosen, by both sides or by each: "random", "greedy", "lookahead", or "lookahead:N" with the
        number of strokes that it imagines per choice.
    skill : Skill, str, mapping, or two of them
        How well they are executed: novice, club, expert, champion, perfect, or standard deviations of your own, such as
        {sd_x = 0.001, sd_angle_deg = 0.5, sd_speed = 0.05, sd_spin = 5.0}.
    until : None
        Not offered: all rows are played, for a comparison that stops when it looks decided looks too large.
    seed : int
        0 <= seed < 2^64.
    doubles : bool
        Whether four play, partners facing each other.
    stroke_limit : int
        Strokes after which a board is given up, 1 to 4096.
    rotation : float
        Turn of the opening pack, counter-clockwise [rad]; at 0 the stem of the white Y points to the breaker.
    gap : float
        Between neighbours in the pack [m]. The default is a guess for a pack set up by hand.
    jitter : float, optional
        Each disc of the pack is shifted by up to this much in x and in y [m]; default: as far as the gap allows.
    conduct : DeclaredRates or mapping, optional
        How often people do what no physics decides, such as an improper stroke.
    boards : int, optional
        How many boards each variant plays; default: 2000 unless matches are played.
    matches : int, optional
        How many matches each variant plays, instead of boards.
    sensitivity : Sensitivity or mapping, optional
        What might change the conclusions: {rows = 500, skill = ["novice"], policy = ["random"], mu_surface = [0.13]};
        each value is a scenario in which every variant plays so many rows more.
    """

    kind: ClassVar[str] = "variants"
    noun: ClassVar[str] = "rows"

    @property
    def tables(self) -> tuple[TableSchema, ...]:
        """What it writes: those of a study of players, with the variant of each row."""
        return tuple(COMPARED[table] for table in self.cell(self.scenarios[0], self.base).results)

    @property
    def rows(self) -> int:
        """Rows of all variants in all scenarios."""
        return self.blocks.rows

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk: whole pairs."""
        pairs = [self.policy, *(each.policy for each in self.variants if each.policy)]
        pairs += self.sensitivity.policy if self.sensitivity else ()
        ahead = any(name.startswith("lookahead") for pair in pairs for name in pair)
        return len(self.variants) * SIDE_BY_SIDE[self.unit][ahead]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by variant and key, as in "icf:won_breaker"."""
        return {
            f"{variant.name}:{key}": metric._replace(words=f"{variant.name}: {metric.words}", rows=variant.name)
            for variant in self.variants
            for key, metric in unit_metrics(self.unit).items()
        }

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of rows of the first table; NaN in those of other variants and of scenarios."""
        found = unit_observed(self.unit, batch)
        block, variant, _ = self.blocks.place(np.asarray(batch.column("row")))
        return {
            f"{each.name}:{key}": np.where((block == 0) & (variant == place), values, np.nan)
            for place, each in enumerate(self.variants)
            for key, values in found.items()
        }

    def batch(self, rows: range) -> "dict[str, pa.RecordBatch]":
        """Play some rows of the study in this thread; see `DeclaredStudy.batch`."""
        return self._rows_of([(cell, play(self._cell(cell).setup(), cell.numbers)) for cell in self.blocks.cells(rows)])

    def replay(self, row: int) -> tuple[Cell, Played]:
        """Play one row again and keep its strokes; all is as in the tables, bit for bit.

        Parameters
        ----------
        row : int
            0 <= row < rows.

        Returns
        -------
        Cell
            Which number of which variant in which scenario it is.
        Played
            Its boards and strokes.
        """
        number = self.checked_row(row)
        (cell,) = self.blocks.cells(range(number, number + 1))
        return cell, self._cell(cell).replay(cell.numbers[0])

    def replay_dict(self, played: tuple[Cell, Played]) -> dict[str, Any]:
        """Give a replayed row as plain names and numbers, ready for JSON: its rows in every table, and its strokes."""
        cell, what = played
        tables = {name: rows.to_pylist() for name, rows in self._rows_of([played]).items()}
        return {**tables, "strokes": self._cell(cell).replay_dict(what)["strokes"]}

    def replay_report(self, played: tuple[Cell, Played]) -> "RenderableType":
        """Lay out the strokes of a replayed row for a terminal."""
        from carromsim.studies.playing.report import replay_report

        return replay_report(self.replay_dict(played)["strokes"])

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the strokes of one row, ready to be shown; see `DeclaredStudy.takes`."""
        number = self.checked_row(row)
        (cell,) = self.blocks.cells(range(number, number + 1))
        variant = self._named(cell)[1].name
        takes = self._cell(cell).takes(cell.numbers[0], board)
        return [replace(take, title=f"{variant}: {take.title}") for take in takes]

    def warm_up(self) -> None:
        """Compile or load the kernels by playing one board, which is not the study's time."""
        self.cell(self.scenarios[0], self.base).warm_up()

    def empty_counts(self) -> VariantCounts:
        """Give the counts of no rows."""
        return VariantCounts(baseline=self.baseline)

    def counts_of(self, batch: "pa.RecordBatch") -> VariantCounts:
        """Count some rows of the first table."""
        scenarios, variants = (tuple(each.name for each in some) for some in (self.scenarios, self.variants))
        return counted(batch, self.unit, self.blocks, scenarios, variants, self.baseline)

    def summary_of(
        self, counts: VariantCounts, seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> VariantSummary:
        """Give the summary of counts that were added up."""
        return VariantSummary(study=self, counts=counts, seconds=seconds)

    def report(self, summary: VariantSummary) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""
        from carromsim.studies.variants.report import variant_report

        return variant_report(self, summary)

    def _named(self, cell: Cell) -> tuple[Scenario, Variant]:
        return self.scenarios[cell.block], self.variants[cell.variant]

    def _cell(self, cell: Cell) -> PlayDeclaration:
        return self.cell(*self._named(cell))

    def _rows_of(self, played: "list[tuple[Cell, Played]]") -> "dict[str, pa.RecordBatch]":
        """Give the rows of some cells in the order of the study, by the names of the tables."""
        found: dict[str, list[pa.RecordBatch]] = {}
        for cell, what in played:
            study = self._cell(cell)
            for table, batch in zip(study.results, study.rows_of(what, study.results).values(), strict=True):
                found.setdefault(table.name, []).append(self._keyed(cell, COMPARED[table], batch))
        return {name: _in_order(batches) for name, batches in found.items()}

    def _keyed(self, cell: Cell, table: TableSchema, batch: "pa.RecordBatch") -> "pa.RecordBatch":
        """Say of rows of a table of players which row of the study, scenario, variant and number they are."""
        import pyarrow as pa

        number = np.asarray(batch.column("row"))
        scenario, variant = (pa.repeat(pa.scalar(each.name, pa.string()), len(number)) for each in self._named(cell))
        row = pa.array(self.blocks.rows_of(cell.block, cell.variant, number))
        rest = [batch.column(name) for name in batch.schema.names if name != "row"]
        return pa.RecordBatch.from_arrays([row, scenario, variant, batch.column("row"), *rest], schema=table.arrow())


def _in_order(batches: "list[pa.RecordBatch]") -> "pa.RecordBatch":
    """Put the rows of cells in the order of their numbers; what belongs to one row stays in its order."""
    import pyarrow as pa

    whole = pa.Table.from_batches(batches)
    order = np.argsort(whole.column("row").to_numpy(), kind="stable")
    (batch,) = whole.take(order).combine_chunks().to_batches()
    return batch

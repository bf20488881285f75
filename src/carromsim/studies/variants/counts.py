"""What is counted of variants, scenario by scenario: integers only, which add up exactly in any order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from carromsim.studies.counting.frequencies import add
from carromsim.studies.counting.laws import count_laws
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.counting.pairs import Pairs
from carromsim.studies.playing.board_summary import BoardCounts
from carromsim.studies.playing.counts import PlayCounts
from carromsim.studies.playing.match_summary import MatchCounts
from carromsim.studies.variants.rows import Blocks
from carromsim_kernels.state import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

COUNTS: Mapping[str, type[PlayCounts]] = {"board": BoardCounts, "match": MatchCounts}
"""What is counted of a row of players, by what a row is."""

CellName = tuple[str, str]
"""Names of a scenario and of a variant."""

ADVANTAGE = "advantage"
_SIDES = {"board": ("won_breaker", "won_other"), "match": ("won_opener", "won_other")}
_WORDS = {
    "board": "breaker's advantage: boards won by him less boards won by the other side, per board",
    "match": "opener's advantage: matches won by him less matches won by the other side, per match",
}


def unit_metrics(unit: str) -> dict[str, Metric]:
    """Describe what is compared of boards or matches: all that is counted, and the advantage of who begins."""
    return {**COUNTS[unit].metrics(), ADVANTAGE: Metric(_WORDS[unit], 1)}


def unit_observed(unit: str, batch: "pa.RecordBatch") -> Observed:
    """Give the metrics of boards or matches, by the keys of `unit_metrics`; NaN in a row that is no trial."""
    found = COUNTS[unit].observed(batch)
    first, other = (found[key] for key in _SIDES[unit])
    return {**found, ADVANTAGE: first - other}


@dataclass(frozen=True, kw_only=True)
class VariantCounts:
    """Counts over rows of the first table.

    Parameters
    ----------
    baseline : str
        The variant with which the others are compared.
    played : dict of (str, str) to PlayCounts
        By scenario and variant: what was played.
    laws, fields : dict of (str, str) to dict of str to int
        Likewise: rows that each law, and each field of the rule set, decided, whatever others did.
    pairs : dict of (str, str) to dict of str to Pairs
        Likewise, of all but the baseline: each metric in the variant and in the baseline, row by row.
    """

    noun: ClassVar[str] = "rows"

    baseline: str
    played: dict[CellName, PlayCounts] = field(default_factory=dict)
    laws: dict[CellName, dict[str, int]] = field(default_factory=dict)
    fields: dict[CellName, dict[str, int]] = field(default_factory=dict)
    pairs: dict[CellName, dict[str, Pairs]] = field(default_factory=dict)

    def __add__(self, other: "VariantCounts") -> "VariantCounts":
        return VariantCounts(
            baseline=self.baseline,
            played=add(self.played, other.played),
            laws=_add_each(self.laws, other.laws),
            fields=_add_each(self.fields, other.fields),
            pairs=_add_each(self.pairs, other.pairs),
        )

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(counts.rows for counts in self.played.values())

    @property
    def headline(self) -> tuple[str, int, int]:
        """How often side 0 won under the baseline."""
        counts = self.played.get(("", self.baseline))
        word, seen, trials = counts.headline if counts else ("", 0, 0)
        return f"{self.baseline}: {word}", seen, trials


def _add_each(one: dict[CellName, Any], other: dict[CellName, Any]) -> dict[CellName, Any]:
    return {cell: add(one.get(cell, {}), other.get(cell, {})) for cell in one | other}


def counted(
    batch: "pa.RecordBatch",
    unit: str,
    blocks: Blocks,
    scenarios: tuple[str, ...],
    variants: tuple[str, ...],
    baseline: str,
) -> VariantCounts:
    """Count rows of the first table, any rows, in any order; pairs are made of those that are there.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
    unit : str
        "board" or "match".
    blocks : Blocks
        Which row is what.
    scenarios, variants : tuple of str
        Their names, in the order of the rows.
    baseline : str
        One of the variants.
    """
    metrics, observed = unit_metrics(unit), unit_observed(unit, batch)
    block, variant, number = blocks.place(np.asarray(batch.column("row")))
    found = VariantCounts(baseline=baseline)
    for place, scenario in enumerate(scenarios):
        rows = {name: np.flatnonzero((block == place) & (variant == v)) for v, name in enumerate(variants)}
        for name, mine in rows.items():
            if not len(mine):
                continue
            part, cell = batch.take(mine), (scenario, name)
            found.played[cell] = COUNTS[unit].of(part)
            found.laws[cell], found.fields[cell] = count_laws(part), count_laws(part, "fields")
            if name != baseline:
                one, other = _matched(mine, rows[baseline], number)
                found.pairs[cell] = {
                    key: Pairs.of(metric, observed[key][one], observed[key][other]) for key, metric in metrics.items()
                }
    return found


def _matched(mine: IntArray, base: IntArray, number: IntArray) -> tuple[IntArray, IntArray]:
    """Give the rows of two variants that have the same numbers, in one order."""
    _, one, other = np.intersect1d(number[mine], number[base], assume_unique=True, return_indices=True)
    return mine[one], base[other]

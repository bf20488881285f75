"""Which laws decided: their names in a table, and how many rows each of them decided."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.rules.adjudication import deciding_fields
from carromsim.rules.ruleset import RuleSet

if TYPE_CHECKING:
    import pyarrow as pa

LAW_SEPARATOR = "; "


def law_names(laws: NDArray[Any], rules: RuleSet) -> NDArray[np.object_]:
    """Name the laws that the bits of each row stand for, each name worked out once."""
    codes, rows = np.unique(laws, return_inverse=True)
    named = [dict.fromkeys(map(rules.law, deciding_fields(int(code)))) for code in codes]
    return np.array([LAW_SEPARATOR.join(laws) for laws in named], dtype=object)[rows]


def count_laws(rows: "pa.RecordBatch") -> dict[str, int]:
    """Count the rows of a table, by its column `laws`, that each law decided, whatever other laws did.

    A row without a law counts for none: one without an outcome, or a board that ended before its first stroke.
    """
    counted: dict[str, int] = {}
    for found in rows.column("laws").value_counts().to_pylist():
        for law in dict.fromkeys(filter(None, (found["values"] or "").split(LAW_SEPARATOR))):
            counted[law] = counted.get(law, 0) + int(found["counts"])
    return counted


def by_frequency(laws: Mapping[str, int]) -> dict[str, int]:
    """Sort laws by how many rows they decided, the most first, and then by name."""
    return dict(sorted(laws.items(), key=lambda law: (-law[1], law[0])))

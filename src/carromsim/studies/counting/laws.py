"""Which laws and fields decided: their names in a table, and how many rows each of them decided.

A book has fewer laws than a rule set has fields, and several fields may be one law. So a table may name both.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.rules.adjudication import deciding_fields
from carromsim.rules.ruleset import LAW_SEPARATOR, RuleSet

if TYPE_CHECKING:
    import pyarrow as pa


def law_names(laws: NDArray[Any], rules: RuleSet) -> NDArray[np.object_]:
    """Name the laws that the bits of each row stand for, as in "ICF 73; ICF 48"."""
    return _named(laws, rules.law)


def field_names(laws: NDArray[Any]) -> NDArray[np.object_]:
    """Name the fields of a rule set that the bits of each row stand for, as in "turn.striker_ends; queen.value"."""
    return _named(laws, str)


def _named(laws: NDArray[Any], name: Callable[[str], str]) -> NDArray[np.object_]:
    """Work out the text of each combination of bits once."""
    codes, rows = np.unique(laws, return_inverse=True)
    named = [dict.fromkeys(map(name, deciding_fields(int(code)))) for code in codes]
    return np.array([LAW_SEPARATOR.join(names) for names in named], dtype=object)[rows]


def count_laws(rows: "pa.RecordBatch", column: str = "laws") -> dict[str, int]:
    """Count the rows of a table that each law decided, whatever other laws did; or each field, by the column `fields`.

    A row without a law counts for none: one without an outcome, or a board that ended before its first stroke.
    """
    counted: dict[str, int] = {}
    for found in rows.column(column).value_counts().to_pylist():
        for law in dict.fromkeys(filter(None, (found["values"] or "").split(LAW_SEPARATOR))):
            counted[law] = counted.get(law, 0) + int(found["counts"])
    return counted


def by_frequency(laws: Mapping[str, int]) -> dict[str, int]:
    """Sort laws by how many rows they decided, the most first, and then by name."""
    return dict(sorted(laws.items(), key=lambda law: (-law[1], law[0])))

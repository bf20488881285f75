"""How many rows each law decided."""

import numpy as np
import pyarrow as pa

from carromsim.rules.ruleset import RuleSet
from carromsim.studies.counting.laws import by_frequency, count_laws, field_names, law_names
from carromsim_kernels.laws import Rule


def test_a_law_counts_once_in_each_row_that_it_decided() -> None:
    rows = pa.RecordBatch.from_pydict(
        {"laws": ["ICF 48; ICF 73", "ICF 48", "ICF 73; ICF 73", "ICF 48; ICF 73", "", None, "ICF 9"]}
    )
    assert count_laws(rows) == {"ICF 48": 3, "ICF 73": 3, "ICF 9": 1}


def test_fields_are_counted_likewise_and_several_may_be_one_law() -> None:
    bits = np.array([1 << Rule.TURN_STRIKER_ENDS | 1 << Rule.DUES_STRIKER_WITH_OWN, 1 << Rule.QUEEN_VALUE, 0])
    icf = RuleSet.load("icf")
    columns = {"laws": law_names(bits, icf), "fields": field_names(bits)}
    assert columns["laws"].tolist() == ["ICF 73", icf.law("queen.value"), ""]
    assert columns["fields"].tolist() == ["turn.striker_ends; dues.striker_with_own", "queen.value", ""]
    rows = pa.RecordBatch.from_pydict({name: list(values) for name, values in columns.items()})
    assert count_laws(rows)["ICF 73"] == 1
    assert count_laws(rows, "fields") == {"turn.striker_ends": 1, "dues.striker_with_own": 1, "queen.value": 1}


def test_the_most_frequent_law_comes_first_and_then_the_alphabet() -> None:
    assert list(by_frequency({"b": 2, "c": 9, "a": 2})) == ["c", "a", "b"]

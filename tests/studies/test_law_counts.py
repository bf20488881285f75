"""How many rows each law decided."""

import pyarrow as pa

from carromsim.studies.counting.laws import by_frequency, count_laws


def test_a_law_counts_once_in_each_row_that_it_decided() -> None:
    rows = pa.RecordBatch.from_pydict(
        {"laws": ["ICF 48; ICF 73", "ICF 48", "ICF 73; ICF 73", "ICF 48; ICF 73", "", None, "ICF 9"]}
    )
    assert count_laws(rows) == {"ICF 48": 3, "ICF 73": 3, "ICF 9": 1}


def test_the_most_frequent_law_comes_first_and_then_the_alphabet() -> None:
    assert list(by_frequency({"b": 2, "c": 9, "a": 2})) == ["c", "a", "b"]

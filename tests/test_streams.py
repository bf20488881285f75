import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carromsim.streams import (
    IDEA_SLOTS,
    JITTER_SLOTS,
    JUMP_SLOTS,
    LOOKAHEAD_SLOTS,
    POSITION_SLOTS,
    Slot,
    Streams,
    check_seed,
)


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**63 - 1), st.integers(0, 1000), st.sampled_from(Slot))
def test_a_slot_is_a_word_of_numpys_generator(seed, row, stroke, slot):
    raw = np.random.Philox(key=seed, counter=[0, stroke, row, 0]).random_raw(slot + 1)[slot]
    assert Streams(seed).uniform([row], stroke, slot)[0] == ((int(raw) >> 12) + 0.5) / 2**52


def test_a_row_does_not_depend_on_its_company():
    streams, rows = Streams(3), np.arange(50)
    whole = streams.normal(rows, 2, Slot.ANGLE)
    shuffled = np.random.default_rng(1).permutation(50)
    np.testing.assert_array_equal(streams.normal(shuffled, 2, Slot.ANGLE), whole[shuffled])
    np.testing.assert_array_equal(streams.normal(rows[17:23], 2, Slot.ANGLE), whole[17:23])
    assert streams.normal([17], 2, Slot.ANGLE)[0] == whole[17]


def test_a_range_of_slots_is_its_slots_side_by_side():
    streams, rows = Streams(4), [5, 1, 9]
    block = streams.uniform(rows, 0, range(1, 8))
    assert block.shape == (3, 7)
    for column, slot in enumerate(range(1, 8)):
        np.testing.assert_array_equal(block[:, column], streams.uniform(rows, 0, slot))


def test_each_row_may_be_at_its_own_stroke():
    streams = Streams(5)
    values = streams.uniform([0, 1, 2], [7, 8, 9], Slot.SPEED)
    assert values.tolist() == [streams.uniform([row], 7 + row, Slot.SPEED)[0] for row in range(3)]


def test_any_integer_type_and_layout_of_rows_gives_the_same():
    streams, rows = Streams(6), np.arange(20)
    expected = streams.uniform(rows[::2], 0, 0)
    for given_rows in (rows[::2].astype(np.int32), rows[::2].astype(np.uint64), rows[::2].tolist(), range(0, 20, 2)):
        np.testing.assert_array_equal(streams.uniform(given_rows, 0, 0), expected)
    assert streams.uniform([], 0, 0).shape == (0,)


def test_no_slot_is_used_twice():
    slots = [*Slot, *JITTER_SLOTS, *JUMP_SLOTS, *POSITION_SLOTS, *LOOKAHEAD_SLOTS, *IDEA_SLOTS]
    assert len(slots) == len(set(slots))
    assert len(JITTER_SLOTS) == len(POSITION_SLOTS) == 40


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(5), np.uint64(2**63)])
def test_good_seeds(seed):
    assert check_seed(seed) == int(seed)
    assert type(check_seed(seed)) is int


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", None, True, np.bool_(True), np.array([1, 2])])
def test_bad_seeds(seed):
    with pytest.raises(ValueError, match=r"seed = .*must be an integer from 0 to 2\*\*64 - 1"):
        check_seed(seed)
    with pytest.raises(ValueError, match="seed"):
        Streams(seed)


@pytest.mark.parametrize(
    ("rows", "stroke", "slot", "message"),
    [
        ([-1], 0, 0, "rows runs from -1 to -1"),
        ([2**63], 0, 0, "must be from 0 to"),
        ([0.5], 0, 0, "rows has dtype float64"),
        ([True], 0, 0, "rows has dtype bool"),
        ([[1]], 0, 0, r"rows has shape \(1, 1\)"),
        (3, 0, 0, r"rows has shape \(\)"),
        ([0], -1, 0, "stroke runs from -1"),
        ([0, 1, 2], [0, 1], 0, r"stroke has shape \(2,\)"),
        ([0], 0, -1, "slot = -1"),
        ([0], 0, range(4, 2), "slot = range"),
        ([0], 0, range(0, 6, 2), "slot = range"),
    ],
)
def test_bad_arguments_are_named(rows, stroke, slot, message):
    with pytest.raises(ValueError, match=message):
        Streams(0).uniform(rows, stroke, slot)

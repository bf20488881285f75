"""The same bits for any number of threads, any chunk size, any order, and with the JIT switched off."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import carromsim as cs
from determinism.digest import batch, digest, rows_of, take

ROWS = 300
FEW = 8


@pytest.fixture(scope="module")
def reference() -> cs.Outcomes:
    return cs.simulate(*batch(ROWS), record=True, threads=1)


def test_the_batch_is_worth_hashing(reference: cs.Outcomes) -> None:
    assert set(reference.status) == {0, 3}
    assert np.count_nonzero(reference.pocket >= 0) > 20
    assert len(set(rows_of(reference))) > 0.6 * ROWS  # bad rows look alike


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("chunk_rows", [1, 64, 4096])
def test_one_hash_for_all_threads_and_chunks(reference: cs.Outcomes, threads: int, chunk_rows: int) -> None:
    again = cs.simulate(*batch(ROWS), record=True, threads=threads, chunk_rows=chunk_rows)
    assert digest(again) == digest(reference)


def test_a_row_does_not_know_its_neighbours(reference: cs.Outcomes) -> None:
    given, expected = batch(ROWS), rows_of(reference)
    order = np.random.default_rng(5).permutation(ROWS)
    shuffled = rows_of(cs.simulate(*take(given, order), record=True, threads=2, chunk_rows=7))
    assert shuffled == [expected[i] for i in order]
    for i in range(0, ROWS, 29):
        alone = cs.simulate(*take(given, np.array([i])), record=True, threads=1)
        assert rows_of(alone) == [expected[i]]


def test_recording_changes_nothing(reference: cs.Outcomes) -> None:
    silent = cs.simulate(*batch(ROWS), record=False, threads=1)
    for name in ("status", "pos", "pocket", "pocket_time", "duration", "n_events", "first_hit"):
        np.testing.assert_array_equal(getattr(silent, name), getattr(reference, name))
    assert np.array_equal(reference.n_events, [len(reference.events(i)) for i in range(ROWS)])


def test_the_same_bits_without_the_jit() -> None:
    script = Path(__file__).with_name("digest.py")
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, script, str(FEW)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest(cs.simulate(*batch(FEW), record=True, threads=1))

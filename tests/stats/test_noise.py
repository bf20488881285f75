"""The noise of a study by the million: what each draw is like, and that none comes twice.

Fixed seeds: not random, so a failure means changed numbers. The limits are those of an honest generator at a
probability of 1e-4 on either side of each test.
"""

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from carromsim.streams import Streams
from carromsim_kernels import rng
from carromsim_kernels.jit import kernel

ROWS = 200_000
SLOTS = range(5)
WORD = 2**64
MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


def honest(p: float) -> bool:
    return 1e-4 <= p <= 1.0 - 1e-4


@pytest.fixture(scope="module")
def noise() -> NDArray[np.float64]:
    """A million uniforms: (rows, slots)."""
    return Streams(30).uniform(np.arange(ROWS), 0, SLOTS)


@pytest.mark.parametrize("slot", SLOTS)
def test_each_slot_is_uniform(noise: NDArray[np.float64], slot: int) -> None:
    assert honest(stats.kstest(noise[:, slot], "uniform").pvalue)
    counts = np.bincount((noise[:, slot] * 4096).astype(int), minlength=4096)
    assert honest(stats.chisquare(counts).pvalue)


@pytest.mark.parametrize("slot", SLOTS)
def test_each_bit_is_even(noise: NDArray[np.float64], slot: int) -> None:
    words = (noise[:, slot] * 2.0**52).astype(np.uint64)
    ones = np.array([np.count_nonzero(words >> np.uint64(bit) & np.uint64(1)) for bit in range(52)])
    z = (ones - ROWS / 2) / np.sqrt(ROWS / 4)
    assert honest(stats.chi2.sf(z @ z, 52))


def test_normals_are_normal() -> None:
    z = Streams(31).normal(np.arange(ROWS), 0, SLOTS)
    assert honest(stats.kstest(z.ravel(), "norm").pvalue)


@pytest.mark.parametrize("shift", [1, 2, 3, 64, 4096])
def test_rows_near_one_another_are_uncorrelated(noise: NDArray[np.float64], shift: int) -> None:
    assert honest(stats.pearsonr(noise[shift:, 1], noise[:-shift, 1]).pvalue)
    cells = np.bincount((noise[shift:, 1] * 32).astype(int) * 32 + (noise[:-shift, 1] * 32).astype(int), minlength=1024)
    assert honest(stats.chisquare(cells).pvalue)


@pytest.mark.parametrize(("seed", "stroke", "first"), [(31, 0, 0), (30, 1, 0), (30, 0, 1), (30 + 2**63, 0, 0)])
def test_seeds_strokes_and_slots_near_one_another_are_uncorrelated(
    noise: NDArray[np.float64], seed: int, stroke: int, first: int
) -> None:
    other = Streams(seed).uniform(np.arange(ROWS), stroke, range(first, first + len(SLOTS)))
    for slot in SLOTS:
        assert honest(stats.pearsonr(noise[:, slot], other[:, slot]).pvalue)


def counter_of(block: list[int], key: list[int]) -> list[int]:
    """Undo Philox4x64-10, in Python's own integers."""
    c0, c1, c2, c3 = block
    keys = [[(key[i] + turn * WEYL[i]) % WORD for i in (0, 1)] for turn in range(10)]
    for k0, k1 in reversed(keys):
        first, third = (low * pow(by, -1, WORD) % WORD for low, by in zip((c3, c1), MULTIPLIERS, strict=True))
        second = c0 ^ (third * MULTIPLIERS[1] >> 64) ^ k0
        fourth = c2 ^ (first * MULTIPLIERS[0] >> 64) ^ k1
        c0, c1, c2, c3 = first, second, third, fourth
    return [c0, c1, c2, c3]


def test_a_block_tells_its_counter_so_no_two_of_a_seed_are_equal() -> None:
    dice = random.Random(32)
    for _ in range(300):
        key, counter = [dice.randrange(WORD), 0], [dice.randrange(WORD) for _ in range(4)]
        block = rng.philox(*(np.uint64(word) for word in counter + key))
        assert counter_of([int(word) for word in block], key) == counter


@kernel
def first_words(seed: np.uint64, strokes: int, words: np.ndarray) -> None:
    """Take the first word of either half of each row's first block, at so many strokes."""
    for i in range(words.size // 2):
        stroke, row = np.uint64(i % strokes), np.uint64(i // strokes)
        block = rng.philox(np.uint64(1), stroke, row, np.uint64(0), seed, np.uint64(0))
        words[2 * i], words[2 * i + 1] = block[0], block[2]


@pytest.mark.parametrize("blocks", [10**6, pytest.param(10**8, marks=pytest.mark.slow)])
def test_no_block_of_128_bits_comes_twice(blocks: int) -> None:
    """Nor do its first 64 bits alone, of which 10^8 equal one another with probability 0.0003."""
    words = np.empty(blocks, np.uint64)
    first_words(np.uint64(33), 10, words)
    words.sort()
    assert np.count_nonzero(words[1:] == words[:-1]) == 0

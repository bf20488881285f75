import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtri

from carromsim_kernels import rng

pytestmark = pytest.mark.kernel

WORD = st.integers(0, 2**64 - 1)


def uniforms(seed, rows, strokes, slots):
    out = np.empty((len(rows), len(slots)))
    rng.uniform_batch(np.uint64(seed), np.array(rows, np.int64), np.array(strokes, np.int64), slots.start, out)
    return out


def normals(seed, rows, strokes, slots):
    out = np.empty((len(rows), len(slots)))
    rng.normal_batch(np.uint64(seed), np.array(rows, np.int64), np.array(strokes, np.int64), slots.start, out)
    return out


@settings(deadline=None)  # the first call compiles
@given(WORD, WORD)
def test_wide_product_and_sum(a, b):
    high, low = rng.multiply_wide(np.uint64(a), np.uint64(b))
    assert (int(high) << 64) + int(low) == a * b
    assert int(rng.add_modulo(np.uint64(a), np.uint64(b))) == (a + b) % 2**64


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        # The authors' own test vectors of philox4x64 with 10 rounds (Random123, kat_vectors).
        (
            [0] * 4,
            [0] * 2,
            [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B],
        ),
        (
            [2**64 - 1] * 4,
            [2**64 - 1] * 2,
            [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0],
        ),
        (
            [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89],
            [0x452821E638D01377, 0xBE5466CF34E90C6C],
            [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6],
        ),
    ],
)
def test_known_answers(counter, key, words):
    block = rng.philox(*(np.uint64(word) for word in counter + key))
    assert [int(word) for word in block] == words


@settings(deadline=None)  # the first call compiles
@given(st.tuples(WORD, WORD, WORD, WORD), st.tuples(WORD, WORD))
def test_a_block_is_numpys_for_the_counter_before(counter, key):
    block = rng.philox(*(np.uint64(word) for word in counter + key))
    number = sum(word << (64 * i) for i, word in enumerate(counter))
    # NumPy adds one, with carry, before the first block.
    numpys = np.random.Philox(key=np.array(key, np.uint64), counter=(number - 1) % 2**256)
    assert [int(word) for word in block] == numpys.random_raw(4).tolist()


@settings(deadline=None)  # the first call compiles
@given(WORD, st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1), st.integers(0, 50), st.integers(1, 12))
def test_slots_are_numpys_raw_words(seed, row, stroke, first, count):
    raw = np.random.Philox(key=seed, counter=[0, stroke, row, 0]).random_raw(first + count)[first:]
    expected = ((raw >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    assert uniforms(seed, [row], [stroke], range(first, first + count))[0].tolist() == expected.tolist()


def test_uniform_stays_inside_the_open_interval():
    assert rng.uniform(np.uint64(0)) == 2.0**-53
    assert rng.uniform(np.uint64(2**64 - 1)) == 1.0 - 2.0**-53
    assert rng.uniform(np.uint64(2**63)) == 0.5 + 2.0**-53
    assert rng.uniform(np.uint64(2**63 - 1)) == 0.5 - 2.0**-53


# Smallest and largest uniforms, both sides of each border between Wichura's three formulas, and what lies between.
QUANTILE_POINTS = [
    *(2.0**-53 * k for k in (1, 3, 5, 101)),
    *np.logspace(-15, -1, 57),
    *(np.exp(-25.0) * (1.0 + np.array([-1e-12, 1e-12]))),
    *(0.075 + np.array([-1e-15, 1e-15])),
    *np.linspace(0.01, 0.99, 99)[np.abs(np.linspace(0.01, 0.99, 99) - 0.5) > 1e-9],
    *(0.5 + np.array([-(2.0**-53), 2.0**-53, 1e-10])),
    1.0 - 2.0**-53,
]


def test_normal_quantile_against_scipy():
    ours = np.array([rng.normal_quantile(float(p)) for p in QUANTILE_POINTS])
    np.testing.assert_allclose(ours, stats.norm.ppf(QUANTILE_POINTS), rtol=1e-13)


@pytest.mark.parametrize("p", [2.0**-53, 1e-12, np.exp(-25.0), 0.001, 0.0749, 0.0751, 0.3, 0.7, 0.999, 1 - 2.0**-53])
def test_normal_quantile_inverts_the_distribution_in_high_precision(p):
    with mpmath.workdps(40):
        x = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(float(p)) - 1)
        assert abs(rng.normal_quantile(float(p)) / x - 1) < 1e-15 * 2


def test_normal_quantile_is_odd_and_zero_in_the_middle():
    assert rng.normal_quantile(0.5) == 0.0
    for k in (1, 7, 12345, 2**50 + 1):
        p = k * 2.0**-53
        assert rng.normal_quantile(p) == -rng.normal_quantile(1.0 - p)


def test_normals_are_the_quantiles_of_the_uniforms():
    u = uniforms(11, range(5), [3] * 5, range(2, 9))
    z = normals(11, range(5), [3] * 5, range(2, 9))
    np.testing.assert_allclose(z, ndtri(u), rtol=1e-13)


def test_values_depend_on_nothing_but_seed_row_stroke_and_slot():
    rows, strokes = np.arange(60), np.arange(60) % 7
    whole = uniforms(5, rows, strokes, range(0, 11))
    order = np.random.default_rng(0).permutation(60)
    np.testing.assert_array_equal(uniforms(5, rows[order], strokes[order], range(0, 11)), whole[order])
    for size in (1, 7, 32):
        parts = [uniforms(5, rows[i : i + size], strokes[i : i + size], range(0, 11)) for i in range(0, 60, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
    for slot in range(11):
        np.testing.assert_array_equal(uniforms(5, rows, strokes, range(slot, slot + 1))[:, 0], whole[:, slot])


def test_any_change_of_a_coordinate_gives_another_number():
    base = (9, 100, 2, 5)
    value = uniforms(base[0], [base[1]], [base[2]], range(base[3], base[3] + 1))[0, 0]
    for place in range(4):
        for shift in (-1, 1):
            seed, row, stroke, slot = (number + shift * (i == place) for i, number in enumerate(base))
            assert uniforms(seed, [row], [stroke], range(slot, slot + 1))[0, 0] != value


PINNED_UNIFORMS = ["0x1.060098397fbdap-2", "0x1.3d4472ba52e82p-2", "0x1.770cafd51a889p-1"]
PINNED_NORMALS = [-0.6561567295638269, -0.4963282429956333, 0.6204483266199368]


def test_bits_are_pinned():
    assert [value.hex() for value in uniforms(2**64 - 1, [3], [1], range(3, 6))[0].tolist()] == PINNED_UNIFORMS
    np.testing.assert_allclose(normals(2**64 - 1, [3], [1], range(3, 6))[0], PINNED_NORMALS, rtol=1e-15)


def test_nothing_to_fill():
    assert uniforms(0, [], [], range(0, 4)).shape == (0, 4)


# Statistics of fixed seeds: not random, so a failure means changed numbers. The limits are those of an honest generator
# at a probability of 1e-4 per test.

N_ROWS, N_SLOTS = 4000, 5


@pytest.fixture(scope="module")
def sample():
    return uniforms(20, range(N_ROWS), [0] * N_ROWS, range(0, N_SLOTS))


def test_uniform_distribution(sample):
    assert stats.kstest(sample.ravel(), "uniform").pvalue > 1e-4
    for power, mean in ((1, 1 / 2), (2, 1 / 3), (3, 1 / 4)):
        error = np.sqrt((1 / (2 * power + 1) - mean**2) / sample.size)
        assert abs((sample**power).mean() - mean) < 4 * error


def test_normal_distribution():
    z = normals(21, range(N_ROWS), [0] * N_ROWS, range(0, N_SLOTS))
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-4
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert abs(z.var() - 1) < 4 * np.sqrt(2 / z.size)
    assert abs((z**4).mean() - 3) < 4 * np.sqrt(96 / z.size)


def test_neighbouring_rows_slots_strokes_and_seeds_are_uncorrelated(sample):
    rows = list(range(N_ROWS))
    others = [
        np.roll(sample, 1, axis=0),
        np.roll(sample, 1, axis=1),
        uniforms(20, rows, [1] * N_ROWS, range(0, N_SLOTS)),
        uniforms(21, rows, [0] * N_ROWS, range(0, N_SLOTS)),
    ]
    for other in others:
        correlation = np.corrcoef(sample.ravel(), other.ravel())[0, 1]
        assert abs(correlation) < 4 / np.sqrt(sample.size)


def test_cells_of_neighbouring_rows_are_equally_full(sample):
    cells = 8
    pairs = np.floor(sample[:, :1] * cells) * cells + np.floor(np.roll(sample[:, :1], 1, axis=0) * cells)
    counts = np.bincount(pairs.astype(int).ravel(), minlength=cells**2)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_a_batch_of_quantiles_is_its_quantiles():
    points = np.array(QUANTILE_POINTS)
    out = np.empty(len(points))
    rng.normal_quantile_batch(points, out)
    assert out.tolist() == [rng.normal_quantile(p) for p in points.tolist()]

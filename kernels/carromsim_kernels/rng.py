"""Counter-based noise: a random number is a function of (seed, row, stroke, slot), not the next one of a sequence.

Philox4x64-10 with key (seed, 0) and counter (slot // 4 + 1, stroke, row, 0), low word first; slot % 4 picks one of the
four words of a block. NumPy's generator adds one to its counter before the first block, therefore

    slot s of (seed, row, stroke) == numpy.random.Philox(key=seed, counter=[0, stroke, row, 0]).random_raw(s + 1)[s]

References
----------
Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC11 (2011).
Wichura: Algorithm AS 241, the percentage points of the normal distribution. Applied Statistics 37, 477 (1988).
"""

import math

import numpy as np

from carromsim_kernels.jit import entry, kernel
from carromsim_kernels.state import FloatArray, IntArray

_WORDS_PER_BLOCK = 4
_ROUNDS = 10
_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ZERO = np.uint64(0)
_DROP = np.uint64(12)
_UNIT = 2.0**-52


# Sums and products are taken by 32-bit halves so that none ever overflows 64 bits: NumPy's scalars, which run here
# when the JIT is off, warn about an overflow. Shifts drop bits silently in both.


@kernel
def multiply_wide(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """High and low word of the 128-bit product of two 64-bit words."""
    a_low, a_high = a & _LOW, a >> _HALF
    b_low, b_high = b & _LOW, b >> _HALF
    low = a_low * b_low
    cross_1 = a_low * b_high
    cross_2 = a_high * b_low
    middle = (low >> _HALF) + (cross_1 & _LOW) + (cross_2 & _LOW)
    high = a_high * b_high + (cross_1 >> _HALF) + (cross_2 >> _HALF) + (middle >> _HALF)
    return high, (middle << _HALF) | (low & _LOW)


@kernel
def add_modulo(a: np.uint64, b: np.uint64) -> np.uint64:
    """Sum of two words modulo 2^64."""
    low = (a & _LOW) + (b & _LOW)
    high = (a >> _HALF) + (b >> _HALF) + (low >> _HALF)
    return (high << _HALF) | (low & _LOW)


@kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random words of counter (c0, c1, c2, c3) and key (k0, k1): Philox4x64-10."""
    for _ in range(_ROUNDS):
        high_0, low_0 = multiply_wide(_MULTIPLIER_0, c0)
        high_1, low_1 = multiply_wide(_MULTIPLIER_1, c2)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 = add_modulo(k0, _WEYL_0)
        k1 = add_modulo(k1, _WEYL_1)
    return c0, c1, c2, c3


@kernel
def uniform(word: np.uint64) -> float:
    """Map a random word to the open interval (0, 1).

    The top 52 bits and a half: the odd multiples of 2^-53. They are exact, symmetric about 1/2 and never 0 or 1,
    whereas 53 bits and a half would need one bit more than a float64 has and round up to 1.
    """
    return (float(word >> _DROP) + 0.5) * _UNIT


@kernel
def normal_quantile(p: float) -> float:
    """Give the x below which a standard normal variable lies with probability p, 0 < p < 1; relative error about 1e-15.

    Wichura's AS 241, routine PPND16: rational functions of (p - 1/2)^2 in the middle, of sqrt(-log(tail)) outside.
    """
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _ratio_centre(0.180625 - q * q)
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    x = _ratio_tail(r - 1.6) if r <= 5.0 else _ratio_far_tail(r - 5.0)
    return -x if q < 0.0 else x


@kernel
def _ratio_centre(r: float) -> float:
    top = 2.5090809287301226727e3
    top = top * r + 3.3430575583588128105e4
    top = top * r + 6.7265770927008700853e4
    top = top * r + 4.5921953931549871457e4
    top = top * r + 1.3731693765509461125e4
    top = top * r + 1.9715909503065514427e3
    top = top * r + 1.3314166789178437745e2
    top = top * r + 3.3871328727963666080e0
    bottom = 5.2264952788528545610e3
    bottom = bottom * r + 2.8729085735721942674e4
    bottom = bottom * r + 3.9307895800092710610e4
    bottom = bottom * r + 2.1213794301586595867e4
    bottom = bottom * r + 5.3941960214247511077e3
    bottom = bottom * r + 6.8718700749205790830e2
    bottom = bottom * r + 4.2313330701600911252e1
    return top / (bottom * r + 1.0)


@kernel
def _ratio_tail(r: float) -> float:
    top = 7.74545014278341407640e-4
    top = top * r + 2.27238449892691845833e-2
    top = top * r + 2.41780725177450611770e-1
    top = top * r + 1.27045825245236838258e0
    top = top * r + 3.64784832476320460504e0
    top = top * r + 5.76949722146069140550e0
    top = top * r + 4.63033784615654529590e0
    top = top * r + 1.42343711074968357734e0
    bottom = 1.05075007164441684324e-9
    bottom = bottom * r + 5.47593808499534494600e-4
    bottom = bottom * r + 1.51986665636164571966e-2
    bottom = bottom * r + 1.48103976427480074590e-1
    bottom = bottom * r + 6.89767334985100004550e-1
    bottom = bottom * r + 1.67638483018380384940e0
    bottom = bottom * r + 2.05319162663775882187e0
    return top / (bottom * r + 1.0)


@kernel
def _ratio_far_tail(r: float) -> float:
    top = 2.01033439929228813265e-7
    top = top * r + 2.71155556874348757815e-5
    top = top * r + 1.24266094738807843860e-3
    top = top * r + 2.65321895265761230930e-2
    top = top * r + 2.96560571828504891230e-1
    top = top * r + 1.78482653991729133580e0
    top = top * r + 5.46378491116411436990e0
    top = top * r + 6.65790464350110377720e0
    bottom = 2.04426310338993978564e-15
    bottom = bottom * r + 1.42151175831644588870e-7
    bottom = bottom * r + 1.84631831751005468180e-5
    bottom = bottom * r + 7.86869131145613259100e-4
    bottom = bottom * r + 1.48753612908506148525e-2
    bottom = bottom * r + 1.36929880922735805310e-1
    bottom = bottom * r + 5.99832206555887937690e-1
    return top / (bottom * r + 1.0)


@kernel
def _fill_row(
    seed: np.uint64, row: np.uint64, stroke: np.uint64, first_slot: int, as_normal: bool, values: FloatArray
) -> None:
    """Fill values (n_slots,) with neighbouring slots; a block is computed once for its four words."""
    block = philox(np.uint64(first_slot // _WORDS_PER_BLOCK + 1), stroke, row, _ZERO, seed, _ZERO)
    for i in range(len(values)):
        slot = first_slot + i
        place = slot % _WORDS_PER_BLOCK
        if place == 0 and i > 0:
            block = philox(np.uint64(slot // _WORDS_PER_BLOCK + 1), stroke, row, _ZERO, seed, _ZERO)
        value = uniform(block[place])
        values[i] = normal_quantile(value) if as_normal else value


@entry
def uniform_batch(seed: np.uint64, rows: IntArray, strokes: IntArray, first_slot: int, out: FloatArray) -> None:
    """Fill `out` with uniforms in (0, 1).

    Parameters
    ----------
    seed : uint64
    rows, strokes : (n,) int64, at least 0
    first_slot : int, at least 0
        Column j holds slot first_slot + j.
    out : (n, n_slots) float64, overwritten
    """
    for i in range(len(rows)):
        _fill_row(seed, np.uint64(rows[i]), np.uint64(strokes[i]), first_slot, False, out[i])


@entry
def normal_batch(seed: np.uint64, rows: IntArray, strokes: IntArray, first_slot: int, out: FloatArray) -> None:
    """Fill `out` with standard normals: the quantiles of what `uniform_batch` gives for the same arguments."""
    for i in range(len(rows)):
        _fill_row(seed, np.uint64(rows[i]), np.uint64(strokes[i]), first_slot, True, out[i])


@entry
def normal_quantile_batch(p: FloatArray, out: FloatArray) -> None:
    """Fill `out` (n,) with the standard normal's quantiles of `p` (n,), each 0 < p < 1."""
    for i in range(len(p)):
        out[i] = normal_quantile(p[i])

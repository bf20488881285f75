"""Values that nobody should give, among those that one may."""

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

__all__ = ["array", "bits", "numbers", "real", "spoilt", "things", "whole", "words"]

_FLOATS = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 1e-300, 0.0, -0.0, -1.0, 1.0, 0.5, 1e6, 1e16]
_INTS = [0, 1, -1, 3, 2**15, 2**31, -(2**31), 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**400, -(10**400)]
_OTHERS = [True, False, np.True_, np.float32(1.5), np.int8(-1), np.uint64(2**64 - 1), np.float16("nan")]
_REALS = [Decimal("1"), Decimal("NaN"), Fraction(1, 3), 1 + 1j]
_NAMES = ["", " ", "icf", "ICF", "nan", "1", "none", "club", "greedy", "lookahead:0", "lookahead:-1", "white", "bell_i"]
_PATHS = ["\0", "icf\0", "../icf", "/etc/passwd", "..", "./x.toml", "a/b.toml", "x" * 100_000, "/" * 5000 + ".toml"]
_ODD = [
    "\ud800",
    "\udcff.toml",
    "\u00e9\u202e\U0001f600",
    "</script><b onerror=x>",
    "%s{0}",
    "lookahead:99999999999999",
]

numbers: SearchStrategy[Any] = st.one_of(
    st.sampled_from([*_FLOATS, *_INTS, *_OTHERS, *_REALS]), st.floats(), st.integers(-(2**70), 2**70)
)
words: SearchStrategy[str] = st.one_of(st.sampled_from([*_NAMES, *_PATHS, *_ODD]), st.text(max_size=20))
_DTYPES = ["f8", "f8", "f8", ">f8", "f4", "f2", "i8", ">i4", "u8", "i1", "?", "c16", "U3", "O", "S2"]
_simple = st.one_of(numbers, words, st.none(), st.binary(max_size=5), st.just(date(2020, 1, 1)))
_nested = st.recursive(
    _simple, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=3), max_leaves=6
)
bits = st.booleans()
whole = st.integers(0, 40)


def real(low: float = -1.0, high: float = 1.0) -> SearchStrategy[float]:
    """Give numbers that are mostly fine."""
    return st.floats(low, high)


@st.composite
def array(draw: DrawFn, *shape: int) -> Any:
    """Give an array: of a shape near this one, of any type, laid out in any way, with anything in it."""
    size = list(shape)
    change = draw(st.sampled_from(("none", "none", "none", "more", "fewer", "drop", "add", "empty")))
    if change in ("more", "fewer", "empty") and size:
        at = draw(st.integers(0, len(size) - 1))
        size[at] = {"more": size[at] + 1, "fewer": max(size[at] - 1, 0), "empty": 0}[change]
    elif change == "drop":
        size = size[1:]
    elif change == "add":
        size = [2, *size]
    dtype = draw(st.sampled_from(_DTYPES))
    with np.errstate(all="ignore"):
        values = np.linspace(-0.3, 0.3, math.prod(size)).reshape(size).astype(dtype)
    for _ in range(draw(st.integers(0, 2))):
        if values.size and values.dtype.kind == "f":
            at = draw(st.integers(0, values.size - 1))
            values.flat[at] = draw(st.sampled_from([math.nan, math.inf, -math.inf, 1e4, -1.0, 0.0]))
    layout = draw(st.sampled_from(("plain", "fortran", "strided", "read-only", "list", "matrix", "masked")))
    return _laid_out(values, layout)


def _laid_out(values: Any, layout: str) -> Any:
    if layout == "fortran":
        return np.asfortranarray(values)
    if layout == "strided":
        return np.repeat(values, 2, axis=0)[::2] if values.ndim else values
    if layout == "list":
        return values.tolist()
    if layout == "masked":
        return np.ma.masked_invalid(values) if values.dtype.kind == "f" else values
    values.setflags(write=layout != "read-only")
    return values


things: SearchStrategy[Any] = st.one_of(_nested, array(3), array(20, 2), st.sampled_from([object(), int, len, ...]))
"""Anything at all."""


@st.composite
def spoilt(draw: DrawFn, good: Mapping[str, SearchStrategy[Any]], bad: SearchStrategy[Any] = things) -> dict[str, Any]:
    """Give arguments by name, none to two of which are not what they should be."""
    worse = draw(st.sets(st.sampled_from(sorted(good)), max_size=2))
    return {name: draw(bad if name in worse else good[name]) for name in good}

"""What the fields of a rule set may be: a word, yes or no, a number; and their codes for the kernel."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from carromsim.problems import did_you_mean
from carromsim_kernels.laws import NEVER

__all__ = ["Kind", "Number", "Word", "YesNo", "choice", "kind_of", "number", "whole", "yes_no"]

MOST_POINTS = 8_000
"""Largest score that a rule set may speak of; with a board's points added it stays below a record's 10,000."""


class Kind(Protocol):
    """What one field may be."""

    about: str
    """What the field decides."""

    @property
    def allowed(self) -> str:
        """The values in words."""

    def clean(self, value: object) -> object:
        """Give a value in the form in which it is kept."""

    def problem(self, value: object) -> str | None:
        """Say what is wrong with a clean value."""

    def code(self, value: Any) -> int:
        """Give a good value as the kernel knows it."""


@dataclass(frozen=True)
class Word:
    """One of some words; its code is its number among them."""

    about: str
    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """The words."""
        return ", ".join(f'"{word}"' for word in self.words)

    def clean(self, value: object) -> object:
        """Give the value as it is."""
        return value

    def problem(self, value: object) -> str | None:
        """Say what is wrong with a value."""
        known = isinstance(value, str) and value in self.words
        return None if known else did_you_mean(value, self.words)

    def code(self, value: str) -> int:
        """Give the number of a word."""
        return self.words.index(value)


@dataclass(frozen=True)
class YesNo:
    """True or false."""

    about: str
    allowed: str = "true, false"

    def clean(self, value: object) -> object:
        """Give NumPy's true and false as Python's, anything else as it is."""
        return bool(value) if isinstance(value, np.bool_) else value

    def problem(self, value: object) -> str | None:
        """Say what is wrong with a value."""
        return None if isinstance(value, bool) else "must be true or false"

    def code(self, value: bool) -> int:
        """Give 1 or 0."""
        return int(value)


@dataclass(frozen=True)
class Number:
    """A number from `low` to `high`; None, in files "none", if it is optional and not there."""

    about: str
    low: int
    high: int
    optional: bool = False
    is_whole: bool = True
    odd: bool = False

    @property
    def allowed(self) -> str:
        """The limits."""
        what = "an odd number" if self.odd else "a whole number" if self.is_whole else "a number"
        return f"{what} from {self.low} to {self.high}" + (' or "none"' if self.optional else "")

    def clean(self, value: object) -> object:
        """Give a number as int or float, "none" as None, anything else as it is."""
        if self.optional and isinstance(value, str) and value == "none":
            return None
        if isinstance(value, Integral) and not isinstance(value, bool):
            return int(value)
        if isinstance(value, Real) and not isinstance(value, Integral):
            return float(value)
        return value

    def problem(self, value: object) -> str | None:
        """Say what is wrong with a value."""
        if value is None and self.optional:
            return None
        numeric = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf
        return None if numeric and self._fits(value) else f"must be {self.allowed}"

    def _fits(self, value: Any) -> bool:
        in_form = (isinstance(value, int) or not self.is_whole) and (value % 2 == 1 or not self.odd)
        return in_form and self.low <= value <= self.high

    def code(self, value: int | None) -> int:
        """Give the number itself, or `laws.NEVER`."""
        return NEVER if value is None else value


def choice(about: str, words: type[IntEnum] | Sequence[str]) -> Any:
    """Declare a field that is one word; of an enumeration of the kernel: its names, whose codes run from 0."""
    names = [member.name.lower() for member in words] if isinstance(words, type) else words
    return dataclasses.field(metadata={"kind": Word(about, tuple(names))})


def yes_no(about: str) -> Any:
    """Declare a field that is true or false."""
    return dataclasses.field(metadata={"kind": YesNo(about)})


def whole(about: str, low: int, high: int, *, optional: bool = False, odd: bool = False) -> Any:
    """Declare a field that is a whole number."""
    return dataclasses.field(metadata={"kind": Number(about, low, high, optional, odd=odd)})


def number(about: str, low: int, high: int, *, optional: bool = False) -> Any:
    """Declare a field that is a number."""
    return dataclasses.field(metadata={"kind": Number(about, low, high, optional, is_whole=False)})


def kind_of(field: dataclasses.Field[Any]) -> Kind:
    """Give what a declared field may be."""
    kind: Kind = field.metadata["kind"]
    return kind

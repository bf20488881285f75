"""Words for what is wrong with a value: which field, what it is given, what is allowed."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim.lines import is_line

__all__ = ["ImpossibleError", "Problem", "as_array", "did_you_mean", "name_problem"]

LONGEST_NAME = 200
"""Characters of a name, which stands in headings, messages and files."""


def as_array(name: str, value: object) -> NDArray[Any]:
    """Give what an argument holds as an array; ValueError if it has no shape, as lists of unlike length have none.

    A masked array is refused too: NumPy would forget the mask and give what lies under it.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(f"{name} = {value!r}: is masked, must be an array in which every value counts (see `.filled`)")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} = {value!r}: is ragged, must be a number, or an array of one length") from None


def name_problem(value: object) -> str | None:
    """Say what is wrong with what somebody calls something: it must be a line of text that prints, and not long."""
    if not isinstance(value, str):
        return "must be a string"
    fits = is_line(value) and len(value) <= LONGEST_NAME
    return None if fits else f"must be a line of text that prints, of at most {LONGEST_NAME} characters"


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """End of an error message about an unknown word: the closest known one, if any, and all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(str(word), names, n=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    return f"{guess}known: {', '.join(names)}"


class Problem(NamedTuple):
    """What is wrong with a field: what it is given, and what is allowed."""

    field: str
    value: object
    allowed: str


class ImpossibleError(ValueError):
    """A record that cannot be; each kind of record has its own.

    Parameters
    ----------
    problems : sequence of Problem
    """

    what: ClassVar[str] = "record"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)  # what pickle gives back to this method

    def __str__(self) -> str:
        count = f"{len(self.problems)} problem{'s' if len(self.problems) > 1 else ''}"
        told = (f"{field} = {value!r}: {allowed}" for field, value, allowed in self.problems)
        return f"impossible {self.what}, {count}: " + "; ".join(told)

"""What is one line of text, and nothing else: for names, and for what is written to a terminal."""

import unicodedata

__all__ = ["is_line"]

_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of what follows, so that a line can look like another."""


def is_line(text: str) -> bool:
    """Tell whether a text is one line without controls; joiners and spaces of any script are text."""
    return not any(char in _TURNING or unicodedata.category(char) in _UNSEEN for char in text)

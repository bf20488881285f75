"""Variants of the rules, played with the same luck and compared."""

"""The break study."""

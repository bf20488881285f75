"""Studies: a declared question, answered by many strokes."""

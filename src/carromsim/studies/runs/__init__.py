"""The run protocol: playing a study into a directory, piece by piece, and opening, checking and merging runs."""

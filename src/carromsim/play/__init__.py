"""Boards, games and matches between players, in lock step."""

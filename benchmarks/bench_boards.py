"""Whole boards on one core, by processor time: club players, greedy and looking ahead.

A thousand greedy boards side by side; boards of players who look ahead are fewer, because each stroke of theirs
imagines many.
"""

import time

import pytest

import carromsim as cs

pytestmark = pytest.mark.benchmark(timer=time.process_time)


@pytest.mark.parametrize(
    ("ruleset", "policy", "boards"), [("icf", "greedy", 1024), ("ukca", "greedy", 1024), ("icf", "lookahead", 8)]
)
def bench_boards(times, note, ruleset: str, policy: str, boards: int) -> None:
    """From the break to the end, candidates, strokes and rulings included."""

    def play() -> int:
        played = cs.play_boards(ruleset, n=boards, policy=policy, skill="club", threads=1, seed=1, keep_strokes=False)
        return int(played.boards["strokes"].sum())

    strokes = play()
    (seconds,) = times(play, warm=False)
    note(f"{policy}, {ruleset}", "boards/s", boards / seconds)
    note(f"{policy}, {ruleset}", "strokes/s", strokes / seconds)

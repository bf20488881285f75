"""Strokes and boards per second and core: greedy players and such as think ahead, by rule set.

make bench
"""

import time

import pytest

from carromsim.play import play_boards

BOARDS = {"greedy": 2048, "lookahead": 64}


def play_in_one_thread(benchmark, ruleset: str, policy: str, boards: int, **options) -> None:
    """Play boards at club skill; what one core does in a second is reported beside the usual columns."""
    play_boards(ruleset, n=1, policy=policy, threads=1, **options)  # compiles or loads the kernels
    took: list[float] = []

    def run() -> int:
        started = time.process_time()
        strokes = play_boards(ruleset, n=boards, policy=policy, threads=1, keep_strokes=False, **options).boards[
            "strokes"
        ]
        took.append(time.process_time() - started)
        return int(strokes.sum())

    strokes = benchmark.pedantic(run, rounds=2)
    benchmark.extra_info["boards_per_second_and_core"] = round(boards / min(took), 1)
    benchmark.extra_info["strokes_per_second_and_core"] = round(strokes / min(took))


@pytest.mark.parametrize("policy", list(BOARDS))
@pytest.mark.parametrize("ruleset", ["ukca", "caint", "icf", "bell_i", "bell_ii"])
def bench_boards(benchmark, ruleset: str, policy: str) -> None:
    """Boards by the thousand."""
    play_in_one_thread(benchmark, ruleset, policy, BOARDS[policy])


@pytest.mark.parametrize("boards", [64, 256, 1024, 4096])
def bench_rows_at_a_time(benchmark, boards: int) -> None:
    """What it costs to play few boards at a time: the last ones of a batch are played in an emptying room."""
    play_in_one_thread(benchmark, "icf", "greedy", boards)


@pytest.mark.parametrize("width", [64, 512, 4096])
def bench_width(benchmark, width: int) -> None:
    """What the number of lanes does."""
    play_in_one_thread(benchmark, "icf", "greedy", 4096, width=width)

"""How everything here is timed, and the table at the end."""

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

ROUNDS = 5


class Figure(NamedTuple):
    """What is known of one figure: a value per round."""

    name: str
    unit: str
    values: list[float]


FIGURES = pytest.StashKey[dict[str, list[Figure]]]()
"""By heading: the first line of the file that measured them."""


@pytest.fixture
def times(benchmark, request: pytest.FixtureRequest) -> Callable[..., np.ndarray]:
    """Time functions in turn: what each took in each round [s], by the file's clock."""
    marker = request.node.get_closest_marker("benchmark")
    clock = marker.kwargs["timer"] if marker else time.perf_counter

    def measure(*functions: Callable[[], Any], warm: bool = True) -> np.ndarray:
        taken: list[list[float]] = []

        def one_round() -> None:
            taken.append([])
            for function in functions:
                begin = clock()
                function()
                taken[-1].append(clock() - begin)

        benchmark.pedantic(one_round, rounds=ROUNDS, warmup_rounds=int(warm))
        return np.array(taken[-ROUNDS:]).T

    return measure


@pytest.fixture
def note(benchmark, request: pytest.FixtureRequest) -> Callable[[str, str, np.ndarray], None]:
    """Keep a figure, one value per round, for the table and for the JSON file."""

    def keep(name: str, unit: str, values: np.ndarray) -> None:
        figure = Figure(name, unit, [float(f"{value:.5g}") for value in values])
        benchmark.extra_info[f"{name} [{unit}]"] = figure.values
        heading = request.module.__doc__.partition("\n")[0]
        request.config.stash.setdefault(FIGURES, {}).setdefault(heading, []).append(figure)

    return keep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print every figure: the median of its rounds, the least and the greatest, and the unit."""
    for heading, figures in config.stash.get(FIGURES, {}).items():
        terminalreporter.write_line(f"\n{heading}")
        for name, unit, values in figures:
            middle, low, high = (readable(f(values)) for f in (statistics.median, min, max))
            terminalreporter.write_line(f"  {name:36} {middle:>8}  {low:>8} .. {high:8} {unit}")


def readable(value: float) -> str:
    """Write a number with four digits, or with all digits before the point."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"

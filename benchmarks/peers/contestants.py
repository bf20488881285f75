"""Who takes part: programs that run as children, and the settings in which each of them plays."""

import json
import math
import os
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import closed_forms
import numpy as np

import carromsim as cs

HERE = Path(__file__).parent
ICF = cs.Equipment.preset("icf")
PLANE = ICF.replace(
    name="plane", side=40.0, pocket_radius=0.0, corner_size=0.0, base_line_distance=20.0, end_circle_guard=None,
    arrow_half_width=None,
)  # fmt: skip
"""Out of reach of cushions. The base line goes through its middle: some programs count in single precision."""
BALL = {"m": 0.170097, "R": 0.028575, "u_s": 0.2, "u_r": 0.01, "e_b": 0.95, "g": 9.81}
DISTANCES = [0.3 + 0.0025 * k for k in range(10)]
"""Of the man ahead [m]: impacts fall at different points of the largest step."""
CUT = math.radians(30.0)
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Program:
    """A child process that answers requests.

    Parameters
    ----------
    python : Path
        Interpreter of its environment.
    script : Path
    home : Path, optional
        The child's home directory, so that settings that somebody keeps in his do not count.
    """

    def __init__(self, python: Path, script: Path, home: Path | None = None) -> None:
        if not python.exists():
            raise FileNotFoundError(f"no Python at {python}: `make peers` makes the environments")
        environment = os.environ | ONE_CORE | ({} if home is None else {"HOME": str(home)})
        self._script = script
        self._child = subprocess.Popen(
            [python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.name: str = self._reply()["name"]

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request."""
        assert self._child.stdin is not None
        print(json.dumps(request), file=self._child.stdin, flush=True)
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            self.close()
            raise RuntimeError(f"{self._script} ended with code {self._child.returncode}; its error is above")
        return json.loads(line)

    def close(self) -> None:
        """Let the child end, which it does when there are no more requests."""
        with self._child:
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class Contender:
    """A program in one setting.

    Attributes
    ----------
    label : str
    program : Program
    request : dict
        What is the same in all requests for breaks.
    strokes : callable
        Gives so many strokes of a round: (seed, round, count).
    warm_up : int
        Breaks before anything is timed.
    seconds, breaks, pocketed, events : list
        Of each turn: processor time [s], breaks, men pocketed, events (0: the program has none).
    errors : dict of str to float
        Largest distance of a place of rest from the closed form, by kind of stroke [m].
    """

    label: str
    program: Program
    request: dict[str, Any]
    strokes: Callable[[int, int, int], list[dict[str, float]]]
    warm_up: int
    per_turn: int = 1
    seconds: list[float] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    pocketed: list[int] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    errors: dict[str, float] = field(default_factory=dict)

    def prepare(self, seed: int, turn: float) -> None:
        """Warm up, and find how many breaks fill a turn [s of processor time]."""
        seconds = min(self._ask(seed, 0, self.warm_up)["seconds"] for _ in range(3))
        self.per_turn = max(1, round(turn * self.warm_up / seconds))

    def take_turn(self, seed: int, number: int) -> None:
        """Play the breaks of a round, from 1."""
        reply = self._ask(seed, number, self.per_turn)
        self.seconds.append(reply["seconds"])
        self.breaks.append(self.per_turn)
        self.pocketed.append(sum(end is None for ends in reply["ends"] for end in ends[1:]))
        self.events.append(reply.get("events", 0))

    def _ask(self, seed: int, number: int, count: int) -> dict[str, Any]:
        return self.program.ask({**self.request, "strokes": self.strokes(seed, number, count)})


def carrom_breaks(seed: int, number: int, count: int) -> list[dict[str, float]]:
    """Return breaks at 6 m/s with the scatter of a human hand."""
    noise = np.random.default_rng([seed, number]).normal(size=(count, 3)).tolist()
    return [{"x": 0.001 * a, "angle": 0.5 * math.pi + 0.015 * b, "speed": 6.0 * (1.0 + 0.05 * c)} for a, b, c in noise]


def pool_breaks(seed: int, number: int, count: int) -> list[dict[str, float]]:
    """Return breaks of a cue at 8 m/s with that scatter of speed, and of the cut [degrees] that it has in carrom."""
    noise = np.random.default_rng([seed, number]).normal(size=(count, 2)).tolist()
    return [
        {"seed": 10_000_000 * number + k, "speed": 8.0 * (1.0 + 0.05 * a), "cut": 6.0 * b}
        for k, (a, b) in enumerate(noise)
    ]


def carrom_errors(program: Program, **settings: Any) -> dict[str, float]:
    """Return the largest errors of places of rest, by kind of stroke [m].

    Parameters
    ----------
    program : Program
    **settings
        Of the program, as in its other requests.
    """
    smooth, ahead = asdict(PLANE.replace(mu_disc=0.0)), 0.5 * math.pi
    aside = math.sin(CUT) * (PLANE.striker_radius + PLANE.man_radius)
    strokes = {
        "slide": [(None, speed) for speed in (1.0, 3.0, 6.0)],
        "head-on": [((0.0, distance), 3.0) for distance in DISTANCES],
        "cut": [((aside, distance), 3.0) for distance in DISTANCES],
    }
    errors = {}
    for kind, cases in strokes.items():
        board, found = smooth if kind == "cut" else asdict(PLANE), []
        for man, speed in cases:
            stroke = {"x": 0.0, "angle": ahead, "speed": speed}
            men = [] if man is None else [man]
            (ends,) = program.ask({**settings, "board": board, "men": men, "strokes": [stroke]})["ends"]
            found.append(closed_forms.farthest(ends, closed_forms.disc_ends(board, stroke, man)))
        errors[kind] = max(found)
    return errors


def pool_errors(program: Program) -> dict[str, float]:
    """Return the same of pooltool's balls [m]: alone, and straight at another."""
    errors = {}
    for kind, cases in {
        "slide": [(None, speed) for speed in (1.0, 2.0, 3.0)],
        "head-on": [(distance, 2.0) for distance in DISTANCES],
    }.items():
        found = []
        for other, speed in cases:
            balls = [] if other is None else [(0.0, other)]
            (ends,) = program.ask({"ball": BALL, "balls": balls, "strokes": [{"speed": speed}]})["ends"]
            exact = [(0.0, end) for end in closed_forms.ball_ends(BALL, speed, other)]
            found.append(closed_forms.farthest(ends, exact))
        errors[kind] = max(found)
    return errors

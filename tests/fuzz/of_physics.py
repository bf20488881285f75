"""Targets: layouts, strokes, equipment, simulation, trajectories."""

import dataclasses
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import carromsim as cs
from carromsim.equipment import PRESETS
from fuzz.hostile import array, bits, numbers, real, spoilt, things, whole, words
from fuzz.judging import Target

COEFFICIENTS = ("mu_surface", "e_disc", "e_cushion", "mu_disc", "beta_disc", "v_c_disc", "t_contact")

presets = st.sampled_from(tuple(PRESETS))
_FIELDS = tuple(field.name for field in dataclasses.fields(cs.Equipment))


@st.composite
def boards(draw: DrawFn) -> cs.Equipment:
    """Give equipment that is possible, and perhaps very unusual."""
    board = cs.Equipment.preset(draw(presets))
    for name in draw(st.sets(st.sampled_from(_FIELDS[1:]), max_size=3)):
        try:
            board = board.replace(**{name: draw(numbers)})
        except ValueError:
            continue
    return board


@st.composite
def layouts(draw: DrawFn) -> cs.Layout:
    """Give a layout of anything that is an array of the shape."""
    kind = draw(st.sampled_from(("opening", "random", "any", "any rows", "empty", "none")))
    if kind == "opening":
        return cs.opening(rotation=draw(real()), gap=draw(st.sampled_from([0.0, 1e-9, 5e-5])))
    if kind == "random":
        return cs.random_layout(n=draw(st.integers(1, 3)), seed=draw(whole), n_men=draw(st.integers(0, 4)))
    if kind == "empty":
        return cs.Layout(np.empty((0, 20, 2)))
    pos = np.full((20, 2) if kind == "any" else (3, 20, 2), np.nan)
    for _ in range(draw(st.integers(0, 8))):
        place = st.one_of(real(-0.4, 0.4), st.sampled_from([0.0, math.inf, 1e308, 5e-324, -0.37, 0.355]))
        pos.reshape(-1, 2)[draw(st.integers(0, pos.size // 2 - 1))] = draw(place), draw(place)
    return cs.Layout(pos)


@st.composite
def strokes(draw: DrawFn) -> cs.Strokes:
    """Give strokes, few of them legal."""
    if draw(bits):
        speeds = st.sampled_from([0.0, 1e-300, 0.3, 6.0, 50.0, 1e4])
        return cs.Strokes(
            x=draw(real(-0.2, 0.2)), angle=draw(st.floats(-7, 7)), speed=draw(speeds), seat=draw(st.integers(0, 3))
        )
    n = draw(st.sampled_from([0, 1, 3]))
    column = st.lists(st.one_of(real(-0.2, 0.2), st.floats()), min_size=n, max_size=n)
    return cs.Strokes(x=draw(column), angle=draw(column), speed=draw(column), spin=draw(column))


def _named(given: dict[str, Any]) -> Iterable[str]:
    """Names of arguments, and what stands for some of them in messages."""
    return (*given, "impossible layout", "striker", "strokes", "equipment", "row ")


def _called(
    name: str, function: Any, good: dict[str, SearchStrategy[Any]], bad: SearchStrategy[Any] = things, **more: Any
) -> Target:
    """Make a target of a function that takes its arguments by name."""

    def act(given: dict[str, Any], folder: Path) -> None:
        function(**given)

    return Target(name, spoilt(good, bad), act, _named, **more)


def _simulate(**given: Any) -> None:
    """Play strokes, and look at each row: its status says whether it has an outcome."""
    out = cs.simulate(**given)
    assert np.isin(out.status, (0, 1, 2, 3)).all(), out.status
    good = out.status == 0
    assert not np.isinf(out.pos).any(), "a disc went to infinity"
    assert np.isfinite(out.duration[good]).all(), "a stroke without an end has status 0"
    out.to_arrow()


def _motion(**given: Any) -> None:
    out = cs.simulate_motion(**given)
    assert np.isin(out.status, (0, 1, 2, 3)).all(), out.status
    assert np.isfinite(out.duration[out.status == 0]).all(), "a motion without an end has status 0"


def _layout(pos: Any) -> None:
    layout = cs.Layout(pos)
    layout._repr_html_()
    layout.check(cs.Equipment.preset("icf"))


def _strokes(**given: Any) -> None:
    made = cs.Strokes(**given)
    made.start(cs.Equipment.preset("icf"))
    made._repr_html_()


def _replace(changes: dict[str, Any]) -> None:
    board = cs.Equipment.preset("icf").replace(**changes)
    assert cs.Equipment(**dataclasses.asdict(board)) == board
    assert hash(board) == hash(board.replace())


def _replaced() -> Target:
    fields = st.one_of(st.sampled_from(_FIELDS), words.filter(str.isidentifier))
    changes = st.dictionaries(fields, st.one_of(numbers, things), max_size=3)
    return Target(
        "Equipment.replace", changes, lambda given, folder: _replace(given), lambda given: (*given, "equipment")
    )


_times: SearchStrategy[Any] = st.sampled_from([0.0, 0.01, 1.0, math.inf])
_coefficients: SearchStrategy[Any] = st.one_of(
    st.none(), st.dictionaries(st.sampled_from(COEFFICIENTS), st.lists(st.floats(), min_size=1, max_size=3), max_size=2)
)
_chance: dict[str, SearchStrategy[Any]] = {"seed": whole, "first_row": whole, "threads": st.sampled_from([1, 2, None])}
_small = st.one_of(things.filter(lambda value: not (isinstance(value, int) and 10**6 < value < 2**62)))

TARGETS = (
    _called("Layout", _layout, {"pos": array(20, 2)}),
    _called(
        "Strokes",
        _strokes,
        {"x": array(3), "angle": real(), "speed": array(3), "spin": real(), "seat": st.integers(0, 3)},
        st.one_of(things, numbers, array(3)),
    ),
    Target("Equipment.preset", st.one_of(things, words), lambda given, folder: cs.Equipment.preset(given)),
    Target("surface", st.one_of(things, words), lambda given, folder: cs.surface(given)),
    Target("Equipment.load", st.one_of(things, words), lambda given, folder: cs.Equipment.load(given)),
    _replaced(),
    _called(
        "opening",
        cs.opening,
        {"equipment": st.one_of(presets, boards()), "rotation": real(), "gap": st.just(1e-4), "jitter": st.just(1e-5)}
        | {"seed": whole, "n": st.one_of(st.none(), st.just(3)), "first_row": whole, "rows": st.none(), "board": whole},
        memory=True,
    ),
    _called(
        "arrange",
        cs.arrange,
        {name: st.one_of(st.none(), st.tuples(real(), real())) for name in ("striker", "queen")}
        | {name: st.lists(st.tuples(real(), real()), max_size=10) for name in ("white", "black")},
    ),
    _called(
        "random_layout",
        cs.random_layout,
        {"equipment": st.one_of(presets, boards()), "n": st.one_of(st.none(), whole), "seed": whole, "queen": bits}
        | {"n_men": st.integers(0, 18), "striker": bits, "clear_base_line": bits, "first_row": whole}
        | {"trials": st.sampled_from([0, 1, 20])},
        memory=True,
    ),
    _called(
        "simulate",
        _simulate,
        {"layout": layouts(), "strokes": strokes(), "equipment": st.one_of(presets, boards()), "until": _times}
        | {"coefficients": _coefficients, "rows": st.none(), "stroke": whole, "record": bits}
        | {"chunk_rows": st.one_of(st.none(), st.integers(1, 9))}
        | _chance,
    ),
    _called(
        "simulate_motion",
        _motion,
        {"pos": array(20, 2), "vel": array(20, 2), "omega": array(20), "until": _times, "record": bits}
        | {"equipment": st.one_of(presets, boards())}
        | _chance,
    ),
    _called(
        "follow",
        cs.follow,
        {"layout": layouts(), "strokes": strokes(), "equipment": presets, "seed": whole, "row": whole, "stroke": whole}
        | {"coefficients": st.none(), "tolerance": st.sampled_from([2e-5, 1e-3])},
    ),
)
"""By what they take: positions, strokes, boards."""

"""What a study may vary: right distributions, draws that a row owns, grids that are fair."""

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from carromsim.equipment import Equipment
from carromsim.simulation import simulate
from carromsim.streams import JITTER_SLOTS, POSITION_SLOTS, Slot, Streams
from carromsim.strokes import placement_legal
from carromsim.studies.breaks.declaration import SLOTS
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.counting.sensitivity import column_of
from carromsim.studies.declaring.coefficients import COEFFICIENTS
from carromsim.studies.declaring.parameters import (
    Grid,
    Normal,
    Parameter,
    Truncated,
    Uniform,
    combinations,
    declared,
    describe,
    draw,
    extremes,
    parameter,
)
from carromsim_kernels.state import Status

EVERYTHING = BreakStudy(
    strokes=240,
    seed=7,
    rotation=Uniform(0.0, 2.0),
    gap=Uniform(0.0005, 0.002),
    x=Normal(0.0, 0.1),
    angle=Truncated(math.pi / 2, 0.05, 1.4, 1.7),
    speed=Grid([3.0, 5.0, 8.0]),
    spin=Normal(0.0, 10.0),
    mu_surface=Uniform(0.05, 0.13),
    e_disc=Truncated(0.85, 0.05, 0.75, 0.93),
    e_cushion=Grid([0.6, 0.8]),
    mu_disc=Uniform(0.08, 0.25),
    v_c_disc=Uniform(0.0, 0.5),
    v_c_cushion=Uniform(0.0, 0.5),
    t_contact=Uniform(50e-6, 200e-6),
)
"""Every quantity varies."""

DISTRIBUTIONS = [
    (Uniform(2.0, 5.0), stats.uniform(2.0, 3.0)),
    (Normal(-1.0, 0.5), stats.norm(-1.0, 0.5)),
    (Truncated(6.0, 1.0, 3.0, 8.0), stats.truncnorm(-3.0, 2.0, 6.0, 1.0)),
    (Truncated(0.0, 1.0, 2.0, 9.0), stats.truncnorm(2.0, 9.0)),
    (Truncated(0.0, 1.0, -9.0, -2.0), stats.truncnorm(-9.0, -2.0)),
    (Truncated(0.0, 2.0, 24.0, 30.0), stats.truncnorm(12.0, 15.0, 0.0, 2.0)),
]
IDS = [describe(ours) for ours, _ in DISTRIBUTIONS]


@pytest.fixture(scope="module")
def table() -> pa.RecordBatch:
    return EVERYTHING.batch(range(240))["strokes"]


# Distributions


@pytest.mark.parametrize(("ours", "theirs"), DISTRIBUTIONS, ids=IDS)
def test_quantiles_are_those_of_scipy(ours: Any, theirs: Any) -> None:
    p = np.concatenate([np.logspace(-12, -1, 12), np.linspace(0.11, 0.99, 40), [1 - 1e-9]])
    np.testing.assert_allclose(ours.quantile(p), theirs.ppf(p), rtol=2e-9)
    assert ours.quantile(p.reshape(-1, 1)).shape == (len(p), 1)
    assert ours.quantile(0.3) == ours.quantile([0.3])[0]


@pytest.mark.parametrize(("ours", "theirs"), DISTRIBUTIONS, ids=IDS)
def test_draws_are_distributed_as_declared(ours: Any, theirs: Any) -> None:
    values = draw({"speed": ours}, SLOTS, Streams(3), np.arange(20_000))["speed"]
    assert stats.kstest(values, theirs.cdf).pvalue > 1e-3
    assert abs(values.mean() - theirs.mean()) < 4 * theirs.std() / math.sqrt(len(values))
    assert values.std() == pytest.approx(theirs.std(), rel=0.03)


@settings(deadline=None)  # the first call compiles
@given(st.floats(-50, 50), st.floats(1e-3, 10), st.floats(-30, 30), st.floats(1e-6, 10), st.floats(1e-300, 1))
def test_no_draw_leaves_the_ends(mean: float, sd: float, low: float, width: float, p: float) -> None:
    p = min(p, 1.0 - 2.0**-53)
    assert low <= Uniform(low, low + width).quantile(p) <= low + width
    try:
        cut = Truncated(mean, sd, low, low + width)
    except ValueError as error:
        assert "nothing is left" in str(error)  # noqa: PT017 (not every cut leaves something)
    else:
        assert low <= cut.quantile(p) <= low + width
        assert cut.quantile(p / 2) <= cut.quantile(p)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, math.nan, [0.5, 1.5]])
def test_a_probability_lies_between_0_and_1(p: Any) -> None:
    with pytest.raises(ValueError, match="must lie between 0 and 1, both excluded"):
        Normal(0.0, 1.0).quantile(p)


def test_quantiles_of_a_grid_are_its_values() -> None:
    assert [Grid([3.0, 1.0, 2.0]).quantile(p) for p in (0.01, 1 / 3, 0.34, 0.5, 0.99)] == [1.0, 1.0, 2.0, 2.0, 3.0]


BAD = [
    (lambda: Uniform(2.0, 2.0), "uniform: low = 2, high = 2: low must be less than high"),
    (lambda: Uniform(3.0, math.inf), "uniform: high = inf: must be finite numbers"),
    (lambda: Uniform(-1e308, 1e308), r"low = -1e\+308, high = 1e\+308: are too far apart, must differ by a number"),
    (lambda: Uniform("a", True), "uniform: low = 'a', high = True: must be finite numbers"),
    (lambda: Normal(0.0, 0.0), "normal: sd = 0: must be greater than 0"),
    (lambda: Normal(math.nan, 1.0), "normal: mean = nan"),
    (lambda: Truncated(0.0, -1.0, 0.0, 1.0), "truncated: sd = -1: must be greater than 0"),
    (lambda: Truncated(0.0, 1.0, 1.0, 0.0), "truncated: low = 1, high = 0: low must be less than high"),
    (lambda: Truncated(0.0, 1.0, 50.0, 60.0), r"nothing is left of the normal \(mean 0, sd 1\) between 50 and 60"),
    (lambda: Grid([]), "must be a list of at least one number"),
    (lambda: Grid(3.0), "grid = 3.0: must be a list"),
    (lambda: Grid([1.0, "b", math.inf]), "grid: 'b', inf: must be finite numbers"),
    (lambda: Grid([1.0, 2.0, 1]), "grid: 1 stands there more than once"),
    (lambda: Grid.spaced(0.0, 1.0, 1), "count = 1: must be a whole number from 2"),
    (lambda: Grid.spaced(0.0, 1.0, 2.5), "count = 2.5"),
    (lambda: Grid.spaced(1.0, 0.0, 3), "from = 1, to = 0: from must be less than to"),
    (lambda: Grid.spaced(-1e308, 1e308, 3), r"from = -1e\+308, to = 1e\+308: are too far apart"),
    (lambda: Grid.spaced(None, 0.0, 3), "from = None, to = 0.0: must be finite numbers"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message for _, message in BAD])
def test_a_distribution_that_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_spaced_grid_has_its_ends_exactly() -> None:
    assert Grid.spaced(0.1, 0.7, 4).values == pytest.approx((0.1, 0.3, 0.5, 0.7))
    assert Grid.spaced(0.1, 0.7, 4).values[::3] == (0.1, 0.7)
    assert Grid(np.array([1, 2])) == Grid([1.0, 2.0])


# Forms


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (3, 3.0),
        (np.float32(0.5), 0.5),
        ({"uniform": [1, 2]}, Uniform(1.0, 2.0)),
        ({"normal": [1, 2]}, Normal(1.0, 2.0)),
        ({"truncated": [1, 2, 0, 3]}, Truncated(1.0, 2.0, 0.0, 3.0)),
        ({"grid": [3, 1]}, Grid([3.0, 1.0])),
        ({"grid": {"from": 0, "to": 1, "count": 3}}, Grid([0.0, 0.5, 1.0])),
    ],
)
def test_a_parameter_has_a_form_that_json_holds(form: Any, value: Parameter) -> None:
    assert parameter(form) == value
    assert parameter(value) is value or parameter(value) == value
    assert parameter(json.loads(json.dumps(declared(value)))) == value


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (True, "must be a number, or one of {uniform = "),
        ("6", "must be a number, or one of"),
        (None, "must be a number"),
        (math.nan, "must be a finite number"),
        ({}, "must have one key"),
        ({"uniform": [1, 2], "normal": [1, 2]}, "must have one key"),
        ({"unifrom": [1, 2]}, "unknown distribution 'unifrom': did you mean 'uniform'?"),
        ({"uniform": [1, 2, 3]}, r"uniform = \[1, 2, 3\]: must be \[low, high\]"),
        ({"normal": 3}, r"normal = 3: must be \[mean, sd\]"),
        ({"truncated": [1, 2]}, r"must be \[mean, sd, low, high\]"),
        ({"grid": {"from": 1, "to": 2}}, "must be a list of numbers, or {from"),
    ],
)
def test_what_is_no_parameter_is_refused(form: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parameter(form)


def test_a_parameter_is_described_in_a_few_words() -> None:
    assert describe(0.0005, 1e3) == "0.5"
    assert describe(Uniform(0.0, 0.01), 1e3) == "uniform 0 to 10"
    assert describe(Normal(6.0, 0.5)) == "normal 6 +- 0.5"
    assert describe(Truncated(6.0, 0.5, 4.0, 8.0)) == "normal 6 +- 0.5 within 4 to 8"
    assert describe(Grid(list(range(9)))) == "grid of 9: 0, 1, 2, ..., 8"
    assert [extremes(value) for value in (2.0, Grid([3.0, 1.0]), Uniform(0.0, 1.0))] == [(2, 2), (1, 3), (0, 1)]


# Draws


def test_a_draw_depends_on_seed_and_row_alone() -> None:
    rows = np.arange(300)
    order = np.random.default_rng(1).permutation(300)
    whole = draw(EVERYTHING.parameters, SLOTS, Streams(7), rows)
    for chosen in (order, rows[40:41], rows[::7]):
        for name, values in draw(EVERYTHING.parameters, SLOTS, Streams(7), chosen).items():
            assert np.array_equal(values, whole[name][chosen]), name
    other = draw(EVERYTHING.parameters, SLOTS, Streams(8), rows)
    for name, value in EVERYTHING.parameters.items():
        assert np.array_equal(other[name], whole[name]) is isinstance(value, Grid), name


def test_a_parameter_is_drawn_the_same_whatever_else_varies() -> None:
    alone = BreakStudy(strokes=50, seed=7, mu_surface=EVERYTHING.mu_surface, jitter=0.0)
    assert np.array_equal(alone.drawn(range(50))["mu_surface"], EVERYTHING.drawn(range(50))["mu_surface"])


def test_studies_with_one_seed_draw_from_the_same_place_of_different_distributions() -> None:
    one = draw({"spin": Uniform(0.0, 1.0)}, SLOTS, Streams(5), np.arange(100))["spin"]
    other = draw({"spin": Normal(3.0, 2.0)}, SLOTS, Streams(5), np.arange(100))["spin"]
    np.testing.assert_allclose(stats.norm(3.0, 2.0).cdf(other), one, rtol=1e-9)


def test_parameters_are_independent_of_each_other_and_of_the_hand() -> None:
    varied = dict.fromkeys(SLOTS, Uniform(0.0, 1.0))
    rows = np.arange(20_000)
    hand = [Streams(2).uniform(rows, 0, slot) for slot in (Slot.PLACEMENT, Slot.ANGLE, Slot.SPEED, Slot.SPIN)]
    columns = np.array([*draw(varied, SLOTS, Streams(2), rows).values(), *hand])
    assert np.abs(np.corrcoef(columns) - np.eye(len(columns))).max() < 0.035
    assert len(set(SLOTS.values())) == len(SLOTS)
    assert not set(SLOTS.values()) & {*JITTER_SLOTS, *POSITION_SLOTS, *range(4)}


def test_a_grid_visits_every_combination_equally_often() -> None:
    grids = {"x": Grid([0.0, 0.1]), "angle": 1.5, "speed": Grid([4.0, 5.0, 6.0]), "mu_disc": Grid([0.1, 0.2])}
    assert combinations(grids) == 12
    found = draw(grids, SLOTS, Streams(0), np.arange(24))
    seen = list(zip(found["x"].tolist(), found["speed"].tolist(), found["mu_disc"].tolist(), strict=True))
    assert seen[:4] == [(0.0, 4.0, 0.1), (0.0, 4.0, 0.2), (0.0, 5.0, 0.1), (0.0, 5.0, 0.2)]
    assert len(set(seen[:12])) == 12
    assert seen[12:] == seen[:12]
    assert list(found) == list(grids)


def test_a_study_needs_a_stroke_for_every_combination() -> None:
    grids: dict[str, Any] = {"speed": Grid([4.0, 5.0]), "spin": Grid([0.0, 1.0, 2.0])}
    assert BreakStudy(strokes=6, **grids).rows == 6
    with pytest.raises(ValueError, match="strokes = 5: must be at least 6, one for each combination"):
        BreakStudy(strokes=5, **grids)


# In the study


def test_what_was_drawn_stands_in_the_table(table: pa.RecordBatch) -> None:
    drawn = EVERYTHING.drawn(range(240))
    assert list(drawn) == list(SLOTS)
    for name, values in drawn.items():
        assert np.array_equal(table[column_of(name)], values), name
        low, high = extremes(getattr(EVERYTHING, name))
        assert np.all((values >= low) & (values <= high)), name
        assert len(np.unique(values)) > 1
    assert set(np.asarray(table["status"])) == {0}
    assert placement_legal(np.asarray(table["intended_x"]), EVERYTHING.equipment).all()
    assert np.ptp(np.asarray(table["intended_x"])) > 0.4  # both end circles are reached


def test_any_chunks_give_the_same_bits(table: pa.RecordBatch) -> None:
    whole = pa.Table.from_batches([table])
    for cuts in ((0, 1, 2, 100, 240), (0, 239, 240), tuple(range(0, 241, 30))):
        parts = [EVERYTHING.batch(range(a, b))["strokes"] for a, b in pairwise(cuts)]
        assert pa.Table.from_batches(parts).equals(whole)
    assert EVERYTHING.batch(range(77, 78))["strokes"].equals(table.slice(77, 1))


def test_a_replayed_row_is_the_stored_one_bit_for_bit(table: pa.RecordBatch) -> None:
    for row in (0, 17, 239):
        out = EVERYTHING.replay(row)
        columns, missing = out.columns()
        for name in ("status", "pocket", "pocket_time", "pos_x", "pos_y", "n_events", "duration", "first_hit"):
            stored = table[name].slice(row, 1)
            flat = stored.flatten() if stored.type in (table["pocket"].type, table["pos_x"].type) else stored
            gone = np.broadcast_to(missing.get(name, False), columns[name].shape).reshape(-1)
            assert np.array_equal(np.asarray(flat.is_null()), gone), name
            assert np.array_equal(np.asarray(flat.drop_null()), columns[name].reshape(-1)[~gone]), name
        assert len(out.events(0)) == table["n_events"][row].as_py()


@pytest.mark.parametrize("row", [-1, 240, 2.0, True, "3"])
def test_only_rows_of_the_study_can_be_replayed(row: Any) -> None:
    with pytest.raises(ValueError, match=r"row = .*: must be a whole number from 0 to 239"):
        EVERYTHING.replay(row)


def test_a_grid_of_one_value_is_that_number() -> None:
    fixed = BreakStudy(strokes=40, mu_surface=0.07, e_disc=0.9, speed=5.0, rotation=0.2, gap=0.001, x=0.05)
    names = ("mu_surface", "e_disc", "speed", "rotation", "gap", "x")
    single = BreakStudy(strokes=40, **{name: Grid([getattr(fixed, name)]) for name in names})
    assert single.batch(range(40))["strokes"].equals(fixed.batch(range(40))["strokes"])


def test_coefficients_are_those_that_the_kernels_get() -> None:
    rows = range(100, 130)
    strokes = EVERYTHING.executed(rows)
    drawn = EVERYTHING.drawn(rows)
    found = EVERYTHING.batch(rows)["strokes"]["duration"].to_pylist()
    for i in (0, 11, 29):
        board = EVERYTHING.equipment.replace(**{name: drawn[name][i] for name in COEFFICIENTS})
        layout = EVERYTHING._layout(range(100 + i, 101 + i), EVERYTHING.drawn(range(100 + i, 101 + i)))
        one = type(strokes)(**{name: getattr(strokes, name)[i : i + 1] for name in ("x", "angle", "speed", "spin")})
        assert simulate(layout, one, equipment=board).duration[0] == found[i]


def test_a_study_without_coefficients_takes_the_equipments() -> None:
    slow = Equipment.preset("icf").replace(mu_surface=0.2)
    study = BreakStudy(equipment=slow, e_disc=None)
    assert (study.mu_surface, study.e_disc) == (0.2, 0.85)
    assert study == BreakStudy(equipment=slow, mu_surface=0.2)


def test_jitter_follows_a_gap_that_varies(table: pa.RecordBatch) -> None:
    assert EVERYTHING.jitter is None
    assert BreakStudy(gap=EVERYTHING.gap, jitter=0.0001).jitter == 0.0001
    layout = EVERYTHING._layout(range(240), EVERYTHING.drawn(range(240)))
    layout.check(EVERYTHING.equipment)
    with pytest.raises(ValueError, match=r"must be from 0 to gap / \(2 sqrt 2\) = 0.000176777 m"):
        BreakStudy(gap=EVERYTHING.gap, jitter=0.0002)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (
            "speed",
            Normal(6.0, 1.0),
            r"from 0 to 10000 m/s, and a normal .* cut it by {truncated = \[6, 1, low, high\]}",
        ),
        ("speed", Uniform(-1.0, 6.0), "every value must be from 0 to 10000 m/s"),
        ("speed", Uniform(1.0, 1e5), "every value must be from 0 to 10000 m/s"),
        ("speed", 99999999999999999999999, "must be from 0 to 10000 m/s"),
        ("spin", 1e300, r"must be from -1e\+06 to 1e\+06 rad/s"),
        ("spin", Grid([0.0, -2e6]), r"every value must be from -1e\+06 to 1e\+06 rad/s"),
        ("spin", Normal(1e300, 1.0), r"every value must be from -1e\+06 to 1e\+06 rad/s"),
        ("spin", Normal(0.0, 2e5), r"every value must be from -1e\+06 to 1e\+06 rad/s"),
        ("gap", Grid([0.001, -0.001]), "every value must be at least 0 m"),
        ("gap", Uniform(0.0, 0.2), "0.2 m leaves no room for the pack"),
        ("mu_surface", 0.0, "must be greater than 0 and at most 100"),
        ("mu_surface", 1e300, "must be greater than 0 and at most 100"),
        ("mu_surface", Uniform(0.0, 0.1), "every value must be greater than 0"),
        ("e_disc", Uniform(0.5, 1.1), "every value must be from 0 to 1"),
        ("e_cushion", Normal(0.7, 0.1), "every value must be from 0 to 1"),
        ("v_c_disc", Uniform(-0.1, 0.5), "every value must be from 0 to 10000 m/s"),
        ("mu_disc", Truncated(0.1, 0.1, -0.1, 0.2), "every value must be from 0 to 100"),
        ("x", Uniform(-50.0, 50.0), "every value must be from -0.37 to 0.37 m"),
        ("x", Grid([0.0, 0.2]), "x = 200 mm: the striker may stand at"),
        ("angle", {"unifrom": [1, 2]}, "did you mean 'uniform'"),
    ],
)
def test_a_bad_distribution_is_refused_when_declared(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        BreakStudy(**{field: value})
    assert [problem["loc"] for problem in caught.value.errors()] == [(field,)]  # type: ignore[attr-defined]


def test_what_a_hand_makes_of_a_stroke_beyond_all_reason_is_no_stroke() -> None:
    study = BreakStudy(strokes=8, spin=Normal(0.0, 100.0), sd_spin=1e8)
    strokes = study.executed(range(8))
    assert (np.abs(strokes.spin) > 1e6).all()
    assert study.batch(range(8))["strokes"]["status"].to_pylist() == [Status.BAD_INPUT] * 8


@pytest.mark.parametrize("study", [BreakStudy(), EVERYTHING, BreakStudy(ruleset="bell_i", seed=2**64 - 1, spin=3)])
def test_a_declaration_holds_the_whole_study(study: BreakStudy) -> None:
    told = json.loads(json.dumps(study.declaration(), allow_nan=False))
    assert told["kind"] == "break"
    assert set(told) == {"kind", *BreakStudy.model_fields}
    assert BreakStudy.from_declaration(told) == study
    with pytest.raises(ValueError, match="kind = 'shot': must be 'break'"):
        BreakStudy.from_declaration(told | {"kind": "shot"})

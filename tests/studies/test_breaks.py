"""The break study: rows that own their fate, files that are whole, frequencies that can be recounted."""

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pydantic import ValidationError
from scipy.stats import binomtest, kstest

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE, Equipment
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.breaks.summary import QUESTIONS, WHITE_POCKETS
from carromsim.tables.schemas import STROKES
from carromsim_kernels.state import Status

SMALL = BreakStudy(strokes=150, seed=5, gap=5e-4, jitter=1e-4)
FAILING = BreakStudy(strokes=200, seed=2, gap=0.08, jitter=0.0, sd_x=0.03)
"""The pack reaches down to the base line, so that some strikers stand on a man."""


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BreakStudy, "chunk_rows", 40)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """All rows of SMALL."""
    return pa.Table.from_batches([SMALL.batch(range(SMALL.strokes))["strokes"]])


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lists(table: pa.Table, name: str) -> np.ndarray[Any, Any]:
    """Give a column per disc as (n, 20) float64 with NaN for null."""
    flat = table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return flat.astype(float).reshape(-1, 20)


# The declaration


def test_a_study_is_frozen_and_names_its_equipment() -> None:
    assert SMALL.equipment == Equipment.preset("icf")
    assert BreakStudy(ruleset="bell_ii").equipment == Equipment.preset("bell")
    assert BreakStudy(ruleset="icf", equipment="ukca").equipment == Equipment.preset("ukca")
    slow = Equipment.preset("icf").replace(mu_surface=0.2)
    assert BreakStudy(equipment=slow).equipment is slow
    with pytest.raises(ValidationError, match="frozen"):
        SMALL.seed = 3


def test_a_pack_is_as_irregular_as_its_gap_allows_unless_told_otherwise() -> None:
    assert BreakStudy(gap=0.001).jitter == pytest.approx(0.001 / (2 * math.sqrt(2)), rel=1e-15)
    assert BreakStudy(gap=0.0).jitter == 0.0
    assert BreakStudy(gap=0.001, jitter=0.0).jitter == 0.0
    for study, different in ((BreakStudy(), True), (BreakStudy(jitter=0.0), False)):
        still = study.model_copy(update={"sd_x": 0.0, "sd_angle": 0.0, "sd_speed": 0.0, "sd_spin": 0.0})
        assert (len(set(still.batch(range(20))["strokes"]["duration"].to_pylist())) > 1) is different


def test_numpy_numbers_are_numbers() -> None:
    study = BreakStudy(strokes=np.int64(5), seed=np.uint64(2**63), speed=np.float32(2.5), x=np.float64(0.01))
    assert (study.strokes, study.seed, study.speed, study.x) == (5, 2**63, 2.5, 0.01)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("strokes", 0, "greater than or equal to 1"),
        ("strokes", 10.5, "valid integer"),
        ("strokes", True, "valid integer"),
        ("seed", -1, "greater than or equal to 0"),
        ("seed", 2**64, "less than 18446744073709551616"),
        ("speed", -0.1, "must be from 0 to 10000 m/s"),
        ("speed", math.nan, "finite number"),
        ("angle", math.inf, "finite number"),
        ("speed", "6", "must be a number, or one of {uniform = "),
        ("sd_x", -1e-9, "greater than or equal to 0"),
        ("ruleset", "fifa", "unknown rule set 'fifa': known: bell_i, bell_ii, caint, icf"),
        ("ruleset", 3, "must be a rule set, the name of one, or a file"),
        ("ruleset", {"name": "icf"}, "must name every law and nothing else"),
        ("conduct", {"impropr": 0.1}, "impropr: did you mean 'improper'"),
        ("conduct", {"improper": 1.5}, "improper = 1.5: must be a number from 0 to 1"),
        ("conduct", 0.1, "must be rates by name: improper, interference"),
        ("equipment", "icff", "did you mean 'icf'"),
        ("x", 0.2, "-182.55 to 182.55 mm"),
        ("gap", 0.2, "0.2 m leaves no room for the pack: white 4 .disc 5. lies 108 mm outside"),
        ("jitter", 0.001, r"must be from 0 to gap / \(2 sqrt 2\) = 1.76777e-05 m"),
        ("sped", 3.0, "Extra inputs are not permitted"),
    ],
)
def test_what_makes_no_sense_is_refused(field: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        BreakStudy(**{field: value})
    assert field in str(caught.value)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        BreakStudy(strokes=0, speed=-1.0, gap=math.nan)
    told = [error["loc"] for error in caught.value.errors() if error["type"] != "default_factory_not_called"]
    assert told == [("strokes",), ("gap",), ("speed",)]


# The hand


def test_the_hand_scatters_as_declared() -> None:
    study = BreakStudy(strokes=1, seed=11, x=0.02, angle=1.4, speed=5.0, spin=-3.0)
    done = study.executed(range(40_000))
    for values, mean, sd in (
        (done.x, 0.02, 0.001),
        (done.angle, 1.4, math.radians(0.7)),
        (done.speed, 5.0, 0.25),
        (done.spin, -3.0, 5.0),
    ):
        assert kstest((values - mean) / sd, "norm").pvalue > 1e-3
    assert np.abs(np.corrcoef([done.x, done.angle, done.speed, done.spin]) - np.eye(4)).max() < 0.02


def test_without_scatter_every_stroke_is_the_intended_one() -> None:
    done = BreakStudy(sd_x=0, sd_angle=0, sd_speed=0, sd_spin=0, x=0.1, spin=2.0).executed(range(100))
    for values, value in ((done.x, 0.1), (done.angle, math.pi / 2), (done.speed, 6.0), (done.spin, 2.0)):
        assert np.all(values == value)


def test_a_foul_placement_is_corrected_and_speed_stays_positive() -> None:
    study = BreakStudy(seed=3, x=0.18, sd_x=0.01, sd_speed=2.0)
    done = study.executed(range(5000))
    assert np.all(done.is_legal(study.equipment))
    circle = done.x > 0.2
    assert 0 < circle.sum() < 500
    assert np.allclose(done.x[circle], 0.2191)  # over an end circle the striker is centred there
    assert np.mean(done.x[~circle] == done.x[~circle].max()) > 0.3  # the others are pushed back to the limit
    assert done.speed.min() == pytest.approx(0.06)


def test_the_same_seed_gives_the_same_hand_to_every_variant() -> None:
    one, other = BreakStudy(seed=9), BreakStudy(seed=9, ruleset="ukca", rotation=0.3, strokes=7)
    assert np.array_equal(one.executed(range(50)).angle, other.executed(range(50)).angle)
    assert not np.array_equal(one.executed(range(50)).angle, BreakStudy(seed=10).executed(range(50)).angle)


# The rows


def test_a_row_depends_on_its_number_alone(table: pa.Table) -> None:
    pieces = [SMALL.batch(rows)["strokes"] for rows in (range(7), range(7, 8), range(8, 100), range(100, 150))]
    assert pa.Table.from_batches(pieces).equals(table)
    assert pa.Table.from_batches([SMALL.batch(range(140, 150))["strokes"]]).equals(table.slice(140))


def test_columns_say_what_happened(table: pa.Table) -> None:
    assert table.schema.equals(STROKES.arrow(), check_metadata=True)
    table.validate(full=True)
    pocket = lists(table, "pocket")
    fell = ~np.isnan(pocket)
    assert set(np.unique(pocket[fell])) <= {0, 1, 2, 3}
    assert np.array_equal(table["n_white"], fell[:, WHITE].sum(axis=1))
    assert np.array_equal(table["n_black"], fell[:, BLACK].sum(axis=1))
    assert np.array_equal(table["queen"], fell[:, QUEEN])
    assert np.array_equal(table["striker"], fell[:, STRIKER])
    assert np.array_equal(table["n_pocketed"], fell[:, 1:].sum(axis=1))
    assert fell[:, 1:].sum() > 50
    for name in ("pos_x", "pos_y"):
        assert np.array_equal(np.isnan(lists(table, name)), fell)
        assert np.nanmax(np.abs(lists(table, name))) < 0.37
    assert np.array_equal(~np.isnan(lists(table, "pocket_time")), fell)
    assert np.all(np.nanmax(lists(table, "pocket_time"), axis=1, initial=0, where=fell) <= table["duration"])
    assert np.all(np.asarray(table["n_events"]) >= np.asarray(table["n_disc_hits"]) + table["n_cushion_hits"])
    assert table["row"].to_pylist() == list(range(150))
    assert set(table["first_hit"].to_pylist()) == {5}  # straight ahead stands the stem of the Y
    assert set(table["first_hit_direct"].to_pylist()) == {1}
    assert set(table["intended_angle"].to_pylist()) == {math.pi / 2}
    done = SMALL.executed(range(150))
    for name in ("x", "angle", "speed", "spin"):
        assert np.array_equal(table[name], getattr(done, name))


def test_missing_is_null_and_never_nan(table: pa.Table) -> None:
    for column in STROKES.columns:
        values = table[column.name].combine_chunks()
        flat = values.flatten() if column.per_disc else values
        if column.dtype == "float64":
            assert not np.isnan(flat.drop_null()).any(), column.name


def test_a_stroke_that_misses_has_no_first_hit() -> None:
    away = BreakStudy(x=0.15, angle=0.3, speed=0.3, sd_x=0, sd_angle=0)
    rows = pa.Table.from_batches([away.batch(range(3))["strokes"]])
    for name in ("first_hit", "first_hit_direct", "first_hit_behind"):
        assert rows[name].null_count == 3
    assert rows["n_disc_hits"].to_pylist() == [0, 0, 0]
    assert rows["n_white"].to_pylist() == [0, 0, 0]


def test_failed_rows_have_a_status_and_no_outcome() -> None:
    rows = pa.Table.from_batches([FAILING.batch(range(FAILING.strokes))["strokes"]])
    failed = np.asarray(rows["status"]) != Status.OK
    assert 20 < failed.sum() < 180
    assert set(np.asarray(rows["status"])[failed]) == {Status.START_OVERLAP}
    for name in ("n_white", "n_pocketed", "queen", "n_events", "duration", "crossed_front_line"):
        assert np.array_equal(rows[name].is_null(), failed), name
    assert np.all(np.asarray(rows["first_hit"].is_null())[failed])
    for name in ("pocket", "pos_x", "pos_y", "pocket_time"):
        assert np.isnan(lists(rows, name)[failed]).all()
    assert rows["x"].null_count == 0


# Stream and summary


@pytest.mark.usefixtures("small_chunks")
def test_stream_is_chunked_and_can_be_queried(table: pa.Table) -> None:
    chunks = list(SMALL.stream(workers=2))
    assert [chunk.num_rows for chunk in chunks] == [40, 40, 40, 30]
    assert pa.Table.from_batches(chunks).equals(table)
    assert pl.DataFrame(SMALL.stream())["n_white"].sum() == sum(table["n_white"].to_pylist())


def test_batches_are_made_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BreakStudy, "chunk_rows", 1)
    asked: list[range] = []
    monkeypatch.setattr(BreakStudy, "batch", lambda self, rows: {"strokes": asked.append(rows)})
    batches: Iterator[Any] = BreakStudy(strokes=1000).batches(workers=2)
    next(batches)
    assert len(asked) <= 5  # bounded, whatever the consumer does


@pytest.mark.usefixtures("small_chunks")
def test_summary_can_be_recounted(table: pa.Table) -> None:
    told: list[tuple[int, int, int]] = []
    summary = SMALL.summarise(
        workers=2, progress=lambda done, total, counts: told.append((done, total, counts.strokes))
    )
    assert (told[0], told[-1], len(told)) == ((0, 150, 0), (150, 150, 150), 5)
    assert all(done == counted for done, _, counted in told)
    assert sorted(b[0] - a[0] for a, b in pairwise(told)) == [30, 40, 40, 40]
    found = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    number = np.asarray(table["n_pocketed"])
    expected = {"any": number > 0} | {key: np.asarray(table[key]) > 0 for key in ("queen", "striker")}
    expected |= {"white": np.asarray(table["n_white"]) > 0, "black": np.asarray(table["n_black"]) > 0}
    assert set(found["probability"]) == {*QUESTIONS, *WHITE_POCKETS}
    for key, hit in expected.items():
        interval = binomtest(int(hit.sum()), 150).proportion_ci(method="wilson")
        values = found["probability"][key]
        assert values["count"] == hit.sum()
        assert values["estimate"] == hit.mean()
        assert (values["low"], values["high"]) == pytest.approx((interval.low, interval.high), abs=1e-14)
    assert found["n_pocketed"]["mean"] == pytest.approx(number.mean())
    assert found["n_pocketed"]["distribution"] == np.bincount(number, minlength=20).tolist()
    assert found["status"] == {"ok": 150, "event_limit": 0, "start_overlap": 0, "bad_input": 0, "burst_limit": 0}
    assert found["strokes_per_second"] == pytest.approx(150 / found["seconds"])
    assert found["warnings"] == []


def test_failed_rows_are_no_trials() -> None:
    summary = FAILING.summarise()
    rows = pa.Table.from_batches([FAILING.batch(range(FAILING.strokes))["strokes"]])
    ok = int(np.sum(np.asarray(rows["status"]) == 0))
    assert (summary.counts.strokes, summary.counts.ok) == (200, ok)
    assert summary.probability("any")[0] == summary.counts.fell["any"] / ok
    assert f"{200 - ok} of 200 strokes failed" in summary.warnings[0]


def test_nothing_is_known_when_every_row_failed() -> None:
    hopeless = BreakStudy(strokes=5, gap=0.08, jitter=0.0, sd_x=0.0)
    found = json.loads(json.dumps(hopeless.summarise().to_dict(), allow_nan=False))
    assert found["status"]["start_overlap"] == 5
    assert found["probability"]["any"] == {"count": 0, "estimate": None, "low": 0.0, "high": 1.0}
    assert found["n_pocketed"]["mean"] is None


def test_counts_add_up_in_any_order() -> None:
    parts = [SMALL.counts_of(SMALL.batch(rows)["strokes"]) for rows in (range(100, 150), range(60), range(60, 100))]
    whole = SMALL.counts_of(SMALL.batch(range(150))["strokes"])
    total = SMALL.empty_counts() + parts[0] + parts[1] + parts[2]
    assert total.fell == whole.fell
    assert np.array_equal(total.n_pocketed, whole.n_pocketed)
    assert np.array_equal(total.status, whole.status)


def test_a_tight_pack_carries_a_warning_if_hits_are_sequential() -> None:
    sequential = Equipment.preset("icf").replace(contact="sequential")
    assert "sequential hits get wrong" in BreakStudy(strokes=2, gap=1e-4, equipment=sequential).summarise().warnings[0]
    assert BreakStudy(strokes=2, gap=5e-4, equipment=sequential).summarise().warnings == []
    assert BreakStudy(strokes=2, gap=1e-4).summarise().warnings == []


# Runs; their directories have tests of their own


def test_a_run_holds_the_rows_whatever_the_workers(tmp_path: Path, table: pa.Table) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        run = SMALL.run(tmp_path / name, workers=workers)
        assert run.study == SMALL
        assert run.tables["strokes"].to_table().equals(table)
        assert run.summary().counts.fell == SMALL.summarise().counts.fell
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_bad_workers_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers = 0"):
        SMALL.run(tmp_path / "run", workers=0)
    assert list(tmp_path.iterdir()) == []

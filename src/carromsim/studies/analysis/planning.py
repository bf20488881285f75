"""How many rows a wish needs, how long they take here and how large they are, from a pilot that is really played."""

import math
import time
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from carromsim.chunks import Chunks, check_count, in_order, thread_count
from carromsim.problems import did_you_mean
from carromsim.stats import (
    normal_quantile,
    rows_for_difference,
    rows_for_half_width,
    rows_until_decided,
    rows_until_half_width,
    tuning,
    wilson,
)
from carromsim.studies.counting.frequencies import LEVEL, json_ready
from carromsim.studies.counting.metrics import Metric
from carromsim.studies.counting.stopping import EVEN, Evidence, Until
from carromsim.studies.runs.study import refuse_sequential
from carromsim.tables.writer import encode

if TYPE_CHECKING:
    from rich.console import RenderableType

    from carromsim.studies.declared import DeclaredStudy

POWER = 0.8
"""Probability with which a difference is found by the rows that are said to find it."""


@dataclass(frozen=True, kw_only=True)
class MetricPlan:
    """What a pilot says of a metric.

    Parameters
    ----------
    metric, words : str
        Key and words of the metric.
    share : bool
        Whether it is a share.
    trials : int
        Rows of the pilot that are trials of it.
    estimate : float
        NaN without a trial.
    half_width : float or None
        Of the interval that all rows of the study will give, about; None if the pilot cannot tell.
    """

    metric: str
    words: str
    share: bool
    trials: int
    estimate: float
    half_width: float | None


@dataclass(frozen=True, kw_only=True)
class Need:
    """What something needs.

    Parameters
    ----------
    words : str
        What for.
    rows : int or None
        None if the pilot cannot tell.
    seconds : float or None
        On this machine, by as many workers as played the pilot.
    size : float or None
        On disk [bytes].
    """

    words: str
    rows: int | None
    seconds: float | None
    size: float | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a study needs.

    Parameters
    ----------
    kind, noun : str
        Of the study, and what its rows are.
    pilot : int
        Rows that were played.
    workers : int
    seconds : float
        What they took.
    size : int
        What they would take on disk [bytes].
    needs : tuple of Need
        First of all rows that are declared, then of what was wished.
    metrics : tuple of MetricPlan
    level : float
        Of the intervals.
    """

    kind: str
    noun: str
    pilot: int
    workers: int
    seconds: float
    size: int
    needs: tuple[Need, ...]
    metrics: tuple[MetricPlan, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        return dict(json_ready(asdict(self)))

    def report(self) -> "RenderableType":
        """Lay everything out for a terminal."""
        from carromsim.studies.analysis.report import plan_report

        return plan_report(self)


class _Pilot(NamedTuple):
    """What was played: rows, time, bytes, and what they say, by metric and of `until`."""

    rows: int
    seconds: float
    size: int
    found: Mapping[str, Evidence]
    until: Evidence


def plan_study(
    study: "DeclaredStudy",
    *,
    metric: str | None = None,
    half_width: float | None = None,
    difference: float | None = None,
    pilot: int | None = None,
    workers: int | None = None,
) -> Plan:
    """Play the first rows of a study and say what it needs.

    Parameters
    ----------
    study : BreakStudy, ShotStudy, BoardStudy, MatchStudy or VariantStudy
    metric : str, optional
        Of which something is wished; default: that of the study's `until`. Without one all metrics are told.
    half_width : float, optional
        Wished half-width of its 95 % interval; default: that of `until`, at the level that stands there.
    difference : float, optional
        Difference between two runs that is to be found with a probability of 80 %, where seeds differ; the same seed
        needs fewer rows, by what pairing saves (`diff_runs`).
    pilot : int, optional
        Rows to play, at most those of the study; default: a chunk for each worker. Few rows make a poor plan, and of
        boards and matches too long a time, as fewer are played side by side.
    workers : int, optional
        Threads; default: one per core.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        For an unknown metric, a wish without a metric, two wishes at once, or a wish that cannot be.
    """
    refuse_sequential(study, "plan")
    until = study.until
    if half_width is not None and difference is not None:
        raise ValueError(f"half_width = {half_width:g}, difference = {difference:g}: only one of them can be planned")
    for name, wish in (("half_width", half_width), ("difference", difference)):
        if wish is not None and not (math.isfinite(wish) and wish > 0):
            raise ValueError(f"{name} = {wish!r}: must be above 0")
    metric = metric if metric is not None or until is None else until.metric
    if metric is None and (half_width or difference):
        raise ValueError(f"metric: must be named, known: {', '.join(sorted(study.metrics))}")
    if metric is not None and metric not in study.metrics:
        raise ValueError(f"metric = {metric!r}: {did_you_mean(metric, study.metrics)}")
    threads = thread_count(workers, "workers")
    rows = min(study.chunk_rows * threads if pilot is None else check_count("pilot", pilot), study.rows)
    played = _play(study, rows, threads)
    needs = [_need("all rows that are declared", study.rows, played)]
    if metric is not None:
        needs += _wishes(study, metric, half_width, difference, played)
    shown = study.metrics if metric is None else {metric: study.metrics[metric]}
    return Plan(
        kind=study.kind,
        noun=study.noun,
        pilot=rows,
        workers=threads,
        seconds=played.seconds,
        size=played.size,
        needs=tuple(needs),
        metrics=tuple(_told(study, key, each, played) for key, each in shown.items()),
        level=LEVEL,
    )


def _play(study: "DeclaredStudy", rows: int, workers: int) -> _Pilot:
    """Play rows as a run does, and encode them."""
    import pyarrow as pa

    def work(chunk: range) -> tuple[int, dict[str, Evidence], Evidence]:
        batches = study.batch(chunk)
        size = sum(len(encode(pa.Table.from_batches([batches[table.name]]), table)) for table in study.tables)
        first = batches[study.tables[0].name]
        observed = study.observed(first)
        found = {key: Evidence.seen(metric, observed[key]) for key, metric in study.metrics.items()}
        return size, found, Evidence.none() if study.until is None else study.until.evidence(study, first)

    study.warm_up()
    size, found, until = 0, dict.fromkeys(study.metrics, Evidence.none()), Evidence.none()
    started = time.perf_counter()
    chunks = Chunks(rows, min(study.chunk_rows, -(-rows // workers)))
    with closing(
        cast("Generator[tuple[int, dict[str, Evidence], Evidence]]", in_order(work, chunks, workers))
    ) as results:
        for more, each, evidence in results:
            size += more
            found = {key: found[key].add(each[key]) for key in found}
            until = until.add(evidence)
    return _Pilot(rows, time.perf_counter() - started, size, found, until)


def _need(words: str, rows: int | None, pilot: _Pilot) -> Need:
    if rows is None:
        return Need(words=words, rows=None, seconds=None, size=None)
    scale = rows / pilot.rows
    return Need(words=words, rows=rows, seconds=pilot.seconds * scale, size=pilot.size * scale)


def _wishes(
    study: "DeclaredStudy", key: str, half_width: float | None, difference: float | None, pilot: _Pilot
) -> list[Need]:
    """Tell what the wishes need."""
    metric, found, until = study.metrics[key], pilot.found[key], study.until
    if until is not None and until.metric != key:
        until = None
    level = LEVEL
    if half_width is None and difference is None and until is not None:
        half_width, level = until.half_width, until.level
    likely, trials = _likely(metric, found), found.n / pilot.rows
    wishes: list[tuple[str, int | None]] = []
    if half_width is not None:
        tuned = {"tuned": tuning(half_width)} if metric.is_share else {}
        fixed = None if likely is None else rows_for_half_width(half_width, **likely, level=level)
        stopped = None if likely is None else rows_until_half_width(half_width, **likely, level=level, **tuned)
        wishes.append((f"+-{half_width:g} with a fixed number of rows", _rows(fixed, trials)))
        wishes.append((f"+-{half_width:g} with until", _rows(stopped, trials, study.chunk_rows)))
    if difference is not None:
        each = None if likely is None else rows_for_difference(difference, **likely, level=LEVEL, power=POWER)
        wishes.append((f"a difference of {difference:g}, each run", _rows(each, trials)))
    if until is not None and until.against is not None and not wishes:
        trials = pilot.until.n / pilot.rows
        rows = _rows(_trials_until_decided(metric, until, pilot.until), trials, study.chunk_rows)
        wishes.append((f"until {until} is decided", rows))
    return [_need(words, rows, pilot) for words, rows in wishes]


def _rows(needed: int | None, trials: float, chunk: int = 1) -> int | None:
    """Give the rows that have so many trials, by the share of rows that are one, in whole chunks."""
    return None if needed is None else math.ceil(needed / trials / chunk) * chunk


def _likely(metric: Metric, found: Evidence) -> dict[str, float] | None:
    """Give what `carromsim.stats` plans with; None if the pilot cannot tell.

    Of what was never seen, or always, nobody knows how rare it is: the worst that the pilot allows is supposed.
    """
    if metric.steps is not None:
        return {"variance": found.variance / metric.steps**2} if found.variance else None
    if not found.n:
        return None
    low, high = (float(end) for end in wilson(found.total, found.n, LEVEL))
    return {"share": high if found.total == 0 else low if found.total == found.n else found.total / found.n}


def _trials_until_decided(metric: Metric, until: Until, found: Evidence) -> int | None:
    """Tell after how many trials `until` decides, about; None if what the pilot saw is no difference."""
    against, mean = EVEN if isinstance(until.against, str) else float(until.against or 0.0), found.mean(metric)
    if not found.n or mean == against:
        return None
    if metric.steps is None:
        return rows_until_decided(mean, against, level=until.level)
    if not found.variance:
        return None
    return rows_until_half_width(abs(mean - against), variance=found.variance / metric.steps**2, level=until.level)


def _told(study: "DeclaredStudy", key: str, metric: Metric, pilot: _Pilot) -> MetricPlan:
    found = pilot.found[key]
    likely, n = _likely(metric, found), study.rows * found.n / pilot.rows
    half = None
    if likely is not None and metric.steps is None:
        whole = max(round(n), 1)
        low, high = wilson(round(found.total / found.n * whole), whole, LEVEL)
        half = float(high - low) / 2.0
    elif likely is not None:
        half = normal_quantile(LEVEL) * math.sqrt(likely["variance"] / n)
    return MetricPlan(
        metric=key,
        words=metric.words,
        share=metric.is_share,
        trials=found.n,
        estimate=found.mean(metric),
        half_width=half,
    )

"""Measures how often intervals miss, fills the tables of docs/statistics.md.

``python docs/measure_statistics.py`` takes a minute or two; with ``--study`` it plays many studies that stop
themselves, which takes longer.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from filling import filled, table
from numpy.typing import NDArray
from scipy.stats import binom, multinomial

import carromsim as cs
from carromsim import stats
from carromsim.stats.distributions import edge
from carromsim.stats.sequences import FIRST_ROWS, TUNED, log_evidence, mean_factor
from carromsim.studies.analysis.comparing import diff_runs

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]

PAGE = Path(__file__).parent / "statistics.md"
LEVEL = 0.95
SHARES = np.linspace(0.01, 0.99, 99)
QUANTILES = (0.05, 0.5, 0.95)
WAYS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "uniform": (lambda rng, shape: rng.uniform(size=shape), 0.5),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "Poisson, mean 0.5": (lambda rng, shape: rng.poisson(0.5, size=shape).astype(np.float64), 0.5),
    "log-normal, sigma 1": (lambda rng, shape: rng.lognormal(0.0, 1.0, size=shape), float(np.exp(0.5))),
}
"""Kinds of values: how they are drawn, and their true mean."""
DISCORDANT = [(p, q) for p in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3) for q in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)]
"""Shares of rows that are a success of the first run only, and of the second only."""
RUNS = 10_000
PEEKED = 20_000
"""Rows of a run, each of which is looked at."""
STUDIES = 200
UNTIL: tuple[dict[str, Any], ...] = ({"metric": "any", "half_width": 0.015}, {"metric": "men", "half_width": 0.03})
"""When the studies end whose intervals are compared with the truth."""
BUDGET = 40_960
TRUE_ROWS = 400_000


# Exact: the probabilities of all outcomes whose interval covers the truth, summed.


def wilson_coverage(n: int, shares: NDArray[np.float64] = SHARES) -> NDArray[np.float64]:
    """Give the exact coverage for each share (k,)."""
    k = np.arange(n + 1)
    low, high = stats.wilson(k, n, LEVEL)
    covered = (low <= shares[:, np.newaxis]) & (shares[:, np.newaxis] <= high)
    return (binom.pmf(k, n, shares[:, np.newaxis]) * covered).sum(axis=1)


def newcombe_coverage(n1: int, n2: int, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the exact coverage for each pair of shares of the grid (k, k)."""
    k1, k2 = np.arange(n1 + 1)[:, np.newaxis], np.arange(n2 + 1)
    found = stats.newcombe(k1, n1, k2, n2, LEVEL)
    first, second = (binom.pmf(np.arange(n + 1), n, grid[:, np.newaxis]) for n in (n1, n2))
    coverage = np.empty((len(grid), len(grid)))
    for i, j in np.ndindex(coverage.shape):
        gap = grid[i] - grid[j]
        coverage[i, j] = first[i] @ ((found.low <= gap) & (gap <= found.high)) @ second[j]
    return coverage


def tango_coverage(n: int, shares: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
    """Give the exact coverage for each pair of shares of rows that are the first only and the second only (k,)."""
    first, second = (axis.ravel() for axis in np.mgrid[: n + 1, : n + 1])
    first, second = first[first + second <= n], second[first + second <= n]
    found = stats.paired_shares(0, first, second, n - first - second, LEVEL)
    counts = np.stack([first, second, n - first - second], axis=-1)
    return np.array(
        [
            multinomial.pmf(counts, n, [p, q, 1.0 - p - q]) @ ((found.low <= p - q) & (p - q <= found.high))
            for p, q in shares
        ]
    )


def quantile_coverage(n: int, p: float) -> float:
    """Give the exact coverage of the interval of a quantile of a continuous distribution."""
    low, high = stats.quantile_ranks(n, p, LEVEL)
    return float(binom.cdf(high - 1, n, p) - binom.cdf(low - 1, n, p))


def share_bounds(p: float, rows: int, tuned: float = TUNED) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give between which counts of successes (rows,) beta_binomial still covers p, after each row."""
    n = np.arange(1.0, rows + 1.0)

    def covers(k: NDArray[np.float64]) -> NDArray[np.bool_]:
        return log_evidence(k, n, np.array(p), LEVEL, tuned) < -np.log1p(-LEVEL)

    return edge(p * n, np.zeros(rows), covers), edge(p * n, n, covers)


def sequence_misses(p: float, rows: int, tuned: float = TUNED) -> float:
    """Give the exact probability that beta_binomial misses p at any of so many rows, looked at after each."""
    low, high = (bound[:, np.newaxis] for bound in share_bounds(p, rows, tuned))
    k = np.arange(rows + 1.0)
    return _ever((k < low) | (high < k), p)


def wilson_misses(p: float, rows: int) -> float:
    """Give the exact probability that Wilson's interval misses p at any of so many rows from 10 on."""
    n, k = np.arange(1.0, rows + 1.0)[:, np.newaxis], np.arange(rows + 1.0)
    low, high = stats.wilson(np.minimum(k, n), n, LEVEL)
    return _ever(((p < low) | (high < p)) & (n >= 10), p)


def _ever(missing: NDArray[np.bool_], p: float) -> float:
    """Give the probability that successes k reach a place [n - 1, k] that is missing."""
    mass = np.zeros(missing.shape[1])
    mass[0] = 1.0
    lost = 0.0
    for now in missing:
        mass = (1.0 - p) * mass + p * np.concatenate([[0.0], mass[:-1]])
        lost += float(mass[now].sum())
        mass[now] = 0.0
    return lost


# Simulated.


def student_misses(draw: Draw, truth: float, n: int, runs: int, rng: np.random.Generator) -> int:
    """Count runs of n values whose interval of the mean misses the truth."""
    _, low, high = stats.mean_of(draw(rng, (runs, n)), LEVEL)
    return int(((truth < low) | (high < truth)).sum())


def share_sequence_misses(p: float, rows: int, runs: int, rng: np.random.Generator, tuned: float = TUNED) -> int:
    """Count runs in which beta_binomial misses p at any row, looked at after each."""
    low, high = share_bounds(p, rows, tuned)
    missed = 0
    for start in range(0, runs, 500):
        k = np.cumsum(rng.random((min(500, runs - start), rows)) < p, axis=1)
        missed += int(((k < low) | (high < k)).any(axis=1).sum())
    return missed


def mean_sequence_misses(draw: Draw, truth: float, rows: int, runs: int, rng: np.random.Generator) -> int:
    """Count runs in which asymptotic_mean misses the truth at any row, looked at after each."""
    n = np.arange(1.0, rows + 1.0)
    missed = 0
    for start in range(0, runs, 200):
        values = draw(rng, (min(200, runs - start), rows))
        mean = np.cumsum(values, axis=1) / n
        spread = (np.cumsum(values * values, axis=1) - n * mean * mean)[:, FIRST_ROWS - 1 :]
        sd = np.sqrt(np.maximum(spread, 0.0) / (n[FIRST_ROWS - 1 :] - 1.0))
        away = np.abs(mean[:, FIRST_ROWS - 1 :] - truth) > sd * mean_factor(n[FIRST_ROWS - 1 :], LEVEL)
        missed += int(away.any(axis=1).sum())
    return missed


# Tables. The exact ones are the same anywhere, and a test compares them.


def coverage_of_shares() -> str:
    """Write how often Wilson's, Newcombe's and Tango's intervals cover the truth."""
    rows = []
    for n in (50, 200, 1000, 10_000):
        covered = wilson_coverage(n)
        rows.append(("one share", f"{n:,}", "0.01 to 0.99", *_mean_and_least(covered)))
    grid = np.linspace(0.02, 0.98, 25)
    for n in (50, 200):
        covered = newcombe_coverage(n, n, grid)
        rows.append(("two shares, independent rows", f"{n:,} each", "0.02 to 0.98 each", *_mean_and_least(covered)))
    for n in (50, 100, 200):
        covered = tango_coverage(n, DISCORDANT)
        words = "0.01 to 0.3 of the rows only one, the same only the other"
        rows.append(("two shares, same rows", f"{n:,}", words, *_mean_and_least(covered)))
    return table(("interval", "rows", "truth", "mean coverage", "least"), rows)


def coverage_of_quantiles() -> str:
    """Write how often intervals of quantiles cover the truth."""
    rows = []
    for n in (50, 200, 1000, 100_000):
        rows.append((f"{n:,}", *(f"{100 * quantile_coverage(n, p):.1f} %" for p in QUANTILES)))
    return table(("rows", *(f"quantile {p:g}" for p in QUANTILES)), rows)


def misses_at_any_row() -> str:
    """Write how often sequences, and Wilson's interval if it is misused as one, miss within 1000 rows."""
    rows = []
    for p in (0.01, 0.1, 0.5):
        peeked = [sequence_misses(p, 1000, tuned) for tuned in (100.0, TUNED)]
        rows.append((f"{p:g}", *(f"{100 * misses:.1f} %" for misses in (*peeked, wilson_misses(p, 1000)))))
    return table(("share", "sequence tuned to 100 rows", f"tuned to {TUNED:,.0f}", "Wilson's interval"), rows)


def price() -> str:
    """Write how many rows a half-width takes, fixed and with `until`."""
    rows = []
    for share in (0.5, 0.2, 0.05, 0.01):
        for width in (0.01, 0.002):
            fixed = stats.rows_for_half_width(width, share=share)
            stopped = stats.rows_until_half_width(width, share=share, tuned=stats.tuning(width))
            rows.append((f"{share:g}", f"{width:g}", f"{fixed:,}", f"{stopped:,}", f"{stopped / fixed:.1f}"))
    return table(("share", "half-width", "rows, fixed beforehand", "rows with `until`, about", "ratio"), rows)


def coverage_of_means() -> str:
    """Write how often Student's interval covers the mean of values of several kinds."""
    rng = np.random.default_rng(1)
    rows = []
    for name, (draw, truth) in WAYS.items():
        misses = [student_misses(draw, truth, n, 20_000, rng) for n in (10, 50, 200, 1000)]
        rows.append((name, *(f"{100 - missed / 200:.1f} %" for missed in misses)))
    return table(("values", *(f"{n:,} rows" for n in (10, 50, 200, 1000))), rows)


def misses_of_sequences() -> str:
    """Write how often sequences miss at any of many rows, each of which is looked at."""
    rng = np.random.default_rng(2)
    rows = [
        (f"share {p:g}", f"{100 * share_sequence_misses(p, PEEKED, RUNS, rng) / RUNS:.1f} %")
        for p in (0.001, 0.01, 0.1, 0.5)
    ]
    for name, (draw, truth) in WAYS.items():
        rows.append((f"mean, {name}", f"{100 * mean_sequence_misses(draw, truth, PEEKED, RUNS, rng) / RUNS:.1f} %"))
    return table(("sequence", "runs that miss at any row"), rows)


def saved_by_pairing() -> str:
    """Write what common luck takes out of the difference of two runs of breaks."""
    metrics = ("n_disc_hits", "men", "any", "free", "queen")
    rows = []
    with TemporaryDirectory() as folder:
        plain = cs.BreakStudy(strokes=16_384, seed=5).run(f"{folder}/plain")
        for change in ({"sd_speed": 0.0501}, {"sd_speed": 0.055}, {"sd_speed": 0.1}, {"sd_angle": 0.02}):
            ((name, value),) = change.items()
            other = cs.BreakStudy.model_validate({"strokes": 16_384, "seed": 5} | change)
            found = {each.metric: each for each in diff_runs(plain, other.run(f"{folder}/{name}{value}")).metrics}
            was = getattr(plain.study, name)
            rows.append(
                (f"`{name}` {was:.4g}, {value:.4g}", *(f"{100 * found[each].reduction:.0f} %" for each in metrics))
            )
    return table(("changed", *(f"`{each}`" for each in metrics)), rows)


def studies() -> str:
    """Write what became of many studies that stopped themselves."""
    rows = []
    for until in UNTIL:
        # So short an interval is never reached: the estimate is that of all rows.
        truth = _ended(10**6, TRUE_ROWS, until | {"half_width": 1e-6})["estimate"]
        ends = [_ended(seed, BUDGET, until) for seed in range(STUDIES)]
        missed = sum(not end["low"] <= truth <= end["high"] for end in ends)
        reached = sum(end["reason"] == "half_width" for end in ends)
        told = (f"{np.mean([end['rows'] for end in ends]):,.0f}", f"{missed} of {STUDIES}")
        rows.append(
            (f"`{until['metric']}`", f"{until['half_width']:g}", f"{truth:.4f}", f"{reached} of {STUDIES}", *told)
        )
    head = ("metric", "half-width", "truth", "half-width reached", "mean rows", "interval misses the truth")
    return table(head, rows)


def _ended(seed: int, rows: int, until: dict[str, Any]) -> Mapping[str, Any]:
    """Play a study and give why it ended."""
    stopped = cs.BreakStudy(strokes=rows, seed=seed, until=until).summarise().stopped
    assert stopped is not None
    return stopped


def _mean_and_least(coverage: NDArray[np.float64]) -> tuple[str, str]:
    return f"{100 * coverage.mean():.1f} %", f"{100 * coverage.min():.1f} %"


EXACT = {
    "shares": coverage_of_shares,
    "quantiles": coverage_of_quantiles,
    "peeking": misses_at_any_row,
    "price": price,
}
SIMULATED = {"means": coverage_of_means, "pairing": saved_by_pairing, "sequences": misses_of_sequences}
PLAYED = {"studies": studies}
"""Tables by the name of their marks on the page."""


def main() -> None:
    """Fill the tables anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", action="store_true", help="only the table of studies that stop themselves")
    tables = PLAYED if parser.parse_args().study else EXACT | SIMULATED
    page = PAGE.read_text(encoding="utf-8")
    for name, text in tables.items():
        page = filled(page, name, text())
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

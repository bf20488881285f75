"""Every interval covers the truth as often as it says, and docs/statistics.md says what is measured.

Exact where outcomes can be enumerated, otherwise by simulation within the binomial error.
"""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from carromsim import stats
from carromsim.stats import decided, paired_means, paired_shares, welch, wilson

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_statistics", DOCS / "measure_statistics.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)  # it imports its neighbour
        spec.loader.exec_module(module)
    return module


def nominal(misses: int, runs: int, share: float = 0.05, errors: float = 4.0) -> bool:
    """Whether so many misses are the share within the binomial error."""
    return abs(misses - share * runs) <= errors * np.sqrt(share * (1.0 - share) * runs)


def at_most(misses: int, runs: int, share: float = 0.05, errors: float = 3.0) -> bool:
    return misses <= share * runs + errors * np.sqrt(share * (1.0 - share) * runs)


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_wilson(script: ModuleType, n: int) -> None:
    coverage = script.wilson_coverage(n)
    assert 0.9495 <= coverage.mean() < 0.956
    assert coverage.min() > 0.83


@pytest.mark.parametrize("n", [50, 51, 64, 100, 151, 300, 1000])
def test_wilson_covers_at_least_94_percent_of_shares_from_1_to_99_percent(script: ModuleType, n: int) -> None:
    """On average over the shares; a single share of few rows may have less, whatever interval is drawn of counts."""
    shares = np.linspace(0.01, 0.99, 981)
    coverage = script.wilson_coverage(n, shares)
    assert coverage.mean() >= 0.94
    frequent = np.minimum(shares, 1.0 - shares) * n >= 10
    assert coverage[frequent].min() >= 0.93
    assert coverage.min() >= (0.89 if n < 100 else 0.92)


@pytest.mark.parametrize(("n1", "n2"), [(50, 50), (50, 100), (100, 100)])
def test_newcombe(script: ModuleType, n1: int, n2: int) -> None:
    coverage = script.newcombe_coverage(n1, n2, np.linspace(0.02, 0.98, 13))
    assert 0.95 <= coverage.mean() < 0.956
    assert coverage.min() > 0.93


@pytest.mark.parametrize(("n", "most"), [(50, 0.96), (100, 0.955)])
def test_tango(script: ModuleType, n: int, most: float) -> None:
    coverage = script.tango_coverage(n, script.DISCORDANT)
    assert 0.95 <= coverage.mean() < most
    assert coverage.min() > 0.93


@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_quantiles(script: ModuleType, p: float) -> None:
    coverage = [script.quantile_coverage(n, p) for n in (10, 50, 200, 1000, 100_000)]
    assert min(coverage) >= 0.95
    assert coverage[-1] < 0.952


@pytest.mark.parametrize("n", [5, 40])
def test_student_of_normal_values(script: ModuleType, n: int) -> None:
    draw, truth = script.WAYS["normal"]
    assert nominal(script.student_misses(draw, truth, n, 20_000, np.random.default_rng(n)), 20_000)


def test_student_of_skewed_values_needs_rows(script: ModuleType) -> None:
    draw, truth = script.WAYS["exponential"]
    few, many = (script.student_misses(draw, truth, n, 10_000, np.random.default_rng(n)) for n in (10, 1000))
    assert few > 900
    assert nominal(many, 10_000, 0.052)


@pytest.mark.parametrize("correlation", [-0.4, 0.0, 0.9])
def test_welch_and_paired_means(correlation: float) -> None:
    rng, runs, n = np.random.default_rng(10), 6_000, 15
    a = rng.normal(size=(runs, n))
    b = 3.0 * (correlation * a + np.sqrt(1.0 - correlation**2) * rng.normal(size=(runs, n))) - 0.7
    d = a - b
    paired = paired_means(n, d.sum(axis=1), (d * d).sum(axis=1))
    assert nominal(int(((paired.low > 0.7) | (paired.high < 0.7)).sum()), runs)
    b = b[rng.permutation(runs), :9]  # rows that have nothing in common, and fewer of them
    apart = welch(n, a.mean(1), a.var(1, ddof=1), 9, b.mean(1), b.var(1, ddof=1))
    assert nominal(int(((apart.low > 0.7) | (apart.high < 0.7)).sum()), runs)


@pytest.mark.parametrize("tuned", [50.0, 1000.0])
@pytest.mark.parametrize("p", [0.003, 0.05, 0.5, 0.97])
def test_the_sequence_exactly(script: ModuleType, p: float, tuned: float) -> None:
    misses = script.sequence_misses(p, 800, tuned)
    assert misses <= 0.05
    assert misses > 0.015 or p == 0.003  # it is not merely wide, but of few events it is


def test_an_interval_of_fixed_rows_misses_under_peeking(script: ModuleType) -> None:
    assert script.wilson_misses(0.5, 800) > 0.4


@pytest.mark.parametrize("p", [0.02, 0.5])
def test_the_sequence_under_continuous_peeking(script: ModuleType, p: float) -> None:
    misses = script.share_sequence_misses(p, 5000, 2000, np.random.default_rng(11))
    assert misses <= 0.05 * 2000
    assert misses > 0.015 * 2000


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.001, 0.02, 0.3, 0.5])
def test_the_sequence_under_continuous_peeking_in_ten_thousand_runs(script: ModuleType, p: float) -> None:
    misses = script.share_sequence_misses(p, 20_000, 10_000, np.random.default_rng(12))
    assert misses <= 0.05 * 10_000
    assert misses > 0.015 * 10_000


@pytest.mark.parametrize("kind", ["exponential", "Poisson, mean 0.5"])
def test_the_sequence_of_a_mean_under_continuous_peeking(script: ModuleType, kind: str) -> None:
    misses = script.mean_sequence_misses(*script.WAYS[kind], 4000, 2000, np.random.default_rng(13))
    assert misses <= 0.05 * 2000
    assert misses > 0.01 * 2000


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "exponential", "Poisson, mean 0.5"])
def test_the_sequence_of_a_mean_in_ten_thousand_runs(script: ModuleType, kind: str) -> None:
    misses = script.mean_sequence_misses(*script.WAYS[kind], 10_000, 10_000, np.random.default_rng(14))
    assert misses <= 0.05 * 10_000
    assert misses > 0.01 * 10_000


def duels(first: float, second: float, runs: int, rows: int, looks: int, seed: int) -> np.ndarray:
    """What is decided at last, (runs,): looked at so often, stopped at once."""
    drawn = np.random.default_rng(seed).random((runs, rows))
    wins, losses = (np.cumsum(part, axis=1) for part in (drawn < first, drawn > 1.0 - second))
    at = np.linspace(rows // looks, rows, looks).astype(int) - 1
    told = decided(wins[:, at], losses[:, at])
    return told[np.arange(runs), np.argmax(told != 0, axis=1)]


def test_equals_are_seldom_called_different() -> None:
    told = duels(0.2, 0.2, runs=2000, rows=2000, looks=40, seed=15)
    assert np.mean(told != 0) <= 0.05
    # McNemar's test at each look would have called far more.
    drawn = np.random.default_rng(15).random((2000, 2000))
    wins, losses = (np.cumsum(part, axis=1)[:, 49::50] for part in (drawn < 0.2, drawn > 0.8))
    naive = paired_shares(0, wins, losses, 2000 - wins - losses).p < 0.05
    assert np.mean(naive.any(axis=1)) > 0.2


@pytest.mark.slow
def test_equals_are_seldom_called_different_when_looked_at_after_every_row(script: ModuleType) -> None:
    # Rows that are both or neither change nothing, so the decisive rows alone are the whole of it.
    misses = script.share_sequence_misses(0.5, 20_000, 10_000, np.random.default_rng(16))
    assert misses <= 0.05 * 10_000


def test_the_better_is_found() -> None:
    told = duels(0.25, 0.15, runs=300, rows=2000, looks=40, seed=17)
    assert np.mean(told == 1) > 0.95
    assert not np.any(told == -1)


def test_the_tables_of_the_page_are_those_of_the_code(script: ModuleType) -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    for name, text in script.EXACT.items():
        assert script.filled(page, name, text()) == page, "run python docs/measure_statistics.py"


def test_the_page_leads_somewhere_and_names_what_there_is(script: ModuleType) -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)\)", page)
    assert targets
    assert [target for target in targets if not (DOCS / target).exists()] == []
    used = page.partition("## What is used where")[2].partition("```python")[0]
    named = set(re.findall(r"`([a-z_]+)`", used)) - {"until", "against"}
    assert len(named) > 12
    assert {name for name in named if not hasattr(stats, name)} == set()


def test_wilson_at_a_single_look_is_what_the_exact_sum_says(script: ModuleType) -> None:
    k = np.random.default_rng(18).binomial(80, 0.3, 40_000)
    low, high = wilson(k, 80)
    misses = int(((low > 0.3) | (high < 0.3)).sum())
    assert nominal(misses, 40_000, 1.0 - float(script.wilson_coverage(80, np.array([0.3]))[0]))

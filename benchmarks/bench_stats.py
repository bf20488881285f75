"""What a look costs: one is taken after every chunk of a study with `until`, and a chunk takes about a second."""

import numpy as np

from carromsim.stats import asymptotic_mean, beta_binomial, holm, newcombe, rows_until_half_width, welch


def bench_look_at_a_share(benchmark) -> None:
    """The beta-binomial sequence of one share."""
    low, high = benchmark(beta_binomial, 48_000, 100_000)
    assert low < 0.48 < high


def bench_look_at_a_mean(benchmark) -> None:
    """The asymptotic sequence of one mean."""
    low, high = benchmark(asymptotic_mean, 100_000, 1.5, 0.25)
    assert low < 1.5 < high


def bench_compare_two_runs(benchmark) -> None:
    """Shares and means of twenty metrics each, with Holm's correction."""
    k = np.arange(20) * 100

    def compare() -> np.ndarray:
        shares = newcombe(k, 10_000, k[::-1], 10_000)
        means = welch(10_000, k, 1.0 + k, 12_000, k[::-1], 2.0 + k)
        return holm(np.concatenate([shares.p, means.p]))

    assert benchmark(compare).shape == (40,)


def bench_plan(benchmark) -> None:
    """Rows that `until` will take."""
    assert benchmark(rows_until_half_width, 0.01, share=0.3) > 10_000

"""How far simulated frequencies, means and differences can be trusted; docs/statistics.md says which is used where.

Plain NumPy: importing scipy.stats takes longer than simulating a thousand breaks.
"""

from carromsim.stats.differences import (
    Difference,
    holm,
    newcombe,
    paired_means,
    paired_shares,
    variance_reduction,
    welch,
)
from carromsim.stats.distributions import normal_quantile
from carromsim.stats.intervals import (
    Interval,
    mean_interval,
    mean_of,
    quantile_interval,
    quantile_ranks,
    student,
    wilson,
)
from carromsim.stats.planning import (
    rows_for_difference,
    rows_for_half_width,
    rows_until_decided,
    rows_until_half_width,
    tuning,
)
from carromsim.stats.sequences import asymptotic_mean, beta_binomial, decided, log_e_value

__all__ = [
    "Difference",
    "Interval",
    "asymptotic_mean",
    "beta_binomial",
    "decided",
    "holm",
    "log_e_value",
    "mean_interval",
    "mean_of",
    "newcombe",
    "normal_quantile",
    "paired_means",
    "paired_shares",
    "quantile_interval",
    "quantile_ranks",
    "rows_for_difference",
    "rows_for_half_width",
    "rows_until_decided",
    "rows_until_half_width",
    "student",
    "tuning",
    "variance_reduction",
    "welch",
    "wilson",
]

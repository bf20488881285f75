"""What the result of a break study hangs on: what it varies, and what the hand adds to what was intended."""

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from carromsim.studies.counting.sensitivity import HAND, Split, declared_splits
from carromsim.tables.batches import values_of
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.breaks.declaration import BreakDeclaration

_THIRD = NormalDist().inv_cdf(1 / 3)


def splits(study: "BreakDeclaration") -> tuple[Split, ...]:
    """Give one split for each quantity that the study varies, in the order of its declaration.

    Last come the errors of the hand, whose standard deviations are `sd_x`, `sd_angle`, `sd_speed` (relative to
    the speed, as declared) and `sd_spin`.
    """
    hand = [(name, getattr(study, f"sd_{name}")) for name in HAND]
    return (*declared_splits(study.parameters), *(_error(name, sd) for name, sd in hand if sd > 0.0))


def _error(name: str, sd: float) -> Split:
    """Cut by the thirds of what the hand adds."""

    def measure(rows: "pa.RecordBatch") -> FloatArray:
        done, meant = values_of(rows, name), values_of(rows, f"intended_{name}")
        if name != "speed":
            return np.asarray(done - meant)
        return np.asarray(np.divide(done - meant, meant, out=np.zeros(len(meant)), where=meant > 0.0))

    return Split(key=f"error_{name}", edges=(_THIRD * sd, -_THIRD * sd), measure=measure)

"""From what was declared, executed, found and ruled to rows of the table `strokes`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim.outcomes import Outcomes
from carromsim.rules.adjudication import Rulings
from carromsim.strokes import Strokes
from carromsim.studies.breaks.ruling import ruling_columns
from carromsim.studies.counting.sensitivity import HAND, column_of
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import STROKES
from carromsim_kernels.state import FloatArray, Status

if TYPE_CHECKING:
    import pyarrow as pa


def strokes_batch(
    rows: range, drawn: Mapping[str, FloatArray], strokes: Strokes, out: Outcomes, rulings: Rulings
) -> "pa.RecordBatch":
    """Put what was intended, executed, found and ruled into rows of the table `strokes`.

    Parameters
    ----------
    rows : range
        Row numbers.
    drawn : mapping of str to (n,) float64
        What each row drew, by parameter of the study.
    strokes : Strokes
        As executed.
    out : Outcomes
        What came of them.
    rulings : Rulings
        On the rows whose status is ok.

    Returns
    -------
    pyarrow.RecordBatch
    """
    columns, missing = out.columns()
    for name in ("vel_x", "vel_y", "omega"):  # nothing moves at the end
        del columns[name]
        missing.pop(name)
    fell = out.pocket >= 0
    n_white, n_black, queen = fell[:, WHITE].sum(axis=1), fell[:, BLACK].sum(axis=1), fell[:, QUEEN].astype(np.int8)
    totals: dict[str, NDArray[Any]] = {
        "n_white": n_white,
        "n_black": n_black,
        "queen": queen,
        "striker": fell[:, STRIKER],
        "n_pocketed": n_white + n_black + queen,
        "n_overboard": out.overboard.sum(axis=1),
    }
    ok = out.status == Status.OK
    missing |= dict.fromkeys(totals, ~ok)
    ruled, unruled = ruling_columns(rulings, ok)
    missing |= unruled
    columns |= {"row": np.arange(rows.start, rows.stop), **totals, **ruled}
    columns |= {column_of(name): values for name, values in drawn.items()}
    columns |= {name: getattr(strokes, name) for name in HAND}
    return record_batch(STROKES, columns, missing)

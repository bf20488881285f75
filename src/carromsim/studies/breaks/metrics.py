"""What is looked at in every row of a break study."""

from typing import TYPE_CHECKING

import numpy as np

from carromsim.studies.breaks.ruling import RULED, seen_in_rulings
from carromsim.studies.breaks.summary import (
    FREE,
    QUESTIONS,
    STEPS,
    WHITE_POCKETS,
    groups,
    n_free,
    positions,
    spread,
    white_pockets,
)
from carromsim.studies.counting.metrics import Observed, over_rows, quantities, shares
from carromsim.tables.batches import rows_where, values_of
from carromsim_kernels.state import Status

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.breaks.declaration import BreakDeclaration

_WORDS = {
    "duration": "duration [s]",
    "n_events": "events",
    "n_disc_hits": "hits of two discs",
    "n_cushion_hits": "hits of the frame",
    "spread": "spread of the men [m]",
}

METRICS = {
    **shares(QUESTIONS),
    **shares(WHITE_POCKETS),
    **shares(RULED),
    **quantities({"men": ("men and queen that fall", 1), "dues": ("dues incurred", 1), "free": ("free men", 1)}),
    **quantities({key: (words, STEPS[key]) for key, words in _WORDS.items()}),
}
"""All of the rows whose status is ok."""


def observed_breaks(batch: "pa.RecordBatch", study: "BreakDeclaration") -> Observed:
    """Give the metrics of rows of the table `strokes`; see `DeclaredStudy.observed`.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        Any rows, in any order.
    study : BreakDeclaration
        Whose rows they are: its equipment says when a man is free.
    """
    ok = np.equal(values_of(batch, "status"), Status.OK)
    rows = rows_where(batch, ok)
    pocket, pos = values_of(rows, "pocket", -1), positions(rows)
    fell, apart = pocket >= 0, white_pockets(pocket)
    number = {key: fell[:, discs].sum(axis=1) for key, discs in groups().items()}
    there = np.asarray(~np.isnan(pos[..., 0]).all(axis=1))  # a board that was cleared has no spread
    values = {
        **{key: number[key] > 0 for key in QUESTIONS},
        **{key: apart >= least for least, key in enumerate(WHITE_POCKETS, 1)},
        **seen_in_rulings(rows),
        "men": number["any"],
        "dues": values_of(rows, "dues_incurred"),
        "free": n_free(pos, FREE * study.equipment.largest_man_radius),
        **{key: values_of(rows, key) for key in STEPS if key != "spread"},
        "spread": over_rows(there, spread(pos)),
    }
    return {key: over_rows(ok, values[key]) for key in METRICS}

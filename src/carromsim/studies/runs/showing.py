"""What a notebook shows of a run."""

from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing.card import WIDTH, card
from carromsim.drawing.svg import svg_board
from carromsim.equipment import N_DISCS, WHITE, Equipment
from carromsim.layouts import opening
from carromsim.tables.batches import values_of
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.runs.reading import Run

__all__ = ["run_card"]


def run_card(run: "Run") -> str:
    """Lay out the key facts of a run beside a picture of its row 0, as HTML.

    Nothing is played, and no more than the part with row 0 is read; if that part is damaged, the card says so.
    """
    study, chunks, standing = run.study, len(run.parts.chunks), run.numbers()
    declared = run.manifest["study"]
    board = Equipment(**declared["equipment"])
    facts = {
        "directory": run.directory,
        "kind": study.kind,
        "rows": f"{study.rows}{' at most' if study.until is not None else ''}",
        "seed": declared["seed"],
        "stands": f"{len(standing)} of {chunks} chunks of up to {run.manifest['chunks']['rows']} rows",
        "tables": ", ".join(table.name for table in study.tables),
        "board": board.name,
    }
    pos, caption = _shown(run, board)
    return card("Run", facts, svg_board(board, pos, width=WIDTH), caption)


def _shown(run: "Run", board: Equipment) -> tuple[FloatArray, str]:
    """Give the position to show, (20, 2) [m], and what it is."""
    columns = {column.name for column in run.study.tables[0].columns}
    row, trouble = None, ""
    if columns & {"pos_x", "man_x"}:
        try:
            row = run.row(0)
        except OSError as error:
            trouble = f"row 0 cannot be read: {error}; "
    if row is not None:
        return _of_row(row, columns)
    if "man_x" in columns:
        return np.full((N_DISCS, 2), np.nan), f"{trouble}the empty board"
    return opening(board).pos, f"{trouble}the opening pack"


def _of_row(row: "pa.RecordBatch", columns: set[str]) -> tuple[FloatArray, str]:
    """Give where the discs of a row lie at its end, or, if only that stands there, where the man lies at first."""
    if "pos_x" in columns:
        return np.stack([values_of(row, name, np.nan)[0] for name in ("pos_x", "pos_y")], axis=-1), "the end of row 0"
    pos = np.full((N_DISCS, 2), np.nan)
    pos[WHITE.start] = [values_of(row, name, np.nan)[0] for name in ("man_x", "man_y")]
    return pos, "the man of row 0, before the stroke"

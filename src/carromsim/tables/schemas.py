"""Every column of every table, once: name, type, unit and what it means.

The Arrow schemas, their metadata and the documentation are made from these lists; no other file
names a column's type. Missing values are null, never NaN: a NaN poisons the statistics by which
query engines skip row groups, and nobody can tell it from a computed NaN.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from carromsim_kernels.state import N_DISCS, Status

if TYPE_CHECKING:
    import pyarrow as pa

Scalar = Literal["int8", "int32", "int64", "float64"]

DISC_NAMES = ("striker", "queen", *(f"white {i}" for i in range(1, 10)), *(f"black {i}" for i in range(1, 10)))
POCKET_NAMES = ("bottom left", "bottom right", "top right", "top left")


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Name in files and queries.
    dtype : str
        Arrow type of the values, by name.
    unit : str
        SI unit; "1" for counts, codes and yes/no (1/0, so that sums and means work in every reader).
    doc : str
        What the values mean, one sentence.
    nullable : bool
        Whether a value may be missing. In a column per disc this is said of the discs' values; the
        list itself is never missing.
    per_disc : bool
        Whether each row holds a list of one value per disc, in disc order.
    repetitive : bool
        Whether few distinct values are expected, so that a dictionary pays in a file.
    codes : tuple of str
        Names of the codes 0, 1, ... of a coded column. Codes are append-only.
    """

    name: str
    dtype: Scalar
    unit: str
    doc: str
    nullable: bool = False
    per_disc: bool = False
    repetitive: bool = False
    codes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Name of the column inside a Parquet file."""
        return f"{self.name}.list.element" if self.per_disc else self.name


@dataclass(frozen=True, kw_only=True)
class TableSchema:
    """Columns of one table and the version of their meaning.

    Parameters
    ----------
    name : str
        Name of the table.
    version : int
        Grows with every change of a column's name, type or meaning.
    columns : tuple of Column
        In the order of the file.
    """

    name: str
    version: int
    columns: tuple[Column, ...]

    @property
    def label(self) -> str:
        """Name and version as files carry it, such as "strokes/1"."""
        return f"{self.name}/{self.version}"

    def arrow(self) -> "pa.Schema":
        """Build the Arrow schema; units, sentences and codes travel in the field metadata."""
        import pyarrow as pa

        metadata = {"carromsim.schema": self.label, "carromsim.discs": json.dumps(DISC_NAMES)}
        return pa.schema([_field(column) for column in self.columns], metadata=metadata)


def _field(column: Column) -> "pa.Field":
    """Build the Arrow field of one column."""
    import pyarrow as pa

    metadata = {"unit": column.unit, "doc": column.doc}
    if column.codes:
        metadata["codes"] = json.dumps({str(code): name for code, name in enumerate(column.codes)})
    value = pa.type_for_alias(column.dtype)
    if column.per_disc:
        inner = pa.field("element", value, nullable=column.nullable)
        return pa.field(column.name, pa.list_(inner, N_DISCS), nullable=False, metadata=metadata)
    return pa.field(column.name, value, nullable=column.nullable, metadata=metadata)


def _declared(name: str, unit: str, doc: str, *, repetitive: bool = False) -> Column:
    """Describe a number that was set before the stroke."""
    return Column(name=name, dtype="float64", unit=unit, doc=doc, repetitive=repetitive)


def _outcome(name: str, doc: str, *, dtype: Scalar = "int8", unit: str = "1", codes: tuple[str, ...] = ()) -> Column:
    """Describe a number that the simulation found; missing in rows whose status is not ok."""
    small = dtype == "int8"
    return Column(name=name, dtype=dtype, unit=unit, doc=doc, nullable=True, repetitive=small, codes=codes)


STROKES = TableSchema(
    name="strokes",
    version=1,
    columns=(
        Column(
            name="row",
            dtype="int64",
            unit="1",
            doc="Number of the stroke in its study; with the study's seed it fixes every random number of the row.",
        ),
        _declared(
            "intended_x",
            "m",
            "Intended centre of the striker along the base line, from its middle, in the player's own frame.",
            repetitive=True,
        ),
        _declared(
            "intended_angle",
            "rad",
            "Intended direction, counter-clockwise from +x of the player's own frame; pi/2 is straight ahead.",
            repetitive=True,
        ),
        _declared("intended_speed", "m/s", "Intended speed of the striker as it leaves the finger.", repetitive=True),
        _declared("intended_spin", "rad/s", "Intended spin, counter-clockwise positive.", repetitive=True),
        _declared("x", "m", "Executed centre of the striker along the base line."),
        _declared("angle", "rad", "Executed direction."),
        _declared("speed", "m/s", "Executed speed."),
        _declared("spin", "rad/s", "Executed spin."),
        _declared("rotation", "rad", "Turn of the opening pack, counter-clockwise.", repetitive=True),
        _declared("gap", "m", "Distance between the rims of neighbours in the opening pack.", repetitive=True),
        Column(
            name="status",
            dtype="int8",
            unit="1",
            doc="What became of the row; outcomes are missing unless it is ok.",
            repetitive=True,
            codes=tuple(status.name.lower() for status in Status),
        ),
        _outcome("n_white", "White men pocketed."),
        _outcome("n_black", "Black men pocketed."),
        _outcome("queen", "1 if the queen was pocketed, else 0."),
        _outcome("striker", "1 if the striker was pocketed, else 0."),
        _outcome("n_pocketed", "Men and queen pocketed; the striker does not count."),
        Column(
            name="pocket",
            dtype="int8",
            unit="1",
            doc="Per disc: the pocket it fell into; missing if it did not fall.",
            nullable=True,
            per_disc=True,
            repetitive=True,
            codes=POCKET_NAMES,
        ),
        Column(
            name="pocket_time",
            dtype="float64",
            unit="s",
            doc="Per disc: when it fell, from the start of the stroke; missing if it did not fall.",
            nullable=True,
            per_disc=True,
        ),
        Column(
            name="pos_x",
            dtype="float64",
            unit="m",
            doc="Per disc: where its centre rests, to the right of the board's centre; missing if not on the surface.",
            nullable=True,
            per_disc=True,
        ),
        Column(
            name="pos_y",
            dtype="float64",
            unit="m",
            doc="Per disc: where its centre rests, away from seat 0, from the centre; missing if not on the surface.",
            nullable=True,
            per_disc=True,
        ),
        _outcome("first_hit", "The disc that the striker touched first; missing if it touched none.", codes=DISC_NAMES),
        _outcome("first_hit_direct", "1 if the striker met no cushion before it, else 0; missing without a hit."),
        _outcome(
            "first_hit_behind",
            "1 if that disc lay behind or touched the player's front striking line, else 0; missing without a hit.",
        ),
        _outcome("crossed_front_line", "1 if the whole striker passed the player's front striking line, else 0."),
        _outcome("n_events", "Events of the stroke, stops included.", dtype="int32"),
        _outcome("n_disc_hits", "Hits between two discs.", dtype="int32"),
        _outcome("n_cushion_hits", "Hits of a disc on a cushion.", dtype="int32"),
        _outcome("duration", "Time until the last disc rested or fell.", dtype="float64", unit="s"),
    ),
)

"""Every column of every table, once: name, type, unit and what it means.

The Arrow schemas, their metadata and the documentation are made from these lists; no other file
names a column's type. Missing values are null, never NaN: a NaN poisons the statistics by which
query engines skip row groups, and nobody can tell it from a computed NaN.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from carromsim_kernels.laws import QueenState, Turn
from carromsim_kernels.state import N_DISCS, Status

if TYPE_CHECKING:
    import pyarrow as pa

Scalar = Literal["int8", "int32", "int64", "float64", "string"]

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
        SI unit; "1" for counts, codes, words and yes/no (1/0, so that sums and means work in every reader).
    doc : str
        What the values mean, one sentence.
    nullable : bool
        Whether a value may be missing. In a column per disc this is said of the discs' values; the
        list itself is never missing.
    per_disc : bool
        Whether each row holds a list of one value per disc, in disc order.
    repetitive : bool
        Whether few distinct values are expected, which decides how they are encoded in a file.
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
    family : str
        What tells tables of one name apart: whose strokes, for example.
    """

    name: str
    version: int
    columns: tuple[Column, ...]
    family: str = ""

    @property
    def title(self) -> str:
        """Name that no other table has, such as "strokes", or "played.strokes" with a family."""
        return f"{self.family}.{self.name}" if self.family else self.name

    @property
    def label(self) -> str:
        """Title and version as files carry it, such as "strokes/1"."""
        return f"{self.title}/{self.version}"

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


def _found(name: str, doc: str, *, dtype: Scalar = "int8", unit: str = "1", codes: tuple[str, ...] = ()) -> Column:
    """Describe a number that the simulation found; missing in rows whose status is not ok."""
    small = dtype == "int8"
    return Column(name=name, dtype=dtype, unit=unit, doc=doc, nullable=True, repetitive=small, codes=codes)


def _per_disc(name: str, unit: str, doc: str) -> Column:
    """Describe a number of each disc that the simulation found; missing where the disc has none."""
    return Column(name=name, dtype="float64", unit=unit, doc=doc, nullable=True, per_disc=True)


COEFFICIENTS = (
    _declared("mu_surface", "1", "Coulomb friction of discs on the playing surface.", repetitive=True),
    _declared("e_disc", "1", "Normal restitution, disc on disc, at high speed.", repetitive=True),
    _declared("e_cushion", "1", "Normal restitution, disc on frame, at high speed.", repetitive=True),
    _declared("mu_disc", "1", "Coulomb friction, disc on disc.", repetitive=True),
    _declared(
        "v_c_disc",
        "m/s",
        "Restitution of discs at speed v: e_disc + (1 - e_disc) v_c / (v_c + v).",
        repetitive=True,
    ),
    _declared("v_c_cushion", "m/s", "The same of a disc on the frame, with e_cushion.", repetitive=True),
    _declared("t_contact", "s", "Duration of the elastic hit of two men.", repetitive=True),
)
"""What a study may vary of the equipment."""

_STATUS = Column(
    name="status",
    dtype="int8",
    unit="1",
    doc="What became of the row; outcomes are missing unless it is ok.",
    repetitive=True,
    codes=tuple(status.name.lower() for status in Status),
)
_POCKETS = (
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
    _per_disc(
        "pocket_time",
        "s",
        "Per disc: when its fall was over, from the start of the stroke; missing if it did not fall.",
    ),
)
_PLACES = (
    _per_disc(
        "pos_x", "m", "Per disc: its centre at the end, right of the board's centre; missing if not on the surface."
    ),
    _per_disc(
        "pos_y", "m", "Per disc: its centre at the end, away from seat 0, from the board's centre; missing likewise."
    ),
)
_COURSE = (
    _found("first_hit", "The disc that the striker touched first; missing if it touched none.", codes=DISC_NAMES),
    _found("first_hit_direct", "1 if the striker met no cushion before it, else 0; missing without a hit."),
    _found(
        "first_hit_behind",
        "1 if that disc touched or lay behind the shooter's front line (extended), else 0; missing without a hit.",
    ),
    _found("crossed_front_line", "1 if the whole striker was beyond the shooter's front line at any time, else 0."),
    _found("n_events", "All events: hits, pocketings and stops.", dtype="int32"),
    _found("n_disc_hits", "Hits between two discs.", dtype="int32"),
    _found("n_cushion_hits", "Hits of a disc on a cushion.", dtype="int32"),
    _found("duration", "Time until the last event, or until the clock was stopped.", dtype="float64", unit="s"),
)

_OVERBOARD = Column(
    name="overboard",
    dtype="int8",
    unit="1",
    doc="Per disc: 1 if it left the board over the frame (speculative), else 0; missing unless the status is ok.",
    nullable=True,
    per_disc=True,
    repetitive=True,
)

_RULING = (
    _found("turn", "Who plays next.", codes=tuple(turn.name.lower() for turn in Turn)),
    _found("break_made", "1 if the break counts as made, else 0."),
    _found("dues_incurred", "Dues that the breaker has incurred, without those that were forgone."),
    _found("dues_paid", "Men of the breaker that are placed for his dues now; what is missing he owes."),
    _found("returned_own", "Men of the breaker that come back and are no dues."),
    _found("returned_opponent", "Men of the other side that come back."),
    _found("queen_after", "Where the queen stands now.", codes=tuple(state.name.lower() for state in QueenState)),
    _found("queen_returned", "1 if the queen left the board and comes back, else 0."),
    Column(
        name="laws",
        dtype="string",
        unit="1",
        doc='The laws of the rule set that decided the ruling, as in "ICF 72a; ICF 45c"; missing without an outcome.',
        nullable=True,
        repetitive=True,
    ),
)
"""What the rule set makes of a break. The board that white breaks is full, nothing is owed."""

OUTCOMES = TableSchema(
    name="outcomes",
    version=2,
    columns=(
        _STATUS,
        *_POCKETS,
        _OVERBOARD,
        *_PLACES,
        _per_disc("vel_x", "m/s", "Per disc: velocity at the end, to the right; missing if not on the surface."),
        _per_disc("vel_y", "m/s", "Per disc: velocity at the end, away from seat 0; missing if not on the surface."),
        _per_disc("omega", "rad/s", "Per disc: spin at the end, counter-clockwise; missing if not on the surface."),
        *_COURSE,
    ),
)
"""What `Outcomes.to_arrow` gives: any batch of strokes, without the numbers that were set."""

STROKES = TableSchema(
    name="strokes",
    version=3,
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
        *COEFFICIENTS,
        _STATUS,
        _found("n_white", "White men pocketed."),
        _found("n_black", "Black men pocketed."),
        _found("queen", "1 if the queen was pocketed, else 0."),
        _found("striker", "1 if the striker was pocketed, else 0."),
        _found("n_pocketed", "Men and queen pocketed; the striker does not count."),
        _found("n_overboard", "Discs that left the board over the frame, which is speculative."),
        *_POCKETS,
        _OVERBOARD,
        *_PLACES,
        *_COURSE,
        *_RULING,
    ),
)
"""One row per stroke of a study: what was set, what came of it, and what the rule set says to it."""

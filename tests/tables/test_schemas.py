"""The column lists, and the Arrow schemas made from them."""

import json
import subprocess
import sys

import pyarrow as pa
import pytest

from carromsim.tables import schemas_players
from carromsim.tables.schemas import DISC_NAMES, OUTCOMES, STROKES, Column, TableSchema
from carromsim_kernels.state import N_DISCS, Status

PLAYERS = [value for value in vars(schemas_players).values() if isinstance(value, TableSchema)]
UNITS = {"1", "m", "rad", "m/s", "rad/s", "s"}
NAMES = [
    "row",
    "intended_x",
    "intended_angle",
    "intended_speed",
    "intended_spin",
    "x",
    "angle",
    "speed",
    "spin",
    "rotation",
    "gap",
    "mu_surface",
    "e_disc",
    "e_cushion",
    "mu_disc",
    "v_c_disc",
    "v_c_cushion",
    "t_contact",
    "status",
    "n_white",
    "n_black",
    "queen",
    "striker",
    "n_pocketed",
    "n_overboard",
    "pocket",
    "pocket_time",
    "overboard",
    "pos_x",
    "pos_y",
    "first_hit",
    "first_hit_direct",
    "first_hit_behind",
    "crossed_front_line",
    "n_events",
    "n_disc_hits",
    "n_cushion_hits",
    "duration",
    "turn",
    "break_made",
    "dues_incurred",
    "dues_paid",
    "returned_own",
    "returned_opponent",
    "queen_after",
    "queen_returned",
    "laws",
]


def test_strokes_has_these_columns_in_this_order() -> None:
    # Pinned: a change here is a new schema version.
    assert STROKES.label == "strokes/3"
    assert [column.name for column in STROKES.columns] == NAMES
    assert STROKES.arrow().names == NAMES


def test_outcomes_share_their_columns_with_strokes() -> None:
    shared = [column for column in OUTCOMES.columns if column in STROKES.columns]
    alone = [column.name for column in OUTCOMES.columns if column not in STROKES.columns]
    assert OUTCOMES.label == "outcomes/2"
    assert len(shared) == 14
    assert alone == ["vel_x", "vel_y", "omega"]


@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column) for table in (STROKES, OUTCOMES, *PLAYERS) for column in table.columns],
    ids=lambda value: value.name,
)
def test_every_field_says_what_it_is(table: TableSchema, column: Column) -> None:
    field = table.arrow().field(column.name)
    assert field.metadata[b"unit"].decode() in UNITS
    doc = field.metadata[b"doc"].decode()
    assert doc == column.doc
    assert doc.endswith(".")
    assert len(doc) > 10
    assert field.nullable is (column.nullable and not column.per_disc)


def test_types() -> None:
    schema = STROKES.arrow()
    assert schema.field("row").type == pa.int64()
    assert schema.field("x").type == pa.float64()
    assert schema.field("n_white").type == pa.int8()
    assert schema.field("n_events").type == pa.int32()
    assert schema.field("laws").type == pa.string()
    for name, value in (("pocket", pa.int8()), ("pocket_time", pa.float64()), ("pos_x", pa.float64())):
        kind = schema.field(name).type
        assert (kind.list_size, kind.value_type, kind.value_field.nullable) == (N_DISCS, value, True)


def test_codes_are_named_in_the_metadata() -> None:
    schema = STROKES.arrow()
    status = json.loads(schema.field("status").metadata[b"codes"])
    assert status == {str(code.value): code.name.lower() for code in Status}
    turns = json.loads(schema.field("turn").metadata[b"codes"])
    assert turns == {"0": "continue", "1": "pass", "2": "retry", "3": "board_end"}
    queens = json.loads(schema.field("queen_after").metadata[b"codes"])
    assert queens == {"0": "on_board", "1": "pending", "2": "covered_white", "3": "covered_black"}
    assert json.loads(schema.field("pocket").metadata[b"codes"])["2"] == "top right"
    assert json.loads(schema.field("first_hit").metadata[b"codes"])["19"] == "black 9"
    assert json.loads(schema.metadata[b"carromsim.discs"]) == list(DISC_NAMES)
    assert DISC_NAMES[:3] + DISC_NAMES[10:12] == ("striker", "queen", "white 1", "white 9", "black 1")


def test_the_label_travels_in_the_schema() -> None:
    assert STROKES.arrow().metadata[b"carromsim.schema"] == b"strokes/3"


def test_a_family_tells_tables_of_one_name_apart() -> None:
    assert schemas_players.PLAYED_STROKES.name == STROKES.name
    assert schemas_players.PLAYED_STROKES.label == "played.strokes/1"
    labels = ["shots/1", "played.strokes/1", "boards/2", "games/1", "matches/2"]
    assert [table.label for table in PLAYERS] == labels


def test_path_is_the_name_inside_a_parquet_file() -> None:
    paths = {column.name: column.path for column in STROKES.columns}
    assert paths["duration"] == "duration"
    assert paths["pos_x"] == "pos_x.list.element"


def test_reading_the_columns_needs_no_pyarrow() -> None:
    code = "import sys, carromsim.tables.schemas; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

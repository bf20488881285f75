"""The page of the tables says what the schemas say."""

import subprocess
import sys
from pathlib import Path

import pytest

from carromsim.tables import schemas, schemas_optimise, schemas_players, schemas_variants
from carromsim.tables.document import document
from carromsim.tables.schemas import OUTCOMES, STROKES, Column, TableSchema

PAGE = Path(__file__).parent.parent.parent / "docs" / "tables.md"


def test_the_page_is_the_one_that_the_schemas_make() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == document(), "write it again: python -m carromsim.tables.document > docs/tables.md"


def test_the_command_writes_the_page() -> None:
    command = [sys.executable, "-W", "error", "-m", "carromsim.tables.document"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == document()


def test_every_column_of_every_table_has_its_line() -> None:
    modules = (schemas, schemas_players, schemas_variants, schemas_optimise)
    listed = [value for module in modules for value in vars(module).values()]
    tables = {value.title: value for value in listed if isinstance(value, TableSchema)}.values()
    of_variants = {"compared.boards", "compared.games", "compared.matches"}
    others = {"evaluations", "outcomes", "strokes", "played.strokes", "shots", "boards", "games", "matches"}
    assert others | of_variants == {table.title for table in tables}
    sections = {text.partition("\n")[0]: text for text in document().split("\n## ")[1:]}
    assert sorted(sections) == sorted(table.title for table in tables)
    for table in tables:
        assert f"`{table.label}`" in sections[table.title]
        lines = [line for line in sections[table.title].splitlines() if line.startswith("| `")]
        assert [line.split("`")[1] for line in lines] == [column.name for column in table.columns]
        for line, column in zip(lines, table.columns, strict=True):
            assert column.doc in line
            assert f"| {column.unit} |" in line


def test_lists_codes_and_missing_values_are_told() -> None:
    text = document()
    status = next(column for column in STROKES.columns if column.name == "status")
    codes = "0 ok, 1 event limit, 2 start overlap, 3 bad input, 4 burst limit"
    assert f"| `status` | int8 | 1 | {status.doc} Codes: {codes}. |" in text
    assert "| `pos_x` | list of 20 float64, may be missing | m |" in text
    assert "| 11 to 19 | black 1 to 9 |" in text
    assert "first_hit_direct" in text


def test_a_new_table_appears_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    new = TableSchema(name="new", version=1, columns=(Column(name="n", dtype="int32", unit="1", doc="How many."),))
    monkeypatch.setattr(schemas, "NEW", new, raising=False)
    assert document().index(f"## {OUTCOMES.title}") > document().index("## new")
    assert "| `n` | int32 | 1 | How many. |" in document()

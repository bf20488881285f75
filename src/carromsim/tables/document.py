"""The page that says what every column of every table means, made from the schemas.

``python -m carromsim.tables.document > docs/tables.md`` writes it; a test compares.
"""

import sys

from carromsim.tables import schemas, schemas_optimise, schemas_players, schemas_variants
from carromsim.tables.schemas import DISC_NAMES, Column, TableSchema
from carromsim_kernels.state import N_DISCS

_HEAD = f"""\
# Tables

What every column means. Made from `src/carromsim/tables/schemas*.py` by `python -m carromsim.tables.document`; the same
sentences and units travel in the metadata of each field, in Arrow and in Parquet.

* A missing value is null, never NaN. Rows whose `status` is not 0 (ok) have no outcome: it is missing there.
* SI units and radians; "1" is a count, a code, or yes (1) and no (0).
* x runs to the right and y away from the player who sits at the bottom (seat 0), from the centre of the board.
* A list has {N_DISCS} values, one per disc in the order of this table:

| entry | disc |
|---:|---|
| 0 | {DISC_NAMES[0]} |
| 1 | {DISC_NAMES[1]} |
| 2 to 10 | {DISC_NAMES[2]} to {DISC_NAMES[10].rpartition(" ")[2]} |
| 11 to 19 | {DISC_NAMES[11]} to {DISC_NAMES[19].rpartition(" ")[2]} |
"""


def document() -> str:
    """Give the page, Markdown."""
    return "\n".join([_HEAD, *map(_section, every_table())])


def every_table() -> list[TableSchema]:
    """Give the schemas of all tables, by title."""
    modules = (schemas, schemas_players, schemas_variants, schemas_optimise)
    listed = [value for module in modules for value in vars(module).values()]
    tables = {value.title: value for value in listed if isinstance(value, TableSchema)}.values()
    return sorted(tables, key=lambda table: table.title)


def _section(table: TableSchema) -> str:
    lines = [
        f"## {table.title}",
        "",
        f"Schema `{table.label}`, {len(table.columns)} columns.",
        "",
        "| column | type | unit | meaning |",
        "|---|---|---|---|",
        *map(_line, table.columns),
    ]
    return "\n".join(lines) + "\n"


def _line(column: Column) -> str:
    kind = f"list of {N_DISCS} {column.dtype}" if column.per_disc else column.dtype
    if column.nullable:
        kind += ", may be missing"
    return f"| `{column.name}` | {kind} | {column.unit} | {column.doc}{_codes(column.codes)} |"


def _codes(codes: tuple[str, ...]) -> str:
    """List the names of codes; those of the discs stand at the top of the page."""
    if not codes:
        return ""
    if codes == DISC_NAMES:
        return " Codes: disc order."
    return " Codes: " + ", ".join(f"{code} {name.replace('_', ' ')}" for code, name in enumerate(codes)) + "."


if __name__ == "__main__":
    sys.stdout.write(document())

"""Every column of the tables of variants: those of players, and which variant of the rules was played."""

from carromsim.tables.schemas import Column, TableSchema
from carromsim.tables.schemas_players import BOARDS, GAMES, MATCHES

__all__ = ["COMPARED", "COMPARED_BOARDS", "COMPARED_GAMES", "COMPARED_MATCHES", "KEYS"]

KEYS = (
    Column(name="row", dtype="int64", unit="1", doc="Number of the row in its study."),
    Column(
        name="scenario",
        dtype="string",
        unit="1",
        doc="What is otherwise than declared for all variants, as in skill=novice; nothing in the comparison itself.",
        repetitive=True,
    ),
    Column(name="variant", dtype="string", unit="1", doc="Which variant of the rules was played.", repetitive=True),
    Column(
        name="number",
        dtype="int64",
        unit="1",
        doc="Number within scenario and variant: with the seed it fixes the luck, the same for all of them.",
    ),
)
"""What tells rows of these tables apart; the rest of the columns is as in the tables of players."""


def _compared(table: TableSchema) -> TableSchema:
    columns = tuple(column for column in table.columns if column.name != "row")
    return TableSchema(name=table.name, family="compared", version=1, columns=(*KEYS, *columns))


COMPARED_BOARDS = _compared(BOARDS)
"""One row per board of each variant."""

COMPARED_GAMES = _compared(GAMES)
"""One row per game of each variant."""

COMPARED_MATCHES = _compared(MATCHES)
"""One row per match of each variant."""

COMPARED = {BOARDS: COMPARED_BOARDS, GAMES: COMPARED_GAMES, MATCHES: COMPARED_MATCHES}
"""By the table of players."""

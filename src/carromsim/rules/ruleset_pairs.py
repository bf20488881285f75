"""Laws that contradict each other."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from carromsim.problems import Problem
from carromsim.toml import toml_value

__all__ = ["Clash", "clashes"]


class _Need(NamedTuple):
    """Wherever the field has the value, the other one must have the other value."""

    field: str
    value: object
    other: str
    needed: object


_NEEDS = (
    # The queen comes last: nobody has a man left to cover her with, and nobody has won before.
    _Need("queen.right", "after_last_own_man", "queen.cover", "none"),
    _Need("queen.right", "after_last_own_man", "end.own_last", "continue"),
    _Need("end.own_last", "continue", "end.opponent_last", "continue"),
    _Need("end.opponent_last", "continue", "end.own_last", "continue"),
    # Nothing about a cover where none is needed.
    _Need("queen.cover", "none", "queen.opening", "none"),
    _Need("queen.cover", "none", "queen.cover_extended", False),
    _Need("queen.cover", "none", "queen.returns_turn_men", False),
    _Need("queen.cover", "none", "queen.penalty_voids_cover", False),
    # Points for a foul in the last stroke: only where such a stroke decides the board.
    _Need("end.demand_points", True, "end.own_last", "lose"),
    _Need("end.demand_points", True, "end.opponent_last", "opponent_wins_with_queen"),
    # Where any man is an own man, none is the opponent's, and the board is won by points.
    _Need("turn.own_men", "any", "dues.double", "off"),
    _Need("turn.own_men", "any", "dues.opponent_man", 0),
    _Need("turn.own_men", "any", "end.opponent_last", "continue"),
    _Need("turn.own_men", "any", "end.board_loss", False),
    _Need("turn.own_men", "any", "end.board_max", None),
    _Need("turn.own_men", "any", "queen.returns_turn_men", False),
    _Need("turn.own_men", "any", "placing.no_room", "nearest"),
    # The double due is for a man that stays down.
    _Need("dues.double", "on_same_pocket", "dues.striker_own_returned", "none"),
)


class Clash(NamedTuple):
    """Two laws that do not go together, by "group.field": the first needs another value of the second."""

    field: str
    value: object
    other: str
    other_value: object
    needed: str

    def problem(self) -> Problem:
        """Word it as a mistake of the first."""
        return Problem(self.field, self.value, f"needs {self.other} = {self.needed}, it is {_told(self.other_value)}")

    def reverse(self) -> Problem:
        """Word it as a mistake of the second."""
        return Problem(self.other, self.other_value, f"must be {self.needed} with {self.field} = {_told(self.value)}")


def clashes(values: Mapping[str, Any]) -> Iterator[Clash]:
    """Find what goes wrong together in values that are right one by one, by the keys of `RuleSet.values`."""

    def clash(field: str, other: str, needed: str) -> Clash:
        return Clash(field, values[field], other, values[other], needed)

    for field, value, other, needed in _NEEDS:
        if values[field] == value and values[other] != needed:
            yield clash(field, other, _told(needed))
    if values["turn.own_men"] == "any" and values["dues.striker_own_returned"] == "one_same_pocket":
        yield clash("turn.own_men", "dues.striker_own_returned", '"none" or "all"')
    least = values["dues.striker"]
    if values["dues.striker_with_own"] < least:
        yield clash("dues.striker", "dues.striker_with_own", f"{least} or more")
    if values["dues.improper_own_returned"] and values["dues.improper"] == 0:
        yield clash("dues.improper_own_returned", "dues.improper", "1 or more")


def _told(value: object) -> str:
    return toml_value("none" if value is None else value)

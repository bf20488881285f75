"""In which laws two variants differ, and which of these could not fire in what is played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from carromsim.play.setup import Setup
from carromsim_kernels.laws import MEN, Rule

__all__ = ["LawDifference", "differing"]

_ON_STROKES = frozenset(rule.name.lower().replace("_", ".", 1) for rule in Rule)
"""Fields that rule on a stroke, as "group.field"."""


@dataclass(frozen=True, kw_only=True)
class LawDifference:
    """One field of a rule set in which a variant differs from the baseline.

    Parameters
    ----------
    field : str
        "group.field", or "equipment".
    baseline_value, variant_value : object
        None: there is no such number.
    baseline_law, variant_law : str
        Which laws the values are, see `RuleSet.law`.
    cannot : str
        Why neither value could fire in what was played; "" if one could.
    """

    field: str
    baseline_value: Any
    variant_value: Any
    baseline_law: str
    variant_law: str
    cannot: str

    @property
    def rules_on_strokes(self) -> bool:
        """Whether it rules on a stroke, so that boards tell whether it decided something in them.

        The others say where men come back, how games and matches go, what stands on the table: no ruling names them.
        """
        return self.field in _ON_STROKES


@dataclass(frozen=True)
class _Pair:
    """What is played by the baseline and by the variant."""

    setups: tuple[Setup, Setup]

    def both(self, field: str, value: object) -> bool:
        """Whether both rule sets say the same that is asked for."""
        return all(setup.rules.values[field] == value for setup in self.setups)

    def neither(self, field: str, value: object) -> bool:
        """Whether no rule set says so."""
        return all(setup.rules.values[field] != value for setup in self.setups)

    def never(self, rate: str) -> bool:
        """Whether nobody ever does something, by the names of `DeclaredRates`."""
        return all(getattr(setup.conduct, rate) == 0.0 for setup in self.setups)

    @property
    def boards_alone(self) -> bool:
        """Whether boards are played for themselves, each from a score of nothing."""
        return all(setup.unit == "board" for setup in self.setups)


def differing(baseline: Setup, variant: Setup) -> list[LawDifference]:
    """Compare the laws of two variants, and say which differences could not show.

    A law may also have had no occasion where it could: the column `fields` of the tables tells that.

    Parameters
    ----------
    baseline, variant : Setup
        What was played: rules, equipment, conduct, and whether boards or matches.

    Returns
    -------
    list of LawDifference
        In the order of a file.
    """
    pair = _Pair((baseline, variant))
    one, other = baseline.rules, variant.rules
    return [
        LawDifference(
            field=key,
            baseline_value=one.values[key],
            variant_value=other.values[key],
            baseline_law=one.law(key),
            variant_law=other.law(key),
            cannot=_why_not(key, pair),
        )
        for key in one.differing(other)
    ]


def _why_not(key: str, pair: _Pair) -> str:
    """Say why no value of a field could fire; "" if one could."""
    if key.startswith(("score.", "match.")) and key not in ("score.white", "score.black") and pair.boards_alone:
        return _of_the_clock(pair) if key == "score.think_time" else "boards are played for themselves, not matches"
    because = _BECAUSE.get(key)
    return because(pair) if because else ""


def _needs_rate(rate: str, words: str) -> Callable[[_Pair], str]:
    """Give the reason of a law that somebody must give occasion to."""
    return lambda pair: f"{words}: conduct.{rate} = 0" if pair.never(rate) else ""


def _overboard(pair: _Pair) -> str:
    off = all(setup.equipment.jump_chance == 0.0 for setup in pair.setups)
    return "nothing leaves the board: jump_chance = 0" if off else ""


def _of_the_pack(pair: _Pair) -> str:
    first, second = (setup.rotation for setup in pair.setups)
    return "the study turns the pack" + ("" if first != second else ", for both alike")


def _of_the_equipment(pair: _Pair) -> str:
    first, second = (setup.equipment for setup in pair.setups)
    return f"both play on {first.name}" if first == second else "the study says who plays on what"


def _double_due(_pair: _Pair) -> str:
    return "double dues need an agreement, and these players have none"


def _of_the_clock(pair: _Pair) -> str:
    if not pair.boards_alone and not pair.both("score.clock", None):
        return ""
    return "no clock ends anything: it only changes the seconds that are told"


def _shared_men(pair: _Pair) -> str:
    return "any man is an own man" if pair.both("turn.own_men", "any") else ""


def _direct_hit(pair: _Pair) -> str:
    return "no direct hit is forbidden at a price" if pair.neither("stroke.direct_hit", "forward_only") else ""


def _queen_premature(pair: _Pair) -> str:
    return "the queen is never too early" if pair.both("queen.right", "any_time") else ""


def _opening_men(pair: _Pair) -> str:
    return "one own man is always cover enough" if pair.both("queen.opening", "none") else ""


def _lost_by_last_man(pair: _Pair) -> str:
    return "no board is lost by the last man" if pair.neither("end.own_last", "lose") else ""


def _cutoff(pair: _Pair) -> str:
    """Compare the cut-off with the scores from which boards begin: 0 if they are played for themselves."""
    for setup in pair.setups:
        cutoff, target = setup.rules.queen.cutoff, setup.rules.score.target
        # An extra board may begin with the target reached on both sides.
        if cutoff is not None and cutoff <= (0 if setup.unit == "board" else target):
            return ""
    return "no board begins with so many points"


def _board_max(pair: _Pair) -> str:
    """Compare the ceiling with the most points that a board can give."""
    for setup in pair.setups:
        rules = setup.rules
        # Striker and foul may be demanded a point each for.
        men = MEN * max(rules.score.white, rules.score.black) + rules.queen.value
        most = max(men, rules.end.fixed_points, rules.end.fixed_points_from_cutoff) + 2 * rules.end.demand_points
        if rules.end.board_max is not None and rules.end.board_max < most:
            return ""
    return "no board is worth so many points"


def _second_game(pair: _Pair) -> str:
    return "a match is one game" if pair.both("match.games", 1) else ""


def _seats(_pair: _Pair) -> str:
    return "only seats change, and the board is the same from each"


_BECAUSE: Mapping[str, Callable[[_Pair], str]] = {
    "equipment": _of_the_equipment,
    "opening.rotation": _of_the_pack,
    "turn.opponent_man_ends": _shared_men,
    "turn.overboard_ends": _overboard,
    "turn.striker_overboard_ends": _overboard,
    "dues.double": _double_due,
    "dues.opponent_man": _shared_men,
    "dues.overboard": _overboard,
    "dues.striker_overboard": _overboard,
    "dues.direct_hit": _direct_hit,
    "dues.improper": _needs_rate("improper", "no stroke is improper"),
    "dues.improper_own_returned": _needs_rate("improper", "no stroke is improper"),
    "dues.interference": _needs_rate("interference", "nobody interferes"),
    "dues.technical_foul": _needs_rate("technical_foul", "nobody commits a technical foul"),
    "dues.bad_setup": _needs_rate("bad_setup", "every pack is set up rightly"),
    "dues.premature_break": _needs_rate("premature_break", "nobody breaks too early"),
    "dues.queen_premature": _queen_premature,
    "dues.decline": _needs_rate("decline_dues", "nobody forgoes a due"),
    "placing.overboard": _overboard,
    "queen.opening_men": _opening_men,
    "queen.cutoff": _cutoff,
    "end.fixed_points": _lost_by_last_man,
    "end.fixed_points_from_cutoff": _lost_by_last_man,
    "end.demand_points": _needs_rate("demand_extra", "no winner demands a point"),
    "end.board_loss": _needs_rate("board_loss", "nobody's conduct loses a board"),
    "end.board_max": _board_max,
    "score.think_time": _of_the_clock,
    "match.opener": _second_game,
    "match.change_sides": _seats,
    "match.deciding_game_points": _seats,
    "match.deciding_game_boards": _seats,
}
"""Why a field may not have been able to fire, by "group.field"; all others always could."""

"""A search for a break for people: tables for a terminal."""

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.studies.counting.frequencies import INTERVAL, table
from carromsim.studies.optimising.jobs import BOARD_WON
from carromsim.studies.optimising.plan import Stage
from carromsim.studies.optimising.records import Evaluation
from carromsim.studies.optimising.summary import OBJECTIVE, Known, OptimiseSummary
from carromsim.studies.playing.report import skill_in_words

if TYPE_CHECKING:
    from carromsim.studies.optimising.declaration import OptimiseDeclaration

__all__ = ["UNITS", "in_unit", "known_words", "optimise_report"]

UNITS = {
    "x": ("mm", 1e3),
    "aim": ("mm", 1e3),
    "angle": ("deg", math.degrees(1.0)),
    "speed": ("m/s", 1.0),
    "spin": ("rad/s", 1.0),
    "rotation": ("deg", math.degrees(1.0)),
    "gap": ("mm", 1e3),
}
"""Units that people read, and how many of them an SI unit has."""
_BREAK = ("x", "aim", "angle", "speed", "spin", "rotation")


def optimise_report(study: "OptimiseDeclaration", summary: OptimiseSummary) -> RenderableType:
    """Lay out what was asked and what came out, to be printed by a `rich.console.Console`.

    Parameters
    ----------
    study : BreakOptimisation
    summary : OptimiseSummary
    """
    parts: list[RenderableType] = [_question(study), Text()]
    if not summary.of(Stage.VERDICT):
        parts.append(Text(f"There is no verdict yet: {summary.counts.rows:,} of {study.rows:,} evaluations are there"))
    elif study.pareto:
        parts += _front(study, summary)
    else:
        parts += [_breaks(summary), Text(), _verdict(study, summary), Text(), *_claim(summary)]
    if summary.ends and not study.pareto:
        parts += [Text(), _ends(study, summary)]
    if summary.of(Stage.MAP):
        parts += [Text(), _map(summary)]
    if summary.of(Stage.ROBUSTNESS):
        parts += [Text(), _robustness(summary)]
    if summary.seconds:
        parts += [Text(), Text(f"Time      {summary.seconds:.0f} s")]
    parts += [Text(f"Warning: {warning}", style="yellow") for warning in summary.warnings]
    return Group(*parts)


def in_unit(name: str, value: float, digits: int = 3) -> str:
    """Write a number in the unit that people read, without the unit."""
    shown = f"{value * UNITS.get(name, ('', 1.0))[1]:.{digits}g}"
    return "0" if shown in ("-0", "0") else shown


def known_words(known: Known, digits: int = 3) -> tuple[str, str]:
    """Write an estimate and its interval."""
    return f"{known.estimate:.{digits}f}", f"{known.low:.{digits}f} to {known.high:.{digits}f}"


def _named(name: str) -> str:
    unit = UNITS.get(name, ("", 1.0))[0]
    return f"{name} [{unit}]" if unit else name


def _question(study: "OptimiseDeclaration") -> Text:
    weights = [f"{weight:+g} {term}" for term, weight in study.objective.items()]
    aim = " against ".join(weights) if study.pareto else " ".join(weights)
    turned = "may be turned" if study.space.turns else "lies as the rule set says"
    lines = [
        f"Search for a break under {study.ruleset.name}, equipment {study.equipment.name}, seed {study.seed}",
        f"Objective {aim}" + (f", boards played on by {study.policy}" if BOARD_WON in study.objective else ""),
        f"Hand      {skill_in_words(study.skill)}",
        f"Pack      gap {study.gap * 1e3:g} mm, {turned}",
        f"Search    {study.plan.scouts} scouts, {study.restarts} x {study.generations} generations of"
        f" {study.candidates} breaks, {study.strokes:,} strokes each; speeds up to {study.fastest:g} m/s",
    ]
    return Text("\n".join(lines))


def _breaks(summary: OptimiseSummary) -> Table:
    """Tabulate the winner, and the straight break with his speed."""
    found = table("Break", *(_named(name) for name in _BREAK))
    for words, each in _compared(summary):
        found.add_row(
            words if words == "winner" else "straight, as fast",
            *(in_unit(name, getattr(each, name)) for name in _BREAK),
        )
    return found


def _compared(summary: OptimiseSummary) -> list[tuple[str, Evaluation]]:
    both = (("winner", summary.winner), ("as fast", summary.as_fast))
    return [(words, each) for words, each in both if each is not None]


def _verdict(study: "OptimiseDeclaration", summary: OptimiseSummary) -> Table:
    """Tabulate what the verdict says, by term."""
    found = table(f"{study.verdict_strokes:,} fresh strokes", "mean", INTERVAL, "straight", "gain", INTERVAL)
    plain = list(study.objective.values()) == [1.0]  # then the objective is its one term
    for words, each in _compared(summary):
        for term in study.objective if plain else (OBJECTIVE, *study.objective):
            label = f"{words}: {term}"
            straight = f"{summary.straight(each, term):.3f}"
            found.add_row(
                label, *known_words(summary.worth(each, term)), straight, *known_words(summary.gain(each, term))
            )
    return found


def _claim(summary: OptimiseSummary) -> list[RenderableType]:
    claim = summary.claim
    if claim is None:
        return []
    search, fresh = claim
    return [Text(f"The search said {search:.3f} of its best break; on fresh strokes that break is worth {fresh:.3f}.")]


def _ends(study: "OptimiseDeclaration", summary: OptimiseSummary) -> Table:
    """Tabulate where each search ended: starts that agree found one hill, others that there are several."""
    names = study.space.names
    found = table("Search", *map(_named, names), "objective", INTERVAL)
    for each in summary.ends:
        numbers = (in_unit(name, getattr(each, name)) for name in names)
        found.add_row(str(each.restart), *numbers, *known_words(summary.worth(each)))
    return found


def _front(study: "OptimiseDeclaration", summary: OptimiseSummary) -> list[RenderableType]:
    """Tabulate the breaks of a Pareto search, the best by the first term at the top: their worth, and what they are."""
    terms = list(study.objective)
    worth = table(
        f"{study.verdict_strokes:,} fresh strokes",
        *(heading for term in terms for heading in (term, INTERVAL)),
        last="",
    )
    breaks = table("Break", *map(_named, _BREAK))
    sign = math.copysign(1.0, study.objective[terms[0]])
    rows = list(zip(summary.of(Stage.VERDICT), summary.undominated, strict=True))
    rows.sort(key=lambda row: -sign * summary.worth(row[0], terms[0]).estimate)
    for number, (each, good) in enumerate(rows, 1):
        name = "straight" if each.origin == "straight" else str(number)
        cells = (cell for term in terms for cell in known_words(summary.worth(each, term)))
        worth.add_row(name, *cells, "" if good else "beaten")
        breaks.add_row(name, *(in_unit(column, getattr(each, column)) for column in _BREAK))
    return [
        worth,
        Text("Beaten: another break has a better mean of one term and no worse of the other."),
        Text(),
        breaks,
    ]


def _map(summary: OptimiseSummary) -> Table:
    """Tabulate the objective around the winner, two lines for each coordinate."""
    rows = summary.of(Stage.MAP)
    names = list(dict.fromkeys(each.varied for each in rows if each.varied is not None))
    found = table("Around it", *("" for _ in range(len(rows) // len(names))))
    for name in names:
        here = [each for each in rows if each.varied == name and each.value is not None]
        found.add_row(_named(name), *(in_unit(name, each.value or 0.0) for each in here))
        found.add_row("  objective", *(f"{summary.worth(each).estimate:.3f}" for each in here))
    return found


def _robustness(summary: OptimiseSummary) -> Table:
    """Tabulate what the winner and the straight break are worth under other conditions."""
    found = table("Elsewhere", "value", "winner", INTERVAL, "straight", "gain", INTERVAL)
    for each in summary.of(Stage.ROBUSTNESS):
        name = each.varied or ""
        value, straight = in_unit(name, each.value or 0.0), f"{summary.straight(each):.3f}"
        found.add_row(
            _named(name), value, *known_words(summary.worth(each)), straight, *known_words(summary.gain(each))
        )
    return found

"""Studies of boards and matches for people: tables for a terminal."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.play.records import Ended
from carromsim.players.skill import Skill
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.words import queen_in_words
from carromsim.studies.counting.frequencies import INTERVAL, ended, mean_words, percent, table
from carromsim.studies.counting.tally import Tally
from carromsim.studies.declaring.laws import RATES
from carromsim.tables.schemas import DISC_NAMES, POCKET_NAMES
from carromsim_kernels.aim_records import AimKind
from carromsim_kernels.laws import QueenState, Turn
from carromsim_kernels.state import IntArray

if TYPE_CHECKING:
    from carromsim.studies.playing.declaration import PlayDeclaration
    from carromsim.studies.playing.summary import PlaySummary

ENDED = {
    Ended.RULES: "by the rules",
    Ended.STROKE_LIMIT: "stroke limit",
    Ended.FAILED: "a stroke failed",
    Ended.NO_ROOM: "no room for the striker",
    Ended.VOID: "void",
    Ended.OWED: "more dues than anybody counts",
}
"""Why a board or a match ended, in words."""


def play_report(
    study: "PlayDeclaration", summary: "PlaySummary", start: Mapping[str, Any] | None = None
) -> RenderableType:
    """Lay out what was asked and what came out, to be printed by a `rich.console.Console`.

    Parameters
    ----------
    study : BoardStudy or MatchStudy
    summary : BoardSummary or MatchSummary
    start : mapping, optional
        The position from which boards begin, as a board study declares it.
    """
    counts, noun = summary.counts, summary.counts.noun
    return Group(
        _question(study, [] if start is None else [_start_in_words(start)]),
        Text(),
        _ended(f"{noun.capitalize()} ended", counts.ended),
        Text(),
        _over(f"Of {noun} ended by the rules", counts.words, counts.over, counts.finished),
        Text(),
        _measured(counts.measured, counts.tallies),
        *ended(study, summary.stopped),
        *_end(summary.seconds, summary.per_second, noun, summary.warnings),
    )


def replay_report(strokes: Sequence[Mapping[str, Any]]) -> Table:
    """Lay out the strokes of a replayed row.

    Parameters
    ----------
    strokes : sequence of mapping
        Rows of the table of played strokes.
    """
    found = table("Board", "stroke", "player", "estimate", last="what he meant, and what came of it")
    for stroke in strokes:
        chance = "" if stroke["estimate"] is None else f"{100.0 * stroke['estimate']:.0f} %"
        numbers = (str(stroke[name]) for name in ("board", "stroke", "player"))
        found.add_row(*numbers, chance, f"{meant_in_words(stroke)}: {_came(stroke)}")
    return found


def meant_in_words(stroke: Mapping[str, Any]) -> str:
    """Say what a stroke was meant to do."""
    if stroke["target"] is None:
        return "the break" if stroke["breaking"] else "no man in particular"
    kind = "to touch" if stroke["kind"] is None else AimKind(stroke["kind"]).name.lower().replace("_", " ")
    into = "" if stroke["aimed_pocket"] is None else f" into {POCKET_NAMES[stroke['aimed_pocket']]}"
    return f"{kind} {DISC_NAMES[stroke['target']]}{into}"


def _came(stroke: Mapping[str, Any]) -> str:
    """Say what a stroke brought and what was ruled."""
    fell = [f"{stroke[f'n_{colour}']} {colour}" for colour in ("white", "black") if stroke[f"n_{colour}"]]
    fell += [name for name in ("queen", "striker") if stroke[name]]
    words = [" and ".join(fell) + " fell" if fell else "nothing fell"]
    if stroke["dues_incurred"]:
        words.append(f"{stroke['dues_incurred']} due")
    words.append(Turn(stroke["turn"]).name.lower().replace("_", " "))
    return ", ".join(words) + (f" ({stroke['laws']})" if stroke["laws"] else "")


def _question(study: "PlayDeclaration", more: Sequence[str]) -> Text:
    """Say what was asked, in the units of the board."""
    who = "doubles" if study.doubles else "singles"
    jitter = "as far as the gap allows" if study.jitter is None else f"{study.jitter * 1e3:.3g} mm"
    sides = [
        f"Side {side}    {policy}, {skill_in_words(skill)}"
        for side, (policy, skill) in enumerate(zip(study.policy, study.skill, strict=True))
    ]
    usual = DeclaredRates()
    conduct = [
        f"Conduct   {name.replace('_', ' ')} in {100.0 * getattr(study.conduct, name):g} % of the strokes"
        for name in RATES
        if getattr(study.conduct, name) != getattr(usual, name)
    ]
    lines = [
        f"{study.rows:,} {study.noun} under {study.ruleset.name}, {who}, equipment {study.equipment.name},"
        f" seed {study.seed}, at most {study.stroke_limit} strokes a board",
        *sides,
        f"Pack      rotation {math.degrees(study.rotation):g} deg, gap {study.gap * 1e3:g} mm, jitter {jitter}",
    ]
    return Text("\n".join([*lines, *more, *conduct]))


def skill_in_words(skill: Skill) -> str:
    """Name a skill, with its numbers in the units that people read."""
    numbers = (
        f"x {skill.sd_x * 1e3:g} mm, {math.degrees(skill.sd_angle):.3g} deg, {skill.sd_speed * 100:g} % of the speed,"
        f" spin {skill.sd_spin:g} rad/s"
    )
    return f"{skill.name} ({numbers})" if skill.name else numbers


def _start_in_words(start: Mapping[str, Any]) -> str:
    there = not isinstance(start["queen"], str)
    queen = "on the board" if there else queen_in_words(QueenState[start["queen"].upper()])
    men = f"white {len(start['white'])}, black {len(start['black'])}, queen {queen}"
    return f"Begins    from a position: {men}; side 0 plays {start['shooter']}"


def _ended(heading: str, ended: IntArray) -> Table:
    """Tabulate how boards or matches ended, as far as any did."""
    found = table(heading, "number", "share", INTERVAL)
    for way, words in ENDED.items():
        if ended[way] or way in (Ended.RULES, Ended.STROKE_LIMIT):
            found.add_row(words, f"{ended[way]:,}", *percent(int(ended[way]), int(ended.sum())))
    return found


def _over(heading: str, words: Mapping[str, str], seen: Mapping[str, int], n: int) -> Table:
    found = table(heading, "number", "share", INTERVAL)
    for key, what in words.items():
        found.add_row(what, f"{seen[key]:,}", *percent(seen[key], n))
    return found


def _measured(words: Mapping[str, tuple[str, int]], tallies: Mapping[str, Tally]) -> Table:
    """Tabulate means and quantiles."""
    found = table("Each", "mean", INTERVAL, "5 %", "median", "95 %")
    for key, (what, _) in words.items():
        tally = tallies[key]
        found.add_row(Text(what), *mean_words(tally), *(f"{tally.quantile(p):.0f}" for p in (0.05, 0.5, 0.95)))
    return found


def _end(seconds: float | None, per_second: float | None, noun: str, warnings: Sequence[str]) -> list[Text]:
    """Say how fast it went, and what to be wary of."""
    lines = []
    if seconds is not None and per_second is not None:
        lines = [Text(), Text(f"Rate      {per_second:,.1f} {noun}/s, {seconds:.1f} s")]
    return lines + [Text(f"Warning: {warning}", style="yellow") for warning in warnings]

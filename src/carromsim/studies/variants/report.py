"""Studies of variants for people: tables for a terminal."""

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.studies.counting.frequencies import LEVEL, table
from carromsim.studies.counting.laws import by_frequency
from carromsim.studies.counting.pairs import MetricDifference
from carromsim.studies.playing.report import skill_in_words
from carromsim.studies.variants.summary import VariantSummary, found_of

if TYPE_CHECKING:
    from carromsim.studies.variants.declaration import Variant, VariantDeclaration

MOST_LAWS = 5
"""Laws that are listed of each variant."""


def variant_report(study: "VariantDeclaration", summary: VariantSummary) -> RenderableType:
    """Lay out what was asked and what came out, to be printed by a `rich.console.Console`.

    Parameters
    ----------
    study : VariantStudy
    summary : VariantSummary
    """
    parts: list[RenderableType] = [
        _question(study),
        Text(),
        _differences(study, summary),
        Text(),
        _notes(study, summary),
        Text(),
        _laws(summary),
    ]
    if summary.standings:
        parts += [Text(), _sensitivity(study, summary)]
    if summary.seconds is not None and summary.per_second is not None:
        parts += [Text(), Text(f"Rate      {summary.per_second:,.1f} rows/s, {summary.seconds:.1f} s")]
    return Group(*parts, *(Text(f"Warning: {warning}", style="yellow") for warning in summary.warnings))


def _question(study: "VariantDeclaration") -> Text:
    """Say what was asked, in the units of the board."""
    jitter = "as far as the gap allows" if study.jitter is None else f"{study.jitter * 1e3:.3g} mm"
    who = "doubles" if study.doubles else "singles"
    sides = [
        f"Side {side}    {policy}, {skill_in_words(skill)}"
        for side, (policy, skill) in enumerate(zip(study.policy, study.skill, strict=True))
    ]
    lines = [
        f"{study.numbers:,} {study.unit}{'es' if study.unit == 'match' else 's'} of each variant with the same luck, {who},"
        f" equipment {study.equipment.name}, seed {study.seed}, at most {study.stroke_limit} strokes a board",
        *sides,
        f"Pack      rotation {math.degrees(study.rotation):g} deg, gap {study.gap * 1e3:g} mm, jitter {jitter}",
        *(f"{'Baseline' if each.name == study.baseline else 'Variant '}  {_said(each)}" for each in study.variants),
    ]
    return Text("\n".join(lines))


def _said(variant: "Variant") -> str:
    """Name a variant, with what it changes and declares."""
    changes = [f"{key} = {value}" for key, value in variant.changes.items()]
    words = [variant.ruleset.name, *changes, *(f"{name} of its own" for name in variant.declared)]
    return variant.name if words == [variant.name] else f"{variant.name}: {', '.join(words)}"


def _differences(study: "VariantDeclaration", summary: VariantSummary) -> Table:
    """Tabulate each metric: a line for each variant."""
    made = table("Metric and variant", study.baseline, "variant", "difference", "from", "to", "p", "saved")
    for key, metric in summary.metrics.items():
        made.add_row(Text(f"{metric.words}{' %' if metric.is_share else ''}", style="italic"))
        for name, found in summary.differences.items():
            each = found[key]
            p = "" if math.isnan(each.p_holm) else "<0.0001" if each.p_holm < 0.0001 else f"{each.p_holm:.4f}"
            saved = "" if each.reduction is None or math.isnan(each.reduction) else f"{100 * each.reduction:.0f} %"
            style = "bold" if found_of(each) else ""
            made.add_row(
                Text(f"  {name}"), *numbers_of(each), f"{p} *" if found_of(each) else f"{p}  ", saved, style=style
            )
    return made


def numbers_of(found: MetricDifference) -> list[str]:
    """Write the baseline's value, the variant's, their difference and its interval; shares in per cent."""
    return [
        number(found.b, found.share),
        number(found.a, found.share),
        *(number(value, found.share, sign=True) for value in (found.difference, found.low, found.high)),
    ]


def number(value: float, share: bool, *, sign: bool = False) -> str:
    """Write a number; a share in per cent."""
    if not math.isfinite(value):
        return "unknown"
    shown = 100.0 * value if share else value
    digits = 2 if share or abs(shown) < 100.0 else 1
    return f"{shown:+.{digits}f}" if sign else f"{shown:.{digits}f}"


def _notes(study: "VariantDeclaration", summary: VariantSummary) -> Text:
    tests = {
        ("shares: " if each.share else "means: ") + each.test
        for found in summary.differences.values()
        for each in found.values()
    }
    count = sum(map(len, summary.differences.values()))
    lines = [
        f"Values    of the numbers that {study.baseline} and the variant both played to their ends",
        f"Tests     {' and '.join(sorted(tests))}",
        f"from, to  of the interval of variant less {study.baseline}, {100 * LEVEL:g} %, each for itself",
        f"p         by Holm's correction over these {count} comparisons; * below {1 - LEVEL:.2g}",
        "saved     what the same luck takes away of the variance of the difference",
    ]
    return Text("\n".join(lines))


def _laws(summary: VariantSummary) -> Table:
    """Tabulate the laws that decided most often."""
    noun = "match" if summary.study.unit == "match" else "board"
    made = table(
        "Variant", "rows", "share", last=f"laws that decided in the most {noun}{'es' if noun == 'match' else 's'}"
    )
    for variant in summary.study.variants:
        counts, laws = summary.played(variant.name), summary.counts.laws.get(("", variant.name), {})
        for place, (law, seen) in enumerate(list(by_frequency(laws).items())[:MOST_LAWS]):
            share = f"{100.0 * seen / counts.rows:.1f} %" if counts else ""
            made.add_row(Text("" if place else variant.name), f"{seen:,}", share, Text(law))
    return made


def _sensitivity(study: "VariantDeclaration", summary: VariantSummary) -> Table:
    """Tabulate whether the conclusions stand."""
    rows = study.sensitivity.rows if study.sensitivity else 0
    made = table(f"Scenario, {rows:,} each", "difference", "from", "to", "in the comparison", last="conclusion")
    last = ("", "")
    for each in summary.standings:
        if (each.scenario, each.found.metric) != last:
            last = each.scenario, each.found.metric
        made.add_row(
            Text(f"{each.scenario}, {each.variant}: {each.found.metric}{' %' if each.found.share else ''}"),
            *numbers_of(each.found)[2:],
            number(summary.differences[each.variant][each.found.metric].difference, each.found.share, sign=True),
            Text(each.verdict.value),
        )
    return made

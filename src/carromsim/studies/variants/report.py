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
from carromsim.studies.variants.laws import LawDifference
from carromsim.studies.variants.summary import VariantSummary
from carromsim.toml import toml_value

if TYPE_CHECKING:
    from carromsim.studies.variants.declaration import Variant, VariantDeclaration

NOUNS = {"board": "boards", "match": "matches"}
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
        *_differences(study, summary),
        Text(),
        _notes(study, summary),
        Text(),
        _laws(summary),
        Text(),
        *_differing(study, summary),
    ]
    if summary.standings:
        parts += [Text(), *_sensitivity(study, summary)]
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
        f"{study.numbers:,} {NOUNS[study.unit]} of each variant with the same luck, {who},"
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


def _differences(study: "VariantDeclaration", summary: VariantSummary) -> list[RenderableType]:
    """Tabulate each metric: a line for each variant, in columns of one width all the way down."""
    width = max(len(each.name) for each in study.variants) + 2
    parts: list[RenderableType] = [_columns(width)]
    for key, metric in summary.metrics.items():
        parts.append(Text(f"{metric.words}{' %' if metric.is_share else ''}", style="italic"))
        made = _columns(width)
        made.show_header = False
        for name, found in summary.differences.items():
            made.add_row(Text(f"  {name}"), *_compared(found[key]), style="bold" if found[key].found else "")
        parts.append(made)
    return parts


def _columns(width: int) -> Table:
    made = table("Metric", "baseline", "variant", "difference", "from", "to", "p", "saved")
    for column, least in zip(made.columns, (width, 8, 8, 10, 8, 8, 9, 5), strict=True):
        column.min_width, column.no_wrap = least, True
    return made


def _compared(found: MetricDifference) -> list[str]:
    """Write a comparison; a star marks a difference that is found."""
    p = "" if math.isnan(found.p_holm) else "<0.0001" if found.p_holm < 0.0001 else f"{found.p_holm:.4f}"
    saved = "" if found.reduction is None or math.isnan(found.reduction) else f"{100 * found.reduction:.0f} %"
    return [*numbers_of(found), f"{p} *" if found.found else f"{p}  ", saved]


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
    noun = NOUNS[summary.study.unit]
    made = table("Variant", noun, "share", last=f"laws that decided something in the most {noun}")
    for variant in summary.study.variants:
        counts, laws = summary.played(variant.name), summary.counts.laws.get(("", variant.name), {})
        for place, (law, seen) in enumerate(list(by_frequency(laws).items())[:MOST_LAWS]):
            share = f"{100.0 * seen / counts.rows:.1f} %" if counts else ""
            made.add_row(Text("" if place else variant.name), f"{seen:,}", share, Text(law))
    return made


def _differing(study: "VariantDeclaration", summary: VariantSummary) -> list[RenderableType]:
    """Tabulate the laws in which variants differ: first those that could show, then those that could not, and why."""
    noun = NOUNS[study.unit]
    could = table("Differing law", study.baseline, noun, "variant", noun)
    could_not = table("Could not show", study.baseline, "variant", last="because")
    could.columns[0].overflow = could_not.columns[0].overflow = "fold"
    for name, laws in summary.laws.items():
        for made, some in (
            (could, [law for law in laws if not law.cannot]),
            (could_not, [law for law in laws if law.cannot]),
        ):
            made.add_row(Text(name if some else f"{name}: none", style="italic"))
            for law in some:
                made.add_row(f"  {law.field}", *(_decided if made is could else _reasons)(summary, name, law))
    words = (
        f"{noun.capitalize()} in which the value decided something, alone or with other laws; nothing of what rules on"
        " no stroke"
    )
    return [could, Text(words), Text(), could_not]


def _decided(summary: VariantSummary, variant: str, law: LawDifference) -> list[str]:
    """Write both values of a law, each with the number of rows in which it decided something."""
    found = []
    for name, value in ((summary.study.baseline, law.baseline_value), (variant, law.variant_value)):
        decided = summary.decided(name, law)
        found += [_value(value), "" if decided is None else f"{decided:,}"]
    return found


def _reasons(summary: VariantSummary, variant: str, law: LawDifference) -> list[str]:
    """Write both values of a law, and why they could not show."""
    return [_value(law.baseline_value), _value(law.variant_value), law.cannot]


def _value(value: object) -> str:
    """Write a value as in a file, words without quotes."""
    return "none" if value is None else toml_value(value).strip('"')


def _sensitivity(study: "VariantDeclaration", summary: VariantSummary) -> list[RenderableType]:
    """Tabulate whether the conclusions stand."""
    rows = study.sensitivity.rows if study.sensitivity else 0
    made = table("Scenario", "pairs", "here", "from", "to", "declared", last="conclusion")
    made.columns[0].overflow = "fold"
    last = ""
    for each in summary.standings:
        if each.scenario != last:
            last = each.scenario
            made.add_row(Text(last, style="italic"))
        made.add_row(
            Text(f"  {each.variant}: {each.found.metric}{' %' if each.found.share else ''}"),
            f"{each.found.rows_a:,}",
            *numbers_of(each.found)[2:],
            number(summary.differences[each.variant][each.found.metric].difference, each.found.share, sign=True),
            Text(each.verdict.value),
        )
    words = (
        f"Of {rows:,} {NOUNS[study.unit]} of each variant; p by Holm's correction over the comparisons of a scenario"
    )
    return [made, Text(words)]

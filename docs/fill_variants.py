"""Fills the tables of docs/variants.md from a run of docs/variants.toml: ``python docs/fill_variants.py RUN_DIR``."""

import sys
from collections.abc import Sequence
from pathlib import Path

from filling import filled, table

import carromsim as cs
from carromsim.studies.counting.pairs import MetricDifference
from carromsim.studies.variants.report import number
from carromsim.studies.variants.summary import HEADLINES, MUCH, VariantSummary, Verdict

PAGE = Path(__file__).parent / "variants.md"
COLUMNS = {
    "won_breaker": "breaker wins",
    "advantage": "his advantage",
    "points": "points",
    "strokes": "strokes",
    "comeback": "comebacks",
    "queen_decided": "queen decides",
    "dues_white": "dues of white",
    "dues_black": "dues of black",
    "slam_white": "white slams",
    "stroke_limit": "at the limit",
}
"""Metrics that the page shows, with the heads of their columns."""


def values(summary: VariantSummary) -> str:
    """Tabulate what each variant is like; bold is what differs from the baseline."""
    base = summary.study.baseline
    first = next(iter(summary.differences.values()))
    rows = [[f"{base} (baseline)", *(_value(first[key], first[key].b) for key in COLUMNS)]]
    for name, found in summary.differences.items():
        cells = [_value(found[key], found[key].a) for key in COLUMNS]
        rows.append(
            [name, *(f"**{cell}**" if found[key].found else cell for key, cell in zip(COLUMNS, cells, strict=True))]
        )
    return table(["variant", *COLUMNS.values()], rows)


def differences(summary: VariantSummary) -> str:
    """Tabulate the differences with their intervals."""
    rows = []
    for key, words in COLUMNS.items():
        for name, found in summary.differences.items():
            each = found[key]
            saved = (
                "" if each.reduction is None or each.reduction != each.reduction else f"{100 * each.reduction:.0f} %"
            )
            p = "< 0.0001" if each.p_holm < 0.0001 else f"{each.p_holm:.4f}"
            rows.append([words, name, f"{each.rows_a:,}", _signed(each, each.difference), _ends(each), p, saved])
    return table(["metric", "variant", "pairs", "difference", "95 % interval", "p", "luck saves"], rows)


def sensitivity(summary: VariantSummary) -> str:
    """Tabulate whether conclusions stand: a line for each, a column for each scenario; pairs where many are missing."""
    rows_each = 0 if summary.study.sensitivity is None else summary.study.sensitivity.rows
    names = [scenario.name for scenario in summary.study.scenarios[1:]]
    cells = {(each.variant, each.found.metric, each.scenario): each for each in summary.standings}
    rows = []
    for key in HEADLINES[summary.study.unit]:
        for variant, found in summary.differences.items():
            line = [COLUMNS[key], variant, _signed(found[key], found[key].difference)]
            for name in names:
                each = cells[variant, key, name]
                shown = "" if each.verdict is Verdict.UNKNOWN else f"{_signed(each.found, each.found.difference)}: "
                few = f" ({each.found.rows_a} pairs)" if each.found.rows_a < (1.0 - MUCH) * rows_each else ""
                line.append(f"{shown}{each.verdict.value}{few}")
            rows.append(line)
    return table(["metric", "variant", "as declared", *names], rows)


def laws(summary: VariantSummary) -> str:
    """Tabulate how many laws differ, and which of them could not show or never did."""
    rows = []
    for name, found in summary.laws.items():
        could = [law for law in found if not law.cannot]
        never = [
            law.field
            for law in could
            if law.rules_on_strokes and not any(summary.decided(each, law) for each in (name, summary.study.baseline))
        ]
        could_not = [law.field for law in found if law.cannot]
        rows.append([name, str(len(found)), _listed(could_not), _listed(never)])
    return table(["variant", "laws that differ", "of these could not show", "could, and never did"], rows)


def sentences(summary: VariantSummary) -> str:
    """Say what was found, variant by variant, and which conclusions turn round in a scenario."""
    lines = []
    for name, found in summary.differences.items():
        told = [
            f"{COLUMNS[key]} {_signed(found[key], found[key].difference)} ({_ends(found[key])})"
            for key in COLUMNS
            if found[key].found
        ]
        turned = sorted(
            f"{COLUMNS[each.found.metric]} with {each.scenario}"
            for each in summary.standings
            if each.variant == name and each.verdict is Verdict.TURNS
        )
        words = "; ".join(told) if told else "no difference of these is found"
        lines.append(f"* **{name}**: {words}." + (f" Turns round: {', '.join(turned)}." if turned else ""))
    return "\n".join(lines)


def _value(each: MetricDifference, value: float) -> str:
    return f"{number(value, each.share)}{' %' if each.share else ''}"


def _signed(each: MetricDifference, value: float) -> str:
    return f"{number(value, each.share, sign=True)}{' %' if each.share else ''}"


def _ends(each: MetricDifference) -> str:
    low, high = (number(value, each.share, sign=True) for value in (each.low, each.high))
    return f"{low} to {high}{' %' if each.share else ''}"


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)}: {', '.join(f'`{name}`' for name in names)}" if names else "none"


PARTS = {
    "values": values,
    "differences": differences,
    "sensitivity": sensitivity,
    "laws": laws,
    "sentences": sentences,
}


def page(text: str, summary: VariantSummary) -> str:
    """Fill the page."""
    for name, make in PARTS.items():
        text = filled(text, name, make(summary))
    return filled(text, "size", f"{summary.study.numbers:,} boards of each variant, seed {summary.study.seed}.")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), cs.open_run(sys.argv[1]).summary()), encoding="utf-8")

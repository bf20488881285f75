"""The break study for people: tables for a terminal."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim.rules.referee import DeclaredRates
from carromsim.studies.breaks.ruling import RULED
from carromsim.studies.breaks.sensitivity import splits
from carromsim.studies.breaks.summary import PLACES, QUESTIONS, WHITE_POCKETS, BreakSummary, groups
from carromsim.studies.counting.frequencies import INTERVAL, ended, percent, table
from carromsim.studies.counting.laws import by_frequency
from carromsim.studies.counting.sensitivity import Split
from carromsim.studies.declaring.coefficients import COEFFICIENTS
from carromsim.studies.declaring.laws import RATES
from carromsim.studies.declaring.parameters import describe
from carromsim.studies.declaring.words import WORDS
from carromsim.tables.schemas import POCKET_NAMES
from carromsim_kernels.state import N_DISCS, Status

if TYPE_CHECKING:
    from carromsim.studies.breaks.study import BreakStudy

_BAR = 40
"""Width of the longest bar, in characters."""

_SHOWN = {
    **WORDS,
    "error_x": ("hand's place off by", 1e3, "mm"),
    "error_angle": ("hand's direction off by", math.degrees(1.0), "deg"),
    "error_speed": ("hand's speed off by", 100.0, "%"),
    "error_spin": ("hand's spin off by", 1.0, "rad/s"),
}
"""What varies: words, what to multiply the value with, and the unit in which people read it."""


def break_report(study: "BreakStudy", summary: BreakSummary) -> RenderableType:
    """Lay out what was asked and what came out.

    Parameters
    ----------
    study : BreakStudy
        What was asked.
    summary : BreakSummary
        What came out.

    Returns
    -------
    rich renderable
        To be printed by a `rich.console.Console`.
    """
    found: tuple[RenderableType, ...] = (
        _question(study),
        _frequencies(summary),
        _rulings(summary),
        _laws(summary),
        _distribution(summary),
        _places(summary),
        _pockets(summary),
        _course(summary),
        *((_sensitivity(summary, varied),) if (varied := splits(study)) else ()),
        _rate(summary),
    )
    report = [line for part in found for line in (part, Text())][:-1] + ended(study, summary.stopped)
    report += [Text(f"Warning: {warning}", style="yellow") for warning in summary.warnings]
    return Group(*report)


def _question(study: "BreakStudy") -> Text:
    """Say what was asked, in the units of the board."""
    jitter = "as far as the gap allows" if study.jitter is None else f"{study.jitter * 1e3:.3g} mm"
    lines = [
        f"Break under {study.ruleset.name}, equipment {study.equipment.name}, {study.strokes:,} strokes,"
        f" seed {study.seed}",
        f"Pack      rotation {_said(study, 'rotation')}, gap {_said(study, 'gap')}, jitter {jitter}",
        f"Intended  x {_said(study, 'x')}, {_said(study, 'angle')}, {_said(study, 'speed')},"
        f" spin {_said(study, 'spin')}",
        f"Scatter   x {study.sd_x * 1e3:g} mm, {math.degrees(study.sd_angle):g} deg, {study.sd_speed * 100:g} % of the"
        f" speed, spin {study.sd_spin:g} rad/s",
    ]
    other = [
        f"{_SHOWN[name][0]} {_said(study, name)}"
        for name in COEFFICIENTS
        if study.parameters[name] != getattr(study.equipment, name)
    ]
    usual = DeclaredRates()
    conduct = [
        f"Conduct   {name.replace('_', ' ')} in {100.0 * getattr(study.conduct, name):g} % of the strokes"
        for name in RATES
        if getattr(study.conduct, name) != getattr(usual, name)
    ]
    return Text("\n".join([*lines, *(f"Physics   {words}" for words in other), *conduct]))


def _said(study: "BreakStudy", name: str) -> str:
    """Describe a parameter of the study with its unit."""
    _, scale, unit = _SHOWN[name]
    return f"{describe(study.parameters[name], scale)} {unit}".rstrip()


def _mean(values: tuple[float, float, float]) -> tuple[str, str]:
    """Write a mean and its interval; with more digits if it is so small that three would show nothing of it."""
    mean, low, high = values
    digits = 1 - math.floor(math.log10(high)) if 0.0 < high < 0.01 else 3
    return f"{mean:.{digits}f}", f"{low:.{digits}f} to {high:.{digits}f}"


def _share(count: int, n: int) -> str:
    """Write a share that is not 0."""
    return f"{100.0 * count / n:.1f} %" if 2000 * count >= n else "less than 0.05 %"


def _frequencies(summary: BreakSummary) -> Table:
    """Tabulate what fell, with intervals."""
    found = table("Pocketed", "strokes", "share", INTERVAL)
    for key, words in QUESTIONS.items():
        seen = summary.counts.fell[key]
        found.add_row(words, f"{seen:,}", *percent(seen, summary.counts.ok))
    return found


def _rulings(summary: BreakSummary) -> Group:
    """Tabulate what the rule set says, with intervals."""
    found = table("Ruling", "strokes", "share", INTERVAL)
    for key, words in RULED.items():
        seen = summary.counts.ruled[key]
        found.add_row(words, f"{seen:,}", *percent(seen, summary.counts.ok))
    mean, interval = _mean(summary.mean_dues())
    return Group(found, Text(f"Dues incurred in a stroke: mean {mean} ({interval})"))


def _laws(summary: BreakSummary) -> Table:
    """Tabulate the laws that decided, the most frequent first; several may decide one stroke."""
    found = table("Deciding law", "strokes", "share", INTERVAL)
    for law, seen in by_frequency(summary.counts.laws).items():
        found.add_row(Text(law), f"{seen:,}", *percent(seen, summary.counts.ok))
    return found


def _distribution(summary: BreakSummary) -> Table:
    """Tabulate how many fell at once, with bars."""
    mean, low, high = summary.mean_pocketed()
    counts, ok = summary.counts.n_pocketed, max(summary.counts.ok, 1)
    heading = f"mean {mean:.3f} ({low:.3f} to {high:.3f})"
    found = table("Men and queen", "strokes", "share", last=heading, left=False)
    for number in range(int(counts.nonzero()[0].max(initial=0)) + 1):
        bar = "█" * round(_BAR * counts[number] / counts.max(initial=1))
        found.add_row(str(number), f"{counts[number]:,}", f"{100.0 * counts[number] / ok:.2f} %", bar)
    return found


def _places(summary: BreakSummary) -> Table:
    """Tabulate who falls: by colour, and by place in the pack."""
    found = table("Who falls", "men", "per stroke", INTERVAL, "each man")
    words = {key: f"from the {key}" for key in PLACES} | {"centre": "from the centre (queen)"}
    for key in ("white", "black", *PLACES):
        men, mean = len(groups()[key]), summary.mean_pocketed(key)
        found.add_row(words.get(key, key), str(men), *_mean(mean), f"{100.0 * mean[0] / men:.2f} %")
    return found


def _pockets(summary: BreakSummary) -> Group:
    """Tabulate what fell into which pocket, and how many different ones a stroke used, with whites too."""
    fell, distinct, ok = summary.counts.pockets, summary.counts.distinct, max(summary.counts.ok, 1)
    found = table("Pocket", "white", "black", "queen", "striker", "share of men")
    all_men = max(int(fell[QUEEN:].sum()), 1)
    for pocket, name in enumerate(POCKET_NAMES):
        into = fell[:, pocket]
        numbers = (into[WHITE].sum(), into[BLACK].sum(), into[QUEEN], into[STRIKER])
        share = f"{100.0 * into[QUEEN:].sum() / all_men:.1f} %"
        found.add_row(name, *(f"{number:,}" for number in numbers), share)
    used = [f"{number} in {_share(count, ok)}" for number, count in enumerate(distinct) if count]
    apart = table("Pockets with a white", "strokes", "share", INTERVAL)
    for key, words in WHITE_POCKETS.items():
        seen = summary.counts.fell[key]
        apart.add_row(words.removeprefix("whites in "), f"{seen:,}", *percent(seen, summary.counts.ok))
    return Group(found, Text(f"Pockets used: {', '.join(used) or 'unknown'}"), Text(), apart)


def _course(summary: BreakSummary) -> Group:
    """Tabulate how a stroke goes, and how far the pack opens."""
    found = table("Course", "mean", "sd", "5 %", "median", "95 %")
    rows = (
        ("duration", "duration", 1.0, "s", ".2f"),
        ("events", "n_events", 1.0, "", ".0f"),
        ("disc hits", "n_disc_hits", 1.0, "", ".0f"),
        ("cushion hits", "n_cushion_hits", 1.0, "", ".0f"),
        ("spread of the men", "spread", 1e3, "mm", ".0f"),
    )
    for words, key, scale, unit, form in rows:
        tally = summary.counts.tallies[key]
        values = (tally.mean, tally.sd, tally.quantile(0.05), tally.quantile(0.5), tally.quantile(0.95))
        found.add_row(words, *(f"{value * scale:{form}} {unit}".rstrip() for value in values))
    mean, low, high = summary.mean_free()
    found.add_row("free men", f"{mean:.2f}")
    before = f"{summary.spread_before * 1e3:.0f} mm"
    notes = (
        f"Spread: mean distance of the men from their common centre, {before} in the pack.\n"
        f"Free: no other man within two diameters, centre to centre; {low:.2f} to {high:.2f} of 19."
    )
    return Group(found, Text(notes))


def _sensitivity(summary: BreakSummary, varied: Sequence[Split]) -> Table:
    """Tabulate how the result hangs on whatever varied."""
    found = table("What varied", "strokes", "any man", INTERVAL, "men")
    for split in varied:
        found.add_row(_SHOWN[split.key][0])
        none = np.zeros((split.bins, N_DISCS), np.int64)
        counts = summary.counts.sensitivity.get(split.key, none)
        for words, row in zip(split.in_words(*_SHOWN[split.key][1:]), counts, strict=True):
            strokes, any_fell = int(row.sum()), int(row[1:].sum())
            mean = float(row @ np.arange(N_DISCS)) / strokes if strokes else math.nan
            found.add_row(f"  {words}", f"{strokes:,}", *percent(any_fell, strokes), f"{mean:.3f}")
    return found


def _rate(summary: BreakSummary) -> Text:
    """Say what became of the rows and how fast."""
    status = ", ".join(f"{summary.counts.status[s]:,} {s.name.lower().replace('_', ' ')}" for s in Status)
    lines = [f"Status    {status}"]
    if summary.seconds is not None and summary.strokes_per_second is not None:
        lines.append(f"Rate      {summary.strokes_per_second:,.0f} strokes/s, {summary.seconds:.1f} s")
    return Text("\n".join(lines))

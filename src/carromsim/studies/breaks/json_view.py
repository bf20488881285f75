"""The break study for programs: everything the summary knows as plain numbers, ready for JSON."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim.studies.breaks.ruling import RULED
from carromsim.studies.breaks.sensitivity import splits
from carromsim.studies.breaks.summary import FREE, PLACES, groups
from carromsim.studies.counting.frequencies import LEVEL, finite, frequency_dict, mean_of_counts
from carromsim.studies.counting.laws import by_frequency
from carromsim.studies.counting.sensitivity import Split
from carromsim.tables.schemas import POCKET_NAMES
from carromsim_kernels.state import IntArray, Status

if TYPE_CHECKING:
    from carromsim.studies.breaks.summary import BreakSummary


def summary_dict(summary: "BreakSummary") -> dict[str, Any]:
    """Give everything as plain numbers; what cannot be known is None.

    Parameters
    ----------
    summary : BreakSummary

    Returns
    -------
    dict
        Lengths in m, times in s; `low` and `high` are the ends of intervals of level `level`.
    """
    counts = summary.counts
    return {
        "strokes": counts.strokes,
        "status": {status.name.lower(): int(counts.status[status]) for status in Status},
        "level": LEVEL,
        "ruling": _ruling(summary),
        "probability": {key: frequency_dict(seen, counts.ok) for key, seen in counts.fell.items()},
        "n_pocketed": _histogram(counts.n_pocketed),
        "by_colour": {key: _group(summary, key) for key in ("white", "black", "queen")},
        "by_place": {key: _group(summary, key) for key in PLACES},
        "by_pocket": [_pocket(summary, pocket) for pocket in range(len(POCKET_NAMES))],
        "distinct_pockets": counts.distinct.tolist(),
        "opening": {
            "spread_before": summary.spread_before,
            "spread": counts.tallies["spread"].to_dict(),
            "n_free": {**_histogram(counts.free), "radii": FREE},
        },
        **{name: tally.to_dict() for name, tally in counts.tallies.items() if name != "spread"},
        "sensitivity": {split.key: _bins(summary, split) for split in splits(summary.study)},
        "seconds": summary.seconds,
        "strokes_per_second": summary.strokes_per_second,
        "stopped": summary.stopped,
        "warnings": summary.warnings,
    }


def _histogram(counts: IntArray) -> dict[str, Any]:
    mean, low, high = mean_of_counts(counts)
    return {**finite(mean=mean, low=low, high=high), "distribution": counts.tolist()}


def _ruling(summary: "BreakSummary") -> dict[str, Any]:
    """Tell what the rule set says to the breaks, and the share of them that each law decided."""
    counts = summary.counts
    dues = _histogram(counts.dues)
    dues["distribution"] = dues["distribution"][: 1 + max(counts.dues.nonzero()[0], default=0)]
    return {
        **{key: frequency_dict(counts.ruled[key], counts.ok) for key in RULED},
        "dues": dues,
        "laws": {law: frequency_dict(seen, counts.ok) for law, seen in by_frequency(counts.laws).items()},
    }


def _group(summary: "BreakSummary", key: str) -> dict[str, Any]:
    """Tell how many of a group of men fall in one stroke, and the share of its men that fall."""
    mean, low, high = summary.mean_pocketed(key)
    men = len(groups()[key])
    return {"men": men, **finite(mean=mean, low=low, high=high, share=mean / men)}


def _pocket(summary: "BreakSummary", pocket: int) -> dict[str, Any]:
    """Count what fell into one pocket, and its share of all men and queens that fell."""
    fell = summary.counts.pockets
    men, all_men = int(fell[QUEEN:, pocket].sum()), int(fell[QUEEN:].sum())
    return {
        "pocket": POCKET_NAMES[pocket],
        "white": int(fell[WHITE, pocket].sum()),
        "black": int(fell[BLACK, pocket].sum()),
        "queen": int(fell[QUEEN, pocket]),
        "striker": int(fell[STRIKER, pocket]),
        "share": men / all_men if all_men else None,
    }


def _bins(summary: "BreakSummary", split: Split) -> list[dict[str, Any]]:
    """Tell for each bin of what varied how often anything fell and how many."""
    found = []
    ends = [None, *split.edges, None]
    table = summary.counts.sensitivity.get(split.key)
    for place, (low, high) in enumerate(pairwise(ends)):
        where = {"value": split.values[place]} if split.values else {"from": low, "to": high}
        counts = summary.counts.n_pocketed * 0 if table is None else table[place]
        strokes, any_fell = int(counts.sum()), int(counts[1:].sum())
        n_pocketed = _histogram(counts)
        del n_pocketed["distribution"]
        found.append({**where, "strokes": strokes, "any": frequency_dict(any_fell, strokes), "n_pocketed": n_pocketed})
    return found

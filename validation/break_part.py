"""Part 3: breaks of a pack, against a contact-force integrator with tiny steps (`validation.breaks`)."""

import itertools

import numpy as np

from validation import report
from validation.breaks import (
    AFTER,
    GAPS,
    LAWS,
    ROWS,
    SECTORS,
    Played,
    Refined,
    check_steps,
    mean,
    run_breaks,
    velocity_difference,
)
from validation.breaks import cf as judge

TOUCHING = {"energy": 0.02, "striker": 0.03, "fastest": 0.03}
"""Of the compliant package against the reference with the same force law, pack in touch."""
APART = {"energy": 0.015, "striker": 0.03}
"""Of the compliant against the sequential package, gap of 0.5 mm."""
OWN_STEPS = {"energy": 0.002, "striker": 0.003}
"""Of the reference against itself with steps of half the size: a tenth of the above."""
ERRORS = 2.0
"""Standard errors by which men pocketed may differ."""
WORDS = {
    "energy": "energy kept",
    "striker": "striker's velocity along its path",
    "fastest": "fastest man",
    "pocketed": "men pocketed",
}
EARLY = ("energy", "striker", "fastest")
"""What is compared soon after the first contact."""
WIDE_GAP = 0.5e-3
STEP_ROWS = 40
Found = dict[float, dict[str, Played]]

PAIRS = (
    *((f"compliant, {law}", f"reference, {law}") for law in LAWS),
    ("sequential", "reference, hertz"),
    *((f"compliant, {law}", "sequential") for law in LAWS),
)
LOOKS = {
    "reference, hertz": ("o", report.BLUE),
    "compliant, hertz": ("s", report.SKY),
    "reference, linear": ("D", report.RED),
    "compliant, linear": ("v", report.ORANGE),
    "sequential": ("^", report.BLACK),
}
MODELS = tuple(LOOKS)


def run(quick: bool = False) -> report.Part:
    """Compare breaks.

    Parameters
    ----------
    quick : bool
        Four breaks of two packs, for the tests.
    """
    rows, gaps, step_rows = (4, (0.0, WIDE_GAP), 2) if quick else (ROWS, GAPS, STEP_ROWS)
    found = run_breaks(rows, gaps)
    refined = check_steps("hertz", 0.0, step_rows, judge.STEP / 2.0, judge.LEAP / 2.0)
    tables = [_models(found), _differences(found)]
    figures = {"breaks": _draw_gaps(found), "breaks_sectors": _draw_sectors(found)}
    return report.Part("Breaks of a pack", _text(rows), verdicts(found, refined), tables, figures)


def verdicts(found: Found, refined: Refined) -> list[report.Verdict]:
    """Return the demands on breaks of a touching pack and of one 0.5 mm apart, and on the reference.

    Parameters
    ----------
    found : dict of float to dict of str to Played
        By gap [m] and model, as `breaks.run_breaks` returns them.
    refined : Refined
        The reference with half its steps, less the reference.
    """
    demands = []
    for law in LAWS:
        one, other = found[0.0][f"compliant, {law}"], found[0.0][f"reference, {law}"]
        demands += _agree(f"touching, compliant less reference, {law}", one, other, TOUCHING)
    one, other = (found[WIDE_GAP][name] for name in ("compliant, hertz", "sequential"))
    demands += _agree("0.5 mm, compliant less sequential, hertz", one, other, APART)
    what = "touching, reference with half its steps, hertz"
    for name, tolerance in OWN_STEPS.items():
        value = float(mean(getattr(refined, name))[0])
        demands.append(report.Verdict(f"{what}: {WORDS[name]}", value, tolerance))
    return demands


def _difference(one: Played, other: Played, name: str) -> tuple[float, float]:
    """Return the mean paired difference of a quantity and its standard error."""
    value, error = mean(np.asarray(getattr(one, name), float) - getattr(other, name))
    return float(value), float(error)


def _agree(what: str, one: Played, other: Played, tolerances: dict[str, float]) -> list[report.Verdict]:
    """Demand that two models agree."""
    demands = [
        report.Verdict(f"{what}: {WORDS[name]}", _difference(one, other, name)[0], tolerance)
        for name, tolerance in tolerances.items()
    ]
    value, error = _difference(one, other, "pocketed")
    return [*demands, report.Verdict(f"{what}: {WORDS['pocketed']}, {ERRORS:g} standard errors", value, ERRORS * error)]


def _text(rows: int) -> str:
    step = f"{1e6 * judge.STEP:g}"
    return f"""
{rows} breaks for each gap of the pack, the same for all models: men of 5.3 g, the ICF board otherwise, capture at
once, striker at 4 to 6 m/s from within 20 mm of the middle, aimed at the middle with an error of 3 mm, the pack
turned by 0 or 30 degrees and every coordinate of a disc shifted by up to a quarter of the gap. Compared are the
state {1e3 * AFTER:g} ms after the first contact (energy as a part of the striker's, velocities in units of his),
and what lies in the pockets when all rests. Standard errors are of the mean over the breaks; those of differences
are of the paired differences.

The reference (`tests/oracles/contact_force.py`) integrates contact forces of all pairs with uniform steps of
{step} microseconds and knows no events, no impulses and none of the package's code. Both use contacts of
100 microseconds and the same two force laws: Hertz's with Tsuji's damping, and a linear spring. The package is
compliant by default, with Hertz's law. *Sequential* resolves hits of two discs one after the other.

Men pocketed may differ by {ERRORS:g} standard errors: two models that agree perfectly miss one such demand in
twenty. After some hits a break is chaotic, so that pockets can be compared in the mean only, and where discs are
apart single velocities differ more than means do (the last column of the second table). What the reference and the
compliant package agree on still depends on the force law: see men pocketed from a touching pack."""


def _gap(gap: float) -> str:
    return "touching" if gap == 0.0 else f"{1e3 * gap:g} mm"


def _plus_minus(value: float, error: float, digits: int) -> str:
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def _models(found: Found) -> report.Table:
    rows = [
        [
            _gap(gap), name,
            *(_plus_minus(*mean(getattr(played[name], key)), 4) for key in EARLY),
            " / ".join(f"{value:.3f}" for value in mean(played[name].sectors)[0]),
            _plus_minus(*mean(played[name].pocketed), 2),
        ]
        for gap, played in found.items() for name in MODELS
    ]  # fmt: skip
    bounds = " / ".join(f"{low:g} to {high:g}" for low, high in itertools.pairwise(SECTORS))
    caption = (
        "Means and their standard errors. Energy of the men by direction of travel, off the striker's first direction: "
        f"{bounds} degrees."
    )
    head = ["gap", "model", *(WORDS[key] for key in EARLY), "energy by direction", WORDS["pocketed"]]
    return report.Table(caption, head, rows)


def _differences(found: Found) -> report.Table:
    rows = [
        [
            _gap(gap), f"{one} less {other}",
            *(_plus_minus(*_difference(played[one], played[other], key), 4) for key in EARLY),
            _plus_minus(*_difference(played[one], played[other], "pocketed"), 2),
            f"{velocity_difference(played[one], played[other]):.3f}",
        ]
        for gap, played in found.items() for one, other in PAIRS
    ]  # fmt: skip
    caption = (
        "Mean paired differences and their standard errors; last, the root mean square difference of all velocities, "
        "relative to that of the second model's."
    )
    return report.Table(caption, ["gap", "models", *WORDS.values(), "all velocities"], rows)


def _draw_gaps(found: Found) -> report.Figure:
    """Draw energy kept, striker's velocity and men pocketed against the gap."""
    figure, axes = report.new_figure("Breaks of a pack: means and standard errors by gap", 3, width=9.5, height=3.8)
    places = np.arange(len(found))
    labels = {"energy": "energy kept after 1 ms", "striker": "striker's velocity / v0 after 1 ms"}
    for axis, key in zip(axes, ("energy", "striker", "pocketed"), strict=True):
        for k, name in enumerate(MODELS):
            value, error = np.array([mean(getattr(played[name], key)) for played in found.values()]).T
            marker, colour = LOOKS[name]
            shifted = places + 0.12 * (k - 2)
            axis.errorbar(shifted, value, error, fmt=marker, color=colour, label=name, capsize=2, linewidth=1)
        axis.set(xlabel="gap of the pack", ylabel=labels.get(key, "men pocketed per break"))
        axis.set_xticks(places, [_gap(gap) for gap in found])
    axes[0].legend(fontsize=7)
    return figure


def _draw_sectors(found: Found) -> report.Figure:
    """Draw where the men's energy goes, for the smallest and the largest gap."""
    figure, axes = report.new_figure("Energy of the men by direction of travel, 1 ms after the first contact", 2)
    places = np.arange(len(SECTORS) - 1)
    for axis, gap in zip(axes, (min(found), max(found)), strict=True):
        for k, name in enumerate(MODELS):
            value, error = mean(found[gap][name].sectors)
            axis.bar(places + 0.16 * (k - 2), value, 0.16, yerr=error, color=LOOKS[name][1], label=name, capsize=1.5)
        axis.set_xticks(places, [f"{a:g} to {b:g}" for a, b in itertools.pairwise(SECTORS)])
        axis.set(xlabel="angle to the striker's path [degrees]", title=_gap(gap))
    axes[0].set_ylabel("part of the striker's first energy")
    axes[0].legend(fontsize=7)
    return figure

"""Draws docs/players/calibration.png, fills tables of docs/players.md: ``python docs/draw_players.py``."""

from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from filling import filled, table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import carromsim as cs
from carromsim.players.aim import AimKind, candidates
from carromsim.players.skill import SKILLS, Skill
from carromsim.players.turns import Turns
from carromsim.stats import wilson

matplotlib.use("Agg")

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "players.md", HERE / "players" / "calibration.png"
RULES = cs.RuleSet.load("icf")
EQUIPMENT = cs.Equipment.preset(RULES.equipment)
BOARDS = 4000
"""Random positions of each number of discs."""
MEN = ((9, 9), (5, 5), (2, 3))
BEST = 6
"""Candidates of each position."""
BINS = 10
LEAST = 100
"""A bin with fewer strokes is not drawn."""
NAMES = {
    AimKind.DIRECT: "direct",
    AimKind.BACKSHOT: "backshot",
    AimKind.MAN_BANK: "bank of the man",
    AimKind.STRIKER_REBOUND: "rebound of the striker",
    AimKind.COMBINATION: "combination",
}
COLOURS = {"novice": "#d55e00", "club": "#0072b2", "expert": "#009e73", "champion": "#cc79a7"}


@dataclass(frozen=True)
class Tried:
    """Strokes: how they were meant to pocket, with what estimate, and whether they did."""

    kind: NDArray[np.int8]
    estimate: NDArray[np.float64]
    fell: NDArray[np.bool_]

    def of(self, kind: AimKind) -> "Tried":
        """Give those of one kind."""
        chosen = self.kind == kind
        return Tried(self.kind[chosen], self.estimate[chosen], self.fell[chosen])

    def bins(self) -> NDArray[np.float64]:
        """Give for each tenth of the estimate: strokes, fallen, mean estimate; (10, 3)."""
        place = np.minimum((self.estimate * BINS).astype(int), BINS - 1)
        count, fell, total = (
            np.bincount(place, weights, BINS) for weights in (None, self.fell.astype(float), self.estimate)
        )
        return np.column_stack([count, fell, total / np.maximum(count, 1)])

    def error(self) -> float:
        """Give the mean absolute difference of frequency and estimate over the bins, weighted with their strokes."""
        count, fell, estimate = self.bins().T
        return float(np.abs(fell - count * estimate).sum() / count.sum())


def attempt(intended: Skill, executing: Skill) -> Tried:
    """Let one hand execute what is best for another, on random positions, and see what falls."""
    parts = []
    for number, men in enumerate(MEN):
        pos = cs.random_layout(EQUIPMENT, BOARDS, number, n_men=men, clear_base_line=False).pos
        rows = np.arange(BOARDS)
        turns = Turns(
            pos=pos,
            states=np.repeat(cs.board_state(), BOARDS),
            rules=RULES,
            equipment=EQUIPMENT,
            skill=intended,
            seed=0,
            rows=rows,
            stroke=np.zeros(BOARDS, np.int64),
        )
        found = candidates(turns, turns.own.astype(float), BEST)
        row, place = np.nonzero(found["kind"] >= 0)
        best = found[row, place]
        strokes = cs.Strokes(x=best["x"], angle=best["angle"], speed=best["speed"], spin=best["spin"])
        done = executing.executed(strokes, EQUIPMENT, seed=0, rows=row, stroke=place, pos=pos[row])
        outcomes = cs.simulate(cs.Layout(pos[row]), done, equipment=EQUIPMENT)
        fell = outcomes.pocket[np.arange(len(row)), best["target"]] == best["pocket"]
        parts.append(Tried(best["kind"], best["estimate"], fell))
    return Tried(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("kind", "estimate", "fell")))


def draw(tried: dict[str, Tried]) -> Figure:
    """Draw a panel for each kind: frequency against estimate, a line for each skill."""
    figure = Figure(figsize=(13.0, 3.1), layout="constrained")
    panels: list[Axes] = list(figure.subplots(1, len(NAMES), sharey=True))
    for ax, (kind, name) in zip(panels, NAMES.items(), strict=True):
        ax.plot([0, 1], [0, 1], color="black", linewidth=0.6)
        for skill, strokes in tried.items():
            count, fell, estimate = strokes.of(kind).bins().T
            drawn = count >= LEAST
            seen = wilson(fell[drawn].astype(int), count[drawn].astype(int))
            share = fell[drawn] / count[drawn]
            bars = np.maximum([share - seen.low, seen.high - share], 0.0)
            style = {"color": COLOURS[skill], "label": skill, "linewidth": 1.0, "markersize": 3.0, "capsize": 2.0}
            ax.errorbar(estimate[drawn], share, bars, fmt="o-", **style)
        ax.set(title=name, xlabel="estimate", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    panels[0].set_ylabel("pocketed")
    panels[0].legend(fontsize=8, loc="upper left")
    return figure


def calibration_table(tried: dict[str, Tried]) -> str:
    """Write what was estimated and what fell, by kind and skill."""
    rows = []
    for kind, name in NAMES.items():
        for skill, strokes in tried.items():
            part = strokes.of(kind)
            n, fell = len(part.fell), int(part.fell.sum())
            if n < LEAST:
                continue
            seen = wilson(fell, n)
            share = f"{fell / n:.3f} ({float(seen.low):.3f} to {float(seen.high):.3f})"
            rows.append((name, skill, f"{n:,}", f"{part.estimate.mean():.3f}", share, f"{part.error():.3f}"))
    return table(("kind", "skill", "strokes", "mean estimate", "pocketed", "mean absolute error"), rows)


def sure_table(tried: Tried) -> str:
    """Write what falls without noise of what was likely at all."""
    rows = []
    for kind, name in NAMES.items():
        part = tried.of(kind)
        likely = part.fell[part.estimate > 0.1]
        seen = wilson(int(likely.sum()), len(likely))
        rows.append(
            (name, f"{len(likely):,}", f"{likely.mean():.4f}", f"{float(seen.low):.4f} to {float(seen.high):.4f}")
        )
    return table(("kind", "strokes", "pocketed", "95 % interval"), rows)


def main() -> None:
    """Draw and fill."""
    tried = {name: attempt(SKILLS[name], SKILLS[name]) for name in COLOURS}
    PICTURE.parent.mkdir(exist_ok=True)
    draw(tried).savefig(PICTURE, dpi=110)
    page = filled(PAGE.read_text(), "calibration", calibration_table(tried))
    sure = attempt(SKILLS["club"], SKILLS["perfect"])
    PAGE.write_text(filled(page, "sure", sure_table(sure)))


if __name__ == "__main__":
    main()

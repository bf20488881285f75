"""Plays the three-pocket break, fills the tables of docs/three_pockets.md and draws docs/three_pockets.png.

``python docs/fill_three_pockets.py`` takes some five minutes on two cores; ``--strokes`` makes it shorter.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draw_three_pockets import DRAWN, draw
from filling import filled, table
from three_pocket_break import (
    RANDOM,
    TURN,
    UKCA,
    Aim,
    Played,
    aims,
    by_turn,
    mirrored,
    play,
    study_of,
    together,
)

import carromsim as cs
from carromsim.stats import paired_shares, wilson
from carromsim.tables.schemas import POCKET_NAMES

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "three_pockets.md", HERE / "three_pockets.png"
SPEEDS = (4.0, 6.0, 8.0, 10.0)
HANDS = ("novice", "club", "expert", "champion", "perfect")
BEST_HANDS = ("club", "expert", "champion")
SCAN_HAND = "expert"
SCAN_SPEEDS = (5.0, 6.0, 8.0, 10.0)
SCAN_DEGREES = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
"""Of the striker's direction, from the stroke on the line."""
TURNS = tuple(float(turn) for turn in range(-60, 60, 5))
"""Of the pack [degrees], which scans try; a third of a full turn changes nothing."""
FINE_TURNS = tuple(2.5 * turn for turn in range(-24, 24))
"""Of the pack [degrees], for the picture."""
CARE = math.radians(2.0)
"""How far a hand may turn the pack amiss."""
STROKES = 50_000
SCAN_SEED, FRESH_SEED, MIRROR_SEED = 2, 3, 101
_HEAD = ("at least one", "at least two", "three")


def shares(played: Played) -> tuple[str, ...]:
    """Write how often at least one, two and three pockets took a white."""
    return tuple(share(int((played.pockets >= least).sum()), int(played.ok.sum())) for least in (1, 2, 3))


def pair_falls(played: Played) -> str:
    """Write how often a man of the pair falls into the pocket at which it points."""
    return f"{100.0 * played.pair_falls.sum() / played.ok.sum():.1f} %"


def share(seen: int, n: int) -> str:
    """Write a frequency with its 95 % Wilson interval, in percent."""
    low, high = (100.0 * float(end) for end in wilson(seen, n))
    digits = 1 if seen > 0.05 * n else 2 if seen > 0.005 * n else 3
    return f"{100.0 * seen / n:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f})"


def difference(one: Played, other: Played) -> str:
    """Write how much more often whites go to three pockets in one than in the other, paired by the hand's luck."""
    both = one.ok & other.ok
    a, b = (each.pockets[both] >= 3 for each in (one, other))
    cells = ((a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum())
    found = paired_shares(*(int(cell) for cell in cells))
    gap, low, high = (100.0 * float(value) for value in (found.estimate, found.low, found.high))
    return f"{gap:+.3f} ({low:+.3f} to {high:+.3f})"


def hands_table(strokes: int) -> tuple[str, Played]:
    """Write the shares by hand and pack; give all strokes at the pack turned by +15 degrees too."""
    aim, rows, turned_packs = aims()["on the line"], [], []
    for hand in HANDS:
        turned = play(study_of(hand, strokes, aim))
        mirror = play(study_of(hand, strokes, mirrored(aim), rotation=-TURN, seed=MIRROR_SEED))
        drawn = play(study_of(hand, strokes, aim, rotation=RANDOM))
        rows.append((hand, "+15 degrees", *shares(turned), difference(turned, drawn)))
        rows.append(("", "-15 degrees, mirrored", *shares(mirror), ""))
        rows.append(("", "random", *shares(drawn), ""))
        turned_packs.append(turned)
    head = ("hand", "pack", *_HEAD, "three: +15 less random, points")
    return table(head, rows), together(turned_packs)


def strokes_table(strokes: int) -> str:
    """Write the shares by stroke and speed, at the turned pack, by a club hand."""
    rows = []
    for name, aim in aims().items():
        for speed in SPEEDS:
            found = play(study_of("club", strokes, aim, speed=speed))
            rows.append((name, f"{speed:g} m/s", *shares(found), pair_falls(found)))
    return table(("stroke", "speed", *_HEAD, "3 or 7 in the top right"), rows)


@dataclass(frozen=True)
class Tried:
    """A stroke of a scan, by which degrees it is off the stroke on the line, and how often it sent whites to three."""

    turn: float
    off: float
    speed: float
    seen: int
    strokes: int

    @property
    def aim(self) -> Aim:
        """Where the striker stands, and its direction."""
        on_line = aims()["on the line"]
        return Aim(on_line.x, on_line.angle + math.radians(self.off))

    @property
    def words(self) -> str:
        """Say it."""
        return f"{math.degrees(self.turn):+g} degrees; {self.off:+g} degrees, {self.speed:g} m/s"


def scan(strokes: int, turns: Sequence[float], off: Sequence[float], speeds: Sequence[float]) -> Tried:
    """Try all combinations of turns [degrees], directions and speeds; give the one with most whites in three pockets.

    Parameters
    ----------
    strokes : int
        Of each combination.
    """
    tried = []
    for degrees in off:
        for speed in speeds:
            aim = Tried(TURN, degrees, speed, 0, 0).aim
            counted = by_turn(turns, study_of(SCAN_HAND, strokes * len(turns), aim, SCAN_SEED, speed=speed))
            tried += [
                Tried(math.radians(turn), degrees, speed, int(three), int(ok))
                for turn, (ok, _, _, three) in zip(turns, counted, strict=True)
            ]
    return max(tried, key=lambda each: each.seen / each.strokes)


def best_tables(strokes: int, tries: int) -> tuple[str, str, Tried]:
    """Write what the best strokes of two scans come to on a fresh seed, and which whites fall by the better one."""
    at_text = scan(tries, (math.degrees(TURN),), SCAN_DEGREES, SCAN_SPEEDS)
    at_any = scan(max(tries // 6, 1), TURNS, (-1.0, 0.0, 1.0), SCAN_SPEEDS[:3])
    amiss = cs.Uniform(at_any.turn - CARE, at_any.turn + CARE)
    rows, by_best = [], []
    for hand in BEST_HANDS:
        cases = (
            ("+15 degrees", at_text, at_text.turn),
            ("any turn", at_any, at_any.turn),
            (f"the same, turned amiss by up to {math.degrees(CARE):g} degrees", at_any, amiss),
        )
        for words, best, turn in cases:
            found = play(study_of(hand, strokes, best.aim, FRESH_SEED, speed=best.speed, rotation=turn))
            same = hand == SCAN_HAND and turn == best.turn
            rows.append((hand, words, best.words, share(best.seen, best.strokes) if same else "", *shares(found)))
            if turn == at_any.turn:
                by_best.append(found)
    head = ("hand", "best at", "turn; direction off the line's, speed", "three, in the scan", *_HEAD)
    return table(head, rows), who_table(together(by_best)), at_any


def who_table(turned: Played) -> str:
    """Write which whites fall into which pocket when three pockets take one."""
    three = turned.pocket[turned.pockets >= 3]
    if not len(three):
        return f"None of {int(turned.ok.sum()):,} strokes sent whites to three pockets."
    rows = []
    for disc in range(*cs.WHITE.indices(cs.N_DISCS)):
        into = [int((three[:, disc] == pocket).sum()) for pocket in range(len(POCKET_NAMES))]
        usual = int((turned.pocket[:, disc] >= 0).sum()) / turned.ok.sum()
        each = [f"{100.0 * number / len(three):.0f} %" for number in (*into, sum(into))]
        rows.append((f"{disc}", _PLACES.get(disc, ""), *each, f"{100.0 * usual:.1f} %"))
    takes = [(three[:, cs.WHITE] == pocket).any(axis=1).mean() for pocket in range(len(POCKET_NAMES))]
    rows.append(("", "any white", *(f"{100.0 * each:.0f} %" for each in takes), "", ""))
    pair = turned.pair_falls[turned.pockets >= 3]
    head = ("disc", "place", *POCKET_NAMES, "anywhere", "anywhere, of all strokes")
    told = (
        f"{len(three):,} of {int(turned.ok.sum()):,} strokes; in {share(int(pair.sum()), len(three))} of them 3 or 7"
        " falls into the top right pocket."
    )
    return f"{told}\n\n{table(head, rows)}"


_PLACES = {
    2: "pair with 5, inner",
    3: "pair with 7, inner",
    4: "pair with 9, inner",
    5: "pair with 2, outer",
    6: "alone, opposite 9",
    7: "pair with 3, outer",
    8: "alone, opposite 5",
    9: "pair with 4, outer",
    10: "alone, opposite 7",
}

CHANGES: dict[str, dict[str, Any]] = {
    "as above: gap 0.05 mm": {},
    "gap 0.01 mm": {"gap": 0.00001},
    "gap 0.1 mm": {"gap": 0.0001},
    "gap 0.2 mm": {"gap": 0.0002},
    "gap 0.5 mm": {"gap": 0.0005},
    "0.05 mm, without jitter": {"jitter": 0.0},
    "surface friction 0.05": {"mu_surface": 0.05},
    "surface friction 0.13": {"mu_surface": 0.13},
    "restitution of discs 0.75": {"e_disc": 0.75},
    "restitution of discs 0.93": {"e_disc": 0.93},
    "restitution of the frame 0.60": {"e_cushion": 0.60},
    "restitution of the frame 0.80": {"e_cushion": 0.80},
    "linear springs": {"equipment": UKCA.replace(force_law="linear")},
    "every disc falls at once": {"equipment": UKCA.replace(fall_height=0.0)},
}
"""What nobody has measured, one thing at a time."""


def changes_table(strokes: int, best: Tried) -> str:
    """Write the shares of a club hand under other physics and packs: on the line, and by the best stroke."""
    aim, rows = aims()["on the line"], []
    for name, told in CHANGES.items():
        text = play(study_of("club", strokes, aim, **told))
        across = play(study_of("club", strokes, best.aim, rotation=best.turn, speed=best.speed, **told))
        rows.append((name, shares(text)[2], *shares(across)))
    return table(("changed", "three, by the text", *(f"{words}, by the best" for words in _HEAD)), rows)


def tables(strokes: int) -> Iterator[tuple[str, str]]:
    """Give the tables of the page, by the names of their marks; draw the picture."""
    yield "size", f"{strokes:,} strokes for each line of the first table and of those on a fresh seed."
    by_hand, turned = hands_table(strokes)
    yield "hands", by_hand
    yield "who", who_table(turned)
    yield "strokes", strokes_table(_part(strokes, 4))
    best, who, tried = best_tables(strokes, _part(strokes, 10))
    yield "best", best
    yield "who at the best", who
    yield "changes", changes_table(_part(strokes, 4), tried)
    on_line = aims()["on the line"]
    counted = by_turn(FINE_TURNS, study_of("club", len(FINE_TURNS) * _part(strokes, 20), on_line))
    at_best = study_of("club", DRAWN, tried.aim, speed=tried.speed, rotation=tried.turn)
    draw(study_of("club", DRAWN, on_line), at_best, FINE_TURNS, counted).savefig(PICTURE, dpi=110)


def _part(strokes: int, nth: int) -> int:
    return max(strokes // nth, 1)


def main() -> None:
    """Draw and fill."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--strokes", type=int, default=STROKES, help="of a line of the tables")
    strokes = parser.parse_args().strokes
    for name, text in tables(strokes):
        PAGE.write_text(filled(PAGE.read_text(), name, text))
        sys.stdout.write(f"{name}\n{text}\n\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

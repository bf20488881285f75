"""docs/three_pockets.md: its geometry is that of the laws, and its tables say what its words say."""

import importlib
import math
import re
import shlex
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import carromsim as cs

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "three_pockets.md").read_text(encoding="utf-8")
MIRROR = np.array([-1.0, 1.0])


def imported(name: str) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        return importlib.import_module(name)


@pytest.fixture(scope="module")
def breaks() -> ModuleType:
    return imported("three_pocket_break")


@pytest.fixture(scope="module")
def filling() -> ModuleType:
    return imported("fill_three_pockets")


def filled(name: str) -> list[list[str]]:
    """Give the lines of a table of the page, without its head."""
    text = PAGE.split(f"<!-- {name} -->\n")[1].split(f"<!-- end of {name} -->")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def percents(cell: str) -> tuple[float, float, float]:
    """Read a share and its interval."""
    share, low, high = map(float, re.findall(r"[\d.]+", cell))
    return share, low, high


# Geometry


def test_the_turned_pack_lies_on_the_line_to_the_pocket(breaks: ModuleType) -> None:
    pos = cs.opening("ukca", rotation=breaks.TURN, gap=0.00005).pos
    along = pos @ breaks.line_to_pocket()
    across = pos @ np.array([-1.0, 1.0]) / math.sqrt(2.0)
    on_line = [7, 3, cs.QUEEN, 13, 10]
    assert across[on_line] == pytest.approx(np.zeros(5), abs=1e-9)
    assert along[on_line] == pytest.approx(0.03105 * np.array([2, 1, 0, -1, -2]), abs=1e-9)
    assert (np.abs(np.delete(across, [0, *on_line])) > 0.015).all()  # and nobody else
    white, black = range(*cs.WHITE.indices(20)), range(*cs.BLACK.indices(20))
    assert {3, 7, 10} <= set(white)
    assert 13 in black
    pocket = (breaks.UKCA.side / 2 - breaks.UKCA.pocket_offset) * np.ones(2)
    assert pocket @ np.array([-1.0, 1.0]) == 0.0


def test_the_other_turn_is_its_mirror_image(breaks: ModuleType) -> None:
    one = cs.opening("ukca", rotation=breaks.TURN, gap=0.00005).pos
    other = cs.opening("ukca", rotation=-breaks.TURN, gap=0.00005).pos
    for disc, image in ((3, 4), (7, 9), (10, 6), (2, 2), (5, 5), (8, 8)):
        assert other[image] == pytest.approx(one[disc] * MIRROR, abs=1e-12)
    aim = breaks.aims()["on the line"]
    mirror = breaks.mirrored(aim)
    assert mirror.x == -aim.x
    assert (math.cos(mirror.angle), math.sin(mirror.angle)) == pytest.approx(
        (-math.cos(aim.angle), math.sin(aim.angle))
    )


def test_the_striker_meets_disc_10_on_the_line(breaks: ModuleType) -> None:
    eq, aim = breaks.UKCA, breaks.aims()["on the line"]
    start = np.array([aim.x, eq.base_line_distance - eq.side / 2])
    way = np.array([math.cos(aim.angle), math.sin(aim.angle)])
    disc = cs.opening(eq, rotation=breaks.TURN, gap=0.00005).pos[10]
    met = disc - (eq.man_radius + eq.striker_radius) * breaks.line_to_pocket()
    assert (met - start) @ [-way[1], way[0]] == pytest.approx(0.0, abs=1e-12)
    assert math.degrees(aim.angle) - 45.0 == pytest.approx(5.7489, abs=1e-4)
    stroke = cs.Strokes(x=aim.x, angle=aim.angle, speed=6.0, spin=0.0)
    assert stroke.is_legal(eq).all()
    with pytest.raises(ValueError, match="the striker may stand at"):
        cs.BreakStudy(ruleset="ukca", x=start[1])  # straight behind the line
    outcome = cs.simulate(cs.opening(eq, rotation=breaks.TURN, gap=0.00005), stroke, equipment=eq)
    assert outcome.first_hit[0] == 10


def test_a_man_of_the_pair_falls_nearly_always_if_falling_takes_no_time(breaks: ModuleType) -> None:
    aim = breaks.aims()["on the line"]
    at_once, usual = (
        breaks.play(
            breaks.study_of("club", 200, aim, equipment=breaks.UKCA.replace(fall_height=height))
        ).pair_falls.mean()
        for height in (0.0, breaks.UKCA.fall_height)
    )
    assert at_once > 0.95
    assert usual < 0.25


@pytest.mark.parametrize(("turn", "whites"), [(-10.0, (9, 6)), (40.0, (8, 5))])
def test_the_best_turns_lay_whites_across_the_stroke(breaks: ModuleType, turn: float, whites: tuple[int, int]) -> None:
    aim = breaks.aims()["on the line"]
    pack = cs.opening("ukca", rotation=math.radians(turn), gap=0.00005)
    outcome = cs.simulate(pack, cs.Strokes(x=aim.x, angle=aim.angle, speed=6.0, spin=0.0), equipment="ukca")
    assert outcome.first_hit[0] in range(*cs.BLACK.indices(20))
    for disc, pocket in zip(whites, (135.0, -45.0), strict=True):
        assert abs(math.degrees(math.atan2(*pack.pos[disc][::-1])) - pocket) <= 5.0 + 1e-9


# What the script does


def test_turns_are_counted_one_by_one(breaks: ModuleType) -> None:
    study = breaks.study_of("club", 40, breaks.aims()["on the line"])
    counted = breaks.by_turn((-10.0, 15.0), study)
    grid = cs.Grid([math.radians(-10.0), math.radians(15.0)])
    rows = study.model_copy(update={"rotation": grid}).batch(range(40))["strokes"].to_pylist()
    for place, turn in enumerate(grid.values):
        fell = [len(set(row["pocket"][2:11]) - {None}) for row in rows if row["rotation"] == turn]
        assert len(fell) == 20
        assert counted[place].tolist() == [20, *(sum(number >= least for number in fell) for least in (1, 2, 3))]
    assert counted[0, 1] > counted[1, 1]


def test_a_track_ends_where_the_stroke_does(breaks: ModuleType) -> None:
    study = breaks.study_of("club", 5, breaks.aims()["on the line"])
    seen, outcome = imported("draw_three_pockets").tracks(study, 3), study.replay(3)
    assert np.array_equal(seen[-1], outcome.pos[0], equal_nan=True)
    assert seen[0, cs.STRIKER] == pytest.approx([-0.2191, -0.2526])
    for disc in np.flatnonzero(outcome.pocket[0] >= 0):
        there = seen[:, disc][~np.isnan(seen[:, disc, 0])]
        assert np.abs(there[-1]).min() > 0.32  # in a corner


def test_a_difference_pairs_the_strokes(breaks: ModuleType, filling: ModuleType) -> None:
    pocket = np.full((200, 20), -1, np.int8)
    pocket[:50, 2:5] = range(3)
    one = breaks.Played(pocket, np.ones(200, bool))
    other = breaks.Played(np.roll(pocket, 10, axis=0), np.ones(200, bool))
    assert filling.difference(one, one).startswith("+0.000 (-1.")
    found = cs.stats.paired_shares(40, 10, 10, 140)
    assert filling.difference(one, other) == f"+0.000 ({100 * found.low:+.3f} to {100 * found.high:+.3f})"
    assert filling.shares(one)[2] == filling.share(50, 200) == "25.0 % (19.5 to 31.4)"


# What the page says


def test_the_commands_of_the_page_play_that_break(breaks: ModuleType) -> None:
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    commands = [shlex.split(line.removeprefix("$ carromsim ")) for line in block.splitlines()]
    assert [command[0] for command in commands] == ["break", "break", "diff"]
    aim = breaks.aims()["on the line"]
    for command in commands[:2]:
        assert command[command.index("--angle-deg") + 1] == f"{math.degrees(aim.angle):.4f}"
        assert float(command[command.index("--x") + 1]) == aim.x


def test_every_hand_sends_whites_to_three_pockets(breaks: ModuleType, filling: ModuleType) -> None:
    rows = filled("hands")
    assert [row[0] for row in rows if row[0]] == list(filling.HANDS)
    for turned, mirror, drawn in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        share, low, _ = percents(turned[4])
        assert low > 0.0
        assert percents(mirror[4])[1] > 0.0
        assert 0.05 < share < 0.5
        assert percents(drawn[4])[1] > percents(turned[4])[2]
        assert turned[5].startswith("-")


def test_the_page_says_what_the_gap_changes() -> None:
    rows = {row[0]: row for row in filled("changes")}
    for row in rows.values():
        assert percents(row[1])[1] > 0.0
    for gap in ("as above: gap 0.05 mm", "gap 0.01 mm", "gap 0.1 mm"):
        assert percents(rows[gap][4])[1] > percents(rows[gap][1])[2]
    assert percents(rows["gap 0.5 mm"][4])[2] < percents(rows["gap 0.5 mm"][1])[1]


def test_the_best_turn_is_told_from_a_fresh_seed(filling: ModuleType) -> None:
    rows = filled("best")
    assert [row[0] for row in rows[::3]] == list(filling.BEST_HANDS)
    for text, best, amiss in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        assert percents(best[6])[1] > 5.0 * percents(text[6])[2]
        assert percents(amiss[6])[1] > percents(text[6])[2]
    assert (DOCS / "three_pockets.png").stat().st_size > 20_000

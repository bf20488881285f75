"""Takes: the strokes of any study's row come out as they stand in its tables, and say what was meant and ruled."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim.rules.words import law_in_words, said_of_ruling
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.optimising.study import BreakOptimisation
from carromsim.studies.playing.takes import ruling_of
from carromsim.tables.schemas import DISC_NAMES

FRICTION = {"mu_surface": cs.Uniform(0.08, 0.12)}
BREAKS = cs.BreakStudy(strokes=6, spin=cs.Normal(0.0, 20.0), ruleset="icf", seed=5, **FRICTION)
SHOTS = cs.ShotStudy(strokes=4, skill=["club", "perfect"], distance=0.4, cut=0.3, way="direct", **FRICTION)
BOARDS = cs.BoardStudy(
    boards=3,
    skill=["expert", {"sd_x": 0.001, "sd_angle_deg": 0.2, "sd_speed": 0.03, "sd_spin": 3.0}],
    ruleset="icf",
    seed=4,
)
MATCHES = cs.MatchStudy(matches=2, ruleset="short_set", skill="champion", stroke_limit=60)
VARIANTS = cs.VariantStudy(variants=["icf", "ukca"], boards=2, skill="expert")
SEARCH = BreakOptimisation(
    scouts=2, restarts=1, generations=1, candidates=4, finalists=1, strokes=20, finalist_strokes=20, verdict_strokes=20,
    map_points=0, robustness={"mu_surface": [0.2]}, robustness_strokes=20,
)  # fmt: skip


def rows_of(study: DeclaredStudy, row: int) -> dict[str, list[dict[str, Any]]]:
    """Give the rows of a study's tables that belong to one of its rows."""
    return {name: batch.to_pylist() for name, batch in study.batch(range(row, row + 1)).items()}


def pockets(followed: cs.Trajectory) -> list[int | None]:
    return [None if pocket < 0 else pocket for pocket in followed.outcome.pocket[0].tolist()]


@pytest.mark.parametrize("row", range(6))
def test_a_break_is_that_of_its_row(row: int) -> None:
    (take,), (told,) = BREAKS.takes(row), rows_of(BREAKS, row)["strokes"]
    followed = take.follow()
    assert pockets(followed) == told["pocket"]
    there = ~np.isnan(followed.outcome.pos[0, :, 0])
    for axis, name in enumerate(("x", "y")):
        end = [x for x, stays in zip(told[f"pos_{name}"], there, strict=True) if stays]
        assert followed.outcome.pos[0, there, axis].tolist() == end
    assert followed.duration == told["duration"]
    assert followed.equipment.mu_surface == told["mu_surface"] != BREAKS.equipment.mu_surface
    assert take.laws == tuple(told["laws"].split("; "))
    assert take.meant == f"x 0.0 mm, 90.0 deg, 6.00 m/s, spin {told['intended_spin']:.1f} rad/s".replace(
        ".0 rad", " rad"
    )
    assert take.score.startswith(f"white {9 - told['n_white']}, black {9 - told['n_black']}, queen ")
    turn = "white plays on" if told["turn"] == 0 else "the turn passes to black"
    assert take.ruling.startswith(turn)
    assert ("1 due" in take.ruling) == (told["dues_incurred"] == 1)


def test_a_shot_is_that_of_its_row() -> None:
    for row in range(8):
        (take,), (told,) = SHOTS.takes(row), rows_of(SHOTS, row)["shots"]
        followed = take.follow()
        assert followed.duration == told["duration"]
        assert (pockets(followed)[2] == 2) == bool(told["success"])
        assert (take.title, take.meant) == (f"Shot {row // 2}: {told['skill']}", "direct white 1 into top right")
        assert (take.ruling, take.laws, take.score) == ("", (), "")


def check_boards(takes: list[cs.Take], strokes: list[dict[str, Any]]) -> None:
    """Every stroke is the table's, and begins where the one before it ended, but for what the laws moved."""
    ends: list[np.ndarray] = []
    for take, told in zip(takes, strokes, strict=True):
        assert [getattr(take.strokes, name)[0] for name in ("x", "angle", "speed", "spin", "seat")] == [
            told[name] for name in ("x", "angle", "speed", "spin", "seat")
        ]
        laws = [law_in_words(law) for law in filter(None, told["laws"].split("; "))]
        assert (take.board, take.laws) == (told["board"], tuple(laws))
        assert f"stroke {told['stroke']}: {('white', 'black')[told['colour']]}" in take.title.lower()
        if told["dues_incurred"]:
            assert f"; {told['dues_incurred']} due" in take.ruling
        assert take.score.startswith(f"white {told['on_board_white']}, black {told['on_board_black']}, queen ")
        if told["target"] is not None:
            assert DISC_NAMES[told["target"]] in take.meant
        followed = take.follow()
        ends.append(followed.outcome.pos[0, 1:])
        assert followed.duration == told["duration"]
        fell = [disc for disc, pocket in enumerate(pockets(followed)) if pocket is not None]
        assert sum(2 <= disc < 11 for disc in fell) == told["n_white"]
        assert sum(disc >= 11 for disc in fell) == told["n_black"]
        assert ((1 in fell), (0 in fell)) == (told["queen"], told["striker"])
        if told["fell_as_aimed"]:
            corner = ("bottom left", "bottom right", "top right", "top left")[pockets(followed)[told["target"]] or 0]
            assert take.meant.endswith(f"into {corner}")
    for end, (take, after) in zip(ends[:-1], pairwise(takes), strict=True):
        if after.board == take.board:
            stayed = ~np.isnan(end[:, 0])
            np.testing.assert_array_equal(after.layout.pos[1:][stayed], end[stayed])


@pytest.mark.parametrize("row", range(3))
def test_a_board_is_that_of_its_row(row: int) -> None:
    told, takes = rows_of(BOARDS, row), BOARDS.takes(row)
    check_boards(takes, told["strokes"])
    (board,) = told["boards"]
    assert takes[-1].ruling.startswith("the board has ended; ")
    assert f"{('white', 'black')[board['winner']]} wins, {board['points']} point" in takes[-1].ruling
    assert {take.title.split(", ")[1].split(" (")[0] for take in takes} == {"expert", "a hand of his own"}
    assert takes[0].meant == "the break"


STROKE = {
    "turn": 1, "colour": 0, "dues_incurred": 0, "dues_paid_own": 0, "dues_paid_opponent": 0, "returned_own": 0,
    "returned_opponent": 0, "queen_returned": 0, "queen_after": 0, "on_board_white": 5, "on_board_black": 8,
    "dues_white": 0, "dues_black": 0, "score_delta_white": 0, "score_delta_black": 0, "laws": "ICF 48",
}  # fmt: skip
LEFT = "white 5, black 8, queen "


@pytest.mark.parametrize(
    ("changes", "ruling", "score"),
    [
        (
            {"dues_incurred": 2, "dues_paid_own": 1, "dues_white": 1},
            "the turn passes to black; 2 dues; 1 white placed for dues",
            LEFT + "on board; still owed: white 1, black 0",
        ),
        (
            {"turn": 0, "colour": 1, "dues_paid_opponent": 3, "dues_black": 2, "queen_after": 1},
            "black plays on; 3 white placed for dues",
            LEFT + "pending; still owed: white 0, black 2",
        ),
        (
            {"colour": 1, "returned_own": 2, "returned_opponent": 1},
            "the turn passes to white; 2 black come back; 1 white comes back",
            LEFT + "on board",
        ),
        (
            {"queen_returned": 1, "queen_after": 0, "returned_own": 1},
            "the turn passes to black; 1 white comes back; the queen comes back",
            LEFT + "on board",
        ),
        ({"turn": 0, "queen_after": 2}, "white plays on", LEFT + "covered by white"),
        ({"turn": 2, "colour": 1, "queen_after": 3}, "black plays the stroke again", LEFT + "covered by black"),
        (
            {"colour": 1, "score_delta_black": -1},
            "the turn passes to white; black loses 1 point",
            LEFT + "on board; points: white 0, black -1",
        ),
        (
            {"turn": 3, "score_delta_black": 6, "queen_after": 3},
            "the board has ended; black wins, 6 points",
            LEFT + "covered by black; points: white 0, black 6",
        ),
    ],
)
def test_what_a_row_says_is_said_in_words(changes: dict[str, Any], ruling: str, score: str) -> None:
    row = STROKE | changes
    ended = {"winner": 1, "points": 6} if row["turn"] == 3 else None
    told = said_of_ruling(ruling_of(row, ended), row["colour"])
    assert (told["ruling"], told["score"], told["laws"]) == (ruling, score, ("ICF 48",))


def test_points_that_are_lost_stay_in_the_score() -> None:
    takes = cs.BoardStudy(boards=4, skill="novice", ruleset="bell_i", seed=21, stroke_limit=14).takes(3)
    lost = [n for n, take in enumerate(takes) if take.ruling.endswith("; white loses 1 point")]
    assert lost == [1, 3]
    assert ["points" in take.score for take in takes] == [n >= 1 for n in range(14)]
    assert takes[2].score == "white 9, black 9, queen on board; points: white -1, black 0"
    assert takes[3].score == "white 9, black 9, queen on board; points: white -2, black 0"


def test_a_board_that_is_given_up_says_so() -> None:
    study = cs.BoardStudy(boards=1, skill="novice", stroke_limit=5)
    assert study.takes(0)[-1].score.endswith("; the board is played no further: stroke limit")


def test_a_match_is_that_of_its_row_and_may_be_seen_board_by_board() -> None:
    told, takes = rows_of(MATCHES, 1), MATCHES.takes(1)
    boards = told["boards"]
    assert [sum(take.board == each["board"] for take in takes) for each in boards] == [
        each["strokes"] for each in boards
    ]
    one = MATCHES.takes(1, board=len(boards) // 2)
    mine = [stroke for stroke in told["strokes"] if stroke["board"] == len(boards) // 2]
    check_boards(one, mine)
    assert [take.title for take in takes if take.board == len(boards) // 2] == [take.title for take in one]
    for each in boards:
        last = [take for take in takes if take.board == each["board"]][-1]
        after = [each[f"score_before_{colour}"] + each[f"score_delta_{colour}"] for colour in ("white", "black")]
        side_0, side_1 = after if each["white"] == 0 else after[::-1]
        assert f"; game {each['game']}, side 0: {side_0}, side 1: {side_1}" in last.score
    (match,) = told["matches"]
    assert takes[-1].score.endswith(f"side {match['winner_side']} wins the match")
    assert sum("wins the match" in take.score for take in takes) == 1
    assert sum("wins the game" in take.score for take in takes) == match["games"]


def test_a_variants_row_is_that_of_its_variant() -> None:
    for row in (0, 3):
        takes = VARIANTS.takes(row)
        cell, played = VARIANTS.replay(row)
        name = ("icf", "ukca")[row % 2]
        assert all(take.title.startswith(f"{name}: Stroke ") for take in takes)
        assert [law for take in takes for law in take.laws if not law.lower().startswith(name)] == []
        check_boards(takes, VARIANTS.replay_dict((cell, played))["strokes"])


@pytest.mark.parametrize("row", [1, 9])
def test_an_evaluation_shows_its_first_stroke(row: int, tmp_path: Path) -> None:
    run = SEARCH.run(tmp_path / "run")
    (take,), (told,) = run.takes(row), run.again(row).to_pylist()
    assert take.title == f"Evaluation {row} ({told['origin']}): first of {told['strokes']} breaks"
    assert take.row == told["first_stroke"]
    followed = take.follow()
    assert followed.equipment.mu_surface == told["mu_surface"]
    hand = {"sd_x": 0.001, "sd_angle": np.radians(0.7), "sd_speed": 0.05, "sd_spin": 5.0}
    asked = {name: told[name] for name in ("x", "angle", "speed", "spin", "rotation", "mu_surface")}
    study = cs.BreakStudy(ruleset=SEARCH.ruleset, seed=SEARCH.seed, strokes=told["strokes"] + take.row, **asked, **hand)
    out = study.replay(take.row)
    np.testing.assert_array_equal(followed.outcome.pos, out.pos)


def test_a_run_gives_takes_too(tmp_path: Path) -> None:
    run = BREAKS.run(tmp_path / "run", workers=1)
    (take,) = cs.open_run(tmp_path / "run").takes(4)
    assert take.follow().duration == run.row(4).to_pylist()[0]["duration"]


def test_a_run_refuses_rows_that_the_study_does_not_have(tmp_path: Path) -> None:
    run = BREAKS.run(tmp_path / "run", workers=1)
    for row in (-1, 6, 10**30, True, 1.0, "1"):
        for method in (run.row, run.again, run.rerun, run.takes):
            with pytest.raises(ValueError, match=re.escape(f"row = {row!r}: must be a whole number from 0 to 5")):
                method(row)  # type: ignore[arg-type]
    assert run.row(np.uint8(5)) == run.again(np.uint8(5)) == run.again(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BREAKS.takes(6), "row = 6: must be a whole number from 0 to 5"),
        (lambda: BREAKS.takes(0, board=1), "board = 1: must be a whole number from 0 to 0; the row has 1"),
        (lambda: SHOTS.takes(-1), "row = -1: must be"),
        (lambda: SHOTS.takes(0, board=True), "board = True: must be"),
        (lambda: BOARDS.takes(3), "row = 3: must be a whole number from 0 to 2"),
        (lambda: BOARDS.takes(0, board=-1), "board = -1: must be"),
        (lambda: MATCHES.takes(1, board=99), "board = 99: must be a whole number from 0 to "),
        (lambda: VARIANTS.takes(4), "row = 4: must be"),
        (lambda: SEARCH.takes(99), "row = 99: must be"),
        (
            lambda: cs.ShotStudy(distance=cs.Uniform(1.0, 1.3), cut=cs.Uniform(-1.2, 1.2), strokes=50).takes(0),
            "row = 0: distance = ",
        ),
    ],
)
def test_what_is_not_there_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()

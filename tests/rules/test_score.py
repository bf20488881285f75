"""Games, matches, who breaks, who sits where: against the scenarios' games and whole matches played by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from carromsim.rules.ruleset import RuleSet
from carromsim.rules.score import (
    MATCH,
    after_boards,
    clock_seconds,
    game_after,
    games_after,
    new_matches,
    score_by_colour,
    slams,
    toss,
)
from carromsim.rules.seats import DOUBLES, SINGLES
from carromsim_kernels.laws import BOARD_STATE, RULING, STROKE_FACTS, QueenState, Turn

ICF, UKCA, BELL = (RuleSet.load(name) for name in ("icf", "ukca", "bell_i"))
TIMED = UKCA.replace({"score.clock": 20})

GAMES = [
    # id, rule set, score before, delta, boards played, (over, winner, next breaker)
    ("P-ukca-24", "ukca", (10, 12), (9, 0), 3, (False, None, "black")),
    ("P-ukca-25", "ukca", (24, 12), (4, 0), 5, (False, None, "black")),
    ("P-ukca-26", "ukca", (8, 23), (0, 8), 5, (True, "black", None)),
    ("P-ukca-27", "ukca", (0, 0), (2, 0), 0, (False, None, "black")),
    ("P-icf-30", "icf", (21, 10), (7, 0), 4, (True, "white", None)),
    ("P-icf-31", "icf", (22, 10), (2, 0), 4, (False, None, "black")),
    ("P-icf-38", "icf", (16, 18), (2, 0), 7, (False, None, "toss")),
    ("P-bell_i-14", "bell_i", (26, 12), (6, 0), 5, (True, "white", None)),
    ("just 29", "ukca", (28, 0), (1, 0), 9, (True, "white", None)),
    ("28 is not 29", "ukca", (27, 0), (1, 0), 9, (False, None, "black")),
    ("the eighth board", "icf", (10, 12), (0, 3), 7, (True, "black", None)),
    ("the seventh", "icf", (10, 12), (0, 3), 6, (False, None, "black")),
    ("the extra board", "icf", (18, 18), (1, 0), 8, (True, "white", None)),
    ("no ninth board without a tie", "icf", (19, 18), (0, 0), 7, (True, "white", None)),
    ("an extra board of no points", "icf", (18, 18), (0, 0), 8, (False, None, "toss")),
    ("Bell 9 takes a point", "bell_i", (0, -1), (0, -1), 50, (False, None, "black")),
    ("Bell knows no last board", "bell_i", (10, 10), (0, 0), 99, (False, None, "black")),
]


@pytest.mark.parametrize(
    ("name", "score", "delta", "played", "expected"), [g[1:] for g in GAMES], ids=[g[0] for g in GAMES]
)
def test_a_game_after_a_board(name, score, delta, played, expected):
    assert game_after(RuleSet.load(name), score, delta, played) == expected


def test_the_games_above_are_those_of_the_scenarios():
    path = Path(__file__).parent.parent / "data" / "rule_scenarios.json"
    if not path.exists():
        pytest.skip("the scenarios are not there")
    found = {}
    for case in json.loads(path.read_text()):
        if game := case["expect"].get("game"):
            before, delta = case["before"], case["expect"]["score_delta"]
            pair = tuple(before["score"][c] for c in ("white", "black")), tuple(delta[c] for c in ("white", "black"))
            found[case["id"]] = (case["ruleset"], *pair, before["boards_played"], tuple(game.values()))
    assert found == {game[0]: game[1:] for game in GAMES if game[0] in found}
    assert len(found) == 8


def test_a_level_game_ends_as_the_rule_set_says():
    arguments = (16, 18), (2, 0), 7
    assert game_after(ICF.replace({"score.tie": "extra_board"}), *arguments) == (False, None, "black")
    assert game_after(ICF.replace({"score.tie": "none"}), *arguments) == (True, None, None)
    assert game_after(ICF.replace({"score.board_limit": 9}), *arguments) == (False, None, "black")
    assert (
        game_after(ICF.replace({"score.target": 18, "score.board_limit": None}), (16, 5), (2, 0), 3).winner == "white"
    )


def test_when_time_is_up_the_leader_wins_and_a_level_game_goes_on():
    assert game_after(TIMED, (3, 4), (0, 1), 2, time_up=True) == (True, "black", None)
    assert game_after(TIMED, (3, 4), (1, 0), 2, time_up=True) == (False, None, "black")
    assert game_after(TIMED, (3, 4), (0, 1), 2, time_up=False) == (False, None, "black")


def test_many_games_are_like_one_by_one():
    rng = np.random.default_rng(1)
    score, delta = (
        rng.integers(0, 26, (300, 2)),
        rng.integers(0, 13, (300, 2)) * np.eye(2, dtype=int)[rng.integers(0, 2, 300)],
    )
    played = rng.integers(0, 9, 300)
    words = {-1: None, 0: "white", 1: "black", 2: "toss"}
    seen = set()
    for rules in (ICF, UKCA, BELL):
        many = games_after(rules, score, delta, played)
        for row in range(300):
            one = game_after(rules, score[row], delta[row], int(played[row]))
            assert one == (many.over[row], words[int(many.winner[row])], words[int(many.breaker[row])])
            seen.add(one)
    assert {(True, "white", None), (True, "black", None), (False, None, "black"), (False, None, "toss")} <= seen


def test_scores_need_two_columns():
    with pytest.raises(ValueError, match=r"shape \(3,\): must be \(n, 2\), white and black"):
        games_after(ICF, [1, 2, 3], [0, 0, 0], [1])


def play(rules: RuleSet, boards: list[tuple[int, int]], opener: int = 0, **options: object) -> list[np.void]:
    """Play one match: after each board (points of side 0, of side 1)."""
    matches, history = new_matches(1, opener), []
    for points in boards:
        white = int(matches["breaker"][0]) % 2
        delta = [points[white], points[1 - white]]
        assert score_by_colour(matches)[0].tolist() == matches["score"][0][[white, 1 - white]].tolist()
        matches = after_boards(rules, matches, [delta], **options)
        history.append(matches[0])
    return history


def test_a_match_of_the_icf_from_end_to_end():
    # Game 1 to side 0 in three boards, game 2 to side 1 in four, game 3 to side 0.
    boards = [(12, 0), (0, 3), (13, 0), (0, 9), (0, 9), (5, 0), (0, 8), (12, 0), (0, 1), (6, 0), (8, 0)]
    history = play(ICF, boards)
    assert [m["game"] for m in history] == [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    # 49: the break alternates; game 2 is opened by the other side, game 3 by the first again.
    assert [m["breaker"] for m in history[:-1]] == [1, 0, 1, 0, 1, 0, 0, 1, 0, 1]
    assert [m["games_won"].tolist() for m in history[2::4]] == [[1, 0], [1, 1], [2, 1]]
    # 58: after each game; 60: in the third at 13 points (12 + 6 after its third board).
    assert [m["turned"] for m in history] == [0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3]
    assert history[1]["score"].tolist() == [12, 3]
    assert history[2]["score"].tolist() == [0, 0]
    last = history[-1]
    assert (last["over"], last["winner"], last["score"].tolist()) == (1, 0, [26, 1])
    assert [m["over"] for m in history[:-1]] == [0] * 10


def test_a_match_ends_when_a_side_has_won_two_games():
    history = play(ICF, [(0, 12), (0, 12), (0, 12), (0, 12), (0, 12), (0, 12)], opener=1)
    assert [m["over"] for m in history] == [0, 0, 0, 0, 0, 1]
    assert history[-1]["winner"] == 1
    assert history[-1]["games_won"].tolist() == [0, 2]
    with pytest.raises(ValueError, match="row 1 is over"):
        after_boards(ICF, np.array([new_matches(1)[0], history[-1]]), [[0, 0], [0, 0]])


def test_openers_alternate_across_games_or_per_game():
    # Three boards a game: by E4 side 1 opens game 2 and side 0 game 3; with four boards a game side 0 opens each.
    for count, by_board, by_game in ((3, [1, 0], [1, 0]), (4, [0, 0], [1, 0])):
        points = [[(25, 0), (0, 25)][game] for game in (0, 1)]
        boards = [*[(0, 0)] * (count - 1), points[0], *[(0, 0)] * (count - 1), points[1]]
        for rules, expected in ((UKCA.replace({"score.target": 25}), by_board), (ICF, by_game)):
            history = play(rules, boards)
            assert [history[count - 1]["breaker"], history[2 * count - 1]["breaker"]] == expected, (count, rules.name)
            assert [history[count - 1]["game"], history[2 * count - 1]["game"]] == [2, 3]


def test_sides_change_in_the_last_game_at_points_or_after_boards_once():
    two_games = [(12, 0), (13, 0), (0, 12), (0, 13)]
    slow = [(1, 0), (0, 1), (1, 0), (0, 1), (0, 12), (3, 0)]
    by_boards = [m["turned_in_game"] for m in play(ICF, two_games + slow)][4:]
    assert by_boards == [0, 0, 0, 1, 1, 1]
    finals = [m["turned_in_game"] for m in play(ICF, two_games + slow, final_stage=True)][4:]
    assert finals == [0, 0, 0, 0, 1, 1]
    assert play(ICF, two_games + slow)[-1]["turned"] == play(ICF, two_games + slow, final_stage=True)[-1]["turned"] == 3
    fixed = ICF.replace(
        {"match.change_sides": False, "match.deciding_game_boards": None, "match.deciding_game_points": None}
    )
    assert {m["turned"] for m in play(fixed, two_games + slow)} == {0}
    assert {m["turned"] for m in play(UKCA, two_games + slow)} == {0}
    # Not in the first game, whatever its score.
    assert [m["turned"] for m in play(ICF, [(12, 0), (2, 0), (0, 1), (0, 1), (0, 1)])] == [0] * 5


def test_an_extra_board_is_tossed_for():
    level = [(4, 0), (0, 4)] * 4
    for side in (0, 1):
        last = play(ICF, level, tossed=[side])[-1]
        assert (last["breaker"], last["boards"], last["over"], last["game"]) == (side, 8, 0, 1)
        won = play(ICF, [*level, (0, 2)], tossed=[side])[-1]
        assert (won["game"], won["games_won"].tolist(), won["breaker"]) == (2, [0, 1], 1)
    with pytest.raises(ValueError, match="row 0 needs a toss for the break"):
        play(ICF, level)


def test_tosses_are_fair_and_belong_to_their_row_and_board():
    sides = toss(7, range(10_000), 3)
    assert set(sides.tolist()) == {0, 1}
    assert abs(sides.mean() - 0.5) < 0.025
    np.testing.assert_array_equal(toss(7, [17, 4], 3), sides[[17, 4]])
    assert (toss(7, range(10_000), 4) != sides).any()


def test_a_timed_game():
    # A stroke costs its motion and the time to think: UKCA's 15 s each.
    assert clock_seconds(UKCA, [2.5, 1.5]).tolist() == [17.5, 16.5]
    matches = new_matches(3)
    matches = after_boards(TIMED, matches, [[3, 0], [3, 0], [0, 0]], seconds=[600.0, 1199.0, 1200.0])
    assert matches["seconds"].tolist() == [600.0, 1199.0, 1200.0]
    assert matches["game"].tolist() == [1, 1, 1]  # the third is level: an extra board
    matches = after_boards(TIMED, matches, [[1, 0], [1, 0], [1, 0]], seconds=[599.0, 1.0, 300.0])
    assert matches["game"].tolist() == [1, 2, 2]
    assert matches["games_won"].tolist() == [[0, 0], [1, 0], [0, 1]]
    assert matches["seconds"].tolist() == [1199.0, 0.0, 0.0]
    assert after_boards(UKCA, new_matches(1), [[3, 0]], seconds=1e6)["game"].tolist() == [1]  # no clock


def test_a_drawn_game_is_nobodys():
    rules = ICF.replace({"score.tie": "none", "score.board_limit": 1, "match.games": 1})
    last = play(rules, [(5, 5)])[-1]
    assert (last["over"], last["winner"], last["games_won"].tolist()) == (1, -1, [0, 0])
    three = play(rules.replace({"match.games": 3}), [(5, 5), (2, 0), (1, 1)])
    assert [m["over"] for m in three] == [0, 0, 1]
    assert three[-1]["winner"] == 0


def test_in_doubles_the_break_goes_round_to_the_right():
    matches, breakers = new_matches(1, 2), []
    for _ in range(6):
        breakers.append(int(matches["breaker"][0]))
        matches = after_boards(ICF, matches, [[0, 0]], seating=DOUBLES)
    assert breakers == [2, 3, 0, 1, 2, 3]
    # Game 2 belongs to the player on the first opener's right, game 3 to the first opener.
    second = after_boards(ICF, matches, [[25, 0]], seating=DOUBLES)
    assert (second["game"][0], second["breaker"][0]) == (2, 3)
    third = after_boards(ICF, second, [[25, 0]], seating=DOUBLES)
    assert (third["game"][0], third["breaker"][0]) == (3, 2)
    # The toss is a side's: whichever of the pair comes next.
    level = new_matches(2)
    level["boards"], level["breaker"] = 7, 1
    assert after_boards(ICF, level, [[0, 0]] * 2, seating=DOUBLES, tossed=[0, 1])["breaker"].tolist() == [2, 3]


def test_matches_in_lock_step_are_like_one_by_one():
    rng = np.random.default_rng(3)
    n = 200
    matches = new_matches(n, rng.integers(0, 2, n))
    alone = [matches[row : row + 1].copy() for row in range(n)]
    for board in range(12):
        points = np.where(rng.random((n, 1)) < 0.5, [[1, 0]], [[0, 1]]) * rng.integers(0, 13, (n, 1))
        tossed = toss(1, np.arange(n), board)
        running = np.flatnonzero(matches["over"] == 0)
        matches[running] = after_boards(ICF, matches[running], points[running], tossed=tossed[running])
        for row in running:
            alone[row] = after_boards(ICF, alone[row], points[row : row + 1], tossed=tossed[row : row + 1])
    np.testing.assert_array_equal(matches, np.concatenate(alone))
    assert 0 < matches["over"].sum() < n
    assert matches.dtype == MATCH


def ended(
    shooter: int, queen: QueenState, own: int, in_turn: int, *, falls: bool = False, winner: int | None = None
) -> tuple:
    states, facts, rulings = np.zeros(1, BOARD_STATE), np.zeros(1, STROKE_FACTS), np.zeros(1, RULING)
    states["shooter"], states["queen"], states["turn_pocketed_own"] = shooter, queen, in_turn
    facts["own"], facts["queen"] = own, falls
    rulings["turn"], rulings["winner"] = Turn.BOARD_END, shooter if winner is None else winner
    return states, facts, rulings


def test_slams():
    def found(*records: np.ndarray, first: bool = True) -> tuple[bool, bool]:
        slam = slams(*records, [first])
        return bool(slam.white[0]), bool(slam.black[0])

    white, black, none = (True, False), (False, True), (False, False)
    assert found(*ended(0, QueenState.COVERED_WHITE, 1, 8)) == white
    assert found(*ended(0, QueenState.PENDING, 2, 7)) == white
    assert found(*ended(0, QueenState.ON_BOARD, 1, 8, falls=True)) == white
    assert found(*ended(0, QueenState.ON_BOARD, 1, 8)) == none  # Bell's board may end without her
    assert found(*ended(1, QueenState.COVERED_WHITE, 1, 8)) == black
    assert found(*ended(1, QueenState.COVERED_BLACK, 1, 8)) == black
    assert found(*ended(0, QueenState.COVERED_WHITE, 1, 8), first=False) == none
    assert found(*ended(0, QueenState.COVERED_WHITE, 1, 7)) == none  # one had been pocketed by black
    assert found(*ended(0, QueenState.COVERED_WHITE, 1, 8, winner=1)) == none
    going_on = ended(0, QueenState.COVERED_WHITE, 1, 8)
    going_on[2]["turn"] = Turn.CONTINUE
    assert found(*going_on) == none


def test_singles_play_on_the_seats_that_the_match_says():
    last = play(ICF, [(12, 0), (13, 0)])[-1]
    assert SINGLES.seat([0, 1], last["turned"]).tolist() == [2, 0]

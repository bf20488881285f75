"""What players make of it in the long run: equal ones share matches, the better one wins more."""

import numpy as np
import pytest

from carromsim.play import play_boards, play_matches
from carromsim.play.records import Ended
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.seats import DOUBLES
from carromsim.stats import wilson


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ukca", "caint", "icf", "bell_i", "bell_ii"])
def test_equal_players_share_matches(name: str) -> None:
    matches = play_matches(name, n=300, seed=11, skill="expert", keep_strokes=False).matches
    decided = matches["winner_side"] >= 0
    assert decided.mean() > 0.97
    won = int(np.count_nonzero(matches["winner_side"][decided] == 0))
    low, high = wilson(won, int(decided.sum()), level=0.999)
    assert low < 0.5 < high, (won, decided.sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["icf", "bell_i"])
def test_the_better_hand_wins_more(name: str) -> None:
    shares = []
    for skill in ("novice", "club", "expert", "champion"):
        won = []
        for first in (0, 1):  # each side has the break equally often
            pair = (skill, "club") if first == 0 else ("club", skill)
            boards = play_boards(name, n=400, seed=12, skill=pair, keep_strokes=False).boards
            won.append(np.mean(boards["winner_side"][boards["ended"] == Ended.RULES] == first))
        shares.append(float(np.mean(won)))
    assert shares == sorted(shares), shares
    assert shares[0] < 0.3
    assert shares[1] == pytest.approx(0.5, abs=0.08)
    assert shares[-1] > 0.75


@pytest.mark.slow
@pytest.mark.parametrize("name", RuleSet.names())
@pytest.mark.parametrize("doubles", [False, True])
def test_nearly_all_boards_end_by_the_rules(name: str, doubles: bool) -> None:
    more = {"seating": DOUBLES} if doubles else {}
    boards = play_boards(name, n=500, seed=13, keep_strokes=False, **more).boards
    assert np.isin(boards["ended"], (Ended.RULES, Ended.STROKE_LIMIT)).all()
    assert np.mean(boards["ended"] == Ended.STROKE_LIMIT) < 0.01


def test_threads_change_nothing() -> None:
    one, two = (play_boards("bell_i", n=12, threads=threads) for threads in (1, 2))
    assert one.boards.tobytes() == two.boards.tobytes()
    assert one.strokes.tobytes() == two.strokes.tobytes()


def test_who_is_no_player_is_refused() -> None:
    with pytest.raises(ValueError, match="policy = 'lucky'"):
        play_boards(n=1, policy="lucky")
    with pytest.raises(ValueError, match="skill = 'lucky'"):
        play_boards(n=1, skill=("club", "lucky"))
    with pytest.raises(ValueError, match="n = 0"):
        play_matches(n=0)
    with pytest.raises(TypeError, match="strokes_limit"):
        play_boards(n=1, strokes_limit=5)

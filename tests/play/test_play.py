"""Boards in lock step: nothing is made or lost, everything adds up, and a row depends on itself alone."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.play.engine import REPLAYS, play
from carromsim.play.records import Ended, Played, joined
from carromsim.play.replay import replay
from carromsim.play.setup import Setup, Start
from carromsim.players.greedy import Greedy
from carromsim.players.turns import Choice, Turns
from carromsim.rules.records import MOST_OWED, RecordArray
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.seats import DOUBLES, SINGLES, Seating
from carromsim.strokes import quarter_turns
from carromsim_kernels.laws import QueenState, Turn
from carromsim_kernels.state import Status
from play.players import STRAIGHT, Watcher, setup

TABLES = ("boards", "strokes", "games", "matches")
JUMPY = cs.Equipment.preset("icf").replace(jump_chance=0.3, jump_speed=1.0)
MAIN = ("ukca", "caint", "icf", "bell_i", "bell_ii", "point")


def same(one: Played, other: Played) -> None:
    for name in TABLES:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def of_row(played: Played, row: int) -> Played:
    return Played(**{name: getattr(played, name)[getattr(played, name)["row"] == row] for name in TABLES})


def before(strokes: RecordArray, name: str, opening: int) -> np.ndarray:
    """What a column said after the stroke before, within a board."""
    earlier = np.roll(strokes[name], 1, axis=0)
    earlier[strokes["stroke"] == 0] = opening
    return earlier


@pytest.mark.parametrize("name", MAIN)
def test_nothing_is_made_or_lost(name: str) -> None:
    policy = Watcher()
    played = play(setup(name, policy), range(30))
    strokes = played.strokes
    assert policy.seen == len(strokes) + np.count_nonzero(played.boards["ended"] == Ended.NO_ROOM) > 1000
    shooter = strokes["colour"][:, np.newaxis].astype(bool)
    back = strokes["returned"].astype(int) + strokes["dues_paid"]
    by_colour = np.where(shooter, back[:, ::-1], back)
    fell = np.stack([strokes["n_white"], strokes["n_black"]], axis=1)
    after = before(strokes, "on_board", 9) - fell + by_colour - strokes["waiting"]
    going_on = strokes["turn"] != Turn.BOARD_END  # what comes back then is not told
    assert np.array_equal(after[going_on], strokes["on_board"][going_on])
    assert strokes["dues_paid"].any(), "a man came back"
    assert fell.sum() > 200


@pytest.mark.parametrize("name", MAIN)
def test_boards_add_up_from_their_strokes(name: str) -> None:
    played = play(setup(name, Greedy()), range(40))
    boards, strokes = played.boards, played.strokes
    assert boards["row"].tolist() == list(range(40))
    for board in boards:
        own = strokes[strokes["row"] == board["row"]]
        assert own["stroke"].tolist() == list(range(board["strokes"]))
        assert own["score_delta"].sum(axis=0).tolist() == board["score_delta"].tolist()
        assert board["turns"] == 1 + np.count_nonzero(own["turn"] == Turn.PASS)
        assert board["retries"] == np.count_nonzero(own["turn"] == Turn.RETRY)
        assert board["seconds"] == pytest.approx(own["duration"].sum() + 15 * len(own))
        incurred = [own["dues_incurred"][own["colour"] == colour].sum() for colour in (0, 1)]
        assert board["dues"].tolist() == incurred
        assert board["on_board"].tolist() == own["on_board"][-1].tolist()
        assert board["queen"] == own["queen_after"][-1]
        ended = own["turn"] == Turn.BOARD_END
        assert ended[:-1].sum() == 0
        assert ended[-1] == (board["ended"] == Ended.RULES) == (board["winner"] >= 0)
        if ended[-1]:
            assert board["winner_side"] == board["winner"] ^ board["white"]
        if own["breaking"][-1] == 0:
            assert board["broke"] == own["player"][own["breaking"] == 1][-1]
        assert board["missed_breaks"] == np.count_nonzero(own["breaking"]) - 1


@pytest.mark.parametrize(
    ("unit", "equipment"),
    [("board", None), ("match", None), ("board", JUMPY), pytest.param("match", JUMPY, marks=pytest.mark.slow)],
)
def test_a_row_depends_on_itself_alone(unit: str, equipment: cs.Equipment | None) -> None:
    n = 2 if unit == "match" else 9
    alike = {
        "rules": short(RuleSet.load("icf")),
        "policy": Greedy(),
        "unit": unit,
        "equipment": equipment,
        "seed": 3,
        "skill": "expert",
    }
    whole = play(setup(**alike, width=2), range(n))
    assert len(whole.boards) >= n
    if equipment is not None:
        assert whole.strokes["n_overboard"].any(), "discs jump, and their luck is the row's too"
    same(play(setup(**alike), range(n - 1, -1, -1)), whole)
    same(joined([play(setup(**alike, width=1), range(0, 1)), play(setup(**alike), range(1, n))]), whole)
    same(play(setup(**alike), range(n - 1, n)), of_row(whole, n - 1))
    other = play(setup(**alike | {"seed": 4}), range(n))
    assert other.strokes.tobytes() != whole.strokes.tobytes()


def test_strokes_may_be_forgotten() -> None:
    kept, forgotten = play(setup(), range(6)), play(setup(keep_strokes=False), range(6))
    assert forgotten.boards.tobytes() == kept.boards.tobytes()
    assert (len(forgotten.strokes), len(kept.strokes)) == (0, kept.boards["strokes"].sum())


@pytest.mark.parametrize(("seating", "n"), [(SINGLES, 2), (DOUBLES, 4)])
def test_turns_pass_to_the_right(seating: Seating, n: int) -> None:
    strokes = play(setup("bell_i", seating=seating), range(10)).strokes
    first = strokes["stroke"] == 0
    assert (strokes["player"][first] == 0).all()
    earlier, passed = np.roll(strokes["player"], 1), np.roll(strokes["turn"], 1) == Turn.PASS
    expected = np.where(first, 0, (earlier + passed) % n)
    assert np.array_equal(strokes["player"], expected)
    assert np.array_equal(strokes["seat"], np.array(seating.seats)[strokes["player"]])
    assert np.array_equal(strokes["colour"], strokes["player"] % 2), "who breaks plays white"
    assert np.unique(strokes["player"]).tolist() == list(range(n))


@pytest.mark.parametrize("name", ["icf", pytest.param("bell_i", marks=pytest.mark.slow), "point"])
@pytest.mark.parametrize("seating", [SINGLES, DOUBLES])
def test_matches_add_up(name: str, seating: Seating) -> None:
    rules = RuleSet.load(name)
    played = play(setup(name, Greedy(), "champion", unit="match", seating=seating, keep_strokes=False), range(6))
    boards, games, matches = played.boards, played.games, played.matches
    assert matches["row"].tolist() == list(range(6))
    assert set(matches["opener"].tolist()) == {0, 1}, "the toss decides"
    for match in matches:
        own, his = boards[boards["row"] == match["row"]], games[games["row"] == match["row"]]
        assert own["board"].tolist() == list(range(len(own)))
        assert his["game"].tolist() == list(range(1, match["games"] + 1))
        assert own["breaker"][0] == his["opener"][0] == match["opener"]
        if rules.match.opener == "alternate":
            good = own[own["ended"] == Ended.RULES]
            assert good["breaker"].tolist() == [(match["opener"] + i) % seating.n for i in range(len(good))]
        assert match["strokes"] == own["strokes"].sum()
        assert match["seconds"] == pytest.approx(own["seconds"][own["ended"] == Ended.RULES].sum())
        assert match["boards"] + match["void_boards"] == len(own)
        won = [np.count_nonzero(his["winner_side"] == side) for side in (0, 1)]
        assert match["games_won"].tolist() == won
        assert match["winner_side"] == (-1 if won[0] == won[1] else int(won[1] > won[0]))
    for game in games:
        own = boards[(boards["row"] == game["row"]) & (boards["game"] == game["game"])]
        void = own["ended"] != Ended.RULES
        assert (game["strokes"], game["void_boards"]) == (own["strokes"].sum(), void.sum())
        own = own[~void]
        sides = [
            delta if white == 0 else delta[::-1] for white, delta in zip(own["white"], own["score_delta"], strict=True)
        ]
        assert game["score"].tolist() == np.sum(sides, axis=0).tolist()
        assert game["boards"] == len(own)
        assert game["opener"] == own["breaker"][0]
        assert game["score"].max() >= rules.score.target or game["boards"] >= (rules.score.board_limit or 99)
    assert (matches["ended"] == Ended.RULES).all()


def test_the_stroke_limit_ends_a_board() -> None:
    played = play(setup(stroke_limit=7), range(5))
    assert (played.boards["ended"] == Ended.STROKE_LIMIT).all()
    assert (played.boards["strokes"] == 7).all()
    assert (played.boards["winner"] == -1).all()
    assert len(played.strokes) == 35


def test_a_void_board_is_played_again_and_at_last_the_match_is_void() -> None:
    played = play(setup(unit="match", stroke_limit=7, seating=DOUBLES), range(3))
    assert played.matches["ended"].tolist() == [Ended.VOID] * 3
    assert (played.matches["winner_side"] == -1).all()
    assert (played.matches["void_boards"] == REPLAYS + 1).all()
    assert (played.matches["boards"] == 0).all()
    assert (played.matches["games"] == 0).all()
    assert (played.games["ended"] == Ended.VOID).all()
    boards = played.boards[played.boards["row"] == 0]
    assert (boards["breaker"] == played.matches["opener"][0]).all(), "by the same player"
    first = played.strokes[(played.strokes["row"] == 0) & (played.strokes["stroke"] == 0)]
    assert len(np.unique(first["angle"])) == REPLAYS + 1, "with other luck"


class Stubborn:
    """Puts the striker down at one place, or nowhere."""

    def __init__(self, x: float) -> None:
        self.x = x

    def choose(self, turns: Turns) -> cs.Strokes:
        return cs.Strokes(x=np.full(len(turns), self.x), speed=1.0)


def test_a_board_without_room_or_with_a_foul_place_ends() -> None:
    none = play(setup(policy=Stubborn(np.nan)), range(2)).boards
    assert none["ended"].tolist() == [Ended.NO_ROOM] * 2
    assert none["status"].tolist() == [Status.OK] * 2
    foul = play(setup(policy=Stubborn(0.5), skill="perfect", unit="match"), range(1))
    assert foul.boards["ended"].tolist() == [Ended.FAILED] * (REPLAYS + 1)
    assert foul.boards["strokes"].tolist() == [0] * (REPLAYS + 1)
    assert len(foul.strokes) == 0


def test_a_policy_must_answer_for_every_board() -> None:
    class Short:
        def choose(self, turns: Turns) -> cs.Strokes:
            return cs.Strokes(x=[0.0], speed=1.0)

    with pytest.raises(ValueError, match="policy of side 0 gave 1 strokes: must be a Strokes or a Choice of 3"):
        play(setup(policy=Short()), range(3))
    with pytest.raises(ValueError, match="rows = range.*: must be numbers of at least 0"):
        play(setup(), range(-1, 2))


def position(**men: list[tuple[float, float]]) -> np.ndarray:
    return cs.arrange(**men).pos  # type: ignore[arg-type]


@pytest.mark.parametrize("seat", range(3))  # player 0 is never the last one
def test_a_given_position_from_every_seat(seat: int) -> None:
    """A man before the pocket ahead on the right falls into it, which is the shooter's pocket 2 wherever he sits."""
    equipment, pocket = cs.Equipment.preset("bell"), 2

    class Sniper:
        def choose(self, turns: Turns) -> Choice:
            choice = Choice.of(cs.Strokes(x=np.zeros(len(turns)), angle=angle, speed=3.0))
            code = np.full(len(turns), 2, np.int8)
            return Choice(
                strokes=choice.strokes, kind=code * 0, target=code, pocket=code, estimate=np.full(len(turns), 0.5)
            )

    line, corner = equipment.base_line_distance - equipment.side / 2, equipment.side / 2 - equipment.pocket_offset
    angle = np.arctan2(corner - line, corner)
    own = np.array([corner, corner]) - 0.1 * np.array([np.cos(angle), np.sin(angle)])
    pos = quarter_turns(position(white=[tuple(own)], black=[(0.0, 0.2)]), np.full(20, seat, np.int8))
    start = Start(pos=pos, state=cs.board_state(on_board=(1, 1), queen="covered_white"))
    seats = (seat, seat + 1)
    played = play(setup("bell_i", Sniper(), "perfect", start=start, seating=Seating(seats)), range(2))
    assert played.boards["winner"].tolist() == [0, 0]
    assert played.boards["points"].tolist() == [6, 6]
    assert played.strokes["fell_as_aimed"].tolist() == played.strokes["fell"].tolist() == [1, 1]
    assert played.strokes["aimed_pocket"].tolist() == [pocket] * 2
    assert played.strokes["estimate"].tolist() == [0.5] * 2
    assert played.strokes["seat"].tolist() == [seat] * 2


def test_black_may_begin_from_a_given_position() -> None:
    pos = position(white=[(0.1, 0.1)], black=[(0.0, 0.2)], queen=(0.2, 0.0))
    state = cs.board_state(on_board=(1, 1), shooter="black", score=(3, 4))
    played = play(setup(start=Start(pos=pos, state=state)), range(4))
    first = played.strokes[played.strokes["stroke"] == 0]
    assert first["player"].tolist() == [0] * 4
    assert first["colour"].tolist() == [1] * 4
    assert played.boards["white"].tolist() == [1] * 4
    assert played.boards["score_before"].tolist() == [[3, 4]] * 4
    assert (played.boards["broke"] == -1).all()


BLACK_ONLY = cs.board_state(on_board=(0, 1), queen="covered_white")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "game"}, "unit = 'game': must be board or match"),
        ({"stroke_limit": 0}, "stroke_limit = 0: must be a whole number from 1 to 4096"),
        ({"width": 2.0}, "width = 2.0: must be a whole number"),
        ({"seed": -1}, "seed = -1"),
        ({"policies": (STRAIGHT,)}, "policies = .*: must be a tuple of two"),
        ({"gap": -1.0}, "gap"),
        ({"jitter": 1.0}, "jitter = 1.0 m: must be"),
        ({"unit": "match", "start": Start(pos=position(), state=BLACK_ONLY)}, "start: a match begins with the opening"),
        ({"start": Start(pos=position(), state=BLACK_ONLY)}, r"start.pos has \[0, 0\] white and black men"),
        (
            {"start": Start(pos=position(black=[(0, 0)], queen=(0.1, 0.1)), state=BLACK_ONLY)},
            "disagree on whether the queen",
        ),
        ({"start": Start(pos=position(black=[(0, 0)], striker=(0.1, 0.1)), state=BLACK_ONLY)}, "striker on the board"),
        ({"start": Start(pos=position(black=[(9, 0)]), state=BLACK_ONLY)}, "impossible layout"),
    ],
)
def test_a_setup_that_makes_no_sense_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        setup(**changes)


def test_what_is_rare_happens_too() -> None:
    """A conduct that loses boards, in the middle of everything else."""
    rates = cs.DeclaredRates(board_loss=0.05, improper=0.1, technical_foul=0.1)
    calm, wild = play(setup(), range(30)), play(setup(conduct=rates), range(30))
    assert wild.boards["strokes"].mean() < 0.5 * calm.boards["strokes"].mean()
    assert wild.boards["dues"].sum() / wild.boards["strokes"].sum() > 0.05
    again = play(setup(conduct=rates, width=4), range(30))
    same(again, wild)


def test_all_rule_sets_finish_boards() -> None:
    for name in RuleSet.names():
        boards = play(setup(name, Greedy(), "expert", keep_strokes=False), range(40)).boards
        assert np.isin(boards["ended"], (Ended.RULES, Ended.STROKE_LIMIT)).all()
        assert np.mean(boards["ended"] == Ended.RULES) > 0.9, name
        won = boards["ended"] == Ended.RULES
        assert (boards["points"][won] >= 0).all()
        assert np.isin(boards["winner_side"][won], (0, 1)).all()


def test_a_setup_is_for_one_kind_of_rows() -> None:
    played = play(setup(), range(3))
    assert (len(played.boards), len(played.games), len(played.matches)) == (3, 0, 0)
    assert repr(played) == f"Played(3 boards, 0 not ended by the rules, {len(played.strokes)} strokes)"
    assert isinstance(setup(), Setup)


@pytest.mark.parametrize("unit", ["board", "match"])
def test_a_row_is_played_again_with_every_event(unit: str) -> None:
    rules = short(RuleSet.load("icf"))
    equipment = cs.Equipment.preset("icf").replace(jump_chance=0.3, jump_speed=1.0)
    whole = setup(rules=rules, policy=Greedy(), unit=unit, equipment=equipment, seating=DOUBLES)
    again = replay(whole, 2)
    same(again.played, of_row(play(whole, range(4)), 2))
    told, out = again.played.strokes, again.outcomes
    assert len(told) == len(out) == len(again.layout) > 10
    assert told["duration"].tobytes() == out.duration.tobytes()
    assert np.array_equal(told["n_white"], (out.pocket[:, 2:11] >= 0).sum(axis=1))
    assert np.array_equal(told["n_overboard"], out.overboard.sum(axis=1))
    assert np.unique(told["seat"]).tolist() == [0, 1, 2, 3]
    assert all(len(out.events(stroke)) == out.n_events[stroke] for stroke in range(len(told)))


def short(rules: RuleSet) -> RuleSet:
    """Matches of games of at most two boards."""
    return rules.replace({"score.board_limit": 2})


def test_slams_are_boards_won_in_a_first_turn() -> None:
    played = play(setup("icf", Greedy(), "perfect", seed=2), range(400))
    boards, strokes = played.boards, played.strokes
    by_white = np.zeros((400, 2), int)  # men that white sent down in his turns, by colour
    white = strokes["colour"] == 0
    for colour, name in enumerate(("n_white", "n_black")):
        by_white[:, colour] = np.bincount(strokes["row"], weights=strokes[name] * white, minlength=400)
    broke = boards["broke"] == boards["breaker"]
    in_one = (boards["winner"] == 0) & (boards["turns"] == 1) & broke
    assert np.array_equal(boards["slam_white"] == 1, in_one & (boards["queen"] == QueenState.COVERED_WHITE))
    in_two = (boards["winner"] == 1) & (boards["turns"] == 2) & (by_white[:, 1] == 0)
    assert np.array_equal(boards["slam_black"] == 1, in_two)
    assert boards["slam_white"].sum() > 5
    assert boards["slam_black"].sum() > 5
    covered = boards["queen"] >= QueenState.COVERED_WHITE
    assert np.array_equal(boards["covered_by"] >= 0, covered)
    assert np.array_equal(boards["covered_by"][covered], boards["queen"][covered] - QueenState.COVERED_WHITE)


def test_more_dues_than_the_referee_counts_end_a_board() -> None:
    rates = cs.DeclaredRates(technical_foul=1.0, interference=1.0, improper=1.0)
    played = play(setup("ukca", conduct=rates), range(4))
    assert played.boards["ended"].tolist() == [Ended.OWED] * 4
    assert (played.boards["owed"].max(axis=1) > MOST_OWED).all()
    assert (played.boards["owed"] > 0).all(), "no number has run over"

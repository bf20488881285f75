"""Facts of strokes: of real ones, and of outcomes made by hand for what physics does rarely."""

import math

import numpy as np
import pytest

import carromsim as cs
from carromsim.outcomes import Outcomes, empty_result
from carromsim.rules.referee import DeclaredRates, declare, facts_from_outcomes
from carromsim_kernels.laws import ALL, BOARD_STATE, STROKE_FACTS

WHITE, BLACK = 0, 1
ICF = cs.Equipment.preset("icf")
ON_LINE = -(ICF.side / 2 - ICF.base_line_distance)


def outcomes(n: int = 1, **columns: object) -> Outcomes:
    """Return outcomes of strokes in which nothing happened: the striker rests in the middle of seat 0's base lines."""
    result = empty_result(n)
    for column in result:
        column[...] = 0
    for name in ("pocket", "first_hit"):
        getattr(result, name)[...] = -1
    for name in ("pos", "pocket_time"):
        getattr(result, name)[...] = np.nan
    result.pos[:, cs.STRIKER] = (0.0, ON_LINE)
    for name, value in columns.items():
        getattr(result, name)[...] = value
    return Outcomes(**result._asdict())


def strokes(seat: object = 0) -> cs.Strokes:
    return cs.Strokes(x=0.0, speed=1.0, seat=seat)


def fallen(*discs: tuple[int, int, float]) -> Outcomes:
    """Return the outcome of a stroke in which (disc, pocket, time) fell."""
    out = outcomes()
    for disc, pocket, time in discs:
        out.pocket[0, disc], out.pocket_time[0, disc], out.pos[0, disc] = pocket, time, np.nan
    return out


def facts(out: Outcomes, shooter: int = WHITE, seat: int = 0) -> np.void:
    return facts_from_outcomes(out, strokes(seat), shooter)[0]


def non_zero(record: np.void) -> set[str]:
    return {name for name in STROKE_FACTS.names if np.any(record[name])}


NOTHING_SAID = {"call_double_due", "demand_extra", "board_lost_by"}
"""What stands in the facts of the quietest stroke: the other side takes what it is offered, nobody lost the board."""


def test_a_real_stroke_that_pockets_a_man_of_either_side():
    man, x = (0.317, 0.317), -0.15  # near pocket 2
    angle = math.atan2(man[1] - ON_LINE, man[0] - x)
    for colour, shooter in ((WHITE, WHITE), (WHITE, BLACK), (BLACK, WHITE), (BLACK, BLACK)):
        layout = cs.arrange(white=[man]) if colour == WHITE else cs.arrange(black=[man])
        shot = cs.Strokes(x=x, angle=angle, speed=1.6)
        out = cs.simulate(layout, shot, equipment="icf")
        assert out.pocket[0, 2 if colour == WHITE else 11] == 2
        record = facts_from_outcomes(out, shot, shooter, "icf")[0]
        assert (record["own"], record["opponent"]) == ((1, 0) if colour == shooter else (0, 1))
        assert record["queen"] == 0
        assert record["touched_piece"] == record["crossed_front"] == record["left_base"] == 1
        assert record["direct_hit_behind"] == 0


def test_a_real_direct_hit_behind_the_line_and_hits_on_the_rebound():
    # A man to the shooter's left on his base lines: UKCA H11 forbids the direct hit, C13 allows that on the rebound.
    layout = cs.arrange(white=[(-0.2, ON_LINE)])
    direct = cs.Strokes(x=0.0, angle=math.pi, speed=2.0)
    record = facts_from_outcomes(cs.simulate(layout, direct, equipment="ukca"), direct, WHITE, "ukca")[0]
    assert (record["touched_piece"], record["crossed_front"], record["direct_hit_behind"]) == (1, 0, 1)

    by_cushion = cs.Strokes(x=0.0, angle=np.linspace(1.6, 1.8, 60), speed=8.0)
    out = cs.simulate(layout, by_cushion, equipment="ukca")
    hits = (out.first_hit >= 0) & (out.first_hit_behind == 1)
    assert hits.sum() >= 3
    records = facts_from_outcomes(out, by_cushion, WHITE, "ukca")
    assert not records["direct_hit_behind"].any()
    assert records["crossed_front"].all()
    assert (records["touched_piece"] == (out.first_hit >= 0)).all()


def test_quiet_stroke():
    record = facts(outcomes())
    assert non_zero(record) == NOTHING_SAID
    assert (record["call_double_due"], record["demand_extra"], record["board_lost_by"]) == (1, ALL, -1)


def test_men_are_own_and_opponents_as_the_shooter_sees_them():
    out = fallen((2, 0, 1.0), (10, 3, 1.1), (11, 1, 0.4), (1, 0, 2.0))
    for shooter, own, opponent in ((WHITE, 2, 1), (BLACK, 1, 2)):
        record = facts(out, shooter)
        assert (record["own"], record["opponent"], record["queen"], record["striker"]) == (own, opponent, 1, 0)
    both = outcomes(2, overboard=[[1, 1] + [1] * 9 + [0] * 9, [0] * 11 + [1] * 9])
    records = facts_from_outcomes(both, strokes(), [WHITE, BLACK])
    assert records["overboard_own"].tolist() == [9, 9]
    assert records["overboard_opponent"].tolist() == [0, 0]
    assert records["overboard_striker"].tolist() == records["overboard_queen"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("discs", "followed"),
    [
        ([(0, 2, 1.0), (5, 2, 0.9)], 1),
        ([(0, 2, 1.0), (5, 2, 1.1)], 0),  # the man followed the striker
        ([(0, 2, 1.0), (5, 3, 0.9)], 0),  # another pocket
        ([(0, 2, 1.0), (12, 2, 0.9)], 0),  # the opponent's man
        ([(0, 2, 1.0), (1, 2, 0.9)], 0),  # the queen
        ([(0, 2, 1.0), (5, 2, 1.1), (6, 2, 0.9)], 1),
        ([(5, 2, 0.9)], 0),
        ([], 0),
    ],
)
def test_the_striker_follows_an_own_man_into_his_pocket(discs, followed):
    assert facts(fallen(*discs), WHITE)["striker_same_pocket_as_own"] == followed
    if all(disc != 12 for disc, _, _ in discs):
        assert facts(fallen(*discs), BLACK)["striker_same_pocket_as_own"] == 0


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize(
    ("where", "left"),
    [
        ((0.0, 0.0), False),  # on the middle line of the band
        ((0.1, 0.0159 + 0.0206), False),  # touches the front line
        ((0.1, 0.0159 + 0.0207), True),
        ((-0.1, -(0.0159 + 0.0206)), False),  # touches the outer line
        ((-0.1, -(0.0159 + 0.0207)), True),
        ((0.235 + 0.0206, 0.0), False),  # touches the end circle
        ((-(0.235 + 0.0207), 0.0), True),
    ],
)
def test_the_striker_leaves_the_base_line_of_its_seat(where, left, seat):
    x, y = where[0], ON_LINE + where[1]
    turned = [(x, y), (-y, x), (-x, -y), (y, -x)][seat]
    out = outcomes()
    out.pos[0, cs.STRIKER] = turned
    assert facts(out, seat=seat)["left_base"] == left
    assert facts(out, seat=(seat + 2) % 4)["left_base"] == 1  # far from the line of the player opposite


@pytest.mark.parametrize(
    "columns",
    [{"crossed_front_line": 1}, {"first_hit": 7}, {"n_cushion_hits": 1}, {"overboard": [[1] + 19 * [0]]}],
)
def test_the_striker_has_left_the_base_line_wherever_it_rests(columns):
    assert facts(outcomes(**columns))["left_base"] == 1
    assert facts(outcomes())["left_base"] == 0


def test_direct_hit_behind_needs_both():
    for direct in (0, 1):
        for behind in (0, 1):
            out = outcomes(first_hit=4, first_hit_direct=direct, first_hit_behind=behind)
            assert facts(out)["direct_hit_behind"] == (direct and behind)


def test_rows_without_outcome_are_named():
    out = outcomes(30)
    out.status[[3, 5]] = 1, 4
    with pytest.raises(
        ValueError, match=r"outcomes: rows 3, 5 not simulated to the end \(status 1 event limit, 4 burst limit\)"
    ):
        facts_from_outcomes(out, strokes(), WHITE)
    out.status[10:] = 2
    with pytest.raises(
        ValueError, match=r"rows 3, 5, 10, 11, 12, 13, 14, 15 and 14 more not .* \(status 1 .*, 2 start overlap"
    ):
        facts_from_outcomes(out, strokes(), WHITE)


@pytest.mark.parametrize("shooter", [2, -1, 0.0, "white", [0, 1, 0], [[0, 1]], [0, 2]])
def test_impossible_shooters(shooter):
    with pytest.raises(ValueError, match=r"shooter .*0 \(white\) or 1 \(black\)"):
        facts_from_outcomes(outcomes(2), strokes(), shooter)


def test_strokes_of_another_number():
    with pytest.raises(ValueError, match="strokes has 3 rows and outcomes 2"):
        facts_from_outcomes(outcomes(2), strokes([0, 1, 2]), WHITE)


def boards(n: int, break_made: object = 1) -> np.ndarray:
    states = np.zeros(n, BOARD_STATE)
    states["break_made"] = break_made
    states["shooter"] = np.arange(n) % 2
    return states


def test_nothing_is_declared_by_default():
    records = facts_from_outcomes(outcomes(50), strokes(), WHITE)
    declared = declare(records, boards(50, 0), DeclaredRates(), seed=1, rows=range(50), stroke=0)
    np.testing.assert_array_equal(declared, records)


@pytest.mark.parametrize(
    ("rate", "fact", "value", "breaks_only"),
    [
        ("improper", "improper", 1, False),
        ("interference", "interference", 1, False),
        ("technical_foul", "technical_fouls", 1, False),
        ("bad_setup", "bad_setup", 1, True),
        ("premature_break", "premature_break", 1, True),
        ("decline_dues", "decline_dues", ALL, False),
    ],
)
def test_a_rate_is_the_chance_of_its_fact_and_of_no_other(rate, fact, value, breaks_only):
    n, rows = 20_000, np.arange(20_000)
    records, states = np.zeros(n, STROKE_FACTS), boards(n, rows % 4 == 0)
    quiet = declare(records, states, DeclaredRates(), seed=2, rows=rows, stroke=3)
    declared = declare(records, states, DeclaredRates(**{rate: 0.3}), seed=2, rows=rows, stroke=3)
    chosen = states["break_made"] == 0 if breaks_only else np.ones(n, bool)
    assert set(np.unique(declared[fact])) == {0, value}
    assert abs((declared[fact][chosen] != 0).mean() - 0.3) < 5 * math.sqrt(0.21 / chosen.sum())
    assert not declared[fact][~chosen].any()
    assert all(np.array_equal(declared[name], quiet[name]) for name in STROKE_FACTS.names if name != fact)
    always = declare(records, states, DeclaredRates(**{rate: 1.0}), seed=2, rows=rows, stroke=3)
    assert ((always[fact] == value) == chosen).all()
    assert not records[fact].any()  # the argument is left alone


def test_board_loss_hits_the_shooter():
    declared = declare(
        np.zeros(400, STROKE_FACTS), boards(400), DeclaredRates(board_loss=0.5), seed=3, rows=range(400), stroke=0
    )
    lost = declared["board_lost_by"] >= 0
    assert 150 < lost.sum() < 250
    np.testing.assert_array_equal(declared["board_lost_by"][lost], (np.arange(400) % 2)[lost])


def test_what_the_other_side_takes_can_be_switched_off():
    records = facts_from_outcomes(outcomes(10), strokes(), WHITE)
    rates = DeclaredRates(call_double_due=0.0, demand_extra=0.0)
    declared = declare(records, boards(10), rates, seed=4, rows=range(10), stroke=0)
    assert not declared["call_double_due"].any()
    assert not declared["demand_extra"].any()


def test_a_row_does_not_depend_on_its_company():
    rates = DeclaredRates(improper=0.4, interference=0.4, technical_foul=0.4, bad_setup=0.4, board_loss=0.4)
    records, states = np.zeros(60, STROKE_FACTS), boards(60, 0)
    whole = declare(records, states, rates, seed=5, rows=range(60), stroke=7)
    some = np.random.default_rng(1).permutation(60)[:20]
    np.testing.assert_array_equal(declare(records[some], states[some], rates, seed=5, rows=some, stroke=7), whole[some])
    for seed, stroke in ((6, 7), (5, 8)):
        assert (declare(records, states, rates, seed=seed, rows=range(60), stroke=stroke) != whole).any()


def test_rates_are_probabilities():
    with pytest.raises(
        ValueError, match=r"improper = 1.5: must be a number from 0 to 1; bad_setup = nan: .*; demand_ex"
    ):
        DeclaredRates(improper=1.5, bad_setup=math.nan, demand_extra=True)
    with pytest.raises(ValueError, match="interference = '0.5'"):
        DeclaredRates(interference="0.5")


def test_shapes_of_what_is_declared():
    with pytest.raises(ValueError, match=r"facts \(3,\), states \(3,\), rows \(2,\)"):
        declare(np.zeros(3, STROKE_FACTS), boards(3), DeclaredRates(), seed=1, rows=[0, 1], stroke=0)

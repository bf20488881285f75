import numpy as np
import pytest

from carromsim.rules.seats import DOUBLES, SINGLES, Seating


def test_singles_face_each_other_and_alternate():
    assert [int(SINGLES.seat(player)) for player in (0, 1)] == [0, 2]
    assert [int(SINGLES.right(player)) for player in (0, 1)] == [1, 0]
    assert SINGLES.seat([0, 1], 1).tolist() == [2, 0]
    assert SINGLES.seat([0, 1], 2).tolist() == [0, 2]


def test_the_turn_of_doubles_goes_round_to_the_right_and_from_side_to_side():
    player, seats, sides = 0, [], []
    for _ in range(5):
        seats.append(int(DOUBLES.seat(player)))
        sides.append(int(DOUBLES.side(player)))
        player = int(DOUBLES.right(player))
    assert seats == [0, 1, 2, 3, 0]  # counter-clockwise: the player at the bottom looks up and has seat 1 to his right
    assert sides == [0, 1, 0, 1, 0]


def test_when_sides_change_places_the_pairs_do_and_partners_still_face_each_other():
    before, after = DOUBLES.seat([0, 2]), DOUBLES.seat([0, 2], 1)
    assert set(before.tolist()) == {0, 2}
    assert set(after.tolist()) == {1, 3}
    players = np.arange(4)
    for turned in range(6):
        seats = DOUBLES.seat(players, turned)
        assert sorted(seats.tolist()) == [0, 1, 2, 3]
        np.testing.assert_array_equal((seats[2:] - seats[:2]) % 4, 2)
        np.testing.assert_array_equal(DOUBLES.seat(DOUBLES.right(players), turned), (seats + 1) % 4)


def test_arrays_of_players_of_any_shape():
    players = np.array([[0, 3], [2, 1]])
    turned = np.array([[0, 1], [1, 0]])
    assert DOUBLES.seat(players, turned).tolist() == [[0, 0], [3, 1]]
    assert DOUBLES.seat(players).dtype == np.int8


@pytest.mark.parametrize("seats", [(), (0,), (0, 1, 2), (2, 0), (0, 0), (0, 4), (-1, 1), (0.0, 2)])
def test_impossible_seatings(seats):
    with pytest.raises(ValueError, match="seats = .*must be 2 or 4 different seats from 0 to 3, counter-clockwise"):
        Seating(seats)


@pytest.mark.parametrize("player", [2, -1, [0, 2], 0.0])
def test_unknown_players(player):
    with pytest.raises(ValueError, match="player = .*must be from 0 to 1"):
        SINGLES.seat(player)

"""Studies of boards and matches: tables that agree with each other, summaries, positions, replay, determinism."""

import io
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console
from scipy.stats import binomtest

from carromsim.play.records import Ended, Played
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.playing.board_summary import MEASURED, OVER
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.declaration import PlayDeclaration
from carromsim.studies.playing.matches import MatchStudy
from carromsim.tables.schemas_players import BOARDS, ENDED, PLAYED_STROKES
from carromsim_kernels.laws import Turn

BOARD = BoardStudy(boards=24, seed=2)
SHORT = RuleSet.load("bell_i").replace({"score.target": 6, "match.games": 3})
MATCH = MatchStudy(matches=3, seed=5, ruleset=SHORT, doubles=True)
START = {"white": [[0.1, 0.1]], "black": [[0.2, 0.0], [0.0, 0.25]], "queen": "covered_white"}

Rows = list[dict[str, Any]]


def tables_of(study: PlayDeclaration) -> dict[str, Rows]:
    return {name: table.to_pylist() for name, table in study.batch(range(study.rows)).items()}


def text_of(study: PlayDeclaration) -> str:
    shown = io.StringIO()
    Console(file=shown, width=100).print(study.report(study.summarise(workers=1)))
    return shown.getvalue()


def named(row: dict[str, Any], column: str) -> set[str]:
    return set(row[column].split("; "))


@pytest.fixture(scope="module")
def board() -> dict[str, Rows]:
    return tables_of(BOARD)


@pytest.fixture(scope="module")
def match() -> dict[str, Rows]:
    return tables_of(MATCH)


# Tables


def test_every_board_has_its_row_and_all_its_strokes(board: dict[str, Rows]) -> None:
    assert [row["row"] for row in board["boards"]] == list(range(24))
    for row in board["boards"]:
        strokes = [stroke for stroke in board["strokes"] if stroke["row"] == row["row"]]
        assert [stroke["stroke"] for stroke in strokes] == list(range(row["strokes"]))
        assert (row["breaker"], row["white"], strokes[0]["player"]) == (0, 0, 0)
        assert strokes[0]["breaking"] == 1
        assert strokes[-1]["turn"] == Turn.BOARD_END
        for colour in ("white", "black"):
            assert sum(stroke[f"score_delta_{colour}"] for stroke in strokes) == row[f"score_delta_{colour}"]
            assert strokes[-1][f"on_board_{colour}"] == row[f"on_board_{colour}"]
        incurred = [sum(s["dues_incurred"] for s in strokes if s["colour"] == colour) for colour in (0, 1)]
        assert incurred == [row["dues_white"], row["dues_black"]]
        assert named(row, "laws") == set().union(*(named(stroke, "laws") for stroke in strokes))
        assert named(row, "laws") == set(map(BOARD.ruleset.law, named(row, "fields")))


def test_what_was_meant_and_what_came_of_it_stand_in_the_strokes(board: dict[str, Rows]) -> None:
    strokes = board["strokes"]
    aimed = [stroke for stroke in strokes if stroke["target"] is not None and stroke["estimate"] is not None]
    assert len(aimed) > len(strokes) / 2
    for stroke in strokes:
        assert (stroke["fell"] is None) == (stroke["target"] is None)
        assert stroke["estimate"] is None or 0.0 <= stroke["estimate"] <= 1.0
        assert abs(stroke["angle"] - stroke["intended_angle"]) < 0.1
        assert all(law in set(map(BOARD.ruleset.law, BOARD.ruleset.sources)) for law in stroke["laws"].split("; "))
    fell = np.array([stroke["fell_as_aimed"] for stroke in aimed])
    likely = np.array([stroke["estimate"] for stroke in aimed]) > 0.5
    assert fell[likely].mean() > fell[~likely].mean() + 0.2


def test_a_match_adds_up_from_its_games_and_boards(match: dict[str, Rows]) -> None:
    assert list(match) == ["matches", "games", "boards", "strokes"]
    for row in match["matches"]:
        games = [game for game in match["games"] if game["row"] == row["row"]]
        boards = [one for one in match["boards"] if one["row"] == row["row"]]
        assert len(games) == row["games"] == row["games_won_side_0"] + row["games_won_side_1"]
        assert [sum(game["winner_side"] == side for game in games) for side in (0, 1)] == [
            row["games_won_side_0"],
            row["games_won_side_1"],
        ]
        assert sum(game["boards"] for game in games) == row["boards"]
        assert len(boards) == row["boards"] + row["void_boards"]
        assert sum(one["strokes"] for one in boards) == row["strokes"]
        assert games[0]["opener"] == row["opener"] == boards[0]["breaker"]
        for name in ("laws", "fields"):
            assert named(row, name) == set().union(*(named(one, name) for one in boards))
    assert {stroke["player"] for stroke in match["strokes"]} == {0, 1, 2, 3}


def test_codes_are_those_of_the_engine() -> None:
    assert tuple(ended.name.lower() for ended in Ended) == ENDED


def test_boards_of_players_who_look_ahead_make_smaller_parts() -> None:
    assert (BoardStudy().chunk_rows, BoardStudy(policy=["greedy", "lookahead:8"]).chunk_rows) == (512, 64)
    assert (MatchStudy().chunk_rows, MatchStudy(policy="lookahead").chunk_rows) == (64, 8)


# Determinism


@pytest.mark.parametrize(
    ("study", "chunk"), [pytest.param(BOARD, 5, id="board"), pytest.param(MATCH, 1, id="match", marks=pytest.mark.slow)]
)
def test_chunks_workers_and_pieces_change_nothing(
    study: PlayDeclaration, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = study.batch(range(study.rows))
    monkeypatch.setattr(type(study), "chunk_rows", chunk)
    for workers in (1, 2):
        first = pa.Table.from_batches(list(study.stream(workers)))
        assert first.equals(pa.Table.from_batches([whole[study.tables[0].name]]))
    alone = study.batch(range(2, 3))
    for name, table in alone.items():
        mine = np.flatnonzero(np.asarray(whole[name].column("row")) == 2)
        assert table.equals(whole[name].slice(mine[0], len(mine)))


def test_a_row_played_again_is_the_row(board: dict[str, Rows]) -> None:
    study = BoardStudy(boards=24, seed=2, keep_strokes=False)
    assert [table.name for table in study.tables] == ["boards"]
    played = study.replay(7)
    assert isinstance(played, Played)
    told = json.loads(json.dumps(study.replay_dict(played), allow_nan=False))
    assert told["boards"] == [board["boards"][7]]
    assert told["strokes"] == [stroke for stroke in board["strokes"] if stroke["row"] == 7]
    shown = io.StringIO()
    Console(file=shown, width=120).print(study.replay_report(played))
    lines = shown.getvalue().splitlines()
    assert len([line for line in lines if line.startswith("0  ")]) == len(told["strokes"])
    assert "the break" in lines[1]
    assert "board end" in shown.getvalue()
    with pytest.raises(ValueError, match="row = 24: must be a whole number from 0 to 23"):
        study.replay(24)


# Summaries


def test_the_summary_is_that_of_the_boards(board: dict[str, Rows]) -> None:
    rows = board["boards"]
    told = json.loads(json.dumps(BOARD.summarise(workers=2).to_dict(), allow_nan=False))
    assert (told["boards"], told["ended"]["rules"]["count"]) == (24, 24)
    seen = {
        "won_breaker": sum(row["winner_side"] == 0 for row in rows),
        "won_other": sum(row["winner_side"] == 1 for row in rows),
        "won_nobody": sum(row["winner_side"] is None for row in rows),
        "queen_white": sum(row["queen"] == 2 for row in rows),
        "queen_black": sum(row["queen"] == 3 for row in rows),
        "queen_nobody": sum(row["queen"] < 2 for row in rows),
        "slam_white": sum(row["slam_white"] for row in rows),
        "slam_black": sum(row["slam_black"] for row in rows),
        "missed_break": sum(row["missed_breaks"] > 0 for row in rows),
        "comeback": sum(row["deficit"] >= 3 for row in rows),
        "queen_decided": sum(row["cleared_first"] not in (None, row["winner"]) for row in rows),
    }
    assert 0 < seen["comeback"] < 24
    assert list(seen) == list(OVER)
    for key, count in seen.items():
        interval = binomtest(count, 24).proportion_ci(method="wilson")
        ends = told["over"][key]["low"], told["over"][key]["high"]
        assert told["over"][key]["count"] == count
        assert ends == pytest.approx((interval.low, interval.high), abs=1e-14)
    for key in set(MEASURED) - {"points_breaker", "points_other"}:
        assert told[key]["mean"] == pytest.approx(np.mean([row[key] for row in rows]), abs=1e-6)


@pytest.mark.parametrize("shooter", ["white", "black"])
def test_points_of_the_sides_are_what_one_gains_on_the_other(shooter: str) -> None:
    """Also where a due that nobody can pay costs a point, and where the breaker's side plays black."""
    rules = RuleSet.load("ukca").replace({"dues.cannot_pay": "minus_point"})
    study = BoardStudy(
        boards=60,
        ruleset=rules,
        start=START | {"shooter": shooter, "white": [[0.08 * i, 0.1] for i in range(-4, 5)]},
        conduct={"technical_foul": 0.3},
        keep_strokes=False,
    )
    batch = study.batch(range(60))["boards"]
    rows, gained = batch.to_pylist(), study.observed(batch)
    expected = [[0, 0] for _ in rows]
    for row, points in zip(rows, expected, strict=True):
        breaker, other = ("white", "black") if row["white"] == row["breaker"] else ("black", "white")
        points[0] = max(row[f"score_delta_{breaker}"] - row[f"score_delta_{other}"], 0)
        points[1] = max(row[f"score_delta_{other}"] - row[f"score_delta_{breaker}"], 0)
    assert {row["white"] for row in rows} == {0 if shooter == "white" else 1}
    assert np.stack([gained["points_breaker"], gained["points_other"]], axis=1).tolist() == expected
    assert min(row["score_delta_white"] for row in rows) < 0
    assert min(max(column) for column in zip(*expected, strict=True)) > 0


def test_a_board_that_the_rules_did_not_end_is_left_out_and_told() -> None:
    study = BoardStudy(boards=10, stroke_limit=30, seed=2)
    summary = study.summarise(workers=1)
    rows = tables_of(study)["boards"]
    over = [row for row in rows if row["ended"] == 0]
    assert 0 < len(over) < 10
    assert summary.counts.finished == summary.counts.tallies["strokes"].n == len(over)
    assert summary.to_dict()["ended"]["stroke_limit"]["count"] == 10 - len(over)
    assert f"{10 - len(over)} of 10 boards were not ended by the rules" in summary.warnings[0]
    assert all(row["winner"] is None for row in rows if row["ended"] == 1)
    assert "stroke limit" in text_of(study)


def test_what_is_told_of_boards() -> None:
    study = BoardStudy(boards=6, ruleset="ukca", skill=["club", "expert"], conduct={"improper": 0.25}, doubles=True)
    text = text_of(study)
    for words in (
        "6 boards under ukca, doubles, equipment ukca, seed 1",
        "Side 0    greedy, club (x 1 mm, 0.7 deg, 5 % of the speed, spin 5 rad/s)",
        "Side 1    greedy, expert",
        "improper in 25 % of the strokes",
        "side 0, which begins, wins",
        "white slam",
        "dues of black",
        "a comeback",
        "the queen decides",
        "points that the other side gains",
        "boards/s",
    ):
        assert words in text


def test_what_is_told_of_matches(match: dict[str, Rows]) -> None:
    summary = MATCH.summarise(workers=1)
    told = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    rows = match["matches"]
    assert told["over"]["won_side_0"]["count"] == sum(row["winner_side"] == 0 for row in rows)
    assert told["over"]["won_opener"]["count"] == sum(row["winner_side"] == row["opener"] % 2 for row in rows)
    assert sum(told["over"][key]["count"] for key in ("won_opener", "won_other", "won_nobody")) == 3
    for key in ("games", "boards", "strokes", "seconds"):
        assert told[key]["mean"] == pytest.approx(np.mean([row[key] for row in rows]), abs=1e-6)
    text = text_of(MATCH)
    for words in (f"3 matches under {SHORT.name}, doubles", "the side that broke first wins", "boards played again"):
        assert words in text


# What is asked


def test_a_position_is_played_to_its_end() -> None:
    study = BoardStudy(boards=30, start=START)
    found = tables_of(study)
    assert max(row["strokes"] for row in found["boards"]) < 100
    first = [stroke for stroke in found["strokes"] if stroke["stroke"] == 0]
    assert all((stroke["player"], stroke["colour"], stroke["breaking"]) == (0, 0, 0) for stroke in first)
    assert all(row["queen"] == 2 for row in found["boards"])
    assert "Begins    from a position: white 1, black 2, queen covered by white; side 0 plays white" in text_of(study)
    black = tables_of(BoardStudy(boards=30, start=START | {"shooter": "black"}))
    wins = [[row["winner_side"] == 0 for row in rows["boards"]] for rows in (found, black)]
    assert sum(wins[0]) > sum(wins[1])  # one man to go against two


def test_a_steadier_hand_wins_more_boards() -> None:
    wins = [
        BoardStudy(boards=40, skill=skills).summarise(workers=1).counts.over["won_breaker"]
        for skills in (["novice", "champion"], ["champion", "novice"])
    ]
    assert wins[0] < 12 < 28 < wins[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", RuleSet.names())
def test_every_rule_set_is_played(name: str) -> None:
    summary = BoardStudy(ruleset=name, boards=40).summarise(workers=1)
    assert summary.counts.rows == 40
    assert summary.counts.ended[Ended.FAILED] == 0
    assert summary.counts.finished > 0


def test_tables_say_missing_and_never_nan_or_minus_one(board: dict[str, Rows]) -> None:
    for table, rows in ((BOARDS, board["boards"]), (PLAYED_STROKES, board["strokes"])):
        for column in table.columns:
            values = [row[column.name] for row in rows]
            if column.codes or column.dtype == "float64":
                assert all(value is None or value == value for value in values), column.name
            if column.codes:
                assert all(value is None or 0 <= value < len(column.codes) for value in values), column.name

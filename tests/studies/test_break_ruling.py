"""Rulings on breaks: each is the referee's on what the row itself says, and the summary counts them."""

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from scipy.stats import binomtest

from carromsim.rules.adjudication import adjudicate
from carromsim.rules.records import board_state, stroke_facts
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.breaks.report import break_report
from carromsim.studies.breaks.ruling import RULED
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.breaks.summary import BreakSummary, is_turned
from carromsim.studies.declaring.parameters import Grid, Normal, Uniform
from carromsim.studies.runs.reading import open_run

ANYWHERE: dict[str, Any] = {
    "strokes": 600,
    "seed": 8,
    "x": Uniform(-0.18, 0.18),
    "angle": Uniform(0.6, 2.5),
    "speed": Uniform(1.0, 9.0),
}
"""Every stroke leaves the base lines; many miss the pack, some strikers fall."""
CONTINUE, PASS, RETRY, BOARD_END = range(4)


def rows_of(study: BreakStudy) -> list[dict[str, Any]]:
    return study.batch(range(study.strokes))["strokes"].to_pylist()


def summary_of(study: BreakStudy) -> BreakSummary:
    return study.summary_of(study.counts_of(study.batch(range(study.strokes))["strokes"]))


def text_of(study: BreakStudy) -> str:
    console = Console(width=100, highlight=False, force_terminal=False)
    with console.capture() as capture:
        console.print(break_report(study, summary_of(study)))
    return capture.get()


def facts_of(row: dict[str, Any]) -> dict[str, Any]:
    """Say what happened from the columns that hold the stroke, man by man."""
    pocket, when = row["pocket"], row["pocket_time"]
    white = range(2, 11)
    followed = [man for man in white if pocket[man] is not None and pocket[man] == pocket[0] and when[man] < when[0]]
    return {
        "own": sum(pocket[man] is not None for man in white),
        "opponent": sum(pocket[man] is not None for man in range(11, 20)),
        "queen": pocket[1] is not None,
        "striker": pocket[0] is not None,
        "touched_piece": row["first_hit"] is not None,
        "crossed_front": bool(row["crossed_front_line"]),
        "striker_same_pocket_as_own": bool(followed),
        "direct_hit_behind": bool(row["first_hit_direct"] and row["first_hit_behind"]),
        "call_double_due": True,
    }


@pytest.mark.parametrize("name", RuleSet.names())
def test_every_ruling_is_the_referees_on_what_the_row_says(name: str) -> None:
    rows = rows_of(BreakStudy(ruleset=name, **ANYWHERE))
    kinds = {(row["striker"], row["first_hit"] is None) for row in rows}
    assert kinds == {(0, False), (1, False), (0, True), (1, True)}
    for row in rows:
        board, rules = board_state(break_made=False), RuleSet.load(name)
        told = adjudicate(board, stroke_facts(**facts_of(row)), rules).row(0)
        ruled = {
            "turn": ("continue", "pass", "retry", "board_end")[row["turn"]],
            "dues_incurred": row["dues_incurred"],
            "forced_returns": {"own": row["returned_own"], "opponent": row["returned_opponent"]},
            "dues_paid_now": row["dues_paid"],
            "queen_returned": bool(row["queen_returned"]),
            "queen_after": ("on_board", "pending", "covered_white", "covered_black")[row["queen_after"]],
            "break_made_after": bool(row["break_made"]),
            "laws": row["laws"].split("; "),
        }
        assert ruled == {key: told[key] for key in ruled}, row["row"]


def test_what_the_laws_say_of_a_striker_that_falls() -> None:
    """ICF 45c, 72a; UKCA H12, H14: the ruling in plain figures, on breaks that were played."""
    many = ANYWHERE | {"strokes": 2000}
    icf, ukca = (
        [row for row in rows_of(BreakStudy(ruleset=name, **many)) if row["striker"]] for name in ("icf", "ukca")
    )
    for rows in (icf, ukca):
        assert len([row for row in rows if row["n_pocketed"] == 0]) >= 3
    for row in icf:
        missed = row["first_hit"] is None
        assert row["break_made"] == (not missed)
        if row["n_pocketed"] == 0:
            assert (row["turn"], row["dues_incurred"], row["dues_paid"]) == (PASS, 0 if missed else 1, 0)
            assert ("ICF 45c" in row["laws"], "ICF 72a" in row["laws"]) == (missed, not missed)
    for row in ukca:
        assert row["turn"] == PASS
        if row["queen"] == 0:
            assert row["dues_incurred"] == 1 + (row["n_black"] > 0)
            assert row["dues_paid"] == min(row["dues_incurred"], row["n_white"])
            assert "UKCA H12" in row["laws"]


def test_a_break_that_touches_nothing_is_played_again_where_the_laws_say_so() -> None:
    for name, turn, made in (("icf", RETRY, 0), ("ukca", RETRY, 0), ("bell_i", PASS, 1)):
        missed = [row for row in rows_of(BreakStudy(ruleset=name, **ANYWHERE)) if row["first_hit"] is None]
        assert len(missed) > 50
        for row in missed:
            if not row["striker"]:
                assert (row["turn"], row["break_made"]) == (turn, made)


def test_a_row_that_failed_has_no_ruling() -> None:
    study = BreakStudy(strokes=200, seed=2, gap=0.08, jitter=0.0, sd_x=0.03, conduct={"improper": 0.5})
    table = pa.Table.from_batches([study.batch(range(200))["strokes"]])
    failed = np.asarray(table["status"]) != 0
    assert 20 < failed.sum() < 180
    names = ("turn", "break_made", "dues_incurred", "dues_paid", "returned_own", "returned_opponent", "queen_after")
    for name in (*names, "queen_returned", "laws"):
        assert np.array_equal(table[name].is_null(), failed), name
    pieces = [study.batch(rows)["strokes"] for rows in (range(30), range(30, 31), range(31, 200))]
    assert pa.Table.from_batches(pieces).equals(table)


# Conduct


def rulings(conduct: dict[str, float], **study: Any) -> list[dict[str, Any]]:
    return rows_of(BreakStudy(**{"strokes": 400, "seed": 5, "speed": 8.0, "conduct": conduct} | study))


def test_conduct_happens_as_often_as_declared_and_costs_what_the_laws_say() -> None:
    plain, pushed = rulings({}), rulings({"improper": 1.0})
    assert all(row["dues_incurred"] == row["striker"] for row in plain)
    for row in pushed:  # ICF 64a, 64b, 72b: a due and the turn, own men come back, the striker's due besides
        assert (row["turn"], row["dues_incurred"]) == (PASS, 1 + row["striker"])
        assert (row["returned_own"], row["returned_opponent"]) == (row["n_white"], 0)
        assert {"ICF 64a"} <= set(row["laws"].split("; "))
    some = [row["dues_incurred"] - row["striker"] for row in rulings({"improper": 0.3})]
    assert binomtest(sum(some), 400, 0.3).pvalue > 1e-3
    assert [row["pocket"] for row in pushed] == [row["pocket"] for row in plain]  # people do not move discs


def test_each_kind_of_conduct_reaches_the_referee() -> None:
    def changed(**rates: float) -> int:
        before, after = (rulings(conduct, ruleset="ukca", strokes=60) for conduct in ({}, rates))
        return sum(one != other for one, other in zip(before, after, strict=True))

    for name in ("improper", "interference", "technical_foul", "bad_setup", "board_loss"):
        assert changed(**{name: 1.0}) == 60, name
    assert 0 < changed(decline_dues=1.0) < 60
    early = rulings({"premature_break": 1.0})
    assert all(row["returned_own"] == row["n_white"] for row in early)
    assert all(row["returned_opponent"] == row["n_black"] for row in early)
    assert {row["turn"] for row in rulings({"board_loss": 1.0}, strokes=20)} == {BOARD_END}


def test_rates_are_kept_as_numbers_that_json_can_hold() -> None:
    study = BreakStudy(conduct=DeclaredRates(improper=np.float32(0.5), interference=1))
    told = json.loads(json.dumps(study.declaration()))
    assert told["conduct"]["improper"] == 0.5
    assert set(told["conduct"]) == {field.name for field in fields(DeclaredRates)}
    assert BreakStudy.from_declaration(told) == study
    assert BreakStudy().conduct == DeclaredRates()


# Rules of one's own


def test_a_house_file_rules_and_travels_with_the_run(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "ukca"\n[dues]\nopponent_man = 3  # HOUSE 1: dear\nqueen_mix_cap = "none"\n')
    study = BreakStudy(ruleset=house, **ANYWHERE)
    study.run(tmp_path / "run", workers=2)
    run = open_run(tmp_path / "run")
    assert run.study == study
    assert run.study.declaration() == study.declaration() == run.manifest["study"]
    laws = run.manifest["study"]["ruleset"]["laws"]
    assert (laws["dues.opponent_man"], laws["dues.queen_mix_cap"]) == ("HOUSE 1", "house.toml:4")
    assert str(tmp_path) not in (tmp_path / "run" / "manifest.json").read_text()
    table = pq.read_table(tmp_path / "run" / "strokes")
    plain = [row for row in table.to_pylist() if row["n_black"] and not row["striker"] and not row["queen"]]
    assert len(plain) > 20
    for row in plain:
        assert row["dues_incurred"] == 3
        assert "HOUSE 1" in row["laws"].split("; ")
    again = run.study.batch(range(50))["strokes"]
    assert again.to_pylist() == table.slice(0, 50).to_pylist()
    assert run.summary().to_dict()["ruling"] == summary_of(study).to_dict()["ruling"]


def test_a_rule_set_may_be_one_that_was_changed() -> None:
    rules = RuleSet.load("icf").replace({"turn.own_man_keeps": False, "name": "strict"})
    study = BreakStudy(ruleset=rules, strokes=200, speed=8.0)
    rows = rows_of(study)
    assert {row["turn"] for row in rows if row["n_white"] and not row["queen"] and not row["striker"]} == {PASS}
    assert study.ruleset == rules
    assert study.declaration()["ruleset"]["laws"]["turn.own_man_keeps"] == "changed"
    assert BreakStudy.from_declaration(json.loads(json.dumps(study.declaration()))) == study


def test_the_declaration_has_every_law() -> None:
    told = BreakStudy(ruleset="bell_ii").declaration()["ruleset"]
    assert (told["name"], told["equipment"], told["queen"]["right"]) == ("bell_ii", "bell", "after_last_own_man")
    assert told["queen"]["cutoff"] is None
    assert sum(len(told[group]) for group in told if isinstance(told[group], dict)) == 2 * len(told["laws"])
    for change in ({"queen": {}}, {"laws": 3}, {"more": 1}, {"name": 3}, {"queen": told["queen"] | {"value": -1}}):
        with pytest.raises(ValueError, match="ruleset"):
            BreakStudy(ruleset=told | change)


# The summary


def test_the_summary_counts_what_the_rows_say() -> None:
    study = BreakStudy(ruleset="ukca", **ANYWHERE)
    rows = rows_of(study)
    seen = {
        "continue": [row["turn"] == CONTINUE for row in rows],
        "pass": [row["turn"] == PASS for row in rows],
        "retry": [row["turn"] == RETRY for row in rows],
        "board_end": [row["turn"] == BOARD_END for row in rows],
        "break_made": [row["break_made"] == 1 for row in rows],
        "any_due": [row["dues_incurred"] > 0 for row in rows],
        "queen_covered": [row["queen_after"] > 1 for row in rows],
        "queen_pending": [row["queen_after"] == 1 for row in rows],
        "queen_returned": [row["queen_returned"] == 1 for row in rows],
    }
    found = json.loads(json.dumps(summary_of(study).to_dict(), allow_nan=False))["ruling"]
    assert set(found) == {*RULED, "dues", "laws"}
    laws = {law: [law in row["laws"].split("; ") for row in rows] for law in found["laws"]}
    assert {law for row in rows for law in row["laws"].split("; ")} == set(laws)
    for told, hits in [(found[key], seen[key]) for key in RULED] + [(found["laws"][law], laws[law]) for law in laws]:
        interval = binomtest(sum(hits), 600).proportion_ci(method="wilson")
        assert (told["count"], told["estimate"]) == (sum(hits), sum(hits) / 600)
        assert (told["low"], told["high"]) == pytest.approx((interval.low, interval.high), abs=1e-14)
    assert 0 < found["queen_returned"]["count"] < found["retry"]["count"] < found["pass"]["count"] < 600
    counts = [told["count"] for told in found["laws"].values()]
    assert counts == sorted(counts, reverse=True)
    dues = [row["dues_incurred"] for row in rows]
    assert found["dues"]["distribution"] == np.bincount(dues).tolist()
    assert found["dues"]["mean"] == pytest.approx(np.mean(dues))
    assert found["dues"]["high"] - found["dues"]["mean"] == pytest.approx(
        1.96 * np.std(dues) / math.sqrt(600), rel=0.01
    )


def test_the_report_says_it_in_words() -> None:
    study = BreakStudy(ruleset="ukca", conduct={"bad_setup": 0.25}, **ANYWHERE)
    summary = summary_of(study)
    lines = [" ".join(line.split()) for line in text_of(study).splitlines()]
    for key, words in RULED.items():
        estimate, low, high = (100.0 * value for value in summary.ruled(key))
        assert f"{words} {summary.counts.ruled[key]} {estimate:.2f} % {low:.2f} to {high:.2f} %" in lines
    mean, low, high = summary.mean_dues()
    assert f"Dues incurred in a stroke: mean {mean:.3f} ({low:.3f} to {high:.3f})" in lines
    assert any(line.startswith(f"UKCA H10 {summary.counts.laws['UKCA H10']} ") for line in lines)
    assert "Conduct bad setup in 25 % of the strokes" in lines
    assert not any(line.startswith("Conduct") for line in text_of(BreakStudy(strokes=2)).splitlines())


def test_a_law_in_brackets_is_shown_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('extends = "icf"\nturn.own_man_keeps = true  # [bold]1[/bold]: no markup\n')
    assert "[bold]1[/bold]" in text_of(BreakStudy(strokes=3, ruleset=tmp_path / "house.toml"))


def test_a_pack_that_the_laws_do_not_let_turn_is_warned_about() -> None:
    for ruleset, warned in (("icf", True), ("bell_i", True), ("ukca", False)):
        warnings = summary_of(BreakStudy(ruleset=ruleset, strokes=3, rotation=0.2)).warnings
        assert [("the pack is turned" in warning) for warning in warnings] == [True] * warned
    assert "ICF 41a" in summary_of(BreakStudy(strokes=3, rotation=Uniform(0.0, 0.1))).warnings[0]
    assert summary_of(BreakStudy(strokes=3)).warnings == []


def test_a_third_of_a_full_turn_is_none() -> None:
    for degrees, turned in ((0, False), (120, False), (-240, False), (119.9, True), (60, True)):
        assert is_turned(math.radians(degrees)) is turned
    assert not is_turned(Grid([0.0, 2 * math.pi / 3]))
    assert is_turned(Grid([0.0, 0.1]))
    assert is_turned(Normal(0.0, 0.1))

"""`carromsim adjudicate` and `carromsim rules check`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli

SCENARIOS = Path(__file__).parent.parent / "data" / "rule_scenarios.json"

CASE: dict[str, Any] = {
    "ruleset": "icf",
    "before": {"shooter": "white", "on_board": {"white": 6, "black": 5}, "queen": "on_board"},
    "stroke": {"pocketed": {"own": 1, "striker": True}},
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def test_all_scenarios_are_as_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["rules", "check", str(SCENARIOS)]) == 0
    assert capsys.readouterr().out == "99 of 99 cases as expected\n"


def test_each_field_that_differs_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {**CASE, "id": "two men", "expect": {"turn": "pass", "on_board_after": {"white": 6, "black": 5}}}
    right = {**CASE, "expect": {"turn": "continue", "dues_paid_now": 1}}
    assert cli.run(["rules", "check", written("cases.json", [right, wrong])]) == 1
    out, err = capsys.readouterr()
    assert out == (
        'two men  turn: expected "pass", ruled "continue"\n'
        "two men  on_board_after.white: expected 6, ruled 7\n"
        "1 of 2 cases as expected\n"
    )
    assert err == "carromsim: 1 of 2 cases are not as expected: two men\n"


def test_cases_of_one_id_are_each_checked(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, right = ({**CASE, "expect": {"turn": turn}} for turn in ("pass", "continue"))
    cases = [{**wrong, "id": 1}, {**wrong, "id": "1"}, {**right, "id": 1}]
    assert cli.run(["rules", "check", written("cases.json", cases)]) == 1
    out, err = capsys.readouterr()
    assert out == '1  turn: expected "pass", ruled "continue"\n' * 2 + "1 of 3 cases as expected\n"
    assert err == "carromsim: 2 of 3 cases are not as expected: 1, 1\n"
    assert cli.run(["rules", "check", "cases.json", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["cases"], told["as_expected"], len(told["differences"])) == (3, 1, 2)


def test_differences_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    case = {**CASE, "id": "a", "expect": {"turn": "pass"}}
    assert cli.run(["rules", "check", written("cases.json", case), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "cases": 1,
        "as_expected": 0,
        "differences": [{"case": "a", "field": "turn", "expected": "pass", "ruled": "continue"}],
    }


def test_cases_can_be_judged_by_another_rule_set(capsys: pytest.CaptureFixture[str]) -> None:
    case = {**CASE, "expect": {"turn": "pass", "dues_incurred": 2}}
    assert cli.run(["rules", "check", written("cases.json", case), "--ruleset", "caint"]) == 0
    house = written("house.toml", 'extends = "caint"\ndues.striker_with_own = 3')
    assert cli.run(["rules", "check", "cases.json", "--ruleset", house]) == 1
    assert "dues_incurred: expected 2, ruled 3" in capsys.readouterr().out


def test_a_ruling_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["adjudicate", "--ruleset", "icf", written("case.json", CASE)]) == 0
    assert capsys.readouterr().out == (
        "Rule set  icf\n"
        "Turn      the shooter plays on\n"
        "Dues      1 incurred, 1 placed now; still owed: white 0, black 0\n"
        "Returned  own 1, opponent's 0\n"
        "Board     white 7, black 5, queen on board\n"
        "Laws      ICF 48; ICF 72a; ICF 73; ICF 78a\n"
    )


def test_the_end_of_a_game_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    before = {"on_board": {"white": 1, "black": 5}, "queen": "covered_white", "score": {"white": 23, "black": 0}}
    case = {"ruleset": "ukca", "before": before, "stroke": {"pocketed": {"own": 1}}}
    assert cli.run(["adjudicate", written("case.json", case)]) == 0
    out = capsys.readouterr().out
    assert "Winner    white, 10 points\nGame      won by white; no board follows\n" in out
    assert "Score     white +10, black +0\nLaws      UKCA F4; UKCA F1\n" in out


def test_a_case_from_standard_input_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(CASE)))
    assert cli.run(["adjudicate", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ruleset"] == "icf"
    assert told["on_board_after"] == {"white": 7, "black": 5}
    assert told["laws"] == ["ICF 48", "ICF 72a", "ICF 73", "ICF 78a"]


def changed(part: str, **values: Any) -> dict[str, Any]:
    return {**CASE, part: {**CASE[part], **values}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "case.json:1: no JSON: Expecting property name"),
        ("[1]", "case.json: case 0: must be an object with before and stroke"),
        ([CASE, CASE], "case.json: holds 2 cases, must be one; `rules check` takes many"),
        ({"before": {}, "stroke": {}}, "case 0: ruleset: missing; name one there or with --ruleset"),
        ({**CASE, "ruleset": "icff"}, "case 0: ruleset icff: unknown rule set 'icff': did you mean 'icf'?"),
        ({"ruleset": "icf", "before": {}}, "case 0: stroke: missing, or no object"),
        (changed("before", on_bord=1), "case 0: before: unknown key 'on_bord'; known: shooter, breaker"),
        (changed("before", on_board=5), "case 0: before.on_board: must have white and black"),
        (changed("before", pocketed={"white": 2, "black": 4}), "before.pocketed: with on_board it makes [8, 9] men"),
        (changed("stroke", pocketed={"oponent": 1}), "case 0: stroke.pocketed: unknown key 'oponent'"),
        (changed("stroke", pocketed={"own": 7}), "case 0: stroke_facts: own = 7 in row 0: more men than were on"),
    ],
)
def test_bad_cases_are_explained(content: Any, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["adjudicate", written("case.json", content)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("carromsim: ")
    assert message in err


def test_a_case_without_expectation_cannot_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["rules", "check", written("cases.json", [CASE])]) == 2
    assert capsys.readouterr().err == "carromsim: cases.json: case 0: expect: missing, so there is nothing to check\n"


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_know_is_refused(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = json.dumps(CASE | {"expect": {"turn": 0}}).replace('"turn": 0', f'"turn": {number}')
    for more in ([], ["--json"]):
        assert cli.run(["rules", "check", written("cases.json", text), *more]) == 2
        assert capsys.readouterr() == ("", f"carromsim: cases.json: {number} is no finite number\n")


def test_a_missing_file_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["rules", "check", "none.json"]) == 2
    assert "none.json: cannot be read (No such file or directory)" in capsys.readouterr().err

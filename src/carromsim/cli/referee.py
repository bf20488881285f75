"""The commands `carromsim adjudicate` and `carromsim rules check`."""

import json as json_format
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app, terminal_text
from carromsim.cli.printing import print_json
from carromsim.cli.rules import rules, rules_of

if TYPE_CHECKING:
    from carromsim.rules.cases import Mismatch
    from carromsim.rules.ruleset import RuleSet


@app.command
def adjudicate(
    file: Path | None = None,
    /,
    *,
    ruleset: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Rule on one stroke and name the laws that decide.

    A case is an object with `before`, the board as it was, and `stroke`, what happened; what it leaves out is as in
    an ordinary stroke that pockets nothing:

        {"ruleset": "icf",
         "before": {"shooter": "white", "on_board": {"white": 6, "black": 5}, "queen": "on_board"},
         "stroke": {"pocketed": {"own": 1, "striker": true}}}

    Parameters
    ----------
    file
        JSON file with one case; default: standard input.
    ruleset
        Rule set or TOML file, in place of the one that the case names.
    json
        Print the ruling as JSON on standard output and nothing else there.
    """
    from carromsim.rules.cases import CaseError, rule_case

    cases = _read(file)
    if len(cases) != 1:
        raise BadInput(f"{file or 'standard input'}: holds {len(cases)} cases, must be one; `rules check` takes many")
    laws = _ruleset(ruleset, cases[0])
    try:
        ruling = rule_case(cases[0], laws)
    except CaseError as error:
        raise BadInput(str(error)) from None
    if json:
        print_json({"ruleset": laws.name, **ruling})
    else:
        sys.stdout.write("\n".join(ruling_in_words(laws, ruling)) + "\n")


@rules.command
def check(
    cases: Path,
    /,
    *,
    ruleset: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Rule on a file of cases and show each field that is not as the case expects it; exit code 1 if there is any.

    Parameters
    ----------
    cases
        JSON file: a list of cases with `before`, `stroke` and `expect`.
    ruleset
        Rule set or TOML file, in place of those that the cases name.
    json
        Print the differences as JSON on standard output and nothing else there.
    """
    from carromsim.rules.cases import CaseError, check_case

    given = _read(cases)
    try:
        found = [(str(case["id"]), check_case(case, _ruleset(ruleset, case))) for case in given]
    except CaseError as error:
        raise BadInput(f"{cases}: {error}") from None
    wrong = [name for name, differences in found if differences]
    if json:
        print_json({"cases": len(given), "as_expected": len(given) - len(wrong), "differences": _plain(found)})
    else:
        for difference in (each for _, differences in found for each in differences):
            told = f"{difference.case}  {difference.field}: {_compared(difference)}"
            sys.stdout.write(f"{terminal_text(told)}\n")
        sys.stdout.write(f"{len(given) - len(wrong)} of {len(given)} cases as expected\n")
    if wrong:
        raise Failed(f"{len(wrong)} of {len(given)} cases are not as expected: {', '.join(wrong)}")


def _read(file: Path | None) -> list[dict[str, Any]]:
    from carromsim.rules.cases import CaseError, cases_of, read_cases
    from carromsim.toml import MOST_BYTES

    try:
        return cases_of(sys.stdin.read(MOST_BYTES + 1), "standard input") if file is None else read_cases(file)
    except CaseError as error:
        raise BadInput(str(error)) from None
    except UnicodeDecodeError:
        raise BadInput(f"{file or 'standard input'}: is no text in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{file or 'standard input'}: cannot be read ({error.strerror})") from None


def _ruleset(option: str | None, case: dict[str, Any]) -> "RuleSet":
    if option is not None:
        return rules_of(option, "--ruleset")
    named = case.get("ruleset")
    if not isinstance(named, str):
        raise BadInput(f"{case['id']}: ruleset: missing; name one there or with --ruleset")
    return rules_of(named, f"{case['id']}: ruleset")


def ruling_in_words(laws: "RuleSet", ruling: dict[str, Any]) -> Iterator[str]:
    """Say a ruling in words, a line each."""
    from carromsim.rules.words import board_in_words, law_in_words, owed_in_words, turn_in_words
    from carromsim_kernels.laws import QueenState, Turn

    board, owed, back = ruling["on_board_after"], ruling["dues_after"], ruling["forced_returns"]
    yield f"Rule set  {laws.name}"
    yield f"Turn      {turn_in_words(Turn[ruling['turn'].upper()])}"
    if "board" in ruling:
        yield f"Winner    {ruling['board']['winner']}, {ruling['board']['points']} points"
        game = ruling["game"]
        breaks = f"next to break: {game['next_breaker']}" if game["next_breaker"] else "no board follows"
        yield f"Game      {'won by ' + str(game['winner']) if game['over'] else 'goes on'}; {breaks}"
    dues = f"{ruling['dues_incurred']} incurred, {ruling['dues_paid_now']} placed now"
    others = f", opponent's {ruling['opponent_dues_paid_now']}" if ruling["opponent_dues_paid_now"] else ""
    yield f"Dues      {dues}{others}; {owed_in_words(list(owed.values()))}"
    yield f"Returned  own {back['own']}, opponent's {back['opponent']}{', queen' if ruling['queen_returned'] else ''}"
    yield f"Board     {board_in_words(list(board.values()), QueenState[ruling['queen_after'].upper()])}"
    if any(ruling["score_delta"].values()):
        yield "Score     " + ", ".join(f"{side} {points:+d}" for side, points in ruling["score_delta"].items())
    yield f"Laws      {'; '.join(map(law_in_words, ruling['laws']))}"


def _compared(difference: "Mismatch") -> str:
    return f"expected {json_format.dumps(difference.expected)}, ruled {json_format.dumps(difference.ruled)}"


def _plain(found: "list[tuple[str, list[Mismatch]]]") -> list[dict[str, Any]]:
    return [each._asdict() for _, differences in found for each in differences]

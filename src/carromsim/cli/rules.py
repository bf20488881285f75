"""The command `carromsim rules`."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from carromsim.cli.app import BadInput, app
from carromsim.cli.printing import print_json, print_parts, table

if TYPE_CHECKING:
    from rich.table import Table

    from carromsim.rules.ruleset import RuleSet

rules = App(name="rules", help="Tell what the rule sets and your own house rules say, and which law each value is.")
app.command(rules)


def rules_of(origin: str, option: str = "") -> "RuleSet":
    """Give a shipped rule set, or read a file.

    Parameters
    ----------
    origin : str
        What was given.
    option : str, optional
        Where it was given, for the message. Default: as an argument.

    Raises
    ------
    BadInput
        With every mistake in the file.
    """
    from carromsim.rules.ruleset import RuleSet
    from carromsim.toml import DeclarationError

    try:
        return RuleSet.load(origin)
    except DeclarationError as error:  # its messages name the file
        raise BadInput(str(error)) from None
    except ValueError as error:
        raise BadInput(f"{option} {origin}: {error}" if option else str(error)) from None


@rules.command(name="list")
def list_(*, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """List the shipped rule sets.

    Parameters
    ----------
    json
        Print them as JSON on standard output and nothing else there.
    """
    from carromsim.rules.ruleset import RuleSet

    found = [RuleSet.load(name) for name in RuleSet.names()]
    if json:
        print_json({each.name: {"about": each.about, **each.values} for each in found})
        return
    rows = table("Rules", "equipment", "game", "queen", "what it is")
    for each in found:
        rows.add_row(each.name, each.equipment, str(each.score.target), str(each.queen.value), each.about)
    print_parts(rows)


@rules.command
def show(origin: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Show every law of a rule set, with where it stands.

    Parameters
    ----------
    origin
        Rule set, or TOML file: a path that ends in .toml or has a slash in it.
    json
        Print them as JSON on standard output and nothing else there.
    """
    found = rules_of(origin)
    if json:
        print_json({"about": found.about, "fields": {key: _told(found, key) for key in found.values}})
        return
    rows = table("Law", "value", "where it stands")
    for key, name in _named(rows, [key for key in found.values if key != "name"]):
        rows.add_row(name, _value(found, key), _where(found, key))
    print_parts(f"{found.name}: {found.about}" if found.about else found.name, "", rows)


@rules.command
def diff(first: str, second: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Show the laws in which two rule sets differ, with both values and where they stand.

    Parameters
    ----------
    first, second
        Rule set or TOML file.
    json
        Print them as JSON on standard output and nothing else there.
    """
    pair = rules_of(first), rules_of(second)
    differ = pair[0].differing(pair[1])
    if json:
        print_json({key: [_told(found, key) for found in pair] for key in differ})
    elif not differ:
        print_parts(f"{first} and {second} do not differ")
    else:
        rows = table("Law", first, second)
        for key, name in _named(rows, differ):
            rows.add_row(name, *(_value(found, key) for found in pair))
            rows.add_row("", *(_where(found, key) for found in pair))
        print_parts(rows)


def _named(rows: "Table", keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield keys with their names in the group, and head each group with a row, as in a file."""
    last = ""
    for key in keys:
        group, _, name = key.rpartition(".")
        if group != last:
            rows.add_row(f"[{group}]")
            last = group
        yield key, name


def _value(found: "RuleSet", key: str) -> str:
    """Write a value as in a file, words without quotes."""
    from carromsim.toml import toml_value

    value = found.values[key]
    return "none" if value is None else toml_value(value).strip('"')


def _where(found: "RuleSet", key: str) -> str:
    """Say where a value stands: the comment behind it, which begins with its law; or else file and line."""
    return found.sources[key].comment or found.law(key)


def _told(found: "RuleSet", key: str) -> dict[str, Any]:
    """Say the same for programs."""
    return {"value": found.values[key], "law": found.law(key), "source": asdict(found.sources[key])}

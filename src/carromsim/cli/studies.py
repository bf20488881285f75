"""The commands around a declared study: `carromsim new`, `check`, `run` and `schema`."""

import json as json_format
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from rich.console import Console

from carromsim.cli.app import BadInput, app
from carromsim.cli.equipment import equipment_of
from carromsim.cli.progress import progress_shown, tell_if_cold
from carromsim.cli.rules import rules_of

if TYPE_CHECKING:
    from carromsim.studies.declared import DeclaredStudy

Kind = Literal["break", "shot", "board", "match"]

HOW = ("out", "fresh", "workers", "quiet", "json")
"""Options that say how a study is played, and not what it is."""


@app.command
def new(kind: Kind, /) -> None:
    """Print a commented study file to start from: carromsim new break > study.toml.

    Parameters
    ----------
    kind
        Kind of study.
    """
    from carromsim.studies.declare import template

    sys.stdout.write(template(kind))


@app.command
def schema(kind: Kind, /) -> None:
    """Print the JSON schema of a study file, for editors that complete and check as you type.

    Parameters
    ----------
    kind
        Kind of study.
    """
    from carromsim.studies.declare import schema

    sys.stdout.write(schema(kind))


@app.command
def check(file: Path, /) -> None:
    """Check a study file and say in a few lines what it asks for; nothing is played.

    Parameters
    ----------
    file
        The study as TOML.
    """
    study = study_of_file(file)
    from carromsim.studies.parameters import combinations, describe

    lines = [
        f"{file} is valid: a {study.kind} study of {study.rows:,} {study.noun}, seed {study.declaration()['seed']}"
    ]
    varied = {name: value for name, value in study.parameters.items() if not isinstance(value, float)}
    for name, value in varied.items():
        shown = f"{describe(value, math.degrees(1.0))} degrees" if name in study.angles else describe(value)
        lines.append(f"  {name} varies: {shown}")
    count = combinations(varied)
    if count > 1:
        least, rest = divmod(study.rows, count)
        each = f"{least:,} {study.noun} each" if rest == 0 else f"{least:,} or {least + 1:,} {study.noun} each"
        lines.append(f"  {count:,} combinations of grid values, {each}")
    sys.stdout.write("\n".join(lines) + "\n")


@app.command(name="run")
def run_(
    file: Path,
    /,
    *,
    out: Path | None = None,
    fresh: Annotated[bool, Parameter(negative=())] = False,
    workers: int | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Play a study that a file declares. The same command again continues a run that was stopped.

    Parameters
    ----------
    file
        The study as TOML; see carromsim new.
    out
        Directory for the strokes as Parquet: new, empty, or of the same study, which is continued; without it only
        the summary is made.
    fresh
        Remove the run that is in the directory, of whatever study, and start anew.
    workers
        Default: one per core. The results do not depend on it.
    quiet
        Show no progress.
    json
        Print the summary as JSON on standard output and nothing else there.
    """
    play_and_tell(study_of_file(file), out, fresh=fresh, workers=workers, quiet=quiet, json=json)


def play_and_tell(
    study: "DeclaredStudy", out: Path | None, *, fresh: bool, workers: int | None, quiet: bool, json: bool
) -> None:
    """Play a study with progress on standard error and print its summary.

    Parameters
    ----------
    study : DeclaredStudy
        What to play.
    out : Path or None
        The run's directory; None: keep the summary only.
    fresh : bool
        Whether to remove the run that is there.
    workers : int or None
        None: one per core.
    quiet : bool
        Whether to show no progress.
    json : bool
        Whether to print JSON instead of tables.
    """
    if workers is not None and workers < 1:
        raise BadInput(f"--workers {workers}: must be at least 1")
    if fresh and out is None:
        raise BadInput("--fresh: there is nothing to remove without --out")
    summary = _play(study, out, fresh, workers, quiet)
    if json:
        directory = None if out is None else str(out)
        found = {"study": study.declaration(), "summary": summary.to_dict(), "directory": directory}
        sys.stdout.write(json_format.dumps(found, indent=2, allow_nan=False) + "\n")
        return
    console = Console(highlight=False)
    console.print(study.report(summary))
    if out is not None:
        written = [f"{out}/{table.name}/*.parquet" for table in study.tables]
        console.print(f"Written   {', '.join(written)}, {out}/manifest.json", soft_wrap=True)


def study_of_options(kind: str, given: Mapping[str, Any]) -> "DeclaredStudy":
    """Build a study from the options of a command; complain about all bad ones at once.

    Parameters
    ----------
    kind : str
        Of study.
    given : mapping of str to object
        By the names of the options; those of `HOW` and what is None are left out, `_deg` at the end means degrees.
    """
    from pydantic import ValidationError

    from carromsim.studies.declare import field_problems
    from carromsim.studies.kinds import kind_of

    bad: list[str] = []
    fields: dict[str, Any] = {}
    options: dict[str, str] = {}
    for option, value in given.items():
        if option in HOW or value is None:
            continue
        name = option.removesuffix("_deg")
        fields[name] = math.radians(value) if option.endswith("_deg") else value
        options[name] = option
    told = {name for name in _NAMED if isinstance(fields.get(name), str)}
    fields |= {name: _named(name, _NAMED[name], fields[name], bad) for name in told}
    try:
        return kind_of(kind).model_validate(fields)
    except ValidationError as error:
        wrong = [problem for problem in field_problems(error) if problem[0] not in told]
        raise BadInput("\n".join([*bad, *(_explain(*problem, options, given) for problem in wrong)])) from None


_NAMED: dict[str, Callable[[str, str], object]] = {"ruleset": rules_of, "equipment": equipment_of}
"""Options that name something that is shipped or a file, and how that is found."""


def _named(name: str, find: Callable[[str, str], object], origin: str, bad: list[str]) -> object:
    """Give what an option names; None, which no study accepts, if it is bad, and note why."""
    try:
        return find(origin, f"--{name}")
    except BadInput as error:
        bad.append(str(error))
        return None


def _explain(name: str | None, why: str, options: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """Say which option is wrong, what was given and what is allowed."""
    if name is None:  # several options together; the text names them
        return why
    option = options[name]
    value = " ".join(given[option]) if isinstance(given[option], list) else given[option]
    return f"--{option.replace('_', '-')} {value}: {why}"


def study_of_file(file: Path) -> "DeclaredStudy":
    """Read a study; complain about all mistakes at once, each with its line."""
    from carromsim.studies.declare import DeclarationError, load_study

    try:
        return load_study(file)
    except DeclarationError as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None


def _play(study: "DeclaredStudy", out: Path | None, fresh: bool, workers: int | None, quiet: bool) -> Any:
    from carromsim.studies.study import DirectoryError

    tell_if_cold(players=study.players, quiet=quiet)
    with progress_shown(quiet=quiet) as progress:
        if out is None:
            return study.summarise(workers=workers, progress=progress)
        try:
            return study.run(out, workers=workers, progress=progress, fresh=fresh).summary()
        except DirectoryError as error:
            raise BadInput(f"--out: {error}") from None
        except KeyboardInterrupt:
            kept = sum(len(list((out / table.name).glob("*.parquet"))) for table in study.tables)
            raise KeyboardInterrupt(f"{kept} finished parts are kept in {out}; the same command continues") from None

"""The commands around a declared study: `carromsim new`, `check`, `run` and `schema`."""

import json as json_format
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from carromsim.cli.app import BadInput, Failed, app, stderr
from carromsim.cli.equipment import equipment_of
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.printing import stdout
from carromsim.cli.progress import progress_shown, tell_if_cold
from carromsim.cli.rules import rules_of

if TYPE_CHECKING:
    from carromsim.studies.declared import DeclaredStudy
    from carromsim.studies.runs.reading import Run

Kind = Literal["break", "shot", "board", "match", "variants", "optimise"]


@app.command
def new(kind: Kind, /) -> None:
    """Print a commented study file to start from: carromsim new break > study.toml.

    Parameters
    ----------
    kind
        Kind of study.
    """
    from carromsim.studies.declaring.declare import template

    sys.stdout.write(template(kind))


@app.command
def schema(kind: Kind, /) -> None:
    """Print the JSON schema of a study file, for editors that complete and check as you type.

    Parameters
    ----------
    kind
        Kind of study.
    """
    from carromsim.studies.declaring.declare import schema

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
    from carromsim.studies.declaring.parameters import combinations, describe

    article = "an" if study.kind[0] in "aeiou" else "a"
    asked = f"{article} {study.kind} study of {study.rows:,} {study.noun}, seed {study.declaration()['seed']}"
    lines = [f"{file} is valid: {asked}"]
    if study.until is not None:
        lines.append(f'  at most: it ends once "{study.until}" is reached')
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
    share: str | None = None,
    how: How = AS_USUAL,
) -> None:
    """Play a study that a file declares. The same command again continues a run that was stopped.

    Parameters
    ----------
    file
        The study as TOML; see carromsim new.
    share
        I/N: play only the I-th of N shares of the chunks, on one of N machines that share no directory; see carromsim
        merge.
    """
    wanted, study = _share(share, how), study_of_file(file)
    if wanted is not None and study.until is not None:
        raise BadInput(f"--share {share}: a study with until ends by the rows of all shares; play it in one run")
    if wanted is not None and study.sequential:
        raise BadInput(f"--share {share}: the rows of a study of kind {study.kind} depend on those before them")
    play_and_tell(study, how, wanted)


def play_and_tell(study: "DeclaredStudy", how: How, share: tuple[int, int] | None = None) -> None:
    """Play a study with progress on standard error and print its summary.

    Parameters
    ----------
    study : DeclaredStudy
        What to play.
    how : How
        The options for that.
    share : tuple of two int, optional
        Which share of how many.
    """
    _check(how)
    summary, run = _play(study, how, share)
    directory = None if run is None else str(run.directory)
    if run is not None:
        _tell_missing(run, share)
    if how.json:
        found = {"study": study.declaration(), "summary": summary.to_dict(), "directory": directory}
        sys.stdout.write(json_format.dumps(found, indent=2, allow_nan=False) + "\n")
        return
    console = stdout()
    console.print(study.report(summary))
    if run is not None and directory is not None:  # a URL may end in options, and a file's name is none of them
        url = isinstance(run.directory, str)
        where = f"{directory.partition('://')[0]}://{run.place.path('').lstrip('/')}" if url else directory
        written = [f"{where}/{table.name}/*.parquet" for table in study.tables]
        console.print(f"Written   {', '.join(written)}, {where}/manifest.json", soft_wrap=True)


def study_of_options(kind: str, given: Mapping[str, Any]) -> "DeclaredStudy":
    """Build a study from the options of a command; complain about all bad ones at once.

    Parameters
    ----------
    kind : str
        Of study.
    given : mapping of str to object
        By the names of the options; `How` and what is None are left out, `_deg` at the end means degrees.
    """
    from pydantic import ValidationError

    from carromsim.studies.declaring.declare import field_problems
    from carromsim.studies.kinds import kind_of

    bad: list[str] = []
    fields: dict[str, Any] = {}
    options: dict[str, str] = {}
    for option, value in given.items():
        if isinstance(value, How) or value is None:
            continue
        name = option.removesuffix("_deg")
        fields[name] = math.radians(value) if option.endswith("_deg") else value
        options[name] = option
    names = [name for name in _NAMED if isinstance(fields.get(name), str)]
    fields |= {name: _named(name, _NAMED[name], fields[name], bad) for name in names}
    told = {name for name in names if fields[name] is None}
    try:
        study = kind_of(kind).model_validate(fields)
    except ValidationError as error:
        wrong = [problem for problem in field_problems(error) if problem[0] not in told]
        raise BadInput("\n".join([*bad, *(_explain(*problem, options, given) for problem in wrong)])) from None
    if bad:
        raise BadInput("\n".join(bad))
    return study


def _until(text: str, option: str) -> dict[str, Any]:
    """Understand METRIC:HALF_WIDTH, or "METRIC vs OTHER" with another metric or a number."""
    metric, versus, other = (part.strip() for part in text.partition(" vs "))
    if versus and metric and other:
        return {"metric": metric, "against": _number(other) if _number(other) is not None else other}
    metric, _, width = text.rpartition(":")
    if metric and _number(width) is not None:
        return {"metric": metric.strip(), "half_width": _number(width)}
    raise BadInput(f"{option} {text}: must be METRIC:HALF_WIDTH, as in any:0.01, or 'METRIC vs METRIC' or a number")


def _objective(text: str, option: str) -> dict[str, float]:
    """Understand TERM=WEIGHT,TERM=WEIGHT."""
    found: dict[str, float] = {}
    for part in text.split(","):
        term, _, weight = (each.strip() for each in part.partition("="))
        number = _number(weight)
        if not term or number is None or term in found:
            raise BadInput(f"{option} {text}: must be TERM=WEIGHT, several with commas, as in men=1,striker=-1")
        found[term] = number
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_NAMED: dict[str, Callable[[str, str], object]] = {
    "ruleset": rules_of,
    "equipment": equipment_of,
    "until": _until,
    "objective": _objective,
}
"""Options that name something, and how that is found or understood."""


def _named(name: str, find: Callable[[str, str], object], origin: str, bad: list[str]) -> object:
    """Give what an option names; None if it is bad, and note why."""
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
    value = " ".join(map(str, given[option])) if isinstance(given[option], list) else given[option]
    return f"--{option.replace('_', '-')} {value}: {why}"


def study_of_file(file: Path) -> "DeclaredStudy":
    """Read a study; complain about all mistakes at once, each with its line."""
    from carromsim.studies.declaring.declare import DeclarationError, load_study

    try:
        return load_study(file)
    except DeclarationError as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None


def _check(how: How) -> None:
    """Complain about options before anything is played or written."""
    from carromsim.executors import check_executor

    if how.workers is not None and how.workers < 1:
        raise BadInput(f"--workers {how.workers}: must be at least 1")
    if how.fresh and how.out is None:
        raise BadInput("--fresh: there is nothing to remove without --out")
    try:
        check_executor(how.executor)
    except ValueError as error:
        raise BadInput(f"--executor {how.executor}: {str(error).partition(': ')[2]}") from None


def _share(text: str | None, how: How) -> tuple[int, int] | None:
    """Understand I/N."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise BadInput(f"--share {text[:40]}: must be I/N with 1 <= I <= N < 10^9, such as 3/16")
    if how.out is None:
        raise BadInput(f"--share {text}: there is nothing to merge without --out")
    return int(found[1]), int(found[2])


def _play(study: "DeclaredStudy", how: How, share: tuple[int, int] | None) -> "tuple[Any, Run | None]":
    from carromsim.studies.runs.study import DirectoryError
    from carromsim.studies.runs.trying import ChunkError
    from carromsim.studies.runs.work import VersionsError

    who: dict[str, Any] = {"workers": how.workers, "executor": how.executor}
    if how.executor in ("threads", "processes"):
        tell_if_cold(players=study.players, quiet=how.quiet)
    with progress_shown(quiet=how.quiet) as progress:
        try:
            if how.out is None:
                return study.summarise(**who, progress=progress), None
            run = study.run(how.out, **who, progress=progress, fresh=how.fresh, share=share)
            return run.summary(), run
        except DirectoryError as error:
            raise BadInput(f"--out: {error}") from None
        except (ChunkError, VersionsError, ImportError) as error:
            raise Failed(str(error)) from error
        except KeyboardInterrupt as stop:
            raise type(stop)(*_kept(study, how)) from None


def _kept(study: "DeclaredStudy", how: How) -> Iterator[str]:
    """Say what a stopped command leaves behind, if the directory is a run of its study by now."""
    from carromsim.studies.runs.directory import read_manifest
    from carromsim.studies.runs.study import manifest_of
    from carromsim.tables.places import place_of

    if how.out is None:
        return
    with suppress(OSError, ValueError):  # what cannot be read was not begun by this command
        place = place_of(how.out)
        if read_manifest(place) == manifest_of(study):
            kept = sum(len(place.names(table.name)) for table in study.tables)
            same = "the same command without --fresh" if how.fresh else "the same command"
            yield f"{kept} finished parts are kept in {place}; {same} continues"


def _tell_missing(run: "Run", share: tuple[int, int] | None) -> None:
    """Say what a share leaves to others, on standard error."""
    chunks = run.manifest["chunks"]["count"]
    played = len(run.place.names(run.study.tables[0].name))
    if share is not None and played < chunks:
        stderr().print(
            f"share {share[0]}/{share[1]} is played: {chunks - played} of {chunks} chunks are missing here;"
            " carromsim merge DIR ... --out OUT makes one run of all shares",
            soft_wrap=True,
        )

"""Runs that are killed at random moments, looked at by all four readers, continued, and compared at the end.

    python tests/faults/kills.py --kills 1000 --out DIR

A run is killed again and again until it is whole, and then must have every byte of one that nobody disturbed. DIR gets
`kills.json` with the numbers; exit code 1 if anything was lost, came twice or could not be read.
"""

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest

from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.optimising.study import BreakOptimisation
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.runs.running import run_study
from carromsim.studies.runs.study import Study
from carromsim.studies.variants.study import SIDE_BY_SIDE, VariantStudy
from faults.children import start
from runs.fake import Throws, files

SEARCH: dict[str, Any] = {
    **{"scouts": 4, "restarts": 1, "generations": 3, "candidates": 4, "strokes": 4, "finalists": 1},
    **{"finalist_strokes": 4, "verdict_strokes": 4, "map_points": 0, "robustness_strokes": 4},
}
STUDIES: dict[str, Callable[[], Study]] = {
    "throws": lambda: Throws(rows=1000),
    "breaks": lambda: BreakStudy(strokes=60, seed=3),
    "boards": lambda: BoardStudy(boards=12, seed=3, stroke_limit=8),
    "variants": lambda: VariantStudy(variants=["icf", "bell_i"], boards=8, seed=3, stroke_limit=6),
    "search": lambda: BreakOptimisation(seed=3, **SEARCH),
}
"""Each of some ten chunks or more that take milliseconds."""

_ORDER = ("throws", "breaks", "throws", "breaks", "boards", "throws", "breaks", "search", "throws", "variants")
"""Whose turn it is."""


class Tried(NamedTuple):
    """What came of killing.

    Attributes
    ----------
    kills : int
        Runners that were killed at work.
    late : int
        Runners that had finished before.
    runs : int
        Runs that were killed until they were whole, and compared.
    wrong : list of str
        What was not as it must be.
    """

    kills: int
    late: int
    runs: int
    wrong: list[str]


@contextmanager
def _small_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BreakStudy, "chunk_rows", 4)
        patch.setattr(BoardStudy, "chunk_rows", 1)
        patch.setitem(SIDE_BY_SIDE, "board", (1, 1))
        yield


def play(name: str, root: Path, workers: int = 1, executor: str = "threads") -> None:
    """Play a study into a directory, or what is missing there."""
    with _small_chunks():
        run_study(STUDIES[name](), root, workers=workers, executor=executor)


def kill_runners(kills: int, out: Path, seed: int = 1, executors: tuple[str, ...] = ("threads",)) -> Tried:
    """Kill runners at random moments.

    Parameters
    ----------
    kills : int
        How many that were at work.
    out : Path
        Where the runs lie; those that are as they must be are removed.
    seed : int
        Of the moments.
    executors : tuple of str
        Used in turn.
    """
    rng, wrong, late, runs = random.Random(seed), [], 0, 0
    whole = {name: _undisturbed(name, out) for name in STUDIES}
    lives = dict.fromkeys(STUDIES, 0.5)  # how long a runner lives [s]; it is found out
    killed = dict.fromkeys(STUDIES, 0)
    begun: dict[str, Path] = {}
    while (count := sum(killed.values())) < kills:
        name = _ORDER[(count + late) % len(_ORDER)]
        root = begun.setdefault(name, out / f"{name}-{runs}")
        exit_code = _killed(name, root, rng, lives[name], executors[killed[name] % len(executors)])
        killed[name] += exit_code == -9
        late += exit_code == 0
        lives[name] *= 0.8 if exit_code == 0 else 1.1
        found = [f"exit code {exit_code}"] if exit_code not in (0, -9) else []
        found += _wrong_in(root, whole[name])
        if exit_code == 0 or count % 7 == 0:  # also those that would be killed once more are continued and compared
            play(name, root, workers=2)
            found += [] if files(root) == whole[name] else ["it is not the undisturbed run when it was continued"]
            runs += 1
            del begun[name]
            if not found:
                shutil.rmtree(root)
        wrong += [f"{root}: {each}" for each in found]
    for name, root in begun.items():
        play(name, root)
        wrong += [] if files(root) == whole[name] else [f"{root}: it is not the undisturbed run"]
        runs += 1
    return Tried(kills, late, runs, wrong)


def _undisturbed(name: str, out: Path) -> dict[str, bytes]:
    """Give the files of a run that nobody disturbs."""
    root = out / f"{name}-undisturbed"
    play(name, root)
    found = files(root)
    shutil.rmtree(root)
    return found


def _killed(name: str, root: Path, rng: random.Random, seconds: float, executor: str) -> int | None:
    """Start a runner, kill it at a random moment of its life, and give its exit code."""
    runner = start(play, name, root, rng.choice((1, 2)), executor)
    time.sleep(rng.uniform(0.02, 1.0) * seconds + (1.0 if executor == "processes" else 0.0))
    runner.kill()
    runner.join()
    return runner.exitcode


def _wrong_in(root: Path, whole: dict[str, bytes]) -> list[str]:
    """Say what is wrong with a run whose runner was killed: with its bytes, or for any of the readers."""
    found = []
    for name, data in files(root).items():
        known = name in whole
        if known and data != whole[name]:
            found.append(f"{name} is not that of the undisturbed run")
        if not known and not (name == "lock" or (name.startswith(".") and name.endswith(".tmp"))):
            found.append(f"{name} does not belong there")
    for folder in {name.partition("/")[0] for name in whole if "/" in name}:
        found += [] if not list((root / folder).glob("*")) else unreadable(root / folder)
    return found


def unreadable(folder: Path) -> list[str]:
    """Say which reader cannot open a table, or sees other rows in it than pyarrow."""
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(folder)["row"].to_pylist()
        read = {
            "pandas": pd.read_parquet(folder)["row"].to_list(),
            "polars": pl.read_parquet(folder)["row"].to_list(),
            "duckdb": [row for (row,) in duckdb.sql(f"select row from '{folder}/*.parquet'").fetchall()],
        }
    except Exception as error:  # whatever a reader may raise
        return [f"{folder} cannot be read: {type(error).__name__}: {error}"]
    return [f"{reader} sees other rows in {folder}" for reader, seen in read.items() if sorted(seen) != sorted(rows)]


def main() -> int:
    """Kill as often as the command line says; tell the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    tried = kill_runners(given.kills, given.out, given.seed, ("threads",) * 19 + ("processes",))
    told = {**tried._asdict(), "seconds": round(time.monotonic() - begun)}
    (given.out / "kills.json").write_text(json.dumps(told, indent=1) + "\n")
    sys.stdout.write(
        f"{tried.kills} runners killed at work, {tried.late} had finished, {tried.runs} runs continued and compared,"
        f" {len(tried.wrong)} wrong, {told['seconds']} s\n"
    )
    sys.stdout.writelines(f"{each}\n" for each in tried.wrong)
    return 1 if tried.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

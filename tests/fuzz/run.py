"""Give many inputs to everything that takes input:  python tests/fuzz/run.py --inputs 100000 --seed 1.

Every target gets its share, in a process of its own: should one crash, the input that it had last is told. Inputs to
which an answer is wrong are kept in a folder, one file for each place in the sources.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

LAST = "last-input.txt"


def soak(name: str, inputs: int, seed: int, kept: Path) -> dict[str, int]:
    """Give inputs to one target; keep those to which the answer is wrong."""
    import numpy as np
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from fuzz.judging import FoundError, bounded_memory, judge
    from fuzz.small_runs import small_run
    from fuzz.targets import TARGETS

    small_run("break")  # loads the kernels, which may wait for other processes
    target = next(each for each in TARGETS if each.name == name)
    np.set_printoptions(threshold=10_000)
    found = {"taken": 0, "refused": 0, "failed": 0}
    places: dict[str, int] = {}
    last = kept / f"{name}-{LAST}"

    @seeded(seed)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(target.inputs)
    def one(value: Any) -> None:
        if sum(found.values()) >= inputs:
            return
        last.write_text(repr(value), encoding="utf-8", errors="backslashreplace")
        with tempfile.TemporaryDirectory() as folder:
            try:
                found[judge(target, value, Path(folder))] += 1
            except FoundError as error:
                found["failed"] += 1
                lines = [line for line in str(error).splitlines() if line.startswith("  File ")]
                where = f"{str(error).splitlines()[0][:120]} {lines[-1].strip() if lines else ''}"
                places[where] = places.get(where, 0) + 1
                if places[where] == 1:
                    text = f"{error}\n\n{value!r}\n"
                    path = kept / f"{name}-{len(places)}.txt"
                    path.write_text(text, encoding="utf-8", errors="backslashreplace")

    while sum(found.values()) < inputs:  # hypothesis stops early where there are few inputs
        before = sum(found.values())
        with bounded_memory():
            one()
        if sum(found.values()) == before:
            break
        one = seeded(seed + sum(found.values()))(one)
    last.unlink(missing_ok=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this one; may be given more than once")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-found"), help="folder for what is found")
    parser.add_argument("--workers", type=int, default=1, help="targets at a time")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.kept.mkdir(exist_ok=True, parents=True)
    if given.one:
        told = soak(given.one, given.inputs, given.seed, given.kept)
        sys.stdout.write("\n" + json.dumps(told) + "\n")
        return
    sys.exit(_all(given))


def _all(given: argparse.Namespace) -> int:
    from fuzz.small_runs import warm_up
    from fuzz.targets import SHARES

    warm_up()  # no input shall wait for a compiler
    names = given.target or list(SHARES)
    whole = sum(SHARES[name] for name in names)
    total: dict[str, int] = {}
    _say(f"{'target':24}{'tried':>9}{'taken':>9}{'refused':>9}{'failed':>8}{'s':>8}")

    def one(name: str) -> tuple[str, dict[str, int], float]:
        begun = time.monotonic()
        return name, _one(name, max(1, -(-given.inputs * SHARES[name] // whole)), given), time.monotonic() - begun

    with ThreadPoolExecutor(given.workers) as pool:
        for name, found, seconds in pool.map(one, names):
            for key, value in {"tried": sum(found.values()), **found}.items():
                total[key] = total.get(key, 0) + value
            _tell(name, found, seconds)
    _tell("all", {key: total[key] for key in ("taken", "refused", "failed")}, 0.0)
    return int(total["failed"] > 0)


def _one(name: str, inputs: int, given: argparse.Namespace) -> dict[str, int]:
    command = [sys.executable, __file__, "--one", name, "--inputs", str(inputs), "--seed", str(given.seed)]
    done = subprocess.run(
        [*command, "--kept", str(given.kept)], stdout=subprocess.PIPE, text=True, errors="replace", env=os.environ
    )
    if done.returncode == 0:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    _say(f"{name}: the process ended with {done.returncode}; its last input is {given.kept / f'{name}-{LAST}'}")
    return {"taken": 0, "refused": 0, "failed": 1}


def _tell(name: str, found: dict[str, int], seconds: float) -> None:
    tried = sum(found.values())
    counts = f"{tried:9,}{found['taken']:9,}{found['refused']:9,}{found['failed']:8,}"
    _say(f"{name:24}{counts}{seconds:8.0f}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

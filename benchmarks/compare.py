"""How many times as fast as another checkout is this one? Each stroke case is played by both in turn, many times.

    .venv/bin/python benchmarks/compare.py OTHER_CHECKOUT [--rounds 15] [--cases break]

A machine that does other things too, or changes its clock, makes figures of two runs incomparable; ratios of neighbours
in time hold. Both checkouts run in processes of their own, with this interpreter and this checkout's cases, and one
waits while the other plays. Times are processor times of the playing thread, and compiling is not among them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class Player:
    """A process that plays cases with the package of one checkout."""

    def __init__(self, checkout: Path) -> None:
        package = checkout / "src" / "carromsim"
        if not package.is_dir():
            raise SystemExit(f"checkout = {str(checkout)!r}: must be a directory with src/carromsim and kernels")
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(checkout / "src"), str(checkout / "kernels")])}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "cases.py")], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        hello = self._read()
        assert Path(hello["package"]).parent == package, f"played {hello['package']} instead of {package}"
        self.cases: list[str] = hello["cases"]

    def play(self, case: str) -> dict[str, Any]:
        """Play a case once and return its processor time [s], strokes, events and a digest of what came of it."""
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(self.process.wait() or 1)  # it has said on stderr why
        return json.loads(line)


def compare(case: str, this: Player, other: Player, rounds: int) -> str:
    """Return a line of the table: this checkout's rate and time per event, and ratios of times, other over this."""
    ours, theirs = this.play(case), other.play(case)  # compiles or loads the kernels
    same = "yes" if ours["digest"] == theirs["digest"] else "no"
    times: dict[Player, list[float]] = {this: [], other: []}
    for turn in range(rounds):
        for player in (this, other) if turn % 2 else (other, this):
            times[player].append(player.play(case)["seconds"])
    time = statistics.median(times[this])
    rate, per_event = ours["strokes"] / time, 1e6 * time / ours["events"]
    ratios = [theirs / ours for ours, theirs in zip(times[this], times[other], strict=True)]
    low, median, high = statistics.quantiles(ratios, n=4)
    best = min(times[other]) / min(times[this])
    return f"{case:28} {rate:9,.0f} {per_event:8.3f}  {median:6.3f}  {low:6.3f} to {high:.3f}  {best:6.3f}  {same}\n"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the checkout to compare with, for example a worktree of git")
    parser.add_argument("--rounds", type=int, default=15, help="times that each of the two plays a case, at least 5")
    parser.add_argument("--cases", default="", help="only cases whose names contain this")
    options = parser.parse_args()
    if options.rounds < 5:
        parser.error(f"--rounds {options.rounds}: must be at least 5")
    this, other = Player(HERE.parent), Player(options.other.resolve())
    chosen = [case for case in this.cases if options.cases in case]
    if not chosen:
        parser.error(f"--cases {options.cases!r}: must be part of one of these: {'; '.join(this.cases)}")
    sys.stdout.write(f"""{"":28} {"this checkout":>18}  times as fast as the other: median, quartiles, best over best
{"case":28} {"strokes/s":>9} {"us/event":>8}  {"median":>6}  {"quartiles":>15}  {"best":>6}  same outcomes
""")
    for case in chosen:
        sys.stdout.write(compare(case, this, other, options.rounds))
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Very many random strokes: does each one end, and end within the limits? May be stopped and goes on where it was.

    python tests/soak/strokes.py --strokes 10000000 --out runs/soak
    python tests/soak/strokes.py --replay runs/soak BLOCK ROW

What is played, see scenes.py; what must hold, limits.py. The exit code is 1 if a row has a status other than 0 or
breaks a limit, if one row in a million or more reaches the limit of events, if a process grows by 1 MB/h or more in
the last half of half an hour or more, or if a block takes longer than --hang. What is written to the directory:
blocks.jsonl with a line for each block, and in worst/ the rows nearest to the limits and those beyond.
"""

import argparse
import signal
import sys
import time
from pathlib import Path

from filelock import FileLock, Timeout

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests' own folder
from soak.log import Line, Log, SettingsError
from soak.scenes import BLOCK, Choice, draw
from soak.summary import told, worst_of
from soak.workers import soak

HANG = 600.0
"""How long a block, which takes a fraction of a second, may take [s]; the first one compiles."""


def main() -> int:
    arguments = _arguments()
    if arguments.replay:
        directory, block, row = arguments.replay
        return replay(Log(Path(directory)), int(block), int(row))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    choice = Choice(arguments.seed, arguments.breaks, arguments.preset, arguments.contact)
    log = Log(arguments.out)
    log.directory.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(log.directory / "lock", timeout=0):
            log.begin(choice)
            return _soak(log, choice, arguments)
    except Timeout:
        sys.stderr.write(f"{log.directory}: another soak is running there\n")
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
    return 2


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strokes", type=int, default=100_000, help="in all, those included that are already there")
    parser.add_argument("--out", type=Path, default=Path("runs/soak"), help="directory to write to, or to go on in")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--hang", type=float, default=HANG, help="seconds that a block may take")
    parser.add_argument("--breaks", action="store_true", help="nothing but breaks")
    parser.add_argument("--preset", help="name of one equipment for all")
    parser.add_argument("--contact", choices=["compliant", "sequential"], help="for all, instead of the equipment's")
    parser.add_argument("--replay", nargs=3, metavar=("DIRECTORY", "BLOCK", "ROW"), help="play one row again")
    return parser.parse_args()


def _soak(log: Log, choice: Choice, arguments: argparse.Namespace) -> int:
    """Play the blocks that are missing; tell what came of all."""
    wanted, begun = range(-(-arguments.strokes // BLOCK)), time.time()
    there = log.blocks()
    todo = [number for number in wanted if number not in there]
    soak(log.directory, choice, todo, arguments.workers, arguments.hang)
    blocks = log.blocks()
    lines = sorted((blocks[number] for number in wanted if number in blocks), key=lambda line: line["time"])
    errors = [line for line in log.read() if "error" in line and line["time"] >= begun]
    if lines:
        text, failed = told(lines, errors)
        _keep_worst(log, choice, lines)
    else:
        text, failed = "", [error["error"] for error in errors]
    if len(lines) < len(wanted):
        failed.append(f"{len(wanted) - len(lines)} blocks of {len(wanted)} were not played to their end")
    text += "".join(f"FAILED: {what}\n" for what in failed) or "passed\n"
    (log.directory / "summary.txt").write_text(text)
    sys.stdout.write(text)
    return 1 if failed else 0


def _keep_worst(log: Log, choice: Choice, lines: list[Line]) -> None:
    """Write the rows that came nearest to a limit."""
    for name in ("most_events", "overlap", "beyond", "gain"):
        line = worst_of(lines, name)
        block = draw(choice, line["block"])
        log.keep_row(name, block, line[name][1], block.play())


def replay(log: Log, number: int, row: int) -> int:
    """Play one row of a soak again and tell what it does; of a stroke write the page that plays it."""
    import carromsim as cs
    from carromsim.viz.replays import replay as replay_of

    block = draw(log.choice(), number)
    motion = [column[row] for column in block.begin]
    batch = [column[None] for column in motion]
    out = cs.simulate_motion(*batch, equipment=block.equipment, seed=number, first_row=row)
    sys.stdout.write(f"block {number} row {row}: {block.kind}, {block.equipment}\n")
    sys.stdout.write(f"status {out.status[0]}, {out.n_events[0]} events, {out.duration[0]} s\n")
    log.keep_row(f"block-{number}-row-{row}", block, row, block.play())
    if block.strokes is None or out.status[0] != 0:
        for event in out.events(0):
            sys.stdout.write(f"{event['t']:.12g} s: kind {event['kind']}, disc {event['a']}, disc {event['b']}\n")
        return 0
    given = {name: getattr(block.strokes, name)[row].item() for name in ("x", "angle", "speed", "spin", "seat")}
    followed = cs.follow(
        cs.Layout(block.layout.pos[row]), cs.Strokes(**given), equipment=block.equipment, seed=number, row=row
    )
    page = replay_of(followed, title=f"Soak: block {number}, row {row}").save(
        log.worst / f"block-{number}-row-{row}.html"
    )
    sys.stdout.write(f"{page}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

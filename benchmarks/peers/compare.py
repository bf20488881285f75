"""The same work by carromsim and by its peers, in turn, each on one core and warm; and how far each is from the truth.

    make peers

which makes the peers' environments and calls

    python benchmarks/peers/compare.py [--rounds 5] [--turn 2.0] [--seed 1] [--out runs/peers]

The table is printed and written to OUT/table.md, with all that was measured beside it in OUT/result.json. README.md
here says what is compared and what is not.
"""

import argparse
import json
import platform
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import table
from contestants import HERE, ICF, Contender, Program, carrom_breaks, carrom_errors, pool_breaks, pool_errors

import carromsim as cs

ROOT = HERE.parents[1]
STEPS = (1.0 / 120.0, 1e-3, 1e-4)
WARM_UP = {"carromsim": 500, "steps": 2, "pooltool": 10}
"""Breaks before anything is timed."""


def main() -> None:
    """Run the comparison."""
    options = _options()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        programs = {
            name: stack.enter_context(Program(python, HERE / script, home_of))
            for name, python, script, home_of in (
                ("carromsim", Path(sys.executable), "ours.py", None),
                ("pymunk", options.engines, "peer_pymunk.py", None),
                ("Box2D", options.engines, "peer_box2d.py", None),
                ("pooltool", options.pooltool, "peer_pooltool.py", home),
            )
        }
        contenders = _contenders(programs)
        for contender in contenders:
            _say(f"warming up: {contender.label}")
            contender.prepare(options.seed, options.turn)
        for number in range(1, options.rounds + 1):
            _say(f"round {number} of {options.rounds}")
            for contender in contenders:
                contender.take_turn(options.seed, number)
        names = [program.name for program in programs.values()]
    first = contenders[0]
    ours = [count / seconds for count, seconds in zip(first.breaks, first.seconds, strict=True)]
    rows = [table.summary(contender, ours) for contender in contenders]
    text = table.markdown(rows)
    print(text)  # noqa: T201 (the result)
    versions = {"programs": names, "python": platform.python_version(), "machine": platform.machine()}
    settings = {"rounds": options.rounds, "turn_s": options.turn, "seed": options.seed}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.md").write_text(text + "\n")
    (options.out / "result.json").write_text(json.dumps({**versions, **settings, "rows": rows}, indent=1) + "\n")


def _contenders(programs: dict[str, Program]) -> list[Contender]:
    """Return everybody in every setting, with their errors; the first is what the others are compared with."""
    contenders = []
    for label, contact, gap in (
        ("touching pack", "compliant", 0.0),
        ("sequential hits, gaps of 0.5 mm", "sequential", 5e-4),
    ):
        request = _request(contact, gap)
        contender = Contender(
            f"carromsim, {label}", programs["carromsim"], request, carrom_breaks, WARM_UP["carromsim"]
        )
        contender.errors = carrom_errors(contender.program)
        contenders.append(contender)
    for label, name, brake, steps in (
        ("pymunk", "pymunk", "joints", STEPS),
        ("pymunk, braked by velocity functions", "pymunk", "function", (1e-3,)),
        ("Box2D", "Box2D", "joints", STEPS),
    ):
        for step in steps:
            request = {**_request("compliant", 0.0), "step": step, "brake": brake}
            contender = Contender(label, programs[name], request, carrom_breaks, WARM_UP["steps"])
            contender.errors = carrom_errors(contender.program, step=step, brake=brake)
            contenders.append(contender)
    errors = pool_errors(programs["pooltool"])
    for game in ("9-ball", "8-ball"):
        contender = Contender(
            f"pooltool, {game}", programs["pooltool"], {"game": game}, pool_breaks, WARM_UP["pooltool"], errors=errors
        )
        contenders.append(contender)
    return contenders


def _request(contact: str, gap: float) -> dict[str, object]:
    """Return what all breaks from an opening pack with gaps [m] have in common."""
    men = cs.opening(ICF, gap=gap).pos[1:].tolist()
    return {"board": asdict(ICF.replace(contact=contact)), "men": men}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="turns of everybody (5)")
    parser.add_argument("--turn", type=float, default=2.0, help="about how long a turn is [s of processor time] (2.0)")
    parser.add_argument("--seed", type=int, default=1, help="of the scatter of the strokes (1)")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "runs" / "peers", help="where table and result go (runs/peers)"
    )
    parser.add_argument(
        "--engines", type=Path, default=ROOT / ".venv-peers" / "bin" / "python", help="Python with pymunk and Box2D"
    )
    parser.add_argument(
        "--pooltool", type=Path, default=ROOT / ".venv-pooltool" / "bin" / "python", help="Python with pooltool"
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: must be at least 1")
    if not options.turn > 0.0:
        parser.error(f"--turn {options.turn}: must be more than 0 s")
    return options


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 (progress)


if __name__ == "__main__":
    main()

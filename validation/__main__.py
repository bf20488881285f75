"""Run all parts and write the page: ``python -m validation [--quick] [--page docs/validation.md]``.

The exit code is 1 if a tolerance is missed.
"""

import argparse
import sys
import time
from pathlib import Path

from validation import break_part, collisions, pymunk_strokes, report, stopping

PAGE = Path(__file__).parents[1] / "docs" / "validation.md"
COMMAND = "make validate"
PARTS = (stopping.run, collisions.run, break_part.run, pymunk_strokes.run)

LIMITS = """
* **Against real carrom: nothing.** No measured friction, restitution, rim friction, contact time, gap of a pack or
  speed of a striker was found for carrom proper. What is shown is that the package computes what its laws say;
  whether the laws and their coefficients are those of a real board is open. A phone video at 240 frames per second of
  a striker that slides to rest, of a cushion rebound and of a head-on hit would settle three of them.
* **The contact force of the break** is itself a model, and so are the gaps of a pack set up by hand. The force law
  (Hertz or linear) and a gap of a hundredth of a millimetre change the men pocketed from a break by more than half a
  man, far beyond any numerical error: that is the smallest honest uncertainty of a break.
* **Falling into pockets**: the tipping limit is statics; how long a fall takes, and how a fast disc rattles between a
  pocket's edge and the corner of the frame, is compared with nothing.
* **Round corners of the frame**: single rebounds are compared. A disc that runs along a corner, or is pressed into it,
  follows a rule of the package (no rebound is flatter than a sine of 0.05).
* **Not in the plane**: jumps, discs on their rims, overlaps, tilt. Not modelled either: air drag, wear of the powder,
  friction that depends on speed, unevenness of the surface.
* **Impacts slower than 2 mm/s and discs that push one another** follow rules that exist to end bounces in finite time,
  not to be true to nature.
* **Long strokes with many discs** are chaotic: after a few hits only statistics can be compared, as in the part on
  breaks.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the parts, write the page, and return 0 if every tolerance is met and 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few states of everything, to try the command; too few to judge men pocketed",
    )
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write, ending in .md (default: docs)")
    options = parser.parse_args(arguments)
    parts = []
    for run in PARTS:
        begun = time.perf_counter()
        part = run(quick=options.quick)
        verdict = "met" if part.passed else "MISSED"
        sys.stdout.write(f"{part.title}: {verdict} ({time.perf_counter() - begun:.0f} s)\n")
        for one in part.verdicts:
            if not one.passed:
                sys.stdout.write(f"  {one.what}: {one.value:.3g} {one.unit}, tolerance {one.tolerance:.3g}\n")
        sys.stdout.flush()
        parts.append(part)
    report.write(parts, LIMITS, COMMAND, options.page)
    return 0 if all(part.passed for part in parts) else 1


if __name__ == "__main__":
    sys.exit(main())

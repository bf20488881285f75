"""Tells which share of the kernels' branches was taken, from the data of ``coverage run``; fails below 95 %.

``coverage report`` counts lines and branches together.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from coverage import Coverage

LEAST = 95.0


def totals() -> dict[str, float]:
    measured = Coverage()
    measured.load()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "coverage.json"
        measured.json_report(outfile=str(file))
        told: dict[str, float] = json.loads(file.read_text())["totals"]
        return told


if __name__ == "__main__":
    found = totals()
    share = 100.0 * found["covered_branches"] / found["num_branches"]
    sys.stdout.write(
        f"branches: {found['covered_branches']} of {found['num_branches']}, {share:.1f} % (at least {LEAST:g} %)\n"
    )
    sys.exit(share < LEAST)

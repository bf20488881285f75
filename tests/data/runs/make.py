"""Play small studies of every kind into run directories; once for every new version of a table.

python make.py FOLDER

Kinds that an older checkout lacks are left out, so that the same script makes runs of older versions:
`git worktree add OLD COMMIT`, then `PYTHONPATH=OLD/src:OLD/kernels python make.py FOLDER`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import carromsim as cs

SEED = 7


def main(folder: Path) -> None:
    """Play one study of each kind that there is."""
    cs.BreakStudy(strokes=12, seed=SEED).run(folder / "break")
    if not hasattr(cs, "BoardStudy"):
        return
    cs.ShotStudy(strokes=12, seed=SEED).run(folder / "shot")
    cs.BoardStudy(boards=2, seed=SEED).run(folder / "board")
    cs.MatchStudy(matches=1, seed=SEED).run(folder / "match")
    if not hasattr(cs, "BreakOptimisation"):
        return
    cs.VariantStudy(variants=["icf", "ukca"], boards=1, seed=SEED).run(folder / "variants")
    cs.VariantStudy(variants=["icf", "ukca"], matches=1, seed=SEED).run(folder / "variants-of-matches")
    few = {"scouts": 2, "restarts": 1, "generations": 2, "candidates": 4, "finalists": 1, "map_points": 0}
    strokes = {"strokes": 8, "finalist_strokes": 8, "verdict_strokes": 8, "map_strokes": 8, "robustness_strokes": 8}
    cs.BreakOptimisation(seed=SEED, robustness={}, **few, **strokes).run(folder / "optimise")  # type: ignore[arg-type]


def tell(folder: Path) -> dict[str, Any]:
    """Give, by run and table: the version, how many rows there are, and the first of them."""
    told: dict[str, Any] = {}
    for part in sorted(folder.glob("*/*/part-*.parquet")):
        table = pq.read_table(part)
        known = told.setdefault(part.parts[-3], {}).setdefault(
            part.parts[-2],
            {
                "schema": table.schema.metadata[b"carromsim.schema"].decode(),
                "rows": 0,
                "first": table.slice(0, 1).to_pylist()[0],
            },
        )
        known["rows"] += len(table)
    return told


if __name__ == "__main__":
    made = Path(sys.argv[1])
    main(made)
    (made / "expected.json").write_text(json.dumps(tell(made), indent=1) + "\n", encoding="utf-8")

"""docs/analysis.md shows ways to end a study, and all of them are valid."""

import re
from pathlib import Path

from carromsim.studies.declaring.declare import study_from_toml

PAGE = (Path(__file__).parent.parent.parent / "docs" / "analysis.md").read_text(encoding="utf-8")

KINDS = {"won_side_0": "match", "strokes": "board", "success": "shot"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_all_ways_to_end_a_study_are_valid() -> None:
    (ways,) = (block for block in blocks("toml") if block.startswith("until"))
    assert len(ways.splitlines()) == 4
    for way in ways.splitlines():
        metric = re.findall(r'metric = "(\w+)"', way)[0]
        study = study_from_toml(f'kind = "{KINDS[metric]}"\n{"skill = " + repr("club")}\n{way}')
        assert study.until is not None
        assert study.until.metric == metric

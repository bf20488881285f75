"""The pages of shots and boards: their code runs, their commands are accepted, their table is what comes out."""

import re
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.studies.shots.study import ShotStudy

DOCS = Path(__file__).parent.parent.parent / "docs"
ALL = ["novice", "club", "expert", "champion", "perfect"]
SHOTS: dict[str, dict[str, Any]] = {
    "straight, the man 40 cm from the pocket": {},
    "straight, 20 cm": {"distance": 0.2},
    "cut of 45 degrees, 40 cm": {"cut": 0.7853981633974483},
    "cut of 45 degrees, 20 cm": {"cut": 0.7853981633974483, "distance": 0.2},
    "bank by the far cushion, 90 cm": {"way": "bank", "pocket": "bottom right", "distance": 0.9},
}


def lines_of_table() -> dict[str, list[str]]:
    lines = [line for line in (DOCS / "shots.md").read_text().splitlines() if line.startswith("| ") and "%" in line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: rest for name, *rest in cells}


def test_the_table_has_the_shots_of_the_test() -> None:
    assert list(lines_of_table()) == list(SHOTS)


@pytest.mark.parametrize("name", SHOTS)
def test_the_table_is_what_comes_out(name: str) -> None:
    study = ShotStudy(strokes=10_000, skill=ALL, **SHOTS[name])
    summary = study.summarise()
    rates = [[100.0 * value for value in summary.success(skill)] for skill in range(5)]
    expected = [f"{rate:.1f} % ({low:.1f} to {high:.1f})" for rate, low, high in rates]
    room = study.batch(range(1))["shots"]["room"][0].as_py()
    assert lines_of_table()[name] == [*expected, f"{57.29577951308232 * room:.2f}"]


@pytest.mark.parametrize("page", ["shots.md", "boards.md"])
def test_the_code_of_the_page_runs(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], page, "exec"), {})


FEW = {"shots": ["--strokes", "3"], "boards": ["--boards", "2"], "matches": ["--matches", "0"]}
"""What makes a command of the page short. Matches take long: of those it is enough that nothing else is wrong."""


@pytest.mark.parametrize("page", ["shots.md", "boards.md"])
def test_the_commands_of_the_page_are_commands(page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```\n(carromsim .*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    (tmp_path / "position.toml").write_text("white = [[0.1, 0.1]]\nblack = [[0.2, 0.0]]\n")
    for line in block.splitlines():
        command = re.split(r"[#;>]", line)[0]
        command = re.sub(r" --(boards|matches) \d+", "", command)
        command = re.sub(r"(\S+\.toml|runs/\S+)", rf"{tmp_path}/\1", command)
        _, name, *options = command.split()
        code = cli.run([name, *options, *FEW.get(name, [])])
        told = capsys.readouterr().err
        if name == "matches":
            assert (code, told) == (2, "carromsim: --matches 0: must be greater than or equal to 1\n")
        else:
            assert code == 0, told

"""docs/analysis.md tells the truth: its commands print what it shows, its Python runs."""

import re
import shlex
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.studies.declaring.declare import study_from_toml

PAGE = (Path(__file__).parent.parent.parent / "docs" / "analysis.md").read_text(encoding="utf-8")

KINDS = {"won_side_0": "match", "strokes": "board", "success": "shot"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def told(text: str) -> str:
    """Take out times, which differ, and blanks: tables are as wide as their numbers."""
    text = re.sub(r"\d[\d.]* (s|min)\b", "TIME", text)
    text = re.sub(r"by \d+ workers?, |^Pilot +[\d,]+ ", "", text, flags=re.MULTILINE)
    return re.sub(r"[ \n]+", " ", text)


@pytest.mark.usefixtures("here")
def test_commands_print_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    files = dict(re.findall(r"`(\w+\.toml)`:\n\n```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    assert set(files) == {"shot.toml", "gone.toml"}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    played = 0
    for block in blocks("console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE):
            program, *arguments = shlex.split(command)
            assert program == "carromsim"
            # The pilot of the page was played on two cores; its size changes the plan.
            arguments += ["--workers", "2"] if arguments[0] == "plan" else []
            assert cli.run(arguments) == 0, command
            printed = told(capsys.readouterr().out)
            for piece in shown.split("...\n"):
                assert told(piece).strip() in printed, command
            played += 1
    assert played == 11
    for block in blocks("python"):
        names: dict[str, object] = {}
        exec(compile(block, "analysis.md", "exec"), names)
    (stopped,) = blocks("json")
    assert re.sub(r"\s+", "", stopped) in re.sub(r"\s+", "", Path("runs/club/parts.json").read_text())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_ways_to_end_a_study_are_valid() -> None:
    (ways,) = (block for block in blocks("toml") if block.startswith("until"))
    assert len(ways.splitlines()) == 4
    for way in ways.splitlines():
        metric = re.findall(r'metric = "(\w+)"', way)[0]
        study = study_from_toml(f'kind = "{KINDS[metric]}"\n{"skill = " + repr("club")}\n{way}')
        assert study.until is not None
        assert study.until.metric == metric

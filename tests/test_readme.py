"""The README tells the truth: its Python runs, its commands run, its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from carromsim import cli

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


SHORT_SEARCH = (
    "--restarts 1 --generations 1 --candidates 4 --strokes 20 --finalists 1 --finalist-strokes 20 --verdict-strokes 20"
    " --map-points 0 --robustness-strokes 20"
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """Return the files that the README shows, by the name just before each."""
    return dict(re.findall(r"`(\w+\.(?:toml|json))`:\n\n```(?:toml|json)\n(.*?)^```", README, re.MULTILINE | re.DOTALL))


def commands() -> list[str]:
    return [
        line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")
    ]


def fewer(text: str) -> str:
    """Play fewer strokes, boards and matches than the README, so that this takes seconds."""
    text = re.sub(r"(--matches )\d+", r"\g<1>2", text)
    text = re.sub(r"(carromsim optimise)", rf"\1 {SHORT_SEARCH}", text)
    return re.sub(r"(--strokes |--boards |strokes ?= ?|n=)[\d_]+", r"\g<1>200", text)


def test_commands_and_python_run_in_the_order_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(commands()) >= 7
    for name, text in files().items():
        Path(name).write_text(text, encoding="utf-8")
    shown = ""
    for command in commands():
        command, _, target = fewer(command).partition(" > ")
        program, *arguments = shlex.split(command)
        assert program == "carromsim"
        shown += capsys.readouterr().out
        assert cli.run(arguments) == 0
        if target:
            Path(target).write_text(fewer(capsys.readouterr().out), encoding="utf-8")
    # The words of the output are those shown; figures depend on the number of strokes.
    words = set(re.findall(r"[A-Za-z]{4,}", shown + capsys.readouterr().out))
    lines = [line for block in blocks("console") for line in block.splitlines() if not line.startswith("$ ")]
    assert set(re.findall(r"[A-Za-z]{4,}", " ".join(lines))) <= words
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(fewer(block), "README.md", "exec"), names)
    printed = capsys.readouterr().out
    for text in ("n_pocketed", "1000 strokes; 0.", "200 rows"):
        assert text in printed


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"^make (\S+)", "".join(blocks("sh")), flags=re.MULTILINE))
    assert named == {"run", "test"}
    for target in named:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_files_that_are_named_exist() -> None:
    linked = re.findall(r"\]\(([\w./]+)\)", README)
    assert linked
    for name in linked + re.findall(r"((?:src|kernels)/[\w/]+(?:\.py|/))", README):
        assert (ROOT / name).exists(), name

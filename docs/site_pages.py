"""Pages of the site that lie elsewhere in the repository or are made from the code; ``docs/conf.py`` calls this.

They go to ``docs/made``, which git ignores, so that nothing is kept twice.
"""

import os
import re
import shutil
from pathlib import Path, PurePosixPath

import carromsim.cli  # noqa: F401 (its commands register themselves)
from carromsim.cli.app import app
from carromsim.equipment import PRESETS
from carromsim.rules.ruleset import NAMES
from carromsim.studies.kinds import KINDS

DOCS = Path(__file__).parent
ROOT = DOCS.parent
MADE = DOCS / "made"

COPIES = {
    "GLOSSARY.md": "made/glossary.md",
    "CHANGELOG.md": "made/changelog.md",
    "CONTRIBUTING.md": "made/contributing.md",
    "SECURITY.md": "made/security.md",
    "benchmarks/README.md": "made/benchmarks.md",
    "benchmarks/peers/README.md": "made/peers.md",
    **{f"notebooks/{path.name}": f"made/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))},
}
"""Files of the repository that are pages of the site: where they are, and where they go below ``docs``."""

ELSEWHERE = {**COPIES, "README.md": "index.md", "notebooks": "notebooks.md"}


def placed(text: str, source: str, page: str) -> str:
    """Lead the links of a page to the site's pages.

    Parameters
    ----------
    text : str
        Markdown.
    source, page : str
        Where the text lies, below the root of the repository; where the page lies, below ``docs``.

    Returns
    -------
    str
        Links to pages and pictures lead to these; a file that is no page is named instead, because the site does not
        have it.
    """

    def led(match: re.Match[str]) -> str:
        words, target, anchor = match.groups()
        path = os.path.normpath(PurePosixPath(source).parent / target)
        if path in ELSEWHERE or path.startswith("docs/"):
            below = ELSEWHERE.get(path, path.removeprefix("docs/"))
            return f"[{words}]({os.path.relpath(below, PurePosixPath(page).parent)}{anchor or ''})"
        return f"`{path}`" if words.strip("`/") == path else f"{words} (`{path}`)"

    return re.sub(r"(?<!`)\[([^\]\n]*)\]\((?!https?:|mailto:)([^)#\s]+)(#[^)\s]*)?\)", led, text)


def write_pages() -> None:
    """Write all of them; a file that would not change is not touched, so that Sphinx need not read it again."""
    MADE.mkdir(exist_ok=True)
    shutil.rmtree(MADE / "api", ignore_errors=True)  # autosummary would leave pages of names that are gone
    wanted = {
        DOCS / page: placed((ROOT / path).read_text(encoding="utf-8"), path, page) for path, page in COPIES.items()
    }
    wanted[MADE / "command_line.md"] = command_line()
    wanted[MADE / "rule_files.md"] = rule_files()
    wanted[MADE / "equipment_files.md"] = equipment_files()
    wanted[MADE / "study_files.md"] = study_files()
    for stale in {path for path in MADE.iterdir() if path.is_file()} - set(wanted):
        stale.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def shown(path: str, language: str = "toml") -> str:
    """Show a file of the repository as it stands."""
    return f"```{{literalinclude}} ../../{path}\n:language: {language}\n```"


def command_line() -> str:
    """Give the page of all commands and options, made from their help."""
    _, listed, rest = app.generate_docs(output_format="markdown").partition("**Commands**:")
    head = f"# Command line\n\n{app.help_epilogue}"
    return f"{head}\n\n{listed}{rest}"


def rule_files() -> str:
    """Give the page that shows every shipped rule set."""
    parts = [
        "# Rule files",
        "What `carromsim rules show` reads: a value for every question, and behind it the law that answers it. "
        "[Rules](../rules.md) explains the fields and has the five complete sets side by side.",
    ]
    parts += [f"## {name}\n\n{shown(f'src/carromsim/data/rules/{name}.toml')}" for name in NAMES]
    return "\n\n".join(parts) + "\n"


def equipment_files() -> str:
    """Give the page that shows every preset of equipment."""
    parts = [
        "# Equipment files",
        "The presets: sizes, masses, friction, and behind every number where it is from. "
        "[Equipment](../equipment.md) explains the fields.",
    ]
    parts += [f"## {name}\n\n{shown(f'src/carromsim/data/equipment/{name}.toml')}" for name in PRESETS]
    return "\n\n".join(parts) + "\n"


def study_files() -> str:
    """Give the page that shows the file of every kind of study, and has their JSON schemas."""
    parts = [
        "# Study files",
        "What `carromsim new KIND` prints: every field with its default and meaning. `carromsim check FILE` tells what "
        "is wrong with one of yours, `carromsim run FILE` plays it. An editor that knows JSON schemas completes and "
        "checks as you type (`carromsim schema KIND`).",
    ]
    for kind in KINDS:
        where = f"src/carromsim/studies/schema/{kind}"
        schema = f"The schema: {{download}}`{kind}.json <../../{where}.json>`."
        parts.append(f"## {kind}\n\n{schema}\n\n{shown(f'{where}.toml')}")
    return "\n\n".join(parts) + "\n"

"""What we open is data: nothing in the sources unpickles it, evaluates it or hands it to a shell."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import carromsim
import carromsim_kernels

SOURCES = sorted(
    path for package in (carromsim, carromsim_kernels) for path in Path(package.__file__).parent.rglob("*.py")
)

MODULES = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
    "subprocess",
    "pty",
    "code",
}
"""What nobody imports."""

CALLS = {"eval", "exec", "compile", "__import__", "breakpoint", "os.system", "os.popen", "os.execv", "os.spawnv"}
"""What nobody calls."""

REMOTE = {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib", "smtplib", "socket", "webbrowser"}
"""What could fetch something; object stores are the file systems' own affair."""

ALLOWED = {
    ("tables/places.py", "urllib.request"): "url2pathname, which opens nothing",
    ("studies/runs/work.py", "pickle"): "work for the processes of an executor; never from a file",
    ("studies/runs/trying.py", "pickle"): "whether work can be handed to such a process",
}
"""What may be imported where, and what for."""

BY_NAME = {"__init__.py", "studies/kinds.py", "studies/runs/reading.py", "viz/__init__.py", "viz/plots/__init__.py"}
"""Who loads a module by a name that it has in a table of its own."""


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def called(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def faults(source: str, name: str = "") -> list[str]:
    """Name what a source does that it must not."""
    tree, found = ast.parse(source), []
    for module in imported(tree):
        known = module.partition(".")[0] in MODULES or module in REMOTE
        if known and (name, module) not in ALLOWED:
            found.append(f"imports {module}")
    for function, call in called(tree):
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        if function in CALLS or given.get("shell", "False") != "False":
            found.append(f"calls {function}")
        if given.get("allow_pickle", "False") != "False":
            found.append(f"unpickles by {function}")
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_source_can_execute_what_it_reads(source: Path) -> None:
    root = Path(carromsim.__file__).parent
    name = source.relative_to(root).as_posix() if source.is_relative_to(root) else source.name
    assert faults(source.read_text(encoding="utf-8"), name) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from yaml import load",
        "eval('1')",
        "exec(text)",
        "compile(a, b, 'exec')",
        "import subprocess",
        "import os\nos.system('x')",
        "run('x', shell=True)",
        "np.load(path, allow_pickle=True)",
        "import requests",
    ],
)
def test_the_gate_sees_what_it_looks_for(source: str) -> None:
    assert len(faults(source)) == 1


def test_modules_are_loaded_by_names_that_stand_in_the_sources() -> None:
    """No name from a file chooses what is imported: plug-ins are objects that a program hands over."""
    root = Path(carromsim.__file__).parent
    found = set()
    for source in root.rglob("*.py"):
        for function, call in called(ast.parse(source.read_text(encoding="utf-8"))):
            if function in ("import_module", "importlib.import_module") and not isinstance(call.args[0], ast.Constant):
                found.add(source.relative_to(root).as_posix())
    assert found == BY_NAME


def test_the_kind_of_a_manifest_chooses_no_module(tmp_path: Path) -> None:
    for kind in ("os.path", "breaks.study.BreakStudy", "../x", "__main__", ["break"], None):
        told = {"format": "carromsim-run/1", "study": {"kind": kind}}
        (tmp_path / "manifest.json").write_text(json.dumps(told))
        with pytest.raises(ValueError, match="kind = "):
            carromsim.open_run(tmp_path)

"""The shape of the code base: who imports whom, how big things are, what kernels may do."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.sources

ROOT = Path(__file__).parent.parent
KERNELS = sorted((ROOT / "kernels").rglob("*.py"))
PACKAGES = KERNELS + sorted((ROOT / "src").rglob("*.py"))
EVERYTHING = PACKAGES + [file for folder in ("tests", "benchmarks") for file in sorted((ROOT / folder).rglob("*.py"))]

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def imported_roots(tree: ast.AST) -> set[str]:
    """Top-level names of all modules that are imported, inside functions too; relative imports count as none."""
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            roots.add(node.module.partition(".")[0])
    return roots


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from ``def`` to the end, without the docstring."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
    return lines


def run_python(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numba_is_imported_in_one_file_of_the_packages_only() -> None:
    importers = [name(file) for file in PACKAGES if "numba" in imported_roots(ast.parse(file.read_text()))]
    assert importers == ["kernels/carromsim_kernels/jit.py"]


def test_kernels_need_numpy_and_numba_only() -> None:
    allowed = {"carromsim_kernels", "numpy", "numba"} | sys.stdlib_module_names
    foreign = {name(file): imported_roots(ast.parse(file.read_text())) - allowed for file in KERNELS}
    assert {file: roots for file, roots in foreign.items() if roots} == {}


def test_import_contracts_hold() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_is_too_long() -> None:
    lengths = {name(file): len(file.read_text().splitlines()) for file in PACKAGES}
    assert {file: lines for file, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_no_function_is_too_long() -> None:
    lengths = {
        f"{name(file)}: {function.name}": length(function)
        for file in PACKAGES
        for function in functions(ast.parse(file.read_text()))
    }
    assert {function: lines for function, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_fastmath_is_never_on() -> None:
    uses = {
        ast.unparse(keyword)
        for file in PACKAGES
        for keyword in ast.walk(ast.parse(file.read_text()))
        if isinstance(keyword, ast.keyword) and keyword.arg == "fastmath"
    }
    assert uses == {"fastmath=False"}


def test_helpers_return_numbers() -> None:
    """They count no references to arrays, so that an array which one returned would be given back once too often."""
    returned = {
        f"{name(file)}: {function.name} -> {ast.unparse(function.returns)}"
        for file in KERNELS
        for function in functions(ast.parse(file.read_text()))
        if {"kernel", "inlined"} & set(map(ast.unparse, function.decorator_list))
        and function.returns is not None
        and set(re.findall(r"\w+", ast.unparse(function.returns)))
        - {"None", "bool", "int", "float", "tuple", "np", "uint64"}
    }
    assert returned == set()


def test_kernels_neither_raise_nor_print() -> None:
    def speaks(node: ast.AST) -> bool:
        is_print = isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
        return is_print or isinstance(node, ast.Raise | ast.Assert | ast.Try)

    loud = [
        f"{name(file)}: {function.name}"
        for file in KERNELS
        for function in functions(ast.parse(file.read_text()))
        if {ast.unparse(decorator) for decorator in function.decorator_list} & {"kernel", "inlined", "entry"}
        and any(speaks(node) for node in ast.walk(function))
    ]
    assert loud == []


def test_an_entry_is_compiled_for_one_signature() -> None:
    """Whatever arrays users bring, the bridge hands kernels one kind of each."""
    code = """
import numpy as np
import carromsim as cs
from carromsim_kernels.batch import simulate_batch

layout = cs.opening("icf")
cs.simulate(layout, cs.Strokes(x=0, angle=np.pi / 2, speed=6))
ten = np.arange(10, dtype=np.float32)
five = cs.Strokes(x=0 * ten[::2], angle=np.float32(1.5), speed=np.arange(2, 7), spin=ten[::-2], seat=[0, 1, 2, 3, 0])
cs.simulate(layout, five, equipment=cs.Equipment.preset("ukca"), threads=1, record=True)
cs.simulate(layout, five, threads=2, chunk_rows=2)

pos = np.full((4, 20, 2), np.nan)
pos[:, :2] = [[0.1, 0.0], [-0.1, 0.0]]
vel = np.zeros((4, 20, 2))
vel[:, 0, 1] = 1.0
omega = np.zeros((4, 20))
for change in (
    lambda array: array,
    lambda array: array.astype(np.float32),
    np.asfortranarray,
    lambda array: array[::2],
    lambda array: array[::-1],
    lambda array: array.transpose()[...].transpose(),
):
    arrays = [change(array) for array in (pos, vel, omega)]
    for array in arrays:
        array.flags.writeable = False
    cs.simulate_motion(*arrays, until=0.1)
    cs.simulate_motion(*arrays, until=1, record=False)
print(len(simulate_batch.signatures), simulate_batch.targetoptions["fastmath"])
"""
    assert run_python(code).split() == ["1", "False"]


def test_help_needs_no_heavy_import() -> None:
    code = """
import sys
from carromsim.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
print("loaded:", *sorted({"numba", "llvmlite", "pyarrow", "scipy"} & set(sys.modules)))
"""
    help_text, _, loaded = run_python(code, "--help").rpartition("loaded:")
    assert "break" in help_text
    assert loaded.split() == []


def test_a_study_of_breaks_loads_no_pandas(tmp_path: Path) -> None:
    code = """
import sys
import carromsim as cs
run = cs.BreakStudy(strokes=2, spin=cs.Normal(0.0, 1.0)).run(sys.argv[1], workers=1)
print(run.summary().counts.ok, "pandas" in sys.modules)
"""
    assert run_python(code, str(tmp_path / "run")).split() == ["2", "False"]

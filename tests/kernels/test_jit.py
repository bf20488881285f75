"""The compiler's door and its cache, tried in processes of their own on a small package with a copy of ``jit.py``."""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from carromsim_kernels import jit

HELPER = """
from toy.jit import kernel

@kernel
def term(x):
    return 2.0 * x
"""

DOORS = """
from toy.helper import term
from toy.jit import entry

@entry
def total(x):
    result = 0.0
    for i in range(x.size):
        result += term(x[i])
    return result

@entry
def twice(x):
    return 2.0 * total(x)

@entry
def spin(n):
    x = 2.0
    for _ in range(n):
        x = (x + 2.0 / x) / 2.0
    return x
"""

# Prints one line of JSON: the result of total(), how often it was loaded and compiled, the warnings.
CALL = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np
    from toy import doors, jit
    cold = jit.cache_is_cold("total")
    result = doors.total(np.arange(4.0))
stats = getattr(doors.total, "stats", None)
print(json.dumps({
    "result": result,
    "cold": cold,
    "loaded": sum(stats.cache_hits.values()) if stats else 0,
    "compiled": sum(stats.cache_misses.values()) if stats else 0,
    "signatures": len(doors.total.signatures),
    "warnings": [f"{w.category.__name__}: {w.message}" for w in caught],
}))
"""


# The same in turn for several caches, each with the package imported anew: what a process keeps is gone with it.
CALLS = f"""
import os, sys
for cache in sys.argv[1:]:
    os.environ["CARROMSIM_CACHE_DIR"] = cache
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
        del sys.modules[name]
    exec({CALL!r})
"""


@dataclass(frozen=True)
class Toy:
    """A package with two kernel files and a cache of its own."""

    root: Path
    cache: Path

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.cache.rglob(pattern))

    def start(self, code: str = CALL, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        own = {"PYTHONPATH": str(self.root), "CARROMSIM_CACHE_DIR": str(self.cache), **environment}
        command, pipe = [sys.executable, "-c", code, *arguments], subprocess.PIPE
        return subprocess.Popen(command, env=clean | own, stdout=pipe, stderr=pipe, text=True)

    def run(self, code: str = CALL, **environment: str) -> dict[str, Any]:
        (report,) = finish(self.start(code, **environment))
        return report


def finish(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture(scope="module")
def warm_toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Toy, dict[str, Any]]:
    """A toy after its first call, and what that call reported; not to be changed."""
    root = tmp_path_factory.mktemp("warm")
    package = root / "toy"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "helper.py").write_text(HELPER)
    (package / "doors.py").write_text(DOORS)
    shutil.copy(jit.__file__, package / "jit.py")
    toy = Toy(root, root / "cache")
    return toy, toy.run()


@pytest.fixture
def toy(warm_toy: tuple[Toy, dict[str, Any]], tmp_path: Path) -> Toy:
    """A toy with nothing in its cache."""
    return Toy(warm_toy[0].root, tmp_path / "cache")


WARM = {"result": 12.0, "cold": False, "loaded": 1, "compiled": 0, "signatures": 1, "warnings": []}
COLD = WARM | {"cold": True, "loaded": 0, "compiled": 1}


def test_first_process_compiles_and_second_loads(warm_toy: tuple[Toy, dict[str, Any]]) -> None:
    toy, first = warm_toy
    assert first == COLD
    assert toy.run() == WARM


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def garble(file: Path) -> None:
    file.write_bytes(os.urandom(file.stat().st_size))


def flip_one_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


PATTERNS = ("*.nbi", "*.nbc", "checksums")
DAMAGES = (truncate, empty, garble, flip_one_bit, replace_by_folder, Path.unlink)
Case = tuple[str, Callable[[Path], None]]


@pytest.fixture(scope="module")
def mended(
    warm_toy: tuple[Toy, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> dict[Case, tuple[dict[str, Any], dict[str, Any]]]:
    """Give what the first and the second call after a damage report."""
    toy, cases = warm_toy[0], list(product(PATTERNS, DAMAGES))
    caches = [tmp_path_factory.mktemp("damaged") / "cache" for _ in cases]
    for cache, (pattern, damage) in zip(caches, cases, strict=True):
        shutil.copytree(toy.cache, cache)
        (file,) = cache.rglob(pattern)
        damage(file)
    first, second = (finish(toy.start(CALLS, *map(str, caches))) for _ in range(2))
    return dict(zip(cases, zip(first, second, strict=True), strict=True))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_cache_is_replaced(
    pattern: str, damage: Callable[[Path], None], mended: dict[Case, tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    report, again = mended[pattern, damage]
    (warning,) = report["warnings"]
    assert "damaged" in warning
    assert warning.startswith("RuntimeWarning: ")
    assert report | {"cold": True, "warnings": []} == COLD
    assert again == WARM


def test_unusable_cache_folder_is_replaced_by_a_private_one(toy: Toy, tmp_path: Path) -> None:
    toy.cache.touch()
    toy_with_file = Toy(toy.root, toy.cache / "below a file")
    assert toy_with_file.run(TMPDIR=str(tmp_path)) == COLD
    assert toy_with_file.run(TMPDIR=str(tmp_path)) == WARM
    (folder,) = tmp_path.glob("carromsim-*")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_code_of_others_is_not_loaded(toy: Toy, tmp_path: Path) -> None:
    toy.cache.touch()
    (tmp_path / f"carromsim-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"carromsim-{os.getuid()}").chmod(0o777)
    report = Toy(toy.root, toy.cache / "below a file").run(TMPDIR=str(tmp_path))
    assert report["result"] == 12.0
    assert ["nowhere" in warning for warning in report["warnings"]] == [True]


def test_without_any_place_to_write_there_is_one_warning(toy: Toy) -> None:
    toy.cache.touch()
    nowhere = str(toy.cache / "below a file")
    report = Toy(toy.root, Path(nowhere)).run(f"import tempfile; tempfile.tempdir = {nowhere!r}\n{CALL}")
    (warning,) = report.pop("warnings")
    assert warning.startswith("RuntimeWarning: ")
    assert "CARROMSIM_CACHE_DIR" in warning
    assert report | {"warnings": []} == COLD


def test_full_disk_costs_the_cache_only(toy: Toy) -> None:
    report = toy.run(f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, -1))\n{CALL}")
    (warning,) = report.pop("warnings")
    assert "cannot be kept" in warning
    assert report["result"] == 12.0
    assert [w for w in toy.run()["warnings"] if "damaged" not in w] == []
    assert toy.run() == WARM


def test_blocked_folder_of_numba_costs_the_cache_only(warm_toy: tuple[Toy, dict[str, Any]], toy: Toy) -> None:
    (folder,) = {file.parent for file in warm_toy[0].files("*.nbi")}
    blocked = toy.cache / folder.relative_to(warm_toy[0].cache)
    blocked.parent.mkdir(parents=True)
    blocked.touch()
    report = toy.run()
    assert report["result"] == 12.0
    assert ["cannot be kept" in warning for warning in report["warnings"]] == [True]


def test_of_many_cold_processes_one_compiles(toy: Toy) -> None:
    processes = [toy.start() for _ in range(4)]
    reports = [report for process in processes for report in finish(process)]
    assert sorted(report["compiled"] for report in reports) == [0, 0, 0, 1]
    assert {report["result"] for report in reports} == {12.0}
    assert [report["warnings"] for report in reports] == [[]] * 4
    assert len(toy.files("*.nbc")) == 1


def test_helper_may_be_called_from_python(toy: Toy) -> None:
    code = """
import json, numpy
from toy.doors import total
from toy.helper import term
before = term(3.0)
print(json.dumps([before, total(numpy.arange(4.0)), term(x=2), term.__name__]))
"""
    assert toy.run(code) == [6.0, 12.0, 4.0, "term"]
    assert [file.name.split("-")[0] for file in toy.files("*.nbc")] == ["doors.total"]


def test_without_jit_entries_are_plain_functions(toy: Toy) -> None:
    assert toy.run(NUMBA_DISABLE_JIT="1") == WARM | {"loaded": 0, "signatures": 0}
    assert not toy.cache.exists()


def test_import_touches_nothing(toy: Toy) -> None:
    assert toy.run("import json, toy.doors; print(json.dumps({}))") == {}
    assert not toy.cache.exists()


def test_settings_of_numba_neither_matter_nor_change(toy: Toy, tmp_path: Path) -> None:
    code = CALL + "import numba; assert numba.config.CACHE_DIR.endswith('elsewhere'), numba.config.CACHE_DIR"
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "elsewhere"), "NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator"}
    assert toy.run(code, **settings) == COLD
    assert not (tmp_path / "elsewhere").exists()
    assert toy.run() == WARM


def test_two_threads_may_make_the_first_call(toy: Toy) -> None:
    code = """
import json, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from toy.doors import total
barrier = threading.Barrier(2)

def call(n):
    barrier.wait()
    return total(np.arange(n))

with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(call, [4.0, 5.0]))
print(json.dumps([results, len(total.signatures), sum(total.stats.cache_misses.values())]))
"""
    assert toy.run(code) == [[12.0, 20.0], 1, 1]


def test_no_entry_waits_for_the_compiling_of_another(toy: Toy) -> None:
    fcntl = pytest.importorskip("fcntl")
    toy.run()
    (record,) = toy.files("checksums")
    with open(record.parent / "lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert toy.run("import json; from toy.doors import spin; print(json.dumps([spin(1)]))") == [1.5]
    assert len(toy.files("checksums")) == 2


def test_a_lock_that_is_never_given_back_costs_the_cache_only(toy: Toy) -> None:
    fcntl = pytest.importorskip("fcntl")
    toy.run()
    (record,) = toy.files("checksums")
    before = record.read_bytes()
    code = """
import json, warnings
import numpy as np
from toy import doors, jit

jit._PATIENCE = 0.2
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    result = doors.total(np.arange(4.0))
print(json.dumps([result, [str(each.message) for each in told]]))
"""
    with open(record.parent / "lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        result, told = toy.run(code)
    assert result == 12.0
    assert len(told) == 1
    assert f"cannot be kept in {record.parent}: another process has held the lock there for 0.2 s" in told[0]
    assert record.read_bytes() == before


def test_lock_is_free_while_the_kernel_runs_and_after_an_error(toy: Toy) -> None:
    code = """
import fcntl, json, threading, time
from toy import doors, jit

def free():
    with open(jit.cache_directory() / "total" / "lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True

try:
    doors.total("no array")
except Exception as error:
    failure = type(error).__name__
    after_error = free()
doors.spin(1)
thread = threading.Thread(target=doors.spin, args=(10**12,), daemon=True)  # an hour; it ends with the process
thread.start()
time.sleep(0.2)
print(json.dumps([failure, after_error, free(), thread.is_alive()]), flush=True)
__import__("os")._exit(0)
"""
    assert toy.run(code) == ["TypingError", True, True, True]


def test_entry_may_call_another_one(toy: Toy) -> None:
    code = "import json, numpy; from toy.doors import twice; print(json.dumps([twice(numpy.arange(4.0))]))"
    assert toy.run(code) == [24.0]
    assert toy.run(code) == [24.0]
    assert len(toy.files("*.nbc")) == 2
    code = "import json; from toy.jit import cache_is_cold as c; print(json.dumps([c(), c('twice'), c('spin')]))"
    assert toy.run(code) == [False, False, True]
    assert toy.run() == WARM


def test_user_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CARROMSIM_CACHE_DIR", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert (found := jit.cache_directory()) is not None
    assert found.parent == tmp_path / "xdg/carromsim"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, to be ignored")
    assert (found := jit.cache_directory()) is not None
    assert found.parent == tmp_path / "home/.cache/carromsim"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert (found := jit.cache_directory()) is not None
    assert found.parent == tmp_path / "home/Library/Caches/carromsim"


def test_source_digest_is_twelve_hexadecimal_digits() -> None:
    assert len(jit.source_digest()) == 12
    int(jit.source_digest(), 16)

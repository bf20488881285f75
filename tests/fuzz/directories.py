"""Targets: directories of runs in which somebody has changed something."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import carromsim as cs
from carromsim.studies.kinds import KINDS
from carromsim.studies.runs.study import study_hash
from fuzz.hostile import words
from fuzz.judging import Target
from fuzz.small_runs import small_run, small_study

OUTSIDE = "outside"
"""A folder beside the run, which nothing may touch."""

json_values = st.recursive(
    st.one_of(
        st.sampled_from(
            [None, True, 0, -1, 1, 2**31, 2**40, 2**63, 10**30, 1.5, float("nan"), float("inf"), "", "icf"]
        ),
        st.sampled_from(
            ["../outside/own.toml", "/etc/passwd", "..", "strokes/1", "../x/1", "carromsim-run/1", "x" * 200]
        ),
        words,
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)


class Change(NamedTuple):
    """What was done to a file of a run."""

    file: str
    how: str
    where: Any = 0
    what: Any = None


class Spoilt(NamedTuple):
    """A run of a kind, and what was done to it."""

    kind: str
    changes: tuple[Change, ...]
    rehashed: bool


def paths(told: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the ways to everything in a document."""
    found = [above] if above else []
    items = told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ()
    for key, value in items:
        found += paths(value, (*above, key))
    return found


@st.composite
def spoilt_runs(draw: DrawFn) -> Spoilt:
    """Give a run with one or two changes."""
    kind = draw(st.sampled_from(tuple(KINDS)))
    root = small_run(kind)
    changes = tuple(_change(draw, root) for _ in range(draw(st.integers(1, 2))))
    return Spoilt(kind, changes, draw(st.booleans()))


def _change(draw: DrawFn, root: Path) -> Change:
    parts = sorted(path.relative_to(root).as_posix() for path in root.glob("*/*.parquet"))
    file = draw(st.sampled_from(["manifest.json", "manifest.json", "manifest.json", "parts.json", *parts]))
    text = file.endswith(".json")
    how = draw(st.sampled_from([*["set"] * 8, "drop", "drop", *_WHOLE] if text else _WHOLE))
    if how in ("set", "drop"):
        where = draw(st.sampled_from(paths(json.loads((root / file).read_bytes()))))
        return Change(file, how, where, draw(json_values) if how == "set" else None)
    size = (root / file).stat().st_size
    return Change(
        file, how, draw(st.integers(0, size - 1)), draw(st.integers(0, 7) if how == "flip" else st.binary(max_size=8))
    )


_WHOLE = (
    "flip",
    "flip",
    "flip",
    "cut",
    "write over",
    "add",
    "remove",
    "folder",
    "link",
    "linked folder",
    "stranger",
    "deep",
    "other",
)


def spoil(root: Path, change: Change) -> None:
    """Do it."""
    path = root / change.file
    if not path.is_file() or path.is_symlink() or path.parent.is_symlink():
        return
    data = path.read_bytes()
    if change.how in ("set", "drop"):
        _edit(path, data, change)
    elif change.how in ("remove", "folder", "link"):
        path.unlink()
        if change.how == "folder":
            path.mkdir()
        elif change.how == "link":
            path.symlink_to(root.parent / OUTSIDE / "kept")
    elif change.how == "linked folder" and path.parent != root:
        shutil.move(path.parent, root.parent / OUTSIDE / "moved")
        path.parent.symlink_to(root.parent / OUTSIDE / "moved")
    elif change.how == "stranger":
        (path.parent / "part-00000099.parquet").write_bytes(data)
    else:
        path.write_bytes(_mangled(data, change))


def _mangled(data: bytes, change: Change) -> bytes:
    at, what = change.where, change.what
    if change.how == "flip" and at < len(data):
        return data[:at] + bytes([data[at] ^ (1 << what)]) + data[at + 1 :]
    if change.how == "deep":
        return b'{"a":' * 20_000
    if change.how == "other":
        return (small_run("shot") / "shots" / "part-00000000.parquet").read_bytes()
    what = what if isinstance(what, bytes) else b""
    return {"cut": data[:at], "add": data + what}.get(change.how, data[:at] + what + data[at + len(what) :])


def _edit(path: Path, data: bytes, change: Change) -> None:
    try:
        told = json.loads(data)
        inner = told
        for key in change.where[:-1]:
            inner = inner[key]
        if change.how == "drop":
            del inner[change.where[-1]]
        else:
            inner[change.where[-1]] = change.what
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return  # the other change took it away
    path.write_text(json.dumps(told))


def laid(given: Spoilt, folder: Path) -> Path:
    """Copy the run and change it."""
    root = folder / "run"
    shutil.copytree(small_run(given.kind), root)
    (folder / OUTSIDE).mkdir()
    (folder / OUTSIDE / "kept").write_bytes(b"kept")
    (folder / OUTSIDE / "own.toml").write_text('extends = "icf"\n')
    for change in given.changes:
        spoil(root, change)
    if given.rehashed:
        try:
            told = json.loads((root / "manifest.json").read_bytes())
            told["study_hash"] = study_hash(told["study"])
            (root / "manifest.json").write_text(json.dumps(told))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
    return root


def outside(folder: Path) -> dict[str, bytes]:
    """Read what lies beside the run."""
    return {path.name: path.read_bytes() for path in (folder / OUTSIDE).rglob("*") if path.is_file()}


def _unharmed(act: Callable[[Spoilt, Path], None]) -> Callable[[Spoilt, Path], None]:
    """Look afterwards whether what lies beside the run is as it was."""

    def watched(given: Spoilt, folder: Path) -> None:
        root = laid(given, folder)
        before = outside(folder)
        try:
            act(given, root)
        finally:
            assert outside(folder) == before, "a file outside the run was changed"

    return watched


def _read(given: Spoilt, root: Path) -> None:
    """Read what can be read; rows that are read are those that were written."""
    run = cs.open_run(root)
    same = run.study == small_study(given.kind)
    repr(run)
    run.numbers()
    run.changed_versions()
    rows = pa.Table.from_batches(run.batches(), run.study.tables[0].arrow())
    if same and rows.num_rows:
        whole = pa.Table.from_batches(cs.open_run(small_run(given.kind)).batches())
        numbers = rows["row"].to_pylist() if "row" in rows.column_names else None
        if numbers is not None:
            assert rows.equals(whole.filter(pa.array([n in set(numbers) for n in whole["row"].to_pylist()])))
    run.row(0)
    run.summary().to_dict()


def _verify(given: Spoilt, root: Path) -> None:
    for problem in cs.open_run(root).verify(threads=1):
        assert problem.path
        assert problem.why


def _again(given: Spoilt, root: Path) -> None:
    """Let the run's own command mend what it can: then every part is as it was."""
    small_study(given.kind).run(root, workers=1)
    original = small_run(given.kind)
    for path in original.glob("*/*.parquet"):
        assert (root / path.relative_to(original)).read_bytes() == path.read_bytes(), path.name


def _compared(given: Spoilt, root: Path) -> None:
    cs.diff_runs(root, small_run(given.kind)).to_dict()


TARGETS = (
    Target("open_run", spoilt_runs(), _unharmed(_read)),
    Target("Run.verify", spoilt_runs(), _unharmed(_verify)),
    Target("run again", spoilt_runs().filter(lambda given: given.kind != "optimise"), _unharmed(_again)),
    Target("diff_runs", spoilt_runs(), _unharmed(_compared)),
)

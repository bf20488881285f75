"""What a soak writes: one JSON line per block that ended, its settings, and rows that can be played again.

A line is written at once and in one piece, so that a soak may be killed at any moment; a torn last line is as good as
none. Workers add to the same file.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import carromsim as cs
from carromsim_kernels.jit import source_digest
from soak.limits import Verdict
from soak.scenes import Block, Choice

Line = dict[str, Any]
"""Of the log: either of a block that was judged, or with the key "error"."""


class SettingsError(Exception):
    """The directory holds another soak."""


class Log(NamedTuple):
    """The files of a soak."""

    directory: Path

    @property
    def lines(self) -> Path:
        return self.directory / "blocks.jsonl"

    @property
    def worst(self) -> Path:
        return self.directory / "worst"

    def begin(self, choice: Choice) -> None:
        """Make the directory, or look whether it holds the same soak; mend a torn line."""
        self.worst.mkdir(parents=True, exist_ok=True)
        drawn = hashlib.sha256((Path(__file__).parent / "scenes.py").read_bytes()).hexdigest()[:12]
        settings = {**choice._asdict(), "kernels": source_digest(), "scenes": drawn}
        file = self.directory / "soak.json"
        if not file.exists():
            file.write_text(json.dumps(settings, indent=1) + "\n")
        elif (found := json.loads(file.read_text())) != settings:
            differ = ", ".join(f"{key} {found.get(key)!r}, now {settings[key]!r}" for key in settings
                               if found.get(key) != settings[key])  # fmt: skip
            raise SettingsError(f"{self.directory} holds another soak ({differ}): take another directory")
        if self.lines.exists() and not (text := self.lines.read_bytes()).endswith(b"\n"):
            os.truncate(self.lines, text.rfind(b"\n") + 1)

    def choice(self) -> Choice:
        """Return what the soak in the directory was begun with."""
        settings = json.loads((self.directory / "soak.json").read_text())
        return Choice(**{name: settings[name] for name in Choice._fields})

    def add(self, line: Line) -> None:
        """Append a line, in one piece, and see it onto the disk."""
        file = os.open(self.lines, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(file, json.dumps(line).encode() + b"\n")
            os.fsync(file)
        finally:
            os.close(file)

    def read(self) -> Iterator[Line]:
        """Give all whole lines, in order of time."""
        if self.lines.exists():
            for text in self.lines.read_bytes().split(b"\n")[:-1]:
                yield json.loads(text)

    def blocks(self) -> dict[int, Line]:
        """Return the lines of the blocks that were judged, by number."""
        return {line["block"]: line for line in self.read() if "error" not in line}

    def keep_row(self, name: str, block: Block, row: int, out: cs.Outcomes) -> None:
        """Write all that is needed to play a row again, should the drawing of blocks change."""
        equipment = {field.name: getattr(block.equipment, field.name) for field in fields(block.equipment)}
        told: dict[str, Any] = {"block": block.number, "row": row, "kind": block.kind, "status": int(out.status[row])}
        if block.strokes is not None:
            told |= {key: getattr(block.strokes, key)[row].item() for key in ("x", "angle", "speed", "spin", "seat")}
        told |= {"seed of jumps": block.number, "equipment": equipment}
        pos, vel, omega = (column[row] for column in block.begin)
        np.savez(self.worst / name, pos=pos, vel=vel, omega=omega, told=json.dumps(told))


def line_of(block: Block, verdict: Verdict, seconds: float, began: float) -> Line:
    """Return what the log says of a block; `began` is when its process did."""
    return {
        "block": block.number,
        "kind": block.kind,
        "contact": block.equipment.contact,
        "e_disc": float(block.equipment.e_disc),
        **verdict._asdict(),
        "seconds": round(seconds, 4),
        "process": [os.getpid(), round(began, 3)],
        "time": round(time.time(), 3),
        "rss": resident(),
    }


def resident() -> int:
    """Return the memory of this process that is resident now [bytes]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")

"""Read measurements: every mistake told at once, at its line; lists of repeats spread out into single measurements."""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from carromsim.calibration.kinds import FASTEST, FPS, KINDS, Kind, Quantity
from carromsim.calibration.measurements import Measurement, Measurements
from carromsim.equipment import PRESETS, STRIKER, WHITE, Equipment
from carromsim.equipment_files import describe
from carromsim.lines import is_line
from carromsim.toml import DeclarationError, mistake, parse, read_text, unknown_key
from carromsim.toml_lines import key_lines, line_of

GENERAL = ("name", "equipment", "fps")

_CAP_ERROR = 0.01
"""Error of "at most so fast" [m/s]: it is an assumption, and as sharp as it is told."""

_LEAST_ERROR = 1e-9
"""Standard error that is accepted, in the unit of the key."""

_MOST = 1000
"""Measurements in a file: the fit has one or two unknowns for each."""

Lines = Mapping[tuple[str, ...], int]


def from_file(path: Path) -> Measurements:
    """Read a TOML file, as `Measurements.load` explains."""
    text = read_text(path)
    return _Reader(parse(text, str(path)), str(path), key_lines(text), path.parent).measurements()


def from_mapping(given: Mapping[str, Any]) -> Measurements:
    """Read what a file would say, as `Measurements.from_dict` explains."""
    return _Reader(given, "measurements", None, Path()).measurements()


@dataclass(frozen=True)
class _Form:
    """What a key means: a quantity in some unit, its standard error, or a word."""

    name: str
    role: str  # "values", "errors", "given" or "words"
    unit: str = ""
    scale: float = 1.0
    low: float = 0.0  # in the unit
    high: float = 0.0


@dataclass(frozen=True)
class _Block:
    """A table of a file: one kind of measurement, perhaps with lists of repeats."""

    kind: str
    path: tuple[str, ...]  # where its keys stand in the file
    label: str  # what messages call it
    keys: dict[tuple[str, str], str] = field(default_factory=dict)  # by role and name, as the file spells them
    numbers: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: {"values": {}, "errors": {}, "given": {}}
    )
    words: dict[str, str] = field(default_factory=dict)


class _Reader:
    """Turns what was given into measurements and notes every mistake on the way."""

    def __init__(self, given: Mapping[str, Any], source: str, lines: Lines | None, folder: Path) -> None:
        self.given, self.source, self.lines, self.folder = given, source, lines, folder
        self.problems: list[tuple[int, str]] = []

    def measurements(self) -> Measurements:
        """Give the measurements, or raise with all mistakes in the order of their lines."""
        equipment, origin = self._equipment()
        name, fps = self._name(), self._fps()
        rows: list[Measurement] = []
        for key, value in self.given.items():
            if key in KINDS:
                for number, table in enumerate(self._tables(key, value)):
                    rows += self._block(key, number, table, fps, equipment)
            elif key not in GENERAL:
                self._note(unknown_key(key, [*KINDS, *GENERAL]), (key,), (key,))
        if not rows and not self.problems:
            self._note(f"there is no measurement; a file has at least one of {', '.join(f'[[{k}]]' for k in KINDS)}")
        if len(rows) > _MOST:
            self._note(f"{len(rows):,} measurements: at most {_MOST:,} are fitted")
        if self.problems:
            raise DeclarationError(text for _, text in sorted(self.problems, key=lambda problem: problem[0]))
        return Measurements(tuple(rows), equipment, origin, name)

    def _note(self, text: str, shown: tuple[str, ...] = (), at: tuple[str, ...] = (), value: Any = None) -> None:
        """Note a mistake about the key `shown`, at the line of the path `at`."""
        line = 0 if self.lines is None else line_of(self.lines, *at)
        told = mistake(self.source, line, text, *shown, value=value)
        self.problems.append((line, told if line else told.replace(f"{self.source}:0:", f"{self.source}:", 1)))

    def _equipment(self) -> tuple[Equipment, str | Path | None]:
        said = self.given.get("equipment", "icf")
        if isinstance(said, Equipment):
            return said, None
        try:
            described = describe(said, self.folder)
        except DeclarationError as error:
            for text in error.problems:
                self._note(text, ("equipment",), ("equipment",), said)
        except (ValueError, TypeError) as error:
            text = str(error) if isinstance(said, str) else "must be a preset or a file"
            self._note(text, ("equipment",), ("equipment",), said)
        else:
            return described.equipment, said if said in PRESETS else self.folder / said
        return Equipment.preset("icf"), "icf"

    def _name(self) -> str:
        name = self.given.get("name", "my board")
        if isinstance(name, str) and is_line(name):
            return name
        self._note("must be a line of text", ("name",), ("name",), name)
        return ""

    def _fps(self) -> float:
        fps = self.given.get("fps", FPS)
        if _is_number(fps) and 1.0 <= fps <= 1e6:
            return float(fps)
        self._note("must be from 1 to 1000000 frames/s", ("fps",), ("fps",), fps)
        return FPS

    def _tables(self, key: str, value: Any) -> list[Mapping[str, Any]]:
        tables = [value] if isinstance(value, Mapping) else value
        if isinstance(tables, list | tuple) and all(isinstance(table, Mapping) for table in tables):
            return list(tables)
        self._note(f"must be a table, [[{key}]]", (key,), (key,), value)
        return []

    def _block(
        self, kind: str, number: int, table: Mapping[str, Any], fps: float, equipment: Equipment
    ) -> list[Measurement]:
        """Read one table."""
        block, before = _Block(kind, (kind, str(number)), f"{kind} {number + 1}"), len(self.problems)
        forms = _forms(KINDS[kind], fps)
        for key, value in table.items():
            form = forms.get(key)
            if form is None:
                self._note_in(block, unknown_key(key, forms), key)
            elif (form.role, form.name) in block.keys:
                self._note_in(block, f"says the same as {block.keys[form.role, form.name]}: leave one out", key)
            else:
                block.keys[form.role, form.name] = key
                self._take(block, form, key, value)
        self._check(block)
        if len(self.problems) > before:
            return []
        line = f", line {line_of(self.lines, *block.path)}" if self.lines is not None else ""
        return list(_spread(block, equipment, line))

    def _note_in(self, block: _Block, text: str, key: str | None = None, value: Any = None) -> None:
        shown, at = ((block.label,), block.path) if key is None else ((block.label, key), (*block.path, key))
        self._note(text, shown, at, value)

    def _take(self, block: _Block, form: _Form, key: str, value: Any) -> None:
        """Take the value of a known key."""
        if form.role == "words":
            if value not in ("striker", "man"):
                self._note_in(block, 'must be "striker" or "man"', key, value)
            block.words[form.name] = value
        elif form.name == "at_least":
            if not isinstance(value, bool):
                self._note_in(block, "must be true or false", key, value)
            block.numbers["given"]["at_least"] = [float(value is True)]
        else:
            value = value.tolist() if isinstance(value, np.ndarray) else value
            several = list(value) if isinstance(value, list | tuple) else [value]
            wrong = [number for number in several if not (_is_number(number) and form.low <= number <= form.high)]
            if wrong or not several:
                unit = f" {form.unit}" if form.unit else ""
                hint = f"; {key}_deg is in degrees" if form.unit == "rad" and not key.endswith("_se") else ""
                allowed = f"must be a number from {form.low:.6g} to {form.high:.6g}{unit}, or a list of them{hint}"
                self._note_in(block, allowed, key, wrong[0] if wrong else value)
                several = [form.low]  # stands in for it, so that nothing is told to be missing
            block.numbers[form.role][form.name] = [number * form.scale for number in several]

    def _check(self, block: _Block) -> None:
        """Note what is missing, too much, or does not fit together."""
        values, errors, given = (block.numbers[role] for role in ("values", "errors", "given"))
        missing = KINDS[block.kind].missing(values.keys() | given.keys())
        if missing:
            self._note_in(block, missing)
        for name in errors.keys() - values.keys():
            self._note_in(block, f"is the error of {name}, which is not there", block.keys["errors", name])
        lengths = {
            block.keys[role, name]: len(numbers)
            for role, inner in block.numbers.items()
            for name, numbers in inner.items()
            if len(numbers) > 1
        }
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{key} has {length}" for key, length in lengths.items())
            self._note_in(block, f"lists must be equally long: {told}")
        elif {"speed_in", "speed_out"} <= values.keys():
            for came, left in np.broadcast(values["speed_in"], values["speed_out"]):
                if left > 1.3 * came:
                    self._note_in(block, f"{left:g} m/s after {came:g} m/s: are they swapped?", "speed_out")
                    break


def _spread(block: _Block, equipment: Equipment, line: str) -> Iterator[Measurement]:
    """Yield one measurement for each entry of the lists."""
    kind = KINDS[block.kind]
    count = max(len(numbers) for inner in block.numbers.values() for numbers in inner.values())
    for k in range(count):
        values, errors, given = (
            {name: numbers[k % len(numbers)] for name, numbers in block.numbers[role].items()}
            for role in ("values", "errors", "given")
        )
        errors = {name: errors.get(name, kind.measured[name].standard_error(value)) for name, value in values.items()}
        given = {"over_time": 0.0, **_discs(block, equipment), **given}
        if block.kind == "hit":
            given["by_distance"] = float(values.keys() <= {"distance", "target_distance"})
        if block.kind == "runs":
            _bound(values, errors, given)
        entry = f", entry {k + 1}" if count > 1 else ""
        yield Measurement(block.kind, f"{block.label}{entry}{line}", values, errors, given)


def _discs(block: _Block, equipment: Equipment) -> dict[str, float]:
    """Give what the equipment says of the discs of a measurement."""
    words = {**KINDS[block.kind].discs, **block.words}
    index = {name: STRIKER if word == "striker" else WHITE.start for name, word in words.items()}
    if block.kind == "hit":
        return {"mass": equipment.mass[index["disc"]], "target_mass": equipment.mass[index["target"]]}
    return {"target_radius": equipment.radius[index["target"]]} if block.kind == "cut" else {}


def _bound(values: dict[str, float], errors: dict[str, float], given: dict[str, float]) -> None:
    """Complete a run test: where the speed is unknown, the fastest possible stroke makes at least so many runs."""
    given["seen"] = values["runs"]
    fastest = given.pop("speed_at_most", FASTEST)
    given.setdefault("at_least", 0.0)
    if "speed" not in values:
        values["speed"], errors["speed"], given["at_least"] = fastest, _CAP_ERROR, 1.0


def _forms(kind: Kind, fps: float) -> dict[str, _Form]:
    """Give all keys that a table of a kind may have."""
    forms: dict[str, _Form] = {}
    for role, quantities in (("values", kind.measured), ("given", kind.given)):
        for name, quantity in quantities.items():
            for key, unit, scale in _spellings(name, quantity, fps):
                low, high = quantity.low / scale, quantity.high / scale
                forms[key] = _Form(name, role, unit, scale, low, high)
                if role == "values":
                    forms[f"{key}_se"] = _Form(name, "errors", unit, scale, _LEAST_ERROR, high - low)
    if kind is KINDS["runs"]:
        forms["at_least"] = _Form("at_least", "given")
    return forms | {name: _Form(name, "words") for name in kind.discs}


def _spellings(name: str, quantity: Quantity, fps: float) -> Iterator[tuple[str, str, float]]:
    """Yield the keys of a quantity, each with its unit and that unit in SI."""
    yield name, quantity.unit, 1.0
    if quantity.unit == "rad":
        yield f"{name}_deg", "degrees", math.radians(1.0)
    if name.endswith("time"):
        yield f"{name.removesuffix('time')}frames", "frames", 1.0 / fps


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max

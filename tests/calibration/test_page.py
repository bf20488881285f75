"""docs/calibrate.md tells the truth: its files can be calibrated, its tables are right."""

import math
import re
from pathlib import Path

import pytest

import carromsim as cs
from carromsim.calibration.kinds import KINDS
from carromsim.calibration.measurements import Measurements

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "calibrate.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def rows(heading: str) -> list[list[str]]:
    """Cells of the table that begins with a heading."""
    table = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_its_measurements_can_be_calibrated(tmp_path: Path) -> None:
    (tmp_path / "film.toml").write_text("\n".join(blocks("toml")))
    film = Measurements.load(tmp_path / "film.toml")
    assert {row.kind for row in film.rows} == set(KINDS)
    result = cs.calibrate(film)
    assert {one.status for one in result.found.values()} == {"found"}
    assert result.widened == 1.0


def test_its_standard_errors_are_the_defaults() -> None:
    told = {key: error for keys, error, _ in rows("key") for key in keys.split(", ")}
    meant = {}
    for kind in KINDS.values():
        for key, quantity in kind.measured.items():
            degrees = quantity.unit == "rad"
            error = math.degrees(quantity.error) if degrees else quantity.error
            unit = "degrees" if degrees else quantity.unit
            parts = [f"{error:.3g} {unit}".strip()] if error else []
            meant[key] = " and ".join([*parts, *([f"{100 * quantity.share:g} %"] if quantity.share else [])])
    assert told == meant


def test_its_intervals_are_what_repeats_give() -> None:
    """The table of half widths, for ten repeats."""
    slowing = 0.1 * 9.80665
    ways = {
        target: [(v * share) ** 2 / (2.0 * slowing) for share in shares]
        for target, v, shares in (
            ("striker", 0.75, ((15 - 0.85 * 5.25) / 20.25, 1.85 * 15 / 20.25)),
            ("man", 0.8, (0.075, 0.925)),
        )
    }
    speeds = [1.5, 1.5 * (15 - 0.85 * 5.25) / 20.25, 1.5 * 1.85 * 15 / 20.25]
    throw = math.atan(0.15)
    films = {
        "slide, way and time": {"slide": {"distance": 0.5 / slowing, "time": 1.0 / slowing}},
        "slide, speed and way": {"slide": {"distance": 0.5 / slowing, "speed": 1.0}},
        "straight rebound": {"cushion": {"speed_in": 1.5, "speed_out": 1.05}},
        "slanting rebound": {"cushion": {"speed_in": 1.0, "speed_out": 0.7, "along_in": 1.8, "along_out": 1.63}},
        "hit, striker on man, two": {"hit": dict(zip(("distance", "target_distance"), ways["striker"], strict=True))},
        "hit, striker on man, three": {"hit": dict(zip(("speed", "speed_after", "target_speed"), speeds, strict=True))},
        "hit, man on man": {"hit": dict(zip(("distance", "target_distance"), ways["man"], strict=True), disc="man")},
        "cut, throw": {"cut": {"cut_deg": 58.0, "throw": throw}},
        "cut, spin": {"cut": {"cut_deg": 58.0, "target_speed": 1.3, "spin": 2.6 * math.sin(throw) / 0.0155}},
    }
    table = rows("coefficient")
    assert len(table) == len(films)
    for name, source, *_, told in table:
        (film,) = (film for start, film in films.items() if source.startswith(start))
        ((kind, numbers),) = film.items()
        repeats = {kind: {key: v if isinstance(v, str) else [v] * 10 for key, v in numbers.items()}}
        one = cs.calibrate(Measurements.from_dict(repeats)).found[name]
        assert (one.high - one.low) / 2.0 == pytest.approx(float(told), rel=0.12), source

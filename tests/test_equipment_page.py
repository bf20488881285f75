"""docs/equipment.md says what the code says, and its files are valid."""

import importlib.util
import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import carromsim as cs
from carromsim_kernels.state import EventKind

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "equipment.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_equipment", DOCS / "draw_equipment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)  # it imports its neighbour
        spec.loader.exec_module(module)
    return module


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_table_of_fields_is_that_of_the_class(script: ModuleType) -> None:
    assert script.filled(PAGE, "fields", script.field_table()) == PAGE, "run python docs/draw_equipment.py"
    rows = re.findall(r"^\| `(\w+)` \| .*? \| .*? \| .*? \| (.*?) \|$", script.field_table(), flags=re.MULTILINE)
    assert [name for name, _ in rows] == [field.name for field in fields(cs.Equipment)]
    assert all(len(meaning) > 10 and "[" not in meaning for _, meaning in rows)


def test_the_tables_of_surfaces_and_presets_are_those_of_the_code() -> None:
    for kind in cs.SURFACES.values():
        assert f"| `{kind.name}` | {kind.mu:.2f} | {kind.low:.2f} to {kind.high:.2f} | {kind.what} |" in PAGE
    assert re.findall(r"^\| `(\w+)` \| [A-Z]", PAGE, flags=re.MULTILINE)[:4] == ["icf", "ukca", "caint", "bell"]


def test_the_board_of_the_page_is_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    board, study = blocks("toml")
    Path("home.toml").write_text(board)
    home = cs.Equipment.load("home.toml")
    assert (home.name, home.side, home.corner, home.mu_surface) == ("home", 0.735, "cut_away", 0.1)
    assert home.end_circle_guard is None
    Path("study.toml").write_text(study)
    assert cs.load_study("study.toml").mu_surface == cs.Uniform(0.05, 0.13)


def test_the_picture_is_drawn_and_small(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "PICTURE", tmp_path / "new.png")
    script.draw()
    for picture in (tmp_path / "new.png", DOCS / "equipment.png"):
        assert picture.read_bytes()[:4] == b"\x89PNG"
        assert picture.stat().st_size < 200_000


@pytest.mark.parametrize("corner", ["rounded", "right_angled", "cut_away"])
@pytest.mark.parametrize("disc", [cs.STRIKER, cs.QUEEN])
def test_a_disc_in_the_corner_is_drawn_where_it_meets_the_frame(script: ModuleType, corner: str, disc: int) -> None:
    board = cs.Equipment.preset("icf").replace(corner=corner, pocket_radius=0.0)
    pos, vel = np.full((20, 2), np.nan), np.zeros((20, 2))
    pos[disc], vel[disc] = 0.3, 1.0
    out = cs.simulate_motion(pos, vel, np.zeros(20), equipment=board)
    hit = next(event["t"] for event in out.events(0) if event["kind"] == EventKind.CUSHION_HIT)
    there = cs.simulate_motion(pos, vel, np.zeros(20), equipment=board, until=hit).pos[0, disc]
    drawn = 0.370 - script._from_corner(board, board.radius[disc])
    assert there == pytest.approx([drawn, drawn], abs=1e-9)

"""Boards and strokes on matplotlib axes: against kept pictures, and what their parts say."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images

import carromsim as cs
from carromsim.viz import draw_before_after, draw_position, draw_trajectory
from carromsim_kernels.state import EventKind

HERE = Path(__file__).parent
TOLERANCE = 1.0
"""Root mean square of 256 grey levels that versions of the rasteriser may differ by; a disc 1 mm off gives more."""


def pictures() -> ModuleType:
    """Load the script that draws the baselines."""
    spec = importlib.util.spec_from_file_location("pictures", HERE / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = pictures()


@pytest.mark.parametrize("name", SCRIPT.PICTURES)
def test_a_picture_looks_as_it_did(name: str, tmp_path: Path) -> None:
    drawn = SCRIPT.save(name, tmp_path)
    baseline = SCRIPT.BASELINE / drawn.name
    assert compare_images(str(baseline), str(drawn), TOLERANCE) is None


def test_the_comparison_sees_a_disc_that_is_one_millimetre_off(tmp_path: Path) -> None:
    figure, (ax,) = SCRIPT.figure()
    pos = cs.opening("icf").pos.copy()
    pos[7] += 0.001
    draw_position(cs.Layout(pos), ax=ax)
    figure.savefig(tmp_path / "moved.png")
    found = compare_images(str(SCRIPT.BASELINE / "icf_light.png"), str(tmp_path / "moved.png"), TOLERANCE)
    assert found is not None


def test_every_baseline_is_compared() -> None:
    assert {path.stem for path in SCRIPT.BASELINE.glob("*.png")} == set(SCRIPT.PICTURES)


def test_axes_are_made_if_none_are_given_and_are_in_metres() -> None:
    plt.switch_backend("Agg")
    plt.close("all")  # what other files left open
    ax = draw_position(cs.opening("bell", n=1), equipment="bell", theme="dark")
    assert ax.get_xlim() == pytest.approx((-0.4335, 0.4335))
    assert ax.get_aspect() == 1.0
    assert ax.figure.get_facecolor() == pytest.approx(plt.matplotlib.colors.to_rgba("#15161a"))
    before, after = draw_before_after(SCRIPT.followed())
    assert before.figure is after.figure
    assert plt.get_fignums() == [1, 2]
    plt.close("all")


def test_a_picture_shows_one_row_in_one_of_two_themes() -> None:
    ax = Figure().add_subplot()
    with pytest.raises(ValueError, match=r"layout has 3 rows: a picture shows one, such as Layout\(layout.pos\[0\]\)"):
        draw_position(cs.opening("icf", n=3), ax=ax)
    with pytest.raises(ValueError, match="theme = 'blue': must be 'light' or 'dark'"):
        draw_position(cs.opening("icf"), ax=ax, theme="blue")


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for draw in (
        lambda: draw_position(cs.opening("icf")),
        lambda: draw_trajectory(None),
        lambda: draw_before_after(None),
    ):
        with pytest.raises(ImportError, match=r"pip install 'carromsim\[viz\]'"):
            draw()


def test_ways_begin_and_end_where_the_discs_do() -> None:
    trajectory = SCRIPT.followed()
    ax = draw_trajectory(trajectory, ax=Figure().add_subplot(), events=False)
    moved = [disc for disc in range(20) if len(trajectory.knots[disc]) > 1]
    assert len(ax.lines) == len(moved) >= 2
    for disc, line in zip(moved, ax.lines, strict=True):
        way = np.asarray(line.get_xydata())
        np.testing.assert_allclose(way[0], trajectory.knots[disc][0, 1:3], atol=1e-12)
        end = trajectory.outcome.pos[0, disc]
        if np.isfinite(end).all():
            np.testing.assert_allclose(way[-1], end, atol=1e-9)
        for knot in trajectory.knots[disc]:  # none left out, jumps neither
            assert np.hypot(*(way - knot[1:3]).T).min() < 1e-9
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["striker", "white"]


def test_events_are_marked_where_they_happen() -> None:
    trajectory = SCRIPT.followed()
    ax = draw_trajectory(trajectory, ax=Figure().add_subplot())
    events, board = trajectory.events, trajectory.equipment
    marks = [drawn for drawn in ax.collections if type(drawn) is PathCollection]
    kinds = [kind for kind in EventKind if (events["kind"] == kind).any()]
    assert EventKind.POCKETING in kinds
    assert EventKind.CUSHION_HIT in kinds
    assert [len(mark.get_offsets()) for mark in marks] == [np.count_nonzero(events["kind"] == kind) for kind in kinds]
    hits, cushions, falls = (np.asarray(mark.get_offsets()) for mark in marks[:3])
    (hit,) = events[events["kind"] == EventKind.DISC_HIT][:1]
    both = trajectory.at(hit["t"])[[hit["a"], hit["b"]]]
    np.testing.assert_allclose(np.hypot(*(both - hits[0]).T), board.radius[[hit["a"], hit["b"]]], atol=1e-4)
    touching = board.side / 2 - board.radius[events["a"][events["kind"] == EventKind.CUSHION_HIT]]
    np.testing.assert_allclose(np.abs(cushions).max(axis=1), touching, atol=1e-4)
    assert np.hypot(*(np.abs(falls[0]) - (board.side / 2 - board.pocket_offset))) < board.pocket_radius


def test_the_titles_of_before_and_after_say_what_happened() -> None:
    before, after = draw_before_after(SCRIPT.followed(), axes=Figure().subplots(1, 2))
    assert before.get_title() == "before: 3.00 m/s"
    assert after.get_title().endswith("pocketed: 1 white")

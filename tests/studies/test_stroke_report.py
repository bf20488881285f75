"""One stroke in words and in JSON, and nothing that did not happen."""

import math

import numpy as np
import pytest
from rich.console import Console

from carromsim.layouts import Layout, arrange
from carromsim.outcomes import Outcomes
from carromsim.simulation import simulate, simulate_motion
from carromsim.strokes import Strokes
from carromsim.studies.stroke_report import stroke_dict, stroke_report
from carromsim_kernels.state import EventKind, Status

POSITION = arrange(queen=(0.0, 0.0), white=[None, (0.3, 0.3)], black=[(0.0, 0.1)])


def text_of(out: Outcomes, row: int = 0) -> str:
    console = Console(width=80, highlight=False, force_terminal=False)
    with console.capture() as capture:
        console.print(stroke_report(out, row))
    return capture.get()


@pytest.fixture(scope="module")
def out() -> Outcomes:
    """Two strokes; the second goes to the top right, where a white man waits before the pocket."""
    angle = [math.pi / 2, math.atan2(0.3 + 0.2526, 0.3)]
    return simulate(POSITION, Strokes(x=0.0, angle=angle, speed=[3.0, 1.2]), record=True)


def test_events_are_named_in_order(out: Outcomes) -> None:
    for row in (0, 1):
        recorded, told = out.events(row), stroke_dict(out, row)
        assert told["status"] == "ok"
        assert told["duration"] == out.duration[row]
        assert [event["time"] for event in told["events"]] == recorded["t"].tolist()
        kinds = [EventKind(kind).name.lower() for kind in recorded["kind"]]
        assert [event["kind"] for event in told["events"]] == kinds
    first = stroke_dict(out, 0)["events"][0]
    assert (first["kind"], first["disc"], first["other"], first["pocket"]) == ("disc_hit", "striker", "queen", None)


def test_a_pocketing_names_the_pocket(out: Outcomes) -> None:
    told = stroke_dict(out, 1)
    (fell,) = [event for event in told["events"] if event["kind"] == "pocketing" and event["disc"] == "white 2"]
    assert fell["pocket"] == "top right"
    (white,) = [disc for disc in told["discs"] if disc["disc"] == "white 2"]
    assert (white["x"], white["y"], white["pocket"]) == (None, None, "top right")
    assert white["pocket_time"] == fell["time"] == out.pocket_time[1, 3]
    assert f"{fell['time']:.4f} s  pocketing" in text_of(out, 1)
    assert f"top right at {fell['time']:.4f} s" in text_of(out, 1)


def test_the_final_position_has_every_disc_that_took_part(out: Outcomes) -> None:
    told = stroke_dict(out, 0)["discs"]
    assert [disc["disc"] for disc in told] == ["striker", "queen", "white 2", "black 1"]
    for disc, index in zip(told, (0, 1, 3, 11), strict=True):
        if disc["pocket"] is None:
            assert (disc["x"], disc["y"]) == tuple(out.pos[0, index])
    assert "300.0 mm" in next(line for line in text_of(out).splitlines() if line.startswith("white 2"))


def test_text_ends_with_the_count(out: Outcomes) -> None:
    assert text_of(out).splitlines()[-1] == f"{out.n_events[0]} events, {out.duration[0]:.3f} s"


def test_a_stroke_without_events() -> None:
    pos = np.full((20, 2), np.nan)
    pos[1] = (-0.00001, 0.1)
    still = simulate_motion(pos, np.zeros((20, 2)), np.zeros(20))
    assert stroke_dict(still)["events"] == []
    assert text_of(still).splitlines()[-1] == "0 events, 0.000 s"
    assert "-0.0" not in text_of(still)


def test_a_row_that_failed_has_no_outcome() -> None:
    overlapping = Layout(np.stack([POSITION.pos, arrange(queen=(0, 0), white=[(0.01, 0.0)]).pos]))
    failed = simulate(overlapping, Strokes(x=0.0, speed=1.0), record=True)
    assert failed.status[1] == Status.START_OVERLAP
    assert stroke_dict(failed, 1) == {"status": "start_overlap", "duration": None, "events": [], "discs": []}
    assert text_of(failed, 1).strip() == "no outcome: start overlap"


def test_events_must_have_been_recorded() -> None:
    with pytest.raises(ValueError, match="record=True"):
        stroke_dict(simulate(POSITION, Strokes(x=0.0, speed=1.0)))

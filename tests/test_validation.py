"""The validation on small sizes: its parts pass, and each of them fails when the package and its judge disagree."""

import dataclasses
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from validation import __main__ as command  # noqa: E402
from validation import (  # noqa: E402
    break_part,
    breaks,
    collisions,
    exact,
    pymunk_strokes,
    pymunk_world,
    report,
    stopping,
    strokes,
)

PAGE = ROOT / "docs" / "validation.md"


def failed(part: report.Part) -> list[str]:
    return [verdict.what for verdict in part.verdicts if not verdict.passed]


def a_part(value: float = 0.0) -> report.Part:
    return report.Part("a part", "text", [report.Verdict("a number", value, 1.0, "m")])


@pytest.mark.parametrize("value", [1.5, -1.5, math.nan, math.inf])
def test_what_is_too_large_or_no_number_misses(value: float) -> None:
    assert not a_part(value).passed
    assert a_part(1.0).passed
    assert a_part(-1.0).passed


def test_a_part_without_demands_proves_nothing() -> None:
    assert not report.Part("a part", "text", []).passed


def test_stopping_passes_and_sees_a_law_that_is_off_by_a_millionth(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failed(stopping.run(quick=True)) == []
    monkeypatch.setattr(stopping, "_slide", _slide_with_more_friction(stopping._slide))
    assert "stopping time" in failed(stopping.run(quick=True))
    assert "stopping distance" in failed(stopping.run(quick=True))


def _slide_with_more_friction(slide):  # type: ignore[no-untyped-def]
    return lambda v, omega, radius, mu, until=np.inf: slide(v, omega, radius, mu * (1.0 + 1e-6), until)


@pytest.mark.parametrize("change", [{"e": 1e-6}, {"mu": 1e-6}, {"beta": 1e-6}, {"v_c": 1e-6}])
def test_collisions_pass_and_see_a_coefficient_that_is_off(
    change: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failed(collisions.run(quick=True)) == []
    original = exact.impulse

    def impulse(g_n, g_t, m_n, contact):  # type: ignore[no-untyped-def]
        ((name, more),) = change.items()
        return original(g_n, g_t, m_n, dataclasses.replace(contact, **{name: getattr(contact, name) + more}))

    monkeypatch.setattr(exact, "impulse", impulse)
    assert len(failed(collisions.run(quick=True))) == 6


def test_a_row_that_the_package_gives_up_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    play = collisions._play

    def give_up(eq, cases):  # type: ignore[no-untyped-def]
        outcomes = play(eq, cases)
        outcomes.status[:1] = 1
        return outcomes

    monkeypatch.setattr(collisions, "_play", give_up)
    assert len(failed(collisions.run(quick=True))) == 6


def test_strokes_pass_and_see_a_package_that_brakes_spin_and_travel_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    simple = strokes.all_strokes()
    chosen = [s for s in simple if s.name.startswith(("slide, 1", "cut 30°", "cushion at 30°"))]
    monkeypatch.setattr(strokes, "all_strokes", lambda: chosen)
    assert failed(pymunk_strokes.run(quick=True)) == []
    monkeypatch.setattr(
        pymunk_strokes, "_in_package", lambda begun: np.array([strokes.ends(s, strokes.Uncoupled) for s in begun])
    )
    assert failed(pymunk_strokes.run(quick=True)) == ["carromsim, places of rest"]


def test_pymunk_is_set_up_rightly_for_it_tends_to_its_own_law_with_smaller_steps() -> None:
    (stroke,) = (s for s in strokes.all_strokes() if s.name.startswith("cushion at 60°"))
    ((x, y),) = strokes.ends(stroke, strokes.Uncoupled)
    coarse, fine = (np.hypot(*np.subtract(pymunk_world.ends(stroke, dt)[0], (x, y))) for dt in (1e-3, 1e-4))
    assert fine < 2e-4 < coarse < 2e-3


def test_the_straight_stroke_ends_where_its_runs_add_up_to() -> None:
    """The striker's runs of law A.1: v^2 falls by 2 mu g L along a run and by the factor e^2 at a cushion."""
    (stroke,) = (s for s in strokes.all_strokes() if s.name.startswith("straight"))
    limit, square, y, forward = 0.5 * stroke.side - stroke.discs[0].radius, 36.0, strokes.BASE_LINE, 1.0
    loss = 2.0 * strokes.MU_SURFACE * strokes.GRAVITY
    while square > loss * (limit - forward * y):
        square = strokes.ON_CUSHION.e**2 * (square - loss * (limit - forward * y))
        y, forward = forward * limit, -forward
    ((_, end),) = strokes.ends(stroke)
    assert end == pytest.approx(y + forward * square / loss, abs=1e-12)


def test_a_few_breaks_agree_with_the_reference_but_sequential_ones_of_a_touching_pack_do_not() -> None:
    found = breaks.run_breaks(rows=4, gaps=(0.0, break_part.WIDE_GAP))
    steps = breaks.Refined(*np.zeros((3, 4)))
    # Four breaks say nothing about men pocketed.
    assert [what for what in missed(found, steps) if "pocketed" not in what] == []
    sequential = {**found[0.0], "compliant, hertz": found[0.0]["sequential"]}
    wrong = missed({**found, 0.0: sequential}, steps)
    assert "touching, compliant less reference, hertz: energy kept" in wrong
    assert "touching, compliant less reference, hertz: striker's velocity along its path" in wrong


def missed(found: break_part.Found, steps: breaks.Refined) -> list[str]:
    return [verdict.what for verdict in break_part.verdicts(found, steps) if not verdict.passed]


def some_breaks(pocketed: list[int], energy: float = 0.5) -> breaks.Played:
    n = len(pocketed)
    same = np.full(n, 0.5)
    return breaks.Played(np.full(n, energy), same, same, np.zeros((n, 4)), np.array(pocketed), np.ones((n, 20, 2)))


def test_every_demand_on_breaks_can_be_missed() -> None:
    one, more, stronger = some_breaks([0, 1, 0, 1]), some_breaks([1, 2, 2, 1]), some_breaks([0, 1, 0, 1], 0.53)
    models = dict.fromkeys(break_part.MODELS, one)
    small = breaks.Refined(*np.zeros((3, 4)))
    assert missed({0.0: models, break_part.WIDE_GAP: models}, small) == []
    for gap, name, what in (
        (0.0, "compliant, hertz", "touching, compliant less reference, hertz: "),
        (0.0, "compliant, linear", "touching, compliant less reference, linear: "),
        (break_part.WIDE_GAP, "sequential", "0.5 mm, compliant less sequential, hertz: "),
    ):
        for other, word in ((more, "men pocketed, 2 standard errors"), (stronger, "energy kept")):
            found = {0.0: models, break_part.WIDE_GAP: models, gap: {**models, name: other}}
            assert missed(found, small) == [what + word]
    assert len(missed({0.0: models, break_part.WIDE_GAP: models}, breaks.Refined(*np.full((3, 4), 0.01)))) == 2


def test_the_command_writes_the_page_and_tells_of_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figure, (axis,) = report.new_figure("A picture")
    axis.plot([0.0, 1.0])
    good = dataclasses.replace(a_part(), figures={"picture": figure}, tables=[report.Table("A table.", ["x"], [["1"]])])
    page = tmp_path / "page.md"
    monkeypatch.setattr(command, "PARTS", (lambda quick: good,))
    assert command.main(["--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "![A picture](page/picture.png)" in text
    assert "MISSED" not in text
    assert (tmp_path / "page" / "picture.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(command, "PARTS", (lambda quick: good, lambda quick: a_part(2.0)))
    assert command.main(["--page", str(page)]) == 1
    assert "**MISSED**" in page.read_text(encoding="utf-8")
    assert "a number: 2 m, tolerance 1" in capsys.readouterr().out


def test_the_committed_page_is_whole() -> None:
    text = PAGE.read_text(encoding="utf-8")
    pictures = re.findall(r"\]\((validation/\w+\.png)\)", text)
    assert len(pictures) >= 6
    assert {PAGE.parent / name for name in pictures} == set((PAGE.parent / "validation").iterdir())
    assert all((PAGE.parent / name).stat().st_size < 150_000 for name in pictures)
    assert "What is not validated" in text
    assert "MISSED" not in text

"""The comparison with other programs, without them: closed forms, arithmetic, children, and the fall into a pocket."""

import importlib
import json
import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import carromsim as cs

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"
CHILD = """
from conversation import serve
serve("fake 1.0", lambda request: {"seconds": 0.01 * len(request["strokes"]), "events": 7,
                                   "ends": [[None, None, [0.0, 0.0]]] * len(request["strokes"])})
"""


@pytest.fixture(autouse=True)
def _on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts import one another as a child finds them: by the folder they are in."""
    monkeypatch.syspath_prepend(PEERS)
    monkeypatch.setenv("PYTHONPATH", str(PEERS))


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.fixture
def child(tmp_path: Path) -> Path:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    return script


def board(**changes: float) -> dict[str, float]:
    plane = {"mu_surface": 0.1, "gravity": 10.0, "striker_radius": 0.02, "man_radius": 0.03, "e_disc": 0.5}
    return plane | {"striker_mass": 3.0, "man_mass": 1.0} | changes


def test_a_disc_alone_slides_as_far_as_its_energy_lasts() -> None:
    (end,) = module("closed_forms").disc_ends(board(), {"speed": 2.0, "angle": 0.0}, None)
    assert end == pytest.approx((2.0, 0.0), abs=1e-15)  # v^2 / 2 = mu g s


def test_a_head_on_hit_obeys_momentum_and_restitution() -> None:
    # 0.95 m of way take 1.9 of v^2 = 5.9, so that the striker hits at 2 m/s: then 5/4 and 9/4 m/s.
    ends = module("closed_forms").disc_ends(board(), {"speed": math.sqrt(5.9), "angle": 0.5 * math.pi}, (0.0, 1.0))
    assert ends[0] == pytest.approx((0.0, 0.95 + 1.25**2 / 2.0), abs=1e-12)
    assert ends[1] == pytest.approx((0.0, 1.0 + 2.25**2 / 2.0), abs=1e-12)


def test_a_cut_sends_the_man_along_the_line_of_centres() -> None:
    aside = 0.05 * math.sin(math.radians(30.0))
    striker, man = module("closed_forms").disc_ends(board(), {"speed": 2.0, "angle": 0.5 * math.pi}, (aside, 1.0))
    assert math.degrees(math.atan2(man[0] - aside, man[1] - 1.0)) == pytest.approx(30.0, abs=1e-9)
    assert striker[0] < 0.0


def test_a_ball_slides_then_rolls() -> None:
    ball = {"R": 0.03, "u_s": 0.2, "u_r": 0.01, "e_b": 1.0, "g": 10.0}
    # Textbook: 12 v^2 / (49 mu_s g) of sliding, then 5/7 of the speed.
    way = 12.0 * 4.0 / (49.0 * 2.0) + (10.0 / 7.0) ** 2 / (2.0 * 0.1)
    assert module("closed_forms").ball_ends(ball, 2.0, None) == pytest.approx([way], abs=1e-12)
    # Equal elastic balls swap their speeds: the first keeps the spin alone, which moves it on.
    first, second = module("closed_forms").ball_ends(ball, 2.0, 0.06)
    assert (first, second) == pytest.approx((0.0, 0.06 + way), abs=1e-12)


def test_a_ball_that_rolls_before_it_hits_is_refused() -> None:
    ball = {"R": 0.03, "u_s": 0.2, "u_r": 0.01, "e_b": 1.0, "g": 10.0}
    with pytest.raises(ValueError, match=r"other = 1.8 m: must be at most 0.825306 m"):
        module("closed_forms").ball_ends(ball, 2.5, 1.8)


def test_our_own_strokes_agree_with_the_closed_forms() -> None:
    contestants = module("contestants")
    program = SimpleNamespace(ask=module("ours").play)
    errors = contestants.carrom_errors(program)
    assert set(errors) == {"slide", "head-on", "cut"}
    assert max(errors.values()) < 1e-10


def test_a_wrong_place_is_found() -> None:
    contestants = module("contestants")

    def off(request: dict) -> dict:
        reply = module("ours").play(request)
        reply["ends"][0][-1][0] += 0.003
        return reply

    errors = contestants.carrom_errors(SimpleNamespace(ask=off))
    assert list(errors.values()) == pytest.approx([0.003] * 3, abs=1e-9)


def test_a_child_takes_turns_and_the_table_says_how_fast_it_was(child: Path) -> None:
    contestants, table = module("contestants"), module("table")
    with contestants.Program(Path(sys.executable), child) as program:
        assert program.name == "fake 1.0"
        one = contestants.Contender("fake", program, {"step": 0.001}, contestants.carrom_breaks, 2)
        one.prepare(1, 0.05)
        assert one.per_turn == 5
        one.take_turn(1, 1)
        one.take_turn(1, 2)
    row = table.summary(one, [400.0, 1000.0])
    assert row["rates"] == pytest.approx([100.0, 100.0])
    assert row["ratios"] == pytest.approx([4.0, 10.0])
    assert (row["breaks"], row["pocketed_per_break"]) == (10, 1.0)
    text = table.markdown([row | {"errors_m": {"slide": 0.0025}}])
    assert [cell.strip() for cell in text.splitlines()[-1].split("|")[1:-1]] == [
        "fake", "1/1000", "10", "100 (100..100)", "7 (4..10)", "1.00", "1", "2.5", "-", "-",
    ]  # fmt: skip


def test_a_child_that_dies_and_a_missing_python_are_named(child: Path, tmp_path: Path) -> None:
    contestants = module("contestants")
    child.write_text("raise SystemExit(3)")
    with pytest.raises(RuntimeError, match=r"child.py ended with code 3"):
        contestants.Program(Path(sys.executable), child)
    with pytest.raises(FileNotFoundError, match=r"no Python at .*missing: `make peers`"):
        contestants.Program(tmp_path / "missing", child)


def test_all_play_the_same_breaks() -> None:
    contestants = module("contestants")
    assert contestants.carrom_breaks(1, 2, 3) == contestants.carrom_breaks(1, 2, 8)[:3]
    assert contestants.carrom_breaks(1, 2, 3) != contestants.carrom_breaks(1, 3, 3)
    json.dumps(contestants.pool_breaks(1, 2, 3))


def test_a_disc_falls_when_it_has_been_beyond_the_limit_for_the_time_of_a_fall() -> None:
    module("contestants")
    icf = cs.Equipment.preset("icf")
    there = module("board").Board(
        **{name: getattr(icf, name) for name in module("board").Board.__dataclass_fields__}
    )  # fmt: skip
    falls, centre = module("board").Falls(there), there.pockets()[2]
    limit, fall = math.sqrt(icf.pocket_radius**2 - icf.man_radius**2), math.sqrt(2.0 * icf.fall_height / icf.gravity)
    inside, outside = ((centre[0] - way, centre[1]) for way in (0.99 * limit, 1.01 * limit))
    falls.enter(5, 2)
    assert falls.fallen(0.0, lambda _: outside) == []
    assert not falls.pending
    assert falls.fallen(1.0, lambda _: inside) == []
    assert falls.pending
    assert falls.fallen(1.0 + 0.9 * fall, lambda _: inside) == []
    assert falls.fallen(1.0 + 0.95 * fall, lambda _: outside) == []  # it rattles, and has to begin again
    assert falls.fallen(2.0, lambda _: inside) == []
    assert falls.fallen(2.0 + 1.01 * fall, lambda _: inside) == [5]
    assert falls.near == {}


def test_corners_are_arcs_within_the_frame() -> None:
    there = module("board").Board.of({"board": vars(cs.Equipment.preset("icf"))})
    for (sx, sy), chain in zip(module("board").CORNERS, there.arcs(0.0), strict=True):
        middle = 0.5 * there.side - there.corner_size
        assert len(chain) == 9
        for x, y in chain:
            assert math.dist((x, y), (sx * middle, sy * middle)) == pytest.approx(there.corner_size)
            assert (sx * x, sy * y) >= (middle - 1e-12, middle - 1e-12)

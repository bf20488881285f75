"""What the replay page draws, in a real browser: discs, trails, the arrow, trays, against the trajectory."""

import io
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

import carromsim as cs
from carromsim.tables.schemas import DISC_NAMES
from carromsim.trajectories import Trajectory
from carromsim.viz.replays import replay
from carromsim_kernels.state import FloatArray
from viz.browser import Look, looking


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("drawn")


@pytest.fixture(scope="module")
def trajectory() -> Trajectory:
    """A break of a touching pack that pockets two men."""
    found = cs.follow(cs.opening("icf"), cs.Strokes(x=0.0, angle=math.pi / 2, speed=5.0))
    assert np.count_nonzero(found.gone) == 2
    return found


@pytest.fixture(scope="module")
def page(folder: Path, trajectory: Trajectory) -> Path:
    return replay(trajectory).save(folder / "break.html")


@pytest.fixture
def look(browser: Browser, page: Path) -> Iterator[Look]:
    with looking(browser, page) as look:
        yield look


def in_pockets(trajectory: Trajectory, words: str = "") -> list[set[str]]:
    """Names of what fell, by pocket."""
    fell = trajectory.outcome.pocket[0]
    return [{DISC_NAMES[disc] + words for disc in np.flatnonzero(fell == pocket)} for pocket in range(4)]


def trays(look: Look, which: str) -> list[set[str]]:
    """Names in the trays beside the pockets; `which`: CSS of items."""
    places = ("Bottom left", "Bottom right", "Top right", "Top left")
    trays = [look.page.locator(f".replay-trays > div:has-text('{place}')") for place in places]
    return [set(tray.locator(f"li{which} .replay-hidden").all_inner_texts()) for tray in trays]


def matrices(look: Look, times: FloatArray) -> list[dict[int, FloatArray]]:
    """How the discs are drawn at each time: x and y [mm, y up], size, turn [rad, counter-clockwise]."""
    drawn = look.run(
        f"""return {times.tolist()}.map((t) => {{
          player.seek(t);
          const discs = [...document.querySelectorAll(".replay-board [data-disc]")];
          return discs.filter((disc) => disc.getAttribute("display") !== "none").map((disc) => {{
            const {{ a, b, e, f }} = disc.transform.baseVal.consolidate().matrix;
            return [Number(disc.dataset.disc), e, -f, Math.hypot(a, b), -Math.atan2(b, a)];
          }});
        }});"""
    )
    return [{int(row[0]): np.array(row[1:]) for row in rows} for rows in drawn]


def turn_of(knots: FloatArray, time: float) -> float:
    """Turn of a disc at a time [rad]: the cubic between its knots."""
    i = int(np.searchsorted(knots[:, 0], time, side="right")) - 1
    if i == len(knots) - 1:
        return float(knots[i, 5])
    h = knots[i + 1, 0] - knots[i, 0]
    s = (time - knots[i, 0]) / h
    basis = np.array([2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2])
    return float(basis @ [knots[i, 5], h * knots[i, 6], knots[i + 1, 5], h * knots[i + 1, 6]])


def test_discs_are_where_the_trajectory_has_them(look: Look, trajectory: Trajectory) -> None:
    times = np.sort(np.random.default_rng(1).uniform(0.0, trajectory.duration, 200))
    expected, compared, most = 1e3 * trajectory.at(times), 0, 0.0
    for time, discs, row in zip(times.tolist(), matrices(look, times), expected, strict=True):
        assert set(discs) >= set(np.flatnonzero(~np.isnan(row[:, 0])).tolist())
        for disc, (x, y, size, turn) in discs.items():
            if not math.isnan(row[disc, 0]):
                assert math.hypot(x - row[disc, 0], y - row[disc, 1]) < 0.02
                wanted = turn_of(trajectory.knots[disc], time)
                assert abs(math.remainder(turn - wanted, math.tau)) < 2e-3
                assert size == pytest.approx(1.0)
                compared, most = compared + 1, max(most, abs(wanted))
    assert compared > 200 * 17
    assert most > 0.5


def test_a_disc_sinks_into_its_pocket(look: Look, trajectory: Trajectory) -> None:
    fell = np.flatnonzero(trajectory.gone).tolist()
    pockets = trajectory.outcome.pocket[0, fell].tolist()
    assert 0 not in pockets
    times = np.array([trajectory.knots[disc][-1, 0] + 0.09 for disc in fell])  # half of the time that it takes
    for disc, pocket, discs in zip(fell, pockets, matrices(look, times), strict=True):
        middle = (trajectory.equipment.side / 2 - trajectory.equipment.pocket_offset) * 1e3
        corner = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)][pocket]) * middle
        halfway = (corner + 1e3 * trajectory.knots[disc][-1, 1:3]) / 2
        assert discs[disc][:3] == pytest.approx([*halfway, 0.5], abs=0.02)


def test_trails_are_the_paths_so_far(look: Look, trajectory: Trajectory) -> None:
    compared = 0
    for time in (0.1234, 0.3567, 0.9):
        drawn = look.run(
            f"""player.seek({time});
            return [...player.picture.paths].map(([disc, {{ done, tip }}]) => [disc, [done[1], tip[1]].map((path) => {{
              const length = path.getTotalLength();
              const points = Array.from({{ length: 41 }}, (_, i) => path.getPointAtLength((length * i) / 40));
              return [length, points.map(({{ x, y }}) => [x, -y])];
            }})]);"""
        )
        assert len(drawn) > 10
        path = 1e3 * trajectory.at(np.linspace(0.0, time, 4001))
        for disc, parts in drawn:
            way = path[:, disc][~np.isnan(path[:, disc, 0])]
            if trajectory.gone[disc] and trajectory.knots[disc][-1, 0] < time:
                way = np.vstack([way, 1e3 * trajectory.knots[disc][-1, 1:3]])
            step = np.diff(way, axis=0)
            lengths = np.hypot(*step.T)
            assert sum(length for length, _ in parts) == pytest.approx(lengths.sum(), abs=0.1, rel=1e-3)
            for point in np.concatenate([points for _, points in parts]):
                along = ((point - way[:-1]) * step).sum(axis=1) / np.maximum(lengths**2, 1e-12)
                nearest = way[:-1] + np.clip(along, 0.0, 1.0)[:, None] * step
                assert np.hypot(*(nearest - point).T).min() < 0.05
                compared += 1
    assert compared > 1000


def test_the_arrow_points_where_the_striker_will_go(browser: Browser, folder: Path) -> None:
    layout, x, angle = cs.arrange(white=[(0.0, 0.0)]), 0.05, 1.2
    strokes = [cs.follow(layout, cs.Strokes(x=x, angle=angle, speed=4.0, seat=seat)) for seat in range(4)]
    board = strokes[0].equipment
    ahead = np.array([math.cos(angle), math.sin(angle)])
    place = np.array([x, board.base_line_distance - board.side / 2])
    with looking(browser, replay(strokes).save(folder / "seats.html")) as look:
        for seat in range(4):
            drawn = look.run(f"player.go({seat}); return player.picture.aim.getAttribute('d')")
            lines = [[float(word) for word in re.split("[ L]", line)] for line in drawn[1:].split("M")]
            shaft, *head = 1e-3 * np.array(lines).reshape(3, 2, 2) * [1.0, -1.0]
            radius, across = board.radius[0], np.array([-ahead[1], ahead[0]])
            tip = place + 3.0 * radius * ahead
            assert shaft == pytest.approx(np.array([place + radius * ahead, tip]), abs=1e-5)
            for side, end in zip((1.0, -1.0), head, strict=True):
                barb = tip - 0.45 * radius * (ahead + 0.6 * side * across)
                assert end == pytest.approx(np.array([tip, barb]), abs=1e-5)
            place, ahead = np.array([-place[1], place[0]]), across


def test_the_end_is_that_of_the_outcome(look: Look, trajectory: Trajectory) -> None:
    look.run("player.move(Infinity)")
    expected = trajectory.outcome.pos[0]
    found = look.seen()
    assert set(found) == set(np.flatnonzero(~np.isnan(expected[:, 0])).tolist())
    for disc, place in found.items():
        assert np.abs(np.array(place) - 1e3 * expected[disc]).max() < 0.01
    assert trays(look, "") == in_pockets(trajectory)


def test_what_fell_before_lies_pale_in_the_trays(browser: Browser, folder: Path, trajectory: Trajectory) -> None:
    pos = trajectory.outcome.pos[0].copy()
    pos[0] = np.nan
    later = cs.follow(cs.Layout(pos), cs.Strokes(x=0.1, angle=1.2, speed=1.0))
    assert (later.outcome.pocket < 0).all()
    with looking(browser, replay([trajectory, later]).save(folder / "later.html")) as look:
        assert trays(look, "") == [set()] * 4
        look.run("player.go(1)")
        assert trays(look, ".is-earlier") == in_pockets(trajectory, ", earlier")
        assert trays(look, ":not(.is-earlier)") == [set()] * 4
        assert look.run("return getComputedStyle(document.querySelector('.is-earlier svg')).opacity") == "0.5"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_trail_stands_out_from_the_wood(browser: Browser, folder: Path, scheme: str) -> None:
    def luminance(colour: FloatArray) -> FloatArray:
        parts = np.where(colour <= 10.0, colour / 255.0 / 12.92, ((colour / 255.0 + 0.055) / 1.055) ** 2.4)
        return np.asarray(parts @ [0.2126, 0.7152, 0.0722])

    alone = cs.follow(cs.arrange(), cs.Strokes(x=0.0, angle=math.pi / 2, speed=1.0))
    assert alone.outcome.pos[0, 0, 1] > 0.0
    file = replay(alone).save(folder / "trail.html")
    with looking(browser, file, color_scheme=scheme, viewport={"width": 360, "height": 700}) as look:
        x, y = look.run(
            """player.move(player.now.end);
            const { x, y } = new DOMPoint(0, 150).matrixTransform(player.picture.aim.getScreenCTM());
            return [x, y];"""
        )
        for kind in ("striker", "queen", "white", "black"):
            painted = f'path.setAttribute("class", "replay-trail c-{kind}")'
            look.run(f"for (const path of player.picture.layer.children) {painted};")
            shot = look.page.screenshot(clip={"x": x - 10, "y": y, "width": 20, "height": 1})
            row = luminance(np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.float64)[0])
            wood, contrast = row[0], (np.maximum(row, row[0]) + 0.05) / (np.minimum(row, row[0]) + 0.05)
            assert row[-1] == wood
            assert contrast.max() >= 3.0, kind

"""Where things are on a drawn board, against the measures in the laws."""

import math

import numpy as np
import pytest

import carromsim as cs
from carromsim.drawing import Disk, Outline, Shape, board_shapes, disc_shapes, half_width, kind_of, pointer
from carromsim.drawing.shapes import disc_face
from carromsim.strokes import legal_intervals

ICF = cs.Equipment.preset("icf")
BELL = cs.Equipment.preset("bell")
HALF = ICF.side / 2
ODD = {
    "200 m": ICF.replace(side=200.0),
    "no pockets": ICF.replace(pocket_radius=0.0),
    "small": ICF.replace(side=0.3, base_line_half_length=0.08, end_circle_offset=0.07),
    "cut away": ICF.replace(corner="cut_away", corner_size=0.05),
    "right-angled": ICF.replace(corner="right_angled"),
    "one base line": ICF.replace(front_line_distance=ICF.base_line_distance),
    "no end circles": ICF.replace(base_line_half_length=ICF.end_circle_offset),
}


def area(points: np.ndarray) -> float:
    """Signed: positive if the outline runs counter-clockwise."""
    x, y = points.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def outlines(board: cs.Equipment, role: str) -> list[Outline]:
    return [shape for shape in board_shapes(board) if isinstance(shape, Outline) and shape.role == role]


def disks(board: cs.Equipment, role: str) -> list[Disk]:
    return [shape for shape in board_shapes(board) if isinstance(shape, Disk) and shape.role == role]


def key(shape: Shape, turned: bool) -> tuple[object, ...]:
    """What is drawn, whatever the order of the points; turned by a quarter or not."""
    points = np.array([shape.centre]) if isinstance(shape, Disk) else shape.points
    if turned:
        points = np.column_stack([-points[:, 1], points[:, 0]])
    radius = shape.radius if isinstance(shape, Disk) else 0.0
    return shape.role, radius, tuple(sorted((round(x, 12) + 0.0, round(y, 12) + 0.0) for x, y in points.tolist()))


@pytest.mark.parametrize(("corner", "missing"), [("right_angled", 0.0), ("cut_away", 2.0), ("rounded", 4.0 - math.pi)])
@pytest.mark.parametrize("size", [0.0, 0.0222, 0.09])
def test_the_frame_leaves_the_playing_surface_free(corner: str, missing: float, size: float) -> None:
    board = ICF.replace(corner=corner, corner_size=size)
    (edge,), (frame,) = outlines(board, "frame_edge"), outlines(board, "frame")
    assert edge.hole is not None
    assert frame.hole is not None
    # Of the square of a corner's size; the arcs are drawn as polygons, which lose 0.002 of it.
    assert area(edge.hole) == pytest.approx(board.side**2 - missing * size**2, abs=2.5e-3 * size**2 + 1e-12)
    assert area(edge.points) == pytest.approx((2.0 * half_width(board)) ** 2)
    assert half_width(board) - HALF == pytest.approx(0.0635)  # ICF A.2
    assert area(frame.hole) > area(edge.hole)  # the edge of the cushions is seen
    assert np.abs(edge.hole).max() == pytest.approx(HALF)


def test_corners_meet_the_cushions_where_the_physics_has_them() -> None:
    for corner, size in (("rounded", 0.05), ("cut_away", 0.05)):
        (edge,) = outlines(ICF.replace(corner=corner, corner_size=size), "frame_edge")
        assert edge.hole is not None
        straight = edge.hole[np.isclose(edge.hole[:, 0], HALF)]
        assert np.abs(straight[:, 1]).max() == pytest.approx(HALF - size)
        if corner == "rounded":
            corner_points = edge.hole[(edge.hole > HALF - size - 1e-12).all(axis=1)]
            np.testing.assert_allclose(np.hypot(*(corner_points - (HALF - size)).T), size)


@pytest.mark.parametrize("board", [ICF, cs.Equipment.preset("caint"), BELL, *ODD.values()])
def test_every_board_looks_alike_from_all_four_seats(board: cs.Equipment) -> None:
    shapes = board_shapes(board)
    assert sorted(map(str, (key(shape, True) for shape in shapes))) == sorted(
        map(str, (key(shape, False) for shape in shapes))
    )
    assert shapes[0].role == "wood"
    assert shapes[-1].role == "frame"


@pytest.mark.parametrize("board", [ICF, BELL, *ODD.values()])
def test_nothing_lies_outside_the_frame_and_everything_has_an_area(board: cs.Equipment) -> None:
    for shape in board_shapes(board):
        if isinstance(shape, Disk):
            assert shape.radius > 0.0
            assert max(map(abs, shape.centre)) + shape.radius <= half_width(board)
        else:
            assert np.isfinite(shape.points).all()
            assert abs(area(shape.points)) > 0.0
            assert np.abs(shape.points).max() <= half_width(board) * (1 + 1e-12)


def test_pockets_are_where_discs_fall() -> None:
    pockets = disks(ICF, "hole")
    assert {pocket.radius for pocket in pockets} == {ICF.pocket_radius}
    middle = HALF - ICF.pocket_offset
    assert [pocket.centre for pocket in pockets] == [
        (x * middle, y * middle) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    assert disks(ODD["no pockets"], "hole") == []


def test_a_placed_striker_touches_both_base_lines_which_the_end_circles_touch() -> None:
    lines = [line.points for line in outlines(ICF, "line") if np.ptp(line.points[:, 0]) == 2 * ICF.end_circle_offset]
    own = [line[:, 1] + HALF for line in lines if line[0, 1] < 0.0]
    near, far = sorted(own, key=lambda y: float(y.min()))
    assert near.min() == pytest.approx(0.1015)  # ICF: from the frame to the outer line
    assert far.max() == pytest.approx(0.1015 + 0.0318)
    assert np.ptp(near) == pytest.approx(0.005)  # ICF: 5.0 to 6.5 mm
    for line in (near, far):
        assert np.abs(line - ICF.base_line_distance).max() < ICF.striker_radius
    moons = [disk for disk in disks(ICF, "circle") if disk.centre[1] == ICF.base_line_distance - HALF]
    assert sorted(moon.centre[0] for moon in moons) == [-0.2191, 0.2191]
    assert {round(2 * moon.radius, 9) for moon in moons} == {0.02544}  # ICF A.6: 25.4 mm
    rims = [disk for disk in disks(ICF, "line") if disk.centre == moons[0].centre]
    assert rims[0].radius == pytest.approx(0.0159)
    assert ICF.base_line_distance + rims[0].radius == pytest.approx(far.max())


def test_circles_in_the_middle_are_those_of_the_laws() -> None:
    rims = [disk.radius for disk in disks(ICF, "line") if disk.centre == (0.0, 0.0)]
    assert rims == pytest.approx([0.170 / 2, 0.0318 / 2])
    (red,) = [disk.radius for disk in disks(ICF, "circle") if disk.centre == (0.0, 0.0)]
    assert 0.8 * 0.0159 < red < 0.0159
    assert disks(BELL, "circle") == []


def test_arrows_point_at_pockets_between_the_end_circles() -> None:
    pocket = HALF - ICF.pocket_offset
    shafts = [line.points for line in outlines(ICF, "line") if len(line.points) == 7]
    assert len(shafts) == 4
    for shaft in shafts:
        tip, tail = shaft[4], shaft[:2].mean(axis=0)
        assert np.hypot(*(tip - tail)) == pytest.approx(0.267)  # ICF: at most 26.7 cm
        np.testing.assert_allclose(np.abs(tip), abs(tip[0]))
        assert np.hypot(*(np.sign(tip) * pocket - tip)) == pytest.approx(ICF.pocket_radius + 0.050)
        np.testing.assert_allclose(np.sign(tail), np.sign(tip))
    # The end circle nearest to the arrow, and the striker placed over it, do not touch it.
    moon = np.array([ICF.end_circle_offset, ICF.base_line_distance - HALF])
    to_line = abs(moon[0] + moon[1]) / math.sqrt(2.0)
    assert to_line > 0.0159 + 0.001
    outermost = np.array([legal_intervals(ICF).max(), moon[1]])
    assert abs(outermost.sum()) / math.sqrt(2.0) >= ICF.striker_radius + 0.001
    assert [line for line in outlines(BELL, "line") if len(line.points) == 7] == []


def test_bells_box_is_open_inside() -> None:
    (box, *others) = outlines(BELL, "line")
    assert len(others) == 3
    assert box.hole is not None
    assert np.ptp(box.points[:, 0]) == pytest.approx(2 * BELL.base_line_half_length)
    assert np.ptp(box.points[:, 1]) == pytest.approx(0.0318)
    assert np.ptp(box.hole[:, 1]) == pytest.approx(0.0318 - 2 * 0.0015)


def test_discs_lie_where_they_are_and_have_their_size() -> None:
    radii = tuple(0.010 + 0.001 * disc for disc in range(20))
    board = ICF.replace(disc_radius=radii)
    pos = np.full((20, 2), np.nan)
    pos[[0, 5, 12]] = [[0.1, -0.2], [0.0, 0.0], [-0.3, 0.3]]
    pos[7] = 0.1, np.inf
    drawn = disc_shapes(pos, board)
    rims = [disk for disk in drawn if isinstance(disk, Disk) and disk.role == "disc_edge"]
    assert [(rim.centre, rim.radius) for rim in rims] == [(tuple(pos[disc]), radii[disc]) for disc in (0, 5, 12)]
    assert {disk.role for disk in drawn if disk.role != "disc_edge"} == {
        f"{kind}{ring}" for kind in ("striker", "white", "black") for ring in ("", "_ring")
    }
    with pytest.raises(ValueError, match=r"pos has shape \(3, 2\): must be \(20, 2\)"):
        disc_shapes(np.zeros((3, 2)), board)


def test_kinds_differ_without_colour() -> None:
    faces = {
        disc: tuple((disk.radius, disk.role.endswith("ring")) for disk in disc_face(disc, 1.0)) for disc in range(20)
    }
    assert len(set(faces.values())) == 4
    for disc, face in faces.items():
        assert face == faces[{"striker": 0, "queen": 1, "white": 2, "black": 11}[kind_of(disc)]]
    with pytest.raises(ValueError, match="disc = 20: must be from 0 to 19"):
        kind_of(20)


def test_a_pointer_goes_from_point_to_point() -> None:
    arrow = pointer((0.1, 0.2), (0.4, 0.6), 0.01, (0.1, 0.03), "mark").points
    np.testing.assert_allclose(arrow[4], (0.4, 0.6))
    np.testing.assert_allclose(arrow[:2].mean(axis=0), (0.1, 0.2))
    assert abs(area(arrow)) == pytest.approx(0.4 * 0.02 + 0.1 * 0.03)

"""Contact faces that are smaller than the disc, or rings: closed formulas, the slow twin, and what must always hold."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.data.build_motion_table import annulus
from carromsim.simulation import scene_of
from carromsim_kernels.gather import rub
from oracles.scenes import ICF, N, Scene, beyond_frame, energy, nobody, open_field, pack, random_scene, smallest_gap
from test_against_naive import compare

MAN = 5
FACES = [(0.95, 0.0), (0.89, 0.0), (0.9, 0.3), (0.92, 0.7), (1.0, 0.5), (1.0, 0.9)]


@pytest.mark.parametrize(("face", "hole"), [(1.0, 0.0), *FACES])
@pytest.mark.parametrize("disc", [0, MAN])
def test_a_disc_that_spins_on_the_spot_stops_by_its_own_face(face: float, hole: float, disc: int) -> None:
    """I domega/dt = -mu m g a t(0), with t(0) of a ring, and I of the whole disc."""
    field = open_field(face=face, face_hole=hole)
    pos, vel, omega = nobody()
    pos[disc], omega[disc] = 0.0, -60.0
    radius, arm = float(field.radius[disc]), 2.0 / 3.0 * (1.0 - hole**3) / (1.0 - hole**2)
    t_stop = 60.0 * radius / (2.0 * field.mu_surface * field.gravity * face * arm)
    out = Scene(field, pos, vel, omega).play()
    assert out.duration[0] == pytest.approx(t_stop, rel=1e-8)
    half = Scene(field, pos, vel, omega).play(0.5 * t_stop)
    assert half.omega[0, disc] == pytest.approx(-30.0, rel=1e-8)
    assert not half.vel.any()


@pytest.mark.parametrize(("face", "hole"), FACES)
def test_without_spin_or_without_friction_the_face_does_not_matter(face: float, hole: float) -> None:
    """To the last bit: also in hits, which are of the rims."""
    rng = np.random.default_rng(1)
    for mu, until in ((0.0, 0.5), (0.1, np.inf)):
        scene = random_scene(rng, 6, ICF.replace(mu_surface=mu, mu_disc=0.2 * (mu == 0.0), mu_cushion=0.0))
        if mu > 0.0:
            scene.omega[:] = 0.0
        ends = []
        for a, k in ((1.0, 0.0), (face, hole)):
            scene.equipment = scene.equipment.replace(face=a, face_hole=k)
            ends.append(scene.play(until))
        for name in ("pos", "vel", "omega", "duration", "n_events"):
            np.testing.assert_array_equal(getattr(ends[0], name), getattr(ends[1], name))


@pytest.mark.parametrize(("face", "hole"), [(0.95, 0.0), (1.0, 0.6)])
def test_scenes_agree_with_the_slow_twin(face: float, hole: float) -> None:
    rng = np.random.default_rng(8)
    compared = 0
    for _ in range(24):
        scene = random_scene(rng, int(rng.integers(2, 6)))
        scene.equipment = scene.equipment.replace(face=face, face_hole=hole)
        compared += compare(scene, rng, most=20, time_error=1e-8)  # tables of other faces: 1e-8 of the way
    assert compared > 100


@pytest.mark.parametrize(("face", "hole"), FACES)
def test_random_strokes_on_any_face(face: float, hole: float) -> None:
    """Breaks with bursts and boards full of moving discs: all end, none gains energy, overlaps or gets out."""
    rng = np.random.default_rng(int(100 * face + 1000 * hole))
    equipment = cs.Equipment.preset("icf").replace(face=face, face_hole=hole)
    scenes = [random_scene(rng, 14, equipment) for _ in range(40)] + [pack(rng, gap) for gap in (0.0, 1e-5, 5e-4)] * 10
    pos, vel, omega = (np.stack([getattr(scene, name) for scene in scenes]) for name in ("pos", "vel", "omega"))
    vel[1::3] *= 0.01  # spinning, hardly sliding
    before = energy(equipment, np.nan_to_num(vel), omega)
    for until in (0.01, 0.05, 0.2, 0.7, np.inf):
        out = cs.simulate_motion(pos, vel, omega, equipment=equipment, until=until, record=False)
        assert not out.status[np.isfinite(out.pos[:, :, 0]).any(axis=1)].any()
        now = energy(equipment, out.vel, out.omega)
        assert np.all(now <= before * (1.0 + 1e-12))
        before = now
    assert not out.status.any()
    assert not now.any()
    for row in range(len(pos)):
        assert smallest_gap(equipment, out.pos[row]) >= -1e-6
        present = np.flatnonzero(np.isfinite(out.pos[row, :, 0]))
        assert max(beyond_frame(equipment, i, out.pos[row, i]) for i in present) <= 1e-9


@pytest.mark.kernel
@pytest.mark.parametrize(("face", "hole"), [(1.0, 0.0), *FACES])
def test_friction_in_a_burst_is_that_of_the_face(face: float, hole: float) -> None:
    """Exact where a disc all but slides or all but spins, within 28 % between."""
    equipment = ICF.replace(face=face, face_hole=hole)
    scene = scene_of(equipment)[0]
    scene.mu_g = equipment.mu_surface * equipment.gravity
    arm, gamma, dt = face * equipment.man_radius, 2.0 * face**2, 1e-7
    for eps in 10.0 ** np.linspace(-4.0, 4.0, 81):
        v, w = eps, 1.0
        scene.active[:], scene.active[MAN], scene.rubbed[MAN] = 0, 1, 0.0
        scene.vx[MAN], scene.vy[MAN], scene.spin[MAN] = 0.6 * v, 0.8 * v, -w / arm
        rub(scene, dt)
        f, t = annulus(eps, hole)
        slowed = (v - np.hypot(scene.vx[MAN], scene.vy[MAN])) / (scene.mu_g * dt * f)
        braked = (w + arm * scene.spin[MAN]) / (scene.mu_g * dt * gamma * t)
        close = 2e-3 if abs(np.log10(eps)) > 2.5 else 0.28
        assert scene.vy[MAN] == pytest.approx(scene.vx[MAN] / 0.75, rel=1e-12)
        assert (slowed, braked) == (pytest.approx(1.0, abs=close), pytest.approx(1.0, abs=close))


def test_small_faces_let_a_spinning_disc_slide_further() -> None:
    """PHYSICS: the fixed ratio falls with the face, so a slow disc that spins keeps its spin longer."""
    pos, vel, omega = nobody()
    pos[MAN], vel[MAN], omega[MAN] = 0.0, (0.3, 0.0), 60.0
    ends = [Scene(open_field(face=face), pos, vel, omega).play() for face in (1.0, 0.95, 0.9)]
    assert np.all(np.diff([float(end.pos[0, MAN, 0]) for end in ends]) > 0.0)
    assert np.all(np.diff([float(end.duration[0]) for end in ends]) > 0.0)


def test_rows_of_any_face_are_the_same_in_any_company() -> None:
    rng = np.random.default_rng(4)
    scenes = [random_scene(rng, 8, ICF.replace(face=0.92, face_hole=0.4)) for _ in range(9)]
    pos, vel, omega = (np.stack([getattr(scene, name) for scene in scenes]) for name in ("pos", "vel", "omega"))
    equipment = scenes[0].equipment
    whole = cs.simulate_motion(pos, vel, omega, equipment=equipment, threads=2, chunk_rows=2)
    assert whole.pos.shape == (9, N, 2)
    for row, scene in enumerate(scenes):
        np.testing.assert_array_equal(scene.play(threads=1).pos[0], whole.pos[row])

"""What a calibration finds on boards whose coefficients are known, and what it admits not to know."""

import json
import math
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, kstest

import carromsim as cs
from calibration.film import MEASURED, blurred, film, random_board, truth
from carromsim.calibration import Calibration, Measurements, calibrate
from carromsim.calibration.result import ADVICE, Found

ROOT = Path(__file__).parents[2]


def found(**given: Any) -> Calibration:
    return calibrate(Measurements.from_dict(given))


# Boards that are simulated


@pytest.mark.parametrize("seed", range(4))
def test_an_exact_film_gives_the_planted_coefficients(seed: int) -> None:
    board = random_board(np.random.default_rng(seed))
    result = found(**film(board))
    for name, value in truth(board).items():
        assert result.found[name].value == pytest.approx(value, rel=3e-3), name
    assert result.chi2 < 1e-3
    assert result.dof == 19


def covered(one: Found, value: float) -> bool:
    return (one.low is None or one.low <= value) and (one.high is None or value <= one.high)


def check_coverage(boards: int, seed: int) -> None:
    """Compare the share of intervals that hold the truth with 95 %, up to chances of 1 in 10,000."""
    rng = np.random.default_rng(seed)
    hits, chances = dict.fromkeys(MEASURED, 0), []
    for _ in range(boards):
        board = random_board(rng)
        result = found(**blurred(film(board), rng))
        for name, value in truth(board).items():
            hits[name] += covered(result.found[name], value)
        chances.append(result.p_value)
    low, high = binom.ppf([5e-5, 1.0 - 5e-5], boards, 0.95)
    assert all(low <= count <= high for count in hits.values()), (hits, low, high)
    low, high = binom.ppf([5e-5, 1.0 - 5e-5], 5 * boards, 0.95)
    assert low - 0.005 * 5 * boards <= sum(hits.values()) <= high, (hits, low, high)
    assert kstest(chances, "uniform").pvalue > 1e-4


def test_intervals_hold_the_truth() -> None:
    check_coverage(4, seed=1)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    check_coverage(200, seed=2)


# The film of a classroom


def test_the_classroom_board() -> None:
    result = cs.calibrate(ROOT / "docs" / "classroom.toml")
    friction, frame = result.found["mu_surface"], result.found["e_cushion"]
    assert friction.value == pytest.approx(1.28 / 9.80665, rel=1e-4)
    assert friction.verdict == "0.131 (0.118 to 0.143)"
    assert friction.high - friction.low == pytest.approx(2.0 * 1.96 * 0.05 * friction.value, rel=1e-3)  # 5 % assumed
    assert frame.value == pytest.approx(0.84 / 1.24, rel=1e-4)
    assert frame.verdict == "0.68 (0.62 to 0.74)"
    assert result.found["mu_cushion"].status == "at least"  # it may have stuck
    assert result.found["mu_cushion"].low == pytest.approx(0.08 - 1.96 * 0.03, abs=1e-3)
    for name in ("e_disc", "mu_disc"):
        assert result.found[name].verdict == f"the data cannot tell; to know it, add {ADVICE[name]}"
    assert (result.dof, result.p_value, result.worst) == (0, None, None)


# One kind at a time: closed forms, done by hand


def test_a_slide_without_a_speed() -> None:
    one = found(slide={"distance": 0.5, "time": 1.0, "distance_se": 0.004, "time_se": 1e-6}).found["mu_surface"]
    assert one.value == pytest.approx(2.0 * 0.5 / 9.80665)
    assert one.high - one.low == pytest.approx(2.0 * 1.96 * 0.008 * one.value, rel=1e-3)


def test_errors_of_repeats_average_out() -> None:
    one = found(slide={"deceleration": 1.0}).found["mu_surface"]
    four = found(slide={"deceleration": [1.0] * 4}).found["mu_surface"]
    assert four.high - four.low == pytest.approx((one.high - one.low) / 2.0, rel=1e-3)


def test_slowing_down_is_taken_into_account() -> None:
    """Averaged over 33 ms at 1 m/s^2, 1 m/s was 0.983 at the contact, and 0.6 m/s was 0.617."""
    slide = {"deceleration": 1.0, "deceleration_se": 1e-6}
    plain = found(slide=slide, cushion={"speed_in": 1.0, "speed_out": 0.6}).found["e_cushion"]
    right = found(slide=slide, cushion={"speed_in": 1.0, "speed_out": 0.6, "over_frames": 8}).found["e_cushion"]
    assert plain.value == pytest.approx(0.6)
    assert right.value == pytest.approx((0.6 + 1 / 60) / (1.0 - 1 / 60), rel=1e-4)


def test_two_ways_after_a_hit_need_no_speed_and_no_friction() -> None:
    """For equal masses the ratio of ways is ((1 - e) / (1 + e))^2."""
    way = 0.5 * (0.2 / 1.8) ** 2
    result = found(hit={"disc": "man", "distance": way, "target_distance": 0.5, "distance_se": 1e-4})
    assert result.found["e_disc"].value == pytest.approx(0.8, abs=1e-4)
    assert result.found["mu_surface"].status == "unknown"


def test_a_disc_that_comes_back_went_a_negative_way() -> None:
    """A man on a striker with e = 0.85: (5.25 - 12.75) / (9.6 + 5.25) goes back, 9.7125 / 15 forward (masses in g)."""
    back, on = -((5.25 - 0.85 * 15.0) ** 2), (1.85 * 5.25) ** 2
    result = found(hit={"disc": "man", "target": "striker", "distance": back / 500, "target_distance": on / 500})
    assert result.found["e_disc"].value == pytest.approx(0.85, abs=1e-3)
    weighed = found(hit={"mass": 0.00525, "target_mass": 0.015, "distance": back / 500, "target_distance": on / 500})
    assert weighed.found["e_disc"].value == result.found["e_disc"].value


def test_a_throw_is_friction_where_rims_slide_and_a_bound_where_they_stick() -> None:
    assert found(cut={"cut_deg": 60, "throw_deg": 10}).found["mu_disc"].value == pytest.approx(
        math.tan(math.radians(10))
    )
    sticking = math.degrees(math.atan(math.tan(math.radians(15)) / (3.0 * 1.85)))
    stuck = found(
        hit={"speed": 1.0, "target_speed": 1.85 * 15 / 20.25, "speed_se": 1e-6, "target_speed_se": 1e-6},
        cut={"cut_deg": 15, "throw_deg": sticking, "throw_deg_se": 0.1, "cut_deg_se": 0.1},
    ).found["mu_disc"]
    assert (stuck.status, stuck.value, stuck.high) == ("at least", None, None)
    assert 0.8 * math.tan(math.radians(sticking)) < stuck.low < math.tan(math.radians(sticking))


def test_a_throw_says_that_rims_slid_or_stuck() -> None:
    """tan(40 degrees) / (3 (1 + e)) is at least tan(9 degrees), so e at most 0.766; there rims stuck, else slid."""
    film = {"cut_deg": 40, "throw_deg": 9, "cut_deg_se": 0.01, "throw_deg_se": 0.01}
    result = found(cut=film).found
    limit = math.tan(math.radians(40)) / (3.0 * math.tan(math.radians(9))) - 1.0
    assert (result["e_disc"].status, result["e_disc"].high) == ("at most", pytest.approx(limit, abs=0.01))
    assert (result["mu_disc"].status, result["mu_disc"].low) == (
        "at least",
        pytest.approx(math.tan(math.radians(9)), abs=1e-3),
    )


def test_spin_and_speed_tell_as_much_as_the_throw() -> None:
    """R w / v = 2 sin(throw)."""
    spin = 2.0 * 1.5 * math.sin(math.radians(9.0)) / 0.0155
    result = found(cut={"cut_deg": 60, "spin": spin, "target_speed": 1.5})
    assert result.found["mu_disc"].value == pytest.approx(math.tan(math.radians(9.0)), rel=1e-6)


def test_speeds_along_the_frame_give_its_friction() -> None:
    """Sliding rims take mu (1 + e) v_n from the speed along."""
    result = found(cushion={"speed_in": 1.0, "speed_out": 0.7, "along_in": 2.0, "along_out": 2.0 - 0.12 * 1.7})
    assert result.found["mu_cushion"].value == pytest.approx(0.12)


# The run test


@pytest.mark.parametrize(
    ("mu", "e", "speed"), [(0.04, 0.6, 3.48), (0.10, 0.7, 3.94), (0.12, 0.8, 3.34), (0.20, 0.9, 3.54)]
)
def test_three_and_a_half_runs(mu: float, e: float, speed: float) -> None:
    """The speeds that 3.5 runs need, as tabulated from the formula by hand."""
    slide = {"deceleration": mu * 9.80665, "deceleration_se": 1e-6}
    one = found(slide=slide, runs={"runs": 3.5, "speed": speed, "runs_se": 1e-3}).found["e_cushion"]
    assert one.value == pytest.approx(e, abs=1.5e-3)


def test_a_run_test_of_unknown_speed_is_a_bound() -> None:
    """With mu = 0.1 and 9 m/s, 3.5 runs need e of 0.489 or more."""
    slide = {"deceleration": 0.980665, "deceleration_se": 1e-6}
    one = found(slide=slide, runs={"runs": 3.5, "speed_at_most": 9.0, "runs_se": 1e-3}).found["e_cushion"]
    assert (one.status, one.value, one.high) == ("at least", None, None)
    needed = 9.0**2 / (2.0 * 0.980665)
    e = one.low
    assert 0.6020 - 0.0001 + e**-2 * (0.6987 + e**-2 * (0.6987 + e**-2 * 0.34935)) == pytest.approx(needed, rel=0.02)


def test_at_least_so_many_runs_bounds_on_one_side() -> None:
    slide = {"deceleration": 0.980665, "deceleration_se": 1e-6}
    passed = found(slide=slide, runs={"runs": 3.5, "speed": 3.94, "at_least": True}).found["e_cushion"]
    exact = found(slide=slide, runs={"runs": 3.5, "speed": 3.94}).found["e_cushion"]
    assert (passed.status, exact.status) == ("at least", "found")
    assert passed.low == pytest.approx(exact.low, abs=0.003)


def test_a_run_test_alone_tells_next_to_nothing() -> None:
    """On a surface of friction 1e-4, the least that is looked for, e = 0.13 would do."""
    result = found(runs={"runs": 3.5}).found
    assert result["mu_surface"].status == "unknown"
    assert result["e_cushion"].low < 0.15


# How well it fits


def test_a_slip_of_the_pen_is_named() -> None:
    speeds = np.array([0.9, 1.0, 1.1, 1.2, 1.3])
    ways = speeds**2 / (2.0 * 0.1 * 9.80665)
    ways[3] = 0.374  # instead of 0.734
    result = found(slide={"speed": speeds, "distance": ways})
    assert result.worst is not None
    assert result.worst.label == "slide 1, entry 4"
    assert result.worst.suspicious
    assert result.worst.measured == {"speed": 1.2, "distance": 0.374}
    assert result.p_value < 1e-6
    good = found(slide={"speed": np.delete(speeds, 3), "distance": np.delete(ways, 3)})
    assert not good.worst.suspicious
    assert good.found["mu_surface"].value == pytest.approx(0.1)


def test_scatter_that_errors_do_not_explain_widens_the_intervals() -> None:
    told = {"deceleration": [0.8, 0.9, 1.0, 1.1, 1.2]}
    honest, bold = (found(slide={**told, "deceleration_se": error}) for error in (0.16, 0.02))
    assert honest.widened == 1.0
    assert bold.widened == pytest.approx(math.sqrt(bold.chi2 / 4)) == pytest.approx(math.sqrt(0.1 / 4) / 0.02)
    one = bold.found["mu_surface"]
    assert one.high - one.low == pytest.approx(2.0 * 1.96 * math.sqrt(0.1 / 4 / 5) / 9.80665, rel=1e-3)


def test_the_usual_restitution_at_speed_is_kept_in_mind() -> None:
    """With v_c the film shows e(v) = e + (1 - e) v_c / (v_c + v), and e is what is looked for."""
    board = cs.Equipment.preset("icf").replace(v_c_cushion=0.5)
    seen = 0.6 + 0.4 * 0.5 / (0.5 + 1.5)
    result = found(equipment=board, cushion={"speed_in": 1.5, "speed_out": 1.5 * seen})
    assert result.found["e_cushion"].value == pytest.approx(0.6, abs=1e-6)


def test_an_impossible_throw_does_not_fit() -> None:
    """However rough the rims: with a cut of 20 degrees they stick, and the throw is 7 degrees at the most."""
    result = found(cut={"cut_deg": 20, "throw_deg": 15, "throw_deg_se": 0.5})
    assert result.dof >= 1
    assert result.worst.suspicious
    assert result.p_value < 1e-6


# The board as a file


FILM = {"slide": {"deceleration": 1.1}, "cut": {"cut_deg": 50, "throw_deg": 12.1, "throw_deg_se": 0.5}}


def test_a_board_file_holds_what_was_found(tmp_path: Path) -> None:
    result = found(name='A "good" board', **FILM)
    result.write(tmp_path / "board.toml")
    text = (tmp_path / "board.toml").read_text()
    told = tomllib.loads(text)
    assert told["extends"] == "icf"
    assert told["name"] == 'A "good" board'
    assert told["mu_surface"] == pytest.approx(0.11217, abs=5e-6)
    assert f"mu_surface = 0.11217  # {result.found['mu_surface'].verdict}" in text
    assert "# e_cushion = 0.7  # as icf has it; the data cannot tell; to know it, add straight rebounds" in text
    read = cs.Equipment.load(tmp_path / "board.toml")
    assert read.e_cushion == cs.Equipment.preset("icf").e_cushion
    assert read.mu_disc == pytest.approx(result.equipment.mu_disc, rel=1e-4)


def test_a_bound_moves_a_value_that_it_excludes() -> None:
    result = found(**FILM)
    assert result.found["mu_disc"].status == "at least"
    assert result.equipment.mu_disc == result.found["mu_disc"].low > 0.15
    assert "the nearest to 0.15, which icf has; at least 0.20; to" in result.to_toml()


@pytest.mark.parametrize("given", [{}, None, 3, b"film.toml"])
def test_what_is_neither_measurements_nor_a_path_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=f"measurements = {given!r}: must be Measurements, or the path of a TOML file"):
        cs.calibrate(given)


def test_a_file_of_equipment_is_extended(tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "club.toml").write_text('extends = "bell"\nside = 0.72\n')
    (tmp_path / "film.toml").write_text('equipment = "boards/club.toml"\n[[slide]]\ndeceleration = 1.1\n')
    result = cs.calibrate(tmp_path / "film.toml")
    result.write(tmp_path / "found.toml")
    assert 'extends = "boards/club.toml"' in (tmp_path / "found.toml").read_text()
    read = cs.Equipment.load(tmp_path / "found.toml")
    assert (read.side, read.mu_surface) == (0.72, pytest.approx(1.1 / 9.80665, rel=1e-4))
    with pytest.raises(FileExistsError, match="start from"):
        result.write(tmp_path / "boards" / "club.toml")


def test_equipment_that_is_no_file_is_written_in_full() -> None:
    board = cs.Equipment.preset("icf").replace(side=0.72)
    told = tomllib.loads(found(equipment=board, **FILM).to_toml())
    assert (told["side"], told["e_cushion"], told["mu_surface"]) == (0.72, 0.7, pytest.approx(0.11217, abs=5e-6))


def test_a_file_of_somebody_else_stays(tmp_path: Path) -> None:
    mine = tmp_path / "board.toml"
    mine.write_text('extends = "icf"\n')
    result = found(**FILM)
    with pytest.raises(FileExistsError, match="no calibration wrote it"):
        result.write(mine)
    assert mine.read_text() == 'extends = "icf"\n'
    result.write(tmp_path / "new.toml")
    found(slide={"deceleration": 1.3}).write(tmp_path / "new.toml")
    assert "0.13256" in (tmp_path / "new.toml").read_text()


def test_a_dictionary_goes_through_json() -> None:
    told = found(slide={"speed": [1.0, 1.2], "distance": [0.5, 0.75]}).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["coefficients"]["mu_surface"]["status"] == "found"
    assert told["dof"] == 1
    assert told["worst"]["kind"] == "slide"


def test_numbers_are_as_precise_as_the_interval() -> None:
    assert Found("e_disc", "found", 0.8471, 0.7312, 0.9634).verdict == "0.85 (0.73 to 0.96)"
    assert Found("mu_disc", "found", 0.13052, 0.1177, 0.1433).verdict == "0.131 (0.118 to 0.143)"
    assert Found("mu_disc", "found", 0.10663, 0.10361, 0.10982).verdict == "0.107 (0.104 to 0.110)"
    assert Found("mu_disc", "at most", None, None, 0.1433).verdict.startswith("at most 0.14; to know it, add cuts")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_board_stays_when_there_is_no_room_for_it(tmp_path: Path) -> None:
    import resource

    board, result = tmp_path / "board.toml", found(**FILM)
    result.write(board)
    old, (soft, hard) = board.read_text(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(OSError, match=r"board\.toml"):
            result.write(board)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert board.read_text() == old
    assert list(tmp_path.iterdir()) == [board]

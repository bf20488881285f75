import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carromsim.equipment import BLACK, N_DISCS, PRESETS, QUEEN, STRIKER, WHITE, Equipment, disc_name
from carromsim.equipment_limits import NUMBERS, EquipmentError

ICF = Equipment.preset("icf")


def test_disc_order():
    assert N_DISCS == 20
    discs = [STRIKER, QUEEN, *range(N_DISCS)[WHITE], *range(N_DISCS)[BLACK]]
    assert discs == list(range(20))
    names = [disc_name(disc) for disc in discs]
    assert names[0:3] == ["striker", "queen", "white 1 (disc 2)"]
    assert names[10:12] == ["white 9 (disc 10)", "black 1 (disc 11)"]
    assert names[19] == "black 9 (disc 19)"


@pytest.mark.parametrize(
    ("preset", "field", "value"),
    [
        ("icf", "side", 0.740),
        ("icf", "pocket_radius", 0.0445 / 2),
        ("icf", "pocket_offset", 0.0445 / 2),
        ("icf", "man_radius", 0.031 / 2),
        ("icf", "man_mass", 5.25e-3),
        ("icf", "striker_radius", 0.0413 / 2),
        ("icf", "striker_mass", 0.015),
        ("icf", "mu_surface", 0.10),
        ("icf", "e_disc", 0.85),
        ("icf", "e_cushion", 0.70),
        ("icf", "mu_disc", 0.15),
        ("icf", "mu_cushion", 0.10),
        ("icf", "corner_size", 0.0445 / 2),
        ("icf", "fall_height", 0.008 / 2),
        ("icf", "v_c_disc", 0.0),
        ("icf", "v_c_cushion", 0.0),
        ("icf", "beta_disc", 0.0),
        ("icf", "beta_cushion", 0.0),
        ("icf", "gravity", 9.80665),
        ("icf", "front_line_distance", 0.1015 + 0.0318),
        ("icf", "base_line_distance", 0.1015 + 0.0318 / 2),
        ("icf", "base_line_half_length", 0.470 / 2),
        ("icf", "end_circle_offset", 0.470 / 2 - 0.0318 / 2),
        ("icf", "end_circle_guard", 0.0318 / 2),
        ("ukca", "mu_surface", 0.12),
        ("ukca", "end_circle_guard", 0.0318 / 2),
        ("caint", "mu_surface", 0.10),
        ("caint", "end_circle_guard", 0.0254 / 2),
        ("bell", "mu_surface", 0.11),
        ("bell", "man_radius", 0.0254 / 2),
        ("bell", "striker_radius", 0.0339 / 2),
        ("bell", "pocket_radius", 1.25 * 0.0339 / 2),
        ("bell", "striker_mass", 0.015),
        ("bell", "corner_size", 1.25 * 0.0339 / 2),
        ("bell", "fall_height", 0.00476 / 2),
    ],
)
def test_preset_values(preset, field, value):
    assert getattr(Equipment.preset(preset), field) == pytest.approx(value, rel=1e-12, abs=0)


def test_bell_men_weigh_the_icf_mans_mass_scaled_by_volume():
    bell = Equipment.preset("bell")
    volume_ratio = (bell.man_radius / ICF.man_radius) ** 2 * (4.76 / 8.0)
    assert bell.man_mass == pytest.approx(ICF.man_mass * volume_ratio, rel=0.01)
    assert (bell.end_circle_guard, bell.arrow_half_width) == (None, None)


def test_presets_differ_from_icf_only_where_a_source_or_guess_says_so():
    def changed(name):
        ours, icf = dataclasses.asdict(Equipment.preset(name)), dataclasses.asdict(ICF)
        return {field for field in icf if ours[field] != icf[field]}

    assert set(PRESETS) == {"icf", "ukca", "caint", "bell"}
    assert changed("ukca") == {"name", "mu_surface"}
    assert changed("caint") == {"name", "end_circle_guard"}
    assert all(PRESETS[name].name == name for name in PRESETS)


def test_per_disc_arrays_cannot_be_changed_and_are_in_disc_order():
    for values, striker, man in ((ICF.radius, 0.02065, 0.0155), (ICF.mass, 0.015, 0.00525)):
        assert values.dtype == np.float64
        assert values.tolist() == [striker] + [man] * 19
    for values in (ICF.radius, ICF.mass, ICF.capture_radius):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 7.0
    assert ICF.replace(striker_radius=0.02).radius[0] == 0.02


def test_capture_radius_is_the_tipping_limit():
    assert ICF.capture_radius[QUEEN] == pytest.approx(math.sqrt(0.02225**2 - 0.0155**2), rel=1e-14)
    assert ICF.capture_radius[STRIKER] == pytest.approx(math.sqrt(0.02225**2 - 0.02065**2), rel=1e-14)
    assert ICF.replace(pocket_radius=0.0155).capture_radius.tolist() == [0.0] * 20


def test_capture_radius_by_the_rule_centre_is_that_of_the_hole():
    assert ICF.replace(capture_rule="centre").capture_radius.tolist() == [0.02225] * 20
    narrow = ICF.replace(capture_rule="centre", pocket_radius=0.02)
    assert narrow.capture_radius.tolist() == [0.0] + [0.02] * 19


def test_frozen_and_hashable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ICF.side = 1.0
    assert ICF.replace() == ICF
    assert hash(ICF.replace(side=0.740)) == hash(ICF)


def test_replace_takes_any_real_number_and_stores_float():
    changed = ICF.replace(side=np.float32(2), man_mass=1, gravity=np.int64(2))
    assert (changed.side, changed.man_mass, changed.gravity) == (2.0, 1.0, 2.0)
    assert {type(getattr(changed, name)) for name in ("side", "man_mass", "gravity")} == {float}
    assert changed.name == "icf"


@pytest.mark.parametrize(
    "changes",
    [
        {"side": 200.0},
        {"mu_surface": 0.0},
        {"mu_disc": 50.0},
        {"pocket_radius": 0.0, "pocket_offset": 0.0},
        {"pocket_radius": 0.01},
        {"e_disc": 0.0, "e_cushion": 1.0, "beta_disc": -1.0, "beta_cushion": 1.0},
        {"man_mass": 100.0, "striker_mass": 1e-9},
        {"gravity": 1.62},
        {"end_circle_guard": None, "arrow_half_width": None},
        {"side": 0.3},
        {"corner_size": 0.0},
        {"corner_size": 0.37},
        {"pocket_radius": 0.023},  # the widest by the ICF laws, 0.75 mm under the frames
        {"pocket_radius": 0.0314},
        {"pocket_radius": 0.03, "pocket_offset": 0.33},
        {"fall_height": 0.0},
        {"fall_height": 1.0},
        {"v_c_disc": 100.0},
        {"capture_rule": "centre", "corner": "right_angled"},
    ],
)
def test_the_unusual_is_fair(changes):
    changed = ICF.replace(**changes)
    assert all(getattr(changed, name) == value for name, value in changes.items())


@pytest.mark.parametrize("field", [*NUMBERS, "disc_radius", "disc_mass"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "0.5", True, [0.1], 1j, 10**400])
def test_no_field_takes_what_is_no_finite_number(field, value):
    with pytest.raises(ValueError, match=f"1 problem: {field} = .*: must be "):
        ICF.replace(**{field: value})


@pytest.mark.parametrize("field", [name for name in NUMBERS if name not in ("end_circle_guard", "arrow_half_width")])
def test_only_the_two_striking_rules_may_be_none(field):
    with pytest.raises(ValueError, match=f"{field} = None"):
        ICF.replace(**{field: None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"man_mass": 0.0}, "man_mass = 0.0: must be from 1e-09 to 1e+06 kg"),
        ({"striker_mass": -0.015}, "striker_mass = -0.015: must be"),
        ({"side": -0.74}, "side = -0.74: must be from 1e-06 to 1e+06 m"),
        ({"e_disc": 1.01}, "e_disc = 1.01: must be from 0 to 1"),
        ({"e_cushion": -0.1}, "e_cushion = -0.1: must be from 0 to 1"),
        ({"beta_disc": 1.5}, "beta_disc = 1.5: must be from -1 to 1"),
        ({"mu_surface": -0.01}, "mu_surface = -0.01: must be from 0 to 100"),
        (
            {"pocket_radius": 0.37},
            "pocket_radius = 0.37: must be less than side / 2 = 0.37 m, it is wider",
        ),
        ({"striker_radius": 0.5}, "striker_radius = 0.5: must be less than side / 2"),
        ({"man_radius": 0.4}, "man_radius = 0.4: must be less than side / 2"),
        ({"pocket_offset": 0.4}, "pocket_offset = 0.4: must be at most side / 2"),
        ({"corner_size": 0.371}, "corner_size = 0.371: must be at most side / 2 = 0.37 m"),
        ({"corner_size": -0.01}, "corner_size = -0.01: must be from 0 to 1e+06 m"),
        ({"fall_height": -0.004}, "fall_height = -0.004: must be from 0 to 1e+06 m"),
        ({"v_c_cushion": -1.0}, "v_c_cushion = -1.0: must be from 0 to 10000 m/s"),
        ({"capture_rule": "tiping"}, "capture_rule = 'tiping': did you mean 'tipping'? known: centre, tipping"),
        ({"corner": "round"}, "corner = 'round': did you mean 'rounded'? known: cut_away, right_angled, rounded"),
        ({"corner": None}, "corner = None: known: cut_away, right_angled, rounded"),
        (
            {"pocket_radius": 0.0315},
            "pocket_radius = 0.0315: must be at most 0.0314663 m, a pocket swallows the frame's corner",
        ),
        ({"pocket_radius": 0.03, "pocket_offset": 0.0}, "must be at most 0 m, a pocket swallows the frame's corner"),
        (
            {"pocket_radius": 0.03, "pocket_offset": 0.345},
            "pocket_radius = 0.03: must be at most 0.025 m, neighbouring pockets overlap",
        ),
        ({"gravity": 0.0}, "gravity = 0.0: must be from 1e-06 to 1e+06 m/s^2"),
        ({"base_line_distance": 0.02}, "base_line_distance = 0.02: must be from striker_radius = 0.02065 m"),
        ({"end_circle_guard": 0.0}, "end_circle_guard = 0.0: must be from 1e-06 to 1e+06 m or None"),
        ({"arrow_half_width": -1e-3}, "arrow_half_width = -0.001: must be"),
        ({"name": 3}, "name = 3: must be a string"),
        ({"man_mass": 5e-324}, "man_mass = 5e-324: must be from 1e-09 to 1e+06 kg"),
        ({"striker_mass": 1e300}, "striker_mass = 1e+300: must be from 1e-09 to 1e+06 kg"),
        ({"disc_mass": [1e-300] * 20}, "must be 20 numbers from 1e-09 to 1e+06 kg or None"),
        ({"disc_radius": [0.01] * 19 + [math.nan]}, "must be 20 numbers from 1e-06 to 1e+06 m or None"),
        ({"side": 1e300}, "side = 1e+300: must be from 1e-06 to 1e+06 m"),
        ({"mu_disc": 1e300}, "mu_disc = 1e+300: must be from 0 to 100"),
        ({"jump_width": 5e-324}, "jump_width = 5e-324: must be from 1e-06 to 10000 m/s"),
        ({"gravity": 1e300}, "gravity = 1e+300: must be from 1e-06 to 1e+06 m/s^2"),
    ],
)
def test_the_impossible_is_named_with_its_value_and_what_is_allowed(changes, message):
    with pytest.raises(ValueError, match="impossible equipment, 1 problem") as caught:
        ICF.replace(**changes)
    assert message in str(caught.value)


def test_all_problems_appear_in_one_error():
    with pytest.raises(ValueError, match="4 problems: ") as caught:
        ICF.replace(man_mass=-1.0, e_disc=2.0, mu_disc=math.nan, corner="square")
    for text in ("man_mass = -1.0", "e_disc = 2.0", "mu_disc = nan", "corner = 'square'"):
        assert text in str(caught.value)


def test_the_error_names_fields_and_travels_between_processes():
    with pytest.raises(EquipmentError) as caught:
        ICF.replace(man_mass=-1.0, pocket_radius=None)
    again = pickle.loads(pickle.dumps(caught.value))
    assert [problem.field for problem in again.problems] == ["pocket_radius", "man_mass"]
    assert str(again) == str(caught.value)


def test_a_value_per_disc_is_a_list_of_twenty():
    masses = np.linspace(0.005, 0.006, 20)
    assert ICF.replace(disc_mass=masses).disc_mass == tuple(masses)
    assert ICF.replace(disc_mass=list(masses)).mass.tolist() == masses.tolist()
    for wrong in (masses[1:], [*masses[1:], 0.0], [*masses[1:], "5 g"], iter(masses), {0.005}, np.ones((20, 1))):
        with pytest.raises(ValueError, match="(?s)disc_mass = .*: must be 20 numbers from 1e-09 to 1e.06 kg or None"):
            ICF.replace(disc_mass=wrong)


def test_unknown_names_get_a_guess():
    with pytest.raises(ValueError, match=r"unknown equipment preset 'icff': did you mean 'icf'.*known: bell, caint"):
        Equipment.preset("icff")
    with pytest.raises(ValueError, match="unknown equipment preset 3: known: bell"):
        Equipment.preset(3)
    with pytest.raises(ValueError, match="unknown equipment field 'mu_surfce': did you mean 'mu_surface'"):
        ICF.replace(mu_surfce=0.1)


@given(
    st.fixed_dictionaries(
        {
            "mu_surface": st.floats(0, 10),
            "e_disc": st.floats(0, 1),
            "beta_disc": st.floats(-1, 1),
            "side": st.floats(0.2, 1e3),
            "man_mass": st.floats(1e-9, 1e3),
        }
    )
)
def test_everything_inside_the_ranges_is_kept_as_it_is(changes):
    changed = dataclasses.asdict(ICF.replace(**changes))
    assert {name: changed[name] for name in changes} == changes

"""The colours: no two roles alike, discs seen against the wood, told apart by the colour-blind."""

import re
from itertools import combinations

import numpy as np
import pytest

from carromsim.drawing import DARK, LIGHT, SERIES, Palette, palette_of

THEMES = {"light": LIGHT, "dark": DARK}
KINDS = ("striker", "queen", "white", "black")

DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
"""Linear RGB as seen without green cones: Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009) 1291, severity 1."""
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE_POINT = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> np.ndarray:
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2.2, 1 to 21."""
    bright, dim = sorted((float(TO_XYZ[1] @ linear(colour)) for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB."""
    share = TO_XYZ @ np.clip(rgb, 0.0, 1.0) / WHITE_POINT
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, seen: np.ndarray) -> float:
    """Colour difference of CIE 1976 for an eye; 2 is hardly noticed."""
    return float(np.linalg.norm(lab(seen @ linear(one)) - lab(seen @ linear(other))))


def test_the_measures_give_known_values() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert distance("#ffffff", "#000000", np.eye(3)) == pytest.approx(100.0, abs=0.1)
    assert distance("#ff0000", "#808000", np.eye(3)) > 4 * distance("#b00000", "#505000", DEUTERANOPIA)


@pytest.mark.parametrize("palette", THEMES.values(), ids=THEMES)
def test_every_role_has_a_colour_of_its_own(palette: Palette) -> None:
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in palette)
    assert len(set(palette)) == len(palette)
    assert len(set(SERIES)) == len(SERIES)


@pytest.mark.parametrize("palette", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_disc_stands_out_against_the_wood(palette: Palette, kind: str) -> None:
    face, ring = getattr(palette, kind), getattr(palette, f"{kind}_ring")
    assert contrast(palette.disc_edge, palette.wood) >= 3.0
    assert max(contrast(face, palette.disc_edge), contrast(face, palette.wood)) >= 3.0
    assert contrast(face, ring) >= 3.0


@pytest.mark.parametrize("palette", THEMES.values(), ids=THEMES)
def test_what_is_painted_and_written_can_be_read(palette: Palette) -> None:
    for role in ("line", "trail", "mark"):
        assert contrast(getattr(palette, role), palette.wood) >= 3.0, role
    for role in ("ink", "muted"):
        assert contrast(getattr(palette, role), palette.paper) >= 4.5, role


@pytest.mark.parametrize("palette", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("eye", [np.eye(3), DEUTERANOPIA, PROTANOPIA], ids=["usual", "deuteranopia", "protanopia"])
def test_faces_are_told_apart_by_every_eye(palette: Palette, eye: np.ndarray) -> None:
    faces = {kind: getattr(palette, kind) for kind in KINDS} | {"wood": palette.wood}
    close = {pair: distance(faces[pair[0]], faces[pair[1]], eye) for pair in combinations(faces, 2)}
    # Black on dark wood is seen by its rim, which the contrast of rim and wood takes care of.
    assert min(value for pair, value in close.items() if pair != ("black", "wood")) >= 18.0, close


@pytest.mark.parametrize("eye", [np.eye(3), DEUTERANOPIA, PROTANOPIA], ids=["usual", "deuteranopia", "protanopia"])
def test_curves_are_told_apart_by_every_eye(eye: np.ndarray) -> None:
    assert min(distance(one, other, eye) for one, other in combinations(SERIES, 2)) >= 10.0


def test_a_theme_is_light_or_dark() -> None:
    assert palette_of("light") is LIGHT
    assert palette_of("dark") is DARK
    with pytest.raises(ValueError, match="theme = 'dusk': must be 'light' or 'dark'"):
        palette_of("dusk")

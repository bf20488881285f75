"""SVG of boards: well-formed, named, coloured with and without a style sheet."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import carromsim as cs
from carromsim.drawing import DARK, LIGHT, Palette, disc_svg, half_width, style_sheet, svg_board

ICF = cs.Equipment.preset("icf")
SVG = "{http://www.w3.org/2000/svg}"


def groups(picture: str) -> dict[str, ET.Element]:
    return {str(group.get("class")): group for group in ET.fromstring(picture).findall(f"{SVG}g")}


def test_a_board_is_well_formed_and_in_millimetres() -> None:
    for board in (ICF, cs.Equipment.preset("bell"), ICF.replace(side=200.0), ICF.replace(corner="cut_away")):
        picture = ET.fromstring(svg_board(board, cs.opening(board).pos))
        edge = 1e3 * half_width(board)
        assert [float(number) for number in picture.get("viewBox", "").split()] == pytest.approx(
            [-edge, -edge, 2 * edge, 2 * edge], abs=1e-3
        )
        assert picture.get("role") == "img"
        assert picture.get("width") is None
    sized = ET.fromstring(svg_board(ICF, width=240))
    assert (sized.get("width"), sized.get("height")) == ("240", "240")


def test_discs_have_their_places_with_y_downward() -> None:
    pos = np.full((20, 2), np.nan)
    pos[3], pos[12] = (0.1, 0.2), (-0.05, -0.3)
    discs = groups(svg_board(ICF, pos))["discs"]
    told = [(disc.get("data-disc"), disc.get("class"), disc.get("transform")) for disc in discs]
    assert told == [
        ("3", "disc c-white", "translate(100,-200)"),
        ("12", "disc c-black", "translate(-50,300)"),
    ]
    rim = discs[0][0]
    assert (rim.get("class"), rim.get("r"), rim.get("cx")) == ("c-disc-edge", "15.5", None)
    assert list(groups(svg_board(ICF))["discs"]) == []
    assert 'transform="translate(0,0) rotate(-90)"' in disc_svg(0, ICF, turn=np.pi / 2)
    with pytest.raises(ValueError, match=r"pos has shape \(2, 2\): must be \(20, 2\)"):
        svg_board(ICF, np.zeros((2, 2)))


def test_every_element_is_painted_by_its_class_and_in_light_colours_without() -> None:
    picture = ET.fromstring(svg_board(ICF, cs.opening("icf").pos))
    painted = [element for element in picture.iter() if element.tag in (f"{SVG}circle", f"{SVG}path")]
    assert len(painted) > 100
    for element in painted:
        role = str(element.get("class")).removeprefix("c-").replace("-", "_")
        assert element.get("fill") == getattr(LIGHT, role)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_a_style_sheet_has_a_rule_for_every_role(palette: Palette) -> None:
    rules = dict(re.findall(r"\.page \.c-([a-z-]+)\{fill:(#[0-9a-f]{6})\}", style_sheet(palette, ".page")))
    assert rules == {role.replace("_", "-"): colour for role, colour in palette._asdict().items()}
    assert style_sheet(palette).startswith(".c-wood{fill:")


def test_a_picture_says_in_words_what_it_shows() -> None:
    pos = cs.opening("icf").pos.copy()
    pos[0] = 0.0, -0.25
    pos[[2, 11, 12]] = np.nan
    assert ET.fromstring(svg_board(ICF, pos)).get("aria-label") == "Carrom board icf: striker, queen, 8 white, 7 black"
    assert ET.fromstring(svg_board(ICF)).get("aria-label") == "Carrom board icf: no discs"
    odd = ICF.replace(name='<b> & "me"')
    assert ET.fromstring(svg_board(odd)).get("aria-label") == 'Carrom board <b> & "me": no discs'
    assert ET.fromstring(svg_board(ICF, label="<script>")).get("aria-label") == "<script>"


def test_extra_lies_between_board_and_discs() -> None:
    parts = ET.fromstring(svg_board(ICF, extra='<g class="trails"/>'))
    assert [part.get("class") for part in parts] == ["board", "trails", "discs"]

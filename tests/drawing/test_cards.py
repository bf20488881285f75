"""What notebooks show: a small board and the facts, escaped, and nothing played for it."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import carromsim as cs
from carromsim.tables.dataset import Parts

PACK = cs.opening("icf")


def shown(what: object) -> tuple[ET.Element, dict[str, str], str]:
    """A card as a tree, its facts, its caption."""
    card = ET.fromstring(what._repr_html_())  # type: ignore[attr-defined]
    facts = {str(row[0].text): str(row[1].text) for row in card.iter("tr")}
    caption = card.find("figure/figcaption")
    return card, facts, "" if caption is None else str(caption.text)


def discs(card: ET.Element) -> list[int]:
    return [int(group.get("data-disc", "")) for group in card.iter() if "data-disc" in group.keys()]  # noqa: SIM118


def test_a_layout_shows_its_first_row() -> None:
    card, facts, caption = shown(cs.opening("icf"))
    assert discs(card) == list(range(1, 20))
    assert facts == {"discs": "queen, 9 white, 9 black"}
    assert caption == "on an ICF board"
    card, facts, caption = shown(cs.random_layout(n=3, n_men=(2, 0), queen=False))
    assert (discs(card), facts) == ([2, 3], {"rows": "3", "discs of row 0": "2 white"})
    assert caption == "row 0 on an ICF board"


def test_a_layout_that_no_icf_board_holds_says_so() -> None:
    card, _, caption = shown(cs.arrange(queen=(30.0, 0.0)))
    assert (discs(card), caption) == ([], "reaches beyond an ICF board")
    card, facts, _ = shown(cs.Layout(np.empty((0, 20, 2))))
    assert (discs(card), facts) == ([], {"rows": "0"})


def test_strokes_show_the_first_and_its_direction() -> None:
    card, facts, caption = shown(cs.Strokes(x=[0.05, 0.1], angle=2.0, speed=5.0, seat=1))
    assert discs(card) == [0]
    assert facts["strokes"] == "2"
    assert facts["x of stroke 0"] == "50 mm"
    assert facts["seat of stroke 0"] == "right"
    assert caption == "stroke 0 on an ICF board; the arrow is its way in 40 ms"
    (arrow,) = [path for path in card.iter() if path.get("class") == "c-mark"]
    corners = [tuple(map(float, pair.split(","))) for pair in arrow.get("d", "").strip("Mz").split()]
    tail, tip = np.mean(corners[:2], axis=0), np.array(corners[4])
    assert np.hypot(*(tip - tail)) == pytest.approx(0.04 * 5.0 * 1e3, abs=0.01)  # mm
    assert tip[0] < tail[0]  # away from the right


def test_strokes_that_may_not_be_made_have_no_picture() -> None:
    card, facts, caption = shown(cs.Strokes(x=[np.nan], speed=1.0, seat=[7]))
    assert (discs(card), facts["seat of stroke 0"]) == ([], "none")
    assert caption == "stroke 0 may not be made on an ICF board"
    card, _, caption = shown(cs.Strokes(x=0.0, speed=0.0))
    assert caption == "on an ICF board"
    assert [path for path in card.iter() if path.get("class") == "c-mark"] == []


def test_outcomes_show_the_first_end_and_count_the_rest() -> None:
    outcomes = cs.simulate(PACK, cs.Strokes(x=[0.0, np.nan, 0.01], speed=6.0))
    card, facts, caption = shown(outcomes)
    assert discs(card) == np.flatnonzero(np.isfinite(outcomes.pos[0, :, 0])).tolist()
    assert (facts["strokes"], facts["status 0: ok"], facts["status 3: bad input"]) == ("3", "2", "1")
    assert facts["pocketed white"] == str(np.count_nonzero(outcomes.pocket[:, cs.WHITE] >= 0))
    assert caption.startswith("end of stroke 0, ")
    card, _, caption = shown(cs.simulate(PACK, cs.Strokes(x=[np.nan], speed=6.0)))
    assert (discs(card), caption) == ([], "stroke 0 has no outcome")


def test_a_run_shows_what_stands_and_reads_one_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = cs.BreakStudy(strokes=5, seed=7)
    study.run(tmp_path / "<script>alert(1)</script>", workers=1)
    run = cs.open_run(tmp_path / "<script>alert(1)</script>")
    read: list[int] = []
    part = Parts.read
    monkeypatch.setattr(Parts, "read", lambda self, table, number: read.append(number) or part(self, table, number))
    monkeypatch.setattr(cs.BreakStudy, "batch", lambda *_: pytest.fail("played"))
    assert "<script" not in run._repr_html_()
    card, facts, caption = shown(run)
    assert read == [0, 0]
    assert facts["directory"] == str(run.directory)
    assert (facts["kind"], facts["rows"], facts["seed"], facts["board"]) == ("break", "5", "7", "icf")
    assert facts["stands"] == "1 of 1 chunks of up to 4096 rows"
    assert caption == "the end of row 0"
    row = run.row(0)
    assert row is not None
    lying = [disc for disc, x in enumerate(row["pos_x"][0].as_py()) if x is not None]
    assert discs(card) == lying


def test_a_run_of_which_nothing_or_rubbish_stands_shows_the_pack(tmp_path: Path) -> None:
    run = cs.BreakStudy(strokes=5).run(tmp_path, workers=1)
    (part,) = (tmp_path / "strokes").glob("*.parquet")
    part.write_bytes(b"rubbish")
    card, _, caption = shown(run)
    assert len(discs(card)) == 19
    assert caption.startswith("row 0 cannot be read: ")
    assert caption.endswith("; the opening pack")
    part.unlink()
    (tmp_path / "parts.json").unlink()
    card, facts, caption = shown(run)
    assert (len(discs(card)), caption) == (19, "the opening pack")
    assert facts["stands"] == "0 of 1 chunks of up to 4096 rows"


def test_a_run_of_shots_shows_the_man(tmp_path: Path) -> None:
    card, facts, caption = shown(cs.ShotStudy(strokes=3).run(tmp_path, workers=1))
    assert (discs(card), facts["kind"], caption) == ([2], "shot", "the man of row 0, before the stroke")


@pytest.mark.parametrize("what", [PACK, cs.Strokes(x=0.0, speed=1.0)])
def test_a_card_styles_nothing_but_itself(what: object) -> None:
    card, _, _ = shown(what)
    style = str(card[0].text)
    light, _, dark = style.partition("@media (prefers-color-scheme:dark){")
    for sheet in (light, dark.removesuffix("}")):
        for rule in filter(None, sheet.split("}")):
            for selector in rule.partition("{")[0].split(","):
                assert selector.startswith(".carromsim-card"), selector

"""Replays: the numbers in the page, the page itself, files, and what is refused."""

import base64
import hashlib
import html
import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import carromsim as cs
from carromsim.drawing import LIGHT, half_width
from carromsim.trajectories import Trajectory
from carromsim.viz.page import island, page
from carromsim.viz.replays import Replay, Scene, replay
from carromsim_kernels.state import FloatArray


@pytest.fixture(scope="module")
def trajectory() -> Trajectory:
    """A break of a touching pack that pockets two men."""
    return cs.follow(cs.opening("icf"), cs.Strokes(x=0.0, angle=math.pi / 2, speed=5.0))


@pytest.fixture(scope="module")
def later(trajectory: Trajectory) -> Trajectory:
    """A gentle stroke on the board that the break leaves."""
    pos = trajectory.outcome.pos[0].copy()
    pos[0] = np.nan
    return cs.follow(cs.Layout(pos), cs.Strokes(x=0.1, angle=1.2, speed=1.0))


class Elements(HTMLParser):
    """Attributes of the elements of a page, and the text up to the next tag, by name."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")
        self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[-1] += data

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attrs, text) for (name, attrs), text in zip(self.found, self.texts, strict=True) if name == tag]


def data_of(text: str) -> dict[str, Any]:
    (found,) = [text for attrs, text in Elements(text).of("script") if attrs.get("type") == "application/json"]
    return dict(json.loads(found))


def path_of(numbers: list[int], times: FloatArray) -> FloatArray:
    """Places (m, 2) [m] that the numbers of a disc in the page mean: sums, units, Hermite's cubic."""
    rows = np.array(numbers, dtype=np.float64).reshape(-1, 7)
    rows[:, [0, 1, 2, 5]] = rows[:, [0, 1, 2, 5]].cumsum(axis=0)
    t, x, y, vx, vy, _, _ = (rows * [1e-7, 1e-6, 1e-6, 1e-5, 1e-5, 1e-4, 1e-3]).T
    found = []
    for time in times:
        i = int(np.searchsorted(t, time, side="right")) - 1
        if i == len(t) - 1:
            found.append((x[i], y[i]))
            continue
        h = t[i + 1] - t[i]
        s = (time - t[i]) / h
        basis = np.array([2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2])
        found.append(tuple(basis @ [p[i], h * v[i], p[i + 1], h * v[i + 1]] for p, v in ((x, vx), (y, vy))))
    return np.array(found)


# The numbers in the page


def test_the_page_says_the_path_to_a_hundredth_of_a_millimetre(trajectory: Trajectory) -> None:
    (told,) = data_of(replay(trajectory).html())["strokes"]
    times = np.random.default_rng(0).uniform(0.0, trajectory.duration, 300)
    expected = trajectory.at(times)
    for disc, numbers in enumerate(told["knots"]):
        there = ~np.isnan(expected[:, disc, 0])
        assert np.abs(path_of(numbers, times[there]) - expected[there, disc]).max() < 1e-5


def test_the_page_says_what_happened(trajectory: Trajectory) -> None:
    data = data_of(replay(trajectory).html())
    (told,) = data["strokes"]
    events = trajectory.events
    assert [row[1:] for row in told["events"]] == np.column_stack([events[k] for k in ("kind", "a", "b")]).tolist()
    assert np.abs(np.array([row[0] for row in told["events"]]) * 1e-7 - events["t"]).max() < 1e-7
    assert told["pocket"] == trajectory.outcome.pocket[0].tolist()
    assert dict(told["facts"]) | {"Speed": "5 m/s", "Direction": "90.00°", "Seat": "0 (bottom)"} == dict(told["facts"])
    middle = cs.Equipment.preset("icf").side / 2 - cs.Equipment.preset("icf").pocket_offset
    assert data["holes"][2] == pytest.approx([1e3 * middle, 1e3 * middle])


def test_what_fell_before_lies_beside_the_board(trajectory: Trajectory, later: Trajectory) -> None:
    first, second = data_of(replay([trajectory, later]).html())["strokes"]
    fell = trajectory.outcome.pocket[0]
    assert np.count_nonzero(fell >= 0) == 2
    assert first["lying"] == [-1] * 20
    assert second["lying"] == fell.tolist()
    assert [len(second["knots"][disc]) for disc in np.flatnonzero(fell >= 0)] == [0, 0]


def test_what_fell_on_another_board_does_not_lie_beside_this_one(trajectory: Trajectory, later: Trajectory) -> None:
    boards = (trajectory, 0), (later, 0), (later, 1), (later, 1)
    shown = Replay(title="t", scenes=tuple(Scene(trajectory=each, board=board) for each, board in boards))
    told = data_of(shown.html())["strokes"]
    assert [max(each["lying"]) >= 0 for each in told] == [False, True, False, False]


@pytest.mark.parametrize("seat", range(4))
def test_the_facts_name_the_seat_and_whose_frame_it_is(seat: int) -> None:
    stroke = cs.follow(cs.arrange(white=[(0.0, 0.0)]), cs.Strokes(x=0.05, angle=1.2, speed=1.0, seat=seat))
    (told,) = data_of(replay(stroke).html())["strokes"]
    facts = dict(told["facts"])
    assert facts["Seat"] == ("0 (bottom)", "1 (right)", "2 (top)", "3 (left)")[seat]
    seen = ", as the player sees it" if seat else ""
    assert (facts["Striker at"], facts["Direction"]) == (f"+50.0 mm{seen}", f"68.75°{seen}")
    assert "Overboard" not in facts


def test_strokes_are_counted_as_in_the_tables(trajectory: Trajectory) -> None:
    def places(*numbered: tuple[int, int]) -> list[str]:
        scenes = tuple(Scene(trajectory=trajectory, board=board, number=number) for board, number in numbered)
        return [each["place"] for each in data_of(Replay(title="t", scenes=scenes).html())["strokes"]]

    assert places((2, 0), (2, 1)) == ["Stroke 0 of 0 to 1", "Stroke 1 of 0 to 1"]
    assert places((0, 4), (0, 5), (1, 0)) == [
        "Board 0, stroke 4 of 4 to 5",
        "Board 0, stroke 5 of 4 to 5",
        "Board 1, stroke 0 of 0 to 0",
    ]
    takes = cs.BoardStudy(
        boards=1, start={"white": [[0.1, 0.25]], "black": [[0.2, 0.1]], "queen": "covered_white"}
    ).takes(0)
    assert [scene.number for scene in replay(takes[1:]).scenes] == list(range(1, len(takes)))
    again = replay([*takes[:2], takes[1]])  # the tables' numbers would not tell these apart
    assert [scene.number for scene in again.scenes] == [0, 1, 2]


def test_a_break_of_a_touching_pack_is_small(trajectory: Trajectory) -> None:
    assert trajectory.outcome.n_disc_hits[0] > 40
    assert len(replay(trajectory).html()) < 150_000


# The page


def test_only_what_is_named_by_its_hash_runs(trajectory: Trajectory) -> None:
    elements = Elements(replay(trajectory).html())
    (policy,) = [attrs["content"] for attrs, _ in elements.of("meta") if "http-equiv" in attrs]
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))

    def hashes(texts: list[str]) -> str:
        return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in texts)

    assert {rules[name] for name in ("default-src", "base-uri", "form-action")} == {"'none'"}
    assert rules["script-src"] == hashes([text for attrs, text in elements.of("script") if "type" not in attrs])
    assert rules["style-src"] == hashes([text for _, text in elements.of("style")])
    assert {attr for _, attrs in elements.found for attr in attrs if attr == "style" or attr.startswith("on")} == set()


def test_a_page_asks_for_nothing(trajectory: Trajectory) -> None:
    text = replay(trajectory).html()
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(", text)
    attributes = {attr for _, attrs in Elements(text).found for attr in attrs}
    assert attributes & {"src", "href", "srcset", "action"} == set()


def test_a_page_keeps_its_parts_apart() -> None:
    for wrong in ("</script>", "</SCRIPT >", "<!-- "):
        with pytest.raises(ValueError, match="script holds"):
            page("t", "", scripts=[f"const a = '{wrong}'"])
    with pytest.raises(ValueError, match="style holds"):
        page("t", "", styles=["</style>"])
    text = page("a <b> & c", "<p>body</p>", scripts=["one\r\ntwo"])
    assert "<title>a &lt;b&gt; &amp; c</title>" in text
    assert "<noscript>" in text
    assert hashlib.sha256(b"one\ntwo").digest() in map(base64.b64decode, re.findall(r"sha256-([^']+)'", text))
    assert "script-src 'none'" in page("t", "")


def test_no_text_ends_an_island() -> None:
    value = {"a": "</script><script>alert(1)</script>", "b": ["<!--", "&lt;", "\u2028", 'q"']}
    (found,) = Elements(island(value, "c")).of("script")
    assert found[0] == {"type": "application/json", "class": "c"}
    assert json.loads(found[1]) == value
    for wrong in ("</script x", "</SCRIPT\n>", "<!--<script", "&amp;", "\u2029", value):
        inside = re.fullmatch(r'<script type="application/json" class="c">(.*)</script>', island(wrong, "c"), re.DOTALL)
        assert inside
        assert set(inside[1]) & set("<>&\u2028\u2029") == set()
    with pytest.raises(ValueError, match="JSON"):
        island(math.nan, "c")


def test_a_notebook_gets_the_page_in_a_frame(trajectory: Trajectory) -> None:
    shown = replay(trajectory, title='a "break" <b>')
    ((attrs, _),) = Elements(shown._repr_html_()).of("iframe")
    assert attrs["sandbox"] == "allow-scripts"
    assert attrs["title"] == 'a "break" <b>'
    assert attrs["srcdoc"] == shown.html()
    assert html.escape(shown.title) in shown.html()


# Files


def test_each_kind_of_file(trajectory: Trajectory, tmp_path: Path) -> None:
    shown = replay(trajectory)
    begins = {".html": b"<!DOCTYPE html>", ".png": b"\x89PNG", ".svg": b"<?xml"}
    for suffix, first in begins.items():
        file = shown.save(tmp_path / f"break{suffix}")
        assert file == tmp_path / f"break{suffix}"
        assert file.read_bytes().startswith(first)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(begins)
    svg = (tmp_path / "break.svg").read_bytes()
    assert shown.save(tmp_path / "again.SVG").read_bytes() == svg


def test_an_animation_runs_in_real_time_and_ends_where_the_discs_lie(trajectory: Trajectory, tmp_path: Path) -> None:
    file = replay(trajectory).save(tmp_path / "break.gif")
    assert file.stat().st_size < 2_000_000
    assert file.read_bytes().startswith(b"GIF89a")
    picture = Image.open(io.BytesIO(file.read_bytes()))
    assert picture.info["loop"] == 0
    each = []
    for number in range(picture.n_frames):
        picture.seek(number)
        each.append(picture.info["duration"])
    assert each[-1] >= 2000
    moving = sum(each) - 600 - 2000 + 40
    assert abs(moving - 1e3 * trajectory.duration) <= 80
    last, edge = picture.convert("RGB"), half_width(trajectory.equipment)
    scale = picture.width / (2.0 * edge)
    for disc, (x, y) in enumerate(trajectory.outcome.pos[0].tolist()):
        if not math.isnan(x):
            place = round((x + edge) * scale), round((edge - y - 0.8 * 0.0159) * scale)  # between two rings
            face = LIGHT.white if disc < 11 else LIGHT.black
            if disc > 1:
                colour = last.getpixel(place)
                assert isinstance(colour, tuple)
                wanted = [int(face[k : k + 2], 16) for k in (1, 3, 5)]
                assert max(abs(a - b) for a, b in zip(colour, wanted, strict=True)) < 60


def test_one_stroke_of_several(trajectory: Trajectory, later: Trajectory, tmp_path: Path) -> None:
    both = replay([trajectory, later], title="Two")
    assert (len(both), repr(both)) == (2, "Replay('Two', 2 strokes)")
    assert both.save(tmp_path / "two.html").exists()
    for name in ("two.gif", "two.png", "two.svg"):
        with pytest.raises(ValueError, match="shows one stroke, this replay has 2"):
            both.save(tmp_path / name)
    assert data_of(both[1].html())["strokes"][0]["duration"] == pytest.approx(later.duration, abs=1e-6)
    assert both[1].title == "Two: Stroke 1"
    alone = replay([trajectory, later], stroke=1)
    assert (len(alone), alone.title) == (1, "Stroke 1")


def test_a_file_is_whole_or_not_there(trajectory: Trajectory, tmp_path: Path) -> None:
    shown = replay(trajectory)
    with pytest.raises(ValueError, match=r"break.pdf: must end in one of .html, .gif, .png, .svg"):
        shown.save(tmp_path / "break.pdf")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        shown.save(tmp_path / "no" / "break.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        shown.save(tmp_path / "folder.html")
    (tmp_path / "old.html").write_text("old")
    assert shown.save(tmp_path / "old.html").read_text(encoding="utf-8") == shown.html()
    assert {path.name for path in tmp_path.iterdir()} == {"folder.html", "old.html"}


# What is refused


def test_what_cannot_be_looked_at(trajectory: Trajectory) -> None:
    with pytest.raises(ValueError, match="no stroke"):
        replay([])
    with pytest.raises(ValueError, match="row = 3, board = None: are for runs only"):
        replay(trajectory, 3)
    for stroke in (1, -1, "0", True, 0.0):
        with pytest.raises(ValueError, match=re.escape(f"stroke = {stroke!r}: must be from 0 to 0, a whole number")):
            replay(trajectory, stroke=stroke)
    for what, name in (("runs/first", "what is of type str"), (cs.opening("icf"), "what is of type Layout")):
        with pytest.raises(TypeError, match=name + ": must be a Run"):
            replay(what)
    with pytest.raises(TypeError, match=r"what\[1\] is of type int"):
        replay([trajectory, 3])
    with pytest.raises(TypeError, match=r"number = slice\(0, 1, None\)"):
        replay([trajectory, trajectory])[0:1]
    bell = cs.follow(cs.opening("bell"), cs.Strokes(x=0.0, angle=math.pi / 2, speed=1.0), equipment="bell")
    with pytest.raises(ValueError, match="stroke 1 is played on another board than stroke 0: 'bell', 'icf'"):
        replay([trajectory, bell])

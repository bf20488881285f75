"""The replay page in a real browser, from a file, with the network cut."""

import math
import statistics
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

import carromsim as cs
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.takes import Take
from carromsim.trajectories import Trajectory
from carromsim.viz.page import page as page_of
from carromsim.viz.replays import Replay, Scene, player_css, player_js, replay
from viz.browser import Look, looking

HOSTILE = "</script><img src=x onerror=window.broken.push(1)>&amp;<!-- \u2028"
START = {"white": [[0.1, 0.25], [-0.2, 0.1]], "black": [[0.0, -0.2], [0.25, 0.0]], "queen": "covered_white"}

COSTS = """
window.costs = [];
const ask = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => ask((stamp) => {
  const begun = performance.now();
  draw(stamp);
  window.costs.push([performance.now() - begun, stamp]);
});
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def trajectory() -> Trajectory:
    """A break of a touching pack that pockets two men."""
    found = cs.follow(cs.opening("icf"), cs.Strokes(x=0.0, angle=math.pi / 2, speed=5.0))
    assert np.count_nonzero(found.gone) == 2
    return found


@pytest.fixture(scope="module")
def page(folder: Path, trajectory: Trajectory) -> Path:
    return replay(trajectory, title="A break").save(folder / "break.html")


@pytest.fixture(scope="module")
def takes() -> list[Take]:
    return BoardStudy(boards=1, start=START, skill="expert", seed=3).takes(0)


@pytest.fixture(scope="module")
def board_page(folder: Path, takes: list[Take]) -> Path:
    return replay(takes, title="A board").save(folder / "board.html")


@pytest.fixture
def look(browser: Browser, page: Path) -> Iterator[Look]:
    with looking(browser, page) as look:
        yield look


def test_it_plays_pauses_and_is_scrubbed(look: Look) -> None:
    play, scrub = look.page.get_by_role("button", name="Play", exact=True), look.page.get_by_role("slider")
    begin = look.seen()
    play.click()
    look.page.wait_for_timeout(300)
    look.page.get_by_role("button", name="Pause").click()
    time = look.run("return player.time")
    assert 0.02 < time < 1.3
    assert look.seen() != begin
    look.page.wait_for_timeout(100)
    assert look.run("return player.time") == time
    scrub.fill("0")
    assert look.seen() == begin
    assert look.run("return player.time") == 0


def test_it_plays_to_the_end_and_begins_again(look: Look) -> None:
    look.run("player.move(player.now.end - 0.05); player.setSpeed(4); player.play()")
    look.page.wait_for_timeout(600)
    assert look.run("return [player.playing, player.time === player.now.end]") == [False, True]
    look.run("player.play()")
    assert look.run("return player.time < 0.5 && player.playing")
    ends = [look.page.locator(f"[data-part={part}]") for part in ("before", "after")]
    for time, able in (("0", [False, True]), ("player.now.events[3].t", [True, True]), ("Infinity", [True, False])):
        look.run(f"player.move({time})")
        assert [button.get_attribute("aria-disabled") is None for button in ends] == able


def test_events_are_stepped_listed_and_marked(look: Look, trajectory: Trajectory) -> None:
    after = look.page.get_by_role("button", name="Next event")
    for number in (0, 1):
        after.click()
        current = look.page.locator("[data-part=events] [aria-current=true]").inner_text()
        event = trajectory.events[number]
        assert current.split()[0] == f"{event['t']:.4f}"
        assert current.split(maxsplit=2)[2].endswith("meet")
        assert look.run("return player.time") == pytest.approx(float(event["t"]), abs=1e-7)
        assert look.run("return player.picture.marks.filter((m) => m.getAttribute('display') !== 'none').length") == 2
        rings = look.run("return player.picture.marks.map((mark) => [mark.cx.baseVal.value, -mark.cy.baseVal.value])")
        for disc, ring in zip((event["a"], event["b"]), rings, strict=True):
            assert ring == pytest.approx(look.seen()[int(disc)], abs=0.02)
    look.page.get_by_role("button", name="Previous event").click()
    assert look.run("return player.current") == 0
    assert "meet" in look.page.get_by_role("status").inner_text()
    number = int(np.argmax(np.diff(trajectory.events["t"])))
    between = trajectory.events["t"][number : number + 2].mean()
    look.run(f"player.move({between}); player.stepEvent(-1)")
    assert look.run("return player.current") == number
    assert look.run("return player.time") == pytest.approx(float(trajectory.events["t"][number]), abs=1e-7)
    rows = look.page.locator("[data-part=events] button")
    assert rows.count() == len(trajectory.events)
    fell = rows.filter(has_text="falls")
    assert fell.count() == 2
    fell.first.click()
    assert look.run("return player.time") == pytest.approx(np.nanmin(trajectory.outcome.pocket_time[0]), abs=1e-6)


def test_everything_goes_by_keys(look: Look) -> None:
    def press(*keys: str) -> float:
        for key in keys:
            look.page.keyboard.press(key)
        return float(look.run("return player.time"))

    assert press("ArrowRight", "End", "t") == 0.0  # the replay has no focus yet
    assert look.run("return player.picture.trails")
    press("Tab")
    assert look.run("return document.activeElement === player.section")
    assert press("ArrowRight", "ArrowRight") == pytest.approx(0.02)
    assert press("ArrowLeft") == pytest.approx(0.01)
    assert press("Home") == 0.0
    first = press("Shift+ArrowRight")
    assert first == pytest.approx(look.run("return player.now.events[0].t"))
    assert press("End") == look.run("return player.now.end")
    press("Home", "-", " ")
    assert look.run("return [player.playing, player.speed]") == [True, 0.5]
    press(" ", "t")
    assert look.run("return [player.playing, player.picture.trails]") == [False, False]
    look.page.locator("[data-part=events] button").first.focus()
    press("ArrowDown", "ArrowDown")
    assert look.run("return player.current") == 2
    assert look.run("return document.activeElement === player.parts.events.children[2].firstChild")
    look.run("document.activeElement.blur()")
    look.page.locator(".replay-board svg").click()
    assert look.run("return [player.playing, document.activeElement === player.section]") == [True, True]


def test_a_frame_costs_little(browser: Browser, page: Path) -> None:
    with looking(browser, page, before=COSTS) as look:
        look.run("player.play()")
        look.page.wait_for_timeout(1500)
        costs = look.run("return window.costs")
    stamps = [stamp for _, stamp in costs]
    print(f"{1000 * (len(stamps) - 1) / (stamps[-1] - stamps[0]):.1f} frames/s")  # noqa: T201
    assert len(costs) > 20
    assert statistics.median(cost for cost, _ in costs) < 4.0


def test_it_begins_by_itself_unless_motion_is_not_wanted(browser: Browser, page: Path) -> None:
    with looking(browser, page, reduced_motion="no-preference") as moving, looking(browser, page) as calm:
        moving.page.wait_for_timeout(900)
        assert moving.run("return player.time") > 0
        assert calm.run("return [player.time, player.playing]") == [0, False]


def test_a_board_shows_its_strokes_with_rulings_and_laws(browser: Browser, board_page: Path, takes: list[Take]) -> None:
    assert len(takes) > 2
    with looking(browser, board_page) as look:
        items = look.page.locator("[data-part=strokes] li").all_inner_texts()
        for take, item in zip(takes, items, strict=True):
            assert take.laws
            for text in (take.title, take.meant, take.ruling, ", ".join(take.laws), take.score):
                assert text in item
        look.page.get_by_role("button", name="Next stroke").click()
        for part, text in (("title", takes[1].title), ("ruling", takes[1].ruling), ("laws", ", ".join(takes[1].laws))):
            assert look.page.locator(f"[data-part={part}]").inner_text() == text
        assert look.page.locator("[data-part=strokes] [aria-current]").inner_text() == items[1]
        assert look.page.locator("[data-part=count]").inner_text() == f"Stroke 1 of 0 to {len(takes) - 1}"
        start = takes[1].follow().at(0.0)
        found = look.seen()
        assert set(found) == set(np.flatnonzero(~np.isnan(start[:, 0])).tolist())
        look.run("player.move(player.now.end); player.play()")  # at the end it plays the stroke again
        look.run("player.seek(player.now.end)")
        look.page.wait_for_timeout(1500)
        assert look.run("return player.number") == 2


def test_a_phone_has_room_for_it(browser: Browser, board_page: Path) -> None:
    phone = {"viewport": {"width": 360, "height": 700}, "has_touch": True, "is_mobile": True}
    with looking(browser, board_page, **phone) as look:
        assert look.run("return document.documentElement.scrollWidth") <= 360
        boxes = [button.bounding_box() for button in look.page.get_by_role("button").all() if button.is_visible()]
        assert len(boxes) > 8
        assert min(min(box["width"], box["height"]) for box in boxes if box) >= 44
        look.page.set_viewport_size({"width": 320, "height": 640})
        small = look.run("return document.querySelector('.replay-clock').clientHeight")
        look.run("document.documentElement.style.fontSize = '200%'; player.move(player.now.end)")
        assert look.run("return document.documentElement.scrollWidth") <= 320
        assert look.run("return document.querySelector('.replay-clock').clientHeight") > 1.5 * small


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser: Browser, board_page: Path, scheme: str) -> None:
    with looking(browser, board_page, color_scheme=scheme) as look:
        look.run("player.goToEvent(1); document.querySelector('details').open = true")
        found = Axe().run(look.page)
        assert found.violations_count == 0, found.generate_report()
        paint = look.run("return getComputedStyle(document.querySelector('.c-wood')).fill")
        assert (paint == "rgb(240, 220, 180)") == (scheme == "light")


def test_paper_shows_the_end_in_light_colours(browser: Browser, page: Path, trajectory: Trajectory) -> None:
    with looking(browser, page, color_scheme="dark") as look:
        look.page.emulate_media(media="print")
        look.page.wait_for_timeout(100)
        assert len(look.seen()) == 18
        assert look.run("return player.time === player.now.end")
        assert not look.page.locator("[data-part=play]").is_visible()
        assert look.page.locator("[data-part=events] li").last.is_visible()
        assert look.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert look.run("return getComputedStyle(document.querySelector('.c-wood')).fill") == "rgb(240, 220, 180)"
        look.page.emulate_media(media="screen")
        look.page.wait_for_timeout(100)
        assert look.run("return player.time") == 0
        look.run("player.goToEvent(5); dispatchEvent(new Event('beforeprint'))")
        assert look.run("return player.time === player.now.end")
        look.run("dispatchEvent(new Event('afterprint'))")
        after = look.run("return [player.current, player.time === player.now.events[5].t, player.eventShown]")
        assert after == [5, True, 5]


def test_without_javascript_a_page_can_be_read(browser: Browser, board_page: Path, takes: list[Take]) -> None:
    with looking(browser, board_page, java_script_enabled=False) as look:
        for part, text in (("title", takes[0].title), ("ruling", takes[0].ruling), ("score", takes[0].score)):
            assert look.page.locator(f"[data-part={part}]").inner_text() == text
        items = look.page.locator("[data-part=strokes] li").all_inner_texts()
        for take, item in zip(takes, items, strict=True):
            for text in (take.title, take.meant, take.ruling, ", ".join(take.laws), take.score):
                assert text in item
        assert look.page.locator("[data-part=facts] dt").count() >= 9
        for part in ("eventList", "play"):
            assert not look.page.locator(f"[data-part={part}]").is_visible()
        assert not look.page.get_by_text("Keys").is_visible()
        assert look.page.get_by_role("button").count() == 0


def test_the_system_may_choose_the_colours(browser: Browser, page: Path) -> None:
    with looking(browser, page, forced_colors="active") as look:
        look.run("player.goToEvent(3)")
        outline = "return [...document.querySelectorAll('[aria-current], [aria-pressed=true]')].map((each) =>"
        assert look.run(f"{outline} getComputedStyle(each).outlineStyle)") == ["solid", "solid"]
        assert look.run("return getComputedStyle(player.parts.play).outlineStyle") == "none"


def test_the_focus_stays_in_the_replay(browser: Browser, folder: Path, takes: list[Take]) -> None:
    body = "".join(replay(takes[:3], title=name).fragment() for name in ("One", "Two", "Three"))
    file = folder / "three.html"
    file.write_text(page_of("Three", body, scripts=[player_js()], styles=[player_css()]), encoding="utf-8")
    with looking(browser, file) as look:
        two = "const two = document.querySelectorAll('.replay')[1].carromsim;"
        inside = "two.parts.events.querySelector('[tabindex=\"0\"]') === document.activeElement"
        look.run(f"{two} two.parts.events.children[2].firstChild.focus()")
        for key, number in (("n", 1), ("n", 2), ("n", 2), ("p", 1)):
            look.page.keyboard.press(key)
            assert look.run(f"{two} return [two.number, {inside}]") == [number, True]
            able = look.run(f"{two} return ['Before', 'After'].map((name) => !two.parts['stroke' + name].ariaDisabled)")
            assert able == [True, number < 2]
        look.run(f"{two} two.parts.strokeAfter.focus(); two.parts.strokeAfter.click(); two.parts.strokeAfter.click()")
        assert look.run(f"{two} return [two.number, two.parts.strokeAfter === document.activeElement]") == [2, True]
        numbers = look.run("return [...document.querySelectorAll('.replay')].map((each) => each.carromsim.number)")
        assert numbers == [0, 2, 0]
        assert look.page.get_by_role("heading", level=2).count() == 9


def test_words_of_strangers_do_nothing(browser: Browser, folder: Path, trajectory: Trajectory) -> None:
    said = {"title": HOSTILE, "meant": HOSTILE, "ruling": HOSTILE, "laws": (HOSTILE,), "score": HOSTILE}
    scenes = (Scene(trajectory=trajectory, **said), Scene(trajectory=trajectory))
    file = Replay(title=HOSTILE, scenes=scenes).save(folder / "hostile.html")
    with looking(browser, file) as look:
        assert look.page.title() == HOSTILE.replace("\u2028", "\u2028")
        assert look.page.locator("h1").text_content() == HOSTILE
        assert look.page.locator("[data-part=ruling]").text_content() == HOSTILE
        assert look.page.locator("img").count() == 0


def test_discs_overboard_are_named_and_a_stroke_may_be_nothing(browser: Browser, folder: Path) -> None:
    wild = cs.Equipment.preset("icf").replace(jump_chance=1.0, jump_speed=0.5)
    layout = cs.arrange(white=[(0.0, 0.0)])
    strokes = [cs.follow(layout, cs.Strokes(x=0.0, angle=math.pi / 2, speed=v), equipment=wild) for v in (0.0, 6.0)]
    assert [int(each.outcome.overboard.sum()) for each in strokes] == [0, 2]
    with looking(browser, replay(strokes, title="Wild").save(folder / "wild.html")) as look:
        look.run("player.play()")
        look.page.wait_for_timeout(100)
        assert look.run("return player.time") == 0
        assert set(look.seen()) == {0, 2}
        look.run("player.go(1); player.move(player.now.end)")
        assert look.page.locator("[data-part=overboard]").inner_text() == "Overboard: striker, white 1"
        assert look.seen() == {}
        facts = look.page.locator("[data-part=facts]").inner_text().split("\n")
        assert facts[facts.index("Overboard") + 1] == "striker, white 1"


def test_several_replays_in_one_page_keep_apart(browser: Browser, folder: Path, trajectory: Trajectory) -> None:
    body = replay(trajectory, title="One").fragment() + replay(trajectory, title="Other").fragment()
    file = folder / "two.html"
    file.write_text(page_of("Two", body, scripts=[player_js()], styles=[player_css()]), encoding="utf-8")
    with looking(browser, file, reduced_motion="no-preference") as look:
        look.page.wait_for_timeout(800)
        other = "const other = document.querySelectorAll('.replay')[1].carromsim;"
        assert look.run(f"{other} return [player.time, other.time]") == [0, 0]
        look.page.get_by_role("region", name="Replay: Other").get_by_role("button", name="Next event").click()
        look.page.keyboard.press("End")
        assert look.run(f"{other} return [player.time, other.time === other.now.end]") == [0, True]
        assert Axe().run(look.page).violations_count == 0


def test_a_notebook_embeds_it(browser: Browser, folder: Path, trajectory: Trajectory) -> None:
    file = folder / "notebook.html"
    file.write_text(f"<!DOCTYPE html><title>n</title>{replay(trajectory)._repr_html_()}", encoding="utf-8")
    with looking(browser, file) as look:
        frame = look.page.frame_locator("iframe")
        frame.get_by_role("button", name="Next event").click()
        assert "meet" in frame.get_by_role("status").inner_text()

"""The report: one sound page whose numbers are the summary's, with rows that are what it calls them."""

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from rich.console import Group
from rich.table import Table
from rich.text import Text

import carromsim as cs
from carromsim import cli
from carromsim.studies.declaring.declare import study_from_toml
from carromsim.studies.runs.reading import Run
from carromsim.viz import report, report_page
from carromsim.viz.rich_html import html_of
from carromsim.viz.shown_rows import shown_rows
from viz.browser import looking

Runs = dict[str, Run]
VOID = {"meta", "img", "source", "br", "hr", "input", "link", "line", "circle", "path", "rect", "use", "ellipse"}


class Page(HTMLParser):
    """Reads a page, refusing elements that do not close one another, and keeps its tables, ids and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.text = text
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [str(given["id"])] if "id" in given else []
        self.links += [str(given[name]) for name in ("href", "src", "srcset", "action", "xlink:href") if name in given]
        assert "style" not in given
        assert not [name for name in given if name.startswith("on")]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "img":
            self.images.append(given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            self.handle_starttag(tag, attrs)
        else:
            self.handle_starttag(tag, attrs)
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data

    def row(self, table: str, name: str) -> list[str]:
        """Cells of a row, by the first heading of its table and by its own."""
        (found,) = (row for rows in self.tables if rows[0][0] == table for row in rows if row[0] == name)
        return found


@pytest.fixture(scope="module")
def pages(runs: Runs) -> dict[str, Page]:
    return {name: Page(report_page(runs[name])) for name in ("break", "variants")}


def rows_of(run: Run, name: str) -> list[dict[str, Any]]:
    return list(run.tables[name].to_table().to_pylist())


def share(told: dict[str, Any]) -> list[str]:
    return [
        f"{told['count']:,}",
        f"{100 * told['estimate']:.2f} %",
        f"{100 * told['low']:.2f} to {100 * told['high']:.2f} %",
    ]


@pytest.mark.parametrize("kind", ["break", "variants"])
def test_a_page_is_sound_and_asks_nobody(pages: dict[str, Page], kind: str) -> None:
    page = pages[kind]
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link.startswith(("data:image/svg+xml;base64,", "#")), link
        assert not link.startswith("#") or link[1:] in page.ids
    assert "default-src 'none'" in page.text
    assert "'unsafe-inline'" not in page.text
    assert len(page.text) < report.MOST_BYTES
    for image in page.images:
        assert "n = " in str(image["alt"])


def test_every_number_of_a_break_summary_is_there(runs: Runs, pages: dict[str, Page]) -> None:
    told, page = runs["break"].summary().to_dict(), pages["break"]
    words = {"any": "at least one man or the queen", "queen": "the queen", "striker": "the striker"}
    for key, name in words.items():
        assert page.row("Pocketed", name) == [name, *share(told["probability"][key])]
    for law, seen in told["ruling"]["laws"].items():
        assert page.row("Deciding law", law) == [law, *share(seen)]
    for number, count in enumerate(told["n_pocketed"]["distribution"]):
        if count:
            assert page.row("Men and queen", str(number))[1:3] == [f"{count:,}", f"{100 * count / 400:.2f} %"]
    for each in told["by_pocket"]:
        counts = [f"{each[kind]:,}" for kind in ("white", "black", "queen", "striker")]
        assert page.row("Pocket", each["pocket"]) == [each["pocket"], *counts, f"{100 * each['share']:.1f} %"]
    assert page.row("Course", "duration")[1] == f"{told['duration']['mean']:.2f} s"


def test_every_share_of_boards_is_there_and_all_differences(runs: Runs, pages: dict[str, Page]) -> None:
    summary = runs["board"].summary()
    boards = Page(html_of(summary.study.report(summary)))
    for key, name in summary.counts.words.items():
        assert boards.row("Of boards ended by the rules", name) == [name, *share(summary.to_dict()["over"][key])]
    drawn = [row for rows in pages["variants"].tables if rows[0][0] == "Metric" for row in rows[1:]]
    found = runs["variants"].summary().differences
    assert len(drawn) == sum(map(len, found.values()))
    keys = [(name, key) for key in runs["variants"].summary().metrics for name in found]
    for row, (name, key) in zip(drawn, keys, strict=True):
        each = found[name][key]
        scale = 100.0 if each.share else 1.0
        assert row[0] == name
        assert float(row[3]) == pytest.approx(scale * each.difference, abs=0.06)


def test_it_says_how_sure_the_numbers_are(pages: dict[str, Page]) -> None:
    told = {
        kind: page.text.partition('<p class="report-method">')[2].partition("</p>")[0] for kind, page in pages.items()
    }
    assert "Wilson" in told["break"]
    assert ("“What varied”" in told["break"]) == (">What varied</th>" in pages["break"].text)
    assert "Holm" in told["variants"]
    assert all("guesses" in words for words in told.values())


def test_where_it_comes_from(runs: Runs, pages: dict[str, Page]) -> None:
    for kind, page in pages.items():
        run = runs[kind]
        toml = html.unescape(page.text.partition('<pre tabindex="0">')[2].partition("</pre>")[0])
        assert study_from_toml(toml) == run.study
        assert run.manifest["study_hash"] in page.text
        assert run.manifest["versions"]["kernels"] in page.text


def test_rows_of_breaks_are_what_they_are_called(runs: Runs, pages: dict[str, Page]) -> None:
    rows = rows_of(runs["break"], "strokes")
    men = [sum(pocket is not None for pocket in row["pocket"][1:]) for row in rows]
    shown = {words: each.row for each in shown_rows(runs["break"]) for words in each.words.lower().split(", ")}
    assert shown["the most men fall"] == men.index(max(men))
    durations = [row["duration"] for row in rows]
    assert shown["the longest"] == durations.index(max(durations))
    assert men[shown["typical: as many men fall as in the median break"]] == sorted(men)[(len(men) - 1) // 2]
    fallen = [row["row"] for row in rows if row["pocket"][0] is not None]
    assert [shown["the striker falls"]] == fallen[:1] if fallen else "the striker falls" not in shown
    for each in shown_rows(runs["break"]):
        assert html.escape(each.words) in pages["break"].text
    assert pages["break"].text.count('class="replay-data"') == len(shown_rows(runs["break"]))


def test_rows_of_other_studies(runs: Runs) -> None:
    strokes = {row["row"]: row["strokes"] for row in rows_of(runs["board"], "boards") if row["ended"] == 0}
    typical, shortest, longest = (each.row for each in shown_rows(runs["board"]))
    assert (strokes[shortest], strokes[longest]) == (min(strokes.values()), max(strokes.values()))
    assert strokes[typical] == sorted(strokes.values())[(len(strokes) - 1) // 2]
    (last,) = {each.board for each in shown_rows(runs["match"])}
    assert last == max(row["board"] for row in rows_of(runs["match"], "boards"))
    shots = {row["row"]: row for row in rows_of(runs["shot"], "shots")}
    by_words = {each.words.partition(",")[0]: shots[each.row] for each in shown_rows(runs["shot"])}
    assert by_words["The man falls"]["success"] == 1
    assert by_words["The man does not fall"]["success"] == 0
    pair = shown_rows(runs["variants"])
    named = {row["row"]: (row["variant"], row["number"]) for row in rows_of(runs["variants"], "boards")}
    (first, number), (second, same) = (named[each.row] for each in pair)
    assert (first, second, number) == ("icf", "ukca", same)
    winner = runs["optimise"].summary().winner
    assert winner is not None
    assert [each.row for each in shown_rows(runs["optimise"])] == [winner.row]
    summary = runs["front"].summary()
    good = [each.row for each, kept in zip(summary.of(3), summary.undominated, strict=True) if kept]
    assert {each.row for each in shown_rows(runs["front"])} <= set(good)


def test_rows_without_room_are_named(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "plots_of", lambda run: ())
    monkeypatch.setattr(report, "MOST_BYTES", 10)
    text = report_page(runs["plain"])
    assert 'class="replay-data"' not in text
    row = shown_rows(runs["plain"])[0].row
    assert f"<code>carromsim replay {runs['plain'].directory} --row {row} -o stroke.html</code>" in text


def test_a_row_that_comes_out_otherwise_is_not_shown_as_it_was(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "plots_of", lambda run: ())
    monkeypatch.setattr(Run, "again", lambda self, row: self.row(row + 1))
    text = report_page(runs["plain"])
    assert "comes out otherwise now" in text
    assert 'class="replay-data"' not in text


def test_an_unfinished_run_says_so_and_strange_names_do_no_harm(tmp_path: Path, runs: Runs) -> None:
    root = tmp_path / "<script>alert(1)<"
    root.mkdir()
    (root / "manifest.json").write_bytes(runs["break"].place.read("manifest.json"))
    page = Page(report_page(cs.open_run(root)))
    assert "0 of 400 rows are there; the run is not finished." in page.text
    assert page.tables == []
    assert page.images == []
    assert "nan" not in page.text.lower().split("<main", 1)[1]
    for name in ("What came out", "In numbers", "Strokes to look at"):
        assert name not in page.text
    assert "<script>alert" not in page.text
    assert html.escape(str(root)) in page.text


def test_the_command(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.html"
    assert cli.run(["report", str(runs["plain"].directory), "-o", str(file)]) == 0
    assert capsys.readouterr().out == f"Written   {file}, {file.stat().st_size / 1e3:,.0f} kB\n"
    assert file.read_text(encoding="utf-8") == report_page(runs["plain"])
    assert cli.run(["report", str(runs["plain"].directory), "-o", str(tmp_path / "no" / "report.html")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_tables_for_a_terminal_become_tables() -> None:
    table = Table("Name", "", "n")
    table.columns[2].justify = "right"
    table.add_row("a <b>", "", "")
    table.add_row(Text("  [inner]"), "████", "1,000")
    made = html_of(
        Group(Text("of all", style="italic"), table, Text("Side 0    greedy\nObjective +1 men\nplain"), Text())
    )
    assert "<caption>of all</caption>" in made
    assert '<th scope="rowgroup" colspan="3">a &lt;b&gt;</th>' in made
    assert '<th scope="row" class="inner">[inner]</th>' in made
    assert '<td class="number">1,000</td>' in made
    assert re.search(r"<svg class=\"bar\".*<rect width=\"4\"", made)
    assert made.endswith("<dl><dt>Side 0</dt><dd>greedy</dd><dt>Objective</dt><dd>+1 men</dd></dl>\n<p>plain</p>")
    assert html_of(Table("Only headings")) == ""
    with pytest.raises(TypeError, match="parts has int"):
        html_of(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(("scheme", "width"), [("dark", 390), pytest.param("light", 1200, marks=pytest.mark.slow)])
def test_in_a_browser(browser: Browser, pages: dict[str, Page], tmp_path: Path, scheme: str, width: int) -> None:
    file = tmp_path / "report.html"
    file.write_text(pages["variants" if scheme == "light" else "break"].text, encoding="utf-8")
    size = {"width": width, "height": 800}
    with looking(browser, file, color_scheme=scheme, viewport=size) as look:
        look.page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth)")
        assert look.run("return document.documentElement.scrollWidth") == width
        pictures = look.page.locator("picture")
        shown = look.run("return document.images[0].currentSrc")
        assert shown == pictures.first.locator("source" if scheme == "dark" else "img").get_attribute(
            "srcset" if scheme == "dark" else "src"
        )
        found = Axe().run(look.page)
        assert found.violations_count == 0, found.generate_report()
        assert look.run("return player !== undefined && document.querySelectorAll('.replay.is-ready').length > 0")

"""The documentation site: its links lead somewhere, everything public is in it, its gallery is whole and small."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

import carromsim as cs
from carromsim import viz
from carromsim.viz import plots

pytestmark = pytest.mark.sources

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def imported(name: str) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield importlib.import_module(name)
    sys.modules.pop(name)


@pytest.fixture(scope="module")
def site_pages() -> Iterator[ModuleType]:
    yield from imported("site_pages")


@pytest.fixture(scope="module")
def check_links() -> Iterator[ModuleType]:
    yield from imported("check_links")


@pytest.fixture(scope="module")
def draw_gallery() -> Iterator[ModuleType]:
    yield from imported("draw_gallery")


# Pages


def test_every_public_name_is_in_the_reference() -> None:
    page = (DOCS / "python_reference.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^(?: +|\.\. py:data:: )(\w+)$", page, flags=re.MULTILINE))
    for module in (cs, viz, plots):
        assert set(module.__all__) - named <= {"PLOTS", "plot_named"}, module.__name__


def test_links_out_of_the_folder_lead_to_pages_of_the_site(site_pages: ModuleType) -> None:
    text = "[words](../GLOSSARY.md#the-game), [a](tables.md#x), [b](https://b.org), [`src/`](../src/), [l](../LICENSE)"
    assert site_pages.placed(text, "docs/here.md", "here.md") == (
        "[words](made/glossary.md#the-game), [a](tables.md#x), [b](https://b.org), `src`, l (`LICENSE`)"
    )
    text = "[p](peers/README.md) and [physics](../docs/physics.md) and ![picture](../docs/equipment.png)"
    assert site_pages.placed(text, "benchmarks/README.md", "made/benchmarks.md") == (
        "[p](peers.md) and [physics](../physics.md) and ![picture](../equipment.png)"
    )


def test_every_command_and_every_shipped_file_has_its_place(site_pages: ModuleType) -> None:
    from carromsim.cli.app import app

    page = site_pages.command_line()
    assert page.startswith("# Command line\n")
    for name in app:
        assert name.startswith("-") or f"## carromsim {name}\n" in page
    shown = site_pages.rule_files() + site_pages.equipment_files() + site_pages.study_files()
    included = {(site_pages.MADE / path).resolve() for path in re.findall(r"\{literalinclude\} (\S+)", shown)}
    package = ROOT / "src" / "carromsim"
    shipped = {*(package / "data").glob("*/*.toml"), *(package / "studies" / "schema").glob("*.toml")}
    assert included == shipped
    assert len(shipped) > 15


def test_what_is_wrong_with_a_site_is_told(check_links: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="below/page.html#there">a</a> <a href="below/page.html#gone">b</a> <a href="https://c.org">c</a>'
        ' <a href="#top">d</a> <a href="gone.html">e</a> <img src="data:image/png;base64,AA"> <h1 id="top">f</h1>'
    )
    (tmp_path / "below" / "page.html").write_text(
        '<p id="there"><a href="../index.html">a</a> <script src="https://cdn.org/b.js"></script>'
        ' <link href="style.css"> <img src="http://c.org/d.png">'
    )
    assert list(check_links.problems(tmp_path)) == [
        "below/page.html: fetches https://cdn.org/b.js",
        "below/page.html: style.css is no file",
        "below/page.html: fetches http://c.org/d.png",
        "index.html: below/page.html#gone is nowhere on that page",
        "index.html: gone.html is no file",
    ]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(check_links: ModuleType, tmp_path: Path) -> None:
    """Without its notebooks, which have tests of their own."""
    order = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-b", "html"]
    order += ["-D", "nb_execution_mode=off", "-d", str(tmp_path / "read"), str(DOCS), str(tmp_path / "site")]
    paths = os.pathsep.join(str(ROOT / folder) for folder in ("src", "kernels"))
    done = subprocess.run(
        order, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths}, timeout=500
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(check_links.problems(tmp_path / "site")) == []


# Gallery


def test_the_gallery_shows_what_its_script_makes(draw_gallery: ModuleType) -> None:
    page = draw_gallery.PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"!\[.{10,}?\]\(gallery/([\w-]+)\.png\)", page)
    made = {path.stem for path in draw_gallery.PICTURES.iterdir()}
    assert len(shown) == len(set(shown)) == page.count("![")
    assert set(shown) == made == {*draw_gallery.PHOTOGRAPHS, *draw_gallery.TAKEN}
    pictures = list(draw_gallery.PICTURES.iterdir())
    assert sum(path.stat().st_size for path in pictures) < 2_500_000
    for path in pictures:
        with Image.open(path) as picture:
            assert (picture.format, picture.mode) == ("PNG", "P")
            assert 300 <= picture.width <= draw_gallery.MOST_WIDTH


def test_a_picture_is_shrunk(draw_gallery: ModuleType, tmp_path: Path) -> None:
    Image.linear_gradient("L").resize((2200, 1000)).convert("RGB").save(tmp_path / "large.png")
    draw_gallery.shrunk(tmp_path / "large.png", tmp_path / "small.png")
    with Image.open(tmp_path / "small.png") as picture:
        assert (picture.size, picture.mode) == ((1100, 500), "P")

"""Makes the pictures of docs/gallery.md by what that page shows: ``python docs/draw_gallery.py``.

The page's files, commands and Python are run as they stand, in an empty folder. Then its pages are photographed in
Chromium, its plots taken over, all with few colours so that they are small. The first page of the site is photographed
only if the site has been built.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from carromsim import cli

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
PICTURES = DOCS / "gallery"
SITE = DOCS / "_build" / "html" / "index.html"

COLOURS = 256
MOST_WIDTH = 1100
"""Of a picture [pixels]."""

BLOCK = re.compile(r"(?:`([\w.]+)`:\n\n)?^```(console|python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Photograph(NamedTuple):
    """A page at a moment."""

    page: str
    script: str = ""
    """JavaScript that brings the moment about; `player` is the page's replay."""
    width: int = 1280
    height: int = 800
    dark: bool = False


PHOTOGRAPHS = {
    "replay_start": Photograph("break.html", "player.seek(0)"),
    "replay_middle": Photograph("break.html", "player.seek(0.35)"),
    "replay_end": Photograph("break.html", "player.seek(player.now.end)"),
    "replay_phone": Photograph("break.html", "player.seek(0.35)", 390, 800),
    "replay_dark": Photograph("break.html", "player.seek(0.35)", 1000, 760, True),
    "board": Photograph("board.html", "player.show(6); player.seek(0.4)"),
    "report": Photograph("report.html", height=1500),
    "site": Photograph(str(SITE), height=1250),
}
"""By the name of the picture."""

TAKEN = {
    **{name: f"plots-break/{name}.png" for name in ("final_positions", "pocket_flow", "men_pocketed", "convergence")},
    **{f"success-{key}": f"plots-shots/success-{key}.png" for key in ("cut", "distance")},
    **{name: f"plots-boards/{name}.png" for name in ("lengths", "scores")},
    "forest": "plots-variants/forest-won_breaker.png",
    **{name: f"plots-search/{name}.png" for name in ("optimum", "sensitivity_map")},
    "front": "plots-front/front.png",
    **{name: f"{name}.png" for name in ("position_light", "position_dark", "trajectory", "before_after")},
}
"""Pictures that a command or the Python has made, by the name that they get."""


def run_page() -> None:
    """Run the blocks of the page in the working directory."""
    names: dict[str, object] = {}
    for file, kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "toml":
            Path(file).write_text(text, encoding="utf-8")
        elif kind == "python":
            exec(compile(text, PAGE.name, "exec"), names)
        else:
            for command in re.findall(r"^\$ carromsim (.*)$", text, flags=re.MULTILINE):
                sys.stderr.write(f"{command}\n")
                with contextlib.redirect_stdout(io.StringIO()):
                    code = cli.run(shlex.split(command))
                if code:
                    raise SystemExit(f"carromsim {command}: exit code {code}")


def photograph(browser: Browser, wanted: Photograph, file: Path) -> None:
    """Open a page without a network, bring it to its moment, and save what is seen."""
    size = {"width": wanted.width, "height": wanted.height}
    scheme = "dark" if wanted.dark else "light"
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce", offline=True)
    page = context.new_page()
    page.goto(Path(wanted.page).resolve().as_uri())
    if wanted.script:
        page.evaluate(f"() => {{ const player = document.querySelector('.replay').carromsim; {wanted.script} }}")
    page.wait_for_timeout(300)
    page.screenshot(path=file)
    context.close()


def shrunk(source: Path, target: Path) -> None:
    """Save a picture with few colours, and not wider than a page."""
    with Image.open(source) as found:
        picture = found.convert("RGB")
    if picture.width > MOST_WIDTH:
        height = round(picture.height * MOST_WIDTH / picture.width)
        picture = picture.resize((MOST_WIDTH, height), Image.Resampling.LANCZOS)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def main(folder: Path) -> None:
    """Make all pictures in a folder, then those of the gallery."""
    browser_path = os.environ.get("CARROMSIM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if browser_path is None:
        raise SystemExit("no browser: install Debian's package chromium, or name one in CARROMSIM_CHROMIUM")
    PICTURES.mkdir(exist_ok=True)
    with contextlib.chdir(folder), sync_playwright() as playwright:
        run_page()
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name, wanted in PHOTOGRAPHS.items():
            if Path(wanted.page).exists():
                photograph(browser, wanted, Path(f"{name}-seen.png"))
                shrunk(Path(f"{name}-seen.png"), PICTURES / f"{name}.png")
            else:
                sys.stderr.write(f"{wanted.page} is not there: {name} is not made anew\n")
        browser.close()
        for name, source in TAKEN.items():
            shrunk(Path(source), PICTURES / f"{name}.png")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        main(Path(empty))

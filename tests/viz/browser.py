"""The browser in which pages are tried: Chromium as the system has it, named in one place."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")

WATCH = """
window.broken = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.broken.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""
"""Runs before a page's own scripts and collects what its content security policy refuses."""


def chromium() -> str | None:
    """Path of the browser: what CARROMSIM_CHROMIUM names, or the first of NAMES on the PATH."""
    return os.environ.get("CARROMSIM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started() -> Iterator[Browser]:
    """Start a browser; skip the test if there is none."""
    path = chromium()
    if path is None:
        pytest.skip("no browser: install Debian's package chromium, or name one in CARROMSIM_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])  # root may not have one
        try:
            yield browser
        finally:
            browser.close()


class Look:
    """A page that was opened from a file with the network cut, and all that went wrong in it."""

    def __init__(self, browser: Browser, file: Path, *, before: str = "", **options: Any) -> None:
        given = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options}
        self.context: BrowserContext = browser.new_context(**given)
        self.context.set_offline(True)
        self.context.add_init_script(WATCH + before)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def run(self, code: str) -> Any:
        """Evaluate JavaScript; `player` is that of the first replay."""
        return self.page.evaluate(f"() => {{ const player = document.querySelector('.replay')?.carromsim; {code} }}")

    def seen(self) -> dict[int, tuple[float, float]]:
        """Where the discs are drawn [mm, y up], read from the picture itself."""
        drawn = self.run(
            """const found = {};
            for (const disc of document.querySelectorAll(".replay-board [data-disc]")) {
              if (disc.getAttribute("display") === "none") continue;
              const { e, f } = disc.transform.baseVal.consolidate().matrix;
              found[disc.dataset.disc] = [e, -f];
            }
            return found;"""
        )
        return {int(disc): tuple(place) for disc, place in drawn.items()}

    def close(self) -> None:
        """Close it; nothing may have gone wrong, and nothing but the file may have been asked for."""
        broken = self.run("return window.broken")
        self.context.close()
        assert (self.errors, broken) == ([], [])
        assert len(self.requests) == 1


@contextmanager
def looking(browser: Browser, file: Path, **options: Any) -> Iterator[Look]:
    """Open a file in a context of its own."""
    look = Look(browser, file, **options)
    try:
        yield look
    except BaseException:
        look.context.close()
        raise
    look.close()

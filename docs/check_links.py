"""Looks whether every link of the built site leads somewhere, and that nothing is fetched from elsewhere.

``python docs/check_links.py`` fails and tells what is wrong. Sphinx warns of references that it cannot resolve; this
reads what a browser would get, whoever wrote it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

SITE = Path(__file__).parent / "_build" / "html"

FETCHED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""What a browser fetches without being asked."""


def problems(site: Path) -> Iterator[str]:
    """Tell what is wrong with a site.

    Parameters
    ----------
    site : Path
        The folder with its pages.
    """
    files = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in files}
    anchors = {path: {tag["id"] for tag in page.find_all(id=True)} for path, page in pages.items()}
    for path, page in pages.items():
        where = path.relative_to(site)
        for tag in page.find_all([*FETCHED, "a"]):
            target = tag.get(FETCHED.get(tag.name, "href"))
            if target is None:
                continue
            url = urlsplit(target)
            if url.scheme or url.netloc:
                if tag.name in FETCHED and url.scheme != "data":
                    yield f"{where}: fetches {target}"
                continue
            meant = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not meant.is_file():
                yield f"{where}: {target} is no file"
            elif url.fragment and meant in anchors and unquote(url.fragment) not in anchors[meant]:
                yield f"{where}: {target} is nowhere on that page"


def main() -> str | None:
    """Tell what is wrong, if anything is."""
    if not (SITE / "index.html").is_file():
        return f"{SITE}: no site there; make docs"
    return "\n".join(problems(SITE)) or None


if __name__ == "__main__":
    sys.exit(main())

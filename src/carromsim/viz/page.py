"""One HTML file that needs nothing else: no network, no server, no other file."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

__all__ = ["asset", "island", "page"]

_NO_SCRIPT = "This page comes to life with JavaScript, which is switched off here: what moves stands still."


def page(title: str, body: str, *, scripts: Sequence[str] = (), styles: Sequence[str] = ()) -> str:
    """Put a page together that loads nothing and runs nothing but what is given here.

    Its content security policy names each script and style by its hash, so that nothing which got into the body could
    run. It has a style of its own, light or dark as the reader's system is, and one for printing and for phones.
    Attributes `style="..."` and handlers such as `onclick` in the body are dead under that policy; pictures are inline
    SVG or data URIs.

    Parameters
    ----------
    title : str
        Plain text: the name of the page and its heading.
    body : str
        HTML below the heading. Whoever writes it escapes the strings in it (`html.escape`) and gives data to scripts by
        `island`.
    scripts : sequence of str
        JavaScript, each run once at the end of the page.
    styles : sequence of str
        Style sheets, in order after the page's own.

    Returns
    -------
    str
        The whole file, to be written as UTF-8.

    Raises
    ------
    ValueError
        If a script or a style holds what would end its element.
    """
    sheets = [_sound(text, "style") for text in (asset("page.css"), *styles)]
    codes = [_sound(text, "script") for text in scripts]
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hashes(codes)}",
            f"style-src {_hashes(sheets)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    name = html.escape(title)
    whole = "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="carromsim">',
            f"<title>{name}</title>",
            *(f"<style>{text}</style>" for text in sheets),
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{name}</h1>",
            *((f'<noscript><p class="notice">{_NO_SCRIPT}</p></noscript>',) if codes else ()),
            body,
            "</main>",
            *(f"<script>{text}</script>" for text in codes),
            "</body>",
            "</html>",
            "",
        )
    )
    return whole.encode(errors="backslashreplace").decode()  # a directory's name may be no text


def island(value: Any, css_class: str) -> str:
    """Give data to a page's scripts: JSON in an element that no text in it can end.

    Parameters
    ----------
    value : object
        Ready for JSON; NaN and infinity are refused.
    css_class : str
        By which the script finds the element.
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" class="{html.escape(css_class)}">{text}</script>'


def asset(name: str) -> str:
    """Read a style sheet or a script that lies beside this module, in `assets`."""
    return (resources.files("carromsim.viz") / "assets" / name).read_text(encoding="utf-8")


def _sound(text: str, element: str) -> str:
    """Give the text as a browser reads it, which the hash is of; refuse what would not stay inside its element."""
    if re.search(rf"</{element}|<!--", text, re.IGNORECASE):
        raise ValueError(f"{element} holds '</{element}' or '<!--', must not: it would end there")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _hashes(texts: Sequence[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"

"""The report of a run: one page that tells what was asked, what came out and where it comes from."""

import base64
import html
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from carromsim.studies.declaring.declare import study_to_toml
from carromsim.studies.runs.work import VersionsError
from carromsim.studies.variants.report import NOUNS
from carromsim.viz.page import asset, page
from carromsim.viz.plots.gallery import counted_once, plots_of
from carromsim.viz.replays import player_css, player_js, replay
from carromsim.viz.rich_html import html_of
from carromsim.viz.shown_rows import ShownRow, shown_rows

if TYPE_CHECKING:
    from rich.console import RenderableType

    from carromsim.studies.runs.reading import Run
    from carromsim.viz.plots.gallery import Wanted

__all__ = ["MOST_BYTES", "report_page"]

MOST_BYTES = 5 * 2**20
"""Of a report. Strokes that would make it larger are named, and not embedded."""

_TITLES = {
    "break": "Study of breaks",
    "shot": "Study of strokes at one man",
    "board": "Study of boards",
    "match": "Study of matches",
    "variants": "Comparison of rules",
    "optimise": "Search for a break",
}
_ABOUT = {
    "final_positions": "Where the men come to rest, of all strokes together.",
    "pocket_flow": "The wider a bundle, the more falls there; its strips are white, black, queen and striker.",
    "men_pocketed": "Share of the strokes by how many men and queen fall at once.",
    "success": "Share of the strokes in which the man falls into the pocket that was meant.",
    "optimum": "Every break that was tried; the darker, the better it looked. A search flatters its best: the winner's"
    " number is of fresh strokes.",
    "sensitivity_map": "The objective when one thing at a time is other than the winner's.",
    "front": "Breaks that gain in one term and lose in the other.",
    "forest": "Each variant less the baseline, number by number with the same luck.",
    "lengths": "All values, the median and the middle 90 %.",
    "scores": "How they end, and for whom.",
    "convergence": "The band may be looked at after every row; the bar is only good had the number of rows been fixed"
    " beforehand.",
}
"""What a plot's caption says besides its title."""
_COUNTED = (
    "Intervals of shares are Wilson's, of means the mean ± z s / √n; each covers its own truth with 95 %. Medians and"
    " other quantiles have none."
)
_METHODS = {
    "break": _COUNTED,
    "shot": "Intervals are Wilson's; each covers its own truth with 95 %.",
    "board": _COUNTED,
    "match": _COUNTED,
    "variants": "Rows with the same luck are compared as pairs: shares by Tango's interval and McNemar's test, means by"
    " the paired t. Each interval covers its own truth with 95 %; the p-values alone are corrected, by Holm, for the"
    " number of comparisons.",
    "optimise": "Intervals of shares are Wilson's, of other means Student's; a gain is over pairs with the same luck,"
    " by Tango's interval or the paired t. Each covers its own truth with 95 %. The verdict is of fresh strokes, so the"
    " search has not flattered it; what lies around the winner and elsewhere are many looks, not corrected for their"
    " number.",
}
"""By which formulas the tables of a kind of study tell how sure they are; see docs/statistics.md."""
_GIVEN = (
    "All intervals are of the luck of the draws alone, as if friction, bounce, pack and hand were just as declared."
    " Those of the equipments and skills that come with carromsim are largely guesses;"
    " no interval says how far they are off."
)
_STOPPED = (
    "The run may stop on what it sees: the interval under “Until” allows for that, the others are as if the number of"
    " rows had been fixed beforehand."
)
_LOOKS = (
    "“What varied” is many looks at one run, and is not corrected for their number: look for trends, not for one line."
)


def report_page(run: "Run") -> str:
    """Write the report of a run, finished or not: a page that needs nothing else, light or dark, to read or to print.

    Parameters
    ----------
    run : Run
        Of any kind.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    OSError
        If a part of the run is damaged.
    """
    run = counted_once(run)
    summary = run.summary()
    study: Any = run.study
    question, *findings = _told(study.report(summary).renderables)
    sections = {"What was asked": f"{html_of(question)}\n{_so_far(run, summary)}"}
    if summary.counts.rows:
        sections["What came out"] = _plots(run)
        numbers = html_of(findings)
        told = _how_sure(study.kind, stops=summary.stopped is not None, looks=">What varied</th>" in numbers)
        sections["In numbers"] = f'{told}\n<div class="report-tables">{numbers}</div>'
        sections["Strokes to look at"] = ""
    sections["Where it comes from"] = _provenance(run)
    warnings = "".join(f'<p class="notice">{html.escape(each)}</p>' for each in summary.warnings)
    room = MOST_BYTES - sum(map(len, sections.values())) - len(player_js()) - len(player_css()) - 20_000
    if summary.counts.rows:
        sections["Strokes to look at"] = "\n".join(_strokes(run, room))
    body = [_contents(list(sections)), warnings]
    body += [f'<section><h2 id="{_id(name)}">{name}</h2>\n{text}\n</section>' for name, text in sections.items()]
    title = f"{_TITLES[study.kind]}: {_how_many(run, summary)}"
    return page(title, "\n".join(body), scripts=[player_js()], styles=[player_css(), asset("report.css")])


def _told(parts: "list[RenderableType]") -> "list[RenderableType]":
    """Leave out the empty lines of a report for a terminal, and its warnings, which stand at the top of the page."""
    return [part for part in parts if not (text := str(part)).startswith("Warning: ") and text.strip()]


def _id(name: str) -> str:
    return name.lower().replace(" ", "-")


def _contents(names: list[str]) -> str:
    items = "".join(f'<li><a href="#{_id(name)}">{name}</a></li>' for name in names)
    return f'<nav class="report-contents" aria-label="Contents"><ul>{items}</ul></nav>'


def _how_many(run: "Run", summary: Any) -> str:
    """Count what the page is of; a row of all variants together is no number that anybody declared."""
    study: Any = run.study
    if study.kind == "variants" and summary.counts.rows == study.rows:
        return f"{study.numbers:,} {NOUNS[study.unit]} under each of {len(study.variants)} variants"
    return f"{summary.counts.rows:,} {summary.counts.noun}"


def _so_far(run: "Run", summary: Any) -> str:
    """Say how many rows there are, if these are not all."""
    there, stopped = summary.counts.rows, summary.stopped
    if there == run.study.rows or (stopped is not None and stopped["reason"] is not None):
        return ""
    return f'<p class="notice">{there:,} of {run.study.rows:,} rows are there; the run is not finished.</p>'


def _how_sure(kind: str, *, stops: bool, looks: bool) -> str:
    """Say by which formulas the numbers tell how sure they are, and of what they cannot be."""
    told = [_METHODS[kind], *([_STOPPED] if stops else []), *([_LOOKS] if looks else []), _GIVEN]
    return f'<p class="report-method">{html.escape(" ".join(told))}</p>'


def _plots(run: "Run") -> str:
    captions = dict(_ABOUT)  # of several alike only the first is explained
    figures = (_figure(run, each, captions.pop(each.plot, "")) for each in plots_of(run))
    return f'<div class="report-plots">\n{"".join(figures)}</div>'


def _figure(run: "Run", wanted: "Wanted", about: str) -> str:
    """Draw a plot for light and for dark surroundings; paper is light."""
    light, dark = (wanted.draw(run, theme, "svg") for theme in ("light", "dark"))
    alt = html.escape(f"{light.title} ({', '.join(light.of.splitlines())})")
    return (
        f'<figure id="plot-{wanted.name}"><picture>'
        f'<source media="screen and (prefers-color-scheme: dark)" srcset="{_data_uri(dark.data)}">'
        f'<img src="{_data_uri(light.data)}" alt="{alt}"></picture>'
        f"{f'<figcaption>{html.escape(about)}</figcaption>' if about else ''}</figure>\n"
    )


def _data_uri(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def _strokes(run: "Run", room: int) -> Iterator[str]:
    """Embed strokes that are worth looking at, as far as they fit; the others are named."""
    rows = shown_rows(run)
    if not rows:
        yield "<p>No row has an outcome yet.</p>"
    for shown in rows:
        what = _embedded(run, shown)
        own = "by itself" if len(what) <= room else "which is too long for this page"
        told = f"<p>{_row(shown)}; {own}: {_command(run, shown)}</p>"
        what = what if len(what) <= room else ""
        room -= len(what)
        yield f'<div class="report-row"><h3>{html.escape(shown.words)}</h3>\n{told}\n{what}\n</div>'


def _embedded(run: "Run", shown: ShownRow) -> str:
    """Play a row again for the page, unless it comes out otherwise than it stands in the run."""
    try:
        same = run.row(shown.row).equals(run.again(shown.row))  # type: ignore[union-attr]  # it was found there
        fragment = replay(run, shown.row, board=shown.board, title=_row(shown)).fragment(heading=4) if same else ""
    except VersionsError as error:
        return f'<p class="notice">{html.escape(str(error))}</p>'
    why = "; ".join(run.changed_versions()) or f"see carromsim verify {_where(run)}"
    return fragment or f'<p class="notice">{_row(shown)} comes out otherwise now: {html.escape(why)}</p>'


def _row(shown: ShownRow) -> str:
    return f"Row {shown.row:,}" + ("" if shown.board is None else f", board {shown.board}, the last")


def _command(run: "Run", shown: ShownRow) -> str:
    board = "" if shown.board is None else f" --board {shown.board}"
    where = html.escape(_where(run))
    return f"<code>carromsim replay {where} --row {shown.row}{board} -o stroke.html</code>"


def _where(run: "Run") -> str:
    """Write the directory of a run as a shell takes it."""
    return shlex.quote(str(run.directory))


def _provenance(run: "Run") -> str:
    """Say which study, by what, and how to get the same bytes."""
    study: Any = run.study
    chunks, versions = run.manifest["chunks"], dict(run.manifest["versions"])
    digest = versions.pop("kernels")
    facts = {
        "Run": str(run.directory),
        "Study": f"{study.kind}, {study.rows:,} {study.noun}, seed {study.seed}",
        "SHA-256 of the study": run.manifest["study_hash"],
        "Rule sets": ", ".join(dict.fromkeys(each.ruleset.name for each in getattr(study, "variants", (study,)))),
        "Equipment": study.equipment.name,
        "Chunks": f"{len(run.numbers()):,} of {chunks['count']:,} are there, {chunks['rows']:,} rows each",
        "Tables": ", ".join(run.manifest["tables"]),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "Digest of the kernels": digest,
    }
    changed, toml = run.changed_versions(), html.escape(study_to_toml(study))
    note = f'<p class="notice">This report was made by other versions: {html.escape("; ".join(changed))}</p>'
    listed = "".join(f"<dt>{name}</dt><dd>{html.escape(str(value))}</dd>" for name, value in facts.items())
    return (
        f"<dl>{listed}</dl>\n{note if changed else ''}"
        "<p>The same bytes again, with the same versions: save what stands below as <code>study.toml</code>, then"
        " <code>carromsim run study.toml --out again</code>.</p>\n"
        f'<details><summary>The study in full, as TOML</summary><pre tabindex="0">{toml}</pre></details>'
    )

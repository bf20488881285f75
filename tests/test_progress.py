"""What is said while a study runs: pace and what is known by now, in lines or as a bar, or nothing."""

import io
import re
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console

from carromsim.cli import progress
from carromsim.cli.progress import Pace, progress_shown, tell_if_cold
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.breaks.summary import BreakCounts

STUDY = BreakStudy(strokes=100, seed=1)


@pytest.fixture(scope="module")
def counts() -> BreakCounts:
    return STUDY.counts_of(STUDY.batch(range(100))["strokes"])


def clock(*times: float) -> Callable[[], float]:
    passing: Iterator[float] = iter(times)
    return lambda: next(passing)


def known(counts: BreakCounts) -> str:
    """What is to be said of the main result, by Wilson's formula written out."""
    n, p, z = 100, counts.fell["any"] / 100, 1.959963984540054
    half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
    return f"pocketing {100 * p:.1f} +- {100 * half:.1f} %"


def test_a_line_tells_rate_time_left_and_half_width(counts: BreakCounts) -> None:
    pace = Pace(clock(10.0, 12.0, 60.0))
    assert pace.line(0, 9000, BreakCounts.none()) == "0 of 9,000 strokes"
    assert pace.line(3000, 9000, counts) == f"3,000 of 9,000 strokes, 1,500/s, 4 s left, {known(counts)}"
    assert pace.line(9000, 9000, counts) == f"9,000 of 9,000 strokes, 180/s, {known(counts)}"


def test_strokes_found_by_a_resumed_run_cost_no_time(counts: BreakCounts) -> None:
    pace = Pace(clock(0.0, 10.0))
    pace.line(8000, 10_000, BreakCounts.none())
    assert "100/s, 10 s left" in pace.line(9000, 10_000, counts)


@pytest.mark.parametrize(
    ("left", "words"), [(59, "59 s"), (60, "1 min 0 s"), (200, "3 min 20 s"), (3600, "1 h 0 min"), (7505, "2 h 5 min")]
)
def test_time_left_is_told_as_people_do(left: int, words: str) -> None:
    pace = Pace(clock(0.0, 1.0))
    pace.line(0, 1 + left, BreakCounts.none())
    assert pace.line(1, 1 + left, BreakCounts.none()) == f"1 of {1 + left:,} strokes, 1/s, {words} left"


def test_elsewhere_a_line_appears_every_few_seconds_and_at_the_end(counts: BreakCounts) -> None:
    told: list[str] = []
    now = [0.0]
    show = progress.in_lines(Pace(lambda: now[0]), told.append, lambda: now[0])
    for step in range(13):  # one a second
        now[0] = float(step)
        show(10 * step, 120, counts)
    assert [line.partition(" of ")[0] for line in told] == ["50", "100", "120"]


def test_lines_go_to_standard_error_without_escape_codes(
    capsys: pytest.CaptureFixture[str], counts: BreakCounts
) -> None:
    with progress_shown() as show:
        show(0, 100, BreakCounts.none())
        show(100, 100, counts)
    shown, told = capsys.readouterr()
    assert shown == ""
    assert re.fullmatch(r"100 of 100 strokes, [\d,]+/s, pocketing .* %\n", told)
    assert known(counts) in told


def test_on_a_terminal_a_bar_is_drawn(monkeypatch: pytest.MonkeyPatch, counts: BreakCounts) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(progress, "stderr", lambda: Console(file=screen, force_terminal=True, width=100))
    with progress_shown() as show:
        show(0, 300, BreakCounts.none())
        show(100, 300, counts)
    assert "━" in screen.getvalue()
    assert "100 of 300 strokes" in screen.getvalue()
    assert known(counts) in screen.getvalue()


def test_quiet_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, counts: BreakCounts
) -> None:
    monkeypatch.setattr("carromsim_kernels.jit.cache_is_cold", lambda name: True)
    tell_if_cold(quiet=True)
    with progress_shown(quiet=True) as show:
        show(100, 100, counts)
    assert capsys.readouterr() == ("", "")


def test_a_cold_start_says_that_kernels_are_compiled_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for cold, words in ((True, "compiling kernels, once per version (about half a minute) ...\n"), (False, "")):
        monkeypatch.setattr("carromsim_kernels.jit.cache_is_cold", lambda name, cold=cold: cold)
        tell_if_cold()
        assert capsys.readouterr() == ("", words)

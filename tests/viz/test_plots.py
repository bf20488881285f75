"""Plots: what is drawn are the numbers of the summaries, and of the tables."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import carromsim as cs
from carromsim.drawing.palette import DARK, LIGHT, SERIES
from carromsim.stats import beta_binomial, student, wilson
from carromsim.studies.optimising.plan import Stage
from carromsim.studies.runs.reading import Run
from carromsim.viz import plots
from carromsim.viz.plots.gallery import counted_once, plots_of
from carromsim.viz.plots.style import begin, label_ends, readable

Runs = dict[str, Run]


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    """Draw for files; close what pyplot keeps."""
    matplotlib.use("Agg")
    yield
    plt.close("all")


def new_axes() -> Axes:
    return Figure(layout="constrained").subplots()


def words_of(ax: Axes) -> str:
    return "\n".join(text.get_text() for text in (*ax.texts, ax.title, ax._left_title))  # type: ignore[attr-defined]


def bars(ax: Axes) -> dict[float, float]:
    """Heights of all bars by the middle of their foot."""
    return {patch.get_x() + patch.get_width() / 2: patch.get_height() for patch in ax.patches}


def ends_of(container: Any, axis: int = 1) -> np.ndarray:
    """Ends of error bars, (n, 2), of the only direction that a container has."""
    (segments,) = (np.array(lines.get_segments()) for lines in container.lines[2])
    return segments[:, :, axis]


def table(run: Run, name: str | None = None) -> Any:
    return run.tables[name or run.study.tables[0].name].to_table().to_pylist()


def test_men_pocketed_has_the_shares_and_their_intervals(runs: Runs) -> None:
    summary = runs["break"].summary().to_dict()
    ax = plots.men_pocketed(runs["break"], ax=new_axes())
    counted = list(summary["n_pocketed"]["distribution"])
    n = summary["status"]["ok"]
    most = max(number for number, count in enumerate(counted) if count)
    assert bars(ax) == pytest.approx({number: 100 * counted[number] / n for number in range(most + 1)})
    errors = next(each for each in ax.containers if not hasattr(each, "patches"))
    expected = 100 * np.stack(wilson(counted[: most + 1], n), axis=1)
    assert ends_of(errors) == pytest.approx(expected)
    assert f"mean {summary['n_pocketed']['mean']:.3f}" in words_of(ax)
    assert "n = 400 strokes" in words_of(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("men and queen pocketed in one stroke", "strokes [%]")


def test_pocket_flow_tells_what_fell_where(runs: Runs) -> None:
    ax = plots.pocket_flow(runs["break"], ax=new_axes())
    for told in runs["break"].summary().to_dict()["by_pocket"]:
        men, others = (
            ", ".join(f"{told[kind]:,} {kind}" for kind in pair) for pair in (("white", "black"), ("queen", "striker"))
        )
        assert f"{told['pocket']}: {100 * told['share']:.1f} % of men\n{men}\n{others}" in words_of(ax)


@pytest.mark.parametrize(("discs", "which"), [("any", slice(1, 20)), ("white", cs.WHITE), ("queen", slice(1, 2))])
def test_the_map_holds_every_disc_that_lies_on_the_board(runs: Runs, discs: str, which: slice) -> None:
    run = runs["break"]
    ax = plots.final_positions(run, discs, ax=new_axes())
    (image,) = ax.images
    density = np.asarray(image.get_array())
    cell = (10 * run.study.equipment.side / len(density)) ** 2  # type: ignore[attr-defined]
    there = [(x, y) for row in table(run) for x, y in zip(row["pos_x"][which], row["pos_y"][which], strict=True)]
    lying = np.array([place for place in there if place[0] is not None])
    assert density.sum() * cell * 400 == pytest.approx(len(lying))
    share = (lying[:, 1] > 0).mean()  # rows of the picture are y, from below
    assert density[len(density) // 2 :].sum() / density.sum() == pytest.approx(share, abs=0.02)
    beyond = np.count_nonzero(density > image.norm.vmax)
    assert 0 < beyond <= 0.01 * np.count_nonzero(density) + 1
    words = f"square-root scale; {beyond} cells beyond it, up to {density.max():.3g})"
    told = ax.figure.axes[-1].get_ylabel().replace("\n", " ")
    assert told.endswith(words)
    assert "per dm²" in told


def test_success_has_the_shares_of_every_value_by_skill(runs: Runs) -> None:
    run = runs["shot"]
    ax = plots.success(run, "cut", ax=new_axes())
    rows = [row for row in table(run) if row["status"] == 0]
    assert [line.get_label() for line in ax.lines] == ["novice", "expert"]
    for line, band in zip(ax.lines, ax.collections, strict=True):
        mine = [row for row in rows if row["skill"] == line.get_label()]
        for x, y in zip(*line.get_data(), strict=True):
            tried = [row["success"] for row in mine if math.isclose(row["cut"], math.radians(x))]
            assert y == pytest.approx(100 * sum(tried) / len(tried))
            corners = band.get_paths()[0].vertices
            ends = sorted({round(float(end), 9) for place, end in corners if math.isclose(place, x)})
            low, high = wilson(sum(tried), len(tried))
            assert ends == pytest.approx([100 * float(low), 100 * float(high)])
    assert ax.get_xlabel() == "cut [deg]"
    assert f"n = {len(rows)} strokes" in words_of(ax)
    assert {text.get_text() for text in ax.texts} >= {"novice", "expert"}


def test_success_cuts_a_distribution_into_twelve(runs: Runs) -> None:
    ax = plots.success(runs["shot"], "distance", ax=new_axes())
    assert ax.lines[1].get_xdata() == pytest.approx(200 + 400 * (np.arange(12) + 0.5) / 12)
    assert ax.get_xlabel() == "man's way [mm]"
    summary = plots.success(runs["shot"], ax=new_axes())  # the cut comes first
    assert summary.get_xlabel() == "cut [deg]"
    with pytest.raises(ValueError, match="against = 'speed': must be one of 'cut', 'distance'"):
        plots.success(runs["shot"], "speed")


def test_success_of_one_shot_is_a_point_for_each_skill(runs: Runs) -> None:
    ax = plots.success(runs["plain"], ax=new_axes())
    told = runs["plain"].summary().to_dict()["skills"]
    points = [container.lines[0].get_ydata()[0] for container in ax.containers]
    assert points == pytest.approx([100 * each["success"]["estimate"] for each in told])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["novice", "club"]
    with pytest.raises(ValueError, match="nothing varied"):
        plots.success(runs["plain"], "cut")


@pytest.mark.parametrize("metric", [None, "strokes"])
def test_the_forest_has_the_paired_differences(runs: Runs, metric: str | None) -> None:
    ax = plots.forest(runs["variants"], metric, ax=new_axes())
    found = {name: each[metric or "won_breaker"] for name, each in runs["variants"].summary().differences.items()}
    assert [label.get_text() for label in ax.get_yticklabels()] == list(found) == ["ukca", "usca"]
    scale = 1.0 if metric else 100.0
    for place, (container, each) in enumerate(zip(ax.containers, found.values(), strict=True)):
        assert container.lines[0].get_xydata()[0] == pytest.approx([scale * each.difference, place])
        assert ends_of(container, 0)[0] == pytest.approx([scale * each.low, scale * each.high])
        face = container.lines[0].get_markerfacecolor()
        assert (to_hex(face) == SERIES[0]) == each.found
    assert ax.lines[0].get_xdata() == [0.0, 0.0]
    assert ("percentage points" in ax.get_xlabel()) == (metric is None)
    with pytest.raises(ValueError, match="metric = 'nonsense': must be one of"):
        plots.forest(runs["variants"], "nonsense")


def test_lengths_are_those_of_the_table(runs: Runs) -> None:
    ax = plots.lengths(runs["board"], ax=new_axes())
    strokes = [row["strokes"] for row in table(runs["board"], "boards") if row["ended"] == 0]
    seen = Counter(strokes)
    width = ax.patches[0].get_width()
    assert width == 1.0
    heights = {patch.get_x(): patch.get_height() for patch in ax.patches if patch.get_height()}
    assert heights == pytest.approx({float(value): 100 * count / len(strokes) for value, count in seen.items()})
    assert f"median {np.quantile(strokes, 0.5, method='inverted_cdf'):.0f}," in words_of(ax)
    with pytest.raises(ValueError, match="what = 'games': must be one of 'strokes', 'turns', 'seconds'"):
        plots.lengths(runs["board"], "games")


def test_scores_of_boards_are_signed_by_side(runs: Runs) -> None:
    ax = plots.scores(runs["board"], ax=new_axes())
    gained = Counter()
    for row in table(runs["board"], "boards"):
        if row["ended"] == 0:
            mine = row["score_delta_white"] - row["score_delta_black"]
            gained[mine if row["breaker"] % 2 == row["white"] else -mine] += 1
    n = sum(gained.values())
    heights = {x: height for x, height in bars(ax).items() if height}
    assert heights == pytest.approx({float(points): 100 * count / n for points, count in gained.items()})
    assert "ended by the rules [%]" in ax.get_ylabel()


def test_scores_of_matches_are_their_results(runs: Runs) -> None:
    ax = plots.scores(runs["match"], ax=new_axes())
    seen = Counter(
        f"{row['games_won_side_0']} : {row['games_won_side_1']}" for row in table(runs["match"]) if row["ended"] == 0
    )
    drawn = {label.get_text(): height for label, height in zip(ax.get_xticklabels(), bars(ax).values(), strict=True)}
    assert drawn == pytest.approx({result: 100 * count / seen.total() for result, count in seen.items()})


def test_convergence_ends_with_the_summary_and_its_bounds(runs: Runs) -> None:
    told = runs["break"].summary().to_dict()["probability"]["any"]
    ax = plots.convergence(runs["break"], ax=new_axes())
    line, (band,), (errors,) = ax.lines[0], ax.collections[:1], ax.containers
    assert line.get_xydata()[-1] == pytest.approx([400, 100 * told["estimate"]])
    assert ends_of(errors)[0] == pytest.approx([100 * told["low"], 100 * told["high"]])
    corners = band.get_paths()[0].vertices
    last = sorted({round(float(y), 9) for x, y in corners if x == 400})
    assert last == pytest.approx([100 * float(end) for end in beta_binomial(told["count"], 400)])
    values = [any(pocket is not None for pocket in row["pocket"][1:]) for row in table(runs["break"])]
    for rows, share in line.get_xydata():
        assert share == pytest.approx(100 * np.mean(values[: int(rows)]))


def test_convergence_of_a_study_with_until_is_what_stopped_it(runs: Runs) -> None:
    run = runs["until"]
    stopped = run.summary().stopped
    assert stopped["reason"] == "half_width"
    ax = plots.convergence(run, ax=new_axes())
    corners = ax.collections[0].get_paths()[0].vertices
    last = sorted({round(float(y), 9) for x, y in corners if x == stopped["rows"]})
    assert last == pytest.approx([100 * stopped["low"], 100 * stopped["high"]])
    assert "wanted: to within 8" in words_of(ax)


def test_convergence_of_a_quantity_and_of_two_against_each_other(runs: Runs, tmp_path: Path) -> None:
    ax = plots.convergence(runs["break"], "duration", ax=new_axes())
    durations = [row["duration"] for row in table(runs["break"])]
    low, high = student(400, np.mean(durations), np.var(durations, ddof=1))
    assert ends_of(ax.containers[0])[0] == pytest.approx([float(low), float(high)], abs=1e-5)
    assert ax.get_ylabel() == "duration [s]"
    against = cs.BreakStudy(strokes=300, gap=0.0005, until={"metric": "white", "against": "queen"}).run(tmp_path / "vs")
    ax = plots.convergence(against, ax=new_axes())
    stopped = against.summary().stopped
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(100 * stopped["estimate"])
    assert f"n = {stopped['trials']} rows" in words_of(ax)
    assert "wanted: told from 50" in words_of(ax)


def test_convergence_refuses_what_there_is_not(runs: Runs) -> None:
    with pytest.raises(ValueError, match="metric = 'wite': did you mean 'white'"):
        plots.convergence(runs["break"], "wite")
    with pytest.raises(ValueError, match="must be of a study with metrics"):
        plots.convergence(runs["optimise"])


def test_the_optimum_shows_every_tried_break_and_the_winner(runs: Runs) -> None:
    run = runs["optimise"]
    ax = plots.optimum(run, ("aim", "speed"), ax=new_axes())
    tried = [row for row in table(run) if row["stage"] in (Stage.SCOUT, Stage.SEARCH) and row["objective"] is not None]
    drawn = np.asarray(ax.collections[0].get_offsets())
    expected = [[1e3 * row["aim"], row["speed"]] for row in sorted(tried, key=lambda row: float(row["objective"]))]
    assert drawn == pytest.approx(np.array(expected))  # the best on top
    winner = run.summary().winner
    assert winner is not None
    straight, best = (line.get_xydata()[0] for line in ax.lines)
    assert best == pytest.approx([1e3 * winner.aim, winner.speed])
    assert straight == pytest.approx([0.0, 6.0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("line passes the centre by [mm]", "speed [m/s]")
    with pytest.raises(ValueError, match="coordinates = .* must be two of 'x', 'aim', 'speed', 'spin'"):
        plots.optimum(run, ("aim", "aim"))


def test_the_map_around_the_winner_is_that_of_the_study(runs: Runs) -> None:
    summary = runs["optimise"].summary()
    ax = plots.sensitivity_map(runs["optimise"], ax=new_axes())
    around = summary.to_dict()["map"]
    lines = {line.get_label(): line.get_ydata() for line in ax.lines[:4]}
    assert set(lines) == {"x", "aim", "speed", "spin"}
    for name, drawn in lines.items():
        assert drawn == pytest.approx([each["objective"]["estimate"] for each in around if each["varied"] == name])
    assert "aim (10 % = " in words_of(ax)


def test_the_front_shows_the_verdict(runs: Runs) -> None:
    summary = runs["front"].summary()
    ax = plots.front(runs["front"], ax=new_axes())
    told = summary.to_dict()["verdict"]
    drawn = [container.lines[0].get_xydata()[0] for container in ax.containers]
    for point, each in zip(drawn, told, strict=True):
        assert point == pytest.approx([each["men"]["estimate"], each["striker"]["estimate"]])
    hollow = [to_hex(container.lines[0].get_markerfacecolor()) == LIGHT.paper for container in ax.containers]
    assert hollow == [not each["undominated"] for each in told]
    for plot in (plots.optimum, plots.sensitivity_map):
        with pytest.raises(ValueError, match="trades two terms off"):
            plot(runs["front"])
    with pytest.raises(ValueError, match="pareto = true"):
        plots.front(runs["optimise"])


def emptied(run: Run, folder: Path) -> Run:
    """Give a run of the same study of which no row is there yet."""
    (folder / "manifest.json").write_bytes(run.place.read("manifest.json"))
    return cs.open_run(folder)


@pytest.mark.parametrize("kind", ["break", "shot", "plain", "board", "match", "variants", "optimise", "front"])
def test_without_rows_every_plot_says_so(runs: Runs, kind: str, tmp_path: Path) -> None:
    run = emptied(runs[kind], tmp_path)
    for wanted in plots_of(run):
        ax = plots.plot_named(wanted.plot)(run, **wanted.options, ax=new_axes())
        assert not ax.containers, wanted.name
        assert len(ax.texts) == 2, wanted.name  # of what it is, and why there is nothing
        assert ax.texts[1].get_text(), wanted.name


def test_a_search_without_a_verdict_says_so(runs: Runs) -> None:
    run, summary = runs["optimise"], runs["optimise"].summary()
    searched = {row: each for row, each in summary.counts.by_row.items() if each.stage <= Stage.SEARCH}
    begun = replace(run, counts=type(summary.counts)(searched))
    assert "no verdict yet" in words_of(plots.optimum(begun, ax=new_axes()))
    assert "The map was not played yet" in words_of(plots.sensitivity_map(begun, ax=new_axes()))


def test_every_kind_has_its_plots_and_no_other(runs: Runs) -> None:
    for kind, run in runs.items():
        names = {wanted.plot for wanted in plots_of(run)}
        assert names <= set(plots.PLOTS[run.study.kind])
        if run.study.kind != "optimise":
            assert names == set(plots.PLOTS[run.study.kind]), kind
    wrong: list[tuple[Callable[..., Axes], str]] = [
        (plots.men_pocketed, "board"),
        (plots.success, "break"),
        (plots.forest, "break"),
        (plots.scores, "break"),
        (plots.optimum, "break"),
    ]
    for plot, kind in wrong:
        with pytest.raises(ValueError, match="run: must be of a study of kind"):
            plot(runs[kind])


def test_themes_give_the_colours_and_a_new_figure_has_them_all_over(runs: Runs) -> None:
    ax = plots.men_pocketed(runs["break"], theme="dark")
    assert to_hex(ax.get_facecolor()) == to_hex(ax.figure.get_facecolor()) == DARK.paper
    assert ax.yaxis.label.get_color() == DARK.ink
    assert plt.fignum_exists(ax.figure.number)  # a notebook shows it
    with pytest.raises(ValueError, match="theme = 'blue': must be 'light' or 'dark'"):
        plots.men_pocketed(runs["break"], theme="blue")


@pytest.mark.parametrize(("theme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_words_in_a_colour_can_be_read(theme: str, palette: Any) -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in SERIES:
        dark, light = sorted(map(luminance, (readable(colour, theme), palette.paper)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_labels_at_one_height_are_pushed_apart() -> None:
    ax = begin(new_axes(), "light")
    ax.set_ylim(0.0, 1.0)
    label_ends(ax, [(0.5, "one", "#000000"), (0.5, "two", "#000000"), (0.51, "three", "#000000")])
    places = sorted(text.xy[1] for text in ax.texts)  # type: ignore[attr-defined]
    assert np.diff(places) == pytest.approx(0.06, abs=0.002)
    assert np.mean(places) == pytest.approx(0.503, abs=0.01)


def test_counts_are_read_once(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    run = counted_once(runs["break"])
    monkeypatch.setattr(Run, "batches", None)
    monkeypatch.setattr(Run, "_counted", None)
    plots.men_pocketed(run, ax=new_axes())
    plots.pocket_flow(run, ax=new_axes())


def test_a_pass_over_a_counted_run_serves_both_themes(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = Counter[str]()
    batches = Run.batches
    for name in ("break", "shot"):
        run = counted_once(runs[name])
        monkeypatch.setattr(Run, "batches", lambda self: passes.update([name]) or batches(self))  # noqa: B023
        for wanted in plots_of(run):
            first, again = (
                plots.plot_named(wanted.plot)(run, **wanted.options, ax=new_axes(), theme=theme)
                for theme in ("light", "dark")
            )
            assert [line.get_xydata().tolist() for line in first.lines] == [
                line.get_xydata().tolist() for line in again.lines
            ]
    assert passes == {"break": 2, "shot": 3}  # the map and the convergence; both of what varied, and that


def test_a_run_that_may_grow_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cs.BreakStudy, "chunk_rows", 20)
    study = cs.BreakStudy(strokes=40, gap=0.0005)
    run = cs.open_run(study.run(tmp_path / "grows", workers=1, share=(1, 2)).directory)
    assert "n = 20 strokes" in words_of(plots.final_positions(run, ax=new_axes()))
    study.run(tmp_path / "grows", workers=1)
    assert "n = 40 strokes" in words_of(plots.final_positions(run, ax=new_axes()))


def test_long_names_leave_room_for_the_plot(tmp_path: Path) -> None:
    long = {"ruleset": "icf", "name": "a" * 60, "changes": {"queen.value": 5}}
    run = cs.VariantStudy(variants=["icf", long], boards=2, skill="expert").run(tmp_path / "long", workers=1)
    for wanted in plots_of(run):
        told = wanted.draw(run, "light", "png")  # a warning that nothing is left is an error here
        assert told.of.startswith("2 variants; equipment icf")


def test_a_name_with_dollars_is_no_formula(tmp_path: Path) -> None:
    board = replace(cs.Equipment.preset("icf"), name="a $\\frac b$")
    run = cs.BreakStudy(strokes=3, gap=0.0005, equipment=board).run(tmp_path / "named", workers=1)
    for wanted in plots_of(run):
        assert "equipment a $\\frac b$" in wanted.draw(run, "light", "png").of


def test_scores_of_many_points_have_wider_bars(tmp_path: Path) -> None:
    run = cs.BoardStudy(boards=6, ruleset="point", skill="expert", seed=5).run(tmp_path / "points", workers=1)
    ax = plots.scores(run, ax=new_axes())
    gained = [row["score_delta_white"] - row["score_delta_black"] for row in table(run, "boards") if row["ended"] == 0]
    most = max(map(abs, gained))
    assert most > 40  # queen and all men have points of their own
    wide = round(ax.patches[0].get_width() / 0.82, 9)
    assert math.log2(wide).is_integer()
    assert f"in bars of {wide:g}" in ax.get_ylabel()
    for middle, height in bars(ax).items():
        inside = [abs(points - middle) <= wide / 2 if points * middle > 0 else points == middle for points in gained]
        assert height == pytest.approx(100 * sum(inside) / len(gained))
    assert sum(bars(ax).values()) == pytest.approx(100.0)

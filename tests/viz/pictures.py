"""The pictures that are compared: small, without text, of things that look the same on every machine.

``python tests/viz/pictures.py`` draws the baselines anew; look at them before they are kept.
"""

from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import carromsim as cs
from carromsim.viz import draw_before_after, draw_position, draw_trajectory

BASELINE = Path(__file__).parent / "baseline"

POSITION = cs.arrange(
    striker=(0.05, -0.2526),
    queen=(0.0, 0.0),
    white=[(0.2, 0.2), (-0.1, 0.15)],
    black=[(-0.25, 0.3), (0.15, -0.1)],
)


def figure(columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Make a figure of boards side by side that fill it."""
    made = Figure(figsize=(2.4 * columns, 2.4), dpi=100)
    return made, [made.add_axes((i / columns, 0.0, 1.0 / columns, 1.0)) for i in range(columns)]


def followed() -> cs.Trajectory:
    """Follow a stroke that pockets a man, with hits of discs and of the frame, and nothing chaotic."""
    layout = cs.arrange(white=[(0.2, 0.2)], black=[(-0.2, 0.0)], queen=(-0.1, 0.25))
    return cs.follow(layout, cs.Strokes(x=-0.05, angle=1.0237, speed=3.0))


def position(name: str, theme: str, **changes: object) -> Figure:
    """Draw the opening pack, or the position above, on a board."""
    made, (ax,) = figure()
    board = cs.Equipment.preset(name).replace(**changes)
    draw_position(POSITION if changes else cs.opening(board), equipment=board, ax=ax, theme=theme)
    return made


def trajectory(theme: str) -> Figure:
    """Draw a stroke without its legend."""
    made, (ax,) = figure()
    legend = draw_trajectory(followed(), ax=ax, theme=theme).get_legend()
    assert legend is not None
    legend.remove()
    return made


def before_after() -> Figure:
    """Draw the two ends of a stroke without their titles."""
    made, axes = figure(2)
    for ax in draw_before_after(followed(), axes=axes):
        ax.set_title("")
    return made


PICTURES: dict[str, Callable[[], Figure]] = {
    "icf_light": lambda: position("icf", "light"),
    "icf_dark": lambda: position("icf", "dark"),
    "bell_light": lambda: position("bell", "light"),
    "cut_away_dark": lambda: position("icf", "dark", corner="cut_away", corner_size=0.06),
    "large_discs_light": lambda: position("icf", "light", disc_radius=(0.04, *[0.01 + 0.001 * i for i in range(19)])),
    "trajectory_light": lambda: trajectory("light"),
    "trajectory_dark": lambda: trajectory("dark"),
    "before_after_light": before_after,
}


def save(name: str, folder: Path) -> Path:
    """Draw a picture into a folder."""
    path = folder / f"{name}.png"
    PICTURES[name]().savefig(path, metadata={"Software": None}, pil_kwargs={"optimize": True})
    return path


if __name__ == "__main__":
    for each in PICTURES:
        save(each, BASELINE)

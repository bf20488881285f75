"""The command `carromsim`: parse, call, print. Heavy imports wait until a command needs them."""

from carromsim.cli import (  # noqa: F401 (a command registers itself)
    analysis,
    boards,
    breaks,
    calibrate,
    compare,
    equipment,
    matches,
    optimise,
    plot,
    referee,
    replay,
    report,
    rules,
    runs,
    shots,
    stroke,
    studies,
)
from carromsim.cli.app import main, run

__all__ = ["main", "run"]

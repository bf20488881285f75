"""The command `carromsim`: parse, call, print. Heavy imports wait until a command needs them."""

from carromsim.cli import (  # noqa: F401 (a command registers itself)
    breaks,
    calibrate,
    equipment,
    referee,
    rules,
    runs,
    stroke,
    studies,
)
from carromsim.cli.app import main, run

__all__ = ["main", "run"]

"""The command `carromsim`: parse, call, print. Heavy imports wait until a command needs them."""

from carromsim.cli import breaks, calibrate, equipment, rules, runs, stroke, studies  # noqa: F401 (a command registers itself)
from carromsim.cli.app import main, run

__all__ = ["main", "run"]

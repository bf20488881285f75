"""The command line itself: the app that commands register with, exit codes and complaints."""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import TextIO, cast

from cyclopts import App, CycloptsError
from rich.console import Console

from carromsim.cli.streams import Patient, make_streams_safe

_EXIT_SECONDS = 1.0
"""For which a command that was interrupted may tidy up [s]."""

_LONGEST_LINE = 4000
"""Characters of a line of a complaint."""

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_TERMINATED = 1, 2, 130, 143

app = App(
    name="carromsim",
    help="Carrom by the million: strokes, breaks and what comes of them.",
    version=lambda: version("carromsim"),
    help_epilogue="Lengths in m, times in s, angles in degrees where the option says so. Exit codes: 0 done, "
    "1 failed while working, 2 bad input, 130 interrupted, 143 terminated.",
    suppress_keyboard_interrupt=False,
)


class BadInput(Exception):
    """What the user gave cannot be used; the text is for him."""


class Failed(Exception):
    """The input is good and yet the work did not succeed; the text is for the user."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does."""


def main() -> None:
    """Run the command line and exit."""
    signal.signal(signal.SIGTERM, _terminate)
    make_streams_safe()
    code = run(sys.argv[1:])
    sys.stdout = cast(TextIO, Patient(sys.stdout))  # Python flushes it once more, and what failed has been told
    if code in (EXIT_INTERRUPTED, EXIT_TERMINATED):
        _hurry(code)
    sys.exit(code)


def _hurry(code: int) -> None:
    """End this process soon: Python would wait for threads, each in a chunk that nobody wants any more."""
    sys.stdout.flush()
    sys.stderr.flush()
    if any(thread.name.startswith("carromsim") for thread in threading.enumerate()):
        os._exit(code)
    last = threading.Timer(_EXIT_SECONDS, os._exit, [code])
    last.daemon = True
    last.start()


def _terminate(number: int, frame: object) -> None:
    raise Terminated


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str
        Without the program's name.

    Returns
    -------
    int
        Exit code; see the help.
    """
    try:
        app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()  # here a full disk can still be told
    except (CycloptsError, BadInput) as error:
        return _complain(str(error), EXIT_BAD_INPUT)
    except (Failed, OSError) as error:  # a full disk, a broken pipe: nothing that a traceback would help with
        return _complain(str(error), EXIT_FAILED)
    except Terminated as stop:
        return _complain("; ".join(("terminated", *stop.args)), EXIT_TERMINATED)
    except KeyboardInterrupt as stop:
        return _complain("; ".join(("interrupted", *stop.args)), EXIT_INTERRUPTED)
    return 0


def _complain(text: str, code: int) -> int:
    for line in text.splitlines():
        sys.stderr.write(f"carromsim: {terminal_text(line)}\n")
    return code


def terminal_text(line: str) -> str:
    """Write a line so that a terminal takes it for text: what somebody typed, or wrote into a file, stands in it."""
    from carromsim.lines import is_line

    whole = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
    return "".join(char if is_line(char) or char == "\t" else repr(char)[1:-1] for char in whole)


def stderr() -> Console:
    """Return the console for everything that is not a command's result."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)

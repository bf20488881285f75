"""The command `carromsim calibrate`."""

import json as json_format
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app
from carromsim.cli.printing import stdout

if TYPE_CHECKING:
    from carromsim.calibration import Calibration


@app.command
def calibrate(
    file: Path | None = None,
    /,
    *,
    out: Path | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    example: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Find friction and restitution of your own board from simple measurements, with 95 % intervals.

    A phone at 240 frames per second and a ruler are enough: carromsim calibrate --example > measurements.toml shows
    what can be measured. What the measurements cannot tell is said, and what to add.

    Parameters
    ----------
    file
        TOML file with the measurements.
    out
        Write the board as an equipment file, for --equipment and for studies.
    json
        Print everything as JSON on standard output and nothing else there.
    example
        Print a commented file to start from.
    """
    if example:
        from carromsim.calibration.measurements import example as text

        sys.stdout.write(text())
        return
    if file is None:
        raise BadInput("which measurements? Give a file, or --example for one to start from")
    found = _calibrate(file)
    if out is not None:
        try:
            found.write(out)
        except FileExistsError as error:
            raise BadInput(f"--out {error}") from None
    if json:
        sys.stdout.write(json_format.dumps(found.to_dict(), indent=2, allow_nan=False) + "\n")
        return
    from carromsim.calibration.report import calibration_report

    console = stdout()
    console.print(calibration_report(found))
    if out is not None:
        console.print(f"\nWritten   {out}", soft_wrap=True)


def _calibrate(file: Path) -> "Calibration":
    """Fit a file; complain about all its mistakes at once."""
    from carromsim.calibration import calibrate
    from carromsim.toml import DeclarationError

    try:
        return calibrate(file)
    except DeclarationError as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    except ImportError as error:
        raise Failed(str(error)) from None

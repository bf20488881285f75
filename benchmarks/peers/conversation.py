"""How a contestant answers: a request a line on standard input, a reply a line on standard output, both JSON.

The first line out says who answers. A contestant stays alive between requests, so that what it imports and compiles is
paid for once, before anything is timed. Only the standard library is imported here: every environment has it.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

Request = dict[str, Any]
Reply = dict[str, Any]


def serve(name: str, play: Callable[[Request], Reply]) -> None:
    """Answer requests until standard input ends.

    Parameters
    ----------
    name : str
        Program and version.
    play : callable
        Turns a request into a reply.
    """
    replies, sys.stdout = sys.stdout, sys.stderr  # whatever else a program prints must not look like a reply
    print(json.dumps({"name": name}), file=replies, flush=True)
    for line in sys.stdin:
        print(json.dumps(play(json.loads(line))), file=replies, flush=True)


class Clock:
    """Adds up processor time of this process, all its threads [s], over `with` blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begin = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._begin

"""Which kernels take the time of a stroke? A sampling profile of the compiled code, by kernel (Linux, `perf`, `nm`).

    .venv/bin/python benchmarks/hot_kernels.py [--case "break, 0.5 mm, sequential"] [--seconds 8]

Kernels that are compiled into their callers count as those; here they are kept apart, which costs some speed, and
are compiled into a folder of their own. Everything that is not a kernel is "outside".
"""

import argparse
import bisect
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ENTRY = "simulate_batch"


def object_code(cache: Path) -> bytes:
    """Return the compiled entry as an object file, which lies somewhere in the file that Numba keeps."""
    kept = max(cache.rglob(f"*.{ENTRY}-*.nbc"), key=lambda path: path.stat().st_mtime).read_bytes()
    begin = kept.index(b"\x7fELF")
    (sections,) = struct.unpack_from("<Q", kept, begin + 40)
    size, number = struct.unpack_from("<HH", kept, begin + 58)
    return kept[begin : begin + sections + size * number]


def symbols(code: Path) -> list[tuple[int, int, str]]:
    """Return place, size and name of every function of an object file, by place."""
    lines = subprocess.run(["nm", "-S", code], capture_output=True, text=True, check=True).stdout.splitlines()
    functions = [fields for fields in map(str.split, lines) if len(fields) == 4 and fields[2] in "tTwW"]
    return sorted((int(place, 16), int(size, 16), name) for place, size, _, name in functions)


def plain(name: str) -> str:
    """Return file and function of a name that Numba made: _ZN17carromsim_kernels6motion8quinticB3v5..."""
    words, rest = [], name.partition("carromsim_kernels")[2]
    while rest[:1].isdigit():
        digits = rest[: 2 if rest[1].isdigit() else 1]
        words.append(rest[len(digits) : len(digits) + int(digits)])
        rest = rest[len(digits) + int(digits) :]
    return ".".join(words) or name


def samples(play: Callable[[], object], seconds: float, data: Path) -> list[int]:
    """Sample where this process is while it plays again and again."""
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-p", str(os.getpid()), "-o", data]
    with subprocess.Popen(record) as perf:
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            play()
        perf.send_signal(signal.SIGINT)
    found = subprocess.run(["perf", "script", "-i", data, "-F", "ip"], capture_output=True, text=True, check=True)
    return [int(place, 16) for place in found.stdout.split()]


def report(case: str, seconds: float, cache: Path) -> None:
    """Compile a case's kernels into the cache or, given some seconds, load them from there and print their shares."""
    from carromsim_kernels import jit

    jit.inlined = jit.kernel  # before the kernels are imported: then nothing is compiled into its callers
    import cases

    from carromsim_kernels import batch

    play = next(play for name, play in cases.stroke_cases().items() if case in name)
    play()
    if not seconds:
        return
    found = samples(play, seconds, cache / "perf.data")
    compiled = next(iter(batch.simulate_batch.overloads.values()))  # type: ignore[attr-defined]
    entry = compiled.fndesc.llvm_func_name
    code = cache / "entry.o"
    code.write_bytes(object_code(cache))
    functions = symbols(code)
    base = compiled.library.get_pointer_to_function(entry) - next(at for at, _, name in functions if name == entry)
    shares: Counter[str] = Counter()
    for place in found:
        k = bisect.bisect_right(functions, (place - base, 1 << 60, "")) - 1
        inside = k >= 0 and place - base < functions[k][0] + functions[k][1]
        shares[plain(functions[k][2]) if inside else "outside"] += 1
    for kernel, number in shares.most_common(30):
        print(f"{number / len(found):7.1%}  {kernel}")  # noqa: T201 (the report)


def main() -> None:
    """Play a case under perf and print the share of each kernel."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--case", default="break, 0.5 mm, sequential", help="name of a stroke case, or part of it")
    parser.add_argument("--seconds", type=float, default=8.0, help="how long it is played")
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cache:
        report(arguments.case, arguments.seconds, arguments.cache)
        return
    with tempfile.TemporaryDirectory() as folder:
        # One process compiles, another one loads: only then the code lies in one piece, as it was kept.
        for seconds in ("0", str(arguments.seconds)):
            again = [sys.executable, __file__, "--case", arguments.case, "--seconds", seconds, "--cache", folder]
            subprocess.run(again, check=True, env={**os.environ, "CARROMSIM_CACHE_DIR": folder})


if __name__ == "__main__":
    main()

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
import tempfile
import time
from collections import Counter
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


def samples(case: str, seconds: float, folder: Path) -> tuple[list[int], int, str]:
    """Sample this process while it plays a case; return where it was, and where the entry lies by what name."""
    import cases  # the kernels are imported only now, when nothing is compiled into its callers any more

    from carromsim_kernels import batch

    play = next(play for name, play in cases.stroke_cases().items() if case in name)
    play()
    compiled = next(iter(batch.simulate_batch.overloads.values()))  # type: ignore[attr-defined]
    name = compiled.fndesc.llvm_func_name
    place = compiled.library.get_pointer_to_function(name)
    data = folder / "perf.data"
    perf = subprocess.Popen(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-p", str(os.getpid()), "-o", data]
    )
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        play()
    perf.send_signal(signal.SIGINT)
    perf.wait()
    found = subprocess.run(["perf", "script", "-i", data, "-F", "ip"], capture_output=True, text=True, check=True)
    return [int(place, 16) for place in found.stdout.split()], place, name


def main() -> None:
    """Play a case under perf and print the share of each kernel."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--case", default="break, 0.5 mm, sequential", help="name of a stroke case, or part of it")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--loaded", help=argparse.SUPPRESS)
    arguments = parser.parse_args()

    from carromsim_kernels import jit

    with tempfile.TemporaryDirectory() as folder:
        cache = Path(arguments.loaded or folder)
        os.environ["CARROMSIM_CACHE_DIR"] = str(cache)
        if not arguments.loaded:
            # Once to compile, once more to load: only then the code lies in one piece, as it was kept.
            again = [__file__, "--case", arguments.case, "--seconds"]
            for seconds in ("0", str(arguments.seconds)):
                subprocess.run([os.sys.executable, *again, seconds, "--loaded", folder], check=True)
            return
        jit.inlined = jit.kernel
        found, place, name = samples(arguments.case, arguments.seconds, cache)
        if not arguments.seconds:
            return
        code = cache / "entry.o"
        code.write_bytes(object_code(cache))
        functions = symbols(code)
    base = place - next(begin for begin, _, each in functions if each == name)
    shares: Counter[str] = Counter()
    for each in found:
        k = bisect.bisect_right(functions, (each - base, 1 << 60, "")) - 1
        inside = k >= 0 and each - base < functions[k][0] + functions[k][1]
        shares[plain(functions[k][2]) if inside else "outside"] += 1
    for kernel, number in shares.most_common(30):
        print(f"{number / len(found):7.1%}  {kernel}")  # noqa: T201 (the report)


if __name__ == "__main__":
    main()

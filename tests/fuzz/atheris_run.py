"""Let atheris look for inputs, led by what they reach:  python tests/fuzz/atheris_run.py TARGET -runs=100000.

TARGET is a name of `fuzz.targets`, such as "study files"; what follows is libFuzzer's. Atheris is no dependency of the
tests: pip install --group fuzz. Where it stops at an input, that is written to a file crash-..., and is shown.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris
from hypothesis import HealthCheck, given, settings

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["carromsim"]):
    from fuzz.judging import judge
    from fuzz.small_runs import warm_up
    from fuzz.targets import TARGETS


def main() -> None:
    """Look for inputs to the target that is named first."""
    named = {target.name: target for target in TARGETS}
    if len(sys.argv) < 2 or sys.argv[1] not in named:
        sys.exit(f"{sys.argv[1:2]}: must be one of {', '.join(named)}")
    target = named[sys.argv.pop(1)]
    warm_up()

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(target.inputs)
    def one(value: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            judge(target, value, Path(folder))

    atheris.Setup(sys.argv, one.hypothesis.fuzz_one_input)  # type: ignore[attr-defined]
    atheris.Fuzz()


if __name__ == "__main__":
    main()

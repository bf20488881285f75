"""What docs/cluster.md shows works as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from carromsim.studies.breaks.study import BreakStudy
from executors.test_signals import environment
from runs.fake import files

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()


@pytest.mark.slow
def test_the_local_cluster_plays(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "LocalCluster" in block]
    (tmp_path / "play.py").write_text(code)
    order = [sys.executable, "-W", "error", "play.py"]
    done = subprocess.run(order, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment())
    assert (done.returncode, done.stdout) == (0, "5000\n"), done.stderr
    BreakStudy(strokes=5000, seed=1).run(tmp_path / "threads")
    assert files(tmp_path / "runs" / "dask") == files(tmp_path / "threads")


def test_the_page_names_what_there_is() -> None:
    from carromsim.executors import check_executor

    for name in re.findall(r"^\| `(\S+)` \|", PAGE, re.MULTILINE):
        check_executor(name)

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

import carromsim as cs
from carromsim.studies.runs.reading import Run
from viz.browser import started
from viz.small import small_studies


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of a module; without one they are skipped."""
    with started() as browser:
        yield browser


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A small run of every kind of study, by name."""
    root = tmp_path_factory.mktemp("runs")
    return {name: cs.open_run(study.run(root / name, workers=1).directory) for name, study in small_studies().items()}

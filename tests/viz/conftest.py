from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from viz.browser import started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of a module; without one they are skipped."""
    with started() as browser:
        yield browser

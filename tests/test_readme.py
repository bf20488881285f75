"""The README fits on two screens, shows a picture and the two commands, and leads somewhere.

That its commands and its Python run is tested with the other pages, in tests/docs.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_fits_on_two_screens() -> None:
    lines = README.splitlines()
    assert len(lines) <= 100
    assert max(map(len, lines)) <= 130


def test_it_begins_with_one_picture_and_two_commands() -> None:
    (picture,) = re.findall(r"^!\[.{20,}\]\((\S+)\)$", README, flags=re.MULTILINE)
    assert (ROOT / picture).read_bytes()[:4] == b"\x89PNG"
    assert re.findall(r"^make (\S+)", README, flags=re.MULTILINE) == ["run", "test"]
    assert README.index(picture) < README.index("make run") < README.index("## ")


def test_files_that_are_named_exist() -> None:
    linked = re.findall(r"\]\(([\w./]+)\)", README)
    assert len(linked) > 20
    for name in linked:
        assert (ROOT / name).exists(), name

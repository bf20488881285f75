"""Files that people ask for by name: written whole, through links, and to nothing but files."""

import os
import sys
from pathlib import Path

import pytest

from carromsim.tables.files import write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are for some users only there")


@posix
@pytest.mark.parametrize("there", [True, False])
def test_what_a_link_leads_to_is_written(there: bool, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    page, link = tmp_path / "pages" / "page.html", tmp_path / "link.html"
    if there:
        page.write_bytes(b"old")
    link.symlink_to("pages/page.html")
    assert write_whole(link, b"new") == link
    assert page.read_bytes() == b"new"
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["link.html", "page.html", "pages"]


@posix
def test_what_is_no_file_stays_as_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    (tmp_path / "ring").symlink_to("ring")
    before = sorted(tmp_path.iterdir())
    for name in ("pipe", "to_pipe", "ring"):
        with pytest.raises(OSError, match=rf"is no file that could be written anew: '.*{name}'"):
            write_whole(tmp_path / name, b"new")
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "pipe").is_fifo()


def test_a_folder_is_not_written_nor_made(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_whole(tmp_path, b"")
    with pytest.raises(FileNotFoundError, match="there is no folder '.*nowhere'"):
        write_whole(tmp_path / "nowhere" / "page.html", b"")

"""URLs of object stores: opened by pyarrow or fsspec, and shown without their secrets."""

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import pyarrow.fs

_ARROW = ("s3", "gs", "gcs", "abfs", "abfss")
"""Object stores that pyarrow opens itself; all else is fsspec's."""

_SHOWN = re.compile(r"(region|scheme|endpoint_override)=[\w.:/-]*", re.ASCII)
"""What a URL's query may set for all to see. A store may call anything else a key."""


@lru_cache(maxsize=16)
def opened(url: str) -> "tuple[pyarrow.fs.FileSystem, str]":
    """Open what a URL names; give the file system and the path in it. A worker opens it once, not for every part."""
    import pyarrow as pa
    import pyarrow.fs

    shown = f"directory = {without_credentials(url)!r}"
    try:
        if urlsplit(url).scheme in _ARROW:
            system, path = pyarrow.fs.FileSystem.from_uri(url)
        else:
            core = import_module("fsspec.core")
            system, path = core.url_to_fs(url)
            system = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(system))
    except ImportError as error:
        needed = "fsspec" if error.name == "fsspec" else str(error)
        raise ValueError(f"{shown} needs a library that is not installed: {needed}") from error
    except (ValueError, OSError, pa.ArrowException) as error:
        why = str(error).partition("\n")[0].replace(url, without_credentials(url))
        raise ValueError(f"{shown} cannot be opened: {why}") from None  # its text may hold the password
    if not path.strip("/"):
        raise ValueError(f"{shown}: must name a bucket, or a folder, and best a prefix in it")
    return system, path


def without_credentials(url: str) -> str:
    """Take out of a URL what may be secret: a password, and most of what its query sets.

    A password that nobody has escaped may hold slashes, question marks and hashes: it ends at the last @ there is.
    """
    whole, asked, query = re.sub(r"(?s)(:/+[^:]*):.*@", r"\1:***@", url, count=1).partition("?")
    return whole + asked + "&".join(map(_setting, query.split("&")))


def _setting(text: str) -> str:
    """Write a setting of a query as all may see it."""
    name, equals, _ = text.partition("=")
    return text if not text or _SHOWN.fullmatch(text) else f"{name if equals else ''}{equals}***"

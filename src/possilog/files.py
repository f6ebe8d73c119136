"""Files: bytes in, files and folders out that appear whole or not at all, and one error for what the system refuses."""

from __future__ import annotations

import codecs
import errno
import os
import re
import shutil
import stat
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from possilog.errors import FileError, shortened

__all__ = [
    "AnyPath",
    "check_writable",
    "folded",
    "is_safe_name",
    "read_bytes",
    "replacing",
    "require_path",
    "safe_name",
    "told",
    "wide_encoding",
    "write_atomically",
]

AnyPath = str | os.PathLike[str]

MOST_PIPED = 256 * 2**20
"""Bytes that are read from what is no regular file: a pipe or a device may never end."""

# What Windows refuses is refused everywhere, so that a folder can be copied.
_BAD_LETTERS = r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]'
_BAD_NAMES = re.compile(_BAD_LETTERS + r"|^\.|[. ]$|^$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
_LONGEST = 200


def is_safe_name(name: str) -> bool:
    """Can a file or a folder have this name, on every system, and is it inside the folder where it is put?

    >>> [is_safe_name(name) for name in ("advised by", "..", "a/b", "nul.txt")]
    [True, False, False, False]
    """
    return not _BAD_NAMES.search(name) and len(name.encode()) <= _LONGEST


def safe_name(text: str) -> str:
    """The text itself where it is a safe name, and one that is like it otherwise.

    >>> safe_name("advised by"), safe_name(".."), safe_name("../a:b."), safe_name("nul.txt")
    ('advised by', '-', '-a-b', '-nul.txt')
    """
    if is_safe_name(text):
        return text
    letters = re.sub(_BAD_LETTERS, "-", text).strip(". ")
    name = letters.encode()[: _LONGEST - 1].decode(errors="ignore").rstrip(". ")
    return name if is_safe_name(name) else f"-{name}"


def folded(name: str) -> str:
    """What names have in common that are one name where case does not count.

    >>> folded("Straße") == folded("STRASSE"), folded("a") == folded("b")
    (True, False)
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def require_path(given: object, what: str) -> None:
    """Refuse what cannot be the path of a file with something of some kind."""
    if not isinstance(given, str | os.PathLike):
        raise FileError(f"{shortened(repr(given))} is not a path; name a file of {what}")


@contextmanager
def told(path: AnyPath, deed: Literal["read", "written"]) -> Iterator[None]:
    """What the system says against reading or writing becomes an error of ours, about the path as it was given."""
    name = os.fspath(path)
    if not name or "\0" in name:
        raise FileError(f"{name!r} is not a path; name a file or folder")
    if deed == "written" and name == "-":
        raise FileError("'-' is no file to write to; name one, or './-' if that is to be its name")
    try:
        yield
    except OSError as error:
        if deed == "read" and isinstance(error, FileNotFoundError):
            raise FileError(f"{name}: there is no such file or folder; check the path") from None
        # Not the error's own text, which may name a temporary file of ours.
        raise FileError(f"{name}: it cannot be {deed} ({error.strerror or error}); check the path") from None


def read_bytes(path: AnyPath) -> bytes:
    """The content of a file, or of a pipe that ends before long."""
    with told(path, "read"), open(path, "rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read()
        content = file.read(MOST_PIPED + 1)
    if len(content) > MOST_PIPED:
        most = f"{MOST_PIPED // 2**20} MB"
        raise FileError(f"{os.fspath(path)}: it is no file, and gives more than {most}; save what it gives to a file")
    return content


@contextmanager
def replacing(path: AnyPath) -> Iterator[Path]:
    """Give a path at which to make a file or a folder; when all went well, it takes the place of ``path``.

    A reader, or a crash, sees the old content or the new, never a part. A folder takes the place only of an empty one.
    Where the path is a link, what it points to is replaced.
    """
    with told(path, "written"):
        target = _target(path)
        # A folder of its own beside the target: on the same disk, and what is made in it has the usual permissions.
        workshop = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:40]}."))
        try:
            fresh = workshop / target.name
            yield fresh
            if fresh.is_dir() and target.is_dir():
                target.rmdir()
            os.replace(fresh, target)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)


def check_writable(path: AnyPath) -> None:
    """Raise now what would be raised when a file is written there, before the work that leads to it."""
    with told(path, "written"):
        target = _target(path)
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name[:40]}.").cleanup()


def _target(path: AnyPath) -> Path:
    """The file or folder that is to be replaced, or made."""
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise FileError(f"{path}: it is neither a file nor a folder, so it cannot be replaced; name a file")
    return target


def write_atomically(path: AnyPath, content: bytes) -> None:
    """Put bytes into a file, whole or not at all."""
    with replacing(path) as fresh, open(fresh, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def wide_encoding(content: bytes) -> str | None:
    """The kind of UTF-16 or UTF-32 that the first bytes show; Windows programs write these.

    >>> wide_encoding("p(a)".encode("utf-32")), wide_encoding("p(a)".encode("utf-16-le")), wide_encoding(b"p(a)")
    ('utf-32', 'utf-16-le', None)
    """
    # UTF-32 comes first: its mark begins like that of UTF-16.
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = content[:1024]
    zero = [len(head) > 3 and not any(head[place::4]) for place in range(4)]
    shapes = {
        "utf-32-le": zero[2] and zero[3],
        "utf-32-be": zero[0] and zero[1],
        "utf-16-le": zero[1] and zero[3],
        "utf-16-be": zero[0] and zero[2],
    }
    return next((name for name, is_so in shapes.items() if is_so), None) if any(head) else None

"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "write_atomically"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path at which to make a file or a folder; when all went well, it takes the place of ``path``.

    A reader, or a crash, sees the old content or the new, never a part. A folder takes the place only of an empty one.
    """
    target = Path(path).absolute()
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


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Put bytes into a file, whole or not at all."""
    with replacing(path) as fresh, open(fresh, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())

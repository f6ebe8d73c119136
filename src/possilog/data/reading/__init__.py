"""Facts from files, folders and frames. Start at ``files``; each format has a module of its own."""

from possilog.data.reading.files import read
from possilog.data.reading.frames import from_frames

__all__ = ["from_frames", "read"]

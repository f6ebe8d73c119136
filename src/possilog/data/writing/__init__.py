"""Facts to files, folders and frames. Start at ``files``; text and tables have a module each."""

from possilog.data.writing.files import write
from possilog.data.writing.frames import to_frames

__all__ = ["to_frames", "write"]

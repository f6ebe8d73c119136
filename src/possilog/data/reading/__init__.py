"""Facts from files, folders and frames. Start at ``files``; each format has a module of its own."""

from possilog.data.reading.files import read
from possilog.data.reading.frames import from_frames
from possilog.data.reading.graphs import from_graph

__all__ = ["from_frames", "from_graph", "read"]

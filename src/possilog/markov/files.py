"""Networks, read from files and written."""

from __future__ import annotations

import os
from pathlib import Path

from possilog.data.formats import GZIP
from possilog.data.reading.text import decode, unpack
from possilog.files import AnyPath, told, write_atomically
from possilog.markov.network import Network
from possilog.markov.parsing import parse_mln

__all__ = ["read_mln", "write_mln"]


def read_mln(path: AnyPath) -> Network:
    """Read a Markov logic network from a ``.mln`` file."""
    return parse_mln(_text(path), os.fspath(path))


def write_mln(network: Network, path: AnyPath) -> None:
    """Write a network to a ``.mln`` file, whole or not at all."""
    write_atomically(path, str(network).encode())


def _text(path: AnyPath) -> str:
    with told(path, "read"):
        content = Path(path).read_bytes()
    source = os.fspath(path)
    return decode(unpack(content, source) if content.startswith(GZIP) else content, source, "utf-8")

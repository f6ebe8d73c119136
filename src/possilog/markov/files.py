"""Networks and evidence, read from files and written."""

from __future__ import annotations

import os
from pathlib import Path

from possilog.data import read
from possilog.data.formats import GZIP, Format, format_of_name
from possilog.data.reading.facts import read_literals
from possilog.data.reading.text import decode, unpack
from possilog.files import AnyPath, read_bytes, write_atomically
from possilog.markov.domain import Evidence
from possilog.markov.network import Network
from possilog.markov.parsing import parse_mln

__all__ = ["read_evidence", "read_mln", "write_mln"]


def read_mln(path: AnyPath) -> Network:
    """Read a Markov logic network from a ``.mln`` file."""
    return parse_mln(_text(path), os.fspath(path))


def write_mln(network: Network, path: AnyPath) -> None:
    """Write a network to a ``.mln`` file, whole or not at all."""
    write_atomically(path, str(network).encode())


def read_evidence(path: AnyPath) -> Evidence:
    """Read evidence: a ``.db`` file, where a negated atom is known to be false, or any other file of facts."""
    if Path(path).is_dir() or format_of_name(Path(path)) not in (None, Format.DB):
        return Evidence(read(path))
    return Evidence.of(read_literals(_text(path), os.fspath(path)))


def _text(path: AnyPath) -> str:
    content = read_bytes(path)
    source = os.fspath(path)
    return decode(unpack(content, source) if content.startswith(GZIP) else content, source, "utf-8")

"""Networks, read from files and written."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from possilog.data.formats import GZIP
from possilog.data.reading.text import decode, unpack
from possilog.errors import FileError, LanguageError, shortened
from possilog.files import AnyPath, read_bytes, require_path, write_atomically
from possilog.markov.network import FormulaWeights, Network, require_network
from possilog.markov.parsing import parse_mln

__all__ = ["read_mln", "write_mln"]

_MOST_FILES = 100
"""Files that a network may include, each as often as it is included."""


def read_mln(path: AnyPath, *, formula_weights: FormulaWeights | str = FormulaWeights.SPLIT) -> Network:
    """Read a Markov logic network from a ``.mln`` file, and what it includes from files in its folder or below.

    ``formula_weights`` says what the weight of a formula means that becomes several clauses.
    """
    require_path(path, "Markov logic")
    text = _text(path)
    if not text.strip():
        raise LanguageError(os.fspath(path), 1, 1, found="nothing", expected="formulas, such as 1.5 p(x) => q(x)")
    beside = _Beside(Path(path).parent, (Path(path).resolve(),))
    return parse_mln(text, os.fspath(path), formula_weights=formula_weights, files=beside)


def write_mln(network: Network, path: AnyPath) -> None:
    """Write a network to a ``.mln`` file, whole or not at all."""
    require_path(path, "networks")
    write_atomically(path, str(require_network(network)).encode())


@dataclass(frozen=True, slots=True)
class _Beside:
    """The files that a file may include: those in the folder of the first one, and below it."""

    top: Path
    opened: tuple[Path, ...]
    """The first file, what it includes, and so on, to the one that is being read."""
    taken: list[Path] = field(default_factory=list)
    """All that were included so far."""

    def __call__(self, name: str) -> tuple[str, str, _Beside]:
        """A file that the one being read includes, by its path from there."""
        reader = self.opened[-1]
        says = f"{reader.name} includes {shortened(name)!r}"
        path = _resolved(reader.parent / name)
        if path is not None and not path.is_relative_to(self.top.resolve()):
            raise FileError(f"{says}, which lies outside the network's folder; put it there")
        if path is None or not path.is_file():
            raise FileError(f"{says}, and there is no such file; check the path")
        if path in self.opened:
            raise FileError(f"{says}, which includes {reader.name} again; take one of the two lines out")
        self.taken.append(path)
        if len(self.taken) > _MOST_FILES:
            raise FileError(f"{says}, after {_MOST_FILES} files were included; put them together")
        shown = self.top / path.relative_to(self.top.resolve())
        return _text(shown), os.fspath(shown), _Beside(self.top, (*self.opened, path), self.taken)


def _resolved(path: Path) -> Path | None:
    """Where a path leads; None where it can lead nowhere."""
    try:
        path = path.resolve()
        path.is_file()
    except (OSError, ValueError, RuntimeError):  # too long, with a zero, or links in a circle
        return None
    return path


def _text(path: AnyPath) -> str:
    content = read_bytes(path)
    source = os.fspath(path)
    return decode(unpack(content, source) if content.startswith(GZIP) else content, source, "utf-8")

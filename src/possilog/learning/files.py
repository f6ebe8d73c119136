"""Files of the learner: finished phases, kept in a folder so that a killed run can go on, and groups of constants."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from possilog.data import Database
from possilog.errors import FileError, LanguageError, RowError, TheoryError
from possilog.files import AnyPath, read_bytes, told, write_atomically
from possilog.learning.decoding import text

__all__ = ["Work", "fingerprint", "read_groups"]

_T = TypeVar("_T")


def fingerprint(database: Database, settings: dict[str, Any], version: str) -> str:
    """Tells runs apart: the same data, settings and version have the same."""
    digest = sha256()
    digest.update(json.dumps([version, settings, database.constants], sort_keys=True).encode())
    for predicate in database.predicates:
        digest.update(f"\n{predicate.name}/{predicate.arity}\n".encode("utf-8", "backslashreplace"))
        digest.update(database.rows(predicate).tobytes())
    return digest.hexdigest()


class Work:
    """A folder with one file for each finished phase, or nothing at all."""

    def __init__(self, folder: AnyPath | None, run: Callable[[], str]) -> None:
        """Open the folder of a run, or make it. ``run`` tells it from others; it is asked only if there is a folder."""
        self._folder = None if folder is None else Path(folder)
        self._run = ""
        if self._folder is None:
            return
        with told(self._folder, "written"):
            self._folder.mkdir(parents=True, exist_ok=True)
            begun = any(self._folder.glob("*.json"))
        found, now = self.get("run", text), run()
        if not begun:
            self.put("run", now)
        elif found != now:
            raise FileError(
                f"{folder}: it holds the work of a run with other data, settings or version; name another folder, or "
                "remove this one"
            )
        self._run = now

    def get(self, phase: str, decode: Callable[[Any], _T]) -> _T | None:
        """What a phase left; None where it did not finish."""
        if self._folder is None or not (path := self._folder / f"{phase}.json").exists():
            return None
        try:
            if not path.is_file():
                raise ValueError("a pipe or a device may never end")
            with told(path, "read"):
                kept = json.loads(path.read_bytes())
            if kept["seal"] != self._seal(phase, kept["product"]):
                raise ValueError("the product is not the one that was sealed")
            return decode(kept["product"])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, LanguageError, TheoryError):
            remedy = "remove it, and its phase runs again" if self._run else "name another folder, or remove this one"
            raise FileError(f"{path}: it is not what the learner wrote; {remedy}") from None

    def put(self, phase: str, product: Any) -> None:
        """Keep what a phase made, in JSON's terms."""
        if self._folder is not None:
            text = json.dumps({"seal": self._seal(phase, product), "product": product}, indent=1, ensure_ascii=False)
            write_atomically(self._folder / f"{phase}.json", text.encode("utf-8", "backslashreplace"))

    def _seal(self, phase: str, product: Any) -> str:
        """Tells a product from all others: those of other phases and runs, and what only looks like one."""
        return sha256(json.dumps([self._run, phase, product]).encode()).hexdigest()


def read_groups(path: AnyPath) -> dict[str, str]:
    """The groups of constants from a file: on each line a constant, a tab, and the name of its group."""
    content = read_bytes(path)
    groups: dict[str, str] = {}
    for number, line in enumerate(content.decode("utf-8-sig", "surrogateescape").splitlines(), start=1):
        cells = line.split("\t")
        if not line.strip():
            continue
        if len(cells) != 2:
            raise RowError(f"{path}:{number}: a line holds a constant, a tab and a group, and this one does not")
        constant, group = cells[0], cells[1].strip()
        if groups.setdefault(constant, group) != group:
            raise RowError(f"{path}:{number}: {constant!r} is in two groups; take one of the lines away")
    if not groups:
        raise RowError(f"{path}: there are no groups in it; write lines with a constant, a tab and a group")
    return groups

"""Results as tables of a database, as ``--write-to`` asks for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from possilog.data.servers import shown
from possilog.data.writing.databases import Value, check_place, write_table
from possilog.logic.spelling import plain
from possilog.printing import plural

if TYPE_CHECKING:
    from possilog.inference import Check, Prediction
    from possilog.learning import Learned

__all__ = ["check_place", "write_checks", "write_predictions", "write_rules"]


def write_predictions(prediction: Prediction, place: str, *, force: bool) -> None:
    """What was added: a row for each atom, its arguments in columns of their own, most certain first."""
    most = max((conclusion.atom.predicate.arity for conclusion in prediction.added), default=0)
    stated = {"certainty": str, "probability": float, "cases": int, "right": float}
    columns = {"predicate": str, **{f"argument{n}": str for n in range(1, most + 1)}, **stated}
    rows = []
    for conclusion in prediction.added:
        said = conclusion.as_json
        names = [plain(term.name) for term in conclusion.atom.arguments]
        empty = [None] * (most - len(names))
        rows.append([conclusion.atom.predicate.name, *names, *empty, *(said[name] for name in stated)])
    _write(place, "predictions", columns, rows, force)


def write_checks(check: Check, place: str, *, force: bool) -> None:
    """What the facts break: a row for each rule."""
    columns = {"rule": str, "hard": bool, "violations": int, "applications": int, "example": str}
    rows = []
    for broken in check.broken:
        said = broken.as_json
        example = said["examples"][0] if said["examples"] else None
        rows.append([*(said[name] for name in list(columns)[:-1]), example])
    _write(place, "checks", columns, rows, force)


def write_rules(learned: Learned, place: str, *, force: bool) -> None:
    """The rules of a theory: a row for each, the highest first."""
    rows = [
        [str(rule.clause), str(rule.weight), rule.is_hard, learned.notes.get(rule.clause)] for rule in learned.theory
    ]
    _write(place, "rules", {"rule": str, "certainty": str, "hard": bool, "note": str}, rows, force)


def _write(place: str, name: str, columns: Mapping[str, type], rows: Sequence[Sequence[Value]], force: bool) -> None:
    write_table(place, name, columns, rows, force=force)
    print(f"{shown(place)}: {plural(len(rows), 'row')} in the table {name}", file=sys.stderr)

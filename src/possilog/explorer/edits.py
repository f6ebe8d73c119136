"""What people correct, as frozen values: each makes another theory of the one there is, or marks a conclusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from possilog.errors import QueryError, TheoryError, shortened
from possilog.explorer.position import Mark, Position, Signed
from possilog.inference.taken import atom_of
from possilog.logic import Clause, Keep, Rule, Theory, Weight, canonical, isomorphic, parse_clause, parse_rule

__all__ = ["Edit", "EditKind", "applied", "needs_weights", "parsed"]


class EditKind(StrEnum):
    """What can be done to a theory."""

    LOCK = "lock"
    """The rule stays when the theory is learned again."""
    FREE = "free"
    """Neither locked nor pinned any more."""
    PIN = "pin"
    """The rule stays, with its weight or with another one."""
    BAN = "ban"
    """The rule goes, and is never learned again."""
    ALLOW = "allow"
    """A banned rule may be learned again."""
    REMOVE = "remove"
    REWORD = "reword"
    """Another rule takes the place of this one."""
    ADD = "add"
    """A rule that a person wrote."""
    MARK = "mark"
    """A conclusion is right or wrong."""
    UNMARK = "unmark"
    REFIT = "refit"
    """New weights for all rules that are not pinned."""
    LEARN = "learn"
    """Another theory takes the place of this one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction."""

    kind: EditKind
    rule: str = ""
    """The rule that it is about; what its variables are called does not matter."""
    text: str = ""
    """What is written instead, or in addition."""
    weight: str = ""
    """A weight to pin."""
    atom: str = ""
    """What is marked."""
    right: bool = True

    @property
    def as_json(self) -> dict[str, Any]:
        """What was said; the rest is left out."""
        said = {name: value for name, value in asdict(self).items() if value != "" and name != "right"}
        return said | ({"right": self.right} if self.kind is EditKind.MARK else {})

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Edit:
        """What ``as_json`` wrote."""
        return cls(**{**given, "kind": EditKind(given["kind"])})

    def __str__(self) -> str:
        about = self.atom or self.rule or self.text
        verdict = (" as right" if self.right else " as wrong") if self.kind is EditKind.MARK else ""
        instead = f" as {self.text}" if self.kind is EditKind.REWORD else ""
        return f"{self.kind}{f' {shortened(about, 300)}' if about else ''}{instead}{verdict}"


def applied(position: Position, edit: Edit, signed: Signed, theory: Theory | None = None) -> Position:
    """Where the exploration stands after an edit; with new weights, or another theory, that theory is given."""
    if edit.kind in (EditKind.MARK, EditKind.UNMARK):
        return replace(position, marks=_marked(position, edit, signed))
    made = _APPLY[edit.kind](position.theory, edit) if theory is None else theory
    return replace(position, theory=made, written=_written(position, edit, signed, made))


def _marked(position: Position, edit: Edit, signed: Signed) -> tuple[Mark, ...]:
    atom = position.theory.declared.atom(atom_of(edit.atom))
    others = tuple(mark for mark in position.marks if mark.atom != atom)
    if edit.kind is EditKind.UNMARK:
        if len(others) == len(position.marks):
            raise QueryError(f"{atom.as_fact} is not marked")
        return others
    return (*others, Mark(atom, edit.right, signed))


def _written(position: Position, edit: Edit, signed: Signed, theory: Theory) -> Mapping[Clause, Signed]:
    """Who wrote which of the rules that are there now."""
    known = dict(position.written)
    if edit.kind in (EditKind.ADD, EditKind.REWORD):
        known[canonical(theory.declared.clause(parsed(edit.text).clause))] = signed
    if not known:
        return known
    there = {canonical(rule.clause) for rule in theory}
    return {clause: author for clause, author in known.items() if clause in there}


# What each kind does to a theory


def _lock(theory: Theory, edit: Edit) -> Theory:
    return _changed(theory, edit.rule, lambda rule: [replace(rule, keep=Keep.LOCKED)])


def _free(theory: Theory, edit: Edit) -> Theory:
    return _changed(theory, edit.rule, lambda rule: [replace(rule, keep=Keep.FREE)])


def _pin(theory: Theory, edit: Edit) -> Theory:
    weight = parse_weight(edit.weight) if edit.weight else None
    return _changed(theory, edit.rule, lambda rule: [replace(rule, keep=Keep.PINNED, weight=weight or rule.weight)])


def parse_weight(text: str) -> Weight:
    """A weight that a person wrote."""
    try:
        return Weight.parse(text.strip())
    except ValueError:
        raise TheoryError(
            f"{shortened(text)!r} is no weight; write a number from 0 to 1, like 0.93 or 1-4.5e-6"
        ) from None


def _remove(theory: Theory, edit: Edit) -> Theory:
    return _changed(theory, edit.rule, lambda rule: [])


def _ban(theory: Theory, edit: Edit) -> Theory:
    clause = found(theory, edit.rule).clause
    return replace(_remove(theory, edit), banned=(*theory.banned, clause))


def _allow(theory: Theory, edit: Edit) -> Theory:
    clause = parse_clause(edit.rule, "<rule>")
    kept = tuple(banned for banned in theory.banned if not isomorphic(banned, clause))
    if len(kept) == len(theory.banned):
        raise TheoryError(f"the rule {clause} is not banned; check its spelling")
    return replace(theory, banned=kept)


def _add(theory: Theory, edit: Edit) -> Theory:
    rule = parsed(edit.text)
    _refuse_known(theory, rule.clause)
    if _has_no_weight(edit.text) and rule.clause.head:
        return replace(theory, unplaced=(*theory.unplaced, rule.clause), locked=(*theory.locked, rule.clause))
    kept = rule if rule.keep is not Keep.FREE else replace(rule, keep=Keep.LOCKED)
    return replace(theory, rules=(*theory.rules, kept))


def _reword(theory: Theory, edit: Edit) -> Theory:
    before = found(theory, edit.rule)
    rule = parsed(edit.text)
    if not isomorphic(rule.clause, before.clause):
        _refuse_known(theory, rule.clause)
    weight = before.weight if _has_no_weight(edit.text) else rule.weight
    return _changed(theory, edit.rule, lambda _: [Rule(rule.clause, weight, Keep.LOCKED)])


def _refuse_known(theory: Theory, clause: Clause) -> None:
    if any(isomorphic(rule.clause, clause) for rule in theory):
        raise TheoryError(f"the rule {clause} is in the theory already; reword it, or pin its weight")
    if clause.is_empty:
        raise TheoryError("⊥ is in every theory; write a rule, such as flies(X) :- bird(X)")


def parsed(text: str) -> Rule:
    """A rule that a person wrote; a ? before it asks for a weight."""
    return parse_rule(text.strip().removeprefix("?").lstrip().removeprefix("::") if _asks(text) else text)


def _asks(text: str) -> bool:
    return text.lstrip().startswith("?")


def _has_no_weight(text: str) -> bool:
    return _asks(text) or "::" not in text


def found(theory: Theory, text: str) -> Rule:
    """The rule of a theory that reads like this; weights and names of variables do not matter."""
    clause = theory.declared.clause(parse_rule(text).clause)
    for rule in theory:
        if isomorphic(rule.clause, clause):
            return rule
    raise TheoryError(f"the rule {clause} is not in the theory; perhaps somebody changed it meanwhile")


def _changed(theory: Theory, text: str, change: Callable[[Rule], list[Rule]]) -> Theory:
    """The theory with other rules in the place of one."""
    wanted = found(theory, text)
    typed = theory.types is not None and wanted in theory._said_by_types
    if typed:
        raise TheoryError(f"the rule {wanted.clause} is said by the types; correct the lines of types in the file")
    rules = [one for rule in theory.rules for one in (change(rule) if rule == wanted else [rule])]
    measures = theory.measures and theory.measures.only(rule.clause for rule in rules)
    return replace(theory, rules=tuple(rules), measures=measures)


def _unchanged(theory: Theory, edit: Edit) -> Theory:
    return theory


_APPLY: dict[EditKind, Callable[[Theory, Edit], Theory]] = {
    EditKind.LOCK: _lock,
    EditKind.FREE: _free,
    EditKind.PIN: _pin,
    EditKind.BAN: _ban,
    EditKind.ALLOW: _allow,
    EditKind.REMOVE: _remove,
    EditKind.REWORD: _reword,
    EditKind.ADD: _add,
    EditKind.REFIT: _unchanged,
    EditKind.LEARN: _unchanged,
}


def needs_weights(edit: Edit) -> bool:
    """Has a rule to be weighed before the theory can be used again?"""
    return edit.kind is EditKind.REFIT or (edit.kind is EditKind.ADD and _has_no_weight(edit.text))

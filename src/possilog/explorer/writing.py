"""Write a rule: names complete themselves, and a mistake is shown where it is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from possilog.data.evidence import require_one_arity
from possilog.data.taking import NEGATION
from possilog.errors import LanguageError, PossilogError
from possilog.explorer.edits import parsed
from possilog.explorer.exploration import Exploration
from possilog.explorer.wishes import Wish, wish
from possilog.inference.taken import literals_of
from possilog.logic import Atom, Constant, Rule
from possilog.report.portrait.numbers import Numbers, counted

__all__ = ["CheckAsked", "CompleteAsked"]


@dataclass(frozen=True, slots=True)
class CompleteAsked(Wish):
    """What begins so?"""

    prefix: str = wish("The first letters.", "", most=1000)
    limit: int = wish("At most this many.", 12, least=1, most=200)


@dataclass(frozen=True, slots=True)
class Completion:
    """A name as it is written."""

    text: str
    about: str

    @property
    def as_json(self) -> dict[str, str]:
        """In JSON's terms."""
        return {"text": self.text, "about": self.about}


@dataclass(frozen=True, slots=True)
class Completions:
    """Names that begin with the same letters."""

    found: tuple[Completion, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"completions": [one.as_json for one in self.found]}


def complete(here: Exploration, asked: CompleteAsked) -> Completions:
    """Predicates first, then constants."""
    return Completions(tuple(islice(_completions(here, asked.prefix), asked.limit)))


def _completions(here: Exploration, prefix: str) -> Iterator[Completion]:
    wanted = prefix.lower().lstrip('"')
    predicates = sorted({*here.theory.predicates, *here.data.predicates})
    for predicate in predicates:
        if predicate.name.lower().startswith(wanted):
            bare = str(Atom.ground(predicate.name, ()))
            arguments = ", ".join("XYZUVW"[place : place + 1] or f"X{place}" for place in range(predicate.arity))
            yield Completion(f"{bare}({arguments})" if arguments else bare, "predicate")
    names = here.data.constants
    start = bisect_left(names, prefix.lstrip('"'))
    for name in islice(names, start, None):
        if not name.startswith(prefix.lstrip('"')):
            break
        yield Completion(str(Constant(name)), "constant")


@dataclass(frozen=True, slots=True)
class CheckAsked(Wish):
    """Is this a rule, or are these facts?"""

    text: str = wish("A rule, with a weight or without; or facts, one in a line.", "", most=20_000)
    facts: bool = wish("Are facts meant?", False)


@dataclass(frozen=True, slots=True)
class Checked:
    """A text that is right, or what is wrong with it."""

    rule: Rule | None = None
    sentence: str = ""
    numbers: Numbers | None = None
    facts: int = 0
    error: PossilogError | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        if self.error is not None:
            place: dict[str, Any] = {}
            if isinstance(self.error, LanguageError):
                place = {"line": self.error.line, "column": self.error.column}
                place |= {"found": self.error.found, "expected": self.error.expected}
            return {"ok": False, "error": str(self.error), **place}
        if self.rule is None:
            return {"ok": True, "facts": self.facts}
        numbers = None if self.numbers is None else self.numbers.as_json
        return {"ok": True, "rule": str(self.rule), "sentence": self.sentence, "numbers": numbers}


def check(here: Exploration, asked: CheckAsked) -> Checked:
    """What a text means, and how often a rule would be right; or where it is wrong."""
    try:
        if asked.facts:
            return Checked(facts=_count_facts(asked.text))
        rule = parsed(asked.text)
        atoms = {atom.predicate for atom in rule.clause.atoms}
        require_one_arity(atoms, {*here.theory.predicates, *here.data.predicates}, "this rule", "theory and data")
        numbers = counted(here.theory, [rule.clause], here.data).get(rule.clause)
        return Checked(rule, here.words.clause(rule.clause), numbers)
    except PossilogError as error:
        return Checked(error=error)


def _count_facts(text: str) -> int:
    found = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found += len(literals_of([line], "facts"))
        except LanguageError as error:
            negated = NEGATION.match(line)
            column = error.column + (negated.end() if negated else 0)
            raise LanguageError("<facts>", number, column, found=error.found, expected=error.expected) from None
    return found

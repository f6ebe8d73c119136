"""What is known: facts that hold, and atoms that do not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Unpack

from possilog.data.database import Database
from possilog.data.reading.facts import read_literals
from possilog.data.reading.files import HowRead, read_into
from possilog.data.reading.intake import Intake
from possilog.data.typing import typed_facts
from possilog.errors import ArityError, DataError, shortened
from possilog.files import AnyPath
from possilog.logic import Atom, Constant, Declared, Literal, Predicate
from possilog.printing import plural
from possilog.requiring import require_a

__all__ = ["Evidence", "read_evidence", "require_one_arity"]

_TAKEN = "evidence is a Database, the path of a file, or atoms such as ['bird(tom)', '!bat(tom)']"


@dataclass(frozen=True, slots=True, repr=False)
class Evidence:
    """Facts, and atoms that are known to be false. Their constants, and those declared, are the domain.

    >>> known = Evidence.of(["bird(tom)", "!bat(tom)"], constants=["ann"])
    >>> print(*known.literals, *known.facts.constants)
    bird(tom) not bat(tom) ann tom
    >>> known
    <Evidence: 1 fact, 1 denied atom, 2 constants>
    """

    facts: Database = field(default_factory=lambda: Database((), {}))
    denied: tuple[Atom, ...] = ()

    def __post_init__(self) -> None:
        is_whole = isinstance(self.facts, Database) and isinstance(self.denied, tuple)
        if not is_whole or not all(isinstance(atom, Atom) for atom in self.denied):
            raise DataError("evidence is a database and a tuple of denied atoms; Evidence.of makes it of other forms")
        if self.facts.denied_predicates:
            object.__setattr__(self, "denied", tuple(sorted({*self.denied, *self.facts.denied})))
            object.__setattr__(self, "facts", self.facts.without_denied())
        names = [term.name for atom in self.denied for term in atom.arguments if isinstance(term, Constant)]
        if any(not atom.is_ground for atom in self.denied):
            raise DataError("evidence is ground: replace the variables of what is denied by constants")
        if any(self.facts.number(name) is None for name in names):
            object.__setattr__(self, "facts", self.facts.declare(names))

    @classmethod
    def of(cls, literals: Iterable[Atom | Literal | str], constants: Iterable[str] = ()) -> Evidence:
        """The evidence of some atoms and negated atoms, over their constants and any others.

        Where they are text, every argument is a constant, and ``!`` or ``not`` denies.
        """
        given = list(_literals(literals))
        denied = sorted({literal.atom for literal in given if not literal.positive})
        return cls(Database.of((item.atom for item in given if item.positive), constants), tuple(denied))

    @classmethod
    def taken(cls, given: Evidence | Database | AnyPath | Iterable[Atom | Literal | str]) -> Evidence:
        """Whatever form evidence is given in: itself, facts, the path of a file, or atoms, also as text."""
        if isinstance(given, Evidence):
            return given
        if isinstance(given, Database):
            return cls(given)
        if isinstance(given, str) and not os.path.exists(given):
            name = shortened(repr(given))
            one = f"; of one atom write [{name}]" if "(" in given else ""
            raise DataError(f"there is no file {name}; {_TAKEN}{one}")
        return read_evidence(given) if isinstance(given, str | os.PathLike) else cls.of(given)

    def __str__(self) -> str:
        return "\n".join(literal.as_fact for literal in self.literals)

    def __repr__(self) -> str:
        facts = self.facts
        counts = (
            plural(len(facts), "fact"),
            plural(len(self.denied), "denied atom"),
            plural(len(facts.constants), "constant"),
        )
        return f"<Evidence: {', '.join(counts)}>"

    def typed(self, declared: Declared) -> Evidence:
        """The same with declared types on constants that have none."""
        require_a("declared", declared, Declared)
        if not declared:
            return self
        return Evidence(typed_facts(self.facts, declared), tuple(sorted(map(declared.atom, self.denied))))

    @property
    def contradictory(self) -> tuple[Atom, ...]:
        """What is said to hold and not to hold."""
        return tuple(atom for atom in self.denied if atom in self.facts)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """What holds, then what does not."""
        return tuple(map(Literal, self.facts)) + tuple(Literal(atom, False) for atom in self.denied)


def _literals(given: Iterable[Atom | Literal | str]) -> Iterator[Literal]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise DataError(f"{_shown(given)} was given; {_TAKEN}")
    for one in given:
        if isinstance(one, str):
            yield from read_literals(one, "<evidence>")
        elif isinstance(one, Atom | Literal):
            yield one if isinstance(one, Literal) else Literal(one)
        else:
            raise DataError(f"{_shown(one)} is among the atoms; {_TAKEN}")


def _shown(given: object) -> str:
    return f"a {type(given).__name__} ({shortened(repr(given))})"


def read_evidence(*paths: AnyPath | Iterable[AnyPath], **how: Unpack[HowRead]) -> Evidence:
    """Read facts as ``read`` does, and apart from them the atoms that a ``.db`` file says are false.

    Parameters
    ----------
    *paths : str or path, or several
        Files and folders. The format is known by the content where that is certain, else by the extension, else by the
        look of the text.
    **how : dict
        How files are read: ``encoding``, ``header``, ``as_is``, ``mapping`` and ``missing``, as ``read`` takes them.

    Returns
    -------
    Evidence
        The facts, and what is denied.

    Raises
    ------
    FileError
        If a file cannot be read.
    DataError
        If it does not hold facts, or the facts do not fit together.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "birds.db")
    ...     _ = path.write_text("bird(Tweety)\\n!bat(Tweety)\\n")
    ...     read_evidence(path)
    <Evidence: 1 fact, 1 denied atom, 1 constant>
    """
    return Evidence(read_into(Intake(), paths, how).finish())


def require_one_arity(
    predicates: Iterable[Predicate], known: Iterable[Predicate], here: str = "one rule", there: str = "another"
) -> None:
    """A name means one predicate, in the theory, the evidence and the question."""
    arities = {predicate.name: predicate.arity for predicate in known}
    for predicate in predicates:
        other = arities.setdefault(predicate.name, predicate.arity)
        if other != predicate.arity:
            places = f"{plural(predicate.arity, 'argument')} in {here} and {other} in {there}"
            raise ArityError(f"{predicate.name} has {places}; give it as many, or give the two different names")

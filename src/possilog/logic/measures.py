"""What was measured of a theory and its rules: what prediction needs to know to use each rule only where it pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from possilog.errors import TheoryError
from possilog.logic.atoms import Predicate
from possilog.logic.canonical_forms import canonical
from possilog.logic.clauses import Clause
from possilog.logic.spelling import spell_predicate
from possilog.printing import plural

__all__ = ["HeldOut", "Judged", "Measured", "Measures", "Precision", "rests_on"]


PATIENCE = 14
"""So many held-out cases count as much as what was believed without them."""

SURE = 0.01
"""What is said of conclusions is never thought to be surer than this, true or false, when it is corrected."""


LEAST = 1e-9
"""Nor is it ever thought to be impossible, or certain, however many cases say so."""


@dataclass(frozen=True, slots=True, order=True)
class HeldOut:
    """Conclusions about facts that were held out: how many there were, and how many came true.

    An atom that is concluded from several pieces of evidence is one case, divided between right and wrong as often as
    it was either.
    """

    right: float = 0
    said: float = 0
    """How many should have come true, by what was said of each."""
    cases: int = 0

    def corrected(self, probability: float, others: HeldOut | None = None) -> float:
        """What is said of one more such conclusion, its odds moved by how far what was said of these was off.

        What came of others is where that begins: as far as there are no cases of its own, they are all there is.

        >>> HeldOut(48, 40, 50).corrected(0.8) > 0.8 > HeldOut(30, 40, 50).corrected(0.8)
        True
        >>> HeldOut().corrected(0.8, HeldOut(48, 40, 50)) == HeldOut(48, 40, 50).corrected(0.8)
        True
        """
        if not self.cases:
            return probability if others is None else others.corrected(probability)
        said = min(max(self.said / self.cases, SURE), 1 - SURE)
        expected = said if others is None else others.corrected(said)
        came = min(max(self.right, 0.0), self.cases)  # a person may have written any number
        right = min(max((came + PATIENCE * expected) / (self.cases + PATIENCE), LEAST), 1 - LEAST)
        ratio = right / (1 - right) * (1 - said) / said
        return ratio * probability / (ratio * probability + 1 - probability)

    def doubt(self, more: int = 0) -> float:
        """How much of a doubt is left after so many cases, and some more: all of it where there was none."""
        return PATIENCE / (self.cases + more + PATIENCE)

    @property
    def in_words(self) -> str:
        """How many came true of how many; nothing where there were none."""
        return f"{self.right:.0f} of {self.cases:,}" if self.cases else ""

    def __add__(self, other: HeldOut) -> HeldOut:
        return HeldOut(self.right + other.right, self.said + other.said, self.cases + other.cases)

    def __sub__(self, other: HeldOut) -> HeldOut:
        return HeldOut(self.right - other.right, self.said - other.said, self.cases - other.cases)

    def __str__(self) -> str:
        return f"right {_number(self.right)}, said {_number(self.said)}, of {self.cases}"


NOTHING_HELD_OUT = HeldOut()

PRIOR = 5
"""Errors that every rule is taken to have made already, where rules are compared by confidence."""

BELIEVED = 2
"""Facts that every rule is taken to have given already, of those that were held out and of those expected."""


@dataclass(frozen=True, slots=True, order=True)
class Judged:
    """A rule that only ranking uses, and the distinct heads that it covers on the facts that it was learned from."""

    clause: Clause
    true: int
    """Those that are true."""
    false: int
    """Those that are false."""
    nontrivial: int
    """Those of the false ones that the hard rules do not refute."""
    held_out: HeldOut = NOTHING_HELD_OUT
    """Facts that were held out: how many it gives, how many it should, and how many there were about its head."""

    @property
    def confidence(self) -> float:
        """How often it is right, where a rule with few cases is not trusted much.

        One that gives fewer of the facts that were held out than it should is right less often about what is new.

        >>> from possilog.logic import parse_clause
        >>> Judged(parse_clause("bird(X) :- flies(X)"), 15, 0, 0).confidence
        0.75
        >>> Judged(parse_clause("bird(X) :- flies(X)"), 15, 0, 0, HeldOut(0, 4, 10)).confidence
        0.25
        """
        kept = (max(self.held_out.right, 0) + BELIEVED) / (max(self.held_out.said, 0) + BELIEVED)
        return self.true / (self.true + self.false + PRIOR) * min(kept, 1)

    def __str__(self) -> str:
        held_out = "" if self.held_out == NOTHING_HELD_OUT else f", {self.held_out}"
        counts = f"true {self.true}, false {self.false}, nontrivial {self.nontrivial}{held_out}"
        return f"#rank {counts} :: {self.clause}"


@dataclass(frozen=True, slots=True, order=True)
class Measured:
    """What was measured of one rule, on the facts that the theory was learned from and on facts that were held out."""

    clause: Clause
    true: int
    """The distinct heads that the rule covers and that are true."""
    false: int
    """Those that are false."""
    nontrivial: int
    """Those of the false ones that the hard rules do not refute."""
    held_out: HeldOut = NOTHING_HELD_OUT
    gains: tuple[float, ...] = ()
    """At each share of known facts: what it adds on average to the rules above it, right less wrong."""
    errors: tuple[float, ...] = ()
    """At each share: how many of these conclusions are wrong, on average."""
    units: int = 0
    """Of a rule without exception that chance may have made hold: on how many distinct things its true heads rest,
    which is what counts then; 0 where every head counts."""

    @property
    def counted(self) -> int:
        """The true heads, as far as each is evidence of its own: what the rule is trusted for."""
        return self.units or self.true

    @property
    def is_faultless(self) -> bool:
        """Has it no exception at all? Then its confidence says more about the data than about the world."""
        return not self.false

    @property
    def is_recursive(self) -> bool:
        """Does it conclude a predicate of its body? A symmetry does too, but ends by itself."""
        concluded = {atom.predicate for atom in self.clause.head}
        return len(self.clause.body) > 1 and any(atom.predicate in concluded for atom in self.clause.body)

    @property
    def is_symmetry(self) -> bool:
        """Does it say no more than that arguments of a predicate may change places?"""
        atoms = self.clause.atoms
        first, *rest = (set(atom.arguments) for atom in atoms)
        return len(atoms) == 2 and len({atom.predicate for atom in atoms}) == 1 and rest == [first]

    def confidence(self, share: float) -> float:
        """How often it is right where this share of the facts is known: trivial errors are refuted the more of them.

        One error more than was seen is counted. But most symmetries without an exception are none by chance: that one
        is has a probability of 1 / (true + 2), were it half beforehand and all rates of error as likely; and then it
        is wrong about as many.
        """
        errors = self.nontrivial + (self.false - self.nontrivial) * (1 - share)
        more = 1 / (self.counted + 2) if self.is_faultless and self.is_symmetry else 1
        return self.counted / (self.counted + errors + more)

    def still_right(self, share: float) -> float:
        """How often it is right about what is not yet known: most of what it is right about is known already."""
        confidence = self.confidence(share)
        return confidence * (1 - share) / (1 - confidence * share)

    def __str__(self) -> str:
        units = f", units {self.units}" if self.units else ""
        counts = f"true {self.true}, false {self.false}, nontrivial {self.nontrivial}{units}, {self.held_out}"
        gains = f", gains {_listed(self.gains)}" if self.gains else ""
        errors = f"; errors {_listed(self.errors)}" if self.errors else ""
        return f"#measured {counts}{gains}{errors} :: {self.clause}"


@dataclass(frozen=True, slots=True, order=True)
class Precision:
    """How often what is said of a predicate came true on held-out facts."""

    predicate: Predicate
    held_out: HeldOut

    def __str__(self) -> str:
        return f"{spell_predicate(self.predicate.name)}/{self.predicate.arity}, {self.held_out}."


@dataclass(frozen=True, order=True)
class Measures:
    """What was measured of a theory."""

    shares: tuple[float, ...] = ()
    """The shares of known facts at which the rest was measured."""
    seen: tuple[float, ...] = ()
    """At each share: how much of what the rules expect was given, on held-out facts. So evidence shows its share."""
    added: tuple[float, ...] = ()
    """At each share: what the soft rules add to the hard ones on held-out facts, on average."""
    rules: tuple[Measured, ...] = ()
    certain: tuple[Precision, ...] = ()
    """What is certain."""
    faultless: HeldOut = NOTHING_HELD_OUT
    """The conclusions of all rules without an exception."""
    given: tuple[float, ...] = ()
    """At each share: how many facts were given where rules were tried, on average."""
    lists: tuple[Precision, ...] = ()
    """Predicates of which every thing has one value, and of which the first rule that says one decides."""
    dense: tuple[float, ...] = ()
    """At each share: how many facts were given for each constant that they mention."""
    dense_weight: float = 0.0
    """How much that says of the share, beside what the rules expect: between 0 and 1."""
    curve: tuple[tuple[int, float], ...] = ()
    """What theories with fewer and with more soft rules gained while the rules were chosen: their sizes and gains."""
    taken: int = 0
    """The size that was taken of these."""

    def __post_init__(self) -> None:
        tables = {"#seen": self.seen, "#added": self.added}
        tables |= {f"gains of #measured ... :: {rule.clause}": rule.gains for rule in self.rules if rule.gains}
        tables |= {f"errors of #measured ... :: {rule.clause}": rule.errors for rule in self.rules if rule.errors}
        tables |= {"#given": self.given} if self.given else {}
        tables |= {"#dense": self.dense} if self.dense else {}
        for name, table in tables.items():
            if len(table) != len(self.shares):
                raise TheoryError(
                    f"{name} has {len(table)} numbers where #shares has {len(self.shares)}; give one for each share"
                )
        if any(later <= earlier for earlier, later in zip(self.shares, self.shares[1:], strict=False)):
            raise TheoryError("#shares has to rise from number to number; put them in order")
        if any(later <= earlier for (earlier, _), (later, _) in zip(self.curve, self.curve[1:], strict=False)):
            raise TheoryError("the numbers of rules in #curve have to rise; put them in order, each once")
        if not 0 <= self.dense_weight <= 1:
            raise TheoryError(f"the weight of #dense is {self.dense_weight:g}; give a number from 0 to 1")

    @property
    def is_of_format_7(self) -> bool:
        """Does it say what files of older formats do not?"""
        return bool(self.dense or self.curve) or any(rule.units for rule in self.rules)

    @cached_property
    def _by_form(self) -> Mapping[Clause, Measured]:
        return {canonical(rule.clause): rule for rule in self.rules}

    def measured(self, clause: Clause) -> Measured | None:
        """What was measured of a clause, whatever its variables are called; None of one that a person wrote."""
        return self._by_form.get(canonical(clause))

    def only(self, clauses: Iterable[Clause]) -> Measures:
        """The same without the rules that are not among these."""
        kept = set(map(canonical, clauses))
        rules = tuple(rule for rule in self.rules if canonical(rule.clause) in kept)
        return replace(self, rules=rules)

    @property
    def lines(self) -> Iterator[str]:
        """The statements of a theory file."""
        if self.shares:
            yield f"#shares {_listed(self.shares)}."
            yield f"#seen {_listed(self.seen)}."
            yield f"#added {_listed(self.added)}."
        if self.given:
            yield f"#given {_listed(self.given)}."
        if self.dense:
            yield f"#dense {_listed(self.dense)}; weight {_number(self.dense_weight)}."
        if self.curve:
            sizes = ", ".join(f"{rules} {_number(gain)}" for rules, gain in self.curve)
            yield f"#curve {sizes}; taken {self.taken}."
        if self.faultless.cases:
            yield f"#faultless {self.faultless}."
        yield from (f"#list {each}" for each in self.lists)
        yield from (f"#certain {each}" for each in self.certain)
        yield from map(str, self.rules)


def rests_on(units: int) -> str:
    """Of a rule whose cases are not each evidence of its own, in words."""
    return f"rests on {plural(units, 'thing')}"


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(map(_number, numbers))


def _number(number: float) -> str:
    """As short as it can be read back exactly."""
    return str(int(number)) if number == int(number) else repr(float(number))

"""Rules with weights, and theories: stratified sets of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from enum import StrEnum
from itertools import groupby
from types import MappingProxyType

from possilog.choices import Aggregate
from possilog.errors import LogicError, TheoryError
from possilog.logic.atoms import Predicate
from possilog.logic.canonical_forms import canonical, isomorphic
from possilog.logic.clauses import Clause
from possilog.logic.declared import NOTHING_DECLARED, Declared
from possilog.logic.mapping import TableMapping
from possilog.logic.measures import NOTHING_HELD_OUT, HeldOut, Judged, Measures
from possilog.logic.thresholds import BuiltIn, comparisons_in
from possilog.logic.types import Types
from possilog.logic.weights import CERTAIN, Weight, shortest
from possilog.notebook import code, list_in_notebook, table_in_notebook
from possilog.printing import Printed, plural
from possilog.requiring import require_a

__all__ = ["DEMOTED", "Keep", "Rule", "Stratum", "Theory"]

UNWEIGHED = Weight(Decimal(1))
"""λ = 0: the weight of ⊥ in a theory that has not been weighed."""

DEMOTED = Weight.of_doubt("1e-300")
"""The weight just below 1: of constraints that hold in all the data, where that may be chance. They are believed before
all that is concluded, but not before what is given. It stands for a place, not for the probability of a world."""

# What the sections say of a probability is rounded up, so that "at most" stays true.
_ROUGHLY = Context(prec=3, rounding=ROUND_CEILING)


_TYPES_MEAN = "% types: a constant does not stand at places of two types; before one that might by chance: ~"
_DEMOTED_MEANS = "% demoted: these have no exception in the data, but that may be chance: what is given may break them"
_MAPPING_MEANS = "% tables: how tables are read as facts; a row says each of these of its key"
_MEASURES_MEAN = "% measured: where each rule pays; without these lines every rule is used whatever is known"
_JUDGED_MEAN = "% ranking: these conclude nothing, and only put what may be true in order"


class Keep(StrEnum):
    """What a person said about a rule: what may not change when the theory is weighed or learned again."""

    FREE = "free"
    """Nothing was said."""
    LOCKED = "lock"
    """The rule stays as it is written, above and below the same locked rules; its weight may change."""
    PINNED = "pin"
    """The rule and its weight stay."""


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Rule(Printed):
    """A clause and its weight. With weight 1 it is a hard rule.

    It can be read alone: a world that breaks it has probability at most 1 - λ.

    >>> from possilog.logic import parse_rule
    >>> rule = parse_rule("0.9 :: flies(X) :- bird(X).")
    >>> print(rule.weight, rule.clause)
    0.9 flies(X) :- bird(X).
    """

    clause: Clause
    weight: Weight = CERTAIN
    keep: Keep = Keep.FREE

    def __post_init__(self) -> None:
        if not isinstance(self.clause, Clause):
            raise LogicError.taking('a rule has a Clause; parse_rule("0.9 :: p(X) :- q(X).") reads one', self.clause)
        if not isinstance(self.weight, Weight):
            raise LogicError.taking("a rule has a weight, such as Weight.of(0.9)", self.weight)
        if not isinstance(self.keep, Keep):
            raise LogicError.taking(f"what is kept of a rule is one of {', '.join(map(str, Keep))}", self.keep)

    def __hash__(self) -> int:
        return hash(self.clause)  # that of a decimal takes as long as a hundred of these

    @property
    def is_hard(self) -> bool:
        """Has it weight 1?"""
        return self.weight.is_certain

    def __str__(self) -> str:
        keep = "" if self.keep is Keep.FREE else f"#{self.keep} "
        weight = "" if self.is_hard else "#demoted " if self.weight == DEMOTED else f"{self.weight} :: "
        return f"{keep}{weight}{self.clause}"

    def _repr_html_(self) -> str:
        """In a notebook."""
        return code(str(self))


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Stratum(Printed):
    """The rules of one weight: they stand or fall together."""

    weight: Weight
    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.weight, Weight):
            raise LogicError.taking("a stratum has a weight, such as Weight.of(0.9)", self.weight)
        if not isinstance(self.rules, tuple) or not all(isinstance(rule, Rule) for rule in self.rules):
            raise LogicError.taking("a stratum has a tuple of rules", self.rules)

    def __str__(self) -> str:
        return " ".join(map(str, self.rules))


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Theory:
    """A possibilistic theory: rules by descending weight, and the weight of ⊥.

    Rules of equal weight keep the order in which they were given. ⊥ is always in the theory; where no weight was
    given to it, its weight is 0.

    >>> from possilog.logic import parse_theory
    >>> theory = parse_theory("0.9 :: flies(X) :- bird(X). bird(X) :- penguin(X). 0.8 :: sings(X) :- bird(X).")
    >>> [str(rule.clause) for rule in theory.hard], [str(stratum.weight) for stratum in theory.strata]
    (['bird(X) :- penguin(X).'], ['0.9', '0.8'])
    """

    rules: tuple[Rule, ...] = ()
    falsity: Weight = UNWEIGHED
    unplaced: tuple[Clause, ...] = ()
    """Clauses that wait for ``weigh`` to find their place and weight, in the order in which it takes them."""
    banned: tuple[Clause, ...] = ()
    """Clauses that are never to be learned."""
    locked: tuple[Clause, ...] = ()
    """Those of the unplaced clauses that are locked as soon as they have their place."""
    falsity_pinned: bool = False
    """Does the weight of ⊥ stay when the theory is weighed again?"""
    types: Types | None = None
    """The types of arguments; the constraints that they stand for are among the rules."""
    measures: Measures | None = None
    """What was measured of the rules; without it, all of them are used whatever is known."""
    mapping: TableMapping | None = None
    """How the tables were read that the theory was learned from."""
    judged: tuple[Judged, ...] = ()
    """Further rules, which only ranking uses; those that are banned are left out."""
    aggregate: Aggregate | None = None
    """How ranking takes the rules of an atom together; None for their list, best first."""
    unlinked: HeldOut = NOTHING_HELD_OUT
    """Held-out facts about constants that another fact links: how many there were, how many should have been, and of
    how many facts. Where it is said, ranking takes no such constants for an answer."""

    def __post_init__(self) -> None:
        self._check_kinds()
        self._take_in_mapping()
        self._take_in_types()
        if self.measures == Measures():  # which says nothing, and has no line in a file
            object.__setattr__(self, "measures", None)
        if any(clause.is_empty for clause in (*self.unplaced, *self.banned)):
            raise TheoryError("⊥ is in every theory and has its place; take away the line that bans or places it")
        contradicted = next((c for c in (*(rule.clause for rule in self.rules), *self.unplaced) if self.bans(c)), None)
        if contradicted is not None:
            raise TheoryError(f"the rule {contradicted} is banned and yet in the theory; take one of the two away")
        if self.banned:
            allowed = tuple(rule for rule in self.judged if not self.bans(rule.clause))
            object.__setattr__(self, "judged", allowed)
        if any(rule.clause.is_empty and not rule.is_hard for rule in self.rules):
            raise TheoryError("⊥ stands among the rules; give its weight as the theory's falsity instead")
        if self.falsity.is_certain:
            raise TheoryError("⊥ has weight 1, so that every world is impossible; give it a weight below 1")
        outweighed = next((rule for rule in self.rules if rule.weight < self.falsity), None)
        if outweighed is not None:
            raise TheoryError(
                f"⊥ weighs {self.falsity}, more than this rule, which can never matter then; lower ⊥ or give the rule "
                f"a higher weight: {outweighed}"
            )
        object.__setattr__(self, "rules", tuple(sorted(self.rules, key=lambda rule: rule.weight.doubt)))

    def _check_kinds(self) -> None:
        """Refuse what is no part of a theory, before anything is asked of it."""
        if not isinstance(self.rules, tuple) or not all(isinstance(rule, Rule) for rule in self.rules):
            raise TheoryError("a theory is made of a tuple of rules; parse_theory reads one, and parse_rule a rule")
        clauses = [self.unplaced, self.banned, self.locked]
        if not all(isinstance(some, tuple) and all(isinstance(one, Clause) for one in some) for some in clauses):
            raise TheoryError("what is banned, locked or not yet placed are clauses; parse_clause reads one")
        if not isinstance(self.falsity, Weight) or not isinstance(self.types, Types | None):
            raise TheoryError("⊥ has a weight, such as Weight.of(0.4), and types are Types, or None")
        if not isinstance(self.measures, Measures | None) or not isinstance(self.mapping, TableMapping | None):
            raise TheoryError("measures are Measures and a mapping is a TableMapping, as read_theory gives them")

    def _take_in_mapping(self) -> None:
        """Give the constants of the rules the types of their places, which no text shows."""
        if self.mapping is None:
            return
        object.__setattr__(self, "mapping", self.mapping.used)
        typed = self.declared.clause
        object.__setattr__(self, "rules", tuple(replace(rule, clause=typed(rule.clause)) for rule in self.rules))
        for name in ("unplaced", "banned", "locked"):
            object.__setattr__(self, name, tuple(map(typed, getattr(self, name))))
        if self.measures is not None:
            measured = tuple(replace(each, clause=typed(each.clause)) for each in self.measures.rules)
            object.__setattr__(self, "measures", replace(self.measures, rules=measured))
        object.__setattr__(self, "judged", tuple(replace(each, clause=typed(each.clause)) for each in self.judged))

    def _take_in_types(self) -> None:
        """Let the constraints of the types be rules, before the others of their weight, and each only once."""
        if self.types is None:
            return
        said = {CERTAIN: self.types.hard, DEMOTED: self.types.demoted}
        folded = {(canonical(clause), weight) for weight, clauses in said.items() for clause in clauses}
        first = tuple(Rule(clause, weight) for weight, clauses in said.items() for clause in clauses)
        if self.rules[: len(first)] != first:
            others = tuple(rule for rule in self.rules if not _is_folded(rule, folded))
            object.__setattr__(self, "rules", first + others)

    @property
    def declared(self) -> Declared:
        """The types that tables declare."""
        return NOTHING_DECLARED if self.mapping is None else self.mapping.declared

    @property
    def demoted(self) -> tuple[Rule, ...]:
        """The constraints that hold in all the data, where that may be chance."""
        return tuple(rule for rule in self.rules if rule.weight == DEMOTED)

    @property
    def hard_listed(self) -> tuple[Rule, ...]:
        """The hard rules that stand in the file, without those that the types stand for."""
        return self.hard if self.types is None else self.hard[len(self.types.hard) :]

    @property
    def further(self) -> tuple[Judged, ...]:
        """The rules that only ranking uses. Soft rules of a graph are among those that rank, too, with their counts."""
        conclude = {rule.clause for rule in self.soft}
        return tuple(rule for rule in self.judged if rule.clause not in conclude)

    @property
    def ranked(self) -> tuple[Rule, ...]:
        """The soft rules without the demoted ones, highest first."""
        return tuple(rule for rule in self.soft if rule.weight != DEMOTED)

    @property
    def hard(self) -> tuple[Rule, ...]:
        """The rules of weight 1."""
        return tuple(rule for rule in self.rules if rule.is_hard)

    @property
    def soft(self) -> tuple[Rule, ...]:
        """The rules of a weight below 1, highest first."""
        return tuple(rule for rule in self.rules if not rule.is_hard)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The soft rules by weight, highest stratum first."""
        groups = groupby(self.soft, key=lambda rule: rule.weight)
        return tuple(Stratum(weight, tuple(rules)) for weight, rules in groups)

    @property
    def ranked_strata(self) -> tuple[Stratum, ...]:
        """The strata without the demoted rules, which are in none that a reader counts."""
        return tuple(stratum for stratum in self.strata if stratum.weight != DEMOTED)

    def strata_down_to(self, weight: Weight) -> int:
        """How many strata that a reader counts have at least this weight."""
        require_a("weight", weight, Weight, "such as Weight.of(0.9)")
        return sum(stratum.weight >= weight for stratum in self.ranked_strata)

    def cut(self, weight: Weight) -> tuple[Rule, ...]:
        """Θ_μ: the rules whose weight is at least μ (section Preliminaries)."""
        if not isinstance(weight, Weight):
            raise LogicError.taking("a cut is at a weight, such as Weight.of(0.9)", weight)
        return tuple(rule for rule in self.rules if rule.weight >= weight)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates that occur in the rules, in order; comparisons are none of them."""
        clauses = (*(rule.clause for rule in self.rules), *self.unplaced)
        named = {atom.predicate for clause in clauses for atom in clause.atoms}
        return tuple(sorted(predicate for predicate in named if not isinstance(predicate, BuiltIn)))

    @property
    def comparisons(self) -> tuple[BuiltIn, ...]:
        """The comparisons that occur in the rules, each once."""
        clauses = (*(rule.clause for rule in self.rules), *self.unplaced, *self.banned)
        return tuple(comparisons_in(atom for clause in clauses for atom in clause.body))

    def bans(self, clause: Clause) -> bool:
        """Is this clause banned, whatever its variables are called?"""
        return any(isomorphic(clause, banned) for banned in self.banned)

    def require_weights(self) -> None:
        """Refuse a theory whose weights are not all there: what follows from it cannot be said yet."""
        if self.unplaced:
            raise TheoryError(f"the rule ? :: {self.unplaced[0]} has no weight yet; run possilog weigh first")

    def text(self, notes: Mapping[Clause, str] = MappingProxyType({})) -> str:
        """The theory in our language, a section for each stratum, with comments after the clauses that have notes."""
        require_a("notes", notes, Mapping, "write {clause: 'why'}")

        def line(statement: str, clause: Clause) -> str:
            note = notes.get(clause)
            return statement + (f"  {comment(note)}" if note else "")

        def lines(rules: tuple[Rule, ...]) -> Iterator[str]:
            return (line(str(rule), rule.clause) for rule in rules)

        typed = self._said_by_types
        sections = []
        if self.mapping is not None and self.mapping.tables:
            sections.append([_MAPPING_MEANS, *self.mapping.lines])
        if self.types is not None:
            sections.append([_TYPES_MEAN, *self.types.lines])
        if plain := tuple(rule for rule in self.hard if rule not in typed):
            sections.append(["% hard rules", *lines(plain)])
        counted = (self.measures is None and self.aggregate is None) or self.falsity != UNWEIGHED
        for stratum in self.strata:
            if stratum.weight == DEMOTED:
                continue  # they come after what is to be read first
            these = "this rule" if len(stratum.rules) == 1 else "one of these rules"
            meaning = f"% a world that breaks {these} has probability at most {_roughly(stratum.weight)}"
            # Where worlds were not counted, weights are confidences.
            sections.append([*([meaning] if counted else []), *lines(stratum.rules)])
        if self.falsity != UNWEIGHED or self.falsity_pinned:
            meaning = f"% ⊥: no world has a probability above {_roughly(self.falsity)}"
            sections.append([meaning, f"{'#pin ' * self.falsity_pinned}{self.falsity} :: false."])
        if self.unplaced:
            waiting = (line(f"{'#lock ' * (clause in self.locked)}? :: {clause}", clause) for clause in self.unplaced)
            sections.append(["% these wait for a weight", *waiting])
        if self.banned:
            sections.append(["% never to be learned", *(line(f"#ban {clause}", clause) for clause in self.banned)])
        if demoted := tuple(rule for rule in self.demoted if rule not in typed):
            sections.append([_DEMOTED_MEANS, *lines(demoted)])
        if self.measures is not None:
            sections.append([_MEASURES_MEAN, *self.measures.lines])
        said = [] if self.aggregate is None else [f"#aggregate {self.aggregate}."]
        said += [f"#unlinked {self.unlinked}."] if self.unlinked.cases else []
        if self.judged or said:
            sections.append([_JUDGED_MEAN, *said, *map(str, self.judged)])
        return "\n\n".join("\n".join(section) for section in sections) + "\n" if sections else ""

    @property
    def _said_by_types(self) -> frozenset[Rule]:
        """The rules that the lines about types stand for."""
        if self.types is None:
            return frozenset()
        return frozenset(self.rules[: len(self.types.hard)]) | frozenset(self.demoted[: len(self.types.demoted)])

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """In a notebook: the soft rules, and below them the hard ones, folded."""
        soft = [(str(rule.weight), str(rule.clause)) for rule in self.ranked]
        typed = self._said_by_types
        kinds = (("hard", self.hard_listed), ("demoted", self.demoted))
        firm = [(kind, str(rule.clause)) for kind, rules in kinds for rule in rules if rule not in typed]
        parts = [table_in_notebook(repr(self)[1:-1], ("weight", "rule"), soft)]
        if self.types is not None:
            parts.append(list_in_notebook("types", [code(line) + "<br>" for line in self.types.lines]))
        if firm:
            title = "hard and demoted rules"
            parts.append(list_in_notebook(title, [table_in_notebook("", ("kind", "rule"), firm)]))
        return "".join(parts)

    def __repr__(self) -> str:
        hard, soft = plural(len(self.hard_listed), "hard rule"), plural(len(self.ranked), "soft rule")
        strata = plural(len({rule.weight for rule in self.ranked}), "stratum", "strata")
        types = "" if self.types is None else f", {plural(len(self.types.names), 'type')}"
        return f"<Theory: {hard}, {soft} in {strata}{types}>"


def _is_folded(rule: Rule, folded: set[tuple[Clause, Weight]]) -> bool:
    is_candidate = not rule.clause.head and len(rule.clause.body) <= 2 and rule.keep is Keep.FREE
    return is_candidate and (canonical(rule.clause), rule.weight) in folded


@contextmanager
def read_from(source: str) -> Iterator[None]:
    """What is wrong with a theory as a whole is said of where it was read."""
    try:
        yield
    except TheoryError as error:
        raise TheoryError(f"{source}: {error}") from None


def comment(text: str) -> str:
    """A comment of one line, whatever the text."""
    return f"% {' '.join(text.split())}"


def _roughly(weight: Weight) -> str:
    return shortest(_ROUGHLY.plus(weight.doubt))

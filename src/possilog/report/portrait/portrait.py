"""A theory for people: what it is about, what always holds, and what mostly holds, by what is concluded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import indent
from typing import TYPE_CHECKING, Any

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.data.typing import in_step
from possilog.data.writing.frames import frame_of
from possilog.errors import QueryError
from possilog.files import AnyPath
from possilog.inference.taken import Facts, theory_of
from possilog.inference.words import PLAIN, Words
from possilog.logic import Clause, Rule, Theory, Weight
from possilog.matching import Matcher
from possilog.notebook import table_in_notebook
from possilog.printing import plural
from possilog.report.portrait.cards import NEVER, RuleCard, RuleKind, counterexamples_of, examples_of, make_cards
from possilog.report.portrait.numbers import Numbers, counted, measured
from possilog.report.portrait.schema_card import SchemaCard, Unsaid, make_schema_card
from possilog.requiring import require_kind, require_whole

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Group", "Portrait", "portray"]


@dataclass(frozen=True, slots=True)
class Group:
    """The soft rules that conclude one thing: each after the one that it refines, with the depth of refinement."""

    concludes: str
    rules: tuple[tuple[int, RuleCard], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Portrait:
    """A theory for people. It prints as ``possilog show`` does."""

    theory: Theory
    schema: SchemaCard
    rules: tuple[RuleCard, ...]
    """The soft rules from the highest to the lowest, the hard ones, and the demoted ones, without those of types."""
    facts: int | None = None
    """How many facts it was compared with."""

    @property
    def soft(self) -> tuple[RuleCard, ...]:
        """The soft rules."""
        return tuple(card for card in self.rules if card.kind is RuleKind.SOFT)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The soft rules by what they conclude, the largest groups first, constraints last."""
        by_head: dict[str, list[RuleCard]] = defaultdict(list)
        for card in self.soft:
            by_head[card.concludes].append(card)
        names = sorted(by_head, key=lambda name: (name == NEVER, -len(by_head[name]), name))
        return tuple(Group(name, tuple(_nested(by_head[name]))) for name in names)

    def rule(self, number: int) -> RuleCard:
        """The card of a number."""
        if not 1 <= number <= len(self.rules):
            there = f"they are numbered from 1 to {len(self.rules)}" if self.rules else "the theory has none"
            raise QueryError(f"there is no rule {number}; {there}")
        return self.rules[number - 1]

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog show --json`` prints."""
        return {
            "hard_rules": len(self.theory.hard_listed),
            "demoted": len(self.theory.demoted),
            "soft_rules": len(self.soft),
            "strata": len({card.stratum for card in self.soft}),
            "further": len(self.theory.further),
            "facts": self.facts,
            "schema": self.schema.as_json,
            "rules": [card.as_json for card in self.rules],
        }

    @property
    def summary(self) -> str:
        """One line."""
        soft, strata = len(self.soft), len({card.stratum for card in self.soft})
        parts = [plural(soft, "soft rule") + (f" in {plural(strata, 'stratum', 'strata')}" if soft else "")]
        parts.append(plural(len(self.theory.hard_listed), "hard rule"))
        if self.schema.types:
            parts.append(plural(len(self.schema.types), "type"))
        return ", ".join(parts)

    def lines(self) -> Iterator[str]:
        """All of it."""
        yield self.summary
        yield from _schema_lines(self.schema)
        for group in self.groups:
            yield f"\n{_title(group)}"
            for depth, card in group.rules:
                yield from (indent(line, "  " * (depth + 1)) for line in card_lines(card))
        if further := len(self.theory.further):
            yield f"\n{plural(further, 'further rule')}, which only ask and rank use"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_frame(self) -> DataFrame:
        """The rules as a pandas DataFrame, a row for each; what was not counted is missing."""
        names = (
            "number",
            "rule",
            "sentence",
            "concludes",
            "kind",
            "confidence",
            "support",
            "cases",
            "stratum",
            "weight",
        )
        return frame_of((card.as_json for card in self.rules), names)

    def _repr_html_(self) -> str:
        """In a notebook: the soft rules, by what they conclude."""
        rows = (
            (group.concludes, card.sentence, "" if card.numbers is None else str(card.numbers), str(card.stratum))
            for group in self.groups
            for _, card in group.rules
        )
        return table_in_notebook(
            self.summary, ("concludes", "rule", "how often right", "stratum"), rows, len(self.soft)
        )

    def __repr__(self) -> str:
        return f"<Portrait: {self.summary}>"


def portray(
    theory: Theory | AnyPath, data: Facts | None = None, *, words: Words = PLAIN, examples: int = 0
) -> Portrait:
    """A theory for people: what it is about, and its rules by what they conclude, each with its numbers.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        What is shown.
    data : Database, path of a file, or atoms; or None
        Facts in which the rules are counted, as complete ones. Without them, the numbers of the theory's file are
        shown.
    words : Words
        How rules are said.
    examples : int
        At most this many examples and counterexamples of each rule, if there are facts.

    Returns
    -------
    Portrait
        The schema card and a card for each rule.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    TheoryError
        If the theory is none.

    Examples
    --------
    >>> from possilog.logic import parse_theory
    >>> print(portray(parse_theory("0.9 :: flies(X) :- bird(X)."), ["bird(tom)", "bird(sam)", "flies(tom)"]))
    1 soft rule in 1 stratum, 0 hard rules
    <BLANKLINE>
    What it is about
      bird(_)   2 facts
      flies(_)  1 fact
    <BLANKLINE>
    Concludes flies: 1 rule
      1. flies(X) :- bird(X).
         X flies if X is a bird
         right in 1 of 2 (50 %, 9 to 91 %); adds 1 fact to the other rules, and 1 wrong one
         stratum 1, weight 0.9
    """
    require_kind("the words", words, Words)
    require_whole("examples", examples)
    taken, facts = theory_of(theory), None
    if data is not None:
        taken, facts = in_step(taken, facts_of(data, taken.mapping))
    words = (words or PLAIN).of_theory(taken)
    rules = _listed(taken)
    cards = make_cards(taken, rules, _numbers(taken, rules, facts), words)
    if facts is not None:
        matcher = Matcher(facts)
        cards = tuple(_illustrated(card, matcher, words, examples) for card in cards)
    schema = make_schema_card(taken, facts, words)
    return Portrait(taken, schema, cards, None if facts is None else len(facts))


def _listed(theory: Theory) -> list[Rule]:
    """Soft rules, hard rules and demoted ones, without those that the types stand for."""
    unsaid = Unsaid.of(theory)
    demoted = set(unsaid.demoted)
    return [*theory.ranked, *theory.hard_listed, *(rule for rule in theory.demoted if rule.clause in demoted)]


def _numbers(theory: Theory, rules: Sequence[Rule], facts: Database | None) -> dict[Clause, Numbers]:
    clauses = [rule.clause for rule in rules]
    if facts is not None:
        return counted(theory, clauses, facts)
    found = ((clause, measured(clause, theory.measures)) for clause in clauses)
    return {clause: numbers for clause, numbers in found if numbers is not None}


def _illustrated(card: RuleCard, matcher: Matcher, words: Words, limit: int) -> RuleCard:
    """The card with examples, and with the number of violations where nothing else is counted."""
    clause = card.rule.clause
    violations = None if card.numbers is not None or clause.head else matcher.count(clause.violation)
    if not limit:
        return replace(card, violations=violations)
    return replace(
        card,
        violations=violations,
        examples=examples_of(clause, matcher, words, limit),
        counterexamples=counterexamples_of(clause, matcher, words, limit),
    )


def _nested(cards: Sequence[RuleCard]) -> Iterator[tuple[int, RuleCard]]:
    """The best first, and each before those that refine it."""
    here = {card.number for card in cards}
    below: dict[int | None, list[RuleCard]] = defaultdict(list)
    for card in sorted(cards, key=_worth):
        below[card.refines if card.refines in here else None].append(card)
    waiting = [(0, card) for card in reversed(below[None])]
    while waiting:
        depth, card = waiting.pop()
        yield depth, card
        waiting += [(depth + 1, other) for other in reversed(below[card.number])]


def _worth(card: RuleCard) -> tuple[float, int]:
    """Rules that are surely often right come first; without numbers, the highest."""
    return (0.0 if card.numbers is None else -card.numbers.interval[0], card.number)


# In words


def card_lines(card: RuleCard) -> Iterator[str]:
    """A rule as some lines: formula, sentence, numbers, and last its stratum and weight."""
    number = f"{card.number}. "
    yield f"{number}{card.formula}"
    yield from (f"{' ' * len(number)}{line}" for line in (card.sentence, *number_lines(card)))


def number_lines(card: RuleCard) -> Iterator[str]:
    """What is counted of a rule, and where it stands."""
    if card.numbers is not None:
        adds = "" if card.numbers.adds is None else f"; {card.numbers.adds}"
        yield f"{card.numbers}{adds}"
    elif card.violations is not None:
        yield f"broken {plural(card.violations, 'time')} in the facts"
    kept = f", {card.rule.keep}{'ned' if card.rule.keep == 'pin' else 'ed'} by hand" if card.is_kept else ""
    place = f"stratum {card.stratum}, weight {brief(card.rule.weight)}" if card.stratum else f"{card.kind}"
    yield f"{place}{kept}"


def brief(weight: Weight) -> str:
    """A weight in a few digits, for reading.

    >>> brief(Weight.parse("1-1.64623465637e-5")), brief(Weight.parse("0.9"))
    ('1-1.65e-05', '0.9')
    """
    said = str(weight)
    return f"1-{float(weight.doubt):.3g}" if said.startswith("1-") else f"{float(weight):.4g}"


def example_lines(card: RuleCard) -> Iterator[str]:
    """Examples and counterexamples of a rule."""
    for title, some in (("Examples", card.examples), ("Counterexamples", card.counterexamples)):
        if some:
            yield f"\n{title}"
            yield from (f"  {one.sentence}" for one in some)


def _schema_lines(schema: SchemaCard) -> Iterator[str]:
    yield "\nWhat it is about"
    yield from (f"  {line}" for line in schema.types)
    signatures = [str(line) for line in schema.signatures]
    width = max(map(len, signatures), default=0)
    for said, line in zip(signatures, schema.signatures, strict=True):
        count = "" if line.facts is None else f"  {plural(line.facts, 'fact')}"
        yield f"  {said:<{width if count else 0}}{count}"
    for title, some in (
        ("What never fails", schema.always),
        ("What never failed, perhaps by chance", schema.may_be_chance),
    ):
        if some:
            yield f"\n{title}"
            yield from (f"  {sentence}" for sentence in some)


def _title(group: Group) -> str:
    count = plural(len(group.rules), "rule")
    return f"Excludes: {count}" if group.concludes == NEVER else f"Concludes {group.concludes}: {count}"

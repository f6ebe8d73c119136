"""Who else? The atoms that answer a question, best first, each with the rules that conclude it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import Any

import numpy as np

from possilog.choices import Aggregate
from possilog.data import Database, Evidence
from possilog.data.evidence import require_one_arity
from possilog.data.typing import in_step
from possilog.errors import LanguageError, QueryError, shortened
from possilog.files import AnyPath
from possilog.inference.ranking import Ranking, RankingRule, ranking_rules
from possilog.inference.taken import Facts, facts_of, theory_of
from possilog.logic import Atom, Constant, HeldOut, Literal, Predicate, Query, Theory, Variable, parse_atom
from possilog.matching import Matcher
from possilog.printing import plural
from possilog.requiring import require_single, require_whole

__all__ = ["Answer", "Answers", "OpenAtom", "Reason", "ask", "parse_question", "rank_everything"]

OPEN = "?"
"""What stands where an answer is asked for."""

_TOKENS = re.compile(r""""(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\?\w*""")
_HOLE = "\ue000"
_REASONS = 3
"""Reasons that are told of each answer."""


@dataclass(frozen=True, slots=True)
class OpenAtom:
    """A predicate, and constants at some of its places."""

    predicate: Predicate
    given: tuple[str | None, ...]
    """The constants; None where an answer is asked for."""

    def __str__(self) -> str:
        hole = Atom.ground(self.predicate.name, [_HOLE if name is None else name for name in self.given])
        return hole.as_fact.replace(f'"{_HOLE}"', OPEN).replace(_HOLE, OPEN)


def parse_question(text: str, source: str = "<question>") -> OpenAtom:
    """Read a question: an atom with ``?`` where answers are asked for.

    >>> print(parse_question("advisedBy(Ann, ?)"))
    advisedBy(Ann, ?)
    """
    marked = _TOKENS.sub(lambda found: f'"{_HOLE}"' if found[0].startswith(OPEN) else found[0], text)
    atom = parse_atom(marked, source)
    given = tuple(None if term.name == _HOLE else term.name for term in atom.arguments)
    if None not in given:
        raise LanguageError(source, 1, 1, found="no ?", expected="? where answers are asked for, as advisedBy(Ann, ?)")
    return OpenAtom(atom.predicate, given)


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that concludes an answer, and facts by which it does."""

    rule: RankingRule
    because: tuple[Atom, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """The rule, how often it is right, and the facts."""
        return {
            "rule": str(self.rule.clause),
            "confidence": round(self.rule.confidence, 6),
            "because": [atom.as_fact for atom in self.because],
        }

    def __str__(self) -> str:
        facts = " and ".join(atom.as_fact for atom in self.because)
        return f"{self.rule}" + (f"  % {facts}" if facts else "")


@dataclass(frozen=True, slots=True)
class Answer:
    """An atom that some rule concludes, and its place: equal ones share it."""

    atom: Atom
    place: int
    reasons: tuple[Reason, ...]
    """The best of the rules."""
    rules: int
    """How many rules conclude it."""

    @property
    def as_json(self) -> dict[str, Any]:
        """The atom, its place, and why."""
        return {
            "atom": self.atom.as_fact,
            "rank": self.place,
            "confidence": round(self.reasons[0].rule.confidence, 6) if self.reasons else None,
            "rules": self.rules,
            "reasons": [reason.as_json for reason in self.reasons],
        }

    def __str__(self) -> str:
        left = self.rules - len(self.reasons)
        more = [f"     and {plural(left, 'more rule')}"] if left else []
        return "\n".join([f"{self.place:>3}  {self.atom.as_fact}", *(f"     {one}" for one in self.reasons), *more])


@dataclass(frozen=True, slots=True, repr=False)
class Answers(Sequence[Answer]):
    """The best answers to a question. They print as the command line shows them."""

    question: str
    answers: tuple[Answer, ...]
    number: int
    """How many answers there are in all."""
    linked: int = 0
    """How many others are left out, since a fact links their constants, and held-out facts were never like that."""

    def __getitem__(self, place: Any) -> Any:
        return self.answers[place]

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog ask --json`` prints."""
        return {
            "question": self.question,
            "count": self.number,
            "linked": self.linked,
            "answers": [answer.as_json for answer in self.answers],
        }

    def __str__(self) -> str:
        left = self.number - len(self.answers)
        lines = [*map(str, self.answers), *([f"and {left:,} more"] if left else [])]
        if not self.number:
            lines = [f"{self.question}: no rule concludes anything that is not given"]
        if self.linked:
            others = plural(self.linked, "other")
            lines.append(f"{others} left out: a fact links the constants already, as no held-out fact's were")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Answers: {self.question}, {self.number:,}>"


def ask(
    theory: Theory | AnyPath,
    question: str,
    facts: Facts,
    limit: int | None = 10,
    aggregate: Aggregate | str | None = None,
) -> Answers:
    """The best answers to a question that are not given yet, with the rules that conclude them.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        Its rules with one head, and those that it carries for ranking, take part.
    question : str
        An atom with ``?`` where answers are asked for, such as ``"advisedBy(Ann, ?)"``.
    facts : Database, path of a file, dict of frames, or atoms
        What is known.
    limit : int or None
        The most answers; None for all.
    aggregate : "maximum", "noisy-or", "fading" or None
        How the rules that conclude an atom are taken together; None for what the theory says, or else the maximum.

    Returns
    -------
    Answers
        Best first: by the list of the rules that conclude each, the best rule first.

    Raises
    ------
    LanguageError
        If the question is no atom, or asks for nothing.
    QueryError
        If it has too many open places.
    ArityError
        If its predicate has another number of arguments in the theory or the facts.
    DataError
        If the facts are in a form that cannot be taken.

    Examples
    --------
    >>> from possilog import parse_theory
    >>> theory = parse_theory("0.9 :: speaks(X, Z) :- born(X, Y), language(Y, Z).")
    >>> print(ask(theory, "speaks(Ann, ?)", ["born(Ann, Lyon)", "language(Lyon, French)"]))
      1  speaks(Ann, French)
         0.900  speaks(X, Z) :- born(X, Y), language(Y, Z).  % born(Ann, Lyon) and language(Lyon, French)
    """
    if not isinstance(question, str):
        raise QueryError(f'a question is a text such as "advisedBy(Ann, ?)"; {shortened(repr(question))} is none')
    require_single(aggregate=aggregate)
    if aggregate is not None and aggregate not in list(Aggregate):
        raise QueryError(f"there is no aggregate {shortened(repr(aggregate))}; take one of: {', '.join(Aggregate)}")
    require_whole("limit", 0 if limit is None else limit, 0, ", or None")
    asked = parse_question(question)
    taken = theory_of(theory)
    taken, database = in_step(taken, facts_of(facts, taken.mapping))
    meant = (database.declared | taken.declared).atom(asked.predicate(*(Constant(name or "?") for name in asked.given)))
    terms = zip(asked.given, meant.arguments, strict=True)
    named = {place: term.name for place, (name, term) in enumerate(terms) if name is not None}
    # No fact may speak of a constant of the question yet: rules without a body answer all the same, as in rank.
    asker = _Asker(
        taken, database, None if aggregate is None else Aggregate(aggregate), database.denied, named.values()
    )
    spoken = {*database.predicates, *asker.ranking.rules}
    require_one_arity([asked.predicate], spoken, "the question", "theory and facts")
    numbers = ((place, asker.facts.number(name)) for place, name in named.items())
    given = {place: number for place, number in numbers if number is not None}
    found = list(asker.ranked(asked.predicate, given))
    linked = asker.linked(asked.predicate, given)
    return Answers(str(asked), asker.answers(found, limit), len(found), linked)


def rank_everything(
    theory: Theory, evidence: Evidence, limit: int | None = None, aggregate: Aggregate | None = None
) -> Answers:
    """All that the rules of a theory conclude in one step, of all predicates, best first.

    Predicates are compared by the best rule of each atom, so that the order within each is that of ``ask``.
    """
    asker = _Asker(theory, evidence.facts, aggregate, evidence.denied)
    lists = [list(asker.ranked(predicate, {})) for predicate in asker.ranking.rules]
    found = list(merge(*lists, key=lambda one: -one.best))
    linked = sum(asker.linked(predicate, {}) for predicate in asker.ranking.rules)
    return Answers("everything", asker.answers(found, limit), len(found), linked)


@dataclass(frozen=True, slots=True)
class _Found:
    predicate: Predicate
    row: tuple[int, ...]
    code: int
    best: float
    """The confidence of the first rule of its list."""


def _with_heads(theory: Theory, facts: Database, asked: Iterable[str]) -> Database:
    """The facts, and the constants that rules conclude and that are asked about: no fact may have them yet."""
    heads = (rule.clause.head[0] for rules in ranking_rules(theory).values() for rule in rules)
    named = {term.name for head in heads for term in head.arguments if isinstance(term, Constant)}
    new = [name for name in named.union(asked) if facts.number(name) is None]
    return facts.declare(new) if new else facts


class _Asker:
    """Answers questions about some facts."""

    def __init__(
        self,
        theory: Theory,
        facts: Database,
        aggregate: Aggregate | None,
        denied: Sequence[Atom] = (),
        asked: Iterable[str] = (),
    ) -> None:
        self.facts = facts = _with_heads(theory, facts, asked)
        self.ranking = Ranking(theory, facts, aggregate)
        self._matcher = Matcher(facts)
        # Without what held-out facts say of linked constants, to tell how much was left out for it.
        self._every = Ranking(replace(theory, unlinked=HeldOut()), facts, aggregate) if theory.unlinked.cases else None
        self._denied = {(atom.predicate, *(facts.number(term.name) for term in atom.arguments)) for atom in denied}

    def ranked(self, predicate: Predicate, given: dict[int, int]) -> Iterator[_Found]:
        """What is concluded and not given, best first."""
        return self._open(self.ranking, predicate, given)

    def linked(self, predicate: Predicate, given: dict[int, int]) -> int:
        """How much more would be concluded, were it not for facts that link the constants."""
        if self._every is None:
            return 0
        with_linked, without = (self._open(each, predicate, given) for each in (self._every, self.ranking))
        return sum(1 for _ in with_linked) - sum(1 for _ in without)

    def _open(self, ranking: Ranking, predicate: Predicate, given: dict[int, int]) -> Iterator[_Found]:
        ranked = ranking.ranked(predicate, given)
        asked = [place for place in range(predicate.arity) if place not in given]
        rows = np.empty((predicate.arity, len(ranked)), dtype=np.int32)
        for place, number in given.items():
            rows[place] = number
        rows[asked] = ranked.rows
        known = set(zip(*self.facts.rows(predicate).tolist(), strict=True)) if predicate.arity else set()
        for row, code, best in zip(rows.T.tolist(), ranked.codes.tolist(), ranked.best.tolist(), strict=True):
            if tuple(row) not in known and (predicate, *row) not in self._denied:
                yield _Found(predicate, tuple(row), code, best)

    def answers(self, found: Sequence[_Found], limit: int | None) -> tuple[Answer, ...]:
        """The first of them, with their places and reasons."""
        answers: list[Answer] = []
        before: tuple[Predicate, int] | None = None
        for number, one in enumerate(islice(found, limit), start=1):
            place = answers[-1].place if before == (one.predicate, one.code) else number
            before = one.predicate, one.code
            rules = self.ranking.reasons(one.predicate, one.row)
            atom = Atom.ground(one.predicate.name, [self.facts.constants[n] for n in one.row])
            reasons = tuple(Reason(rule, self._because(rule, atom)) for rule in rules[:_REASONS])
            answers.append(Answer(atom, place, reasons, len(rules)))
        return tuple(answers)

    def _because(self, rule: RankingRule, atom: Atom) -> tuple[Atom, ...]:
        """The first facts by which a rule concludes an atom."""
        body = Query(tuple(map(Literal, rule.clause.body)))
        head = dict(zip(rule.clause.head[0].arguments, (constant.name for constant in atom.arguments), strict=True))
        named = {term: name for term, name in head.items() if isinstance(term, Variable)}
        bound = {term: name for term, name in named.items() if term in body.variables}
        # What a variable of the head alone stands for is not what one of the body stands for.
        others = {name for term, name in named.items() if term not in bound}
        matches = self._matcher.matches(body, bound) if body.literals else iter(())
        match = next((match for match in matches if others.isdisjoint(match.values())), None)
        if match is None:
            return ()
        constants = {Variable(name): Constant(value) for name, value in match.items()}
        return tuple(one.substitute(constants) for one in rule.clause.body)

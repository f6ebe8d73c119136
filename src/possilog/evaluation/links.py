"""Link prediction, as the literature on knowledge graphs measures it: the filtered ranks of test facts.

A test fact r(h, t) is two questions, r(h, ?) and r(?, t). All constants are candidates, but those that give another
known fact (of training, validation or test) are left out: they are right, too. What is equally good shares its mean
rank, so that an answer that no rule concludes is in the middle of all that no rule concludes. Rules see the training
facts only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from possilog.choices import Aggregate
from possilog.data import Database
from possilog.data.rows import Column
from possilog.errors import DataError
from possilog.inference.ranking import AT_ONCE, Equals, Ranking
from possilog.logic import Predicate, Theory
from possilog.progress import Progress, Step, silent
from possilog.workers import Jobs, in_order

__all__ = ["HITS", "LinkRanks", "Ranks", "rank_links"]

HITS = (1, 3, 10)

_CELLS = 40_000_000
"""Pairs of a question and a candidate that are in memory at a time."""

Floats = npt.NDArray[np.float64]
_Said = TypeVar("_Said", bound=np.number[Any])


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The ranks of some answers: where each stands among its candidates, 1 being the first."""

    tails: Floats
    """Of r(h, ?)."""
    heads: Floats
    """Of r(?, t)."""
    rules: int
    """How many rules took part."""

    @property
    def all(self) -> Floats:
        """Those of both directions."""
        return np.concatenate([self.tails, self.heads])

    @property
    def as_json(self) -> dict[str, Any]:
        """The mean reciprocal rank, and the shares of answers among the first 1, 3 and 10."""
        both = self.all
        return {
            "mrr": _mean(1 / both),
            "hits": {str(most): _mean(both <= most) for most in HITS},
            "mrr_tails": _mean(1 / self.tails),
            "mrr_heads": _mean(1 / self.heads),
            "facts": len(self.tails),
            "rules": self.rules,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinkRanks:
    """The filtered ranks of test facts, by relation. It prints as the command line shows it."""

    relations: Mapping[Predicate, Ranks]
    constants: int
    aggregate: Aggregate

    @property
    def total(self) -> Ranks:
        """Those of all relations."""
        found = list(self.relations.values())
        tails, heads = (np.concatenate([getattr(one, name) for one in found]) for name in ("tails", "heads"))
        return Ranks(tails, heads, sum(one.rules for one in found))

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog rank --json`` prints of links."""
        return {
            **self.total.as_json,
            "ties": "mean rank",
            "filtered": True,
            "aggregate": str(self.aggregate),
            "constants": self.constants,
            "relations": {predicate.name: ranks.as_json for predicate, ranks in self.relations.items()},
        }

    def __str__(self) -> str:
        width = max(len("relation"), *(len(predicate.name) for predicate in self.relations))
        rows = [*((predicate.name, ranks) for predicate, ranks in self.relations.items()), ("all", self.total)]
        title = f"{'relation':<{width}}  {'facts':>7}  {'rules':>6}    MRR  Hits@1  Hits@3  Hits@10"
        lines = [title, *(_line(name, ranks.as_json, width) for name, ranks in rows)]
        return "\n".join([*lines, "filtered, both directions; what is equally good has its mean rank"])

    def __repr__(self) -> str:
        found = self.total
        return f"<LinkRanks: {len(found.tails):,} facts, MRR {found.as_json['mrr']:.3f}>"


def _line(name: str, found: Mapping[str, Any], width: int) -> str:
    hits = "  ".join(f"{found['hits'][str(most)]:>{6 + (most == 10)}.3f}" for most in HITS)
    return f"{name:<{width}}  {found['facts']:>7,}  {found['rules']:>6,}  {found['mrr']:.3f}  {hits}"


def _mean(values: npt.NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0


def rank_links(
    theory: Theory,
    train: Database,
    test: Database,
    valid: Database | None = None,
    aggregate: Aggregate | None = None,
    progress: Progress = silent,
    jobs: Jobs = 1,
) -> LinkRanks:
    """The filtered ranks of test facts, by the rules of a theory and training facts; each relation is a task.

    >>> from possilog.data.taking import facts_of
    >>> from possilog.logic import parse_theory
    >>> theory = parse_theory("0.9 :: speaks(X, Z) :- born(X, Y), language(Y, Z).")
    >>> train = facts_of(["born(ann, lyon)", "language(lyon, french)", "born(bob, rome)", "language(rome, italian)"])
    >>> print(rank_links(theory, train, facts_of(["speaks(ann, french)"])))
    relation    facts   rules    MRR  Hits@1  Hits@3  Hits@10
    speaks          1       1  1.000   1.000   1.000    1.000
    all             1       1  1.000   1.000   1.000    1.000
    filtered, both directions; what is equally good has its mean rank
    """
    asked = [predicate for predicate in test.predicates if test.count(predicate)]
    unary = next((predicate for predicate in asked if predicate.arity != 2), None)
    if not asked or unary is not None:
        found = "there is none" if unary is None else f"{unary} has not"
        raise DataError(f"links are facts of predicates with two arguments, and {found} in the test facts")
    parts = [train, test] if valid is None else [train, test, valid]
    names = sorted(set().union(*(part.constants for part in parts)))
    train, test, *others = (part.declare(names) for part in parts)
    aggregate = aggregate or theory.aggregate or Aggregate.MAXIMUM
    relations: dict[Predicate, Ranks] = {}
    ranked = in_order(partial(_Asked, theory, train, test, others, aggregate), asked, jobs)
    for predicate, ranks in zip(asked, ranked, strict=True):
        relations[predicate] = ranks
        progress(Step("ranking", len(relations), len(asked), predicate.name))
    return LinkRanks(relations, len(names), aggregate)


class _Asked:
    """Answers the questions about a relation, in both directions."""

    def __init__(
        self, theory: Theory, train: Database, test: Database, others: Sequence[Database], aggregate: Aggregate
    ) -> None:
        self._test, self._known = test, (train, test, *others)
        self._ranking = Ranking(theory, train, aggregate)

    def __call__(self, predicate: Predicate) -> Ranks:
        facts = np.unique(np.concatenate([part.rows(predicate) for part in self._known], axis=1), axis=1)
        rows = self._test.rows(predicate)
        tails, heads = (
            _Direction(self._ranking, predicate, place, facts).ranks(rows[place], rows[1 - place]) for place in (0, 1)
        )
        return Ranks(tails, heads, len(self._ranking.rules.get(predicate, ())))


class _Direction:
    """Questions about one predicate, with a constant at one place."""

    def __init__(self, ranking: Ranking, predicate: Predicate, place: int, known: npt.NDArray[np.int32]) -> None:
        self._ranking, self._predicate, self._place = ranking, predicate, place
        self._constants = len(ranking.facts.constants)
        order = np.lexsort([known[1 - place], known[place]])
        self._known = known[place][order], known[1 - place][order]

    def ranks(self, anchors: Column, answers: Column) -> Floats:
        """The rank of each answer."""
        order = np.argsort(anchors, kind="stable")
        ranks = np.empty(len(anchors))
        size = max(1, _CELLS // self._constants)
        for start in range(0, len(order), size):
            part = order[start : start + size]
            ranks[part] = self._of(anchors[part], answers[part])
        return ranks

    def _of(self, anchors: Column, answers: Column) -> Floats:
        questions = _Questions(anchors, answers, self._constants)
        questions.leave_out(*self._known)
        if self._ranking.aggregate is not Aggregate.MAXIMUM:
            return self._summed(questions)
        for group in self._ranking.groups(self._predicate, self._place, questions.open_anchors):
            if not questions.open:
                break
            questions.tell(*self._conclusions(group, questions.open_anchors))
        return questions.ranks

    def _conclusions(self, group: Equals, anchors: Column) -> tuple[Column, Column, npt.NDArray[np.int64]]:
        """What a group of rules concludes about some constants: the constant, the answer, and by how many rules."""
        found = [self._ranking.concluded(rule, {self._place: anchors}) for rule in group.rules]
        if len(found) == 1:
            (origin, (answers,)) = found[0]
            return anchors[origin], answers, np.ones(len(origin), dtype=np.int64)
        keys = np.concatenate([origin * self._constants + answers for origin, (answers,) in found])
        keys, counts = np.unique(keys, return_counts=True)
        origin, answers = np.divmod(keys, self._constants)
        return anchors[origin], answers.astype(np.int32), counts

    def _summed(self, questions: _Questions) -> Floats:
        scores = np.zeros(questions.tied.shape)
        anchors = questions.open_anchors
        for begin in range(0, len(anchors), AT_ONCE):
            part = anchors[begin : begin + AT_ONCE]
            origin, answers, said = self._ranking.together(self._predicate, self._place, part)
            rows, answers, said = questions.spread(part[origin], answers, said)
            scores[rows, answers] = said
        own = scores[np.arange(len(scores)), questions.answers][:, None]
        better = ((scores > own) & questions.tied).sum(axis=1)
        equal = ((scores == own) & questions.tied).sum(axis=1)
        return np.asarray(better + (equal + 1) / 2, dtype=np.float64)


class _Questions:
    """Questions of one kind, and which candidates are as good as the answer, as far as rules have been told.

    A group of rules that concludes the answer by c rules leaves behind those candidates that it concludes by fewer, and
    those that it concludes by more stay before it. So nothing has to be sorted, and a question is settled as soon as
    its answer is alone.
    """

    def __init__(self, anchors: Column, answers: Column, constants: int) -> None:
        """Take the constants in order, and for each an answer."""
        self._anchors, self.answers = anchors, answers
        self.tied = np.ones((len(anchors), constants), dtype=bool)
        self._number = np.full(len(anchors), constants, dtype=np.int64)
        self._better = np.zeros(len(anchors), dtype=np.int64)
        self._settle()

    def leave_out(self, anchors: Column, answers: Column) -> None:
        """Take away known answers, other than the one that is asked for; before any rule is told."""
        rows, columns, _ = self.spread(anchors, answers, np.zeros(len(anchors), dtype=np.int64))
        self.tied[rows, columns] = False
        self.tied[np.arange(len(self.answers)), self.answers] = True
        self._number = np.count_nonzero(self.tied, axis=1).astype(np.int64)
        self._settle()

    def _settle(self) -> None:
        """Which questions are open, by their constants."""
        self._open = np.flatnonzero(self._number > 1)
        anchors = self._anchors[self._open]
        first = np.flatnonzero(np.concatenate([[True], anchors[1:] != anchors[:-1]])) if len(anchors) else self._open
        self.open_anchors = anchors[first]
        self._first = np.append(first, len(anchors))

    @property
    def open(self) -> bool:
        """Is there a question whose answer is not alone yet?"""
        return len(self._open) > 0

    def spread(
        self, anchors: Column, answers: Column, counts: npt.NDArray[_Said]
    ) -> tuple[npt.NDArray[np.int64], Column, npt.NDArray[_Said]]:
        """Answers about constants as answers to all open questions about these."""
        if not len(self.open_anchors):
            return np.empty(0, np.int64), answers[:0], counts[:0]
        place = np.searchsorted(self.open_anchors, anchors)
        asked = self.open_anchors[np.minimum(place, len(self.open_anchors) - 1)] == anchors
        place, answers, counts = place[asked], answers[asked], counts[asked]
        times = self._first[place + 1] - self._first[place]
        offsets = np.arange(int(times.sum())) + np.repeat(self._first[place] - np.cumsum(times) + times, times)
        return self._open[offsets], np.repeat(answers, times), np.repeat(counts, times)

    def tell(self, anchors: Column, answers: Column, counts: npt.NDArray[np.int64]) -> None:
        """Let a group of rules decide between candidates that are tied."""
        rows, columns, counts = self.spread(anchors, answers, counts)
        tied = self.tied[rows, columns]
        rows, columns, counts = rows[tied], columns[tied], counts[tied]
        if not len(rows):
            return
        own = np.zeros(len(self._anchors), dtype=np.int64)
        is_own = columns == self.answers[rows]
        own[rows[is_own]] = counts[is_own]
        better = counts > own[rows]
        self._better += np.bincount(rows[better], minlength=len(own))
        equal = counts == own[rows]
        found = np.flatnonzero(own)
        same = np.bincount(rows[equal], minlength=len(own))
        self.tied[rows[~equal], columns[~equal]] = False
        self._number -= np.bincount(rows[~equal], minlength=len(own))
        # Where the answer is concluded, what is not is left behind.
        self.tied[found] = False
        self.tied[rows[equal], columns[equal]] = True
        self._number[found] = same[found]
        if (self._number[self._open] <= 1).any():
            self._settle()

    @property
    def ranks(self) -> Floats:
        """The answers' ranks: after all that is better, in the middle of what is as good."""
        return self._better + (self._number + 1) / 2

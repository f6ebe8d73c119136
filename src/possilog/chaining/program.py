"""Rules laid out for the chainer: numbers in flat arrays, and for every literal of a body a plan to match the rest.

A program depends on the rules alone, so it is made once and serves any number of questions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import cached_property
from itertools import chain

from possilog.chaining.join import MAX_TERMS
from possilog.errors import TheoryError
from possilog.logic import Atom, BuiltIn, Clause, Constant, Predicate, Variable, variables_of
from possilog.logic.parts import connected_parts

__all__ = ["DOMAIN", "Program"]

DOMAIN = Predicate("", 1)
"""Holds of every constant. It binds the variables of a head that the body leaves free."""

ALL_BOUND, NONE_BOUND = -1, -2
"""In place of an index: the literal is one atom, or any atom of its predicate."""

JoinPlan = list[tuple[int, tuple[int, ...]]]
"""The literals of a body in the order in which to match them, each with its arguments that are bound by then."""

Probe = tuple[int, tuple[int, ...], tuple[int, ...]]

NO_PROBE: Probe = (-1, (), ())


class Program:
    """Rules by level: 0 for the hard ones, then one level for each stratum.

    Those with several heads conclude nothing; on trial, they leave a choice.
    """

    def __init__(self, rules: Iterable[tuple[Clause, int]], mentioned: Iterable[Atom] = ()) -> None:
        """Lay out rules; each comes with its level. The predicates and constants of other atoms may be wanted too."""
        listed = [(_with_domain(clause), level) for clause, level in rules]
        self.clauses: tuple[Clause, ...] = tuple(clause for clause, _ in listed)
        self.levels: tuple[int, ...] = tuple(level for _, level in listed)
        atoms = [*(atom for clause in self.clauses for atom in clause.atoms), *mentioned]
        self.predicates: tuple[Predicate, ...] = tuple(sorted({atom.predicate for atom in atoms}))
        self.number = {predicate: number for number, predicate in enumerate(self.predicates)}
        self.compared = tuple(predicate for predicate in self.predicates if isinstance(predicate, BuiltIn))
        terms = chain.from_iterable(atom.arguments for atom in atoms)
        self.constants = tuple(sorted({term.name for term in terms if isinstance(term, Constant)}))
        self.uses_domain = DOMAIN in self.number
        self._lay_out_literals()
        self._lay_out_triggers()

    def _lay_out_literals(self) -> None:
        """A rule's body comes first, literal after literal; then, after all bodies, the heads."""
        self.arity = _ints(predicate.arity for predicate in self.predicates)
        self.widest = max(self.arity, default=0)
        self.rule_level = _ints(self.levels)
        bodies = [(rule, atom) for rule, clause in enumerate(self.clauses) for atom in clause.body]
        heads = [(rule, atom) for rule, clause in enumerate(self.clauses) for atom in clause.head]
        self.rule_body = _starts(len(clause.body) for clause in self.clauses)
        self.rule_heads = _starts((len(clause.head) for clause in self.clauses), len(bodies))
        self._literals = bodies + heads
        self.literal_rule = _ints(rule for rule, _ in self._literals)
        self.literal_predicate = _ints(self.number[atom.predicate] for _, atom in self._literals)
        self.literal_term = _starts(atom.predicate.arity for _, atom in self._literals)
        self.term = _ints(code for rule, atom in self._literals for code in self._coded(self.clauses[rule], atom))
        self._bodies = len(bodies)

    def _coded(self, clause: Clause, atom: Atom) -> Iterable[int]:
        """An atom's arguments: variables count from 0, the constant n is -1 - n."""
        order = clause.variables
        for term in atom.arguments:
            yield order.index(term) if isinstance(term, Variable) else ~self.constants.index(term.name)

    def _lay_out_triggers(self) -> None:
        """Every literal of a body is a trigger.

        They are sorted by predicate, then by level, so that inactive ones come last, then by their probe.
        """
        planned = [(literal, self._plan(literal)) for literal in range(self._bodies)]
        probes = {literal: self._probe(literal, plan) for literal, plan in planned}

        def key(planned: tuple[int, JoinPlan]) -> tuple[int, int, Probe, int]:
            literal = planned[0]
            level = self.rule_level[self.literal_rule[literal]]
            return self.literal_predicate[literal], level, probes[literal], literal

        planned.sort(key=key)
        triggers = [literal for literal, _ in planned]
        plans = [plan for _, plan in planned] + self._lay_out_parts(triggers)
        wanted = {(self.literal_predicate[literal], places) for plan in plans for literal, places in plan if places}
        indexes = sorted((p, places) for p, places in wanted if len(places) < self.arity[p])
        number = {index: place for place, index in enumerate(indexes)}
        counted = [0] * len(self.predicates)
        for literal in triggers:
            counted[self.literal_predicate[literal]] += 1
        self.trigger_first = _starts(counted)
        self.trigger_literal = _ints(triggers)
        self.trigger_step = _starts(map(len, plans))  # and behind these those of the parts
        self.trigger_decided = _ints(
            start + self._undecided(literal, plan)
            for start, literal, plan in zip(self.trigger_step, triggers, plans, strict=False)
        )
        self.step_literal = _ints(literal for plan in plans for literal, _ in plan)
        self.step_index = _ints(
            ALL_BOUND
            if len(places) == self.arity[self.literal_predicate[literal]]
            else number.get((self.literal_predicate[literal], places), NONE_BOUND)
            for plan in plans
            for literal, places in plan
        )
        self.step_opens = _ints(
            all(self.term[self.literal_term[literal] + place] < 0 for place in places)
            for plan in plans
            for literal, places in plan
        )
        self._lay_out_probes([probes[literal] for literal in triggers], number)
        kept = [0] * len(self.predicates)
        for predicate, _ in indexes:
            kept[predicate] += 1
        self.index_first = _starts(kept)
        self.index_place = _starts(len(places) for _, places in indexes)
        self.place = _ints(place for _, places in indexes for place in places)

    def _lay_out_parts(self, triggers: list[int]) -> list[JoinPlan]:
        """The parts of bodies that share no variable: where one matches nothing, its rule does not.

        For each trigger the parts that it is not in; for each part its literals; for each of these a plan to match the
        rest of the part. Gives these plans.
        """
        split = [self._parts(rule) for rule in range(len(self.clauses))]
        parts = [part for some in split if len(some) > 1 for part in some]
        entries = [(literal, part) for part in parts for literal in part]
        number = {literal: place for place, part in enumerate(parts) for literal in part}
        others = [
            sorted({number[other] for part in split[self.literal_rule[literal]] for other in part} - {number[literal]})
            if literal in number
            else []
            for literal in triggers
        ]
        self.trigger_parts = _starts(map(len, others))
        self.other_part = _ints(chain.from_iterable(others))
        self.part_first = _starts(map(len, parts))
        self.part_literal = _ints(literal for literal, _ in entries)
        self.part_plan = len(triggers)
        return [self._plan(literal, part) for literal, part in entries]

    def _parts(self, rule: int) -> list[list[int]]:
        """The literals of a body, by the variables that they share."""
        body = range(self.rule_body[rule], self.rule_body[rule + 1])
        return connected_parts(body, lambda literal: set(variables_of([self._literals[literal][1]])))

    def _lay_out_probes(self, probes: list[Probe], indexes: dict[tuple[int, tuple[int, ...]], int]) -> None:
        distinct = sorted(set(probes) - {NO_PROBE})
        place = {probe: number for number, probe in enumerate(distinct)}
        self.trigger_probe = _ints(place.get(probe, -1) for probe in probes)
        self.probe_predicate = _ints(predicate for predicate, _, _ in distinct)
        self.probe_index = _ints(indexes.get((predicate, places), ALL_BOUND) for predicate, places, _ in distinct)
        self.probe_source = _starts(len(sources) for _, _, sources in distinct)
        self.source = _ints(source for _, _, sources in distinct for source in sources)

    def _probe(self, trigger: int, plan: JoinPlan) -> Probe:
        """What a plan's first step looks up: a predicate, the bound arguments, and where their values come from."""
        if not plan or not plan[0][1]:
            return NO_PROBE
        literal, places = plan[0]
        start, given = (
            self.literal_term[literal],
            self.term[self.literal_term[trigger] : self.literal_term[trigger + 1]],
        )
        codes = [self.term[start + place] for place in places]
        return self.literal_predicate[literal], places, tuple(c if c < 0 else given.index(c) for c in codes)

    def _plan(self, trigger: int, within: Iterable[int] | None = None) -> JoinPlan:
        """In which order to match the rest of a body, or of a part, and which arguments of each literal are bound."""
        rule = self.literal_rule[trigger]
        body = range(self.rule_body[rule], self.rule_body[rule + 1]) if within is None else within
        left = [literal for literal in body if literal != trigger]
        known = set(variables_of([self._literals[trigger][1]]))
        plan: JoinPlan = []
        while left:
            best = min(left, key=lambda literal: self._freedom(literal, known))
            left.remove(best)
            atom = self._literals[best][1]
            plan.append((best, _bound(atom, known)))
            known |= set(variables_of([atom]))
        return plan

    def _undecided(self, trigger: int, plan: JoinPlan) -> int:
        """How many steps of a plan it takes until the heads are known; more than it has for a rule without a head."""
        heads = self.clauses[self.literal_rule[trigger]].head
        if not heads:
            return len(plan) + 1
        unknown = set(variables_of(heads)) - set(variables_of([self._literals[trigger][1]]))
        for steps, (literal, _) in enumerate(plan):
            if not unknown:
                return steps
            unknown -= set(variables_of([self._literals[literal][1]]))
        return len(plan)

    def _freedom(self, literal: int, known: set[Variable]) -> tuple[int, int, int]:
        """First what is bound wholly, then what is bound most."""
        atom = self._literals[literal][1]
        bound = len(_bound(atom, known))
        return atom.predicate.arity - bound if bound else MAX_TERMS, -bound, literal

    @cached_property
    def by_level(self) -> dict[int, tuple[int, ...]]:
        """The rules of each level."""
        return {
            level: tuple(rule for rule, its in enumerate(self.levels) if its == level) for level in set(self.levels)
        }


def _bound(atom: Atom, known: set[Variable]) -> tuple[int, ...]:
    return tuple(place for place, term in enumerate(atom.arguments) if not isinstance(term, Variable) or term in known)


def _with_domain(clause: Clause) -> Clause:
    """A clause whose body binds all variables, and repeats nothing."""
    free = set(clause.variables) - set(variables_of(clause.body))
    domain = tuple(DOMAIN(variable) for variable in clause.variables if variable in free)
    body = tuple(dict.fromkeys(clause.body)) + domain
    if max(len(body), len(clause.variables), *(atom.predicate.arity for atom in clause.atoms), 0) >= MAX_TERMS:
        most = f"fewer than {MAX_TERMS} conditions, variables, and arguments of a predicate"
        raise TheoryError(f"the rule {clause} is too long; inference takes {most}")
    return Clause(clause.head, body)


def _ints(values: Iterable[int]) -> array[int]:
    """Some numbers, and one more: the chainer wants no empty arrays."""
    return array("i", [*values, 0])


def _starts(sizes: Iterable[int], start: int = 0) -> array[int]:
    """Where each of some runs starts, and where the last one ends."""
    starts = [start]
    for size in sizes:
        starts.append(starts[-1] + size)
    return _ints(starts)

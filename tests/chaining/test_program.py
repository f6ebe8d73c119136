"""How rules are laid out, by definition: plans of joins, indexes, parts, and what is looked up first."""

from __future__ import annotations

from random import Random

import pytest

from budget import budget
from possilog.chaining import Program
from possilog.chaining.program import DOMAIN
from possilog.logic import Atom, Clause, Constant, Term, Variable, parse_clause, variables_of

ATOMS = ["p(X)", "q(Y)", "r(X, Y)", "r(Y, Z)", "r(Z, a)", "t(X, Y, Z)", "t(Z, Z, X)", "t(b, Y, V)", "n", "q(V)", "p(W)"]
HEADS = ["p(X)", "q(Z)", "r(X, W)", "n", "t(a, X, Y)", "p(X) ; q(Y)", ""]


def draw(seed: int) -> list[tuple[Clause, int]]:
    chance = Random(seed)
    made = [f"{chance.choice(HEADS)} :- {', '.join(chance.sample(ATOMS, chance.randint(1, 5)))}." for _ in range(4)]
    made += ["q(X).", "r(X, Y) :- p(X), p(X)."]
    return [(parse_clause(text.removeprefix(" ")), chance.randint(0, 2)) for text in made]


def bound(atom: Atom, known: set[Variable]) -> tuple[int, ...]:
    return tuple(n for n, term in enumerate(atom.arguments) if isinstance(term, Constant) or term in known)


class Layout:
    """A program, and the literals of its bodies as it numbers them."""

    def __init__(self, rules: list[tuple[Clause, int]]) -> None:
        self.program = Program(rules)
        self.literals = [(n, atom) for n, clause in enumerate(self.program.clauses) for atom in clause.body]

    def steps(self, plan: int) -> list[int]:
        return [*range(self.program.trigger_step[plan], self.program.trigger_step[plan + 1])]

    def mates(self, literal: int) -> list[int]:
        """The literals of the same body."""
        return [n for n, (rule, _) in enumerate(self.literals) if rule == self.literals[literal][0]]

    def check_plan(self, plan: int, first: int, left: list[int]) -> None:
        """What is bound wholly comes first, then what is bound most; each with an index by what is bound."""
        known = {*variables_of([self.literals[first][1]])}
        for step in self.steps(plan):

            def freedom(literal: int, known: set[Variable] = known) -> tuple[int, int, int]:
                atom = self.literals[literal][1]
                number = len(bound(atom, known))
                return (atom.predicate.arity - number if number else 64, -number, literal)

            best = min(left, key=freedom)
            assert self.program.step_literal[step] == best
            atom = self.literals[best][1]
            places, index = bound(atom, known), self.program.step_index[step]
            if len(places) == atom.predicate.arity:
                assert index == -1
            elif not places:
                assert index == -2
            else:
                self.check_index(index, atom, places)
            assert self.program.step_opens[step] == all(isinstance(atom.arguments[n], Constant) for n in places)
            left = [literal for literal in left if literal != best]
            known |= {*variables_of([atom])}
        assert not left

    def check_index(self, index: int, atom: Atom, places: tuple[int, ...]) -> None:
        number = self.program.number[atom.predicate]
        assert self.program.index_first[number] <= index < self.program.index_first[number + 1]
        first, last = self.program.index_place[index], self.program.index_place[index + 1]
        assert tuple(self.program.place[first:last]) == places

    def parts(self, rule: int) -> set[frozenset[int]]:
        """The literals of a body, together as far as they share variables."""
        found: list[tuple[set[int], set[Variable]]] = []
        for literal in (n for n, (of, _) in enumerate(self.literals) if of == rule):
            mine, variables = {literal}, {*variables_of([self.literals[literal][1]])}
            for other in [one for one in found if one[1] & variables]:
                found.remove(other)
                mine, variables = mine | other[0], variables | other[1]
            found.append((mine, variables))
        return {frozenset(one) for one, _ in found}


@pytest.mark.parametrize("seed", range(budget(60, least=24)))
def test_bodies_bind_all_variables_and_repeat_nothing(seed: int) -> None:
    rules = draw(seed)
    program = Program(rules)
    for clause, (given, _) in zip(program.clauses, rules, strict=True):
        free = [variable for variable in given.variables if variable not in variables_of(given.body)]
        assert clause.head == given.head
        assert clause.body == (*dict.fromkeys(given.body), *(DOMAIN(variable) for variable in free))
    assert program.uses_domain and program.levels == tuple(level for _, level in rules)
    assert program.by_level == {
        level: tuple(n for n, (_, its) in enumerate(rules) if its == level) for level in {its for _, its in rules}
    }


@pytest.mark.parametrize("seed", range(budget(60, least=24)))
def test_plans_of_joins(seed: int) -> None:
    layout = Layout(draw(seed))
    program, literals = layout.program, layout.literals
    triggers = list(program.trigger_literal[: len(literals)])
    of = [program.number[literals[trigger][1].predicate] for trigger in triggers]
    assert sorted(triggers) == [*range(len(literals))]
    assert list(zip(of, [program.levels[literals[trigger][0]] for trigger in triggers], strict=True)) == sorted(
        zip(of, [program.levels[literals[trigger][0]] for trigger in triggers], strict=True)
    )
    for number in range(len(program.predicates)):
        mine = range(program.trigger_first[number], program.trigger_first[number + 1])
        assert [*mine] == [place for place, each in enumerate(of) if each == number]
    for place, trigger in enumerate(triggers):
        layout.check_plan(place, trigger, [literal for literal in layout.mates(trigger) if literal != trigger])
        check_decided(layout, place, trigger)
        check_probe(layout, place, trigger)


def check_decided(layout: Layout, place: int, trigger: int) -> None:
    """From which step on are the heads known?"""
    program, steps = layout.program, layout.steps(place)
    heads = program.clauses[layout.literals[trigger][0]].head
    chosen = [trigger, *(program.step_literal[step] for step in steps)]
    known = [{*variables_of([layout.literals[one][1] for one in chosen[: n + 1]])} for n in range(len(chosen))]
    after = next((n for n, some in enumerate(known) if some >= {*variables_of(heads)}), None)
    wanted = len(steps) + 1 if not heads else after
    assert wanted is not None
    assert program.trigger_decided[place] == program.trigger_step[place] + wanted


def check_probe(layout: Layout, place: int, trigger: int) -> None:
    """What the first step looks up, if anything is bound by then."""
    program, steps, given = layout.program, layout.steps(place), layout.literals[trigger][1]
    probe = program.trigger_probe[place]
    first = layout.literals[program.step_literal[steps[0]]][1] if steps else None
    places = bound(first, {*variables_of([given])}) if first else ()
    if first is None or not places:
        assert probe == -1
        return
    assert program.predicates[program.probe_predicate[probe]] == first.predicate
    assert program.probe_index[probe] == program.step_index[steps[0]]
    sources = program.source[program.probe_source[probe] : program.probe_source[probe + 1]]

    def source(term: Term) -> int:
        return ~program.constants.index(term.name) if isinstance(term, Constant) else given.arguments.index(term)

    assert list(sources) == [source(first.arguments[n]) for n in places]


@pytest.mark.parametrize("seed", range(budget(60, least=24)))
def test_parts_of_bodies_that_share_no_variable(seed: int) -> None:
    layout = Layout(draw(seed))
    program, entries = layout.program, len(layout.literals)
    split = {rule: layout.parts(rule) for rule in range(len(program.clauses))}
    number = sum(len(parts) for parts in split.values() if len(parts) > 1)
    parts = [frozenset(program.part_literal[program.part_first[n] : program.part_first[n + 1]]) for n in range(number)]
    assert {*parts} == {part for some in split.values() if len(some) > 1 for part in some}
    for place, trigger in enumerate(program.trigger_literal[:entries]):
        others = program.other_part[program.trigger_parts[place] : program.trigger_parts[place + 1]]
        mine = split[layout.literals[trigger][0]]
        assert [parts[part] for part in others] == sorted((p for p in mine if trigger not in p), key=parts.index)
    for entry, literal in enumerate(program.part_literal[: sum(map(len, parts))]):
        (part,) = (part for part in parts if literal in part)
        layout.check_plan(program.part_plan + entry, literal, [other for other in part if other != literal])

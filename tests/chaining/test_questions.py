"""One question to a program, by definition: what is numbered, what compares, what is open, and what was concluded."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from random import Random

import pytest

from budget import budget
from interpreted import interpreted_chainer
from possilog.chaining import Chaining, Program, chaining
from possilog.chaining.bodies import Bodies, Grounder
from possilog.chaining.chaining import GroundRule
from possilog.chaining.program import DOMAIN
from possilog.data import Evidence
from possilog.errors import QueryError, TheoryError
from possilog.logic import Atom, BuiltIn, Clause, parse_atom, parse_clause

RULES = [
    "q(X) :- p(X).",
    "r(X, Y) :- q(X), p(Y).",
    "r(X, a) :- p(X).",
    "s(X, Y, b) :- r(X, Y), r(Y, X).",
    "n :- r(X, Y), q(Y).",
    "q(X).",
    "q(zed).",
    ":- q(X), r(X, X).",
]


@pytest.fixture(params=["installed", "interpreted"])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chainer as it is installed, and its file as Python."""
    if request.param == "interpreted":
        monkeypatch.setattr(chaining, "Chainer", interpreted_chainer().Chainer)


def draw(seed: int) -> tuple[list[Clause], list[str], list[str]]:
    """Some rules, names of things, and facts."""
    chance = Random(seed)
    rules = [parse_clause(rule) for rule in chance.sample(RULES, 5)]
    names = ["b", "c", "d"][: chance.randint(1, 3)]
    facts = {f"p({chance.choice(names)})" for _ in range(2)} | {f"r({chance.choice(names)}, d)", "other(b, c)"}
    return rules, names, sorted(facts)


def asked(rules: list[Clause], facts: list[str], levels: int = 1) -> Chaining:
    program = Program((rule, number % levels) for number, rule in enumerate(rules))
    return Chaining(program, Evidence.of(map(parse_atom, facts)))


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_constants_of_evidence_and_rules_are_numbered(seed: int) -> None:
    rules, _, facts = draw(seed)
    found = asked(rules, facts)
    given = sorted({term.name for fact in facts for term in parse_atom(fact).arguments})
    named = sorted({str(term) for rule in rules for atom in rule.atoms for term in atom.arguments} - {"X", "Y"})
    assert found.names == (*given, *(name for name in named if name not in given))
    assert [found.constant(name) for name in found.names] == [*range(len(found.names))]
    with pytest.raises(KeyError):
        found.constant("nobody")


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_ranks_and_what_is_open(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An atom has a rank where it was ever met; those that do not hold come after all that do."""
    rules, _, facts = draw(seed)
    found = asked(rules, facts)
    found.stage(0)
    holds = [*found.atoms(0)]
    places = [place for atom in holds if (place := found.rank(atom)) is not None]
    assert len(places) == len(holds) and places == sorted({*places})
    given = {atom for atom in map(parse_atom, facts) if atom.predicate in found.program.number}
    assert {atom for atom, place in zip(holds, places, strict=True) if place < found.given} == given
    assert found.rank(parse_atom("p(nobody)")) is None
    assert found.rank(parse_atom("unheard(b)")) is None
    assert found.rank(parse_atom("unheard(nobody)")) is None
    predicates = [p for p in found.program.predicates if p != DOMAIN]
    every = {Atom.ground(p.name, some) for p in predicates for some in product(found.names, repeat=p.arity)}
    assert {*map(found.atom, found.open_atoms(found.chainer.size))} == every - {*holds}
    assert {*map(found.atom, found.open_atoms(found.given))} == every - given
    assert all((found.rank(atom) or 0) >= found.chainer.size for atom in every - {*holds})
    number = sum(len(found.names) ** p.arity for p in found.program.predicates)
    monkeypatch.setattr(chaining, "_MOST_OPEN", number)
    assert [*found.open_atoms(0)]
    monkeypatch.setattr(chaining, "_MOST_OPEN", number - 1)
    with pytest.raises(QueryError, match=f"there are {number:,} atoms over {len(found.names)} constants"):
        [*found.open_atoms(0)]


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_blocks_are_what_each_stage_concluded(seed: int) -> None:
    """By predicate, in order."""
    rules, _, facts = draw(seed)
    found = asked(rules, facts, levels=2)
    ends = []
    for level in range(2):
        found.stage(level)
        found.chainer.settle()
        ends.append(found.chainer.size)
    told = [
        (cut, predicate, [tuple(found.names[n] for n in row) for row in rows.T.tolist()])
        for cut, predicate, rows, _ in found.blocks(ends)
    ]
    wanted = []
    for cut, (start, stop) in enumerate(pairwise([found.given, *ends])):
        new = [*found.atoms(start, stop)]
        for predicate in sorted({atom.predicate for atom in new}):
            rows = [
                tuple(found.constant(t.name) for t in atom.arguments) for atom in new if atom.predicate == predicate
            ]
            wanted.append((cut, predicate, [tuple(found.names[n] for n in row) for row in sorted(rows)]))
    assert told == wanted


TRACED = [
    "q(X) :- p(X).",
    "s(X) :- q(X).",
    "t(X) :- q(X).",
    "u(X, Y) :- t(X), s(Y).",
    "s(X) :- u(X, Y).",
    "p(Y) :- r(X, Y).",
    "r(X, Y) :- r(Y, X).",
    "r(X, Z) :- r(X, Y), r(Y, Z).",
]


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("seed", range(budget(60, least=20)))
def test_behind_each_conclusion_is_a_soft_rule_that_led_to_it(seed: int) -> None:
    """By its own step, or by hard steps from what it concluded at that stage; behind what is certain is none."""
    chance = Random(seed)
    rules = [parse_clause(rule) for rule in chance.sample(TRACED, len(TRACED))]
    names = ["a", "b", "c"]
    facts = {f"p({chance.choice(names)})"} | {f"r({chance.choice(names)}, {chance.choice(names)})" for _ in range(3)}
    found = asked(rules, sorted(facts), levels=4)
    ends = []
    for level in range(4):
        found.stage(level)
        found.chainer.settle()
        ends.append(found.chainer.size)
    order = [*found.atoms(0)]
    place = {atom: number for number, atom in enumerate(order)}
    seen = {}
    for cut, predicate, rows, origins in found.blocks(ends):
        for row, origin in zip(rows.T.tolist(), origins.tolist(), strict=True):
            atom = Atom.ground(predicate.name, [found.names[number] for number in row])
            assert found.origin(atom) == origin
            seen[atom] = cut, origin
    assert {*seen} == {*order[found.given :]}
    for atom, (cut, origin) in seen.items():
        assert (origin < 0) == (cut == 0)
        assert origin < 0 or found.program.levels[origin] in range(1, cut + 1)
        if cut:
            settled = ends[cut - 1]
            by_itself = [
                number for number, body in steps(found, atom, place) if number == origin and max(body) < place[atom]
            ]
            by_hard_steps = [
                body
                for number, body in steps(found, atom, place)
                if found.program.levels[number] == 0
                and max(body) < place[atom]
                and any(at >= settled and seen[order[at]][1] == origin for at in body)
            ]
            assert by_itself or by_hard_steps


def steps(found: Chaining, atom: Atom, place: dict[Atom, int]) -> list[tuple[int, list[int]]]:
    """The rules that conclude an atom in one step from what holds: each with the places of its body."""
    steps = []
    for number, clause in enumerate(found.program.clauses):
        variables = sorted(clause.variables, key=str)
        for chosen in permutations([parse_atom(f"x({name})").arguments[0] for name in found.names], len(variables)):
            ground = clause.substitute(dict(zip(variables, chosen, strict=True)))
            if ground.head == (atom,) and all(one in place for one in ground.body):
                steps.append((number, [place[one] for one in ground.body]))
    return steps


NUMBERS = ["3", "7", "7.0", "15", "20", "x", "2020-01-05", "2021-03-04"]
COMPARING = [
    "big(X) :- size(X, Y), Y >= 15.",
    "before(X, Y) :- size(A, X), size(B, Y), X < Y.",
    "same(X, Y) :- size(A, X), size(B, Y), X =< Y.",
    "late(X) :- day(X, Y), Y > 2020-06-01.",
]
NAMING = ['size(X, "9") :- big(X).', 'size("20", "7") :- n.', 'day("3", "2022-01-01") :- n.', "n :- big(y)."]


@pytest.mark.parametrize("seed", range(budget(40, least=16)))
def test_comparisons_hold_of_constants_of_evidence_and_of_rules(seed: int) -> None:
    chance = Random(seed)
    rules = [parse_clause(rule) for rule in chance.sample(COMPARING, 2) + chance.sample(NAMING, seed % 3)]
    facts = [Atom.ground("size", [chance.choice("ab"), chance.choice(NUMBERS)]) for _ in range(3)]
    found = Chaining(Program((rule, 0) for rule in rules), Evidence.of({*facts}))
    compared = [predicate for predicate in found.program.predicates if isinstance(predicate, BuiltIn)]
    wanted = [
        Atom(predicate, found.atom(found.chainer.number(found.program.number[predicate], some)).arguments)
        for predicate in compared
        for some in product(range(len(found.names)), repeat=predicate.arity)
        if predicate.holds(*(found.names[number] for number in some))
    ]
    assert compared
    there = [atom for atom in found.atoms(0) if isinstance(atom.predicate, BuiltIn)]
    assert len(there) == len(wanted) and {*there} == {*wanted}
    assert not any(isinstance(found.atom(number).predicate, BuiltIn) for number in found.open_atoms(0))


def test_ground_rules_in_words() -> None:
    p, q = parse_atom("p(a)"), parse_atom("q(a)")
    assert str(GroundRule(None, q, (p,))) == "q(a) :- p(a)."
    assert str(GroundRule(None, None, (p, q))) == ":- p(a), q(a)."
    found = asked([parse_clause(":- p(X), q(Y)."), parse_clause("q(Y) :- p(X).")], ["p(a)", "p(b)"])
    found.stage(0)
    told = {str(found.broken(rule, body)) for rule, body in found.chainer.broken()}
    assert told == {":- p(a), q(b).", ":- p(b), q(a)."}


@pytest.mark.parametrize("length", [63, 64])
def test_rules_are_as_long_as_there_is_room(length: int) -> None:
    """Fewer than 64 conditions, variables, and arguments of a predicate."""
    variables = ", ".join(f"X{number}" for number in range(length))
    for text in (
        f"q(X) :- {', '.join(f'p{number}(X)' for number in range(length))}.",
        f"q(X0) :- {', '.join(f'p(X{number})' for number in range(length))}.",
        f"q(X0) :- w({variables}).",
        f"w({variables.replace('X', 'c')}) :- p(c0).",
    ):
        if length < 64:
            assert len(Program([(parse_clause(text), 0)]).clauses) == 1
        else:
            with pytest.raises(TheoryError, match="is too long; inference takes fewer than 64 conditions"):
                Program([(parse_clause(text), 0)])


def test_atoms_as_wide_as_they_may_be_are_found_again() -> None:
    wide = [f"c{number}" for number in range(63)]
    rule = parse_clause(f"q(X) :- w({', '.join(['X', *wide[1:]])}).")
    found = Chaining(Program([(rule, 0)]), Evidence.of([Atom.ground("w", wide), Atom.ground("w", [*wide[:-1], "c0"])]))
    found.stage(0)
    assert [str(atom) for atom in found.atoms(found.given)] == ["q(c0)"]
    assert found.rank(Atom.ground("w", wide)) is not None


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("width", [64, 65, 70, 129, 200])
def test_heads_may_be_wider_than_rules_are_long(width: int) -> None:
    """Of rules that are only ground; what is given of them is known all the same."""
    wide = [f"c{number}" for number in range(1, width)]
    grounder = Grounder([(parse_clause(f"w(X, {', '.join(wide)}) ; p(X) :- q(X)."), 0)])
    given = [Atom.ground("q", [name]) for name in "abd"] + [Atom.ground("w", ["a", *wide]), Atom.ground("p", ["e"])]
    met = (bodies := Bodies(grounder, Evidence.of(given))).begin()
    atom = bodies.chaining.atom
    assert {tuple(map(atom, one.heads)) for one in met} == {
        (Atom.ground("w", [name, *wide]), Atom.ground("p", [name])) for name in "bd"
    }

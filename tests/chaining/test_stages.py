"""Stages, trials and records against their definition: all ground rules, tried one by one.

A stage applies its level's rules to what is settled, and the rules of all levels so far to what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from random import Random

import pytest

from budget import budget
from interpreted import interpreted_chainer
from possilog.chaining import Chaining, Program, chaining
from possilog.chaining.bodies import Bodies, Grounder
from possilog.chaining.chaining import HOW, HOW_OFTEN
from possilog.data import Evidence
from possilog.logic import Atom, Clause, Constant, Literal, Variable, parse_atom, parse_clause

NAMES = ["c0", "c1", "c2", "c3"]
RULES = [
    "p(X) :- q(X).",
    "q(Y) :- r(X, Y).",
    "r(Y, X) :- r(X, Y).",
    "r(X, Z) :- r(X, Y), r(Y, Z).",
    "s(X) :- p(X), q(Y), r(Y, X).",
    "s(X) :- p(X), u(Y, Z).",
    "u(X, Y) :- p(X), q(Y).",
    "q(X) :- s(X), p(c1).",
    "u(X, X) :- q(X).",
    "p(X) :- u(X, X), s(Y), s(Z).",
    "t(X, Y, Z) :- r(X, Y), u(Y, Z).",
    "q(Z) :- t(X, c0, Z).",
    "p(Y) :- t(X, X, Y), p(X).",
    "s(c2) :- r(X, Y), p(Y).",
    "n :- s(X), s(Y), r(X, Y).",
    "p(X) :- n.",
    "u(X, Y) :- n, p(X).",
    "q(c3).",
    "r(X, c0) :- s(X).",
]
CONSTRAINTS = [
    ":- p(X), s(X).",
    ":- u(X, Y), q(X), q(Y).",
    ":- n.",
    ":- t(X, Y, Z), s(Z).",
    ":- r(X, Y), r(Y, X), s(Y).",
    ":- q(c1), s(X).",
]
CHOICES = ["p(X) ; s(X) :- r(X, Y).", "q(X) ; q(Y) ; n :- u(X, Y)."]

Ground = tuple[int, Clause]
"""A rule's number, and the rule with constants."""


@pytest.fixture(params=["installed", "interpreted"])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chainer as it is installed, and its file as Python."""
    if request.param == "interpreted":
        monkeypatch.setattr(chaining, "Chainer", interpreted_chainer().Chainer)


@dataclass
class Stage:
    """What a stage should say."""

    holds: set[Atom]
    broken: Counter[Ground] = field(default_factory=Counter)
    is_blocked: bool = False
    taken: list[Ground] = field(default_factory=list)
    """The ground rules that concluded something, or what was settled."""


@dataclass
class World:
    """Rules with their levels, what is given, and what is denied."""

    rules: list[tuple[Clause, int]]
    known: set[Atom]
    denied: set[Atom]

    def __post_init__(self) -> None:
        """Ground them all."""
        self.ground = [(number, made) for number, (rule, _) in enumerate(self.rules) for made in grounded(rule)]
        self.level = [level for _, level in self.rules]
        self.given = set(self.known)

    def met(self, settled: set[Atom], holds: set[Atom], active: set[int], now: int | None) -> Iterator[Ground]:
        """The ground rules of active levels that hold, and are new: by some atom, or since their level is."""
        for number, rule in self.ground:
            new = self.level[number] == now or not settled.issuperset(rule.body)
            if new and self.level[number] in active and holds.issuperset(rule.body):
                yield number, rule

    def refuted(self, settled: set[Atom], atoms: Iterable[Atom], active: set[int]) -> tuple[bool, bool]:
        """Do the hard rules lead from some atoms to a violation, and is a choice left?"""
        holds = settled | set(atoms)
        while True:
            met = list(self.met(settled, holds, active, None))
            hard = [rule for number, rule in met if self.level[number] == 0]
            new = {rule.head[0] for rule in hard if len(rule.head) == 1} - holds
            if not new:
                break
            holds |= new
        is_broken = any(not rule.head for _, rule in met) or not (holds - settled).isdisjoint(self.denied)
        return is_broken, any(len(rule.head) > 1 and holds.isdisjoint(rule.head) for rule in hard)

    def stage(self, settled: set[Atom], active: set[int], now: int, guarded: bool, barred: set[Atom]) -> Stage:
        """What the rules of a level, and of the active ones, conclude."""
        stage = Stage(set(settled))
        allowed: dict[Atom, bool] = {}
        while True:
            met = [(n, rule) for n, rule in self.met(settled, stage.holds, active, now) if len(rule.head) < 2]
            stage.taken = []
            for number, rule in met:
                head = rule.head[0] if rule.head else None
                if head and guarded and self.level[number] > 0 and head not in settled:
                    if head not in allowed:
                        allowed[head] = head not in barred and not self.refuted(settled, [head], active)[0]
                    if not allowed[head]:
                        stage.is_blocked = True
                        continue
                if head:
                    stage.taken.append((number, rule))
            new = {rule.head[0] for _, rule in stage.taken} - stage.holds
            if not new:
                break
            stage.holds |= new
        stage.broken = Counter(one for one in met if not one[1].head)
        stage.broken.update((-1, Clause((), (atom,))) for atom in (stage.holds - settled) & self.denied)
        return stage


def grounded(rule: Clause) -> Iterator[Clause]:
    """With every choice of distinct constants for its variables; a body says nothing twice."""
    for chosen in permutations(map(Constant, NAMES), len(rule.variables)):
        yield rule.substitute(dict(zip(rule.variables, chosen, strict=True)))


def draw(seed: int, choices: bool = False) -> World:
    """Rules of three levels, of which some are hard."""
    chance = Random(seed)
    picked = chance.sample(RULES, 7) + chance.sample(CONSTRAINTS, chance.randint(1, 4))
    rules = [(parse_clause(rule), chance.choice([0, 0, 1, 1, 2])) for rule in picked]
    if choices:
        rules += [(parse_clause(rule), chance.choice([0, 0, 1])) for rule in CHOICES]
    some = [f"{name}({one})" for name in "pqs" for one in NAMES]
    some += [f"{name}({one}, {other})" for name in "rru" for one in NAMES for other in NAMES]
    known = {parse_atom(text) for text in chance.sample(some, chance.randint(2, 8))}
    denied = {parse_atom(text) for text in chance.sample([*some, "n"], chance.randint(0, 3))} - known
    return World(rules, known, denied)


def begun(world: World) -> Chaining:
    evidence = Evidence.of([*map(Literal, world.known), *(Literal(atom, False) for atom in world.denied)], NAMES)
    return Chaining(Program(world.rules), evidence)


def told(found: Chaining, broken: Sequence[tuple[int, tuple[int, ...]]]) -> Counter[Ground]:
    return Counter((rule, Clause((), found.broken(rule, body).body)) for rule, body in broken)


def numbers(found: Chaining, atoms: Iterable[Atom]) -> list[int]:
    known = found.program.number
    return [found.number(atom) for atom in sorted(atoms) if atom.predicate in known]


def check_stage(found: Chaining, world: World, settled: set[Atom], wanted: Stage) -> None:
    holds = {*found.atoms(0)}
    assert holds == {atom for atom in wanted.holds if atom.predicate in found.program.number}
    assert found.chainer.size == len([*found.chainer.listed(0, found.chainer.size)])
    assert {*found.atoms(found.given)} == holds - world.known
    assert found.chainer.violated == wanted.broken.total()
    assert told(found, found.chainer.broken()) == wanted.broken
    assert found.chainer.blocked == wanted.is_blocked


def check_record(found: Chaining, world: World, settled: set[Atom], wanted: Stage, guarded: bool, often: bool) -> None:
    """What hard steps a conclusion rests on, which ones a soft rule concluded, and how often from what is settled."""
    taken = [one for one in wanted.taken if not (guarded and one[1].head[0] in settled)]
    rests = {
        (rule.head[0], atom)
        for number, rule in taken
        for atom in rule.body
        if world.level[number] == 0 and atom not in settled
    }
    assert {(found.atom(one), found.atom(other)) for one, other in found.chainer.rests_on()} == rests
    soft = {rule.head[0] for number, rule in taken if world.level[number] > 0}
    ways = Counter(rule.head[0] for _, rule in taken if settled.issuperset(rule.body))
    for atom in wanted.holds:
        if atom.predicate in found.program.number:
            assert found.chainer.softly_concluded(found.number(atom)) == (atom in soft)
            counted = found.chainer.derivations(found.number(atom))
            assert counted == ways[atom] if often else bool(counted) == bool(ways[atom])
    assert {*map(found.atom, found.chainer.derived())} == {*ways}


@pytest.mark.usefixtures("loop")
def test_stages_by_definition() -> None:
    """Guarded or not, recorded or not, taken back and done again with some atoms barred; then the next level."""
    blocked = broken = 0
    for seed in range(budget(90, least=40)):
        chance, world = Random(seed), draw(seed, choices=seed % 4 == 0)
        found, settled, active = begun(world), set(world.known), set[int]()
        for level in range(3):
            active.add(level)
            guarded, recording = level > 0 and chance.random() < 0.7, chance.choice([0, HOW, HOW_OFTEN])
            likely = sorted(world.stage(settled, active, level, False, set()).holds - settled)
            for barred in (set[Atom](), set(likely[:: chance.randint(1, 3)])):
                wanted = world.stage(settled, active, level, guarded, barred)
                found.stage(level, guarded=guarded, barred=numbers(found, barred), recording=recording)
                check_stage(found, world, settled, wanted)
                assert not found.chainer.gave_up
                if recording:
                    check_record(found, world, settled, wanted, guarded, recording == HOW_OFTEN)
                blocked, broken = blocked + wanted.is_blocked, broken + bool(wanted.broken)
                if not barred:
                    found.chainer.withdraw()
                    assert {*found.atoms(0)} == {a for a in settled if a.predicate in found.program.number}
                    assert not found.chainer.violated and not found.chainer.broken()
            found.chainer.settle()
            settled = wanted.holds
    assert min(blocked, broken) > 8


@pytest.mark.usefixtures("loop")
def test_a_hasty_stage_ends_with_the_first_violation() -> None:
    ended = 0
    for seed in range(budget(90, least=40)):
        world = draw(seed)
        found, settled, active = begun(world), set(world.known), set[int]()
        for level in range(3):
            active.add(level)
            wanted = world.stage(settled, active, level, False, set())
            found.stage(level, hasty=True)
            assert found.chainer.violated == min(wanted.broken.total(), 1)
            if wanted.broken:
                assert told(found, found.chainer.broken()) <= wanted.broken
                ended += 1
                break
            check_stage(found, world, settled, wanted)
            found.chainer.settle()
            settled = wanted.holds
    assert ended > 8


@pytest.mark.usefixtures("loop")
def test_a_stage_records_no_more_derivations_than_its_patience() -> None:
    """One more, and it gives up, and is hasty."""
    for seed in range(budget(50, least=20)):
        world = draw(seed)
        wanted = world.stage(world.known, {0}, 0, False, set())
        for patience in range(max(0, len(wanted.taken) - 2), len(wanted.taken) + 2):
            found = begun(world)
            found.stage(0, recording=HOW_OFTEN, patience=patience)
            assert found.chainer.gave_up == (patience < len(wanted.taken))
            if found.chainer.gave_up:
                assert found.chainer.violated <= wanted.broken.total()
            else:
                check_stage(found, world, world.known, wanted)
                check_record(found, world, world.known, wanted, guarded=False, often=True)


@pytest.mark.usefixtures("loop")
def test_what_is_refuted_and_what_may_stand_by_definition() -> None:
    """With what is settled, by the hard rules and the soft constraints that are active; and nothing is left behind."""
    answers: Counter[bool | None] = Counter()
    for seed in range(budget(70, least=30)):
        chance, world = Random(seed), draw(seed, choices=True)
        found, settled, active = begun(world), set(world.known), set[int]()
        every = [rule.head[0] for _, rule in world.ground if rule.head]
        for level in range(2):
            active.add(level)
            found.stage(level)
            found.chainer.settle()
            settled = world.stage(settled, active, level, False, set()).holds
            size = found.chainer.size
            for _ in range(8):
                some = chance.choices(every, k=chance.choice([0, 1, 1, 2, 3]))
                refuted, is_open = world.refuted(settled, some, active)
                answer = found.chainer.stand(numbers(found, some))
                assert answer is (False if refuted else None if is_open else True), (seed, some)
                answers[answer] += 1
                if len(some) == 1:
                    reason = found.chainer.refute(found.number(some[0]))
                    assert (reason is not None) == refuted
                    if reason is not None and reason[0] < 0:
                        assert found.atom(reason[1][0]) in world.denied
                    elif reason is not None:
                        assert (reason[0], found.broken(*reason).clause) in world.ground
            assert found.chainer.size == size
    assert min(answers[each] for each in (True, False, None)) > 8, answers


@pytest.mark.usefixtures("loop")
def test_going_back_to_a_level_forgets_what_came_after() -> None:
    for seed in range(budget(50, least=20)):
        world = draw(seed)
        found, settled = begun(world), world.stage(world.known, {0}, 0, False, set()).holds
        found.stage(0)
        found.chainer.settle()
        size = found.chainer.size
        for _ in range(2):
            wanted = world.stage(settled, {0, 1}, 1, True, set())
            found.stage(1, guarded=True)
            check_stage(found, world, settled, wanted)
            found.chainer.settle()
            found.chainer.go_back(size, 1)
            later = world.stage(settled, {0, 2}, 2, True, set())
            found.stage(2, guarded=True)
            check_stage(found, world, settled, later)
            found.chainer.go_back(size, 2)
            assert {*found.atoms(0)} == {atom for atom in settled if atom.predicate in found.program.number}


def test_ground_rules_are_met_once_when_their_body_holds() -> None:
    """Whatever their heads, unless one of them is given, or stands in the body."""
    for seed in range(budget(70, least=30)):
        chance, world = Random(seed), draw(seed, choices=True)
        bodies = Bodies(Grounder(world.rules), Evidence.of(world.known, NAMES))
        atom_of, holds, given = bodies.chaining.atom, set(world.known), set(world.known)
        every = [atom for _, rule in world.ground for atom in rule.atoms]
        before, asked = set[Atom](), set[Atom]()
        for turn in range(4):
            met = bodies.hold(numbers(bodies.chaining, asked)) if turn else bodies.begin()
            holds |= asked
            wanted = {
                (number, rule)
                for number, rule in world.ground
                if holds.issuperset(rule.body)
                and not (turn and before.issuperset(rule.body))
                and given.union(rule.body).isdisjoint(rule.head)
            }
            found = [(one.rule, Clause(tuple(map(atom_of, one.heads)), tuple(map(atom_of, one.body)))) for one in met]
            assert len(found) == len({*found}) and {*found} == {
                (number, Clause(rule.head, tuple(dict.fromkeys(rule.body)))) for number, rule in wanted
            }
            for one, (number, rule) in zip(met, found, strict=True):
                heads = zip(world.rules[number][0].head, rule.head, strict=True)
                terms = [pair for atom, made in heads for pair in zip(atom.arguments, made.arguments, strict=True)]
                named = {made for term, made in terms if isinstance(term, Variable)}
                named |= {term for atom in rule.body for term in atom.arguments}
                assert {Constant(bodies.chaining.names[each]) for each in one.constants} == named
            if turn == 1:
                bodies.settle()
                given = set(holds)
            if turn == 2:
                bodies.let_go()
                holds = set(given)
            before, asked = set(holds), set(chance.sample(every, 3)) - holds
            assert all(bodies.given(number) == (atom_of(number) in given) for number in numbers(bodies.chaining, every))

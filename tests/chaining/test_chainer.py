"""The loop itself: compiled and interpreted alike, open to interrupts, and small however many matches a body has."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations, product
from random import Random
from time import process_time

import pytest

from budget import budget
from interpreted import interpreted_chainer
from possible_worlds import draw_case
from possilog.chaining import Chaining, Program, chaining
from possilog.data import Database, Evidence
from possilog.errors import QueryError
from possilog.inference import Reasoner
from possilog.logic import Atom, Clause, Constant, Variable, parse_atom, parse_clause, parse_theory, variables_of
from possilog.structure.refutation import Refutation


def test_it_does_the_same_compiled_and_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no compiler, both are the same files; then this tests nothing, and the others do."""
    cases = [draw_case(seed) for seed in range(budget(300))]

    def answers() -> list[object]:
        found: list[object] = []
        for case in cases:
            for kind in ("global", "fragment", "local"):
                prediction = Reasoner(case.theory).predict(case.evidence, kind)
                found.append((list(prediction.added), prediction.conflicts, prediction.strata_kept))
            refutation = Refutation(case.evidence.facts, [rule.clause for rule in case.theory])
            names = range(len(case.evidence.facts.constants))
            found += [refutation.refutes([(p, [n] * p.arity)]) for p in case.theory.predicates for n in names]
        return found

    installed = answers()
    monkeypatch.setattr(chaining, "Chainer", interpreted_chainer().Chainer)
    assert answers() == installed


def test_an_interrupt_is_noticed_in_the_midst_of_one_large_join(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[None] = []
    monkeypatch.setattr(chaining, "_pause", lambda: paused.append(None))
    everyone = [f"p{number}" for number in range(50)]
    known = [Atom.ground("knows", [one, other]) for one in everyone for other in everyone if one != other]
    Reasoner(parse_theory("0.9 :: far(A, D) :- knows(A, B), knows(B, C), knows(C, D).")).predict(known)
    assert len(paused) > 5


# Hubs: a constant with very many facts

FOUR = "e(X, A), e(X, B), e(X, C), e(X, D)"

HUBS = {
    "one stage": (f"0.9 :: busy(X) :- {FOUR}.", 1, 0),
    "a trial": (f"0.9 :: busy(X) :- {FOUR}. calm(X) :- busy(X), {FOUR}. :- calm(X), e(X, A).", 0, 0),
    "a hard step": ("0.9 :: f(X, A) :- e(X, A). busy(X) :- f(X, A), f(X, B), f(X, C), f(X, D).", 1_001, 0),
    "a conflict": (f"0.9 :: busy(X) :- {FOUR}. 0.9 :: idle(X) :- {FOUR}. :- idle(X), busy(X).", 0, 1),
}

ASK = """
import re, sys
from pathlib import Path
from possilog.data import Evidence
from possilog.inference import Reasoner
from possilog.logic import Atom, parse_theory

hub = Evidence.of(Atom.ground("e", ["hub", f"c{number}"]) for number in range(int(sys.argv[2])))
found = Reasoner(parse_theory(sys.argv[1])).predict(hub)
# Not by getrusage: that also has what the process had that began this one.
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
print(len(found.added), len(found.conflicts), int(peak[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="how memory is measured differs")
@pytest.mark.parametrize("name", HUBS)
def test_a_body_with_a_trillion_matches_takes_little_memory_and_time(name: str) -> None:
    theory, added, conflicts = HUBS[name]
    command = [sys.executable, "-c", ASK, theory, "1000"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout.split()
    assert answer[:2] == [str(added), str(conflicts)] and int(answer[2]) < 300


def test_what_has_to_be_kept_one_by_one_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    module = interpreted_chainer()
    monkeypatch.setattr(chaining, "Chainer", module.Chainer)
    monkeypatch.setattr(module, "MOST_KEPT", 1_000)
    hub = Evidence.of(Atom.ground("e", ["hub", f"c{number}"]) for number in range(30))
    headed = "p(X) ; q(X) :- e(X, A), e(X, B)."
    for kind, theory in (("local", ":- e(X, A), e(X, B)."), ("global", headed), ("fragment", f"0.9 :: {headed}")):
        with pytest.raises(QueryError, match=r"have to be kept .*; give less evidence, or rules with shorter bodies$"):
            Reasoner(parse_theory(theory)).predict(hub, kind)
        if kind != "global":
            Reasoner(parse_theory(theory.replace(", e(X, B)", ""))).predict(hub, kind)
    monkeypatch.setattr(module, "MOST_HARD_STEPS", 1_000)
    rests = "0.9 :: f(X, A) :- e(X, A). g(A, B) :- f(X, A), f(X, B). :- g(A, B), g(B, A)."
    with pytest.raises(QueryError, match="rest on too many others"):
        Reasoner(parse_theory(rests)).predict(hub)


@pytest.mark.parametrize(("most", "is_told"), [(62, True), (63, True), (64, False)])
def test_atoms_have_a_limit(most: int, is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at when there is no more room, which is made for 64 of them at first."""
    module = interpreted_chainer()
    monkeypatch.setattr(chaining, "Chainer", module.Chainer)
    monkeypatch.setitem(module.Chainer._make_room.__globals__, "MOST_ATOMS", most)
    found = chained(["q(X, Y) :- p(X, Y)."], [f"p(c{one}, c{other})" for one in range(8) for other in range(6)])
    *first, last = [Atom.ground("q", [f"c{one}", f"c{other}"]) for one in range(8) for other in range(2)]
    assert list(map(found.number, first)) == [*range(48, 63)]
    if is_told:
        with pytest.raises(QueryError, match="more than 63 atoms; give less evidence"):
            found.number(last)
    else:
        assert found.number(last) == 63


def test_stamps_are_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial bears a number of 32 bits."""
    module = interpreted_chainer()
    monkeypatch.setattr(module, "LAST_TRIAL", 3)
    monkeypatch.setattr(chaining, "Chainer", module.Chainer)
    rules = [parse_clause("q(X) :- p(X)."), parse_clause(":- q(X), r(X).")]
    refutation = Refutation(Database.of([parse_atom("r(a)")], ["b"]), rules)
    p = rules[0].body[0].predicate
    assert [refutation.refutes([(p, [number % 2])]) for number in range(20)] == [True, False] * 10


# Single questions


def chained(rules: list[str], facts: list[str]) -> Chaining:
    return Chaining(Program((parse_clause(rule), 0) for rule in rules), Evidence.of(map(parse_atom, facts)))


def test_bodies_of_parts_that_share_no_variable() -> None:
    rules = ["q(X) :- p(X), r(Y, Z).", "s(X) :- p(X), t(Y).", "u(X) :- r(X, Y), p(Z), r(V, W)."]
    facts = ["p(a)", "p(b)", "r(c, d)", "r(e, f)"]
    added = Reasoner(parse_theory("\n".join(rules))).predict(facts).added
    assert {str(one.atom) for one in added} == {"q(a)", "q(b)", "u(c)", "u(e)"}


BODIES = ("p(X)", "r(X, Y)", "r(Y, X)", "p(Y)", "q(Z)", "r(Z, V)", "s(V)", "q(W)", "s(c0)", "n", "r(W, W)")
WIDE = ("t(X, Y, Z)", "t(Z, X, Y)", "t(X, c1, Y)", "t(Y, Y, X)", "r(X, Y)", "r(Y, Z)", "p(X)", "r(Z, c0)")
"""With these, atoms are looked for of which several arguments are known."""


def ground(rule: Clause, names: list[str]) -> list[tuple[Atom, set[Atom]]]:
    """The head and the body of a rule, with every choice of distinct constants for its variables."""
    chosen = permutations(map(Constant, names), len(rule.variables))
    choices = [dict(zip(rule.variables, values, strict=True)) for values in chosen]
    return [(apply(values, rule.head[0]), {apply(values, atom) for atom in rule.body}) for values in choices]


def closure(rules: list[Clause], facts: set[Atom], names: list[str]) -> set[Atom]:
    """All that follows: every ground rule, until nothing is new."""
    every = [one for rule in rules for one in ground(rule, names)]
    while new := {head for head, body in every if body <= facts} - facts:
        facts = facts | new
    return facts


def apply(values: dict[Variable, Constant], atom: Atom) -> Atom:
    """An atom with constants for its variables."""
    return atom.predicate(*(values.get(term, term) if isinstance(term, Variable) else term for term in atom.arguments))


@pytest.fixture(params=["installed", "interpreted"])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chainer as it is installed, and its file as Python."""
    if request.param == "interpreted":
        monkeypatch.setattr(chaining, "Chainer", interpreted_chainer().Chainer)


def draw_rules(seed: int) -> tuple[list[Clause], set[Atom], list[str]]:
    """A few rules with bodies of several parts, or of wide atoms, a few facts, or many, and the names of all things."""
    chance = Random(seed)
    names, is_wide = [f"c{number}" for number in range(chance.choice((2, 4)))], seed % 3 == 0
    bodies = [chance.sample(WIDE if is_wide else BODIES, chance.randint(2, 3 if is_wide else 4)) for _ in range(3)]
    heads = [chance.choice(("h(X)", "q(X)", "s(Z)", "n", "r(X, Z)", "g(X, Y)")) for _ in bodies]
    rules = [parse_clause(f"{head} :- {', '.join(body)}.") for head, body in zip(heads, bodies, strict=True)]
    every = [Atom.ground(name, [one]) for name in "pqs" for one in names]
    every += [Atom.ground("r", pair) for pair in product(names, repeat=2)]
    facts = set(chance.sample(every, chance.randint(2, len(every) // 2 if is_wide else 6)))
    facts |= {Atom.ground("t", each) for each in product(names, repeat=3) if is_wide and chance.random() < 0.4}
    return [rule for rule in rules if set(variables_of(rule.head)) <= set(variables_of(rule.body))], facts, names


@pytest.mark.usefixtures("loop")
def test_bodies_of_several_parts_conclude_what_they_should() -> None:
    """Against all ground rules: parts that match nothing, or only later, or only what another part has taken."""
    for seed in range(budget(60)):
        rules, facts, names = draw_rules(seed)
        wanted = closure(rules, facts, names)
        for weight in ("", "0.9 :: "):
            theory = parse_theory("\n".join(f"{weight}{rule}" for rule in rules))
            for kind in ("global", "local"):
                added = Reasoner(theory).predict(Evidence.of(facts, names), kind).added
                assert {one.atom for one in added} == wanted - facts, (seed, kind, weight)


@pytest.mark.usefixtures("loop")
def test_a_survey_counts_distinct_heads_and_those_that_are_given() -> None:
    """And leaves no trace: the next one counts the same, and a stage concludes what it would have."""
    more = ["p(X) :- r(X, Y), r(Y, Z), p(Z).", "r(X, X) :- p(X).", "r(X, Y) :- r(Y, X).", "p(X) :- r(X, Y).", "n."]
    given = 0
    for seed in range(budget(120)):
        rules, facts, names = draw_rules(seed)
        rules += map(parse_clause, more)
        facts |= {Atom.ground("r", [one, other]) for one, other in permutations(names[:3], 2) if seed % 2}
        asked = Chaining(Program((rule, 0) for rule in rules), Evidence.of(facts, names))
        asked.chainer.settle()
        heads = [{head for head, body in ground(rule, names) if body <= facts} for rule in rules]
        for _ in range(2):
            counted = [asked.chainer.survey(number) for number in range(len(rules))]
            assert counted == [(len(each), len(each & facts)) for each in heads], seed
        given += sum(settled for _, settled in counted)
        asked.chainer.settle()
        asked.stage(0)
        assert {*asked.atoms(0)} - facts == closure(rules, facts, names) - facts, seed
    assert given > budget(120)


@pytest.mark.parametrize("weight", ["", "0.9 :: "])
@pytest.mark.parametrize("rest", ["b(Y), c(Y)", "b(Y), b(Z), e(Y, Z), e(Z, Y)"])
def test_a_part_that_matches_nothing_or_one_thing_is_not_sought_again(weight: str, rest: str) -> None:
    """Each with each would be 16 million trials for every question."""
    theory = parse_theory(f"{weight}h(X) :- a(X), {rest}.")
    size = 4_000
    facts = [Atom.ground(name, [f"x{n}"]) for n in range(size) for name in "ab"]
    facts += [Atom.ground("e", [f"x{n}", f"x{n + 1}"]) for n in range(size - 1)]
    facts += [Atom.ground("c", [f"z{n}"]) for n in range(size)]
    for more, added in (([], 0), ([Atom.ground("c", ["x0"]), Atom.ground("e", ["x1", "x0"])], size - 2)):
        evidence = Evidence.of(facts + more)
        before = process_time()
        found = Reasoner(theory).predict(evidence).added
        assert process_time() - before < 3
        assert len(found) in (added, added and added + 1)


def test_the_first_step_has_what_is_evidence_and_what_is_not() -> None:
    rules = ["q(X) :- p(X), p(Y).", "r(X) :- q(X).", "n.", "s(X) :- r(X)."]
    chaining = chained(rules, ["p(a)", "p(b)", "q(b)", "q(c)"])
    found = {str(chaining.atom(atom)) for atom in chaining.first_step()}
    assert found == {"q(a)", "q(b)", "r(b)", "r(c)", "n"}


def test_rules_with_several_heads_conclude_nothing_and_leave_a_choice_on_trial() -> None:
    chaining = chained(["p(X) ; q(X) :- r(X).", "s(X) :- p(X).", ":- s(X), t(X)."], ["r(a)", "t(b)", "q(c)"])
    chaining.stage(0)
    chaining.chainer.settle()
    assert chaining.chainer.size == chaining.given
    for text, stands in {"r(b)": None, "r(c)": True, "p(b)": False, "p(a)": True}.items():
        assert chaining.chainer.stand([chaining.number(parse_atom(text))]) is stands, text
    assert chaining.chainer.stand([chaining.number(parse_atom(text)) for text in ("r(b)", "q(b)")]) is True


@pytest.mark.usefixtures("loop")
def test_an_atom_keeps_its_number_however_many_come() -> None:
    """Room is made for ten atoms; tables grow, and each atom is found where it is then."""
    found = chained(["t(X, Y, Z) :- r(X, Y), r(Y, Z).", "r(X, Y) :- t(X, Y, Z)."], [f"r(a{n}, b)" for n in range(10)])
    names = [f"a{n}" for n in range(10)]
    atoms = [Atom.ground("t", each) for each in product(names, repeat=3)]
    atoms += [Atom.ground("r", each) for each in product(names, repeat=2)]
    numbers = [found.number(atom) for atom in atoms]
    assert len({*numbers}) == len(atoms)
    assert [found.number(atom) for atom in atoms] == numbers and list(map(found.atom, numbers)) == atoms


@pytest.mark.parametrize(("predicate", "width"), [(0, 2), (1, 2), (3, 3), (0xFFFF, 2), (0xFFF3, 3)])
def test_atoms_are_spread_over_the_table(predicate: int, width: int) -> None:
    """4,096 of them, at 4,096 places, leave about 37 % of these empty, as if by chance."""
    store = interpreted_chainer().Chainer(Program([(parse_clause("q(X) :- p(X)."), 0)]), [], 10, lambda: None)
    found = []
    for arguments in product(range(4096 if width == 1 else round(4096 ** (1 / width))), repeat=width):
        store._set_key(arguments)
        found.append(store._hash(predicate, width))
    assert min(found) >= 0 and max(found) < 2**31 and len({*found}) > 4090
    for shift in (0, 10, 19):
        assert 2_400 < len({code >> shift & 4095 for code in found}) < 2_800


@pytest.mark.usefixtures("loop")
def test_a_long_chain_is_tried() -> None:
    """Longer than what there is room for at first."""
    steps = [f"p{number + 1}(X) :- p{number}(X)." for number in range(100)]
    found = chained([*steps, ":- p100(X), r(X)."], ["r(a)", "s(b)"])
    found.stage(0)
    found.chainer.settle()
    assert found.chainer.refute(found.number(parse_atom("p0(a)"))) is not None
    assert found.chainer.refute(found.number(parse_atom("p0(b)"))) is None


def test_a_refuted_atom_has_a_reason() -> None:
    chaining = chained(["q(X) :- p(X).", ":- q(X), r(X)."], ["r(a)", "r(b)"])
    chaining.stage(0)
    chaining.chainer.settle()
    reason = chaining.chainer.refute(chaining.number(parse_atom("p(a)")))
    assert reason is not None
    assert chaining.broken(*reason).clause == Clause((), (parse_atom("q(a)"), parse_atom("r(a)")))

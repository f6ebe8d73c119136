"""Ranking against its definition: what rules conclude one by one, and the order of the lists of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import permutations
from math import inf, log1p
from random import Random
from typing import Any

import numpy as np
import pytest

from budget import budget
from possilog import ask, parse_theory
from possilog.choices import Aggregate
from possilog.data import Database
from possilog.data.evidence import Evidence
from possilog.errors import PossilogError, QueryError
from possilog.inference import ranking
from possilog.inference.asking import rank_everything
from possilog.inference.linked import CodedRule
from possilog.inference.ranking import Ranking, RankingRule, ranking_rules
from possilog.logic import Atom, Clause, Constant, HeldOut, Predicate, Theory, Variable, parse_atom

H = Predicate("h", 2)
NAMES = "abcdef"
Facts = frozenset[Atom]
RULES = [
    "h(X, Y) :- e(X, Y)",
    "h(X, Y) :- e(Y, X)",
    "h(X, Z) :- e(X, Y), f(Y, Z)",
    "h(X, Y) :- f(X, Y), p(Y)",
    "h(X, c) :- e(X, d)",
    "h(X, b) :- e(X, d)",
    "h(c, X) :- e(X, d)",
    "h(X, c) :- f(d, X)",
    "h(d, X) :- f(a, X)",
    "h(X, a) :- f(X, b)",
    "h(X, b) :- f(X, X)",
    "h(X, c) :- p(X)",
    "h(X, d) :- t(X, a, b)",
    "h(X, c)",
    "h(X, X) :- p(X)",
    "h(X, Y) :- e(X, Y), f(X, nobody)",
    "h(a, b) :- p(c)",
    "h(b, Y) :- p(Y)",
    "h(X, Y) :- p(X)",
]
OTHER = [
    "h(X, Y) :- e(Y, Z)",
    "h(X, Y) :- f(X, Z)",
    "g(X) :- e(X, Y)",
    "g(X) :- p(X)",
    "g(a) :- p(b)",
    "h(X, Y) ; g(X) :- p(X), p(Y)",
]
CONSTRAINTS = [":- h(X, Y), p(X).", ":- h(X, Y), h(Y, X).", "#demoted :- f(X, Y), h(Y, a).", ":- h(b, X), g(X)."]
ADDED = [Aggregate.NOISY_OR, Aggregate.FADING]


def draw(seed: int, constraints: bool = True) -> tuple[Theory, Database, Facts]:
    """Some of the rules, many of them as often right, and facts about six constants; now and then linked ones count."""
    chance = Random(seed)
    rules = [f"0.{chance.choice([5, 7, 7, 8, 9])} :: {rule}." for rule in chance.sample(RULES + OTHER, 12)]
    text = " ".join([*rules, "h(X, Y) :- s(X, Y).", *(chance.sample(CONSTRAINTS, seed % 3) if constraints else ())])
    facts = [f"{chance.choice('eeffsgh')}({chance.choice(NAMES)}, {chance.choice(NAMES)})" for _ in range(16)]
    facts = [fact if not fact.startswith("g") else f"g({fact[2]})" for fact in facts]
    facts += [f"p({chance.choice(NAMES)})" for _ in range(3)] + [f"t({chance.choice(NAMES)}, a, b)", "q(f)"]
    theory = parse_theory(text)
    if constraints and seed % 5 == 4:
        theory = replace(theory, unlinked=HeldOut(0, 0, 7))
    known = frozenset(map(parse_atom, facts))
    return theory, Database.of(known, constants=list(NAMES)), known


@cache
def instances(clause: Clause, known: Facts) -> frozenset[Clause]:
    """The ground rules whose body holds."""
    chosen = permutations(map(Constant, NAMES), len(clause.variables))
    made = (clause.substitute(dict(zip(clause.variables, some, strict=True))) for some in chosen)
    return frozenset(ground for ground in made if known.issuperset(ground.body))


@cache
def heads(clause: Clause, known: Facts) -> frozenset[Atom]:
    """What a rule concludes."""
    return frozenset(made.head[0] for made in instances(clause, known))


def is_refuted(atom: Atom, theory: Theory, known: Facts) -> bool:
    """Does a constraint or a link between its constants speak against an atom?"""
    if theory.unlinked.cases and atom.predicate.arity == 2:
        pair = {term.name for term in atom.arguments}
        if any({term.name for term in fact.arguments} == pair for fact in known if fact.predicate.arity == 2):
            return True
    constraints = [rule.clause.body for rule in (*theory.hard, *theory.demoted) if not rule.clause.head]
    return any(
        atom in heads(Clause((body[place],), body[:place] + body[place + 1 :]), known)
        for body in constraints
        for place in range(len(body))
    )


def lists(theory: Theory, known: Facts, given: dict[int, str]) -> dict[Atom, list[RankingRule]]:
    """The atoms that rules conclude with these constants, each with its rules, best first.

    A rule that leaves a place open at which no constant is given concludes nothing.
    """
    found: dict[Atom, list[RankingRule]] = defaultdict(list)
    for rule in ranking_rules(theory)[H]:
        body = {term for atom in rule.clause.body for term in atom.arguments}
        head = rule.clause.head[0].arguments
        if all(isinstance(head[place], Constant) or head[place] in body for place in range(2) if place not in given):
            for atom in heads(rule.clause, known):
                if all(atom.arguments[place].name == name for place, name in given.items()):
                    found[atom].append(rule)
    return {atom: rules for atom, rules in found.items() if not is_refuted(atom, theory, known)}


def score(rules: list[RankingRule], aggregate: Aggregate) -> float:
    fade = 1.0 if aggregate is Aggregate.NOISY_OR else 0.8
    return sum(-log1p(-min(rule.confidence, 1 - 1e-9)) * fade**place for place, rule in enumerate(rules))


def test_rules_are_listed_best_first_by_counts_or_by_weight() -> None:
    theory = parse_theory("""
        h(X, Y) :- s(X, Y).
        0.6 :: h(X, Y) :- f(X, Y).
        0.6 :: h(X, Y) :- e(X, Y).
        0.6 :: h(X, Y) :- e(Y, X).
        0.9 :: g(X) ; h(X, X) :- p(X).
        0.8 :: g(X) :- p(X).
        :- h(X, X).
        #rank true 30, false 5, nontrivial 5 :: h(A, B) :- e(B, A).
        #rank true 50, false 5, nontrivial 5 :: g(A) :- q(A).
    """)
    assert {str(predicate): [str(rule) for rule in rules] for predicate, rules in ranking_rules(theory).items()} == {
        "g/1": ["0.833  g(A) :- q(A).", "0.800  g(X) :- p(X)."],
        "h/2": [
            "1.000  h(X, Y) :- s(X, Y).",
            "0.750  h(A, B) :- e(B, A).",
            "0.600  h(X, Y) :- e(X, Y).",
            "0.600  h(X, Y) :- f(X, Y).",
        ],
    }


@pytest.mark.parametrize("seed", range(budget(60, least=20)))
def test_atoms_are_in_the_order_of_their_lists(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    theory, database, known = draw(seed)
    if seed % 2:  # lists that do not fit into one number
        monkeypatch.setattr(ranking, "_LARGEST_CODE", 6**2 * 20)
    for named in ({}, {0: "a"}, {1: "c"}, {0: "b", 1: "e"}):
        found = lists(theory, known, named)
        given = {place: NAMES.index(name) for place, name in named.items()}
        asked = [place for place in range(2) if place not in named]
        for aggregate in Aggregate:
            ranked = Ranking(theory, database, aggregate).ranked(H, given)
            rows = ["".join(NAMES[number] for number in row) for row in ranked.rows.T.tolist()]
            if aggregate is Aggregate.MAXIMUM:
                keys = {atom: (*(-rule.confidence for rule in rules), inf) for atom, rules in found.items()}
                best = {atom: rules[0].confidence for atom, rules in found.items()}
            else:
                keys = {atom: (-round(score(rules, aggregate), 9),) for atom, rules in found.items()}
                best = {atom: -np.expm1(-score(rules, aggregate)) for atom, rules in found.items()}
            places = {key: place for place, key in enumerate(sorted(set(keys.values())))}
            wanted = sorted(found, key=lambda atom: (keys[atom], atom))
            assert len(ranked) == len(wanted)
            assert rows == ["".join(atom.arguments[place].name for place in asked) for atom in wanted]
            assert ranked.codes.tolist() == [places[keys[atom]] for atom in wanted]
            assert ranked.best.tolist() == pytest.approx([best[atom] for atom in wanted])


def test_lists_of_a_hundred_rules_are_compared_to_the_last() -> None:
    """Each rule is a digit, and they do not fit into one number."""
    rules = [f"0.{900 - number} :: h(X, Y) :- b{number}(X, Y)." for number in range(100)]
    theory = parse_theory(" ".join(rules))
    for seed in range(4):
        chance = Random(seed)
        pairs = list(permutations(NAMES[:4], 2))
        facts = [f"b{number}({one}, {other})" for number in range(99) for one, other in pairs if number % 9 == 0]
        said = {pair: [number for number in range(90, 100) if chance.random() < 0.4] for pair in pairs}
        facts += [f"b{number}({one}, {other})" for (one, other), numbers in said.items() for number in numbers]
        ranked = Ranking(theory, Database.of({*map(parse_atom, facts)}, constants=list(NAMES))).ranked(H)
        lists = {pair: (*sorted({*range(0, 99, 9), *numbers}), inf) for pair, numbers in said.items()}
        assert [(NAMES[one], NAMES[other]) for one, other in ranked.rows.T.tolist()] == sorted(
            pairs, key=lambda pair: (lists[pair], pair)
        )
        assert len({*ranked.codes.tolist()}) == len({*lists.values()})


E = Predicate("e", 2)


@pytest.mark.parametrize(
    ("head", "body", "link"),
    [
        ((0, -1), [(E, (0, -2))], (0, 0, E, 0, 1)),
        ((-3, 1), [(E, (-1, 1))], (1, 2, E, 1, 0)),
        ((0, -1), [(E, (0, 1))], None),
        ((0, -1), [(E, (1, -2))], None),
        ((0, 1), [(E, (0, -2))], None),
        ((-1, -1), [(E, (0, -2))], None),
        ((-1, -1), [(E, (-1, -2))], None),
        ((0,), [(E, (0, -2))], None),
        ((0, -1, -1), [(E, (0, -2))], None),
        ((0, -1), [(E, (0, -2)), (E, (0, -3))], None),
        ((0, -1), [], None),
        ((0, -1), [(Predicate("p", 1), (0,))], None),
        ((0, -1), [(Predicate("t", 3), (0, -1, -2))], None),
    ],
)
def test_rules_from_a_link_to_a_link(head: tuple[int, ...], body: Any, link: object) -> None:
    assert CodedRule(head, body, frozenset()).link == link


def test_nobody_says_how_rules_are_taken_together_but_the_theory_or_who_asks() -> None:
    theory, database, _ = draw(0)
    assert Ranking(theory, database).aggregate is Aggregate.MAXIMUM
    fading = replace(theory, aggregate=Aggregate.FADING)
    assert Ranking(fading, database).aggregate is Aggregate.FADING
    assert Ranking(fading, database, Aggregate.NOISY_OR).aggregate is Aggregate.NOISY_OR


def test_what_does_not_fit_into_one_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    theory, database, _ = draw(1)
    rules = len(ranking_rules(theory)[H])
    for aggregate, number in ((Aggregate.MAXIMUM, 6**2), (Aggregate.FADING, 6**2 * rules)):
        asked = Ranking(theory, database, aggregate)
        monkeypatch.setattr(ranking, "_LARGEST_CODE", number + 1)
        asked.ranked(H)
        monkeypatch.setattr(ranking, "_LARGEST_CODE", number)
        with pytest.raises(QueryError, match="h/2 has too many arguments to rank its atoms"):
            asked.ranked(H)
        asked.ranked(H, {0: 1})


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_answers_about_many_constants_at_once_are_those_about_each(seed: int) -> None:
    theory, database, known = draw(seed)
    anchors = np.array(Random(seed).sample(range(6), 3), dtype=np.int32)
    for aggregate in ADDED:
        for place in range(2):
            origin, answers, scores = Ranking(theory, database, aggregate).together(H, place, anchors)
            found = {
                (number, int(answer)): said
                for number, answer, said in zip(origin.tolist(), answers, scores.tolist(), strict=True)
            }
            wanted = {
                (number, NAMES.index(atom.arguments[1 - place].name)): score(rules, aggregate)
                for number, anchor in enumerate(anchors)
                for atom, rules in lists(theory, known, {place: NAMES[anchor]}).items()
            }
            assert found == pytest.approx(wanted) and len(origin) == len(found)


def may_fire(clause: Clause, place: int, known: Facts, anchors: list[str]) -> bool:
    """By its head's constant, or by a fact with one that its body names; any other rule may."""
    term = clause.head[0].arguments[place]
    if any(isinstance(each, Constant) and each.name not in NAMES for a in clause.atoms for each in a.arguments):
        return True  # it is not looked at
    if not isinstance(term, Variable):
        return term.name in anchors
    if len(clause.body) == 1 and clause.body[0].predicate.arity == 2 and term in clause.body[0].arguments:
        other = clause.body[0].arguments[1 - clause.body[0].arguments.index(term)]
        if isinstance(other, Constant):
            return any(clause.body[0].substitute({term: Constant(name)}) in known for name in anchors)
    return True


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_rules_that_cannot_say_anything_about_some_constants_are_left_out(seed: int) -> None:
    theory, database, known = draw(seed)
    anchors = sorted(Random(seed).sample(NAMES, 2))
    asked = Ranking(theory, database)
    numbers = np.array([NAMES.index(name) for name in anchors], dtype=np.int32)
    rules = ranking_rules(theory)[H]
    for place in range(2):
        groups = list(asked.groups(H, place, numbers))
        kept = [rule for rule in rules if may_fire(rule.clause, place, known, anchors)]
        assert [rule for group in groups for rule in group.rules] == kept
        assert [group.confidence for group in groups] == sorted({rule.confidence for rule in kept}, reverse=True)
    assert [rule for group in asked.groups(H) for rule in group.rules] == list(rules)


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_what_each_rule_concludes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "AT_ONCE", 1 + seed % 4)
    theory, database, known = draw(seed, constraints=False)
    asked, rules = Ranking(theory, database), ranking_rules(theory)[H]
    wanted = {
        (atom.arguments[0].name, atom.arguments[1].name, rules.index(rule))
        for name in NAMES
        for atom, some in lists(theory, known, {0: name}).items()
        for rule in some
    }
    parts = [
        (NAMES[one], NAMES[other], number)
        for part in asked.pairs(H)
        for one, other, number in zip(*(column.tolist() for column in part), strict=True)
    ]
    assert sorted(parts) == sorted(wanted)
    pairs = sorted(Random(seed).sample([(one, other) for one in NAMES for other in NAMES], 15))
    both = np.array([[NAMES.index(name) for name in pair] for pair in pairs], dtype=np.int32).T
    atoms = [Atom.ground("h", pair) for pair in pairs]
    assert asked.given(H, both).tolist() == [sum(atom in heads(rule.clause, known) for atom in atoms) for rule in rules]
    for atom, row in zip(atoms, both.T.tolist(), strict=True):
        assert list(asked.reasons(H, row)) == [rule for rule in rules if atom in heads(rule.clause, known)]


@pytest.mark.parametrize("seed", range(budget(40, least=12)))
def test_answers_are_what_is_ranked_and_neither_given_nor_denied(seed: int) -> None:
    theory, database, known = draw(seed)
    denied = [Atom.ground("h", [chance, "c"]) for chance in Random(seed).sample(NAMES, 2)]
    everything = rank_everything(theory, Evidence(database, tuple(denied)))
    unlinked = replace(theory, unlinked=HeldOut())
    found, more = (
        {atom: rules for atom, rules in lists(each, known, {}).items() if atom not in (*known, *denied)}
        for each in (theory, unlinked)
    )
    pairs = [answer for answer in everything if answer.atom.predicate == H]
    assert {answer.atom for answer in pairs} == {*found} and len(pairs) == len(found)
    assert everything.linked == len(more) - len(found)
    assert everything.number == len(everything)
    best = [(found.get(one.atom) or [one.reasons[0].rule])[0].confidence for one in everything]
    assert best == sorted(best, reverse=True)
    before: tuple[object, int] = None, 0
    for number, answer in enumerate(everything, start=1):
        ranked = ranking_rules(theory)[answer.atom.predicate]
        rules = [rule for rule in ranked if answer.atom in heads(rule.clause, known)]
        assert ([reason.rule for reason in answer.reasons], answer.rules) == (rules[:3], len(rules))
        same = answer.atom.predicate, [rule.confidence for rule in found.get(answer.atom, rules)]
        assert answer.place == (before[1] if before[0] == same else number)
        before = same, answer.place
        for reason in answer.reasons:
            assert Clause((answer.atom,), reason.because) in instances(reason.rule.clause, known)
    few = ask(theory, "h(a, ?)", database, limit=2)
    about = {atom for atom in lists(theory, known, {0: "a"}) if atom not in known}
    assert {answer.atom for answer in few} <= about
    assert (few.number, len(few)) == (len(about), min(len(about), 2))


@pytest.mark.parametrize(("wrong", "said"), [({"aggregate": "sum"}, "no aggregate 'sum'"), ({"limit": -1}, "limit")])
def test_what_cannot_be_asked_is_told(wrong: dict[str, Any], said: str) -> None:
    theory, database, _ = draw(0)
    with pytest.raises(PossilogError, match=said):
        ask(theory, "h(a, ?)", database, **wrong)
    for limit in (None, 0, 1):
        for aggregate in (None, "noisy-or", Aggregate.MAXIMUM):
            found = ask(theory, "h(a, ?)", database, limit, aggregate)
            assert len(found) == (found.number if limit is None else limit) and found.number > 1

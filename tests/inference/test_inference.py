"""Inference against its definitions, on small random theories of any shape (docs/inference.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from budget import budget
from possible_worlds import Case, Worlds, by_definition, draw_case
from possible_worlds import Fragments as FragmentsByDefinition
from possible_worlds import Local as LocalByDefinition
from possilog.choices import Inference, Joint, OnConflict
from possilog.data import Database, Evidence
from possilog.errors import ArityError, DataError, QueryError, TheoryError
from possilog.inference import Fragments, Global, Local, Prediction, Reasoner, horn, predict
from possilog.inference.horn import HornTheory
from possilog.inference.kinds import How, how_asked
from possilog.inference.prediction import Engine
from possilog.inference.sat_cut import SatTheory
from possilog.inference.taken import Given
from possilog.learning.steps import Steps
from possilog.logic import Atom, Clause, Constant, Literal, Rule, Theory, Weight, parse_atom, parse_theory

CASES = budget(1_000)
FEWER = budget(1_000)


def added(prediction: Prediction) -> dict[Atom, Weight]:
    return {conclusion.atom: conclusion.certainty for conclusion in prediction.added}


def excluded(prediction: Prediction) -> dict[Atom, Weight]:
    return {conclusion.atom: conclusion.certainty for conclusion in prediction.excluded}


def set_aside(prediction: Prediction) -> set[frozenset[Atom]]:
    return {frozenset(c.broken.body) for c in prediction.conflicts if c.weight.is_certain}


def test_the_global_cut_is_what_all_worlds_say_and_chaining_agrees_with_sat() -> None:
    seen: Counter[str] = Counter()
    for seed in range(CASES):
        case = draw_case(seed)
        for repair in (False, True):
            negatives = seed % 20 == 0
            expected = by_definition(case, repair)
            ways: list[Engine] = [SatTheory(case.theory)]
            if case.is_horn:
                ways.append(HornTheory(case.theory))
            for way in ways:
                found = way.cut(case.evidence, Global(repair, negatives))
                assert (found.consistent, found.strata_kept) == (expected.consistent, expected.kept), seed
                assert added(found) == expected.added, seed
                assert found.cut == case.weights[expected.kept], seed
                if repair:
                    assert set_aside(found) == {frozenset(clause.body) for clause in expected.aside}, seed
                if negatives and (repair or expected.consistent):
                    known = {a: w for a, w in expected.excluded.items() if a.predicate in case.theory.predicates}
                    assert excluded(found) == known, seed
            seen["Horn"] += case.is_horn
            seen["inconsistent"] += not expected.consistent
            seen["drowned"] += expected.consistent and expected.kept < len(case.soft)
            seen["added"] += bool(expected.added)
            seen["set aside because of alternatives"] += not case.is_horn and bool(expected.aside)
    assert all(seen[what] > CASES / 20 for what in ("Horn", "inconsistent", "drowned", "added")), seen
    assert seen["set aside because of alternatives"] > CASES / 100, seen


def test_a_conflict_that_sat_names_is_a_minimal_one() -> None:
    conflicts = 0
    for seed in range(FEWER):
        case = draw_case(seed, horn=False)
        worlds = Worlds(case.atoms)
        given = worlds.having(case.facts)
        for conflict in SatTheory(case.theory).cut(case.evidence).conflicts:
            if conflict.core:
                conflicts += 1
                assert conflict.broken.clause in conflict.core, seed
                assert not worlds.models(conflict.core, given), seed
                for clause in conflict.core:
                    assert worlds.models([other for other in conflict.core if other != clause], given), seed
    assert conflicts > FEWER / 20


def horn_cases(count: int) -> Iterator[tuple[int, Case]]:
    for seed in range(count):
        yield seed, draw_case(seed, horn=True, crowded=seed % 3 > 0)


@pytest.mark.parametrize(("patience", "cases"), [(horn.PATIENCE, 2_000), (2, 500)])
def test_local_inference_is_its_definition(patience: int, cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horn, "PATIENCE", patience)  # without it, a stage with a conflict is gone through again
    seen: Counter[str] = Counter()
    for seed, case in horn_cases(budget(cases)):
        reasoner = Reasoner(case.theory)
        answers = []
        for joint in Joint:
            expected = LocalByDefinition(case, joint)
            found = reasoner.predict(case.evidence, Local(joint=joint))
            assert added(found) == expected.added, (seed, joint)
            assert set_aside(found) == {frozenset(clause.body) for clause in expected.aside}, (seed, joint)
            answers.append(expected.added)
            seen["barred"] += any(conflict.barred for conflict in found.conflicts)
        seen["fewest keeps more"] += answers[0] != answers[1]
        whole = reasoner.predict(case.evidence, Global(repair=True))
        assert answers[0].items() >= added(whole).items(), seed
        if whole.strata_kept == len(case.soft):
            assert answers[0] == added(whole), seed
            seen["no conflict"] += 1
        elif len(answers[0]) > len(whole.added):
            seen["more than the cut"] += 1
    least = budget(cases) // 300  # a few cases need not show everything
    assert all(seen[what] >= least for what in ("barred", "fewest keeps more", "no conflict", "more than the cut")), (
        seen
    )


def in_order(theory: Theory, strata: Sequence[int]) -> Theory:
    """The hard rules, and some strata of a theory in another order."""
    chosen = [theory.strata[number].rules for number in strata]
    doubts = [Weight.of_doubt(f"{place}e-3") for place in range(1, len(chosen) + 1)]
    soft = [Rule(rule.clause, doubt) for rules, doubt in zip(chosen, doubts, strict=True) for rule in rules]
    return Theory((*theory.hard, *soft))


def test_taking_strata_and_letting_them_go_is_as_starting_anew() -> None:
    seen: Counter[str] = Counter()
    for seed, case in horn_cases(FEWER):
        random = Random(seed)
        truth = frozenset(random.sample(case.atoms, len(case.atoms) // 2))
        theory = HornTheory(case.theory)
        # The constants of rules that are not taken are in the domain all the same.
        evidence = Evidence(case.evidence.facts.declare(theory.program.constants), case.evidence.denied)
        unknown = frozenset(random.sample(case.atoms, len(case.atoms) // 4)) - truth
        steps = Steps(theory, evidence, truth, unknown)
        numbers = range(len(case.theory.strata))
        for _ in range(6):
            strata = random.sample(numbers, random.randint(0, len(numbers)))
            found = {added.atom for added in HornTheory(in_order(case.theory, strata)).local(evidence).added}
            right, wrong = len(found & truth), len(found - truth - unknown)
            assert steps.gain(strata) == right - wrong, (seed, strata)
            told = [one for stage in steps.conclusions(strata) for one in stage]
            assert sorted(told) == sorted((atom, atom in truth) for atom in found - unknown), (seed, strata)
            seen["right"] += right > 0
            seen["unknown"] += bool(found & unknown)
            seen["other order"] += strata != sorted(strata)
    assert min(seen["right"], seen["other order"], seen["unknown"]) > FEWER / 10, seen


def renamed(case: Case, random: Random) -> tuple[Case, dict[Constant, Constant]]:
    """The same question with the constants' names, and so the facts' order, and the rules' order mixed up."""
    names = [Constant(name) for name in "abcd"]
    new = dict(zip(names, random.sample(names, len(names)), strict=True))

    def atom(old: Atom) -> Atom:
        return Atom(old.predicate, tuple(new.get(t, t) if isinstance(t, Constant) else t for t in old.arguments))

    def clause(old: Clause) -> Clause:
        body = random.sample(old.body, len(old.body))
        return Clause(tuple(map(atom, old.head)), tuple(map(atom, body)))

    rules = [Rule(clause(rule.clause), rule.weight) for rule in random.sample(case.theory.rules, len(case.theory))]
    literals = [Literal(atom(literal.atom), literal.positive) for literal in case.evidence.literals]
    constants = [new[Constant(name)].name for name in case.evidence.facts.constants]
    return Case(Theory(tuple(rules)), Evidence.of(literals, constants)), new


def test_the_order_of_rules_and_facts_does_not_matter() -> None:
    for seed in range(budget(200)):
        case = draw_case(seed, crowded=seed % 2 > 0)
        other, names = renamed(case, Random(seed))
        ways: list[How] = [Local(joint=joint) for joint in Joint]
        ways += [Global(repair=True), Fragments(width=2), Fragments(votes=0.4)]
        for how in ways:
            one = Reasoner(case.theory).predict(case.evidence, how)
            two = Reasoner(other.theory).predict(other.evidence, how)
            moved = {
                Atom(atom.predicate, tuple(names[Constant(term.name)] for term in atom.arguments)): weight
                for atom, weight in added(one).items()
            }
            assert moved == added(two), (seed, how)
            assert (one.strata_kept, one.consistent, one.cut) == (two.strata_kept, two.consistent, two.cut), seed


def test_fragments_and_votes_are_their_definition() -> None:
    outvoted = 0
    for seed in range(FEWER // 2):
        case = draw_case(seed, crowded=seed % 2 > 0)
        reasoner = Reasoner(case.theory)
        for width in (1, 2, 3):
            expected = FragmentsByDefinition(case, width)
            for votes in (None, 0.3, 0.7):
                found = reasoner.predict(case.evidence, Fragments(width, votes))
                assert added(found) == expected.predicted(votes), (seed, width, votes)
                outvoted += len(found.added) < len(expected.speaks)
    assert outvoted > FEWER / 100


# What a prediction says about itself

BIRDS = """
:- bird(X), bat(X).
0.9 :: nests(X) :- bird(X).
0.6 :: bird(X) :- flies(X).
"""


def facts(*texts: str) -> list[Atom]:
    return [parse_atom(text) for text in texts]


def test_a_prediction_answers_about_single_atoms() -> None:
    prediction = predict(parse_theory(BIRDS), facts("flies(tweety)", "bird(carl)", "flies(bruce)", "bat(bruce)"))
    answers = {"nests(carl)": "0.9", "bird(tweety)": "0.6", "bat(bruce)": "1", "bird(bruce)": None, "huge(carl)": None}
    for text, certainty in answers.items():
        atom = parse_atom(text)
        assert prediction.certainty(atom) == (None if certainty is None else Weight.of(certainty))
        assert (atom in prediction) == (certainty is not None)
    assert parse_atom("bird(nobody)") not in prediction and "bird(carl)" in prediction
    assert [conclusion.certainty for conclusion in prediction.added] == [Weight.of("0.9")] + [Weight.of("0.6")] * 2
    assert prediction.added[0].atom == parse_atom("nests(carl)") and len(prediction.added[1:]) == 2
    assert prediction.added == tuple(prediction.added) and prediction.added != prediction.added[1:]
    assert [conclusion.given for conclusion in prediction] == [True] * 4 + [False] * 3
    assert repr(prediction.added) == "<0.9 :: nests(carl)., 0.6 :: bird(tweety)., 0.6 :: nests(tweety).>"


def test_conclusions_are_facts_too() -> None:
    for seed in range(budget(300)):
        case = draw_case(seed)
        for kind in ("local", "global"):
            found = Reasoner(case.theory).predict(case.evidence, kind).added
            assert list(found.database()) == sorted(conclusion.atom for conclusion in found), seed


def test_evidence_comes_in_several_forms_and_may_deny() -> None:
    theory = parse_theory(BIRDS)
    given = facts("flies(tweety)", "flies(carl)")
    denied = Literal(parse_atom("bird(carl)"), False)
    forms: list[Given] = [Evidence.of([*given, denied]), [*given, denied], Evidence(Database.of(given), (denied.atom,))]
    for evidence in forms:
        assert set(added(predict(theory, evidence))) == set(facts("bird(tweety)", "nests(tweety)"))
    assert set(added(predict(theory, Database.of(given)))) > set(added(predict(theory, forms[0])))
    contradictory = Evidence.of([*given, Literal(given[0], False)])
    assert contradictory.contradictory == (given[0],)
    for kind in ("local", "global", "fragment"):
        assert not Reasoner(theory).predict(contradictory, kind).consistent
    with pytest.raises(DataError, match="ground"):
        Evidence(Database.of(given), (theory.rules[1].clause.body[0],))


def test_the_domain_is_evidence_theory_and_what_is_declared() -> None:
    theory = parse_theory("here(X). 0.5 :: liked(X, anna) :- here(X).")
    assert set(added(predict(theory, Evidence.of([], ["bob"])))) == set(
        facts("here(anna)", "here(bob)", "liked(bob, anna)", "liked(anna, anna)")
    )


def test_what_cannot_be_asked() -> None:
    reasoner = Reasoner(parse_theory(BIRDS))
    with pytest.raises(QueryError, match="inference is 'nearby', and it can be one of: global, fragment, local"):
        reasoner.predict([], "nearby")
    values: list[tuple[type[How], dict[str, Any], str]] = [
        (Local, {"joint": "all"}, "joint is 'all', and it can be one of: bar, fewest"),
        (Fragments, {"width": 0}, "at least one constant"),
        (Fragments, {"votes": 1.5}, "a share between 0 and 1"),
    ]
    for kind, options, said in values:
        with pytest.raises(QueryError, match=said):
            kind(**options)
    for rules in ("0.5 :: p(X, Y, Z) :- q(X, Y, Z).", "0.5 :: p(X, Y, Z) ; q(X, Y, Z) :- r(X)."):
        with pytest.raises(QueryError, match="atoms over 300 constants"):
            Reasoner(parse_theory(rules)).predict(Evidence.of([], map(str, range(300))), Global(negatives=True))
    with pytest.raises(TheoryError, match="weigh"):
        Reasoner(parse_theory("? :: bird(X) :- flies(X)."))
    with pytest.raises(ArityError, match="bird has 2 arguments in one rule and 1 in another"):
        Reasoner(parse_theory("0.5 :: bird(X) :- bird(X, Y)."))
    with pytest.raises(ArityError, match="bird has 2 arguments in the evidence and 1 in the theory"):
        reasoner.predict(facts("bird(carl, red)"))


@pytest.mark.parametrize(
    ("inference", "options", "how"),
    [
        (Inference.LOCAL, {}, Local()),
        (Inference.LOCAL, {"on_conflict": OnConflict.REPORT, "joint": Joint.FEWEST}, Local(False, "fewest")),
        (Inference.GLOBAL, {"on_conflict": OnConflict.REPAIR, "negatives": True}, Global(True, True)),
        (Inference.FRAGMENT, {"on_conflict": OnConflict.REPORT, "width": 2, "votes": 0.0}, Fragments(2, 0.0)),
        (Inference.GLOBAL, {"joint": Joint.FEWEST}, "joint is for local inference, and not for global inference"),
        (Inference.LOCAL, {"votes": 0.5}, "votes is for fragment inference, and not for local inference"),
        (Inference.GLOBAL, {"width": 2}, "leave width out"),
        (Inference.FRAGMENT, {"on_conflict": OnConflict.REPAIR}, "on_conflict is for global and local inference"),
        (Inference.LOCAL, {"negatives": True}, "negatives is for global inference"),
    ],
)
def test_options_ask_for_a_kind_of_inference_or_make_no_sense(
    inference: Inference, options: dict[str, Any], how: How | str
) -> None:
    if isinstance(how, str):
        with pytest.raises(QueryError, match=how):
            how_asked(inference, **options)
    else:
        assert how_asked(inference, **options) == how


def test_rules_with_alternatives_play_no_part_in_local_inference_and_are_listed() -> None:
    theory = parse_theory("bird(X) ; bat(X) :- flies(X). 0.9 :: nests(X) :- bird(X).")
    evidence = Evidence.of([*facts("flies(carl)"), Literal(parse_atom("bat(carl)"), False)])
    assert not predict(theory, evidence).added and predict(theory, evidence).unused == (theory.rules[0],)
    whole = predict(theory, evidence, "global")
    assert (whole.method, whole.unused) == ("sat", ())
    assert set(added(whole)) == set(facts("bird(carl)", "nests(carl)"))


def test_grounding_is_lazy() -> None:
    """Over a thousand constants the rules have a billion groundings; only those that matter are made."""
    theory = parse_theory("""
        bird(X) ; bat(X) :- flies(X).
        :- bird(X), bat(X).
        0.9 :: friends(X, Z) :- friends(X, Y), friends(Y, Z), bird(X).
        0.8 :: bird(X) :- flies(X).
    """)
    evidence = Evidence.of(facts("flies(a)", "friends(a, b)", "friends(b, c)"), [f"c{n}" for n in range(1_000)])
    found = predict(theory, evidence, "global")
    assert set(added(found)) == set(facts("bird(a)", "friends(a, c)"))
    assert not predict(theory, evidence, "fragment").conflicts


def test_conclusions_are_equal_if_they_are_the_same_in_order() -> None:
    def added(*facts: str) -> Sequence[object]:
        return Reasoner(parse_theory("0.9 :: q(X) :- p(X). r(X) :- p(X).")).predict(facts).added

    assert added("p(a)") == added("p(a)") and list(added("p(a)")) == added("p(a)")
    assert added("p(a)") != added("p(b)") and added("p(a)") != added("p(a)", "p(b)") and added("p(a)") != []
    assert added("p(a)", "p(b)") != added("p(a)")

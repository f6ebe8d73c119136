"""Why and why not, conflicts and cores: every claim of an answer is checked against all worlds, or all ground rules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest

from budget import budget
from possible_worlds import Case, Worlds, by_definition, closure, draw_case, ground
from possilog.data import Evidence, read
from possilog.errors import ArityError, QueryError
from possilog.inference import (
    Core,
    Explainer,
    Fragments,
    Global,
    How,
    Local,
    Reasoner,
    WhyNot,
    tell,
)
from possilog.inference.proofs import bind
from possilog.logic import Atom, Clause, Constant, Literal, Rule, parse_atom, parse_clause, parse_theory, read_theory
from shared import shared_data

CASES = budget(500)


def is_possible(case: Case, literals: Iterable[Literal], rules: Iterable[Clause]) -> bool:
    """Is there a world with these literals in which these ground rules hold? All worlds are tried."""
    worlds = Worlds(case.atoms)
    signs = [Clause((item.atom,)) if item.positive else Clause((), (item.atom,)) for item in literals]
    return bool(worlds.models([*signs, *rules]))


def is_needed(case: Case, core: Core, more: list[Literal]) -> bool:
    """Is the core possible as soon as any literal or any rule of it is left out?"""
    return all(
        is_possible(case, [item for item in core.literals if item != literal] + more, core.rules)
        for literal in core.literals
    ) and all(
        is_possible(case, [*core.literals, *more], [other for other in core.rules if other != rule])
        for rule in core.rules
    )


def instances(case: Case, rules: Iterable[Rule]) -> set[Clause]:
    """All ground rules, with bodies and heads as sets in order."""
    return {
        Clause(tuple(dict.fromkeys(made.head)), made.body)
        for rule in rules
        for made in ground(rule.clause, case.domain)
    }


def same(clause: Clause) -> tuple[frozenset[Atom], frozenset[Atom]]:
    return frozenset(clause.head), frozenset(clause.body)


# Conflicts


def test_conflicts_are_minimal_and_found_whenever_there_are_any() -> None:
    found = 0
    for seed in range(2 * CASES):
        case = draw_case(seed)
        cores = Reasoner(case.theory).conflicts(case.evidence)
        hard = case.ground(case.theory.hard)
        assert bool(cores) == (not is_possible(case, case.evidence.literals, hard)), seed
        assert len({core.literals for core in cores}) == len(cores)
        known = {same(clause) for clause in hard}
        for core in cores:
            found += 1
            assert set(core.literals) <= set(case.evidence.literals)
            assert not is_possible(case, core.literals, hard), seed
            for literal in core.literals:
                assert is_possible(case, [item for item in core.literals if item != literal], hard), seed
            assert {same(rule) for rule in core.rules} <= known
            assert not is_possible(case, core.literals, core.rules)
            assert is_needed(case, core, [])
    assert found > CASES / 4


def test_every_broken_ground_constraint_has_a_core_within_the_facts_that_break_it() -> None:
    """Of all smallest sets of facts that break a constraint, one is a core, or contains one."""
    looked_at = 0
    for seed in range(CASES):
        case = draw_case(seed, horn=True)
        if len(case.facts) > 7:
            continue
        hard = [clause for clause in case.hard if clause.is_definite]
        closed = {some: closure(some, hard) for some in subsets(case.facts)}
        broken = [clause for clause in case.hard if not clause.head and closed[case.facts].issuperset(clause.body)]
        cores = Reasoner(case.theory).conflicts(case.evidence)
        facts = [{item.atom for item in core.literals if item.positive} for core in cores]
        for clause in broken:
            breaking = [some for some, found in closed.items() if found.issuperset(clause.body)]
            least = [some for some in breaking if not any(other < some for other in breaking)]
            assert any(core <= some for core in facts for some in least), seed
            looked_at += 1
        assert len(cores) <= len(broken)
    assert looked_at > CASES / 10


def subsets(atoms: frozenset[Atom]) -> list[frozenset[Atom]]:
    return [frozenset(some) for size in range(len(atoms) + 1) for some in combinations(sorted(atoms), size)]


def test_conflicts_of_real_evidence() -> None:
    """Three of the authors' hard rules fail on the test set."""
    theory = read_theory(shared_data("uwcse/ijcai17/uwcse.poss"))
    facts = read(shared_data("uwcse/ijcai17/test.db"))
    reasoner = Reasoner(theory)
    cores = reasoner.conflicts(facts)
    assert cores and all(len(core.literals) <= 3 for core in cores)
    for core in cores:
        literals = [literal.atom for literal in core.literals]
        assert not reasoner.predict(literals, "global").consistent
        for atom in literals:
            assert reasoner.predict([other for other in literals if other != atom], "global").consistent


# Why


def test_why_for_rules_of_any_shape_gives_what_entails_and_nothing_more() -> None:
    found = 0
    for seed in range(CASES):
        case = draw_case(seed, horn=False)
        reasoner = Reasoner(case.theory)
        prediction = reasoner.predict(case.evidence, Global(repair=True))
        if prediction.method != "sat":
            continue
        hard = [conflict for conflict in prediction.conflicts if conflict.weight.is_certain]
        aside = {same(Clause((), conflict.broken.body)) for conflict in hard}
        explainer = reasoner.explainer(prediction)
        for conclusion in prediction.added:
            why = explainer.why(conclusion.atom)
            assert why is not None and why.core is not None and why.proof is None
            denied = [Literal(conclusion.atom, False)]
            known = {same(clause) for clause in instances(case, case.theory.cut(conclusion.certainty))}
            assert {same(rule) for rule in why.core.rules} <= known
            assert set(why.core.literals) <= set(case.evidence.literals)
            assert not is_possible(case, [*why.core.literals, *denied], why.core.rules), seed
            assert is_needed(case, why.core, denied), seed
            assert aside.isdisjoint(same(rule) for rule in why.core.rules)
            found += 1
    assert found > CASES / 2


def test_why_says_how_far_down_it_goes_and_what_was_drowned() -> None:
    theory = parse_theory("q(X) :- p(X). 0.9 :: r(X) :- q(X). 0.8 :: s(X) :- r(X). :- s(a). 0.7 :: t(X) :- r(X).")
    reasoner = Reasoner(theory)
    whole = reasoner.why(parse_atom("r(b)"), [parse_atom("p(a)"), parse_atom("p(b)")], "global")
    assert whole is not None and whole.proof is not None
    assert (str(whole.certainty), whole.stratum, whole.proof.steps) == ("0.9", 1, 2)
    assert [str(stratum.weight) for stratum in whole.drowned] == ["0.8", "0.7"]
    assert [str(conflict.broken) for conflict in whole.conflicts] == [":- s(a)."]
    local = reasoner.why(parse_atom("t(b)"), [parse_atom("p(a)"), parse_atom("p(b)")])
    assert local is not None and (local.stratum, local.drowned) == (3, ())
    assert reasoner.why(parse_atom("s(a)"), [parse_atom("p(a)")]) is None
    assert reasoner.why_not(parse_atom("p(a)"), [parse_atom("p(a)")]) is None


def test_demoted_rules_are_no_stratum_that_is_counted() -> None:
    seen = 0
    for seed in range(CASES // 5):
        case = draw_case(seed)
        plain, more = Reasoner(case.theory), Reasoner(parse_theory(f"{case.theory} #demoted :- aside(X), apart(X)."))
        ways: list[How] = [Global(repair=True), Fragments(width=2), *([Local()] if case.is_horn else [])]
        for how in ways:
            one, two = (reasoner.predict(case.evidence, how) for reasoner in (plain, more))
            assert (one.strata_kept, one.consistent) == (two.strata_kept, two.consistent), seed
            for conclusion in one.added:
                first, second = (r.explainer(p).why(conclusion.atom) for r, p in ((plain, one), (more, two)))
                assert first is not None and second is not None
                assert (first.stratum, first.drowned) == (second.stratum, second.drowned), seed
                seen += 1
    assert seen > CASES / 5


def test_what_only_demoted_rules_and_hard_ones_entail_says_so() -> None:
    reasoner = Reasoner(parse_theory("b(X) ; c(X) :- a(X). #demoted :- b(X), d(X). 0.5 :: e(X) :- c(X)."))
    why = reasoner.why("c(x)", ["a(x)", "d(x)"], "global")
    assert why is not None and (why.stratum, why.certainty.is_certain) == (0, False)
    assert "which needs no rules but hard and demoted ones" in str(why)


def test_fragments_give_a_proof_inside_one_of_them() -> None:
    found = 0
    for seed in range(CASES // 2):
        case = draw_case(seed, horn=True)
        reasoner = Reasoner(case.theory)
        prediction = reasoner.predict(case.evidence, Fragments(width=2))
        explainer = reasoner.explainer(prediction)
        for conclusion in prediction.added:
            why = explainer.why(conclusion.atom)
            assert why is not None and why.proof is not None, seed
            assert why.certainty >= conclusion.certainty
            assert len(why.fragment) <= 2
            rules = (term for rule in case.theory for atom in rule.clause.atoms for term in atom.arguments)
            inside = {*why.fragment, *(term.name for term in rules)}
            assert all(inside.issuperset(t.name for t in part.atom.arguments) for part in why.proof.parts)
            found += 1
        for atom in set(case.atoms) - case.facts:
            if atom not in prediction:
                assert explainer.why_not(atom) is not None
    assert found > CASES / 10


# Why not


def fewest_missing(case: Case, clause: Clause, atom: Atom, stands: set[Atom]) -> int | None:
    """Of all ground rules with this head, the fewest conditions that do not hold."""
    bindings = bind(clause.head[0], atom) if clause.head[0].predicate == atom.predicate else None
    found = [made for made in ground(clause, case.domain) if made.head[0] == atom]
    assert bindings is not None or not found
    return min((len(set(made.body) - stands) for made in found), default=None)


@pytest.mark.parametrize("how", [Global(repair=True), Local()])
@pytest.mark.slow
def test_why_not_holds_good(how: How) -> None:
    seen = {"forbidden": 0, "nearest": 0, "argument": 0}
    fates = set()
    for seed in range(4 * CASES):  # fewer do not show every fate
        case = draw_case(seed, horn=True)
        reasoner = Reasoner(case.theory)
        prediction = reasoner.predict(case.evidence, how)
        explainer = reasoner.explainer(prediction)
        stands = {conclusion.atom for conclusion in prediction}
        definite = [clause for rule in case.theory if rule.clause.is_definite for clause in case.ground([rule])]
        unopposed = closure(case.facts, definite)
        some = Random(seed).sample(case.atoms, min(4, len(case.atoms)))
        for atom in sorted({*some, *(unopposed - stands)}):
            answer = explainer.why_not(atom)
            assert (answer is None) == (atom in stands)
            if answer is None:
                continue
            assert answer.denied == (atom in case.evidence.denied)
            assert (answer.argument is not None) == (atom in unopposed), seed
            if answer.forbidden is not None:
                seen["forbidden"] += 1
                check_forbidden(case, explainer, atom, answer.forbidden, stands)
            if answer.argument is not None:
                seen["argument"] += 1
                step = answer.argument.step
                assert step.atom not in stands
                assert stands.issuperset(premise.atom for premise in step.premises)
                fates.add(answer.argument.fate)
                check_fate(answer, seed)
            seen["nearest"] += bool(answer.nearest)
            check_nearest(case, answer, stands, seed)
    assert min(seen.values()) > CASES / 10, seen
    assert fates >= ({"drowned"} if isinstance(how, Global) else {"refuted", "barred"})


def check_forbidden(case: Case, explainer: Explainer, atom: Atom, core: Core, stands: set[Atom]) -> None:
    """Does what stands, with rules that are in force, exclude the atom, and is all of it needed?"""
    assert {item.atom for item in core.literals if item.positive} <= stands
    assert {item.atom for item in core.literals if not item.positive} <= set(case.evidence.denied)
    assert {same(rule) for rule in core.rules} <= {same(clause) for clause in instances(case, case.theory.rules)}
    assert not is_possible(case, [*core.literals, Literal(atom)], core.rules)
    assert is_possible(case, core.literals, core.rules)


def check_fate(answer: WhyNot, seed: int) -> None:
    argument = answer.argument
    assert argument is not None
    if isinstance(answer.how, Global):
        assert argument.fate == "drowned" and argument.conflicts, seed
    else:
        assert argument.fate in ("refuted", "barred"), seed
        assert argument.core is not None or argument.conflicts


def has_constants(rule: Rule) -> bool:
    return any(isinstance(term, Constant) for atom in rule.clause.atoms for term in atom.arguments)


def check_nearest(case: Case, answer: WhyNot, stands: set[Atom], seed: int) -> None:
    missing = {}
    for rule in case.theory:
        if rule.clause.is_definite:
            fewest = fewest_missing(case, rule.clause, answer.atom, stands)
            if fewest is not None:
                missing[rule] = fewest
    for near in answer.nearest:
        assert set(near.met) <= stands
        assert not stands & set(near.missing)
        # Where the domain is too small for a rule's variables, it has no ground rules. Where a rule names constants,
        # two of its conditions may be one.
        if near.rule in missing and not has_constants(near.rule):
            assert len(near.missing) == missing[near.rule], seed
    if missing and answer.argument is None and not any(map(has_constants, missing)):
        assert len(answer.nearest[0].missing) <= min(missing.values())
    assert answer.concluded == any(
        head.predicate == answer.atom.predicate for rule in case.theory for head in rule.clause.head
    )


def test_what_the_cut_excludes_is_forbidden_and_nothing_else() -> None:
    found = 0
    for seed in range(CASES // 2):
        case = draw_case(seed)
        truth = by_definition(case, repair=False)
        if not truth.consistent:
            continue
        reasoner = Reasoner(case.theory)
        explainer = reasoner.explainer(reasoner.predict(case.evidence, "global"))
        for atom in case.atoms:
            answer = explainer.why_not(atom)
            if answer is not None and not answer.denied:
                assert (answer.forbidden is not None) == (atom in truth.excluded), (seed, str(atom))
                found += answer.forbidden is not None
    assert found > CASES / 10


def test_when_the_evidence_stops_inference_that_is_the_answer() -> None:
    reasoner = Reasoner(parse_theory("q(X) :- p(X). :- p(X), r(X)."))
    answer = reasoner.why_not(parse_atom("q(a)"), [parse_atom(text) for text in ("p(a)", "r(a)", "p(b)")], "global")
    assert answer is not None and answer.argument is not None
    assert answer.argument.fate == "stopped"
    assert [str(literal) for core in answer.contradictions for literal in core.literals] == ["p(a)", "r(a)"]


@pytest.mark.parametrize("how", [Global(), Local(repair=False), Fragments()])
def test_what_contradicts_itself_speaks_against_no_other_atom(how: How) -> None:
    reasoner = Reasoner(parse_theory("q(X) :- p(X). :- q(X), r(X). 0.5 :: s(X) :- q(X)."))
    facts = [parse_atom(text) for text in ("p(a)", "r(a)", "q(b)")]
    answer = reasoner.explainer(reasoner.predict(facts, how)).why_not(parse_atom("s(c)"))
    assert answer is not None and answer.forbidden is None


def test_when_inference_stopped_without_an_argument_that_is_said_too() -> None:
    reasoner = Reasoner(parse_theory("p(X) ; q(X) :- r(X). :- p(X). :- q(X)."))
    answer = reasoner.why_not(parse_atom("q(a)"), [parse_atom("r(a)")], "global")
    assert answer is not None and answer.argument is None
    assert [str(literal) for core in answer.contradictions for literal in core.literals] == ["r(a)"]
    assert "Nothing is concluded, because the evidence contradicts the hard rules." in tell(answer)


def test_a_rule_that_fits_in_two_ways_is_near_once() -> None:
    reasoner = Reasoner(parse_theory("0.5 :: knows(X, Y) ; knows(Y, X)."))
    facts = Evidence.of([], ["a", "b"])
    answer = reasoner.why_not(parse_atom("knows(a, b)"), facts, "global")
    assert answer is not None and len(answer.nearest) == 1


def test_a_very_long_body_is_not_tried_in_every_way() -> None:
    body = ", ".join(f"p{number}(X)" for number in range(60))
    answer = Reasoner(parse_theory(f"0.5 :: q(X) :- {body}.")).why_not("q(a)", ["p0(a)"])
    assert answer is not None and len(answer.nearest[0].missing) == 60


def test_a_name_has_one_arity_in_the_question_too() -> None:
    reasoner = Reasoner(parse_theory("0.5 :: p(X) :- q(X)."))
    with pytest.raises(ArityError, match="p has 2 arguments in the question and 1 in theory and evidence"):
        reasoner.why_not(parse_atom("p(a, b)"), [parse_atom("q(a)")])


def test_alternatives_are_named_where_rules_have_several_heads() -> None:
    reasoner = Reasoner(parse_theory("p(X) ; q(X) :- r(X)."))
    answer = reasoner.why_not(parse_atom("p(a)"), [parse_atom("r(a)")], "global")
    assert answer is not None
    assert [(near.missing, *map(str, near.alternatives)) for near in answer.nearest] == [((), "q(a)")]
    assert "open: whether a is a q instead" in tell(answer)


def test_atoms_with_variables_cannot_be_explained() -> None:
    variable = parse_clause("p(X).").head[0]
    with pytest.raises(QueryError, match="put constants"):
        Reasoner(parse_theory("p(X) :- q(X).")).why(variable, [])

"""Weighing a theory: by the definition of likelihood on small data, and the published numbers on real data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import log
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog import Local, Reasoner, Weighing, read_theory, weigh
from possilog.data import Database, read
from possilog.deadline import OutOfTime
from possilog.errors import DataWarning, TheoryError
from possilog.learning import calibrated
from possilog.learning import weighing as weighing_module
from possilog.learning.notes import rule_notes
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Keep,
    Measured,
    Predicate,
    Rule,
    Theory,
    Variable,
    Weight,
    parse_atom,
    parse_clause,
    parse_theory,
)
from shared import shared_data
from strategies import atoms

P, R = Predicate("p", 1), Predicate("r", 2)
World = frozenset[Atom]


def facts(*texts: str) -> Database:
    return Database.of(map(parse_atom, texts))


FAMILY = facts("r(ann, bob)", "r(bob, eve)", "r(ann, eve)", "r(tom, tim)", "p(ann)", "p(tom)", "p(tim)")


@st.composite
def cases(draw: st.DrawFn, keeps: Iterable[Keep] = Keep, unplaced: int | None = None) -> tuple[Theory, Database]:
    """A theory over one predicate of each arity, with rules of every kind, and a few facts that keep its hard rules."""
    names = [Constant(name) for name in "abcd"]
    some = st.lists(atoms(st.sampled_from([P, R]), st.sampled_from(names)), min_size=1, max_size=7)
    database = Database.of(draw(some), constants=[name.name for name in names])
    terms = st.sampled_from([Variable("X"), Variable("Y")])
    literals = st.lists(atoms(st.sampled_from([P, R]), terms), max_size=2).map(tuple)
    clauses = st.builds(Clause, literals, literals).filter(lambda clause: not clause.is_empty)
    weights = st.sampled_from(["0.999", "0.99", "0.9"]).map(Weight.of)
    soft = draw(st.lists(st.builds(Rule, clauses, weights, st.sampled_from(list(keeps))), max_size=3))
    hard = [clause for clause in draw(st.lists(clauses, max_size=2)) if not broken(clause, database, names)]
    waiting = draw(st.lists(clauses, min_size=unplaced or 0, max_size=2 if unplaced is None else unplaced))
    return Theory((*map(Rule, hard), *soft), unplaced=tuple(waiting)), database


def broken(clause: Clause, world: Iterable[Atom], names: Iterable[Constant]) -> bool:
    """Is there a choice of distinct constants that makes the body true and the head false?"""
    true = set(world)
    for chosen in permutations(list(names), len(clause.variables)):
        ground = clause.substitute(dict(zip(clause.variables, chosen, strict=True)))
        if true.issuperset(ground.body) and true.isdisjoint(ground.head):
            return True
    return False


def possibility(theory: Theory, world: World, names: list[Constant]) -> Fraction:
    """π(ω): 1 - λ of the strongest rule that the world breaks."""
    violated = [rule.weight for rule in theory if broken(rule.clause, world, names)]
    return Fraction(max([theory.falsity, *violated]).doubt)


def fragments(database: Database, width: int) -> Iterator[tuple[World, list[Constant]]]:
    for chosen in combinations(database.constants, width):
        names = [Constant(name) for name in chosen]
        yield frozenset(fact for fact in database if set(fact.arguments) <= set(names)), names


def worlds(width: int) -> Iterator[tuple[World, list[Constant]]]:
    names = [Constant(str(number)) for number in range(width)]
    ground = [Atom(predicate, chosen) for predicate in (P, R) for chosen in product(names, repeat=predicate.arity)]
    for bits in range(1 << len(ground)):
        yield frozenset(atom for place, atom in enumerate(ground) if bits >> place & 1), names


def likelihood(theory: Theory, database: Database, width: int) -> float:
    found = [possibility(theory, *fragment) for fragment in fragments(database, width)]
    return sum(log(p) for p in found) if all(found) else float("-inf")


@settings(max_examples=budget(60, least=10), deadline=None)
@given(cases())
def test_the_new_weights_are_probabilities_and_the_likelihood_is_that_of_the_data(
    case: tuple[Theory, Database],
) -> None:
    theory, database = case
    assume({P, R} <= set(database.predicates) | set(theory.predicates))
    try:
        weighing = weigh(theory, database, 2)
    except TheoryError as error:
        assert "pinned" in str(error)
        return
    weighed = weighing.theory
    assert float(sum(possibility(weighed, *world) for world in worlds(2))) == pytest.approx(1, rel=1e-9)
    assert weighing.fit.log_likelihood == pytest.approx(likelihood(weighed, database, 2), rel=1e-9, abs=1e-9)
    # Nothing is lost, pins stay, and what was above stays above.
    assert [r.clause for r in theory.hard] == [r.clause for r in weighed.hard][: len(theory.hard)]
    assert sorted(r.clause for r in weighed) == sorted([*(r.clause for r in theory), *theory.unplaced])
    kept = [rule for rule in theory.soft if rule.keep is Keep.PINNED]
    assert all(rule in weighed.rules for rule in kept)
    assert not weighed.unplaced


@settings(max_examples=budget(30, least=10), deadline=None)
@given(cases([Keep.FREE, Keep.LOCKED], unplaced=1))
def test_a_new_rule_has_the_best_place(case: tuple[Theory, Database]) -> None:
    theory, database = case
    found = weigh(theory, database, 2).fit.log_likelihood
    clause = theory.unplaced[0]
    gaps = ["0.9999", "0.995", "0.95", "0.5"]
    placed = [Theory((*theory.rules, Rule(clause, Weight.of(gap)))) for gap in gaps]
    assert found == pytest.approx(max(weigh(trial, database, 2).fit.log_likelihood for trial in placed), rel=1e-12)


@settings(max_examples=budget(30, least=10), deadline=None)
@given(cases([Keep.FREE, Keep.LOCKED]))
def test_weighing_again_changes_nothing(case: tuple[Theory, Database]) -> None:
    theory, database = case
    once = weigh(theory, database, 2)
    again = weigh(once.theory, database, 2)
    assert again.theory == once.theory
    assert again.fit.log_likelihood == pytest.approx(once.fit.log_likelihood, rel=1e-12, abs=1e-12)


def test_a_pinned_weight_comes_back_digit_by_digit() -> None:
    text = "#pin 0.98765432109876543210 :: p(X) :- r(X, Y). #lock 0.5 :: p(Y) :- r(X, Y). #ban p(X)."
    weighed = weigh(parse_theory(text), FAMILY).theory
    pinned, locked = weighed.soft
    assert str(pinned) == "#pin 0.9876543210987654321 :: p(X) :- r(X, Y)."
    assert locked.keep is Keep.LOCKED
    assert weighed.banned == (parse_clause("p(X)."),)


def test_a_rule_waits_for_a_place_where_the_pins_leave_room() -> None:
    text = "#pin 0.97 :: r(X, X) :- p(X)."
    with pytest.raises(TheoryError, match="is too low"):
        weigh(parse_theory(text), FAMILY)
    weighed = weigh(parse_theory(f"{text} ? :: :- r(X, X). ? :: p(X)."), FAMILY).theory
    assert text in map(str, weighed.rules)


def test_a_rule_that_waits_may_be_locked_and_falsity_pinned() -> None:
    weighed = weigh(parse_theory("#lock ? :: p(X) :- r(X, Y). #pin 0.98 :: false."), FAMILY).theory
    assert weighed.rules[0].keep is Keep.LOCKED
    assert (str(weighed.falsity), weighed.falsity_pinned) == ("0.98", True)
    free = weigh(parse_theory("? :: p(X) :- r(X, Y)."), FAMILY)
    pinned = replace(free.theory, falsity_pinned=True)
    assert weigh(pinned, FAMILY).theory == pinned


def test_the_whole_stratum_of_a_pinned_rule_keeps_its_weight() -> None:
    weighed = weigh(parse_theory("#pin 0.99 :: p(X) :- r(X, Y). 0.99 :: p(Y) :- r(X, Y)."), FAMILY).theory
    assert [str(rule.weight) for rule in weighed.soft] == ["0.99", "0.99"]


def test_data_that_break_a_hard_rule_are_refused_with_the_rule_and_a_remedy() -> None:
    with pytest.raises(TheoryError) as caught:
        weigh(parse_theory("p(X) :- r(X, Y). :- r(X, X)."), FAMILY)
    assert str(caught.value) == (
        "the data break 1 hard rule (p(X) :- r(X, Y).), so that the theory makes them impossible; correct the data or "
        "take these rules away, or write '? ::' before them to have them weighed"
    )
    assert weigh(parse_theory("? :: p(X) :- r(X, Y). :- r(X, X)."), FAMILY).fit.log_likelihood < 0


def test_data_that_break_a_hard_rule_too_wide_to_be_seen_are_remarked() -> None:
    with pytest.warns(DataWarning, match="fragments of 2 constants cannot show that"):
        weigh(parse_theory(":- r(X, Y), r(Y, Z)."), FAMILY, 2)


def test_the_width_is_that_of_the_widest_soft_rule_but_at_least_two() -> None:
    assert weigh(parse_theory("0.9 :: p(X)."), FAMILY).counts.width == 2
    assert weigh(parse_theory("? :: p(X) :- r(X, Y), r(Y, Z), r(X, Z)."), FAMILY).counts.width == 3
    assert weigh(parse_theory("0.9 :: p(X)."), facts("p(a)")).counts.width == 1


def test_a_rule_without_an_exception_becomes_hard_unless_smoothed() -> None:
    theory = parse_theory("0.9 :: :- r(X, X).")
    assert weigh(theory, FAMILY).theory.hard
    assert weigh(theory, FAMILY, smoothing=0.01).theory.soft


def test_notes_count_distinct_heads() -> None:
    rules = [
        "p(X) :- r(X, Y).",
        "p(Y) :- r(X, Y).",
        ":- r(X, Y), r(Y, X).",
        "p(X) :- r(X, X).",
        "p(X).",
        "p(tom) :- p(tim).",
    ]
    clauses = [parse_clause(rule) for rule in rules]
    assert rule_notes(clauses, FAMILY) == {
        clauses[0]: "support 2, confidence 0.667 (2 of 3)",
        clauses[1]: "support 1, confidence 0.333 (1 of 3)",
        clauses[3]: "its body never holds",
        clauses[5]: "support 1, confidence 1",
    }


# What a theory carries


CARRIED = """
#type r(person, person).
#type knows(person, thing).
p(X) :- old(X).
0.9 :: p(X) :- r(X, Y).
0.8 :: p(Y) :- r(X, Y).
#demoted :- r(X, Y), r(Y, X).
#demoted :- p(X), knows(X, Y).
#shares 0.1, 0.9.
#seen 0.2, 0.8.
#added 2, 1.
#certain p/1, right 3, said 4, of 4.
#measured true 2, false 1, nontrivial 1, right 1, said 2, of 4, gains 1, 1 :: p(A) :- r(A, B).
#measured true 30, false 1, nontrivial 1, right 2, said 3, of 4, gains 1, -3 :: p(X) :- young(X).
"""


def test_types_demoted_rules_and_measures_are_still_there() -> None:
    theory = parse_theory(CARRIED)
    weighed = weigh(theory, FAMILY, 2).theory
    assert weighed.types == theory.types
    assert weighed.demoted == theory.demoted
    assert weighed.hard == theory.hard
    assert weighed.measures is not None and theory.measures is not None
    kept = theory.measures.only([parse_clause("p(X) :- r(X, Y).")])
    assert len(kept.rules) == 1
    assert replace(weighed.measures, rules=weighed.measures.rules[:1]) == kept
    assert parse_theory(str(weighed)) == weighed
    assert weigh(weighed, FAMILY, 2).theory == weighed


SWAPPED = """
0.9 :: p(X) :- old(X).
0.8 :: p(X) :- r(X, Y).
0.7 :: p(Y) :- r(X, Y).
#shares 0.1, 0.9.
#seen 0.2, 0.8.
#added 2, 1.
#measured true 5, false 4, nontrivial 1, right 3, said 4, of 8 :: p(X) :- old(X).
#measured true 6, false 2, nontrivial 0, right 8, said 7, of 9 :: p(X) :- r(X, Y).
#measured true 9, false 5, nontrivial 1, right 5, said 4, of 9 :: p(Y) :- r(X, Y).
"""


@pytest.mark.parametrize("pinned", ["", "#pin "])
def test_what_is_said_of_a_conclusion_does_not_change_where_the_data_would_swap_rules(pinned: str) -> None:
    theory = parse_theory(SWAPPED.replace("0.8 ::", f"{pinned}0.999 ::").replace("0.9 ::", "0.9999 ::"))
    data = facts("r(a, b)", "r(b, c)", "p(b)", "old(a)", "old(c)", "r(c, d)")
    weighed = weigh(theory, data, 2).theory
    assert len(weighed.ranked_strata) == 3
    evidence = ["old(u)", "r(v, w)", "r(v, x)"]
    before, after = (Reasoner(each).predict(evidence, Local(share=0.1)).added for each in (theory, weighed))
    assert [(one.atom, one.stated) for one in after] == [(one.atom, one.stated) for one in before]
    assert weigh(weighed, data, 2).theory == weighed


def test_what_was_learned_becomes_hard_only_if_a_person_says_so() -> None:
    for more in ("#demoted :- r(X, Y), r(Y, X).", "#shares 0.1, 0.9. #seen 0.2, 0.8. #added 2, 1."):
        theory = parse_theory(f"0.9 :: p(X) :- old(X). {more}")
        data = facts("old(a)", "p(a)", "p(b)", "r(a, b)")
        assert not weigh(theory, data).theory.hard
        assert weigh(theory, data).theory == weigh(theory, data, smoothing=0.001).theory
        assert weigh(theory, data).smoothing == 0.001
        assert weigh(theory, data, smoothing=0).theory.hard
    broken_by_all = parse_theory("0.9 :: p(X) :- r(X, Y). #demoted :- r(X, Y), r(Y, X).")
    found = weigh(broken_by_all, facts("r(a, b)", "r(b, c)", "p(b)"))
    assert found.smoothing == 0, "where no rule becomes hard, the weights are the most likely ones"


def test_demoted_rules_that_the_data_keep_count_as_hard_meanwhile() -> None:
    theory = parse_theory("0.9 :: p(X) :- r(X, Y). #demoted :- r(X, Y), r(Y, X). #demoted :- r(X, X).")
    hard = Theory(tuple(Rule(rule.clause) if rule in theory.demoted else rule for rule in theory))
    found, expected = (weigh(each, FAMILY) for each in (theory, hard))
    assert found.fit == expected.fit
    assert found.counts == expected.counts
    assert found.theory.ranked == expected.theory.soft
    assert found.theory.falsity == expected.theory.falsity


def test_demoted_rules_that_the_data_break_are_named_and_stay() -> None:
    theory = parse_theory("0.9 :: p(X) :- r(X, Y). #demoted :- r(X, Y), p(X). #demoted :- r(X, X).")
    with pytest.warns(DataWarning, match=r"the data break 1 demoted rule \(:- r\(X, Y\), p\(X\)\.\)"):
        found = weigh(theory, FAMILY)
    kept = Theory(tuple(rule for rule in theory if rule.clause != parse_clause(":- r(X, Y), p(X).")))
    assert found.theory.demoted == theory.demoted
    assert found.fit == weigh(kept, FAMILY).fit


def test_what_types_say_does_not_widen_the_fragments() -> None:
    theory = parse_theory("#type r(~person, ~thing). 0.9 :: p(X).")
    database = facts("r(a, b)", "r(c, d)", "p(a)")
    assert weigh(theory, database).counts.width == 2


def test_a_rule_that_a_person_added_is_weighed_and_counted() -> None:
    theory = parse_theory(CARRIED + "? :: p(X) :- r(X, Y), r(Y, Z).")
    weighed = weigh(theory, FAMILY, 2).theory
    assert weighed.measures is not None
    assert weighed.measures.measured(theory.unplaced[0]) == Measured(theory.unplaced[0], 1, 0, 0)
    assert theory.unplaced[0] in {rule.clause for rule in weighed}


UWCSE_N = [11552088, 12220, 11, 2048, 64, 3270, 815, 410, 6, 14, 26, 14, 4, 2, 4, 14, 7, 2, 1]
UWCSE_M = [1608, 234, 45, 204, 6, 702, 216, 552, 48, 6, 72, 45, 18, 12, 72, 144, 69, 36, 54]


def uwcse() -> tuple[Theory, Database]:
    folder: Path = shared_data("uwcse") / "ijcai17"
    return read_theory(folder / "uwcse.poss"), read(folder / "train.db")


def counts_of(weighing: Weighing) -> tuple[list[int], list[int]]:
    return [s.n.value for s in weighing.counts.strata], [s.m.value for s in weighing.counts.strata]


def test_the_published_numbers_of_uwcse() -> None:
    theory, database = uwcse()
    weighing = weigh(theory, database)
    assert weighing.counts.width == 3
    assert counts_of(weighing) == (UWCSE_N, UWCSE_M)
    assert weighing.counts.worlds.value == 4_143
    assert round(weighing.fit.log_likelihood, 2) == -85_554_279.19
    assert float(weighing.fit.probabilities[0]) == pytest.approx(6.2087e-4, rel=1e-5)
    assert float(weighing.theory.falsity.doubt) == pytest.approx(6.2087e-4, rel=1e-5)


def test_a_rule_of_uwcse_finds_its_place_again() -> None:
    theory, database = uwcse()
    lost = next(rule for rule in theory.soft if str(rule.clause) == "Faculty(V0) :- advisedBy(V2, V0).")
    rest = Theory(tuple(rule for rule in theory if rule != lost), theory.falsity, (lost.clause,))
    weighing = weigh(rest, database, 3)
    assert weighing.fit.log_likelihood >= -85_554_279.19
    assert counts_of(weighing) == (UWCSE_N, UWCSE_M)


def test_a_pin_in_uwcse_costs_likelihood_and_nothing_else() -> None:
    theory, database = uwcse()
    pinned = tuple(
        Rule(rule.clause, rule.weight, Keep.PINNED) if place == 9 else rule for place, rule in enumerate(theory.soft)
    )
    weighing = weigh(Theory((*theory.hard, *pinned), theory.falsity), database, 3)
    assert counts_of(weighing) == (UWCSE_N, UWCSE_M)
    assert -85_554_300 < weighing.fit.log_likelihood < -85_554_279.19
    assert pinned[9] in weighing.theory.rules


def test_the_test_data_of_uwcse_break_hard_rules() -> None:
    theory, _ = uwcse()
    with pytest.raises(TheoryError, match=r"the data break 2 hard rules \(:- taughtBy"):
        weigh(theory, read(shared_data("uwcse") / "ijcai17" / "test.db"), 3)


def test_weighing_counts_what_a_person_wrote_so_that_it_is_used_where_it_pays() -> None:
    people = [f"p{number}" for number in range(8)]
    told = [f"works({one})" for one in people[:6]] + [f"adult({one})" for one in people[1:7]]
    written = parse_theory(
        ":- child(X), adult(X).\n0.9 :: adult(X) :- works(X).\n0.8 :: child(X) :- toy(X).\n#shares 0.1, 0.8.\n"
        "#seen 0.1, 0.8.\n#added 3, 2."
    )
    data = facts(*told, "child(p0)", "child(p7)")
    assert written.measures is not None
    assert not written.measures.rules
    weighed = weigh(written, data, smoothing=0.001).theory
    # Five who work are adults, and one is not, since he is a child; of toys nothing is known.
    assert weighed.measures is not None
    assert weighed.measures.rules == (Measured(parse_clause("adult(X) :- works(X)."), 5, 1, 0),)
    again = parse_theory(str(weighed))
    assert again.measures == weighed.measures
    used = [len(Reasoner(again).predict(["works(z)"], Local(share=share)).added) for share in (0.2, 0.96)]
    assert used == [1, 0]
    without = parse_theory("0.9 :: adult(X) :- works(X).")
    found = weigh(without, data, smoothing=0.001).theory
    assert found.measures == calibrated(found, data).measures is not None, (
        "where there are no shares, they are measured"
    )
    used = [len(Reasoner(found).predict(["works(z)"], Local(share=share)).added) for share in (0.2, 0.96)]
    assert used == [1, 0]


def test_what_nothing_can_be_counted_of_gets_no_numbers() -> None:
    nothing = "0.9 :: p(X) ; q(X) :- r(X, Y).\n0.8 :: p(X) :- toy(X).\n0.7 :: p(tom).\n0.6 :: :- r(X, X)."
    assert weigh(parse_theory(nothing), FAMILY).theory.measures is None
    some = weigh(parse_theory(f"{nothing}\n0.5 :: p(Y) :- r(X, Y)."), FAMILY).theory
    assert some.measures is not None
    assert [rule.clause for rule in some.measures.rules] == [parse_clause("p(Y) :- r(X, Y).")]
    assert len(some.ranked) == 5 and not some.hard, "and where there are numbers, none becomes hard"
    assert weigh(some, FAMILY).theory == some
    one_fact = weigh(parse_theory("0.5 :: p(X) :- r(X, Y)."), facts("r(a, b)"))
    assert one_fact.theory.measures is None


def test_where_there_is_no_time_to_measure_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(weighing_module, "measures_on", late)
    with pytest.warns(DataWarning, match="there was no time to measure the rules, so that they are used whatever"):
        found = weigh(parse_theory("0.5 :: p(X) :- r(X, Y)."), FAMILY)
    assert found.theory.measures is None

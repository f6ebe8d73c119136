"""What is said of each thing shows the share of known facts, and how many are hidden bounds what is concluded."""

from __future__ import annotations

from math import log
from random import Random

import pytest

from budget import budget
from possilog.data import Database, Evidence
from possilog.inference import Local, Reasoner
from possilog.inference.density import Density, facts_each, log_odds
from possilog.inference.gate import Gate
from possilog.inference.taken import evidence_of
from possilog.logic import Atom, Measures, Predicate, parse_theory

CASES = budget(300)
SHARES = (0.1, 0.4, 0.8)


def measured(dense: tuple[float, ...], weight: float = 1.0, shares: tuple[float, ...] = SHARES) -> Density:
    nothing = (0.0,) * len(shares)
    return Density(Measures(shares, nothing, nothing, dense=dense, dense_weight=weight))


def said(each: float) -> Database:
    """A hundred things of each of which so much is said."""
    atoms = [Atom.ground(f"p{number // 100}", [f"c{number % 100}"]) for number in range(round(100 * each))]
    return Database.of(atoms)


def test_facts_for_each_constant_that_they_mention() -> None:
    """By definition: also of facts that mention none, or one constant twice; constants without facts do not count."""
    for seed in range(CASES):
        chance = Random(seed)
        names = [f"c{number}" for number in range(chance.randint(1, 6))]
        shapes = [(f"p{number}", chance.randint(0, 3)) for number in range(3)]
        facts = {
            Atom.ground(name, [chance.choice(names) for _ in range(arity)])
            for name, arity in (chance.choice(shapes) for _ in range(chance.randint(0, 12)))
        }
        mentioned = {constant for fact in facts for constant in fact.arguments}
        found = facts_each(Database.of(facts, constants=[*names, "unheard of"]))
        assert found == pytest.approx(len(facts) / len(mentioned) if mentioned else len(facts)), seed


@pytest.mark.parametrize(
    ("each", "share"),
    [(1.0, 0.1), (1.25, 0.25), (1.5, 0.4), (2.0, 0.6), (2.5, 0.8), (2.75, 0.9), (2.9, 0.96), (3.5, 0.97)],
)
def test_shares_are_on_straight_lines_and_the_last_goes_on_to_where_all_is_known(each: float, share: float) -> None:
    """And beyond that, 97 % are known, which is the most that ever is."""
    assert facts_each(said(each)) == pytest.approx(each)
    assert measured((1.0, 1.5, 2.5)).share(said(each)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("shares", "dense", "each", "share"),
    [
        ((0.1, 0.4, 0.8), (1.0, 3.0, 2.0), 2.0, 0.25),  # what falls by chance, or since a person wrote it, is as before
        ((0.1, 0.4, 0.8), (1.0, 3.0, 2.0), 2.99, 0.3985),
        ((0.1, 0.4, 0.8), (1.0, 3.0, 2.0), 3.01, 0.97),
        ((0.1, 0.4, 0.8), (1.2, 1.5, 2.5), 1.0, 0.1),  # below the first no less is known
        ((0.4,), (2.0,), 1.0, 0.4),  # one share is all there is
        ((0.4,), (2.0,), 3.0, 0.4),
        ((0.4, 1.0), (2.0, 3.0), 2.5, 0.7),  # all was known
        ((0.4, 1.0), (2.0, 3.0), 4.0, 0.97),
        ((0.001, 1.0), (2.0, 3.0), 1.0, 0.01),
    ],
)
def test_shares_that_other_numbers_show(
    shares: tuple[float, ...], dense: tuple[float, ...], each: float, share: float
) -> None:
    assert measured(dense, shares=shares).share(said(each)) == pytest.approx(share)


@pytest.mark.parametrize("by_rules", [0.001, 0.01, 0.3, 0.6, 0.97, 1.0])
@pytest.mark.parametrize("weight", [0.0, 0.25, 0.5, 1.0])
def test_the_share_lies_between_two_by_their_odds(by_rules: float, weight: float) -> None:
    """What is said of each thing shows 60 %, and what rules expect is no surer than any share."""
    found = measured((1.0, 1.5, 2.5), weight).combined(by_rules, said(2.0))
    if weight == 0:
        assert found == by_rules
        return
    other = min(max(by_rules, 0.01), 0.97)
    odds = 1.5**weight * (other / (1 - other)) ** (1 - weight)
    assert found == pytest.approx(odds / (1 + odds))


def test_where_nothing_was_measured_the_share_is_that_by_rules() -> None:
    assert Density(Measures(SHARES, SHARES, SHARES, dense_weight=0.7)).combined(0.3, said(2.0)) == 0.3
    assert Density(Measures()).combined(0.3, said(2.0)) == 0.3


def test_odds() -> None:
    assert [log_odds(share) for share in (0.2, 0.5, 0.8)] == pytest.approx([-log(4), 0, log(4)])


# What becomes of rules

FLOCK = """
0.9 :: sings(X) :- bird(X).
#shares 0.2, 0.8. #seen 0.2, 0.8. #added 9, 9. #given 100, 400.
#measured true 90, false 10, nontrivial 0, right 9, said 9, of 10, gains 9, 9; errors 1, 1 :: sings(X) :- bird(X).
"""


def flock(birds: int, singing: int) -> Evidence:
    names = [f"bird(b{number})" for number in range(birds)] + [f"sings(b{number})" for number in range(singing)]
    return evidence_of(names)


def test_where_much_is_said_of_each_thing_much_is_known_though_rules_do_not_see_it() -> None:
    """Of what the rule expects 30 of 89 are given; but of each bird as much is said as where 80 % are known."""
    known = flock(100, 30)
    by_rules = 30.4 / (90 / 101 * 100 + 2)
    for dense, weight, share in (
        ("", 0.0, by_rules),
        ("#dense 1, 1.3; weight 1.", 1.0, 0.8),
        ("#dense 1.3, 2; weight 1.", 1.0, 0.2),
        ("#dense 1.2, 1.4; weight 1.", 1.0, 0.5),
        ("#dense 0.4, 1; weight 1.", 1.0, 0.97),  # beyond 1.2, where all would be known
        ("#dense 1, 1.3; weight 0.", 0.0, by_rules),
        ("#dense 1, 1.3; weight 0.5.", 0.5, 0.5),
    ):
        found = Gate(parse_theory(FLOCK + dense)).shares(known)[0]
        odds = log_odds(by_rules) + weight * (log_odds(0.8) - log_odds(by_rules)) if weight == 0.5 else log_odds(share)
        assert log_odds(found) == pytest.approx(odds), dense


def test_where_more_is_known_than_is_given_of_what_a_rule_expects_it_is_doubted() -> None:
    """That half of the birds sing is as expected if half of all is known, and not if 80 % are."""
    known = flock(100, 45)
    odds = {weight: Gate(parse_theory(f"{FLOCK} #dense 1, 1.4; weight {weight}.")).use(known).odds for weight in (0, 1)}
    (few,), (many,) = (found.values() for found in odds.values())
    assert few < 1.5 < 3 < many


@pytest.mark.parametrize("more", [0, 1])
def test_a_rule_that_concludes_four_times_what_is_hidden_is_left_out(more: int) -> None:
    """Where two sing, and these are a fifth of all, twelve are hidden of three: so 48 may be concluded, and no more.

    Eight birds are given that do not sing yet; the other birds follow.
    """
    theory = parse_theory(f"bird(X) :- egg(X). {FLOCK} #dense 1.05, 2; weight 1.")
    known = evidence_of([*map(str, flock(10, 2).facts), *(f"egg(e{number})" for number in range(40 + more))])
    prediction = Reasoner(theory).predict(known)
    assert prediction.use.share == pytest.approx(0.2)
    singing = [one for one in prediction.added if one.atom.predicate.name == "sings"]
    assert len(singing) == (0 if more else 48)
    if more:
        (reason,) = prediction.use.left_out.values()
        assert reason == "it would conclude 49 facts, and no more than 48 were to be expected"
        assert len(Reasoner(theory).predict(known, Local(share=0.2)).added) == 41 + 49, "a person knows better"


def test_how_many_are_hidden_is_asked_at_the_share_of_the_predicate() -> None:
    """One in a hundred sings, and another in a hundred is known to: then next to nothing is known of singing.

    Where nobody sings, a whole column may be missing, and nothing is said of how much of it is hidden.
    """
    theory = parse_theory(FLOCK.replace("#given 100, 400.", "#given 400, 500.") + "#dense 0.5, 1; weight 1.")
    for singing in (0, 1):
        use = Gate(theory).use(flock(100, singing))
        (found,) = use.most.values()
        assert use.share == pytest.approx(0.8, abs=0.02)
        share = use.share_of(Predicate("sings", 1)) or 0.0
        assert (share < 0.1) == (singing == 0)
        assert (found == pytest.approx(4 * (singing + 1) * (1 - share) / share)) == (singing > 0)

"""What is measured of models, at its borders: sizes of evidence, ranks, areas, bands, reliability, formulas alone."""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from budget import budget
from possilog import Atom, Database, parse_theory
from possilog.choices import Aggregate
from possilog.data import Evidence
from possilog.data.taking import facts_of
from possilog.errors import DataError
from possilog.evaluation import links, ranking, reading
from possilog.evaluation.datasets import DataSet, Scale, scale_for
from possilog.evaluation.links import LinkRanks, Ranks, rank_links
from possilog.evaluation.models import MarkovModel, TheoryModel, symmetric_predicates
from possilog.evaluation.protocol import EvidenceSet, Protocol
from possilog.evaluation.ranking import AtomRanks, PredicateRanks, predicate_area, rank_predicates
from possilog.evaluation.reading import Reading, Size, read_alone, size_of, two_kinds
from possilog.evaluation.reliability import Said, Tenth, reliability_of, said_by
from possilog.evaluation.results import FoundNetwork, LearningCost
from possilog.evaluation.scores import Band, sign_flip
from possilog.inference import Local
from possilog.logic import Clause, Judged, Predicate, Theory, parse_clause
from possilog.markov import parse_mln
from possilog.matching import Matcher
from possilog.plotting import Plot
from possilog.progress import Step

P, Q = Predicate("p", 1), Predicate("q", 2)


def numbered(number: int) -> Database:
    return facts_of([f"p(a{n})" for n in range(number)])


# Sizes


@pytest.mark.parametrize(
    ("name", "facts", "quick", "scale"),
    [
        ("mine", 100, False, Scale((2, 5, 10, 20, 35, 50, 65, 80), 20, tuple(range(1, 61)), (10, 35, 65), 600, 60)),
        ("mine", 100, True, Scale((5, 20, 50), 3, tuple(range(1, 61, 6)), (5, 20, 50), 60, 30, 500)),
        ("mine", 1, False, Scale((1,), 20, (1,), (1,), 600, 60)),
        ("mine", 2, True, Scale((1,), 3, (1,), (1,), 60, 30, 500)),
        ("mine", 1000, False, Scale(
            (20, 50, 100, 200, 350, 500, 650, 800), 20, tuple(range(1, 601, 2)), (100, 350, 650), 600, 60)),
        ("uwcse", 9, True, Scale((9,), 3, tuple(range(1, 10)), (9,), 60, 30, 500)),
        ("uwcse", 300, False, Scale(
            (10, 50, 100, 150, 200, 250, 300), 20, tuple(range(1, 301)), (50, 100, 150), 600, 60)),
        ("uwcse", 300, True, Scale((50, 150, 250), 3, tuple(range(1, 301, 30)), (50, 150, 250), 60, 30, 500)),
        ("yeast", 2000, False, Scale(
            (50, 100, 250, 500, 1000, 1500, 2000), 20, tuple(range(1, 2000)), (100, 250, 500), 600, 60)),
    ],
)  # fmt: skip
def test_how_much_is_measured(name: str, facts: int, quick: bool, scale: Scale) -> None:
    assert scale_for(name, numbered(facts), quick=quick) == scale
    if not quick:
        assert scale_for(name, numbered(facts)) == scale
    more = scale_for(name, numbered(facts), quick=quick, repeats=7, seed=5)
    assert (more.repeats, more.seed, more.sizes) == (7, 5, scale.sizes)


def test_there_are_facts_to_learn_from_and_to_predict() -> None:
    some, none = numbered(1), Database.of([])
    assert DataSet("mine", some, some).sources == ()
    for train, test, purpose in ((none, some, "learn from"), (some, none, "predict")):
        with pytest.raises(DataError, match=f"mine: there are no facts to {purpose}; give more facts"):
            DataSet("mine", train, test)


def test_what_nobody_says_of_learning_a_network() -> None:
    assert FoundNetwork() == FoundNetwork(None, None, False, None)
    assert LearningCost() == LearningCost(None, None, None, False)
    assert not Plot("a", "b", "c", "d", {}).diagonal and not Plot("a", "b", "c", "d", {}).logarithmic


# Links


RANKS = Ranks(np.array([1.0, 4.0]), np.array([2.5, 10.0, 11.0]), 3)


def test_ranks_in_numbers_and_in_words() -> None:
    assert RANKS.as_json == {
        "mrr": pytest.approx((1 + 1 / 4 + 1 / 2.5 + 1 / 10 + 1 / 11) / 5),
        "hits": {"1": 0.2, "3": 0.4, "10": 0.8},
        "mrr_tails": 0.625,
        "mrr_heads": pytest.approx((1 / 2.5 + 1 / 10 + 1 / 11) / 3),
        "facts": 2,
        "rules": 3,
    }
    none = Ranks(np.empty(0), np.empty(0), 0)
    assert none.as_json["mrr"] == 0 and none.as_json["hits"] == {"1": 0, "3": 0, "10": 0}
    found = LinkRanks({Predicate("likes", 2): RANKS, Q: none}, 7, Aggregate.MAXIMUM)
    assert str(found) == (
        "relation    facts   rules    MRR  Hits@1  Hits@3  Hits@10\n"
        "likes           2       3  0.368   0.200   0.400    0.800\n"
        "q               0       0  0.000   0.000   0.000    0.000\n"
        "all             2       3  0.368   0.200   0.400    0.800\n"
        "filtered, both directions; what is equally good has its mean rank"
    )
    assert repr(found) == "<LinkRanks: 2 facts, MRR 0.368>"
    said = found.as_json
    assert (said["filtered"], said["ties"], said["constants"], said["aggregate"]) == (True, "mean rank", 7, "maximum")
    assert said["relations"] == {"likes": RANKS.as_json, "q": none.as_json}
    long = LinkRanks({Predicate("a_relation_of_long_name", 2): RANKS}, 7, Aggregate.MAXIMUM)
    assert {len(line) for line in str(long).split("\n")[:-1]} == {len("a_relation_of_long_name") + 49}


def graph(seed: int) -> tuple[Theory, Database, Database]:
    chance = Random(seed)
    names = [f"c{n}" for n in range(8)]
    facts = [Atom.ground(chance.choice("rs"), chance.sample(names, 2)) for _ in range(16)]
    bodies = ["r(X, Y) :- s(X, Y).", "r(X, Y) :- s(Y, X).", "r(X, Y) :- r(Y, X).", "s(X, Y) :- r(X, Z), r(Z, Y)."]
    judged = tuple(Judged(parse_clause(text), chance.choice([3, 5]), 2, 2) for text in bodies)
    return Theory(judged=judged), Database.of(facts[:10], constants=names), Database.of(facts[10:])


def test_questions_may_be_asked_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, aggregate in product(range(budget(10, least=5)), Aggregate):
        theory, train, test = graph(seed)
        whole = rank_links(theory, train, test, None, aggregate).as_json
        for cells, at_once in ((1, 1), (17, 2)):
            with monkeypatch.context() as few:
                few.setattr(links, "_CELLS", cells)
                few.setattr(links, "AT_ONCE", at_once)
                told: list[Step] = []
                assert rank_links(theory, train, test, None, aggregate, told.append).as_json == whole
        assert told == [
            Step("ranking", done, len(test.predicates), predicate.name)
            for done, predicate in enumerate(test.predicates, 1)
        ]


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("at_once", [1, 2, 5, 1_000])
def test_each_answer_that_a_rule_concludes_is_the_first(
    aggregate: Aggregate, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "AT_ONCE", at_once)
    theory = Theory(judged=(Judged(parse_clause("r(X, Y) :- s(X, Y)."), 9, 1, 1),))
    train, test = (facts_of([f"{name}(a{n}, b{n})" for n in range(5)]) for name in "sr")
    assert rank_links(theory, train, test, None, aggregate).total.all.tolist() == [1.0] * 10


def test_what_is_no_link_is_named() -> None:
    theory, train, _ = graph(0)
    for test, said in ((Database.of([]), "there is none"), (facts_of(["r(a, b)", "t(a)"]), "t/1 has not")):
        with pytest.raises(DataError, match=f"^links are facts of predicates with two arguments, and {said} in the"):
            rank_links(theory, train, test)
    found = rank_links(theory, train, facts_of(["r(c1, c2)", "t(a, a)"]))
    assert found.aggregate is Aggregate.MAXIMUM and found.relations[Predicate("t", 2)].rules == 0


# Areas


def test_areas_in_numbers_and_in_words() -> None:
    ranked = AtomRanks(((2, 0), (0, 1_000)), 4)
    assert ranked.as_json == {"auc_pr": 1.0, "auc_roc": 1.0, "true": 2, "atoms": 1_002, "rules": 4}
    worst = AtomRanks(((0, 1), (1, 0)), 1)
    found = PredicateRanks({P: ranked, Predicate("q", 1): worst}, Aggregate.MAXIMUM)
    assert str(found) == (
        "predicate   true     atoms  rules  AUC-PR  AUC-ROC\n"
        "p              2     1,002      4   1.000    1.000\n"
        "q              1         2      1   0.307    0.000\n"
        "mean                            5   0.653    0.500"
    )
    assert repr(found) == "<PredicateRanks: 2 predicates, AUC-PR 0.653>"
    assert found.as_json["rules"] == 5 and found.as_json["auc_roc"] == 0.5


def test_atoms_are_ranked_by_definition_with_and_without_training_facts() -> None:
    """All atoms of the right types but for training and validation facts; what no rule concludes is the last group."""
    bodies = {"s(X, Y)": (9, 1, 1), "s(Y, X)": (2, 2, 2)}
    theory = Theory(judged=tuple(Judged(parse_clause(f"r(X, Y) :- {body}."), *n) for body, n in bodies.items()))
    predicate, body = Predicate("r", 2), Predicate("s", 2)
    for seed in range(budget(20, least=10)):
        _, train, test = graph(seed)
        test = test | facts_of(["r(c0, c1)", "r(c1, c0)", "s(c0, c1)", "s(c2, c0)", "s(c0, c2)"])  # all of one type
        more, valid = (
            train | facts_of(["s(c0, other)", "r(c0, other)"]),
            facts_of(["r(c0, c1)", "r(c2, c0)", "s(c1, c0)"]),
        )
        for given, beside in ((None, None), (more, None), (more, valid), (None, valid)):
            known = {*(fact for fact in test if fact.predicate != predicate), *(given or ())}
            names = {name for fact in test for name in fact.arguments}
            ranks: dict[tuple[float, ...], list[int]] = {(): [0, 0]}
            for one, other in product(names, names):
                atom = Atom(predicate, (one, other))
                if atom not in known and (beside is None or atom not in beside):
                    holds = [one != other and Atom(body, pair) in known for pair in ((one, other), (other, one))]
                    key = tuple(said for said, each in zip((9 / 15, 2 / 9), holds, strict=True) if each)
                    ranks.setdefault(key, [0, 0])[atom not in test] += 1
            found = rank_predicates(theory, test, [predicate], given, valid=beside).predicates[predicate]
            assert found.groups == tuple(tuple(ranks[key]) for key in sorted(ranks, reverse=True)) and found.rules == 2


@pytest.mark.filterwarnings("ignore:the network does not declare")
def test_a_predicate_that_a_network_does_not_know_is_one_group() -> None:
    network = parse_mln("bird(thing)\n1 bird(x)\n")
    test = facts_of(["bird(a)", "bird(b)", "nests(a)"])
    area = predicate_area(MarkovModel("network", network), test, Predicate("nests", 1))
    assert area == ranking.area_under_curve([(1, 1)])


def test_the_log_odds_of_a_network_add_up() -> None:
    """Formulas for an atom and against it; what is hard counts more than anything else."""
    network = parse_mln(
        "n(thing)\na(thing)\nb(thing)\nc(thing)\n2 !a(x) v n(x)\n-3 !b(x) v n(x)\n1 n(x)\n!c(x) v n(x).\n"
    )
    test = facts_of(["a(u)", "b(v)", "a(w)", "b(w)", "c(x)", "n(u)", "n(x)", "a(y)", "n(y)", "b(x)"])
    model, predicate = MarkovModel("network", network), Predicate("n", 1)
    facts = facts_of([str(fact) for fact in test if fact.predicate != predicate]).declare(test.constants)
    groups = ranking._network_groups(model, facts, test, predicate)
    assert groups == [(1, 0), (2, 1), (0, 1)], "x; u, w and y by 0, as b is likely of all; v by -2"


def test_symmetric_predicates_need_a_pair_of_two_things() -> None:
    assert symmetric_predicates(facts_of(["r(a, a)", "s(a, b)", "s(b, a)", "s(a, a)", "t(a, b)", "u(a)"])) == (
        Predicate("s", 2),
    )
    assert symmetric_predicates(Database.of([], constants=["a"])) == ()


# Bands and signs


def test_a_band_is_as_wide_as_students_distribution_says() -> None:
    assert Band.of([1.0, 2.0, 3.0, 6.0]).high == pytest.approx(3 + 3.182446 * np.std([1, 2, 3, 6], ddof=1) / 2)
    found = Band.of([1.0, 2.0, 3.0, 6.0])
    assert found.mean - found.low == pytest.approx(found.high - found.mean)
    assert found.interval == [round(found.low, 4), round(found.high, 4)] and found.spread == f" ± {found.high - 3:.1f}"
    assert Band.of([4.0]).interval is None and Band.of([4.0]).spread == ""


def test_few_signs_are_tried_and_many_are_drawn() -> None:
    """Of twelve ones, just two of 4,096 signs make as large a sum; of thirteen, what is drawn decides."""
    assert sign_flip([1.0] * 12) == 2 / 4096 == sign_flip([1.0] * 12 + [0.0] * 5)
    assert sign_flip([1.0] * 12, seed=1) == 2 / 4096
    drawn = {sign_flip([1.0] * 13, seed) for seed in range(4)}
    assert len(drawn) > 1 and all(0 < p < 0.002 for p in drawn)
    assert sign_flip([2.0] * 7 + [-2.0] * 7) == 1.0


# Reliability


def test_probabilities_fall_into_tenths() -> None:
    said = [(0.0, False), (0.05, True), (0.1, True), (0.19, False), (0.95, True), (1.0, True), (0.9, False)]
    found = reliability_of([Said(P, *one) for one in said])
    assert found is not None
    assert [(one.low, one.right, one.cases) for one in found.tenths] == [(0.0, 1, 2), (0.1, 1, 2), (0.9, 2, 3)]
    assert [one.said for one in found.tenths] == pytest.approx([0.025, 0.145, 0.95])
    assert found.brier == pytest.approx(sum((probability - right) ** 2 for probability, right in said) / 7)
    off = 2 * abs(0.025 - 0.5) + 2 * abs(0.145 - 0.5) + 3 * abs(0.95 - 2 / 3)
    assert found.error == pytest.approx(off / 7) and found.cases == 7
    assert reliability_of([]) is None and Tenth(0.1, 0.15, 1, 4).came_true == 0.25


def test_reliability_by_predicate_and_as_a_picture() -> None:
    found = reliability_of([Said(Q, 0.8, True), Said(P, 0.3, False), Said(P, 0.3, True)])
    assert found is not None and list(found.by_predicate) == ["p/1", "q/2"]
    assert found.as_json == {
        "cases": 3,
        "calibration_error": pytest.approx((2 * 0.2 + 0.2) / 3),
        "brier": pytest.approx((0.04 + 0.09 + 0.49) / 3),
        "tenths": [
            {"from": 0.3, "said": 0.3, "came_true": 0.5, "right": 1, "cases": 2},
            {"from": 0.8, "said": 0.8, "came_true": 1.0, "right": 1, "cases": 1},
        ],
        "by_predicate": {name: one.as_json for name, one in found.by_predicate.items()},
    }
    assert "by_predicate" not in found.by_predicate["p/1"].as_json
    picture = found.plot()
    assert picture.diagonal and picture.lines["tenths"].x == [0.3, 0.8] and picture.lines["tenths"].y == [0.5, 1.0]


def test_what_is_said_where_a_probability_is_stated() -> None:
    atoms = {"p(a)": 0.8, "p(b)": None, "p(c)": 0.3}
    added = [
        SimpleNamespace(
            atom=Atom.ground("p", [text[2]]), stated=None if said is None else SimpleNamespace(probability=said)
        )
        for text, said in atoms.items()
    ]
    reasoner: Any = SimpleNamespace(predict=lambda facts, how: SimpleNamespace(added=added))
    found = list(said_by(reasoner, Protocol(facts_of(["p(a)", "p(b)", "q(b, c)"]), (1,), 2), Local()))
    assert found == [Said(P, 0.8, True), Said(P, 0.3, False)] * 2


# Formulas alone


def claims(text: str, *facts: str) -> list[str]:
    found = reading._rule_claims(parse_clause(text), Matcher(facts_of(list(facts))), {})
    return sorted(" or ".join(map(str, claim)) for claim in found)


def test_what_a_rule_claims() -> None:
    facts = ("q(a, b)", "q(a, c)", "p(c)")
    assert claims("p(X) :- q(X, Y).", *facts) == ["p(a)"]
    assert claims("p(X) ; p(Y) :- q(X, Y).", *facts) == ["p(a) or p(b)", "p(a) or p(c)"]
    assert claims("p(Z) :- q(X, Y).", *facts) == ["p(Z)"] and claims("p(Z) :- q(X, X).", *facts) == []
    assert claims("p(a).", *facts) == ["p(a)"] and claims("p(a) ; p(b).", *facts) == []


def test_formulas_that_claim_nothing_are_not_read() -> None:
    network = parse_mln(
        "p(t)\nq(t, t)\n0 p(x)\n1 !q(x, y) v p(x)\n-1 !q(x, y) v p(x)\n2 !p(x)\n-2 p(x)\n1.5 p(x)\n"
        "3 !q(x, y) v x = y\n4 !q(x, y) v p(x) v x = y\n"
    )
    facts = facts_of(["p(a)", "q(a, b)", "q(b, c)"])
    found = {weight: sorted(map(str, (atom for claim in some for atom in claim)))
             for (_, weight), some in reading._formulas(MarkovModel("network", network), facts)}  # fmt: skip
    assert found == {
        "1": ["p(a)", "p(b)"],
        "-1": sorted(f"q({one}, {other})" for one, other in product("abc", "abc")),
        "1.5": ["p(a)", "p(b)", "p(c)"],
    }
    theory = parse_theory("p(X) :- q(X, Y). 0.9 :: p(Y) :- q(X, Y). 0.8 :: :- p(X). 0.7 :: p(X) ; p(Y) :- q(X, Y).")
    named = [name for name, _ in reading._formulas(TheoryModel("theory", theory), facts)]
    assert named == [("p(Y) :- q(X, Y).", "0.9")]
    assert list(reading._formulas(SimpleNamespace(name="none"), facts)) == []


def test_claims_are_counted_on_all_facts_and_beyond_what_is_given() -> None:
    theory = parse_theory("0.9 :: p(X) :- q(X, Y). 0.8 :: p(Y) :- q(X, Y).")
    test = facts_of(["p(a)", "q(a, b)", "q(c, a)", "q(b, b)"])
    model: Any = TheoryModel("theory", theory)
    given = EvidenceSet(3, 0, facts_of(["q(a, b)", "q(c, a)", "p(c)"]))
    assert [(one.right, one.covered, one.followed, one.claims) for one in read_alone(model, test, [given])] == [
        (1, 2, 1, 1),
        (1, 2, 2, 2),
    ]
    assert size_of(model) == Size(2, 4, 0) and size_of(SimpleNamespace(name="none")) is None
    network = MarkovModel("network", parse_mln("p(t)\nr(t)\n1 p(x)\n!p(x) v r(x).\n-2 !r(x) v p(x)\n"))
    assert size_of(network) == Size(3, 5, 1)
    nothing = Reading("f", "1", 0, 0, 0, 0)
    assert (nothing.confidence, nothing.agreement) == (None, None)
    assert (Reading("f", "1", 1, 4, 3, 6).confidence, Reading("f", "1", 1, 4, 3, 6).agreement) == (0.25, 0.5)


def test_patterns_are_looked_up() -> None:
    known = reading._Lookup(facts_of(["q(a, b)", "q(c, d)", "p(a)"]))
    for text, holds in (
        ("q(a, b)", True), ("q(a, d)", False), ("q(a, X)", True), ("q(X, d)", True), ("q(b, X)", False),
        ("q(X, Y)", True), ("r(X)", False), ("p(b)", False),
    ):  # fmt: skip
        (atom,) = parse_clause(f"{text}.").head
        assert known.satisfy((atom,)) == holds == known.satisfy((parse_clause("p(z).").head[0], atom))


KINDS = (
    "A(t)\nB(t)\nC(t)\nD(u)\nE(t, t)\nF(t, u)\nG(t, t, t)\n1.5 A(x)\n0.5 A(x)\n-1 B(x)\n2 !A(x) v B(x) v C(x)\n"
    "4 E(x, x)\n8 !A(x) v E(x, x)\n16 B(x) v C(x)\n"
)


def test_two_kinds_by_definition() -> None:
    """The weights of the formulas that hold of somebody who is of some kinds, and of whom nothing else holds."""
    worlds = two_kinds(parse_mln(KINDS), "A", "B")
    weights = {(): 2 + 8, ("A",): 2 + 0, ("B",): -1 + 2 + 8 + 16, ("A", "B"): 2 - 1 + 2 + 16}
    assert {world.holds: pytest.approx(world.weight) for world in worlds} == weights
    assert {world.holds: world.alone for world in worlds} == {(): 0, ("A",): 2, ("B",): -1, ("A", "B"): 1}
    assert [world.holds for world in worlds if world.most_probable] == [("B",)]
    for one, other in (("A", "D"), ("A", "Z"), ("Z", "A"), ("E", "A")):
        assert two_kinds(parse_mln(KINDS), one, other) == ()


def test_networks_are_read_in_the_words_of_the_facts() -> None:
    network = parse_mln("Is_old(t)\nWise(t)\n2 !Wise(x) v Is_old(x)\n")
    model = MarkovModel.of("network", network, [Predicate("isOld", 1), Predicate("Wise", 1)])
    test = facts_of(["Wise(ann)", "isOld(ann)", "Wise(bob)"])
    found = list(reading._formulas(model, test))
    assert found == [(("Is_old(x) v !Wise(x)", "2"), {(Atom.ground("isOld", [who]),) for who in ("ann", "bob")})]
    assert Evidence(model.respelt(test)).facts.predicates == (Predicate("Is_old", 1), Predicate("Wise", 1))
    assert Clause() == reading._spelt(Clause(), {})

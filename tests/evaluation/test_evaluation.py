"""Evidence sets, scores and models, by their definitions."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.chance import generator
from possilog.data import Database, from_frames, read
from possilog.data.bundled import load
from possilog.data.typing import in_step
from possilog.errors import DataWarning, QueryError
from possilog.evaluation import (
    Band,
    CalibratedModel,
    DensityTreeModel,
    EvidenceOnly,
    MarkovModel,
    Protocol,
    SymmetricClosure,
    TheoryModel,
    hard_rules_only,
    run,
    sign_flip,
    summarise,
)
from possilog.evaluation.comparison import compare_hard, compare_soft
from possilog.evaluation.models import symmetric_predicates
from possilog.evaluation.ranking import area_under_curve, predicate_area
from possilog.evaluation.reading import read_alone, size_of, two_kinds
from possilog.evaluation.reliability import said_by
from possilog.evaluation.scores import Additions, Score, score
from possilog.inference import Global, How, Local, Reasoner
from possilog.logic import Predicate, in_vocabulary, parse_atom, parse_theory, read_theory
from possilog.logic.spelling import plain
from possilog.markov import parse_mln, read_mln
from shared import shared_data
from strategies import databases

THEORY = parse_theory(
    """
    :- bird(X), bat(X).
    flies(X) :- bat(X).
    0.9 :: nests(X) :- bird(X).
    0.8 :: bird(X) :- flies(X).
    """
)
FACTS = Database.of(
    map(parse_atom, ["bird(tweety)", "nests(tweety)", "flies(tweety)", "bat(bruce)", "flies(bruce)", "flies(carl)"])
)


# Evidence sets


def test_every_evidence_set_is_a_random_part_of_the_test_facts() -> None:
    village = load("village")
    evidence = Protocol(village, (1, 30, 110), repeats=3, seed=7).evidence
    assert [(one.size, one.repeat) for one in evidence] == list(product((1, 30, 110), range(3)))
    for one in evidence:
        assert len(one.facts) == one.size and all(atom in village for atom in one.facts)
        assert one.facts == Database.of(one.facts)  # over their own constants
    assert len({frozenset(one.facts) for one in evidence}) == 7  # all facts can be drawn in one way only


def test_an_evidence_set_depends_on_its_size_its_number_and_the_seed_alone() -> None:
    village = load("village")
    (alone,) = (one for one in Protocol(village, (30,), 3, seed=7).evidence if one.repeat == 2)
    (among,) = (one for one in Protocol(village, (5, 30, 60), 9, seed=7).evidence if (one.size, one.repeat) == (30, 2))
    (other,) = (one for one in Protocol(village, (30,), 3, seed=8).evidence if one.repeat == 2)
    assert alone.facts == among.facts != other.facts


@pytest.mark.parametrize(
    ("sizes", "repeats", "said"),
    [((), 1, "no sizes"), ((0,), 1, "of 0 facts"), ((7,), 1, "from 1 to 6"), ((3,), 0, "0 evidence sets")],
)
def test_what_cannot_be_drawn_is_refused(sizes: tuple[int, ...], repeats: int, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        Protocol(FACTS, sizes, repeats)
    with pytest.raises(QueryError, match="no test facts"):
        Protocol(Database.of([]), sizes, repeats)


def test_scores_are_the_same_for_any_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(scores: tuple[Score, ...]) -> list[object]:
        return [(one.size, one.repeat, one.error, one.right, one.wrong) for one in scores]

    protocol = Protocol(FACTS, (1, 3, 5), repeats=3, seed=1)
    model = TheoryModel("theory", THEORY)
    assert told(run(model, protocol)) == told(run(model, protocol, jobs=2))
    with monkeypatch.context() as few:
        few.setattr("possilog.evaluation.running._FEW", 0)
        few.setattr(Database, "__iter__", lambda facts: pytest.fail("atoms were made of all test facts"))
        looked_up = told(run(model, protocol))
    assert looked_up == told(run(model, protocol))


# Scores


@settings(max_examples=budget(100, least=30), deadline=None)
@given(databases(), databases(), st.data())
def test_the_error_is_the_size_of_the_symmetric_difference(
    test: Database, other: Database, data: st.DataObject
) -> None:
    truth = set(test)
    given_facts = data.draw(st.sets(st.sampled_from(sorted(truth)))) if truth else set()
    added = set(other) - given_facts
    found = score(truth, Database.of(given_facts), added)
    assert found == score(test, Database.of(given_facts), added)
    assert found.error == len((given_facts | added) ^ truth)
    assert found.gain == len(given_facts ^ truth) - found.error
    assert found.hidden == Counter(str(atom.predicate) for atom in truth - given_facts)
    assert sum(found.right.values()) == len(added & truth)
    assert sum(found.wrong.values()) == len(added - truth)


def test_a_summary_has_means_and_shares_of_all_sets_together() -> None:
    scores = [
        Score(5, 0, {"p/1": 6, "q/1": 2, "r/1": 2}, {"p/1": 3}, {"p/1": 1}, 0.5),
        Score(5, 1, {"p/1": 4, "q/1": 4, "r/1": 2}, {"p/1": 1, "q/1": 2}, {}, 1.5),
    ]
    (one,) = summarise(scores)
    assert (one.error.mean, one.gain.mean, one.seconds) == (7.5, 2.5, 1.0)
    assert one.additions.precision == pytest.approx(6 / 7) and one.additions.recall == pytest.approx(6 / 20)
    assert one.predicates == {"p/1": Additions(2, 0.5, 5), "q/1": Additions(1, 0, 3), "r/1": Additions(0, 0, 2)}
    found = json.loads(json.dumps(one.as_json))
    shares = {name: (its["precision"], its["recall"]) for name, its in found["predicates"].items()}
    assert shares == {"p/1": (0.8, 0.4), "q/1": (1.0, 0.3333), "r/1": (None, 0.0)}
    assert one.as_json["error_band"] == [
        pytest.approx(7.5 - 12.7062 * 0.5, abs=1e-3),
        pytest.approx(7.5 + 6.3531, abs=1e-3),
    ]


def test_nothing_added_has_no_precision_and_nothing_hidden_no_recall() -> None:
    (one,) = summarise([Score(6, 0, {}, {}, {}, 0.0)] * 2)
    assert (one.additions.precision, one.additions.recall) == (None, None)
    assert one.error == Band(0.0, 0.0, 0.0)


def test_one_evidence_set_does_not_tell_how_far_off_it_is() -> None:
    (one,) = summarise([Score(6, 0, {"p/1": 3}, {"p/1": 1}, {}, 0.0)])
    assert str(one.error) == "2.0" and one.as_json["error_band"] is None and one.as_json["gain_band"] is None


def test_bands_hold_the_mean_as_often_as_they_say() -> None:
    chance = generator(3, "bands")
    bands = [Band.of(chance.normal(2.0, 5.0, size=6).tolist()) for _ in range(2000)]
    assert 0.93 < sum(band.low <= 2.0 <= band.high for band in bands) / len(bands) < 0.97


def test_random_signs_by_their_definition() -> None:
    differences = [3.0, -1.0, 2.0, 2.0, 0.0]
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=5)]
    assert sign_flip(differences) == sum(one >= 6 for one in sums) / len(sums)
    assert sign_flip([0.0, 0.0]) == 1.0
    many = [1.0] * 30
    assert sign_flip(many) == pytest.approx(1 / 20_001) and sign_flip(many, seed=1) == sign_flip(many, seed=1)


# Ranking


@settings(max_examples=budget(100, least=30), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4))
def test_the_area_by_numerical_integration(groups: list[tuple[int, int]]) -> None:
    positives = sum(true for true, _ in groups)
    steps, area, before, ahead = 20_000, 0.0, 0.0, 0.0
    for true, false in groups:
        for step in range(steps if true else 0):
            done = (step + 0.5) / steps
            area += true / steps * (before + true * done) / (ahead + (true + false) * done)
        before, ahead = before + true, ahead + true + false
    expected = area / positives if positives else 0.0
    assert area_under_curve(groups) == pytest.approx(expected, abs=2e-3)


def test_a_model_that_knows_has_area_1_and_one_that_knows_nothing_the_share_of_true_atoms() -> None:
    knowing = TheoryModel("knowing", parse_theory("0.9 :: nests(X) :- bird(X)."))
    assert predicate_area(knowing, FACTS, Predicate("nests", 1)) == 1.0
    assert predicate_area(EvidenceOnly(), FACTS, Predicate("nests", 1)) == pytest.approx(1 / 3)
    network = parse_mln("nests(thing)\nbird(thing)\nflies(thing)\nbat(thing)\n-1 nests(x)\n0.5 !bird(x) v nests(x)\n")
    assert predicate_area(MarkovModel("odds", network), FACTS, Predicate("nests", 1)) == 1.0


# Models


def added(model: object, *facts: str) -> list[str]:
    return sorted(str(atom) for atom in model.added(Database.of(map(parse_atom, facts))))  # type: ignore[attr-defined]


def test_what_models_add() -> None:
    assert added(EvidenceOnly(), "flies(tweety)") == []
    assert added(hard_rules_only("hard", THEORY), "flies(tweety)", "bat(bruce)") == ["flies(bruce)"]
    assert added(TheoryModel("theory", THEORY), "flies(tweety)", "bat(bruce)") == [
        "bird(tweety)",
        "flies(bruce)",
        "nests(tweety)",
    ]
    assert added(SymmetricClosure((Predicate("near", 2),)), "near(a, b)", "in(a, c)") == ["near(b, a)"]
    assert added(SymmetricClosure((Predicate("near", 2),)), "in(a, c)") == []


def test_symmetric_predicates_are_those_that_always_hold_both_ways() -> None:
    village = load("village")
    assert [predicate.name for predicate in symmetric_predicates(village)] == ["married"]


def test_a_calibrated_theory_leaves_out_what_does_not_pay() -> None:
    """Most of what flies is no bird here, so the rule that says so loses, however much is known."""
    facts = [f"flies(t{place})" for place in range(40)] + [f"bird(t{place})" for place in range(8)]
    theory = parse_theory("0.9 :: flies(X) :- bird(X). 0.8 :: bird(X) :- flies(X).")
    model = CalibratedModel("calibrated", theory, Database.of(map(parse_atom, facts)))
    assert added(model, "flies(a)", "flies(b)", "bird(c)") == ["flies(c)"]


def test_a_network_is_read_in_the_spelling_of_the_facts() -> None:
    network = parse_mln("Is_old(person)\nWise(person)\n-1 Is_old(x)\n2 !Wise(x) v Is_old(x)\n")
    model = MarkovModel.of("network", network, [Predicate("isOld", 1), Predicate("Wise", 1)])
    assert added(model, "Wise(ann)", "isOld(bob)") == ["isOld(ann)"]


def test_a_network_that_needs_too_long_says_so() -> None:
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")
    network = parse_mln("Near(thing, thing)\n-1 Near(x, y)\n3 !Near(x, y) v !Near(y, z) v Near(x, z)\n")
    facts = Database.of(parse_atom(f"Near(t{place}, t{place + 1})") for place in range(30))
    model = MarkovModel.of("network", network, facts.predicates, time_limit=1e-6)
    with pytest.raises(QueryError, match=r"seconds; give it more|in time; give it more"):
        model.added(facts)


def test_a_tree_completes_things_one_by_one() -> None:
    kinds = [f"{kind}(t{place})" for place in range(20) for kind in (("cat", "furry") if place < 12 else ("fish",))]
    tree = DensityTreeModel(Database.of(map(parse_atom, kinds)))
    assert added(tree, "cat(x)", "fish(y)") == ["furry(x)"]


# Reading alone


def test_claims_that_are_followed_are_counted() -> None:
    theory = parse_theory(":- bird(X), bat(X). 0.9 :: nests(X) :- bird(X). 0.8 :: bird(X) :- flies(X).")
    model = TheoryModel("theory", theory)
    evidence = Protocol(Database.of(map(parse_atom, ["flies(tweety)", "flies(bruce)", "bat(bruce)"])), (3,), 1).evidence
    nests, bird = read_alone(model, FACTS, evidence)
    assert (bird.right, bird.covered, bird.followed, bird.claims) == (1, 3, 1, 2)  # bruce is a bat
    assert (nests.right, nests.covered, nests.claims) == (1, 1, 0)  # no bird is given
    size = size_of(model)
    assert size is not None and (size.formulas, size.literals, size.hard) == (2, 4, 1)


def test_a_negative_weight_claims_the_body_and_a_unit_clause_all_its_atoms() -> None:
    network = parse_mln("A(t)\nB(t)\n-3 !A(x) v B(x)\n1 B(x)\n2 !A(x) v B(x)\n-1 A(x)\n")
    test = Database.of(map(parse_atom, ["A(a)", "A(b)", "B(b)", "B(c)"]))
    readings = read_alone(MarkovModel("network", network), test, Protocol(test, (4,), 1).evidence)
    assert [(one.weight, one.right, one.covered) for one in readings] == [("-3", 2, 3), ("1", 2, 3), ("2", 1, 2)]


def test_the_papers_example_is_worked_out() -> None:
    network = parse_mln(
        "Student(person)\nProfessor(person)\nAdjunct(person)\nKnows(person, person)\n"
        "-5.11 Student(x)\n5.11 Professor(x)\n-12.01 !Student(x) v Adjunct(x) v Professor(x)\n"
    )
    worlds = two_kinds(network, "Student", "Professor")
    sums = {world.holds: world.weight for world in worlds}
    assert sums[()] == pytest.approx(-12.01) and sums["Student",] == pytest.approx(-5.11)
    assert sums["Professor",] == pytest.approx(5.11 - 12.01)
    assert [world.holds for world in worlds if world.most_probable] == [("Student",)]
    assert {world.holds: world.alone for world in worlds} == {
        (): 0,
        ("Student",): pytest.approx(-5.11),
        ("Professor",): pytest.approx(5.11),
        ("Student", "Professor"): pytest.approx(0),
    }
    assert two_kinds(network, "Student", "Nobody") == ()


# Theories beside each other


def test_rules_in_common_are_found_whatever_their_variables_are_called() -> None:
    other = parse_theory(":- bat(Y), bird(Y). 0.7 :: nests(A) :- bird(A). 0.6 :: flies(A) :- bird(A).")
    soft, hard = compare_soft(THEORY, other), compare_hard(THEORY, other)
    assert [(str(one.weight), str(two.weight)) for one, two in soft.common] == [("0.9", "0.7")]
    assert [str(rule.clause) for rule in soft.first] == ["bird(X) :- flies(X)."]
    assert [str(rule.clause) for rule in soft.second] == ["flies(A) :- bird(A)."]
    assert (len(hard.common), len(hard.first), len(hard.second)) == (1, 1, 0)


def test_a_theory_that_states_no_probabilities_is_not_asked_how_reliable_they_are() -> None:
    assert list(said_by(Reasoner(THEORY), Protocol(FACTS, (3,), repeats=2), Local())) == []


# Published numbers


@pytest.fixture(scope="module")
def uwcse() -> Database:
    return read(shared_data("uwcse/paper/test.db"))


@pytest.mark.parametrize(
    ("how", "gains"),
    [
        (Local(), {50: 19.4, 250: 58.6, 600: 37.8}),
        (Global(repair=True), {50: 19.7, 250: 50.7, 600: 29.8}),
        (Global(), {50: 19.7, 250: 41.0, 600: 4.3}),
    ],
)
@pytest.mark.slow
def test_the_authors_theory_gains_what_was_measured_before(uwcse: Database, how: How, gains: dict[int, float]) -> None:
    """NOTES.md, section 4: other evidence sets, so within the noise of both."""
    with pytest.warns(DataWarning, match="spell"):
        theory = in_vocabulary(read_theory(shared_data("uwcse/ijcai17/uwcse.poss")), uwcse.predicates)
    model = TheoryModel("authors", theory, how)
    for one in summarise(run(model, Protocol(uwcse, tuple(gains), repeats=20, seed=1))):
        noise = (one.gain.high - one.gain.mean) * math.sqrt(2) * 1.5
        assert one.gain.mean == pytest.approx(gains[one.size], abs=noise)


@pytest.mark.slow
def test_the_published_network_gains_what_was_measured_before(uwcse: Database) -> None:
    """NOTES.md, section 4, and the benchmark of exact MAP: 39.6 with 250 facts."""
    model = MarkovModel.of("network", read_mln(shared_data("uwcse/paper/alchemy.mln")), uwcse.predicates)
    (one,) = summarise(run(model, Protocol(uwcse, (250,), repeats=10, seed=1)))
    assert one.gain.mean == pytest.approx(40.0, abs=6.0)


def test_conclusions_about_empty_cells_are_not_judged() -> None:
    """Nobody knows whether they are right: they count neither way, and of the others both kinds do."""
    people = pd.DataFrame(
        {
            "id": [f"p{number}" for number in range(40)],
            "city": ["Rome"] * 39 + ["Oslo"],
            "country": ["Italy", None, "Norway", "Italy"] * 10,
        }
    )
    written = parse_theory('0.9 :: country(X, "Italy") :- city(X, "Rome"). :- country(X, A), country(X, B).')
    theory, test = in_step(written, from_frames({"people": people}))
    protocol = Protocol(test, sizes=(50,), repeats=3)
    for drawn, found in zip(protocol.evidence, run(TheoryModel("theory", theory), protocol), strict=True):
        known = {(fact.predicate.name, plain(fact.arguments[0].name)) for fact in drawn.facts}
        asked = people[[("city", name) in known and ("country", name) not in known for name in people.id]]
        rome = asked[asked.city == "Rome"]
        assert found.right.get("country/2", 0) == (rome.country == "Italy").sum()
        assert found.wrong.get("country/2", 0) == (rome.country == "Norway").sum()

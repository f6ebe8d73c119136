"""Learning from tables: rules with constants and thresholds, what is measured of them, and what they predict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from possilog import Reasoner, learn, parse_theory
from possilog.data import Database
from possilog.errors import QueryError
from possilog.learning import Learned
from possilog.learning.lists import _best
from possilog.logic import Atom, Declared, HeldOut, Predicate, parse_clause
from possilog.structure.columns import ColumnRule, mine_columns

TYPES = {
    Predicate("carrier", 2): ("flight", "carrier"),
    Predicate("origin", 2): ("flight", "origin"),
    Predicate("delay", 2): ("flight", "delay"),
    Predicate("late", 1): ("flight",),
    Predicate("haul", 2): ("flight", "haul"),
}
DECLARED = Declared(TYPES, frozenset({"delay"}))


def flights(rows: int, seed: int) -> Database:
    """Late if EV flies from EWR, or by a delay of 15 or more, but for 5 %; the haul is complete and goes by carrier."""
    rng = np.random.default_rng(seed)
    facts, denied = list[Atom](), list[Atom]()
    for number in range(rows):
        flight = f"f{number}"
        carrier, origin = ["EV", "AA", "UA"][rng.integers(3)], ["EWR", "LGA"][rng.integers(2)]
        delay = int(rng.integers(0, 20))
        late = (delay >= 15 or (carrier == "EV" and origin == "EWR")) ^ bool(rng.random() < 0.05)
        haul = "short" if carrier == "EV" else "long"
        cells = {"carrier": carrier, "origin": origin, "delay": str(delay), "haul": haul}
        facts += [Atom.ground(name, [flight, value]) for name, value in cells.items()]
        (facts if late else denied).append(Atom.ground("late", [flight]))
    return Database.of(facts, denied=denied, declared=DECLARED)


@pytest.fixture(scope="module")
def database() -> Database:
    return flights(600, 0)


@pytest.fixture(scope="module")
def learned(database: Database) -> Learned:
    return learn(database)


def test_constants_thresholds_and_complete_columns_are_learned(learned: Learned) -> None:
    rules = {str(rule.clause) for rule in learned.theory.soft}
    assert "late(A) :- delay(A, B), B >= 15." in rules
    assert 'late(A) :- carrier(A, "EV"), origin(A, "EWR").' in rules
    assert 'haul(A, short) :- carrier(A, "EV").' in rules
    assert ":- haul(A, B), haul(A, C)." in {str(rule.clause) for rule in learned.theory.hard}
    assert learned.ordered.unlikely is not None and "worlds" in learned.ordered.unlikely  # too many: confidences
    assert parse_theory(str(learned.theory)).text() == str(learned.theory)


def test_what_is_held_out_comes_true_as_promised(learned: Learned) -> None:
    measures = learned.theory.measures
    assert measures is not None
    cases = [rule.held_out for rule in measures.rules if rule.held_out.cases]
    right, said, number = (sum(getattr(one, name) for one in cases) for name in ("right", "said", "cases"))
    assert number > 100
    assert abs(right - said) / number < 0.05


def test_hidden_cells_are_predicted(learned: Learned) -> None:
    theory = learned.theory
    test = flights(200, 1)
    given = [fact for fact in test if fact.predicate.name not in ("late", "haul")]
    found = {conclusion.atom for conclusion in Reasoner(theory).predict(Database.of(given, declared=DECLARED)).added}
    hauls = {atom for atom in found if atom.predicate.name == "haul"}
    assert len(hauls) == 200
    assert hauls <= set(test)
    late = {atom for atom in found if atom.predicate.name == "late"}
    right = len(late & set(test))
    assert right / len(late) > 0.88
    assert right / test.count(Predicate("late", 1)) > 0.85


def test_one_target_makes_a_short_theory(database: Database) -> None:
    late = learn(database, targets=["late"]).theory
    assert {str(rule.clause) for rule in late.soft} == {
        "late(A) :- delay(A, B), B >= 15.",
        'late(A) :- carrier(A, "EV"), origin(A, "EWR").',
    }
    haul = learn(database, targets=["haul"]).theory
    assert {str(rule.clause) for rule in haul.soft} == {
        'haul(A, short) :- carrier(A, "EV").',
        "haul(A, long) :- carrier(A, B).",
    }
    assert len(learn(database, targets=["late"], max_rules=1).theory.soft) == 1


def test_limits(database: Database) -> None:
    few = flights(200, 0)
    assert not any("delay" in str(rule) for rule in learn(few, targets=["late"], exclude=["delay"]).theory.soft)
    for targets, used in ((["late"], []), ([], ["gate", "late"])):
        with pytest.raises(QueryError, match="late is asked for and excluded; leave one of the two out"):
            learn(few, exclude=["delay", "late"], targets=targets, only=used)
    only = learn(database, targets=["late"], only=["delay"]).theory
    assert {str(rule.clause) for rule in only.soft} == {"late(A) :- delay(A, B), B >= 15."}
    assert not any('"' in str(rule) for rule in learn(few, targets=["late"], constants=False).theory.soft)
    assert not learn(few, targets=["late"], min_support=180, width=3).theory.soft


@pytest.mark.parametrize(
    "wrong",
    [{"targets": ["lat"]}, {"exclude": ["x"]}, {"constants": ["carrier"]}, {"min_support": 0}, {"width": "all"}],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(database: Database, wrong: dict[str, object]) -> None:
    with pytest.raises(QueryError):
        learn(database, **wrong)  # type: ignore[arg-type]


def test_banned_rules_stay_out(database: Database) -> None:
    banned = parse_clause("late(F) :- delay(F, D), D >= 15.")
    theory = learn(database, start=parse_theory(f"#ban {banned}")).theory
    assert not theory.bans(parse_clause("late(F) :- delay(F, D), D >= 16."))
    assert str(banned) not in {str(rule.clause) for rule in theory.soft}
    assert all(not theory.bans(rule.clause) for rule in theory.soft)


def test_plain_facts_have_rules_with_constants_where_they_are_asked_for() -> None:
    facts = [Atom.ground("colour", [f"t{n}", ["red", "green", "blue"][n % 3]]) for n in range(90)]
    facts += [Atom.ground("ripe", [f"t{n}"]) for n in range(90) if n % 3 == 0]
    database = Database.of(facts)
    plain = learn(database, targets=["ripe"])
    assert not any("red" in str(rule) for rule in plain.theory.soft)
    named = learn(database, targets=["ripe"], constants=["colour.2"])
    assert "ripe(A) :- colour(A, red)." in {str(rule.clause) for rule in named.theory.soft}


def mushrooms(rows: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Nine attributes, of which four decide whether a mushroom is poisonous, but for 1 %."""
    rng = np.random.default_rng(seed)
    values = {"odor": "nfaycspl", "spore": "wnkhr", "cap": "xfbks", "gill": "bnwpk", "ring": "olp", "habitat": "gldpu"}
    values |= {"size": "bn", "stalk": "etr", "colour": "nwygr"}
    often = {name: rng.dirichlet(np.full(len(some), 2.0)) for name, some in values.items()}
    columns = {name: rng.choice(list(some), rows, p=often[name]) for name, some in values.items()}
    poisonous = np.isin(columns["odor"], list("fcspy")) | (columns["spore"] == "r")
    poisonous |= (columns["odor"] == "n") & (columns["spore"] == "w") & (columns["size"] == "n")
    poisonous ^= rng.random(rows) < 0.01
    return columns, np.where(poisonous, "poisonous", "edible")


@pytest.mark.parametrize("seed", range(3))
def test_a_class_is_predicted_like_by_a_decision_tree_of_depth_3_with_as_few_rules(seed: int) -> None:
    trees = pytest.importorskip("sklearn.tree")
    columns, classes = mushrooms(1500, seed)
    types = {Predicate(name, 2): ("mushroom", name) for name in (*columns, "class")}

    def facts(rows: range, named: bool) -> Database:
        cells = {**columns, "class": classes} if named else columns
        atoms = [Atom.ground(name, [f"m{row}", str(column[row])]) for name, column in cells.items() for row in rows]
        return Database.of(atoms, declared=Declared(types))

    learned = learn(facts(range(1000), True), targets=["class"])
    prediction = Reasoner(learned.theory).predict(facts(range(1000, 1500), False))
    truth = set(facts(range(1000, 1500), True))
    ours = sum(conclusion.atom in truth for conclusion in prediction.added) / 500
    coded = np.concatenate([column[:, None] == np.unique(column) for column in columns.values()], axis=1)
    tree = trees.DecisionTreeClassifier(max_depth=3, random_state=0).fit(coded[:1000], classes[:1000])
    assert ours >= tree.score(coded[1000:], classes[1000:]) - 0.02
    assert len(learned.theory.ranked) <= max(tree.get_n_leaves(), 8)


def test_every_row_gets_a_value_even_where_none_is_likelier_than_not() -> None:
    rng = np.random.default_rng(0)
    sizes, noise = rng.integers(0, 60, 900), rng.random(900)
    classes = np.where(noise < 0.55, rng.integers(0, 5, 900), sizes // 12)  # five classes, each right in 56 %
    types = {Predicate(name, 2): ("row", name) for name in ("size", "class")}

    def facts(rows: range, *columns: str) -> Database:
        cells = {"size": [*map(str, sizes)], "class": [f"c{label}" for label in classes]}
        atoms = [Atom.ground(name, [f"r{row}", cells[name][row]]) for name in columns for row in rows]
        return Database.of(atoms, declared=Declared(types, frozenset({"size"})))

    theory = learn(facts(range(300), "size", "class"), targets=["class"]).theory
    assert theory.measures is not None and theory.measures.lists[0].held_out.cases == 300
    assert parse_theory(str(theory)).text() == str(theory)
    added, truth = Reasoner(theory).predict(facts(range(300, 900), "size")).added, set(facts(range(300, 900), "class"))
    assert len(added) == 600
    right = sum(conclusion.atom in truth for conclusion in added)
    assert right > 240  # the most frequent one would be right in 120
    said = [one.stated.probability for one in added if one.stated is not None]
    assert abs(sum(said) - right) < 60


def test_which_list_is_taken() -> None:
    """Rules good by themselves in place of a tree: as right and no more, or clearly better; else the coarser tree."""
    rule = ColumnRule(parse_clause("class(A, a) :- x(A, B)."), np.ones(1, bool), np.zeros(1, bool))

    def taken(sizes: tuple[int, int, int], right: tuple[int, int, int], most_frequent: int = 50) -> int:
        return _best([[rule] * size for size in sizes], [HeldOut(each, 0, 100) for each in right], most_frequent)

    assert taken((3, 0, 0), (60, 0, 0)) == 0
    assert taken((9, 5, 7), (80, 80, 80)) == 1 and taken((9, 5, 7), (80, 80, 81)) == 2
    assert taken((5, 5, 7), (80, 80, 80)) == 0 and taken((6, 5, 7), (80, 80, 80)) == 1
    assert taken((6, 5, 7), (85, 80, 80)) == 0 and taken((6, 5, 7), (84, 80, 80)) == 1 == taken((8, 5, 7), (90, 80, 80))
    assert taken((1, 5, 7), (55, 55, 50), most_frequent=52) == 1, "hardly better than the most frequent value"


def test_rules_with_constants_are_weighed_by_likelihood_where_worlds_can_be_counted(database: Database) -> None:
    learned = learn(database, targets=["late"], only=["carrier", "origin"], width=2)
    assert learned.ordered.unlikely is None and learned.weighing is not None
    counts = learned.weighing.counts
    assert sum(one.n.value for one in counts.strata) == counts.subsets
    assert sum(one.m.value for one in counts.strata) == counts.worlds.value
    assert any('"EV"' in one.text and one.n.value for one in counts.strata)


def test_candidates_are_all_rules_that_were_found() -> None:
    """Also those that are not taken; but not what is left for all others at the end of a list."""
    database = flights(200, 3)
    target = Predicate("haul", 2)
    learned = learn(database, targets=["haul"])
    mined = mine_columns(database, replace(learned.settings.focus.mining(database, 3, 3, 0), otherwise=True))
    assert {rule.clause for rule in mined if not rule.is_otherwise} <= {*learned.candidates}
    assert any(rule.is_otherwise for rule in mined) and target in {
        clause.head[0].predicate for clause in learned.candidates
    }

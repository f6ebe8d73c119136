"""MAP against its definition, and against the figures of an independent exact solver."""

from __future__ import annotations

import json
import math
import random
import statistics
from functools import partial
from itertools import combinations, product
from pathlib import Path
from time import process_time

import numpy as np
import pytest

import command
from budget import budget
from markov.random_networks import Case, objectives, random_case
from possilog.chance import generator
from possilog.data import Database, Evidence, read
from possilog.deadline import NEVER, Deadline
from possilog.errors import QueryError, TheoryError
from possilog.logic import Atom, Literal, parse_atom
from possilog.markov import Domain, MapState, Network, map_state, parse_mln, read_mln
from possilog.markov.elimination import solve_narrow
from possilog.markov.highs import solve_highs
from possilog.markov.map import solve_in_parts
from possilog.markov.problem import MapProblem
from shared import shared_data

CASES = 1_500
PARTS = 8
PROGRAMS = ("highs", "rc2")
SOLVERS = ("auto", *PROGRAMS)


def check(case: Case, solver: str) -> None:
    atoms, values = objectives(case)
    best = float(values.max())
    if math.isinf(best):
        with pytest.raises(QueryError, match=r"contradicts the hard formula|no world keeps all hard formulas"):
            map_state(case.network, case.evidence, closed=case.closed, solver=solver)
        return
    state = map_state(case.network, case.evidence, closed=case.closed, solver=solver)
    assert state.optimal and state.gap == 0
    assert state.objective == pytest.approx(best, abs=1e-7), case.text
    places = [atoms.index(atom) for atom in state.predicted]
    world = sum(1 << place for place in places)
    assert values[world] == pytest.approx(best, abs=1e-7), case.text
    assert all(values[world - (1 << place)] < best for place in places), case.text


@pytest.mark.parametrize("part", range(PARTS))
def test_no_world_of_a_random_network_is_better(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if part % 2:  # in rounds, as large problems are; these would all be ground at once
        monkeypatch.setattr("possilog.markov.map.MAX_AT_ONCE", -1)
    if part % 4 > 1:  # in parts that no clause connects, as large problems are, too
        monkeypatch.setattr("possilog.markov.map.PART_ATOMS", 1 + part % 4)
    rng = random.Random(part)
    for _ in range(budget(CASES) // PARTS):
        case = random_case(rng)
        for solver in SOLVERS:
            check(case, solver)


def predicted(text: str, *literals: str, closed: tuple[str, ...] = ()) -> list[str]:
    known = Evidence.of(Literal(parse_atom(one.removeprefix("!")), not one.startswith("!")) for one in literals)
    return [str(atom) for atom in map_state(parse_mln(text), known, closed=closed).predicted]


def test_equal_constants_count() -> None:
    # With x = y the formula says that nobody knows himself: the weight counts once for that, and twice for other pairs.
    text = "p = {{Anna}}\nR(p, p)\n{} R(x, y)\n1 !R(x, y) v !R(y, x)"
    assert predicted(text.format("0.9")) == []
    assert predicted(text.format("1.1")) == ['R("Anna", "Anna")']
    both = text.replace("Anna", "Anna, Bob")
    assert len(predicted(both.format("2.1"), "!R(Anna, Anna)", "!R(Bob, Bob)")) == 2
    assert len(predicted(both.format("1.9"), "!R(Anna, Anna)", "!R(Bob, Bob)")) == 1


def test_closed_and_open_predicates() -> None:
    text = "P(a)\nQ(a)\n1 P(x)\n3 !P(x) v Q(x)"
    assert predicted(text, "Q(A)") == ['P("A")']
    assert predicted(text, "Q(A)", "!P(A)") == []
    assert predicted(text, "P(A)", closed=("P",)) == ['Q("A")']
    assert predicted(text, "P(A)", "P(B)", "!Q(B)") == ['Q("A")']
    assert predicted(text, "Q(A)", closed=("P",)) == []
    with pytest.raises(QueryError, match="no predicate 'R'"):
        predicted(text, closed=("R",))


def test_an_atom_that_could_as_well_be_false_is_false() -> None:
    assert predicted("P(a)\na = {A, B}\n0 P(x)") == []
    # One of the two makes 3 of 4 groundings true, and both make 4, but cost 1 more.
    assert predicted("P(a)\na = {A, B}\n1 P(x) v P(y)\n-1 P(x)") == ['P("A")']


def test_exactly_one_value() -> None:
    text = "person = {Anna, Bob}\npost = {Chair, Clerk}\nHas(person, post!)\n-5 Has(x, y)\n1 Has(x, Clerk)"
    assert predicted(text) == ['Has("Anna", "Clerk")', 'Has("Bob", "Clerk")']
    assert predicted(text, "Has(Anna, Chair)") == ['Has("Bob", "Clerk")']
    with pytest.raises(QueryError, match="hard formula"):
        predicted(text, "Has(Anna, Chair)", "Has(Anna, Clerk)")


def test_what_cannot_be_answered() -> None:
    with pytest.raises(TheoryError, match="no weight"):
        predicted("P(a)\nP(x)")
    with pytest.raises(QueryError, match=r"contradicts the hard formula 'Q\(x\) v !P\(x\)\.';"):
        predicted("P(a)\nQ(a)\nP(x) => Q(x).", "P(A)", "!Q(A)")
    with pytest.raises(QueryError, match="more than 0"):
        map_state(parse_mln("P(a)"), time_limit=0)
    wide = Domain(parse_mln("P(a, a, a)").declarations, {"a": [f"A{number}" for number in range(1000)]})
    with pytest.raises(QueryError, match="1,000,000,000 atoms of P/3"):
        map_state(parse_mln("P(a, a, a)\n1 P(x, y, z)"), domain=wide)


def test_a_large_type_costs_nothing_where_nothing_can_be_violated() -> None:
    text = "R(a, a)\nP(a)\n-1 R(x, y)\n-1 P(x)\n2 R(x, y) ^ R(y, z) => R(x, z)\n-0.3 P(x) ^ R(x, y)\n2 R(x, y) => P(y)"
    people = [f"A{number}" for number in range(100_000)]
    links = [Atom.ground("R", people[number : number + 2]) for number in range(0, 100, 2)]
    network = parse_mln(text)
    state = map_state(network, Database.of(links), domain=Domain(network.declarations, {"a": people}))
    assert state.optimal and {*state.predicted} == {Atom.ground("P", [people[i]]) for i in range(1, 100, 2)}
    assert state.active <= 200


@pytest.mark.parametrize("solver", PROGRAMS)
def test_a_time_limit_leaves_a_world_and_a_gap(solver: str) -> None:
    network, evidence = knotted(14)
    state = soonest(network, evidence, solver)
    assert not state.optimal and 0 < state.gap < math.inf
    better = map_state(network, evidence, time_limit=2)
    assert state.objective <= better.bound and better.objective <= state.bound


def soonest(network: Network, evidence: Evidence, solver: str) -> MapState:
    """What is found in the shortest time in which anything is; a busy machine may need more."""
    for seconds in (0.2, 0.8):
        try:
            return map_state(network, evidence, time_limit=seconds, solver=solver)
        except QueryError as error:
            assert "found in time" in str(error)
    return map_state(network, evidence, time_limit=3.2, solver=solver)


def knotted(people: int) -> tuple[Network, Evidence]:
    """A network whose rules pull in different directions everywhere."""
    rng = random.Random(0)
    names = [f"P{number}" for number in range(people)]
    network = parse_mln(
        "R(p, p)\n1 R(x, y) ^ R(y, z) => R(x, z)\n1 R(x, y) <=> R(y, x)\n-0.4 R(x, y)\n2.7 R(x, y) v R(y, z) v R(z, x)"
    )
    pairs = [Atom.ground("R", [one, other]) for one in names for other in names]
    return network, Evidence.of(Literal(pair, rng.random() < 0.5) for pair in pairs if rng.random() < 0.15)


def test_no_world_in_time() -> None:
    network = parse_mln("p = {1, ..., 40}\nR(p, p)\n1 R(x, y)\nR(x, y) v R(y, z) v R(z, x).\n!R(x, y) v !R(y, z).")
    with pytest.raises(QueryError, match="found in time"):
        map_state(network, time_limit=0.001)


def test_elimination_by_definition() -> None:
    """Groups of which one atom is true at most, or exactly, or two share one, gains, clauses: as all choices say."""
    chance, contradictory = random.Random(5), 0
    for _ in range(80):
        groups, atoms = [], 0
        for _ in range(chance.randint(1, 3)):
            first = max(0, atoms - (chance.random() < 0.2))
            groups.append(range(first, first + chance.choice([1, 2, 3])))
            atoms = groups[-1].stop
        atoms += chance.randint(0, 1)
        problem = MapProblem(np.array([chance.choice([-1.5, 0.0, 0.5, 2.0]) for _ in range(atoms)]), constant=0.25)
        for group in groups:
            if chance.random() < 0.8:
                problem.add(np.array([[2 * atom for atom in group]]), math.inf)
            for pair in combinations(group, 2):
                problem.add(np.array([[2 * atom + 1 for atom in pair]]), math.inf)
        for _ in range(chance.randint(0, 8)):
            some = [
                2 * atom + chance.randint(0, 1)
                for atom in chance.sample(range(atoms), min(atoms, chance.randint(1, 3)))
            ]
            problem.add(np.array([some]), chance.choice([-2.0, -0.5, 0.7, 3.0, math.inf]))
        problem.settle()
        costs = [problem.cost(np.array(choice, dtype=bool)) for choice in product([False, True], repeat=atoms)]
        found = solve_narrow(problem)
        contradictory += found is None
        assert (found is None) == (min(costs) == math.inf)
        assert found is None or (found.is_optimal and found.cost == pytest.approx(min(costs)))
    assert 0 < contradictory < 40


def test_a_long_clause_over_atoms_that_are_known() -> None:
    """Tables have at most 64 axes, however short these are."""
    names = [f"P(A{number})" for number in range(70)]
    lines = ["P(thing)", *(f"{name}." for name in names), "0.5 !" + " v !".join(names)]
    state = map_state(parse_mln("\n".join(lines)))
    assert state.optimal and len(state.predicted) == 70


def test_a_network_of_bayes_is_solved_at_once() -> None:
    """Tables of probabilities as clauses, over 37 variables of four values: an integer program took ten seconds."""
    chance, lines = random.Random(3), []
    for number in range(37):
        parents = chance.sample(range(max(0, number - 5), number), min(number, 2))
        lines.append(f"V{number}(value{number}!)")
        for given in product(range(4), repeat=len(parents)):
            shares = [chance.gammavariate(0.5, 1) + 0.01 for _ in range(4)]
            for value, share in enumerate(shares):
                atoms = [f"V{one}(A{other})" for one, other in zip((number, *parents), (value, *given), strict=True)]
                lines.append(f"{-math.log(share / sum(shares)):.6f} " + " v ".join("!" + atom for atom in atoms))
    network = parse_mln("\n".join(lines))
    began = process_time()
    state = map_state(network)
    assert process_time() - began < 5  # 1.5 on a quiet machine, nearly all of it for 2,000 formulas
    assert state.optimal and state.rounds == 1 and len(state.predicted) == 37


def test_a_problem_falls_into_parts_that_no_clause_connects() -> None:
    chance = random.Random(8)
    for _ in range(30):
        problem = MapProblem(np.array([chance.uniform(-1, 1) for _ in range(30)]))
        for length in chance.choices([1, 2, 3], k=chance.randint(0, 25)):
            literals = [2 * atom + chance.randint(0, 1) for atom in chance.sample(range(30), length)]
            problem.add(np.array([literals]), chance.choice([-1.0, 0.7, math.inf]))
        problem.settle()
        clauses = {(*row, w) for rows, weights in problem.clauses() for *row, w in np.c_[rows, weights].tolist()}
        parts = list(problem.parts(4))
        assert sorted(atom for atoms, _ in parts for atom in atoms.tolist()) == list(range(30))
        assert all((problem.gains[atoms] == part.gains).all() for atoms, part in parts)
        assert clauses == {
            (*(2.0 * atoms[int(literal) >> 1] + int(literal) % 2 for literal in row), w)
            for atoms, part in parts
            for rows, weights in part.clauses()
            for *row, w in np.c_[rows, weights].tolist()
        }
        assert len(parts) > 1 or len(clauses) > 10


def test_thousands_of_pairs_are_no_more_work_than_their_number() -> None:
    problem = MapProblem(np.tile([1.5, -1.0], 20_000))
    problem.add(2 * np.arange(40_000).reshape(-1, 2) + np.array([1, 0]), 1.2)
    problem.settle()
    began = process_time()
    found = solve_in_parts(problem, solve_highs, NEVER)
    assert process_time() - began < 3  # 0.3 on a quiet machine; as one program 7
    assert found is not None and found.is_optimal and found.cost == pytest.approx(-0.5 * 20_000)
    late = solve_in_parts(problem, solve_highs, Deadline(0))
    assert late is not None and not late.is_optimal


def test_answers_do_not_change() -> None:
    network, evidence = knotted(4)
    for solver in SOLVERS:
        first = map_state(network, evidence, solver=solver)
        assert first.optimal
        assert all(map_state(network, evidence, solver=solver).predicted == first.predicted for _ in range(3))


# The paper's network on UWCSE; means of an independent exact solver over 5 evidence sets of its own.
REFERENCE = {10: 827.8, 50: 782.8, 100: 721.0, 200: 599.0, 300: 495.6, 500: 299.2, 700: 118.2}


@pytest.mark.parametrize(("size", "reference"), REFERENCE.items())
def test_the_errors_on_uwcse(size: int, reference: float) -> None:
    network = read_mln(shared_data("uwcse/paper/alchemy.mln"))
    test = list(read(shared_data("uwcse/paper/test.db")))
    errors = []
    for seed in range(10):
        chosen = generator(seed, "evidence", str(size)).choice(len(test), size, replace=False)
        given = [test[number] for number in chosen]
        states = [map_state(network, Database.of(given), solver=solver) for solver in PROGRAMS]
        assert all(state.optimal for state in states)
        assert states[0].objective == pytest.approx(states[1].objective, rel=1e-12)
        errors.append(len({*given, *states[0].predicted} ^ {*test}))
    # Single errors scatter by up to 7; their mean was of 5 sets and ours is of 10.
    noise = statistics.stdev(errors) * math.sqrt(1 / 5 + 1 / 10)
    assert abs(statistics.mean(errors) - reference) < 3 * noise + 0.5


# The command


run = partial(command.run, "markov", "map")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.mln").write_text(
        "Smokes(p)\nFriends(p, p)\n-1 Smokes(x)\n1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)\n"
    )
    (tmp_path / "e.db").write_text("Smokes(Anna)\nFriends(Anna,Bob)\nFriends(Bob,Carl)\n!Smokes(Carl)\n")
    return tmp_path


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_command_prints_json(folder: Path, solver: str) -> None:
    finished = run("a.mln", "--evidence", "e.db", "--json", "--solver", solver, cwd=folder)
    assert finished.returncode == 0, finished.stderr
    found = json.loads(finished.stdout)
    assert found["optimal"] is True and found["gap"] == 0 and found["seconds"] > 0
    # Anna smokes: -1. Nine groundings of the rule: Bob's one violated, since two would be lost if he smoked.
    assert found["objective"] == pytest.approx(-1 + 8 * 1.5)
    assert found["predicted"] == [
        {"atom": "Friends(Anna, Bob)", "given": True},
        {"atom": "Friends(Bob, Carl)", "given": True},
        {"atom": "Smokes(Anna)", "given": True},
    ]


def test_the_command_prints_text_and_errors(folder: Path) -> None:
    (folder / "e.db").write_text("Smokes(Anna)\nFriends(Anna,Bob)\n")
    finished = run("a.mln", "--evidence", "e.db", cwd=folder)
    assert finished.stdout == "  Smokes(Bob)\n1 predicted, 2 given; objective 4, the best\n"
    assert run("a.mln", "--evidence", "e.db", "--closed", "Smokes", cwd=folder).stdout.startswith("0 predicted")
    (folder / "a.mln").write_text("Smokes(p)\n1 Smokes(x")
    finished = run("a.mln", cwd=folder)
    assert (finished.returncode, finished.stdout) == (2, "") and finished.stderr.startswith("error: a.mln:2:11: found")


def test_without_highspy(folder: Path) -> None:
    before = "import sys; sys.modules['highspy'] = None"
    finished = run("a.mln", "--evidence", "e.db", cwd=folder, before=before)
    assert finished.returncode == 2 and "pip install 'possilog[markov]'" in finished.stderr
    assert run("a.mln", "--evidence", "e.db", "--solver", "rc2", cwd=folder, before=before).returncode == 0


def test_soft_formulas_that_hold_by_themselves_count_and_hard_ones_do_not() -> None:
    """P(x) or not P(x) is true in every world: its weight for each constant is in the objective."""
    network = parse_mln("P(a)\n1.5 P(x) v !P(x)\nP(x) v !P(x).\n2 P(x)\n")
    assert map_state(network, ["P(A)", "P(B)"]).objective == pytest.approx(2 * 1.5 + 2 * 2)


@pytest.mark.parametrize(
    ("always", "gain"), [("2 P(x) v !P(x)", 4), ("P(x) v !P(x).", 0), ("-1.5 P(x) v !P(x)", -3), ("2 Q(x) v !Q(x)", 4)]
)
def test_what_is_always_true_counts_for_every_constant_and_hard_clauses_for_nothing(always: str, gain: float) -> None:
    without, network = (parse_mln(f"P(t)\nQ(t)\n{line}\n1 Q(x)\n") for line in ("", always))
    facts = ["P(A)", "P(B)"]
    assert map_state(without, facts).objective == pytest.approx(2)
    assert map_state(network, facts).objective == pytest.approx(2 + gain)


def test_what_equalities_make_true_counts_where_it_is_soft() -> None:
    text = "a = {A, B, C}\nP(a)\n-1 P(x)\n2 P(x) v x = x\nP(x) v x = x.\n0.5 P(A) v A != B"
    for solver in SOLVERS:
        state = map_state(parse_mln(text), solver=solver)
        assert (state.objective, state.predicted, state.optimal) == (6.5, (), True)


def test_json_tells_what_was_given_from_what_is_predicted() -> None:
    state = map_state(parse_mln("P(t)\nQ(t)\n2 P(x) => Q(x)\n"), Evidence.of([parse_atom("P(A)")]))
    assert state.as_json["predicted"] == [{"atom": "P(A)", "given": True}, {"atom": "Q(A)", "given": False}]

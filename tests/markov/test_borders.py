"""Limits, one below, at and one above, and small decisions that no random network need meet."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bordering import check_limit
from markov.random_networks import satisfied
from possilog.data import Database, Evidence
from possilog.errors import DataError, DataWarning, FileError, LanguageError, QueryError, TheoryError
from possilog.logic import CERTAIN, Predicate, canonical, parse_atom, parse_clause, parse_theory
from possilog.markov import (
    Domain,
    LearningSettings,
    certain,
    cnf,
    domain,
    elimination,
    encode_network,
    encoding,
    export,
    files,
    grounding,
    highs,
    learn_network,
    learn_weights,
    map_state,
    parse_mln,
    parsing,
    question,
    rc2,
    read_mln,
    weighted_clauses,
)
from possilog.markov.arithmetic import read_weight
from possilog.markov.asp import export_asp
from possilog.markov.candidates import neighbours
from possilog.markov.flips import FlipTable, Known
from possilog.markov.problem import MapAnswer, MapProblem
from possilog.markov.prolog import export_prolog
from possilog.sat.maxsat import MaxSat

TRANSITIVE = "0.9 :: r(X, Z) :- r(X, Y), r(Y, Z)."
CHAIN = [f"r({one}, {other})" for one, other in zip("abcd", "bcde", strict=True)]


def clauses_of(text: str) -> object:
    network = parse_mln(text)
    return weighted_clauses(network, Domain.of(network))


def narrow() -> object:
    """Two atoms that no clause connects, so two tables of two entries; None is for what is too large."""
    answer = elimination.solve_narrow(MapProblem(np.array([1.0, -1.0])))
    if answer is None:
        raise QueryError("it is not narrow")
    return answer


def derived(most: int) -> object:
    facts = Database.of(map(parse_atom, CHAIN))
    found = certain.certain_atoms([parse_clause("r(X, Z) :- r(X, Y), r(Y, Z).")], facts, "abcde", most)
    if found is None:
        raise QueryError("there are too many")
    assert len(found) == 6
    return found


@pytest.mark.parametrize(
    ("module", "name", "least", "work"),
    [
        (cnf, "MAX_CHOICES", 4, lambda: clauses_of("a = {A, B}\nP(a)\nQ(a)\n1 P(+x) v Q(+y)")),
        (cnf, "MAX_CLAUSES", 3, lambda: clauses_of("P\nQ\nR\n1 P ^ Q ^ R")),
        (cnf, "MAX_STEPS", 5, lambda: clauses_of("P\nQ\n1 P ^ Q")),  # a conjunction, two atoms, two clauses
        (domain, "_MOST_ATOMS", 5, lambda: Domain.of(parse_mln("a = {A, B}\nP(a)\nQ(a)"))),
        (elimination, "MOST_ATOMS", 2, narrow),
        (elimination, "MOST_ENTRIES", 4, narrow),
        (encoding, "MAX_ATOMS", 2, lambda: encode_network(parse_mln("P\nQ\n1 P v Q"))),
        (
            export,
            "MAX_TARGETS",
            25,
            lambda: export.export_psl(parse_theory(TRANSITIVE), CHAIN),
        ),
        (grounding, "MAX_ROWS", 7, lambda: grounding.check_rows(7)),
        (question, "MAX_ROWS", 3, lambda: map_state(parse_mln("a = {A, B, C}\nP(a)\n1 P(x)"))),
        (parsing, "MAX_DEPTH", 3, lambda: parse_mln("P\n1 !!P")),
        (parsing, "MAX_DEPTH", 3, lambda: parse_mln("P\n1 P => P <=> P => P")),
        (parsing, "MAX_STARS", 2, lambda: parse_mln("P\n1 *P v *P")),
        (parsing, "MAX_RANGE", 4, lambda: parse_mln("a = {3, ..., 6}")),
        (parsing, "_LONGEST_INTEGER", 2, lambda: parse_mln("a = {9, ..., 10}")),
        (parsing, "_LONGEST_INTEGER", 2, lambda: parse_mln("a = {-1, ..., 1}")),
        (parsing, "MAX_WEIGHT", 7, lambda: parse_mln("P\n-7 P")),
    ],
)
def test_limits(
    module: object, name: str, least: int, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_limit(module, name, least, work, monkeypatch)


def test_limits_of_what_is_derived_and_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    derived(6)
    with pytest.raises(QueryError):
        derived(5)
    (tmp_path / "net.mln").write_text("#include a.mln\n#include b.mln\n")
    for name in "ab":
        (tmp_path / f"{name}.mln").write_text(f"{name.upper()}(t)\n")
    for most in (2, 3):
        monkeypatch.setattr(files, "_MOST_FILES", most)
        assert len(read_mln(tmp_path / "net.mln").declarations) == 2
    monkeypatch.setattr(files, "_MOST_FILES", 1)
    with pytest.raises(FileError, match=r"'b.mln', after 1 files were included"):
        read_mln(tmp_path / "net.mln")


def test_brackets_around_a_weight() -> None:
    found = read_weight("(" * 50 + "1" + ")" * 50, 0)
    assert found == (1.0, 101) and read_weight("(" * 51 + "1" + ")" * 51, 0) is None


def test_a_range_of_one_number_and_of_none() -> None:
    assert parse_mln("a = {3, ..., 3, 5}").constants == {"a": ("3", "5")}
    with pytest.raises(LanguageError, match="an integer before and a larger one after"):
        parse_mln("a = {3, ..., 2}")


@pytest.mark.parametrize("name", ["max_vars", "max_length", "beam"])
def test_one_is_enough_and_none_is_not(name: str) -> None:
    facts = Database.of(map(parse_atom, CHAIN))
    assert learn_network(facts, settings=LearningSettings(most_judged=3, **{name: 1})).network.formulas
    with pytest.raises(QueryError, match="at least 1"):
        learn_network(facts, settings=LearningSettings(**{name: 0}))


def test_time_limits_and_priors_are_above_nothing() -> None:
    facts = Database.of(map(parse_atom, CHAIN))
    for settings in (LearningSettings(time_limit=0), LearningSettings(prior=0.0)):
        with pytest.raises(QueryError, match="give it more than 0"):
            learn_network(facts, settings=settings)
    assert learn_network(facts, settings=LearningSettings(time_limit=60, max_length=1)).complete


@pytest.mark.parametrize(("facts", "it"), [(["Eats(a)"], "it"), (["Eats(a)", "!Drinks(a)"], "them")])
def test_what_is_not_declared_plays_no_part(facts: list[str], it: str) -> None:
    with pytest.warns(DataWarning, match=f"so the evidence about {it} plays no part"):
        Domain.of(parse_mln("P(a)"), Evidence.of(facts))
    with pytest.raises(DataError, match="Eats has 1 argument in the evidence and 2 in the network"):
        Domain.of(parse_mln("Eats(a, a)"), Evidence.of(facts))


def test_probabilities_down_to_the_smallest_that_is_written() -> None:
    assert encoding._weight(-math.inf) == CERTAIN and encoding._weight(0.0).doubt == 1
    assert 0 < encoding._weight(-2300.0).doubt < 1e-300
    with pytest.raises(TheoryError, match="too small to be written"):
        encoding._weight(-2300.1)


def test_tables_of_one_place_are_never_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounding, "MAX_ROWS", 10)
    keys, values = np.arange(2), np.ones(2)
    FlipTable(Predicate("r", 3), (0,), keys, values).check((5, 5, 5))
    FlipTable(Predicate("r", 3), (0, 1), keys, values).check((5, 5, 5))
    with pytest.raises(grounding.TooManyGroundings, match="12 groundings"):
        FlipTable(Predicate("r", 3), (0, 2), keys, values).check((5, 6, 5))


def test_tables_that_are_known_are_not_counted_again_while_there_is_room() -> None:
    counted: list[int] = []

    def table(number: int) -> FlipTable:
        def count() -> FlipTable:
            counted.append(number)
            return FlipTable(Predicate("p", 1), (0,), np.arange(2), np.ones(2))

        return known.table(((number,),), count)

    known = Known(most_rows=4)
    for number in (0, 1, 0, 1, 2, 1, 2, 0):  # room for two of them; the oldest is forgotten
        table(number)
    assert counted == [0, 1, 2, 0]


def test_the_best_answer_is_one_that_reaches_its_bound() -> None:
    true = np.ones(1, dtype=bool)
    assert [MapAnswer(true, 1.0, bound).is_optimal for bound in (0.9, 1.0, 1.1)] == [False, True, True]
    assert not MapAnswer(None, 1.0, 1.0).is_optimal


def test_an_atom_that_gains_nothing_is_false() -> None:
    answer = MapProblem(np.array([0.0, 1e-3, -1e-3])).trivial_answer()
    assert answer is not None and answer.true is not None and answer.true.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        (["P(A)", "P(B)", "P(C)", "Q(D)"], ["1.0986  P(x)", "hard  Q(x) => Q(x)"]),
        (["P(A)", "Q(B)"], ["0.0000  P(x)", "hard  Q(x) => Q(x)"]),
    ],
)
def test_learned_weights_print(facts: list[str], shown: list[str]) -> None:
    network = parse_mln("P(a)\nQ(a)\nP(x)\nQ(x) => Q(x).")
    learned = learn_weights(network, Database.of(map(parse_atom, facts)), prior=None)
    *lines, last = str(learned).splitlines()
    assert [line.strip().removeprefix("-") for line in lines] == shown
    assert all(len(line) - len(line.lstrip()) > 0 for line in lines)
    assert last.startswith(f"log-pseudo-likelihood {learned.log_likelihood:.4f}; converged after ")
    assert repr(learned) == f"<LearnedWeights: 2 formulas, log-pseudo-likelihood {learned.log_likelihood:.4f}>"
    early = learn_weights(parse_mln("P(a)\nP(x)"), Database.of([parse_atom("P(A)")]), iterations=1)
    assert not early.converged and "; not converged after 1 iterations" in str(early)


@pytest.mark.parametrize(
    "formula",
    [
        *("P(x) v P(y) v x != y", "R(x, y) v y != x v P(y)", "P(x) v x != A", "P(x) v B != x", "P(x) v C != A v x = B"),
        *("P(x) v A != C", "P(x) v A != A", "P(x) v x != x", "P(x) v x = x", "P(x) v A = B", "P(x) v B = A v B = B"),
        *("R(x, y) v x = y", "R(x, y) v y = B", "R(x, y) v A = x", "R(x, x) v x = y v P(y) v y = C", "R(x, y) ^ x = y"),
        *("R(x, y) v x != y v y != z v P(z)", "R(x, y) v x != y v x = B", "!R(x, y) v x != y v A = y"),
        *("R(A, x) v !P(x)", "!R(x, B) v R(B, x)", "R(x, x)", "!R(x, x) v P(x)", "R(A, A)", "!P(C)", "P(x) v P(y)"),
    ],
)
def test_what_is_known_is_worth_what_the_definition_says(formula: str) -> None:
    """Equalities of variables and constants in either order, constants, and variables that come twice."""
    network = parse_mln(f"a = {{A, B, C}}\nP(a)\nR(a, a)\n1.5 {formula}")
    places = Domain.of(network)
    for facts in (["P(A)", "R(A, B)", "R(C, C)"], ["P(C)", "P(B)", "R(B, A)", "R(B, B)", "R(A, C)"], []):
        world = frozenset(map(parse_atom, facts))
        worth = sum(one.weight * satisfied(one, places, world) for one in weighted_clauses(network, places))
        assert map_state(network, facts, closed=["P", "R"]).objective == pytest.approx(worth)


def test_the_formula_that_evidence_contradicts_is_the_one_that_is_named() -> None:
    for text in ("P(x).\nQ(x).", "Q(x).\nP(x).", "P(x) v Q(x).\n!P(x).\nQ(x)."):
        with pytest.raises(QueryError, match=r"the evidence contradicts the hard formula 'Q\(x\)\.';"):
            map_state(parse_mln(f"P(a)\nQ(a)\n{text}"), ["!Q(A)"])


Added = list[tuple[list[int], float]]


def random_problem(chance: random.Random) -> tuple[MapProblem, Added]:
    """Clauses, some again, some with a literal twice, an atom and its negation, or a literal known to be false."""
    atoms, added = chance.randint(1, 5), []
    gains = [chance.choice([-1.5, -0.5, 0.0, 0.5, 2.0]) for _ in range(atoms)]
    problem = MapProblem(np.array(gains), constant=0.25)
    for _ in range(chance.randint(0, 5)):
        weight, length = chance.choice([-2.0, -0.5, 0.5, 1.0, math.inf]), chance.choice([0, 1, 1, 2, 2, 3, 3])
        rows = [[chance.randint(-1, 2 * atoms - 1) for _ in range(length)] for _ in range(chance.randint(1, 4))]
        problem.add(np.array(rows, dtype=np.int64).reshape(len(rows), length), weight)
        added += [(row, weight) for row in rows]
    return problem, added


def cost_by_definition(gains: list[float], added: Added, bits: tuple[bool, ...]) -> float:
    """A true atom takes off what it gains, and a violated clause costs its weight."""
    holds = {2 * atom + (not is_true) for atom, is_true in enumerate(bits)}
    gained = sum(gain for gain, is_true in zip(gains, bits, strict=True) if is_true)
    return 0.25 - gained + sum(weight for row, weight in added if holds.isdisjoint(row))


def test_what_choices_cost_by_definition() -> None:
    chance, contradictory, best = random.Random(2), 0, 0
    for _ in range(150):
        problem, added = random_problem(chance)
        gains = problem.gains.tolist()
        problem.settle()
        costs = {bits: cost_by_definition(gains, added, bits) for bits in product([False, True], repeat=len(gains))}
        contradictory += problem.is_contradictory
        for bits, cost in costs.items():
            if problem.is_contradictory:
                assert cost == math.inf
                continue
            assert problem.cost(np.array(bits)) == pytest.approx(cost)
            if cost == math.inf:
                continue
            fewer = [(*bits[:place], False, *bits[place + 1 :]) for place in range(len(bits))]
            losses = problem._losses(np.array(bits), list(problem.clauses())).tolist()
            for place in np.flatnonzero(bits).tolist():
                assert losses[place] == pytest.approx(costs[fewer[place]] - cost)
            answer = problem.answer(np.array(bits))
            best += answer.cost < cost - 1e-9
            assert answer.true is not None and answer.cost == pytest.approx(costs[tuple(answer.true.tolist())])
            assert not (answer.true & ~np.array(bits)).any() and answer.is_optimal
    assert 0 < contradictory < 75 and best > 100


def test_a_predicate_of_which_nothing_is_said_is_not_listed() -> None:
    network = parse_mln("P(a, a, a)\nQ(a)\n1 Q(A1)")
    wide = Domain(network.declarations, {"a": [f"A{number}" for number in range(1000)]})
    assert [str(atom) for atom in map_state(network, domain=wide).predicted] == ['Q("A1")']


def test_neighbours_keep_to_the_types_of_variables() -> None:
    types = {Predicate("p", 1): ("a",), Predicate("r", 2): ("a", "b"), Predicate("q", 1): ("b",), Predicate("n", 0): ()}
    for text, others in (
        ("p(X)", ["r(X, Y)", "n"]),
        ("q(Y)", ["r(X, Y)", "n"]),
        ("r(X, Y)", ["p(X)", "q(Y)", "r(X, Z)", "r(Z, Y)", "n"]),
    ):
        start = parse_clause(f"{text}.")
        expected = [f":- {text}.", *(f"{text} {sign} {atom}." for atom in others for sign in (";", ":-"))]
        found = neighbours(start, types, max_vars=3, max_length=2)
        assert {*found} == {canonical(parse_clause(one)) for one in expected}


def test_answer_sets_have_names_of_their_own() -> None:
    theory = parse_theory('0.9 :: "Adult"(X) :- adult(X), "zoo-x"(X), "not"(X), "_u"(X), stratum(X).')
    program = export_asp(theory, [f"adult({one})" for one in ("2147483647", "2147483648", "not", "07")])
    said = [line for line in program.splitlines() if "stands for" in line]
    assert said == [
        *("% adult_ stands for Adult/1", "% p_u stands for _u/1", "% not_ stands for not/1"),
        "% zoo_x stands for zoo-x/1",
    ]
    assert "adult_(X) :- adult(X), zoo_x(X), not_(X), p_u(X), stratum(X), stratum_(1)." in program
    for constant in ("2147483647", '"2147483648"', '"not"', '"07"'):
        assert f"adult({constant})." in program


def test_neighbours_of_two_literals() -> None:
    """One may change its sign, and one may come; none goes, as single literals are where the search begins."""
    types = {Predicate("p", 1): ("a",), Predicate("q", 1): ("a",), Predicate("s", 1): ("a",)}
    found = {*neighbours(parse_clause("p(X) :- q(X)."), types, max_vars=1, max_length=3)}
    expected = ["p(X) ; q(X).", ":- p(X), q(X).", "p(X) ; s(X) :- q(X).", "p(X) :- q(X), s(X)."]
    assert found == {canonical(parse_clause(one)) for one in expected}


def test_a_formula_that_says_nothing_has_no_weight() -> None:
    network = parse_mln("P(a)\nQ(a)\nP(x)\nQ(x) v !Q(x)")
    learned = learn_weights(network, Database.of(map(parse_atom, ["P(A)", "P(B)", "P(C)", "Q(D)"])), prior=None)
    assert [one.weight for one in learned.network.formulas] == pytest.approx([math.log(3), 0], abs=1e-4)


def test_a_mark_without_a_name_is_no_variable() -> None:
    with pytest.raises(LanguageError, match="a variable or a constant"):
        parse_mln("P(a)\n1 P(?x) v P(?)")


def test_prolog_has_names_of_its_own() -> None:
    theory = parse_theory('0.9 :: write(X) :- broken(X), "zoo"(X). :- write(X), append(X), "Zed"(X).')
    said = [line for line in export_prolog(theory, ["zoo(a)"]).splitlines() if "stands for" in line]
    assert said == ["% append_ stands for append/1", "% write_ stands for write/1"]
    assert "broken_(1) :- " in export_prolog(theory) and "and broken_(N) says" in export_prolog(theory)


@pytest.mark.parametrize(
    ("formula", "clauses"),
    [
        ("2.5 P(x) ^ Q(x)", ["-2.5 !P(x) v !Q(x)"]),
        ("2.5 P(x)", ["2.5 P(x)"]),
        ("2 P(x) ^ (Q(x) v Q(y))", ["2.0 P(x)", "2.0 Q(x) v Q(y) v !P(x)"]),
    ],
)
def test_clauses_of_whole_formulas(formula: str, clauses: list[str]) -> None:
    """Each counts for every choice of the formula's variables, also where it lacks one of them."""
    network = parse_mln(f"a = {{A, B, C}}\nP(a)\nQ(a)\n{formula}", formula_weights="whole")
    places = Domain.of(network)
    found = weighted_clauses(network, places)
    assert [str(one) for one in found] == clauses
    facts = ["P(A)", "P(B)", "Q(A)", "Q(B)"]
    worth = sum(one.weight * satisfied(one, places, frozenset(map(parse_atom, facts))) for one in found)
    assert map_state(network, facts, closed=["P", "Q"]).objective == pytest.approx(worth)


def test_what_cannot_be_is_told_from_what_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that was interrupted knows a bound: what gains and rewards may take off, and what wishes must cost."""
    problem = MapProblem(np.array([2.0, -1.0, 0.0]), constant=0.5)
    problem.add(np.array([[0, 4]]), -3.0)
    problem.add(np.array([[0, 2], [1, 2], [0, 3], [1, 3]]), math.inf)
    assert rc2.solve_rc2(problem, None) is None and highs.solve_highs(problem, None) is None
    late = MaxSat(None, 4 * 10**9, interrupted=True)
    monkeypatch.setattr(rc2, "solve_maxsat", lambda *given: late)
    assert rc2.solve_rc2(problem, 1.0) == MapAnswer(None, math.inf, 0.5 - 2.0 - 3.0 + 4.0)


def test_codes_of_rows_are_equal_where_the_rows_are_however_many_there_could_be() -> None:
    """Three columns of 2³¹ values have more rows than there are numbers of 64 bits, as have four of 2²⁰."""
    for size, columns in ((2**31, 3), (2**20, 4)):
        rows = np.zeros((6, columns), dtype=np.int64)
        rows[1:, 0] = 2**64 // size ** (columns - 1), 1, 0, 2**64 // size ** (columns - 1), 2
        rows[3, 1] = 1
        codes = grounding.row_codes(rows, [size] * columns).tolist()
        assert codes[1] == codes[4] and len({*codes}) == 5


def test_groundings_go_with_the_rows_that_agree() -> None:
    """Of two variables that both have, by definition; a grounding may go with many rows."""
    chance = np.random.default_rng(3)
    for count, size in ((6, 20), (20, 6), (0, 5), (5, 0)):
        found = grounding.Groundings(None, SimpleNamespace(sizes=(3, 2, 9)), count)  # type: ignore[arg-type]
        found.columns = {0: chance.integers(0, 3, count), 1: chance.integers(0, 2, count)}
        table = {0: chance.integers(0, 3, size), 1: chance.integers(0, 2, size), 2: chance.integers(0, 9, size)}
        left, right = found.pairs([0, 1], table, size)
        assert list(zip(left.tolist(), right.tolist(), strict=True)) == [
            (mine, other)
            for mine, other in product(range(count), range(size))
            if all(found.columns[variable][mine] == table[variable][other] for variable in (0, 1))
        ]


def test_only_those_atoms_may_pay_whose_reward_is_possible() -> None:
    """P and Q together are rewarded: as long as Q is not closed any P may pay, and then those of which Q is known."""
    network = parse_mln("a = {A, B, C}\nP(a)\nQ(a)\n-1 !P(x) v !Q(x)")
    place, given = Domain.of(network), Evidence(Database.of([parse_atom("Q(B)")]))
    for closed, paying in (([], ["P(A)", "P(B)", "P(C)", "Q(A)", "Q(C)"]), (["Q"], ["P(B)"])):
        numbers = question.Question(network, given, place, closed).paying()
        assert numbers.tolist() == sorted(place.facts(Database.of(map(parse_atom, paying))).tolist())


def test_the_time_of_an_answer_is_that_of_its_parts() -> None:
    state = replace(map_state(parse_mln("P\n1 P")), grounding_seconds=3.0, solving_seconds=4.0)
    assert state.seconds == state.as_json["seconds"] == 7

"""Assignments that refute candidates: drawn near facts, and true to them."""

from __future__ import annotations

from itertools import combinations, permutations, product
from types import SimpleNamespace

import numpy as np
import pytest

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.deadline import NEVER, Deadline
from possilog.logic import Atom, Constant, Predicate, Variable
from possilog.structure import pool
from possilog.structure.clause_space import ClauseSpace
from possilog.structure.pool import Pool, _Neighbours


def test_what_is_around_some_constants_are_the_constants_of_one_of_their_facts() -> None:
    facts = facts_of(["p(a)", "p(e)", "r(a, b)", "r(b, c)", "t(b, c, d)", "q(f, f)"])
    near = _Neighbours(facts)
    number = {name: place for place, name in enumerate(facts.constants)}
    together = [{number[name] for name in names} for names in ("ab", "bc", "bcd", "f")]
    rows = np.array([[place] for place in range(len(number))] * 40, dtype=np.int32)
    found = near.around(rows, np.ones(len(rows), dtype=np.int64), np.random.default_rng(0))
    seen = set[frozenset[int]]()
    for (constant,), constants in zip(rows.tolist(), found.tolist(), strict=True):
        if some := frozenset(constants) - {-1}:
            assert constant in some and set(some) in together
            seen.add(some)
    assert seen == set(map(frozenset, together))  # nothing stands together with e


def small(constants: int, seed: int) -> Database:
    """Facts of three predicates, and one without any."""
    rng = np.random.default_rng(seed)
    names = [f"c{number}" for number in range(constants)]
    facts = [Atom.ground("p", [name]) for name in names if rng.random() < 0.5]
    facts += [Atom.ground("r", pair) for pair in product(names, repeat=2) if rng.random() < 0.4]
    facts += [Atom.ground("t", triple) for triple in product(names, repeat=3) if rng.random() < 0.1]
    return Database.of(facts, constants=names)


def bits_of(block: np.ndarray) -> list[list[bool]]:
    """For each literal, the bits of the assignments in their order."""
    found: list[list[bool]] = np.unpackbits(block.view(np.uint8), axis=1).astype(bool).tolist()
    return found


@pytest.mark.parametrize(("constants", "variables"), [(1, 2), (2, 3), (3, 2), (4, 3)])
def test_bits_say_which_literals_are_false(constants: int, variables: int) -> None:
    """Of every assignment of constants to variables, by looking each atom up."""
    database = small(constants, seed=constants)
    space = ClauseSpace(database.predicates, variables, 2)
    made = Pool(database, space, np.random.default_rng(1))
    every = list(permutations(range(constants), min(variables, constants)))
    facts = set(database)
    found = bits_of(made._false(np.array(every, dtype=np.int32)))
    for number, bits in enumerate(found):
        literal = space.literal(number)
        for row, bit in zip(every, bits, strict=False):
            stands = {Variable("ABC"[place]): Constant(f"c{constant}") for place, constant in enumerate(row)}
            known = set(literal.atom.variables) <= set(stands)
            assert bit == (known and (literal.atom.substitute(stands) in facts) != literal.positive)
        assert not any(bits[len(every) :])  # what fills the last word


@pytest.mark.parametrize(
    ("facts", "lookups", "later"), [(64, 1 << 24, 1 << 18), (2, 400, 60), (2, 600, 100), (3, 160, 40), (3, 0, 0)]
)
@pytest.mark.parametrize("stop", [NEVER, Deadline(10**6), Deadline(0)])
def test_a_clause_is_refuted_where_all_its_literals_are_false_in_one_assignment(
    monkeypatch: pytest.MonkeyPatch, facts: int, lookups: int, later: int, stop: Deadline
) -> None:
    for name, value in {"FACTS": facts, "LOOKUPS": lookups, "LOOKUPS_LATER": later, "_AT_ONCE": 2}.items():
        monkeypatch.setattr(pool, name, value)
    database, given = small(5, seed=3), list[np.ndarray]()
    space = ClauseSpace(database.predicates, 3, 2)
    original = Pool._false

    def noted(made: Pool, rows: np.ndarray) -> np.ndarray:
        given.append(rows)
        return original(made, rows)

    monkeypatch.setattr(Pool, "_false", noted)
    made = Pool(database, space, np.random.default_rng(2), stop)
    literals = len(space.mask)
    rows = (lookups if stop.left != 0 else 0) // (2 * (literals // 2))
    each = min(facts, max(1, rows // 3))
    chosen = database.predicates if stop is NEVER else database.predicates[: max(1, rows)]
    begun = sum(min(each, database.count(predicate)) for predicate in chosen)
    assert [len(one) for one in given] == [2 * begun + 1]
    examples = np.array([[0, 1], [1, 2], [4, 3]], dtype=np.int32)
    made.add(examples, copies=3)
    assert len(given[1]) == min(9, max(1, later // (literals // 2)))
    assert given[1][0, :2].tolist() == [0, 1]
    for copy, row in enumerate(given[1].tolist()):
        assert set(examples[copy // 3].tolist()) <= set(row)
    assert all(len(set(row)) == 3 for one in given for row in one.tolist())
    clauses = np.array(list(combinations(range(literals), 2)), dtype=np.int32)
    for newest in (False, True):
        blocks = [bits_of(original(made, one)) for one in given[newest:]]
        wanted = [any(any(map(all, zip(b[x], b[y], strict=True))) for b in blocks) for x, y in clauses.tolist()]
        assert made.refutes(clauses, newest=newest).tolist() == wanted


def test_the_first_and_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    database = small(4, seed=5)
    space = ClauseSpace(database.predicates, 2, 2)
    made = Pool(database, space, np.random.default_rng(0))
    first = made._blocks[0]
    monkeypatch.setattr(
        pool, "_MOST_BYTES", first.nbytes + 20 * len(space.mask)
    )  # and two and a half of the later ones
    for kept in (2, 3, 3, 3):
        made.add(np.array([[0, 1]], dtype=np.int32))
        assert len(made._blocks) == kept and made._blocks[0] is first
    monkeypatch.setattr(pool, "_MOST_BYTES", 0)
    made.add(np.array([[0, 1]], dtype=np.int32))
    assert len(made._blocks) == 2 and made._blocks[0] is first
    assert len(Pool(database, space, np.random.default_rng(0))._blocks) == 1


@pytest.mark.parametrize(("constants", "arity", "packed"), [(2**21 - 1, 3, True), (2**21, 3, False), (2**21, 4, False)])
def test_facts_are_packed_where_an_integer_has_room_for_any(constants: int, arity: int, packed: bool) -> None:
    rows = np.arange(arity, dtype=np.int32)[:, np.newaxis]
    facts = SimpleNamespace(constants=range(constants), rows=lambda _: rows)
    found = pool._packed(facts, Predicate("p", arity))  # type: ignore[arg-type]
    assert (found is not None) == packed
    assert found is None or found.tolist() == [constants + 2]

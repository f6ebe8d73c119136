"""Examples of a predicate: which are taken, and what each counts for."""

from __future__ import annotations

import pytest

from possilog.data import Database
from possilog.logic import Atom, Predicate
from possilog.structure.consistency import Consistency
from possilog.structure.examples import Examples, distinct_heads, make_examples

PAIR = Predicate("r", 2)
NAMES = [f"c{number}" for number in range(6)]


def examples(denied: int, *, positives: int, negatives: int) -> tuple[Database, Examples]:
    """Nine facts, some of which have a constant twice; and so many that are denied, of which some have, too."""
    facts = [Atom.ground("r", [NAMES[n % 6], NAMES[(n + n // 4) % 6]]) for n in range(9)]
    pairs = [(one, other) for one in NAMES[:3] for other in reversed(NAMES)]
    other = [atom for atom in (Atom.ground("r", [*pair]) for pair in pairs) if atom not in facts]
    database = Database.of(facts, denied=other[:denied], constants=NAMES)
    return database, make_examples(Consistency(database, ()), PAIR, negatives=negatives, positives=positives, seed=3)


@pytest.mark.parametrize("positives", [1, 4, 5, 6])
@pytest.mark.parametrize("negatives", [1, 5, 6, 7, 100])
@pytest.mark.parametrize("denied", [0, 6])
def test_examples_are_facts_and_what_is_no_fact_each_with_its_weight(
    positives: int, negatives: int, denied: int
) -> None:
    database, found = examples(denied, positives=positives, negatives=negatives)
    facts = {tuple(row) for row in database.rows(PAIR).T.tolist()}
    no_facts = {tuple(row) for row in database.denied_rows(PAIR).T.tolist()}
    no_facts = no_facts or {(x, y) for x in range(6) for y in range(6) if (x, y) not in facts}
    true, false = ({pair for pair in some if len(set(pair)) == 2} for some in (facts, no_facts))
    assert {tuple(row) for row in distinct_heads(database, PAIR).tolist()} == true and 4 < len(true) < len(facts)
    rows = [tuple(row) for row in found.heads.tolist()]
    assert len(rows) == len(set(rows)) == min(positives, len(true)) + min(negatives, len(false))
    assert found.positives == min(positives, len(true)) and set(rows[: found.positives]) <= true
    assert set(rows[found.positives :]) <= false and found.negatives.total == len(false)
    assert rows[: found.positives] == sorted(rows[: found.positives])
    assert found.positive_weight * found.positives == pytest.approx(len(true))
    assert found.negative_weight * (len(rows) - found.positives) == pytest.approx(len(false))
    if denied:
        counted = found.negatives
        assert (counted.exact, counted.interval, counted.drawn, counted.rejected) == (
            True,
            (len(false),) * 2,
            len(false),
            0,
        )
    for covered, wrong in ((0, 0), (found.positives, 0), (1, 1), (0, len(rows) - found.positives)):
        weights = covered * found.positive_weight, wrong * found.negative_weight
        right = weights[0] + len(false) - weights[1]
        assert found.accuracy(covered, wrong) == pytest.approx(right / (len(true) + len(false)))


def test_without_facts_there_are_no_positives() -> None:
    database = Database.of([Atom.ground("r", ["a", "a"])], constants=["a", "b"])
    found = make_examples(Consistency(database, ()), PAIR, negatives=9, positives=9, seed=0)
    assert (found.positives, found.positive_weight, len(found.heads)) == (0, 0.0, 2)

"""Assignments that refute candidates: drawn near facts."""

from __future__ import annotations

import numpy as np

from possilog.data.taking import facts_of
from possilog.structure.pool import _Neighbours


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

"""What changes from one prediction to another, in numbers, is what comparing atom by atom says."""

from __future__ import annotations

import random

import pytest

from budget import budget
from possilog import Reasoner, parse_theory
from possilog.inference.conclusions import Conclusions

RULES = [
    "q(X, Y) :- p(X, Y)",
    "q(Y, X) :- q(X, Y), r(X)",
    "r(Y) :- q(X, Y)",
    "s(X) :- r(X), p(X, X)",
    "s(X) :- q(X, Y), p(Y, X)",
    "t :- s(X)",
]


@pytest.mark.parametrize("seed", range(budget(40, least=5)))
def test_changes_by_definition(seed: int) -> None:
    rng = random.Random(seed)
    chosen = rng.sample(RULES, rng.randint(1, len(RULES)))
    text = " ".join(f"0.{9 - number // 2} :: {rule}." for number, rule in enumerate(chosen)) + " :- r(X), s(X)."
    reasoner = Reasoner(parse_theory(text))
    names = "abcd"
    known = sorted({f"p({rng.choice(names)}, {rng.choice(names)})" for _ in range(5)})
    gone = known[: rng.randint(0, 2)]
    add = [f"p({rng.choice('abcxyz')}, {rng.choice('abcxyz')})", f"r({rng.choice(names)})"][: rng.randint(0, 2)]
    without = chosen[:1] if rng.random() < 0.3 else []
    found = reasoner.what_if(known, add=[one for one in add if one not in known], remove=gone, remove_rules=without)
    for one, other in ((found.after, found.before), (found.before, found.after)):
        fast, slow = one.added.changed_from(other.added), Conclusions.changed_from(one.added, other.added)
        assert [(new.as_json, old) for new, old in fast] == [(new.as_json, old) for new, old in slow]

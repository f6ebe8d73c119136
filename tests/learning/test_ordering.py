"""From candidates to an ordering and weights: what one run counts, and how often."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from possilog import learn, parse_theory, weigh
from possilog.cli.weigh import show_weights
from possilog.counting import CutCounter, DataProfile, TooLarge, WorldProfile
from possilog.counting import counter as module
from possilog.data import Database
from possilog.data.bundled import load
from possilog.deadline import Deadline
from possilog.errors import TheoryError
from possilog.learning import settings_for
from possilog.learning.ordering import Likelihood, complete_order
from possilog.learning.weighing import weigh_by
from possilog.logic import Atom, parse_clause
from possilog.weights import fit

FACTS = Database.of(
    [Atom.ground("r", [*pair]) for pair in ["ab", "bc", "cd", "de", "ef", "fa", "ad"]]
    + [Atom.ground("p", [constant]) for constant in "abcf"]
    + [Atom.ground("q", [constant]) for constant in "abe"]
)
HARD = (parse_clause(":- r(X, X)."),)
RULES = tuple(map(parse_clause, ["p(Y) :- r(X, Y), p(X).", "q(X) :- p(X).", "p(X) :- q(X).", ":- r(X, Y), q(Y)."]))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The profiles that are made."""
    found: list[type] = []
    for profile in (DataProfile, WorldProfile):

        def make(*given: Any, profile: Any = profile, **options: Any) -> object:
            found.append(profile)
            return profile(*given, **options)

        monkeypatch.setattr(module, profile.__name__, make)
    return found


@pytest.mark.parametrize("objective", ["prediction", "likelihood"])
def test_one_run_makes_the_world_profile_once(made: list[type], objective: str) -> None:
    """For the held-out curve, the ordering and the weights."""
    found = learn(load("village"), objective=objective, body=1)
    assert found.weighing is not None
    assert made.count(WorldProfile) == 1
    # Of all the data; where likelihood orders the rules, also of a part and of the rest.
    assert made.count(DataProfile) == (3 if found.ordered.curve.held_out else 1)
    assert bool(found.ordered.curve.held_out) == (objective == "likelihood")


def test_the_weights_are_those_of_the_ordering() -> None:
    settings = settings_for(FACTS)
    likelihood = Likelihood.of(FACTS, HARD, RULES, settings, only_profiles=True)
    best = likelihood.order().best
    theory = best.theory(HARD)
    weighing = weigh_by(likelihood.counter, theory, FACTS, 3, smoothing=settings.smoothing)
    assert best.rules and weighing.theory == theory
    assert set(weighing.fit.probabilities) == set(best.fit.probabilities)
    assert weighing == weigh_by(None, theory, FACTS, 3, smoothing=settings.smoothing)
    alone = weigh(theory, FACTS, 3, smoothing=settings.smoothing)
    assert (alone.fit, alone.counts) == (weighing.fit, weighing.counts), "and it says where the rules pay"


def test_a_complete_order_is_listed_as_a_theory_is() -> None:
    best = Likelihood.of(FACTS, HARD, RULES, settings_for(FACTS), only_profiles=True).order(max_rules=2).best
    assert complete_order(best, RULES)[:2] == (best.rules[1], best.rules[0])
    assert set(complete_order(best, RULES)) == set(RULES)
    weights = [rule.weight for rule in best.theory().rules]
    assert all(higher >= lower for higher, lower in pairwise(weights))


def test_levels_are_weighed_from_the_lowest_upwards() -> None:
    """n and m by the definition, from a counter that knows nothing, in the order of a theory's strata."""
    theory = parse_theory(f":- r(X, X). 0.9 :: {RULES[0]} 0.9 :: {RULES[1]} 0.5 :: {RULES[3]} 0.1 :: false.")
    weighing = weigh(theory, FACTS, 2)
    counter = CutCounter(FACTS, 2, hard=HARD)
    cuts = [[RULES[0], RULES[1], RULES[3]], [RULES[0], RULES[1]], []]
    n, m = (
        [count(cuts[0]).value, *(count(above).value - count(here).value for here, above in pairwise(cuts))]
        for count in (counter.subsets, counter.worlds)
    )
    assert [stratum.n.value for stratum in weighing.counts.strata] == n
    assert [stratum.m.value for stratum in weighing.counts.strata] == m
    assert weighing.fit == fit(n, m)


def test_the_command_prints_the_weighing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    theory = parse_theory(f":- r(X, X). ? :: {RULES[0]} ? :: {RULES[1]}")
    options: dict[str, Any] = {"width": 2, "smoothing": 0.1, "seed": 0}
    show_weights(theory, FACTS, "facts", **options, output=str(tmp_path / "theory.pl"), as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed == weigh(theory, FACTS, 2, smoothing=0.1).as_json
    assert list(printed) == ["width", "constants", "subsets", "worlds", "log_likelihood", "strata"]
    assert list(printed["strata"][0]) == ["rule", "probability", "weight", "n", "m", "method", "exact"]


def test_without_time_weighing_says_so() -> None:
    with pytest.raises(TooLarge, match="takes more time than there is; allow more"):
        weigh(parse_theory(f"? :: {RULES[0]}"), FACTS, time_limit=0)
    known = Likelihood.of(FACTS, HARD, RULES, settings_for(FACTS), only_profiles=True)
    theory = known.order().best.theory(HARD)
    assert weigh_by(known.counter, theory, FACTS, 3, stop=Deadline(0)) == weigh_by(None, theory, FACTS, 3)


def test_worlds_too_many_for_any_weight() -> None:
    text = "? :: " + " ; ".join(f"p{number}(X)" for number in range(9_999)) + "."
    with pytest.raises(TheoryError, match="too many worlds for any to have a probability; give a smaller width"):
        weigh(parse_theory(text), FACTS)

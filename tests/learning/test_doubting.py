"""Hard rules in doubt: what came of hard rules on held-out parts, and how many cases a rule needs then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.learning.clock import Clock
from possilog.learning.doubting import doubted, held_out_rules
from possilog.learning.edits import Edits
from possilog.learning.files import Work
from possilog.learning.found import Found
from possilog.learning.groups import Part
from possilog.learning.hard_part import HardPart, hard_part
from possilog.learning.phases import Task, predict_held_out
from possilog.learning.run import LearningRun
from possilog.learning.settings import Settings
from possilog.learning.trials import Holdout
from possilog.logic import Clause, HeldOut, Theory, parse_clause
from possilog.progress import silent
from possilog.structure import find_hard_rules

FLIES, NESTS, APART = map(parse_clause, ["flies(A) :- bird(A).", "nests(A) :- bird(A).", ":- bird(A), fish(A)."])


def hard(flies: int = 12, nests: int = 30) -> HardPart:
    rules = (FLIES, NESTS, APART)
    return HardPart(rules, rules, units={FLIES: flies, NESTS: nests})


def test_conclusions_about_held_out_parts_are_counted() -> None:
    """Two of three birds fly in one part, and all nest; in the other nothing is a bird."""
    birds = facts_of(["bird(a)", "bird(b)", "bird(c)", "flies(a)", "flies(b)", "nests(a)", "nests(b)", "nests(c)"])
    parts = [Holdout("one", birds, hard(), {}), Holdout("two", facts_of(["flies(d)"]), hard(), {})]
    assert held_out_rules(parts) == HeldOut(5, 6, 6)
    assert held_out_rules([Holdout("one", birds, HardPart((APART,), (APART,)), {})]) == HeldOut()


@pytest.mark.parametrize(
    ("found", "doubts"),
    [
        (HeldOut(), ()),  # nothing was seen
        (HeldOut(100, 100, 100), ()),
        (HeldOut(97, 100, 100), (FLIES,)),  # three of a hundred wrong: a dozen cases are not enough, thirty are
        (HeldOut(96, 100, 100), (FLIES, NESTS)),
    ],
)
def test_more_cases_are_asked_for_where_hard_rules_broke(found: HeldOut, doubts: tuple[object, ...]) -> None:
    assert doubted(hard(), found) == doubts


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 60))
def test_a_rule_is_doubted_below_985_of_a_thousand(right: int, wrong: int, units: int) -> None:
    """Thirty cases like those that were held out, with two more that are right in 98.5 %, and its own.

    Fewer than five of its own are never enough.
    """
    usual = (right + 2 * 0.985) / (right + wrong + 2)
    expected = (30 * usual + units) / (30 + units)
    found = doubted(hard(units, 10_000), HeldOut(right, right + wrong, right + wrong))
    assert (FLIES in found) == (expected < 0.985 or units < 5) and NESTS not in found


@pytest.mark.parametrize(("units", "doubts"), [(4, (FLIES,)), (5, ()), (6, ())])
@pytest.mark.parametrize("found", [HeldOut(), HeldOut(1000, 1000, 1000)])
def test_a_surprise_is_not_yet_a_law(units: int, doubts: tuple[object, ...], found: HeldOut) -> None:
    """Also where all that was held out came true; a constraint has no units, and is in no doubt."""
    assert doubted(hard(units), found) == doubts


SINGS = parse_clause("sings(A) :- bird(A).")


@pytest.mark.parametrize(
    ("without", "doubts"),
    [
        ([], ()),  # no part was held out
        ([()], (FLIES, NESTS)),
        ([(FLIES,), ()], (NESTS,)),
        ([(FLIES,), (NESTS, APART)], ()),
        ([(SINGS, parse_clause("flies(A) :- sings(A).")), (NESTS,)], ()),  # there it follows from others
    ],
)
def test_what_is_hard_with_no_part_left_out_is_in_doubt(
    without: list[tuple[Clause, ...]], doubts: tuple[Clause, ...]
) -> None:
    parts = [HardPart(rules, rules) for rules in without]
    assert doubted(hard(), HeldOut(1000, 1000, 1000), parts) == doubts


def test_what_is_in_doubt_is_tried_as_a_soft_rule() -> None:
    one = hard().without((FLIES,))
    assert (one.earned, one.by_chance, one.all) == ((NESTS, APART), {FLIES: 12}, hard().all)
    assert hard().without(()) == hard() and HardPart.from_json(hard().as_json) == hard()


def test_units_are_known_of_hard_rules_with_a_head_and_not_of_what_a_person_wants() -> None:
    names = [f"b{number}" for number in range(40)]
    facts = facts_of(
        [f"{kind}({name})" for name in names for kind in ("bird", "flies")] + [f"fish(x{name})" for name in names]
    )
    found = find_hard_rules(facts, variables=1)
    every = found.clauses
    units = hard_part(found, every, (), earn=True).units
    assert units == {FLIES: 40} and len(found.earned) == 3
    assert hard_part(found, every, every, earn=True).units == hard_part(found, every, (), earn=False).units == {}


def zoo(places: int, flightless: int) -> Database:
    """In each place nine birds, all of which fly, but in the first; and nine others."""
    facts = []
    for place in range(places):
        for number in range(18):
            name, is_bird = f"a{place}x{number}", number < 9
            facts += [f"in({name}, p{place})"] + [f"bird({name})"] * is_bird
            facts += [f"flies({name})"] * (is_bird and not (place == 0 and number < flightless))
    return facts_of(facts)


@pytest.mark.parametrize(("flightless", "doubts"), [(0, False), (7, True)])
def test_the_learner_asks_held_out_parts(flightless: int, doubts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that holds in what is learned from, and broke where parts were held out, is not hard."""
    facts = zoo(4, 0)
    task = Task(facts, Settings(), Edits(Theory()), LearningRun(Clock(), Work(None, str), silent), {})
    held = Holdout("part", zoo(1, flightless), HardPart((FLIES,), (FLIES,), units={FLIES: 20}), {})
    task.__dict__["splits"] = [(Part("part", held.part, facts),)]
    monkeypatch.setattr("possilog.learning.phases._holdouts", lambda task, found: [held])
    found = predict_held_out(task, Found(HardPart((FLIES,), (FLIES,), units={FLIES: 12}), {}))
    assert found.doubted == ((FLIES,) if doubts else ())

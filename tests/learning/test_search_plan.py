"""The plan that is said before rules are searched, by definition; graphs have theirs in test_graph_candidates.py."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from command import run
from possilog import Database, parse_atom
from possilog.data.bundled import load
from possilog.data.taking import facts_of
from possilog.learning import Learner, settings_for
from possilog.learning.clock import Clock
from possilog.learning.focus import Focus
from possilog.learning.graph.plan import GraphPlan
from possilog.learning.plan import SearchPlan, make_search_plan, rounded
from possilog.learning.settings import Settings
from possilog.logic import Declared, Predicate

BIRDS = facts_of([f"bird(b{n})" for n in range(8)] + [f"flies(b{n})" for n in range(5)] + ["feeds(b1, b2)"])
HARD = "hard rules of up to 2 literals (5 if unary)"
HEADS = "the true and false heads of every candidate"
SEARCHED = "rules are searched by at most 10,000 true and 1,000 false atoms of a predicate"
CHOSEN = "they are chosen by 20 relabelled copies, 20 evidence sets at each of 7 shares, and 8 of each held-out part"


def table(rows: int) -> Database:
    types = {Predicate("late", 1): ("flight",), Predicate("carrier", 2): ("flight", "carrier")}
    facts = [f for n in range(rows) for f in (f"carrier(f{n}, c{n % 3})", f"late(f{n})") if n % 2 or f[0] == "c"]
    return Database.of(map(parse_atom, facts), declared=Declared(types))


def test_a_search() -> None:
    found = make_search_plan(BIRDS, Settings())
    assert found == SearchPlan("search", 14, 3, 8, f"{HARD}; {HEADS}", f"{SEARCHED}; {CHOSEN}", 2.0, 90.0)
    assert str(found) == (
        "plan: 14 facts of 3 predicates about 8 constants, by search\n"
        f"  exact: {HARD}; {HEADS}\n  sampled: {SEARCHED}; {CHOSEN}\n  about 2 s and 90 MB"
    )
    assert found.as_json == {
        "kind": "search", "facts": 14, "predicates": 3, "constants": 8, "exact": found.exact, "sampled": found.sampled,
        "seconds": 2.0, "megabytes": 90.0, "time_limit": None,
    }  # fmt: skip


def test_what_is_asked_for_is_told() -> None:
    likely = Settings(objective="likelihood", hard_literals=3, hard_unary_literals=4, hard_variables=1)
    search = replace(likely.search, negatives=70, positives=5_000)
    found = make_search_plan(BIRDS, replace(likely, search=search))
    assert found.exact == f"hard rules of up to 3 literals (4 if unary) and 1 variable; {HEADS}"
    assert found.sampled == "rules are searched by at most 5,000 true and 70 false atoms of a predicate"
    for body, width, atoms in ((3, 3, "2 atoms"), (1, 3, "1 atom"), (3, 4, "3 atoms")):
        limits = replace(search.limits, body=body, width=width)
        mined = make_search_plan(BIRDS, Settings(mined=True, search=replace(search, limits=limits)))
        assert mined.exact == f"{HARD}; all path rules of up to {atoms}; {HEADS}"
        assert mined.sampled == f"the best 400 path rules are candidates; {CHOSEN}"


def test_tables_and_examples() -> None:
    found = make_search_plan(table(10), Settings())
    assert (found.kind, found.facts, found.seconds, found.megabytes) == ("tables", 15, 1.0, 90.0)
    assert found.exact == "columns with one value for each row; the rows that every candidate is right and wrong about"
    assert found.sampled == "at most 20,000 rows of a table; one row in 3 is held out"
    assert "2 predicates about 13 constants, by conditions on rows\n" in str(found)
    assert make_search_plan(table(10), Settings(objective="likelihood")).kind == "search"
    told = Database.of(map(parse_atom, ["p(a)", "q(a)", "q(b)"]), denied=[parse_atom("p(b)")])
    asked = make_search_plan(told, Settings(focus=Focus(("p",))))
    assert (asked.kind, asked.seconds) == ("examples", 2.0)
    assert asked.exact == f"{HARD}; the examples that every candidate is right and wrong about"
    assert asked.sampled == f"{SEARCHED}; one example in 3 is held out"
    assert ", by what tells examples apart\n" in str(asked)
    for targets in ((), ("q",)):
        assert make_search_plan(told, Settings(focus=Focus(targets))).kind == "search"


def test_the_estimate_by_definition() -> None:
    """Seconds grow with the facts, the predicates, and those that rules are about; memory with the first and last."""
    links = [f"r{n % 20}(a{n}, a{n + 1})" for n in range(6_000)]
    many = facts_of(links)
    every, some = (make_search_plan(many, Settings(focus=Focus(names))) for names in ((), ("r1", "r2")))
    assert every.seconds == pytest.approx(rounded(2 + 6_000 * 20 * 20 * 3e-5)) == 70
    assert some.seconds == pytest.approx(rounded(2 + 6_000 * 20 * 2 * 3e-5)) == 9
    assert every.megabytes == rounded(90 + 6_000 * 20 * 2e-3) == 300
    assert some.megabytes == rounded(90 + 6_000 * 2 * 2e-3) == 100


def test_a_time_limit_is_told() -> None:
    plans = [make_search_plan(BIRDS, Settings(), limit) for limit in (1.5, 2.0, 60.0)]
    assert [plan.as_json["time_limit"] for plan in plans] == [1.5, 2.0, 60.0]
    ends = [str(plan).rpartition("; ")[2] for plan in plans]
    assert ends == [
        "cut short after 1.5 s at the latest",
        "done after 2 s at the latest",
        "done after 60 s at the latest",
    ]


def test_the_learner_takes_the_way_that_the_plan_says() -> None:
    village = load("village")
    planned = Learner(village, settings_for(village), clock=Clock(30)).plan
    assert isinstance(planned, SearchPlan) and planned == make_search_plan(village, settings_for(village), 30)
    assert isinstance(Learner(village, settings_for(village, preset="graph")).plan, GraphPlan)
    narrow = Learner(village, settings_for(village, focus=Focus(only=("parent",))))
    assert isinstance(narrow.plan, SearchPlan) and narrow.plan.predicates == 1


def test_it_is_printed_beforehand_unless_quiet(tmp_path: Path) -> None:
    (tmp_path / "birds.db").write_text("".join(f"{atom}.\n" for atom in BIRDS))
    asked = ("learn", "birds.db", "-o", "x.pl", "--force", "--body", "1", "--width", "2", "--json")
    told = run(*asked, cwd=tmp_path)
    plan = json.loads(told.stdout)["plan"]
    expected = str(make_search_plan(BIRDS, settings_for(BIRDS, body=1, width=2)))
    assert told.stderr.startswith(f"{expected}\n[1/6 hard rules]\n") and f"\n  exact: {plan['exact']}\n" in expected
    assert run(*asked, "--quiet", cwd=tmp_path).stderr == ""

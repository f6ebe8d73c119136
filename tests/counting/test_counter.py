"""The one door: counts of cuts, from profiles or by the methods for one cut, each counted once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, permutations
from random import Random
from time import process_time
from typing import Any

import pytest

from clocks import ticking
from instances import Subsets, WorldsOver, subsets, worlds
from possilog.counting import (
    Count,
    CutCounter,
    CutLevels,
    DataProfile,
    ProfileLevels,
    TooLarge,
    WorldProfile,
    count_strata,
)
from possilog.counting import counter as module
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.errors import DataWarning, QueryError, TheoryError
from possilog.logic import Atom, Clause, Predicate, Rule, Theory, Weight, parse_atom, parse_clause, parse_theory

NO_PROFILE = -1


def satisfying(table: dict[int, int], cut: int) -> int:
    return sum(number for violated, number in table.items() if not violated & cut)


def cuts(instance: Subsets | WorldsOver, rules: Iterable[Clause]) -> list[tuple[int, list[Clause]]]:
    """Some cuts of some rules, with a bit for each rule."""
    listed = list(rules)
    chosen = {0, (1 << len(listed)) - 1, instance.seed % (1 << len(listed))}
    return [(cut, [rule for place, rule in enumerate(listed) if cut >> place & 1]) for cut in sorted(chosen)]


@pytest.mark.parametrize("limit", [2_000_000, NO_PROFILE])
def test_subsets_of_cuts_by_profile_and_by_the_cascade(limit: int) -> None:
    for instance in subsets():
        if not 1 <= instance.width <= len(instance.database.constants):
            continue
        spoken = {atom.predicate for rule in instance.rules for atom in rule.atoms}
        counter = CutCounter(instance.database, instance.width, predicates=spoken, limit=limit)
        for cut, rules in cuts(instance, instance.rules):
            count = counter.subsets(rules)
            assert count.exact and count.value == satisfying(instance.table, cut), instance.seed
            assert (count.method == "profile") == (limit != NO_PROFILE)


@pytest.mark.parametrize("limit", [2_000_000, NO_PROFILE])
def test_worlds_of_cuts_by_profile_and_by_the_methods(limit: int) -> None:
    constants = Database.of([], constants=["a", "b", "c"])
    for instance in worlds():
        counter = CutCounter(constants, instance.width, predicates=instance.predicates, limit=limit)
        for cut, rules in cuts(instance, instance.clauses):
            count = counter.worlds(rules)
            assert count.exact and count.value == satisfying(instance.table, cut), instance.seed
            assert (count.method == "profile") == (limit != NO_PROFILE)


def test_strata_are_differences_of_cuts() -> None:
    for instance in subsets()[:300]:
        if not 1 <= instance.width <= len(instance.database.constants) or instance.width > 2:
            continue
        soft = tuple(Rule(rule, Weight.of(f"0.{place}")) for place, rule in enumerate(instance.rules, start=1))
        by_profile, by_cut = (
            count_strata(instance.database, Theory(soft), instance.width, limit=limit) for limit in (10**6, NO_PROFILE)
        )
        assert by_cut.worlds.value == by_profile.worlds.value
        for one, other in zip(by_profile.strata, by_cut.strata, strict=True):
            assert (one.n.value, one.m.value) == (other.n.value, other.m.value)
        highest = [rules.bit_length() for rules in instance.truth.values()]
        assert [s.n.value for s in by_profile.strata] == [highest.count(place) for place in range(len(soft) + 1)]


FACTS = Database.of(Atom.ground("r", [*pair]) for pair in ["ab", "bc", "cd", "de", "ef"])
PATH, SYMMETRIC, LOOP = (parse_clause(c) for c in (":- r(X, Y), r(Y, Z).", "r(Y, X) :- r(X, Y).", ":- r(X, X)."))


def test_each_cut_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def count(database: Database, rules: list[Clause], width: int, seed: int, stop: Deadline) -> Count:
        asked.append(rules)
        return Count.of(1, "listing")

    monkeypatch.setattr(module, "count_subsets", count)
    counter = CutCounter(FACTS, 3, limit=NO_PROFILE)
    assert counter.subsets([PATH, LOOP]) is counter.subsets([LOOP, PATH, LOOP])
    assert counter.subsets([PATH]) is not counter.subsets([])
    assert asked == [sorted([PATH, LOOP]), [PATH], []]


def test_a_rule_that_does_not_fit_spoils_no_others() -> None:
    counter = CutCounter(FACTS, 3, limit=4)  # one rule has five images, the other four
    assert counter.subsets([SYMMETRIC]).method != "profile"
    assert counter.subsets([PATH]).method == "profile"
    assert counter.subsets([PATH, SYMMETRIC]).method != "profile"
    assert counter.subsets([PATH, LOOP]).method == "profile"
    large = CutCounter(FACTS, 3)
    for cut in ([SYMMETRIC], [PATH], [PATH, SYMMETRIC], [PATH, LOOP]):
        assert large.subsets(cut).method == "profile" and large.subsets(cut).value == counter.subsets(cut).value


def test_profiles_take_rules_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[Clause] = []
    for profile in (DataProfile, WorldProfile):

        def add(self: object, rule: Clause, stop: Deadline, add: Callable[..., None] = profile.add) -> None:
            added.append(rule)
            add(self, rule, stop)

        monkeypatch.setattr(profile, "add", add)
    counter = CutCounter(FACTS, 2)
    for cut in ([SYMMETRIC], [SYMMETRIC, LOOP], [LOOP], []):
        counter.subsets(cut)
        counter.worlds(cut)
    assert added == [SYMMETRIC, SYMMETRIC, LOOP, LOOP]


def test_levels_of_strata_are_differences_of_cuts() -> None:
    """Rules of one stratum stand or fall together; levels run from ⊥ upwards."""
    for limit in (2_000_000, NO_PROFILE):
        counter = CutCounter(FACTS, 3, limit=limit)
        levels = counter.levels([[PATH, LOOP], SYMMETRIC])
        for order, cuts in (([0, 1], [[PATH, LOOP, SYMMETRIC], [SYMMETRIC], []]), ([1], [[SYMMETRIC], []])):
            n, m = levels.totals(order)
            for counts, satisfying in ((n, counter.subsets), (m, counter.worlds)):
                values = [satisfying(cut).value for cut in cuts]
                assert [count.value for count in counts] == [values[0], *(b - a for a, b in pairwise(values))]


def test_counters_beside_each_other_make_a_profile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = profiles_made(monkeypatch)
    counter = CutCounter(FACTS, 2, hard=[LOOP])
    counter.levels([PATH, SYMMETRIC])
    other = counter.over(Database.of(Atom.ground("r", [*pair]) for pair in ["ab", "ba"]), 2)
    assert [count.value for count in other.levels([PATH, SYMMETRIC]).subsets.totals([0, 1])] == [1, 0, 0]
    again = CutCounter(FACTS, 2, hard=[LOOP], beside=other)
    assert again.levels([SYMMETRIC]).worlds.totals([0])[0].value == counter.worlds([SYMMETRIC]).value == 2
    assert made == [WorldProfile, DataProfile, DataProfile]
    # Worlds about other predicates, or with other hard rules, are others.
    assert CutCounter(FACTS, 2, hard=[LOOP], predicates=[Predicate("p", 1)], beside=counter).worlds().value == 16
    assert CutCounter(FACTS, 2, beside=counter).worlds().value == 16
    assert CutCounter(FACTS, 1, hard=[LOOP], beside=counter).worlds().value == 1


def profiles_made(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The profiles that are made from now on."""
    made: list[type] = []
    for profile in (DataProfile, WorldProfile):

        def make(*given: Any, profile: Any = profile, **options: Any) -> object:
            made.append(profile)
            return profile(*given, **options)

        monkeypatch.setattr(module, profile.__name__, make)
    return made


def test_candidates_that_do_not_fit_are_counted_cut_by_cut_or_refused() -> None:
    counter = CutCounter(FACTS, 3, limit=4)  # one rule has five images, the other four
    rules = [PATH, SYMMETRIC]
    assert isinstance(counter.subset_levels([PATH]), ProfileLevels)
    levels = counter.subset_levels(rules)
    assert isinstance(levels, CutLevels)
    expected = CutCounter(FACTS, 3).subset_levels(rules).totals([0, 1])
    assert [count.value for count in levels.totals([0, 1])] == [count.value for count in expected]
    with pytest.raises(TooLarge, match="more than 4 sets of constants"):
        counter.subset_levels(rules, only_profiles=True)


def test_time_that_is_over_is_said() -> None:
    counter = CutCounter(FACTS, 3, stop=Deadline(0))
    for count in (counter.subsets, counter.worlds):
        with pytest.raises(
            TooLarge, match="takes more time than there is; allow more, or give fewer rules or a smaller"
        ):
            count([PATH])
    with pytest.raises(TooLarge, match="more time"):
        counter.levels([PATH], only_profiles=True)
    with pytest.raises(TooLarge, match="takes more time than there is"):
        count_strata(FACTS, parse_theory("0.9 :: :- r(X, Y), r(Y, Z). 0.1 :: false."), 3, time_limit=0)


def test_what_is_known_takes_no_time() -> None:
    counter = CutCounter(FACTS, 3)
    counter.levels([PATH, LOOP])
    late = CutCounter(FACTS, 3, stop=Deadline(0), beside=counter)
    assert late.worlds([LOOP]) == counter.worlds([LOOP])
    assert late.levels([LOOP]).totals([0]) == counter.levels([LOOP]).totals([0])


def dense() -> tuple[Database, Clause]:
    """Random facts for which there is no profile, and a rule."""
    random = Random(0)
    pairs = permutations(range(100), 2)
    facts = Database.of(Atom.ground("r", [f"c{i}", f"c{j}"]) for i, j in pairs if random.random() < 0.3)
    return facts, parse_clause(":- r(X, Y), r(Y, Z), r(Z, W), r(W, X).")


def test_where_there_is_no_profile_the_cascade_estimates_and_time_is_looked_at_often() -> None:
    """CPU time between two looks at the clock, since the machine may be busy with other things."""
    facts, rule = dense()
    looks = [process_time()]

    def look() -> bool:
        looks.append(process_time())
        return False

    count = CutCounter(facts, 5, stop=Deadline(24, cancelled=look)).subsets([rule])
    assert count.low <= count.value <= count.high and not count.exact
    assert max(later - earlier for earlier, later in pairwise(looks)) < 3


def test_profiles_have_a_share_of_the_time_and_the_cascade_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """No profile in the time, and an estimate that says so."""
    facts, rule = dense()
    clock = ticking(monkeypatch, 0.02)
    count = CutCounter(facts, 5, stop=Deadline(6)).subsets([rule])
    assert 2 < clock() < 6
    assert count.low <= count.value <= count.high and not count.exact


def test_counts_of_thousands_of_digits_can_be_shown_and_written() -> None:
    """Python refuses to print a number of more than 4,300 digits, and so does its JSON."""
    facts = Database.of(Atom.ground(f"r{name}", ["a", "b"]) for name in range(4_000))
    counts = count_strata(facts, parse_theory("0.9 :: r0(X, Y) :- r1(X, Y). 0.1 :: false."), 2)
    assert counts.worlds.value == 1 << 16_000
    assert "; about 3.0195e+4816 worlds" in str(counts)
    assert json.loads(json.dumps(counts.as_json))["worlds"] == "3.0195e+4816"


def test_what_cannot_be_counted() -> None:
    with pytest.raises(QueryError, match="the width must be between 1 and the 6 constants"):
        CutCounter(FACTS, 7)
    with pytest.raises(QueryError, match="the data name no constants"):
        CutCounter(Database.of([Atom(Predicate("rain", 0), ())]), 1)
    with pytest.raises(TheoryError, match="speaks of q/1"):
        CutCounter(FACTS, 2).worlds([parse_clause(":- q(X).")])
    with pytest.raises(TheoryError, match="names a constant"):
        CutCounter(FACTS, 2).subsets([parse_clause(":- r(a, X).")])


def test_hard_rules_that_the_data_break_are_remarked() -> None:
    facts = Database.of([parse_atom("r(a, b)"), parse_atom("r(b, c)")])
    theory = parse_theory(":- r(X, Y), r(Y, Z). :- r(X, Y).")
    with pytest.warns(DataWarning, match=r"the data break 1 hard rule \(:- r\(X, Y\)\.\); the fragments that do are"):
        assert count_strata(facts, theory, 2).strata[0].n.value == 3


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # from Python 3.12 on, by pytest-xdist
def test_two_workers_count_the_same() -> None:
    """Of a profile whose worlds have classes enough to share them out, with rules of several heads; and cut by cut."""
    texts = [f"fr(c{place}, c{(place * 7 + 3) % 12})" for place in range(12)] + ["sm(c1)", "sm(c4)", "old(c4)"]
    facts = Database.of(map(parse_atom, texts))
    told = ["sm(X); old(X) :- fr(X, Y).", ":- fr(X, X).", "0.9 :: sm(Y) :- fr(X, Y), sm(X).", "0.7 :: old(X) :- sm(X)."]
    theory = parse_theory("\n".join([*told, "0.1 :: false."]))
    for limit, method in [(2_000_000, "profile"), (NO_PROFILE, "search")]:
        with pytest.warns(DataWarning, match="the data break"):
            one, two = (count_strata(facts, theory, 3, limit=limit, jobs=jobs) for jobs in (1, 2))
        assert one == two and {stratum.m.method for stratum in two.strata} == {method}


def test_cuts_of_an_ordering_have_shares_of_half_of_the_time() -> None:
    """Each that is left has as much as the others, and as much stays for what comes after them."""
    shares: list[float] = []

    def satisfying(asked: Iterable[tuple[Sequence[Clause], float]]) -> list[Count]:
        cuts = list(asked)
        shares.extend(share for _, share in cuts)
        return [Count.of(1, "given") for _ in cuts]

    rules = [parse_clause(f":- p{number}(X).") for number in range(3)]
    CutLevels(rules, satisfying).totals([0, 1, 2])
    assert shares == pytest.approx([1 / 8, 1 / 6, 1 / 4, 1 / 2])

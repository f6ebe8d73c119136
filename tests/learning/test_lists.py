"""Lists of rules about one target: which rules are taken, what they decide, and how often they are right elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import sqrt
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from budget import budget
from possilog.learning import lists
from possilog.learning.edits import Edits
from possilog.learning.lists import LAST, Thirds, decides, taken
from possilog.logic import HeldOut, Predicate, Theory, parse_clause
from possilog.structure.columns import ColumnRule, MiningSettings

BODIES = ["x(A)", "y(A)", "z(A)", "x(A), y(A)", "y(A), z(A)"]
ROWS, OTHERS = 10, 6


def said(chance: Random, rows: int, often: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows that a rule is right about, and rows that it is wrong about: none is both."""
    says = [chance.choices("+-.", [2 * often, often, 1])[0] for _ in range(rows)]
    return np.array([one == "+" for one in says]), np.array([one == "-" for one in says])


def drawn(seed: int, heads: str = "pq") -> list[ColumnRule]:
    """Rules of one or two predicates; some are about a whole column, some about whatever is left."""
    chance = Random(seed)
    rules = []
    for head, body in product(heads, BODIES):
        right, wrong = said(chance, ROWS, chance.choice([0.1, 0.5, 2]))
        kind = chance.choice(["", "", "", "whole", "otherwise"])
        rule = ColumnRule(parse_clause(f"{head}(A) :- {body}."), right, wrong, tried=said(chance, OTHERS, 0.5))
        rules.append(replace(rule, is_whole=kind == "whole", is_otherwise=kind == "otherwise"))
    return chance.sample(rules, chance.randint(1, len(rules)))


def names(rules: Sequence[ColumnRule]) -> list[str]:
    return [str(rule.clause) for rule in rules]


@pytest.mark.parametrize("size", [9, 10, 11])
def test_each_row_is_held_out_in_one_third(size: int) -> None:
    left = [np.flatnonzero(~Thirds(3, part).kept("flight", size)).tolist() for part in range(3)]
    assert sorted(row for rows in left for row in rows) == list(range(size))
    assert [len(rows) for rows in left] == [len(range(part, size, 3)) for part in range(3)]
    assert np.array_equal(Thirds(3).kept("flight", size), Thirds(3, 0).kept("flight", size))


def first_to_say(rules: Sequence[tuple[np.ndarray, np.ndarray]], row: int) -> int | None:
    return next((place for place, (right, wrong) in enumerate(rules) if right[row] or wrong[row]), None)


def test_the_first_rule_that_says_something_decides_by_definition() -> None:
    for seed in range(budget(100, least=20)):
        rules = drawn(seed, "p")
        cases = [(rule.right, rule.wrong) for rule in rules]
        for place, (right, wrong) in enumerate(decides(rules)):
            mine = [first_to_say(cases, row) == place for row in range(ROWS)]
            assert right.tolist() == (rules[place].right & mine).tolist()
            assert wrong.tolist() == (rules[place].wrong & mine).tolist()


def test_a_list_is_tried_on_other_rows_by_definition() -> None:
    """A rule promises what it is worth on the rows that it decides; of a rule that was not tried nothing is known."""
    for seed in range(budget(100, least=20)):
        rules = drawn(seed, "p")
        seen, others = [(rule.right, rule.wrong) for rule in rules], [rule.tried for rule in rules if rule.tried]
        right, promised, cases = 0, 0.0, 0
        for row in range(OTHERS):
            place = first_to_say(others, row)
            if place is not None:
                mine = [row for row in range(ROWS) if first_to_say(seen, row) == place]
                promised += rules[place].right[mine].sum() / (len(mine) + 1)
                right, cases = right + others[place][0][row], cases + 1
        found = lists._tried(rules)
        assert (found.right, found.cases) == (right, cases) and found.said == pytest.approx(promised)
        assert lists._tried([replace(rule, tried=None) for rule in rules]) == HeldOut()


# Which rules are taken


def rank(rule: ColumnRule) -> float:
    return LAST if rule.is_otherwise else (rule.true + 1) / (rule.true + rule.false + 2)


def total(rules: Sequence[ColumnRule]) -> int:
    """Of each predicate and row, the most certain rule that says something of it decides, and is right or wrong."""
    scores: dict[Predicate, np.ndarray] = {}
    for rule in sorted(rules, key=rank, reverse=True):  # what is said first stands
        predicate, says = rule.clause.head[0].predicate, rule.right.astype(int) - rule.wrong
        before = scores.get(predicate, np.zeros(ROWS))
        scores[predicate] = np.where(before, before, says)
    return sum(int(score.sum()) for score in scores.values())


def greedy(rules: list[ColumnRule], most: int, worth: float) -> list[ColumnRule]:
    """One rule after the other that adds most, the shorter and earlier one of two; then none that is hardly missed."""
    chosen: list[ColumnRule] = []
    left = list(rules)
    while left and len(chosen) < most:
        best = max(left, key=lambda rule: (total([*chosen, rule]) - total(chosen), -len(rule.clause.body)))
        if total([*chosen, best]) - total(chosen) < max(1, worth * ROWS):
            break
        left = [rule for rule in left if rule is not best]
        chosen.append(best)
    return needed(chosen, worth)


def needed(chosen: list[ColumnRule], worth: float) -> list[ColumnRule]:
    for rule in sorted(chosen, key=rank):
        without = [other for other in chosen if other is not rule]
        if total(chosen) - total(without) < max(1, worth * ROWS):
            chosen = without
    return chosen


@pytest.mark.parametrize("worth", [0.05, 0.2])
def test_short_lists_by_definition(worth: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "WORTH", worth)
    for seed in range(budget(80, least=25)):
        rules = drawn(seed)
        assert names(lists._needed(rules)) == names(needed(rules, worth))
        for most in (0, 2, 9):
            expected = greedy([rule for rule in rules if not rule.is_whole], most, worth)
            ordered = sorted(expected, key=lambda rule: (-rank(rule), -rule.true, str(rule.clause)))
            for short in (True, False):
                assert names(taken(rules, most, short=short)) == names(ordered), (seed, most)
        for unsaid in (None, "knee"):
            usual = taken(rules, lists.SHORT, short=True)
            assert names(taken(rules, unsaid, short=True)) == names(usual)
            assert names(taken(rules, unsaid, short=False)) == names([rule for rule in rules if not rule.is_otherwise])


def test_a_list_ends_with_the_most_frequent_value_of_what_is_left() -> None:
    completed = 0
    for seed in range(budget(200, least=40)):
        mined = drawn(seed, "p")
        chosen, others = ([rule for rule in mined if rule.is_otherwise == last] for last in (False, True))
        for most in (len(chosen) - 1, len(chosen), len(chosen) + 1):
            found = lists._completed(chosen, mined, most)
            left = [row for row in range(ROWS) if not any(rule.right[row] or rule.wrong[row] for rule in chosen)]
            often = [int(rule.right[left].sum()) for rule in others]
            if most > len(chosen) and any(often):
                assert names(found) == names([*chosen, others[often.index(max(often))]])
                assert lists._completed(found, mined, most + 1) == found, "it has its end"
                completed += 1
            else:
                assert found == chosen
    assert completed > 5


# Which list is taken


def test_trees_that_are_too_long_or_banned_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [drawn(1, "p")[:2], drawn(2, "p")[:3]]
    monkeypatch.setattr(lists, "mine_trees", lambda database, mining, rows: trees)
    banned = trees[1][0].clause

    def sizes(most: int | str | None, *bans: Any) -> list[int]:
        task: Any = SimpleNamespace(
            settings=SimpleNamespace(max_rules=most), edits=Edits(Theory(banned=bans)), database=None
        )
        return [len(rules) for rules in lists._lists(task, MiningSettings(), [])]

    assert sizes(None) == sizes("knee") == sizes(3) == [0, 2, 3]
    assert sizes(2) == [0, 2, 0] and sizes(1) == [0, 0, 0]
    assert sizes(2, banned)[2] == 2


def every_case() -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    for sizes in product((1, 2, 3), (0, 1, 2), (0, 2)):
        for right in product((60, 79, 80, 81, 84, 85, 90), (80, 81), (79, 80, 81)):
            for most_frequent in (50, 76, 77):
                yield sizes, right, most_frequent


def test_which_of_three_lists_is_taken_by_definition() -> None:
    """Of 100 rows of which a tree is right about 80, a standard error is 4."""
    rule = drawn(0)[0]
    for sizes, right, most_frequent in every_case():
        some, coarse, fine = sizes
        found = lists._best([[rule] * size for size in sizes], [HeldOut(each, 0, 100) for each in right], most_frequent)
        trees = [place for place in (1, 2) if sizes[place]]
        if not trees:
            assert found == 0
            continue
        tree = max(trees, key=lambda place: right[place])
        error = sqrt(right[tree] * (100 - right[tree]) / 100)
        clear = right[0] > right[tree] + error and some <= max(coarse, fine)
        as_good = right[0] >= right[tree] and right[0] > most_frequent + error and some <= sizes[tree]
        assert found == (0 if clear or as_good else tree), (sizes, right, most_frequent)
    assert lists._best([[rule], [rule], []], [HeldOut()] * 3, 0) == 1, "nothing was tried"

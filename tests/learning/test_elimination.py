"""Rules are taken away one after the other: the lazy way is the exhaustive one, and the smallest best one is taken."""

from __future__ import annotations

from collections.abc import Container, Sequence
from random import Random

import pytest

from budget import budget
from possilog.learning.elimination import WORTH, Lost, Stage, best_within, eliminate, grow, shortest_best

CASES = budget(300, least=100)


class Covering:
    """Each rule covers some facts; what the rules gain is the worth of all facts that they cover together."""

    def __init__(self, covered: list[set[int]], worth: list[int], noise: list[int], *, guesses: bool) -> None:
        self.covered, self.worth, self.noise, self.left = covered, worth, noise, set(range(len(covered)))
        self.asked, self._guesses = 0, guesses

    def worth_of(self, rules: set[int]) -> int:
        return sum(self.worth[fact] for fact in set().union(*(self.covered[rule] for rule in rules)))

    @property
    def gain(self) -> float:
        return self.worth_of(self.left)

    def loss(self, rule: int, *, roughly: bool = False) -> Lost:
        self.asked += 1
        # A guess may be too low; it is not too high, or the lazy way would be another one.
        if roughly and self._guesses:
            return Lost(0, self.noise[rule])
        return Lost(self.worth_of(self.left) - self.worth_of(self.left - {rule}), self.noise[rule])

    def remove(self, rule: int) -> None:
        self.left.remove(rule)

    def added(self, rule: int, above: Sequence[int]) -> float:
        return self.worth_of({*above, rule}) - self.worth_of(set(above))

    def keep(self, rules: Container[int]) -> None:
        self.left = {rule for rule in self.left if rule in rules}


def draw(chance: Random) -> Covering:
    facts = chance.randint(1, 12)
    covered = [{fact for fact in range(facts) if chance.random() < 0.3} for _ in range(chance.randint(0, 8))]
    noise = [chance.choice([0, 0, 3, 6]) for _ in covered]
    return Covering(covered, [chance.randint(0, 5) for _ in range(facts)], noise, guesses=chance.random() < 0.5)


def exhaustive(losses: Covering, lengths: dict[int, int], kept: set[int]) -> list[Stage]:
    """All losses are measured before each step; those within their noise count as none.

    Of rules that lose nothing the longest goes, of equal ones the rule that is lowest in the theory.
    """
    left = list(range(len(losses.covered)))
    path = [Stage(tuple(left), losses.worth_of(set(left)))]
    while free := [rule for rule in left if rule not in kept]:
        without = {rule: losses.worth_of(set(left)) - losses.worth_of(set(left) - {rule}) for rule in free}
        unclear = [rule for rule in free if without[rule] <= losses.noise[rule]]
        longest = max((lengths[rule] for rule in unclear), default=0)
        asked = [rule for rule in unclear if lengths[rule] == longest] or free
        left.remove(min(asked, key=lambda rule: (without[rule], -rule)))
        path.append(Stage(tuple(left), losses.worth_of(set(left))))
    return path


def test_the_lazy_way_is_the_exhaustive_one() -> None:
    """Where what one rule says others say too, a loss only grows while rules go."""
    lazily = 0
    for seed in range(CASES):
        chance = Random(seed)
        losses = draw(chance)
        number = len(losses.covered)
        kept = {rule for rule in range(number) if chance.random() < 0.2}
        lengths = {rule: chance.randint(1, 3) for rule in range(number)}
        expected = exhaustive(losses, lengths, kept)
        assert eliminate(range(number), losses, lengths, kept=kept) == expected, seed
        assert expected[-1].rules == tuple(sorted(kept))
        free = number - len(kept)
        lazily += free > 3 and losses.asked < free + free * (free + 1) // 2
    assert lazily > CASES / 10


def test_what_harms_goes_first_and_then_what_may_not_matter_the_longest_before_others() -> None:
    waiting = [(Lost(0.1, 0.2), 1), (Lost(0.3, 0.2), 3), (Lost(-0.1, 0.2), 2), (Lost(-0.5, 0.2), 1), (Lost(0, 0), 1)]
    order = [lost.mean for lost, length in sorted(waiting, key=lambda one: one[0].order(one[1]))]
    assert order == [-0.5, -0.1, 0, 0.1, 0.3]


def test_rules_that_add_nothing_to_those_above_are_left_out() -> None:
    for seed in range(CASES):
        chance = Random(seed)
        losses = draw(chance)
        rules = range(len(losses.covered))
        kept = {rule for rule in rules if chance.random() < 0.2}
        all_of_them = losses.gain
        taken = grow(rules, losses, kept=kept)
        assert kept <= set(taken) == losses.left, seed
        for rule in rules:
            above = {other for other in taken if other < rule}
            pays = losses.worth_of(above | {rule}) > losses.worth_of(above)
            assert (rule in taken) == (pays or rule in kept), seed
        assert losses.gain == all_of_them, seed  # here, since what nothing is worth nobody misses


def test_the_smallest_theory_that_is_nearly_best_is_taken() -> None:
    """Of what the best adds no more than a hundredth is lost, and no more than a five-hundredth by each rule that goes.

    Of theories that are best, the smallest is the one from which rules go.
    """
    smaller = 0
    for seed in range(CASES):
        chance = Random(seed)
        gains = [chance.choice([-1.0, 0.0, 9.8, 9.88, 9.91, 9.94, 9.97, 10.0]) for _ in range(chance.randint(1, 9))]
        gains = [*sorted(gains, reverse=True), 0.0] if chance.random() < 0.5 else gains
        path = [Stage(tuple(range(len(gains) - 1 - place)), gain) for place, gain in enumerate(gains)]
        found = shortest_best(path)
        highest, least = max(stage.gain for stage in path), path[-1].gain
        best = [stage for stage in path if stage.gain == highest][-1]
        if highest - least < WORTH * abs(least):
            assert found == path[-1]
            continue
        enough = [
            stage
            for stage in path[path.index(best) :]
            if highest - stage.gain <= 0.01 * (highest - least)
            and highest - stage.gain <= 0.002 * (highest - least) * (len(best.rules) - len(stage.rules))
        ]
        assert found == enough[-1], seed
        smaller += found != best
    assert smaller > CASES / 20


def test_the_best_with_so_many_rules_is_the_one_that_gains_most() -> None:
    """Nothing is nearly as good here, but where nobody asks for fewer rules; rules that are not used do not count."""
    bounded = 0
    for seed in range(CASES):
        chance = Random(seed)
        gains = [chance.choice([-1.0, 0.0, 9.8, 9.88, 9.91, 9.94, 9.97, 10.0]) for _ in range(chance.randint(1, 9))]
        path = [Stage(tuple(range(len(gains) - 1 - place)), gain) for place, gain in enumerate(gains)]
        unused = {rule for rule in range(len(gains)) if chance.random() < 0.2}
        for most in range(len(gains) + 1):
            found = best_within(path, most, unused=unused)
            rules = {stage: set(stage.rules) - unused for stage in path}
            allowed = [stage for stage in path if len(rules[stage]) <= most]
            expected = shortest_best(path)
            if expected not in allowed:
                highest = max(stage.gain for stage in allowed)
                expected = [stage for stage in allowed if stage.gain == highest][-1]
                bounded += 1
            assert rules[found] == rules[expected], seed
            assert found == [stage for stage in path if rules[stage] == rules[expected]][-1]
    assert bounded > CASES / 2


def test_one_rule_less_than_the_best_costs_one_rule() -> None:
    """A bound had been asked for the smallest that is nearly as good as the best within it: two rules less, here."""
    path = [Stage(tuple(range(3 - place)), gain) for place, gain in enumerate([10.0, 9.95, 9.94, 0.0])]
    sizes = [len(best_within(path, most).rules) for most in range(5)]
    assert (len(shortest_best(path).rules), sizes) == (3, [0, 1, 2, 3, 3])


def test_what_counts_is_what_rules_add_to_the_rest() -> None:
    assert shortest_best([Stage((0, 1), 100.0), Stage((0,), 99.99), Stage((), 98.0)]).rules == (0, 1)
    assert shortest_best([Stage((0, 1), 100.0), Stage((0,), 99.99), Stage((), 90.0)]).rules == (0,)


@pytest.mark.parametrize(
    ("gains", "rules"),
    [
        ([100.0, 99.81], 1),  # one rule less may cost a five-hundredth
        ([100.0, 99.79], 2),
        ([100.0, 99.79, 99.61], 1),  # two may cost two
        ([100.0, 99.79, 99.79, 99.79, 99.79, 99.01], 1),
        ([100.0, 99.79, 99.79, 99.79, 99.79, 98.99], 2),  # but all together no more than a hundredth
        ([100.0, 99.79, 99.79, 99.79, 99.79, 99.79, 99.01, 98.99], 2),
        ([99.99, 100.0, 100.0, 99.79], 2),  # counted from the smallest that is best
        ([100.0, 100.0, 100.0, 99.61], 2),
    ],
)
def test_each_rule_that_goes_may_cost_a_little(gains: list[float], rules: int) -> None:
    """To no rules at all, that gain nothing."""
    path = [Stage(tuple(range(len(gains) - place)), gain) for place, gain in enumerate([*gains, 0.0])]
    assert len(shortest_best(path).rules) == rules


def test_rules_that_add_next_to_nothing_are_not_worth_having() -> None:
    assert shortest_best([Stage((0, 1), 100.0), Stage((0,), 99.8), Stage((), 99.1)]).rules == ()
    assert shortest_best([Stage((0, 1), 100.0), Stage((0,), 99.8), Stage((), 98.9)]).rules == (0, 1)


def test_what_is_to_be_kept_stays_even_if_it_is_more_than_is_allowed() -> None:
    assert best_within([Stage((0, 1, 2), 3.0), Stage((0, 1), 2.0)], 1) == Stage((0, 1), 2.0)

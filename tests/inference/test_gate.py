"""Which rules are used with some evidence, and what is said of conclusions: against the formulas, spelled out."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import exp, inf, log, sqrt
from random import Random

import pytest

from budget import budget
from possilog.data import Database, Evidence
from possilog.inference.gate import Gate
from possilog.logic import (
    CERTAIN,
    Atom,
    Clause,
    Constant,
    HeldOut,
    Measured,
    Measures,
    Precision,
    Predicate,
    Rule,
    Theory,
    Weight,
    parse_clause,
)

CASES = budget(300)

P, Q, R = Predicate("p", 1), Predicate("q", 1), Predicate("r", 2)
CLAUSES = [
    parse_clause(text)
    for text in (
        "p(X) :- q(X).",
        "q(X) :- p(X).",
        "p(X) :- r(X, Y).",
        "q(Y) :- r(X, Y), p(X).",
        "r(X, Y) :- r(Y, X).",
        "r(X, Y) :- p(X), q(Y).",
        "r(X, Z) :- r(X, Y), r(Y, Z).",
        ":- p(X), r(X, X).",
        "p(X) ; q(X) :- r(X, Y).",
    )
]
SHARES = (0.1, 0.4, 0.8)
NOTHING = HeldOut()

GRID = [0.005 + 0.01 * place for place in range(100)]


def draw_facts(chance: Random, constants: int = 8) -> Database:
    names = [f"c{number}" for number in range(constants)]
    density = chance.random()
    atoms = [Atom.ground(name, [one]) for name in "pq" for one in names]
    atoms += [Atom.ground("r", [one, other]) for one in names for other in names if chance.random() < 0.3]
    return Database.of(atom for atom in atoms if chance.random() < density)


def draw_held_out(chance: Random) -> HeldOut:
    cases = chance.choice([0, 3, 40])
    return HeldOut(cases * chance.random(), cases * chance.random(), cases) if cases else HeldOut()


def draw_theory(chance: Random) -> Theory:
    clauses = chance.sample(CLAUSES, len(CLAUSES))
    hard, soft = clauses[:2], clauses[2:]
    rules = [Rule(clause, Weight.of(f"0.{90 - place}")) for place, clause in enumerate(soft)]
    measured, in_place = [], chance.random() < 0.5
    for clause in soft[: chance.randint(0, len(soft))]:
        false = chance.choice([0, 0, 2, 9])
        gains = tuple(chance.uniform(-1, 3) for _ in SHARES) if in_place or chance.random() < 0.7 else ()
        most = chance.choice([0.1, 4])  # of some rules next to nothing is concluded anywhere
        gains = tuple(min(gain, most) for gain in gains)
        errors = tuple(max(-gain, 0) + chance.uniform(0, most) for gain in gains)
        errors = errors if in_place or chance.random() < 0.7 else ()
        counts = chance.choice([2, 8, 30]), false, chance.randint(0, false)
        measured.append(Measured(clause, *counts, draw_held_out(chance), gains, errors))
    seen = tuple(sorted(chance.random() for _ in SHARES))
    added = tuple(chance.uniform(-1, 4) for _ in SHARES)
    certain = tuple(Precision(predicate, draw_held_out(chance)) for predicate in (P, Q) if chance.random() < 0.6)
    measures = Measures(SHARES, seen, added, tuple(measured), certain, draw_held_out(chance))
    if chance.random() < 0.7:
        measures = replace(measures, given=tuple(chance.uniform(0, 40) for _ in SHARES))
    if chance.random() < 0.6:
        # Up to what all of them have, or so; a person may have written any numbers, also falling ones.
        dense = tuple(chance.uniform(0, 5) for _ in SHARES)
        dense = tuple(sorted(dense)) if chance.random() < 0.8 else dense
        measures = replace(measures, dense=dense, dense_weight=chance.choice([0.0, chance.random(), 1.0]))
    return Theory((*map(Rule, hard), *rules), measures=measures)


# The formulas


def heads_of(clause: Clause, facts: set[Atom], names: tuple[str, ...]) -> set[Atom]:
    """The distinct heads, where distinct constants for the variables make the body true."""
    found = set()
    for chosen in permutations(map(Constant, names), len(clause.variables)):
        ground = clause.substitute(dict(zip(clause.variables, chosen, strict=True)))
        if facts.issuperset(ground.body):
            found.add(ground.head[0])
    return found


def between(at: float, places: tuple[float, ...], values: tuple[float, ...]) -> float:
    """On the line between two neighbours, and beyond the first and the last as there."""
    if at <= places[0]:
        return values[0]
    for (left, low), (right, high) in zip(
        zip(places, values, strict=True), zip(places[1:], values[1:], strict=True), strict=False
    ):
        if left <= at <= right:
            return low if left == right else low + (high - low) * (at - left) / (right - left)
    return values[-1]


def clipped(share: float) -> float:
    return min(max(share, 0.01), 0.97)


def log_odds(share: float) -> float:
    return log(share / (1 - share))


class ByFormula:
    """The gate of a theory as its definition has it."""

    def __init__(self, theory: Theory, cautious: bool = True) -> None:
        assert theory.measures is not None
        self.cautious = cautious
        self.theory, self.measures = theory, theory.measures
        self.measured = {rule.clause: rule for rule in theory.measures.rules}
        self.asked: dict[int, dict[Clause, tuple[float, float]]] = {}

    def by_rule(self, evidence: Evidence) -> dict[Clause, tuple[float, float]]:
        if id(evidence) not in self.asked:
            self.asked[id(evidence)] = self.counted(evidence)
        return self.asked[id(evidence)]

    def counted(self, evidence: Evidence) -> dict[Clause, tuple[float, float]]:
        """What each rule expects, and how much of that is given."""
        facts, names = set(evidence.facts), evidence.facts.constants
        found = {}
        for rule in self.theory:
            clause, measured = rule.clause, self.measured.get(rule.clause)
            if len(clause.head) != 1:
                continue
            if rule.is_hard:
                confidence = 1.0
            elif measured is not None and measured.true >= 5:
                confidence = measured.true / (measured.true + measured.false + 1)
            else:
                continue
            heads = heads_of(clause, facts, names)
            # A rule counts for no more heads than it rests on.
            weight = 1.0 if measured is None or not heads else min(1.0, (measured.true + measured.false) / len(heads))
            found[clause] = (weight * confidence * len(heads), weight * len(heads & facts))
        return found

    def expected(self, evidence: Evidence) -> dict[Predicate, tuple[float, float]]:
        found: dict[Predicate, tuple[float, float]] = {}
        for clause, (heads, given) in self.by_rule(evidence).items():
            before = found.get(clause.head[0].predicate, (0.0, 0))
            found[clause.head[0].predicate] = (before[0] + heads, before[1] + given)
        return found

    def odds(self, rule: Measured, evidence: Evidence) -> float:
        """By how much the odds of error are higher: at the posterior mean, and at the prior's."""
        clause, facts = rule.clause, set(evidence.facts)
        if len(clause.head) != 1 or not any(fact.predicate == target(clause) for fact in facts):
            return 1.0
        mine = self.expected(evidence).get(target(clause), (0.0, 0))
        share = self.whole(evidence)
        if self.is_apart(share, *mine):
            share = max(share, clipped((mine[1] + 0.4) / (mine[0] + 2)))
        covered = heads_of(clause, facts, evidence.facts.constants)
        there = len(covered & facts)
        strength = min(rule.true + rule.false, 50) + 1
        a = strength * rule.true / (rule.true + rule.false + 1)
        beta = [c ** (a - 1) * (1 - c) ** (strength - a - 1) for c in GRID]
        prior = [0.9 * one / sum(beta) + 0.1 / len(GRID) for one in beta]
        likely = [c**there * (1 - share * c) ** (len(covered) - there) for c in GRID]
        before, after = (
            sum(c * weight for c, weight in zip(GRID, weights, strict=True)) / sum(weights)
            for weights in (prior, [one * other for one, other in zip(prior, likely, strict=True)])
        )
        return float((1 - after) / after / ((1 - before) / before))

    @staticmethod
    def is_apart(raw: float, heads: float, given: float) -> bool:
        spread = max((heads * raw * (1 - raw) + (0.15 * raw * heads) ** 2) ** 0.5, 1)
        return bool(abs(given - raw * heads) > 3 * spread)

    def mapped(self, raw: float) -> float:
        return clipped(between(raw, (0, *self.measures.seen, 1), (0, *self.measures.shares, 1)))

    def raw(self, evidence: Evidence) -> float:
        """Of all that is expected, how much is given."""
        found = self.expected(evidence)
        heads, given = (sum(numbers[place] for numbers in found.values()) for place in (0, 1))
        return clipped((given + 0.4) / (heads + 2))

    def common(self, evidence: Evidence) -> float:
        """The share by what is expected, and by how much is said of each thing: between their odds, by the weight."""
        by_rules, weight = self.mapped(self.raw(evidence)), self.measures.dense_weight
        if not self.measures.dense or weight == 0:
            return by_rules
        things = {constant for fact in evidence.facts for constant in fact.arguments}
        each = len(evidence.facts) / max(len(things), 1)
        # More is said where more is known, so that what falls stays as it was; and on, as between the last two.
        dense = [max(self.measures.dense[: place + 1]) for place in range(len(SHARES))]
        last = dense[-1] + (1 - SHARES[-1]) * (dense[-1] - dense[-2]) / (SHARES[-1] - SHARES[-2])
        by_things = clipped(between(each, (*dense, last), (*SHARES, 1.0)))
        odds = exp(weight * log_odds(by_things) + (1 - weight) * log_odds(by_rules))
        return odds / (1 + odds)

    def whole(self, evidence: Evidence) -> float:
        """How much of what is expected should be given: as much as on held-out facts at the share that is seen."""
        if not self.measures.dense or self.measures.dense_weight == 0:
            return self.raw(evidence)
        return clipped(between(self.common(evidence), (0, *SHARES, 1), (0, *self.measures.seen, 1)))

    def shares(self, evidence: Evidence) -> tuple[float, dict[Predicate, float]]:
        common, whole, apart = self.common(evidence), self.whole(evidence), {}
        for predicate, (mine, given_mine) in self.expected(evidence).items():
            if self.is_apart(whole, mine, given_mine):
                share = self.mapped(clipped((given_mine + 0.4) / (mine + 2)))
                if share > common or not any(fact.predicate == predicate for fact in evidence.facts):
                    apart[predicate] = share
        return common, apart

    def most(self, evidence: Evidence) -> dict[Clause, float]:
        """Ten times what a rule concluded where it was measured, and no more than four times what is hidden of these.

        Where k facts of a predicate are given, and these are the share s of all, (1 - s) / s times k are hidden; where
        none is, all of them are.
        """
        if not (self.measures.given and self.cautious):
            return {}
        common, apart = self.shares(evidence)
        larger = len(evidence.facts) / max(between(common, SHARES, self.measures.given), 1)
        found = {}
        for clause, rule in self.measured.items():
            if not rule.errors or len(clause.head) != 1:
                continue
            right_and_wrong = between(common, SHARES, rule.gains) + 2 * between(common, SHARES, rule.errors)
            covered = len(heads_of(clause, set(evidence.facts), evidence.facts.constants))
            share = apart.get(target(clause), common)
            given = sum(fact.predicate == target(clause) for fact in evidence.facts)
            hidden = (given + 1) * (1 - share) / share if given else float("inf")
            found[clause] = min(10 * (larger * right_and_wrong + covered + 1), 4 * hidden)
        return found

    @staticmethod
    def by_counts(rule: Measured, share: float) -> float:
        t, f, n = rule.true, rule.false, rule.nontrivial
        # A symmetry without an exception is one by chance with a probability of 1 / (t + 2), and then as often wrong.
        more = 1 / (t + 2) if f == 0 and rule.clause == parse_clause("r(X, Y) :- r(Y, X).") else 1
        c = t / (t + n + (f - n) * (1 - share) + more)
        return c * (1 - share) / (1 - c * share)

    def q(self, rule: Measured, share: float, odds: float) -> float:
        q = self.by_counts(rule, share)
        if rule.errors:
            wrong = between(share, SHARES, rule.errors)
            right = between(share, SHARES, rule.gains) + wrong
            q = (4 * right + 20 * q) / (4 * right + 4 * wrong + 20)
        q = q / (q + odds * (1 - q))
        return min(moved(q, self.measures.faultless), 0.985) if rule.false == 0 else q

    def is_used(self, clause: Clause, share: float, evidence: Evidence | None) -> bool:
        rule = self.measured.get(clause)
        if rule is None:
            return True
        highest = share if evidence is None or not self.cautious else min(share * (1 + 2 * self.doubt(evidence)), 0.97)
        if between(highest, self.measures.shares, self.floor) < 0:
            return False
        if rule.gains and between(highest, self.measures.shares, rule.gains) < 0:
            return False
        return self.probability(rule, highest, evidence) > 0.5

    @property
    def floor(self) -> tuple[float, ...]:
        """What the soft rules add at least, and a little less or more is chance.

        Above the share where they add most it does not rise again, and a little is no more than a tenth of what they
        conclude there, if that is known of all of them.
        """
        added, rules = self.measures.added, self.measures.rules
        most, little = added.index(max(added)), max(max(added), 0) / 10
        floor = []
        for place, value in enumerate(added):
            concluded = sum(rule.gains[place] + 2 * rule.errors[place] for rule in rules if rule.gains and rule.errors)
            concluded = max(concluded, 0.0) if all(rule.gains and rule.errors for rule in rules) else inf
            if place <= most:
                floor.append(value + (little if place < most else 0))
            else:
                lowest = value - min(little, concluded / 10)
                floor.append(lowest if place == most + 1 else min(lowest, floor[-1]))
        return tuple(floor)

    def doubt(self, evidence: Evidence) -> float:
        """The standard error of what is expected, as a part of it: a rule rests on 50 heads at most, all err by 6 %."""
        variance = 0.0
        by_rule = self.by_rule(evidence)
        for clause, (expected, _) in by_rule.items():
            if (measured := self.measured.get(clause)) is not None:
                rests = measured.true + measured.false
                c = measured.true / (rests + 1)
                variance += (expected / c) ** 2 * c * (1 - c) / min(rests, 50)
        whole = sum(expected for expected, _ in by_rule.values())
        return sqrt(variance + (0.06 * whole) ** 2) / (whole + 2)

    def stated(self, rule: Measured, share: float, evidence: Evidence) -> float:
        others = [one.held_out for one in self.measured.values() if one != rule and rule.false == 0]
        return self.probability(rule, share, evidence, sum(others, NOTHING))

    def probability(self, rule: Measured, share: float, evidence: Evidence | None, others: HeldOut = NOTHING) -> float:
        q = self.q(rule, share, 1.0 if evidence is None else self.odds(rule, evidence))
        error = sqrt(q * (1 - q) / (rule.true + rule.false + 1))
        cases = rule.held_out.cases + others.cases + (self.measures.faultless.cases if rule.false == 0 else 0)
        found = max(moved(q, rule.held_out, others) - 14 / (cases + 14) * error, 0)
        found = min(found, 0.985) if rule.false == 0 else found
        # A chain of its own conclusions: not a symmetry, whose conclusions lead back to where they come from.
        feeds = len(rule.clause.body) > 1 and bool(rule.clause.head) and target(rule.clause) in predicates(rule.clause)
        counted = self.by_counts(rule, share)
        lowest = max(counted - 0.5 * sqrt(counted * (1 - counted) / (rule.true + rule.false + 1)), 0)
        return min(found, lowest) if feeds else found


def moved(q: float, seen: HeldOut, others: HeldOut = NOTHING) -> float:
    """The odds of what is said, times those of what came true, divided by those of what was said of it.

    What comes true is thought to be what is said, moved by what came of others.
    """
    if not seen.cases:
        return moved(q, others) if others.cases else q
    said = min(max(seen.said / seen.cases, 0.01), 0.99)
    right = (seen.right + 14 * moved(said, others)) / (seen.cases + 14)
    odds = right * (1 - said) * q
    return odds / (odds + said * (1 - right) * (1 - q))


def predicates(clause: Clause) -> set[Predicate]:
    return {atom.predicate for atom in clause.body}


def target(clause: Clause) -> Predicate:
    return (clause.head or clause.body)[0].predicate


def test_the_gate_is_its_formulas() -> None:
    seen = dict.fromkeys(("left out", "used", "apart", "lost alone", "lost together", "by rules", "by things"), 0)
    seen |= dict.fromkeys(("bound by what is hidden", "bound by what was concluded", "a little is less"), 0)
    for seed in range(CASES):
        chance = Random(seed)
        theory, evidence = draw_theory(chance), Evidence(draw_facts(chance))
        cautious = seed % 3 > 0
        plain, gate = ByFormula(theory, cautious), Gate(theory, cautious=cautious)
        share, apart = gate.shares(evidence)
        expected, expected_apart = plain.shares(evidence)
        assert share == pytest.approx(expected, abs=1e-6), seed
        assert apart == pytest.approx(expected_apart, abs=1e-6), seed
        seen["by things" if abs(share - plain.mapped(plain.raw(evidence))) > 0.02 else "by rules"] += 1
        for said in (None, 0.05, 0.6, chance.random(), chance.choice([0.0, 0.98, 1.0])):
            use = gate.use(evidence, said)
            given = None if said is None else clipped(said)  # no share is thought to be beyond these
            assert use.share == (share if given is None else given)
            assert use.shares == (apart if given is None else {})
            if given is None:
                most = {rule.clause: number for rule, number in use.most.items()}
                assert most == pytest.approx(plain.most(evidence)), seed
            else:
                assert use.most == {}
            for rule in theory:
                at = given if given is not None else apart.get(target(rule.clause), share)
                used = rule.is_hard or plain.is_used(rule.clause, at, evidence if given is None else None)
                assert (rule not in use.left_out) == used, (seed, str(rule))
                seen["used" if used else "left out"] += 1
            seen["lost alone"] += any("it lost on the facts" in reason for reason in use.left_out.values())
            seen["lost together"] += any("the soft rules lost" in reason for reason in use.left_out.values())
        seen["apart"] += bool(apart)
        for clause, number in plain.most(evidence).items():
            at = apart.get(target(clause), share)
            hidden = 4 * (evidence.facts.count(target(clause)) + 1) * (1 - at) / at
            seen["bound by what is hidden" if number == hidden else "bound by what was concluded"] += 1
        best, last = max(plain.measures.added), plain.measures.added[-1]
        seen["a little is less"] += 0 < best > last and plain.floor[-1] > last - best / 10
    assert all(number > CASES / 60 for number in seen.values()), seen


def test_what_is_stated_is_what_the_formulas_say_moved_by_held_out_cases() -> None:
    for seed in range(CASES):
        chance = Random(seed)
        theory, evidence = draw_theory(chance), Evidence(draw_facts(chance))
        plain, gate = ByFormula(theory), Gate(theory)
        use = gate.use(evidence)
        for rule in theory.soft:
            stated, measured = gate.stated(rule, use), plain.measured.get(rule.clause)
            assert (stated is None) == (measured is None)
            if stated is not None and measured is not None:
                share = use.share_of(target(rule.clause))
                assert share is not None
                assert stated.probability == pytest.approx(plain.stated(measured, share, evidence)), seed
                assert stated.cases == measured.held_out
            if rule not in use.left_out:
                assert gate.statement(use)(rule.weight, target(rule.clause), None) == stated
                assert gate.statement(use)(rule.weight, R, rule) == stated
        for predicate in (P, Q, R):
            found = [one.held_out for one in plain.measures.certain if one.predicate == predicate]
            counted = found[0] if found else HeldOut()
            certain = gate.statement(use)(CERTAIN, predicate, None)
            assert certain is not None
            assert certain.cases == counted
            assert certain.probability == pytest.approx((counted.right + 0.985 * 20) / (counted.cases + 20))

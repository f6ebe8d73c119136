"""A theory, laid out once in each way in which inference needs it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Self

from possilog.chaining.bodies import Grounder
from possilog.data.evidence import require_one_arity
from possilog.files import AnyPath
from possilog.inference.cores import Cores
from possilog.inference.fragments import FragmentTheory
from possilog.inference.gate import Gate, Use
from possilog.inference.horn import HornTheory
from possilog.inference.prediction import Engine
from possilog.inference.sat_cut import SatTheory
from possilog.inference.taken import theory_of
from possilog.logic import Rule, Theory, Weight

__all__ = ["Layouts"]


class Layouts:
    """The rules of a theory for chaining, for a solver, for fragments and for explanations, each made when needed."""

    def __init__(self, theory: Theory | AnyPath) -> None:
        """Take a theory, or the path of a file with one; all its rules need a weight."""
        self.theory = theory_of(theory)
        self.theory.require_weights()
        self.predicates = self.theory.predicates
        require_one_arity(self.predicates, ())
        self.horn = HornTheory(self.theory)
        self._using: dict[frozenset[Rule], Self] = {}
        self._in_force: dict[tuple[Weight | None, bool], HornTheory] = {}

    @cached_property
    def gate(self) -> Gate:
        """What decides which rules pay with some evidence."""
        return Gate(self.theory)

    @cached_property
    def lone(self) -> frozenset[Rule]:
        """The rules that are the only ones of their strata, so that leaving them out needs no new layout."""
        return frozenset(stratum.rules[0] for stratum in self.theory.strata if len(stratum.rules) == 1)

    def using(self, use: Use) -> Self:
        """The layouts of the rules that are used."""
        if not use.left_out:
            return self
        left_out = frozenset(use.left_out)
        if left_out not in self._using:
            rules = tuple(rule for rule in self.theory.rules if rule not in left_out)
            self._using[left_out] = type(self)(replace(self.theory, rules=rules, types=None, measures=None))
        return self._using[left_out]

    @cached_property
    def grounder(self) -> Grounder:
        """The rules for lazy grounding."""
        return Grounder.of_theory(self.theory)

    @cached_property
    def whole(self) -> Engine:
        """What finds the global cut: forward chaining where every rule is Horn, SAT where one is not."""
        return SatTheory(self.theory, self.grounder) if self.horn.unused else self.horn

    @cached_property
    def fragments(self) -> FragmentTheory:
        """What joins the cuts of fragments."""
        return FragmentTheory(self.theory, self.whole, self.grounder)

    @cached_property
    def cores(self) -> Cores:
        """What finds the contradictions of evidence and hard rules."""
        return Cores(self.theory)

    @cached_property
    def definite(self) -> HornTheory:
        """The definite rules alone: what would follow if nothing spoke against anything."""
        return HornTheory(Theory(tuple(rule for rule in self.theory if rule.clause.is_definite)))

    def in_force(self, lowest: Weight | None, *, constraints: bool) -> HornTheory:
        """The Horn rules down to a weight, all as hard ones; of the soft ones only the constraints, if so asked.

        Without a weight, all strata are meant.
        """
        key = (lowest, constraints)
        if key not in self._in_force:
            rules = (rule for rule in self.theory if lowest is None or rule.weight >= lowest)
            chosen = (r for r in rules if r.clause.is_horn and (not constraints or r.is_hard or not r.clause.head))
            self._in_force[key] = HornTheory(Theory(tuple(Rule(rule.clause) for rule in chosen)))
        return self._in_force[key]

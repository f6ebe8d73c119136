"""Forward chaining by strata: the global cut (section Possibilistic Logic) and local inference, for Horn rules.

Both go from the highest stratum to the lowest, and each stage starts from what the stages above it concluded. The global
cut ends before the first stratum whose conclusions break a rule; local inference gives up single conclusions instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from possilog.inference.chaining import Chaining
from possilog.inference.evidence import Evidence
from possilog.inference.prediction import Conclusion, Conflict, Prediction
from possilog.inference.program import Program
from possilog.logic import CERTAIN, Rule, Theory, Weight

__all__ = ["JOINT", "HornTheory"]

JOINT = ("bar", "fewest")
"""How local inference settles a conflict between conclusions of one stage: bar all that have a part in it, or those with
the fewest derivations."""


class HornTheory:
    """The Horn rules of a theory, ready for questions."""

    def __init__(self, theory: Theory) -> None:
        """Lay out the rules; those with several heads are left out and listed as unused."""
        self.strata = theory.strata
        rules = [(rule, 0) for rule in theory.hard]
        rules += [(rule, level) for level, stratum in enumerate(self.strata, 1) for rule in stratum.rules]
        self.unused = tuple(rule for rule, _ in rules if not rule.clause.is_horn)
        horn = [(rule, level) for rule, level in rules if rule.clause.is_horn]
        self.rules: tuple[Rule, ...] = tuple(rule for rule, _ in horn)
        self.program = Program((rule.clause, level) for rule, level in horn)

    def cut(self, evidence: Evidence, *, repair: bool = False) -> Prediction:
        """The paper's inference: the lowest cut that is consistent with the evidence, and what it entails.

        With ``repair``, ground constraints that evidence and hard rules break by themselves are set aside.
        """
        run = _Run(self, evidence)
        run.harden()
        if run.conflicts and not repair:
            return run.nothing("global")
        for level, stratum in enumerate(self.strata, 1):
            run.chaining.stage(level, hasty=True)
            if run.chaining.chainer.violated:
                run.note(stratum.weight)
                run.chaining.chainer.withdraw()
                break
            run.settle(stratum.weight)
            run.kept, run.lowest = level, stratum.weight
        return run.prediction("global")

    def local(self, evidence: Evidence, *, repair: bool = True, joint: str = "bar") -> Prediction:
        """Local inference: every stratum is used wherever it does not conflict (see the page on inference)."""
        run = _Run(self, evidence)
        run.harden()
        if run.conflicts and not repair:
            return run.nothing("local")
        unbroken = True
        for level, stratum in enumerate(self.strata, 1):
            whole = run.stage(level, stratum.weight, joint)
            run.kept += whole
            unbroken &= whole
            if unbroken:
                run.lowest = stratum.weight
        return run.prediction("local")


@dataclass
class _Run:
    """One question under way."""

    theory: HornTheory
    evidence: Evidence
    chaining: Chaining = field(init=False)
    ends: list[tuple[Weight, int]] = field(default_factory=list)
    """The stages' weights, and how many atoms held after each."""
    conflicts: list[Conflict] = field(default_factory=list)
    kept: int = 0
    lowest: Weight = CERTAIN

    def __post_init__(self) -> None:
        self.chaining = Chaining(self.theory.program, self.evidence)

    def harden(self) -> None:
        """K_0: the closure under the definite hard rules; the constraints that it breaks are noted."""
        self.chaining.stage(0)
        self.note(CERTAIN)
        self.settle(CERTAIN)

    def settle(self, weight: Weight) -> None:
        self.chaining.chainer.settle()
        self.ends.append((weight, self.chaining.chainer.size))

    def note(self, weight: Weight, barred: Iterable[int] = ()) -> None:
        """Note the ground constraints that the stage broke."""
        if self.chaining.chainer.violated:
            names = tuple(sorted(map(self.chaining.atom, barred)))
            broken = sorted(ground for ground in self.chaining.ground_rules() if ground.head is None)
            self.conflicts += [Conflict(weight, ground, names) for ground in broken]

    def stage(self, level: int, weight: Weight, joint: str) -> bool:
        """K_i: one stage of local inference. Did the stratum stand as a whole?"""
        chainer = self.chaining.chainer
        barred: set[int] = set()
        whole = True
        while True:
            self.chaining.stage(level, guarded=True, barred=barred, recording=True)
            whole &= not chainer.blocked
            if not chainer.violated:
                break
            whole = False
            kept = chainer.ground_rules()
            chosen = _Joint(self, kept).chosen(joint)
            self.note(weight, chosen)
            if not chosen:  # constraints of this stratum that were broken before it: set aside
                break
            barred |= chosen
            chainer.withdraw()
        self.settle(weight)
        return whole

    def settled(self, atom: int) -> bool:
        """Did an atom hold before the stage?"""
        return self.chaining.chainer.rank_of(atom) < self.ends[-1][1]

    def prediction(self, inference: str) -> Prediction:
        added = []
        start = self.chaining.given
        for weight, end in self.ends:
            added += [Conclusion(atom, weight) for atom in sorted(self.chaining.atoms(start, end))]
            start = end
        return self._answer(inference, tuple(added))

    def nothing(self, inference: str) -> Prediction:
        """Nothing beyond the evidence, since it breaks the hard rules."""
        return self._answer(inference, ())

    def _answer(self, inference: str, added: tuple[Conclusion, ...]) -> Prediction:
        consistent = not any(conflict.weight.is_certain for conflict in self.conflicts)
        return Prediction(
            inference,
            "horn",
            self.evidence,
            added,
            consistent,
            self.kept,
            self.lowest,
            tuple(self.conflicts),
            self.theory.unused,
        )


class _Joint:
    """A conflict between conclusions of one stage, none of which is refuted by itself."""

    def __init__(self, run: _Run, kept: list[tuple[int, int, tuple[int, ...]]]) -> None:
        self._run = run
        self._violated = [body for _, head, body in kept if head < 0]
        self._hard: dict[int, set[int]] = defaultdict(set)  # what an atom follows from by a hard step
        self._derivations: dict[int, int] = {}  # of a soft conclusion: from what stood before
        levels = run.theory.program.levels
        for rule, head, body in kept:
            if head >= 0 and levels[rule] == 0:
                self._hard[head].update(body)
            elif head >= 0:
                before = all(map(run.settled, body))
                self._derivations[head] = self._derivations.get(head, 0) + before

    def chosen(self, joint: str) -> set[int]:
        """The conclusions to be barred."""
        responsible = [self._responsible(body) for body in self._violated]
        if joint == "bar":
            return set().union(*responsible)
        return {atom for atoms in responsible for atom in atoms if self._fewest(atom, atoms)}

    def _fewest(self, atom: int, atoms: set[int]) -> bool:
        return self._derivations[atom] == min(self._derivations[other] for other in atoms)

    def _responsible(self, body: tuple[int, ...]) -> set[int]:
        """The soft conclusions from which an atom of a broken constraint follows by hard steps."""
        reached = {atom for atom in body if not self._run.settled(atom)}
        left = list(reached)
        while left:
            for atom in self._hard.get(left.pop(), ()):
                if atom not in reached and not self._run.settled(atom):
                    reached.add(atom)
                    left.append(atom)
        return reached & self._derivations.keys()

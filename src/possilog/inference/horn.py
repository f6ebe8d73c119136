"""Forward chaining by strata: the global cut (section Possibilistic Logic) and local inference, for Horn rules.

Both go from the highest stratum to the lowest, and each stage starts from what the stages above it concluded. The
global cut ends before the first stratum whose conclusions break a rule; local inference gives up single conclusions
instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain

from possilog.chaining.chaining import Chaining, GroundRule
from possilog.chaining.program import Program
from possilog.data.evidence import Evidence
from possilog.inference.conclusions import Chained, Conclusion, Conclusions, Listed
from possilog.inference.prediction import Conflict, Conflicts, Prediction
from possilog.logic import CERTAIN, Atom, Rule, Theory, Weight

__all__ = ["JOINT", "HornTheory", "Run"]

JOINT = ("bar", "fewest")
"""How local inference settles a conflict between conclusions of one stage: bar all that have a part in it, or those
with the fewest derivations."""

NOTHING = Listed()


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
        # The domain also has the constants of rules that are left out.
        self.mentioned = tuple(atom for rule in theory for atom in rule.clause.atoms)
        self.program = Program(((rule.clause, level) for rule, level in horn), self.mentioned)

    def cut(self, evidence: Evidence, *, repair: bool = False, negatives: bool = False) -> Prediction:
        """The paper's inference: the lowest cut that is consistent with the evidence, and what it entails.

        With ``repair``, ground constraints that evidence and hard rules break by themselves are set aside; with
        ``negatives``, the prediction also has what is false in every world.
        """
        run = Run(self, evidence)
        run.harden()
        if run.inconsistent and not repair:
            return run.nothing("global")
        for level, stratum in enumerate(self.strata, 1):
            run.chaining.stage(level, hasty=True)
            if run.chaining.chainer.violated:
                run.note(stratum.weight)
                run.chaining.chainer.withdraw()
                break
            run.settle(stratum.weight)
            run.kept, run.lowest = level, stratum.weight
        return run.prediction("global", self._excluded(evidence, run.kept) if negatives else NOTHING)

    def _excluded(self, evidence: Evidence, kept: int) -> Conclusions:
        """What is false in every world of the cut: what would break a constraint if it held."""
        weights = [CERTAIN, *(stratum.weight for stratum in self.strata)]
        excluded: dict[Atom, Weight] = {}
        for level in range(kept + 1):
            # As hard rules, all of them have a say when the chainer tries an atom.
            rules = zip(self.program.clauses, self.program.levels, strict=True)
            program = Program(((c, 0) for c, its in rules if its <= level), self.mentioned)
            chaining = Chaining(program, evidence)
            chaining.stage(0)
            chaining.chainer.settle()
            for atom in chaining.open_atoms(chaining.chainer.size):
                if chaining.chainer.refute(atom) is not None:
                    excluded.setdefault(chaining.atom(atom), weights[level])
        denied = set(evidence.denied)
        found = [Conclusion(atom, weight) for atom, weight in excluded.items() if atom not in denied]
        return Listed(sorted(found, key=lambda conclusion: (conclusion.certainty.doubt, conclusion.atom)))

    def local(self, evidence: Evidence, *, repair: bool = True, joint: str = "bar") -> Prediction:
        """Local inference: every stratum is used wherever it does not conflict (see the page on inference)."""
        run = Run(self, evidence)
        run.harden()
        if run.inconsistent and not repair:
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
class Run:
    """One question under way."""

    theory: HornTheory
    evidence: Evidence
    chaining: Chaining = field(init=False)
    ends: list[tuple[Weight, int]] = field(default_factory=list)
    """The stages' weights, and how many atoms held after each."""
    conflicts: list[Callable[[], Iterable[Conflict]]] = field(default_factory=list)
    """The stages' conflicts, which are put into words only if somebody asks: there may be very many."""
    inconsistent: bool = False
    """Do evidence and hard rules contradict each other?"""
    kept: int = 0
    lowest: Weight = CERTAIN

    def __post_init__(self) -> None:
        self.chaining = Chaining(self.theory.program, self.evidence)

    def harden(self) -> None:
        """K_0: the closure under the definite hard rules; the constraints that it breaks are noted."""
        contradictory = self.evidence.contradictory
        self.conflicts.append(lambda: [Conflict(CERTAIN, GroundRule(None, None, (atom,))) for atom in contradictory])
        self.chaining.stage(0)
        self.inconsistent = bool(contradictory) or self.chaining.chainer.violated > 0
        self.note(CERTAIN)
        self.settle(CERTAIN)

    def settle(self, weight: Weight) -> None:
        """End a stage: what it concluded stands."""
        self.chaining.chainer.settle()
        self.ends.append((weight, self.chaining.chainer.size))

    def note(self, weight: Weight) -> None:
        """Note the ground constraints that the stage broke."""
        if self.chaining.chainer.violated:
            broken = [ground for ground in self.chaining.chainer.ground_rules() if ground[1] < 0]
            self.conflicts.append(lambda: self._in_words(weight, [(ground, ()) for ground in broken]))

    def stage(self, level: int, weight: Weight, joint: str) -> bool:
        """K_i: one stage of local inference. Did the stratum stand as a whole?"""
        chainer = self.chaining.chainer
        barred: set[int] = set()
        found: list[tuple[_Ground, Iterable[int]]] = []
        whole = True
        while True:
            self.chaining.stage(level, guarded=True, barred=barred, recording=True)
            whole &= not chainer.blocked
            if not chainer.violated:
                break
            whole = False
            conflict = _Joint(self, chainer.ground_rules())
            chosen = conflict.chosen(joint)
            found += zip(conflict.violated, chosen, strict=True)
            if not any(chosen):  # constraints of this stratum that were broken before it: set aside
                break
            barred.update(*chosen)
            chainer.withdraw()
        self.conflicts.append(lambda: self._in_words(weight, found))
        self.settle(weight)
        return whole

    def unstage(self, level: int) -> None:
        """Undo the last stage, which was this one."""
        self.ends.pop()
        self.conflicts.pop()
        self.chaining.chainer.go_back(self.ends[-1][1], level)

    def _in_words(self, weight: Weight, found: Iterable[tuple[_Ground, Iterable[int]]]) -> list[Conflict]:
        conflicts = {
            Conflict(weight, self.chaining.ground_rule(*ground), tuple(sorted(map(self.chaining.atom, barred))))
            for ground, barred in found
        }
        return sorted(conflicts, key=lambda conflict: (str(conflict.broken), conflict.barred))

    def settled(self, atom: int) -> bool:
        """Did an atom hold before the stage?"""
        return self.chaining.chainer.rank_of(atom) < self.ends[-1][1]

    def prediction(self, inference: str, excluded: Conclusions = NOTHING) -> Prediction:
        """What the stages concluded."""
        return self._answer(inference, Chained(self.chaining, self.ends), excluded, stopped=False)

    def nothing(self, inference: str) -> Prediction:
        """Nothing beyond the evidence, since it breaks the hard rules."""
        return self._answer(inference, NOTHING, NOTHING, stopped=True)

    def _answer(self, inference: str, added: Conclusions, excluded: Conclusions, *, stopped: bool) -> Prediction:
        return Prediction(
            inference,
            "horn",
            self.evidence,
            added,
            not self.inconsistent,
            self.kept,
            self.lowest,
            Conflicts(lambda: chain.from_iterable(noted() for noted in self.conflicts)),
            self.theory.unused,
            excluded,
            stopped,
        )


_Ground = tuple[int, int, tuple[int, ...]]
"""A ground rule in numbers: the rule, its head or -1, and its body."""


class _Joint:
    """A conflict between conclusions of one stage, none of which is refuted by itself."""

    def __init__(self, run: Run, kept: list[_Ground]) -> None:
        self._run = run
        self.violated = [ground for ground in kept if ground[1] < 0]
        self._hard: dict[int, set[int]] = defaultdict(set)  # what an atom follows from by a hard step
        self._derivations: dict[int, int] = {}  # of a soft conclusion: from what stood before
        levels = run.theory.program.levels
        for rule, head, body in kept:
            if head >= 0 and levels[rule] == 0:
                self._hard[head].update(body)
            elif head >= 0:
                before = all(map(run.settled, body))
                self._derivations[head] = self._derivations.get(head, 0) + before

    def chosen(self, joint: str) -> list[set[int]]:
        """For each broken constraint, the conclusions to be barred."""
        responsible = [self._responsible(body) for _, _, body in self.violated]
        if joint == "bar":
            return responsible
        return [{atom for atom in atoms if self._fewest(atom, atoms)} for atoms in responsible]

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

"""Forward chaining by strata: the global cut (section Possibilistic Logic) and local inference, for Horn rules.

Both go from the highest stratum to the lowest, and each stage starts from what the stages above it concluded. The
global cut ends before the first stratum whose conclusions break a rule; local inference gives up single conclusions
instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from itertools import chain

from possilog.chaining.chaining import HOW, HOW_OFTEN, UNBOUNDED, Chaining, GroundRule
from possilog.chaining.program import Program
from possilog.choices import Joint
from possilog.data.evidence import Evidence
from possilog.inference.conclusions import Chained, Conclusion, Conclusions, Listed
from possilog.inference.conflicts import Conflict, Conflicts
from possilog.inference.kinds import GLOBAL, LOCAL, Global, How, Local
from possilog.inference.prediction import Method, Prediction
from possilog.logic import CERTAIN, DEMOTED, Atom, Rule, Theory, Weight

__all__ = ["HornTheory", "Run"]

PATIENCE = 100_000
"""Derivations that a stage of local inference notes in case of a conflict. Where there are more, it waits for one."""

NOTHING = Listed()


class HornTheory:
    """The Horn rules of a theory, ready for questions."""

    method = Method.HORN

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

    def cut(self, evidence: Evidence, how: Global = GLOBAL) -> Prediction:
        """The paper's inference: the lowest cut that is consistent with the evidence, and what it entails.

        To repair is to set aside the ground constraints that evidence and hard rules break by themselves.
        """
        run = Run(self, evidence)
        run.harden()
        if run.inconsistent and not how.repair:
            return run.nothing(how)
        for level, stratum in enumerate(self.strata, 1):
            run.chaining.stage(level, hasty=True)
            if run.chaining.chainer.violated:
                run.note(stratum.weight)
                run.chaining.chainer.withdraw()
                break
            run.settle(stratum.weight)
            run.kept += stratum.weight != DEMOTED
            run.lowest = stratum.weight
        return run.prediction(how, self._excluded(evidence, run.lowest) if how.negatives else NOTHING)

    def _excluded(self, evidence: Evidence, lowest: Weight) -> Conclusions:
        """What is false in every world of the cut: what would break a constraint if it held."""
        weights = [CERTAIN, *(stratum.weight for stratum in self.strata if stratum.weight >= lowest)]
        excluded: dict[Atom, Weight] = {}
        for level, weight in enumerate(weights):
            # As hard rules, all of them have a say when the chainer tries an atom.
            rules = zip(self.program.clauses, self.program.levels, strict=True)
            program = Program(((c, 0) for c, its in rules if its <= level), self.mentioned)
            chaining = Chaining(program, evidence)
            chaining.stage(0)
            chaining.chainer.settle()
            for atom in chaining.open_atoms(chaining.chainer.size):
                if chaining.chainer.refute(atom) is not None:
                    excluded.setdefault(chaining.atom(atom), weight)
        denied = set(evidence.denied)
        found = [Conclusion(atom, weight) for atom, weight in excluded.items() if atom not in denied]
        return Listed(sorted(found, key=lambda conclusion: (conclusion.certainty.doubt, conclusion.atom)))

    def local(self, evidence: Evidence, how: Local = LOCAL, without: Container[Weight] = ()) -> Prediction:
        """Local inference: every stratum is used wherever it does not conflict (see the page on inference).

        The strata of some weights can be left out.
        """
        run = Run(self, evidence)
        run.harden()
        if run.inconsistent and not how.repair:
            return run.nothing(how)
        unbroken = True
        for level, stratum in enumerate(self.strata, 1):
            if stratum.weight in without:
                continue
            whole = run.stage(level, stratum.weight, how.joint)
            run.kept += whole and stratum.weight != DEMOTED
            unbroken &= whole
            if unbroken:
                run.lowest = stratum.weight
        return run.prediction(how)


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
            broken = self.chaining.chainer.broken()
            self.conflicts.append(lambda: self._in_words(weight, [(ground, ()) for ground in broken]))

    def stage(self, level: int, weight: Weight, joint: str) -> bool:
        """K_i: one stage of local inference. Did the stratum stand as a whole?"""
        chainer = self.chaining.chainer
        barred: set[int] = set()
        found: list[tuple[_Ground, Iterable[int]]] = []
        whole = True
        patience = PATIENCE
        recording = HOW_OFTEN if joint == "fewest" else HOW
        while True:
            self.chaining.stage(level, guarded=True, barred=barred, recording=recording, patience=patience)
            whole &= not chainer.blocked
            if not chainer.violated:
                break
            whole = False
            if chainer.gave_up:  # now that there is a conflict, it has to be known where it comes from
                patience = UNBOUNDED
                chainer.withdraw()
                continue
            conflict = _Joint(self)
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
            Conflict(weight, self.chaining.broken(*ground), tuple(sorted(map(self.chaining.atom, barred))))
            for ground, barred in found
        }
        return sorted(conflicts, key=lambda conflict: (str(conflict.broken), conflict.barred))

    def settled(self, atom: int) -> bool:
        """Did an atom hold before the stage?"""
        return self.chaining.chainer.rank_of(atom) < self.ends[-1][1]

    def prediction(self, how: How, excluded: Conclusions = NOTHING) -> Prediction:
        """What the stages concluded."""
        return self._answer(how, Chained(self.chaining, self.theory.rules, self.ends), excluded, stopped=False)

    def nothing(self, how: How) -> Prediction:
        """Nothing beyond the evidence, since it breaks the hard rules."""
        return self._answer(how, NOTHING, NOTHING, stopped=True)

    def _answer(self, how: How, added: Conclusions, excluded: Conclusions, *, stopped: bool) -> Prediction:
        return Prediction(
            how,
            Method.HORN,
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


_Ground = tuple[int, tuple[int, ...]]
"""A broken ground rule in numbers: the rule and its body."""


class _Joint:
    """A conflict between conclusions of one stage, none of which is refuted by itself."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._chainer = run.chaining.chainer
        self.violated = self._chainer.broken()
        self._hard: dict[int, list[int]] = defaultdict(list)  # what an atom follows from by a hard step
        for head, atom in self._chainer.rests_on():
            self._hard[head].append(atom)

    def chosen(self, joint: str) -> list[set[int]]:
        """For each broken constraint, the conclusions to be barred."""
        responsible = [self._responsible(body) for _, body in self.violated]
        if joint == Joint.BAR:
            return responsible
        return [{atom for atom in atoms if self._fewest(atom, atoms)} for atoms in responsible]

    def _fewest(self, atom: int, atoms: set[int]) -> bool:
        return self._chainer.derivations(atom) == min(map(self._chainer.derivations, atoms))

    def _responsible(self, body: tuple[int, ...]) -> set[int]:
        """The soft conclusions from which an atom of a broken constraint follows by hard steps."""
        reached = {atom for atom in body if not self._run.settled(atom)}
        left = list(reached)
        while left:
            for atom in self._hard.get(left.pop(), ()):
                if atom not in reached and not self._run.settled(atom):
                    reached.add(atom)
                    left.append(atom)
        return {atom for atom in reached if self._chainer.softly_concluded(atom)}

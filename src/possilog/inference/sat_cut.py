"""The global cut by SAT, for theories of any shape: one assumption for each stratum, and a logarithmic number of cuts
tried (section Possibilistic Logic)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from possilog.chaining.bodies import GroundClause, Grounder
from possilog.chaining.chaining import GroundRule
from possilog.data.evidence import Evidence
from possilog.inference.conclusions import Conclusion, Listed
from possilog.inference.conflicts import Conflict
from possilog.inference.kinds import GLOBAL, Global
from possilog.inference.lazy import HEADED, LazyGrounding
from possilog.inference.prediction import Method, Prediction
from possilog.logic import CERTAIN, Theory, Weight

__all__ = ["SatTheory"]


class SatTheory:
    """A theory of any shape, ready for questions."""

    method = Method.SAT

    def __init__(self, theory: Theory, grounder: Grounder | None = None) -> None:
        """Take a theory, and its rules as they are laid out for grounding, where they are."""
        self._theory = theory
        self.weights: tuple[Weight, ...] = (CERTAIN, *(stratum.weight for stratum in theory.strata))
        self._grounder = Grounder.of_theory(theory) if grounder is None else grounder

    def cut(self, evidence: Evidence, how: Global = GLOBAL) -> Prediction:
        """The paper's inference: the lowest cut that is consistent with the evidence, and what it entails.

        To repair is to set aside the ground constraints that evidence and hard rules break.
        """
        with closing(LazyGrounding(self._grounder, evidence)) as grounding:
            conflicts = _against_hard_rules(grounding, evidence, how.repair)
            consistent = not conflicts
            if conflicts and not how.repair:
                nothing = Listed()
                broken = tuple(conflicts)
                return Prediction(how, self.method, evidence, nothing, False, 0, CERTAIN, broken, stopped=True)
            kept = self._lowest(grounding)
            if kept + 1 < len(self.weights):
                conflicts.append(_conflict(grounding, kept + 1, self.weights[kept + 1]))
            added = self._entailed(grounding, kept)
            excluded = self._excluded(grounding, kept) if how.negatives else ()
        return Prediction(
            how,
            self.method,
            evidence,
            Listed(added),
            consistent,
            self._theory.strata_down_to(self.weights[kept]),
            self.weights[kept],
            tuple(conflicts),
            excluded=Listed(excluded),
        )

    def _lowest(self, grounding: LazyGrounding) -> int:
        """How many strata stand: what is consistent stays so when the lowest stratum is taken away, so we can halve."""
        stands, falls = 0, len(self.weights)
        while falls - stands > 1:
            middle = (stands + falls) // 2
            if grounding.has_model(grounding.cut(middle)):
                stands = middle
            else:
                falls = middle
        return stands

    def _entailed(self, grounding: LazyGrounding, kept: int) -> tuple[Conclusion, ...]:
        """What the cut entails, each atom with the weight of the highest cut that does."""
        left = grounding.backbone(grounding.cut(kept))
        added: list[Conclusion] = []
        for level, weight in enumerate(self.weights[: kept + 1]):
            found = left if level == kept else grounding.backbone(grounding.cut(level), left)
            added += _conclusions(grounding, found, weight)
            left -= found
            if not left:
                break
        return tuple(added)

    def _excluded(self, grounding: LazyGrounding, kept: int) -> tuple[Conclusion, ...]:
        denied = {clause.body[0] for clause in grounding.clauses if clause.rule < 0}
        left = {atom for atom in grounding.chaining.open_atoms(grounding.chaining.given) if atom not in denied}
        excluded: list[Conclusion] = []
        for level, weight in enumerate(self.weights[: kept + 1]):
            found = grounding.never(grounding.cut(level), left)
            excluded += _conclusions(grounding, found, weight)
            left -= found
        return tuple(excluded)


def _conclusions(grounding: LazyGrounding, atoms: Iterable[int], weight: Weight) -> list[Conclusion]:
    return [Conclusion(atom, weight) for atom in sorted(map(grounding.chaining.atom, atoms))]


def _against_hard_rules(grounding: LazyGrounding, evidence: Evidence, repair: bool) -> list[Conflict]:
    """The conflicts between evidence and hard rules. With repair, the ground constraints that they name are set aside.

    First go the constraints that fail in every world in which the other rules hold. If what is left is still
    contradictory, alternatives are the reason; then all go that could fail if every alternative were true.
    """
    conflicts = [Conflict(CERTAIN, GroundRule(None, None, (atom,))) for atom in evidence.contradictory]
    if not grounding.has_model(grounding.cut(0)):
        waived = _broken(grounding, grounding.backbone([HEADED]))
        grounding.set_aside(waived)
        if not grounding.has_model(grounding.cut(0)):
            if repair:
                waived = _broken(grounding, grounding.possible())
                grounding.set_aside(waived)
            elif not waived:
                return [_conflict(grounding, 0, CERTAIN)]
        conflicts += (Conflict(CERTAIN, grounding.constraint(clause)) for clause in waived)
    return sorted(set(conflicts), key=lambda conflict: str(conflict.broken))


def _broken(grounding: LazyGrounding, atoms: set[int]) -> list[GroundClause]:
    """The ground hard constraints that some atoms and the evidence break."""
    return [
        clause
        for clause in grounding.hard_constraints
        if all(atom in atoms or grounding.given(atom) for atom in clause.body)
    ]


def _conflict(grounding: LazyGrounding, level: int, weight: Weight) -> Conflict:
    core = grounding.core(level)
    broken = min((grounding.constraint(clause) for clause in core if not clause.heads), key=str)
    return Conflict(weight, broken, core=tuple(sorted(map(grounding.clause, core))))

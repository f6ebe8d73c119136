"""Why an atom is predicted, and why not: for any prediction, answers that name rules and facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

from possilog.chaining.chaining import GroundRule
from possilog.data import Database
from possilog.data.evidence import Evidence, require_one_arity
from possilog.errors import QueryError
from possilog.inference.cores import (
    Core,
    Cores,
    entailing_core,
    excluding_core,
    ground_steps,
    named_constants,
    over_domain,
)
from possilog.inference.horn import HornTheory
from possilog.inference.prediction import Conflict, Prediction
from possilog.inference.proofs import Bindings, Proof, Standing, bind, matches
from possilog.inference.sat_cut import SatTheory
from possilog.logic import CERTAIN, Atom, Clause, Literal, Rule, Stratum, Theory, Weight

__all__ = ["Argument", "Explainer", "Fate", "Near", "Why", "WhyNot"]

_MOST_LEFT_OUT = 4
"""Of a body's conditions so many may be missing before all count as missing."""

_BROKEN_LOOKED_AT = 20
"""So many of the ground constraints that an atom would break are compared for the shortest explanation."""

Fate = str
"""What became of an argument: drowned (its stratum is below the cut), refuted (what stands excludes a conclusion of
it), barred (given up together with others), stopped (the evidence contradicts the hard rules, so nothing is concluded)
or scattered (no fragment has all that it needs, or too few of them yield it)."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why an atom is predicted."""

    atom: Atom
    certainty: Weight
    stratum: int
    """How many strata of soft rules it needs, from the highest: 0 if the hard rules and the evidence are enough."""
    proof: Proof | None
    """The shortest of the most certain proofs; none where only a solver finds the answer."""
    core: Core | None = None
    """There: facts and ground rules that entail it, none of which can be left out."""
    drowned: tuple[Stratum, ...] = ()
    """Strata that have no say, in global inference."""
    conflicts: tuple[Conflict, ...] = ()
    """Why they are drowned; in local inference, the conflicts that atoms of the proof are part of."""
    fragment: tuple[str, ...] = ()
    """In inference by fragments, the constants of one that yields it; what is said is about this fragment."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A proof that would hold if nothing spoke against it, and what became of it."""

    proof: Proof
    step: Proof
    """The first conclusion of it that was not made."""
    fate: Fate
    core: Core | None = None
    """What refutes the conclusion."""
    conflicts: tuple[Conflict, ...] = ()
    """The conflicts for which it was barred or drowned."""


@dataclass(frozen=True, slots=True)
class Near:
    """A rule that could conclude an atom, and the conditions that it lacks in the place where it lacks the fewest."""

    rule: Rule
    met: tuple[Atom, ...]
    missing: tuple[Atom, ...]
    """They may have variables left, which may stand for any other constant."""
    alternatives: tuple[Atom, ...] = ()
    """What the rule allows instead; it would have to be false."""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why an atom is not predicted."""

    atom: Atom
    unknown: tuple[str, ...]
    """Constants of it that the evidence does not have."""
    denied: bool
    """Does the evidence say that it is false?"""
    concluded: bool
    """Is there a rule that concludes such atoms?"""
    forbidden: Core | None
    """What stands (its literals) and the rules that do not allow the atom with it."""
    argument: Argument | None
    """An argument for it that was given up."""
    nearest: tuple[Near, ...]
    """Otherwise, the rules that come closest."""
    contradictions: tuple[Core, ...] = ()
    """The evidence's contradictions of the hard rules, where they stopped inference."""


class Explainer:
    """Answers questions about one prediction of a theory."""

    def __init__(self, theory: Theory, prediction: Prediction) -> None:
        """Take a theory and what it predicted."""
        self.theory = theory
        self.prediction = prediction
        self.standing = Standing(theory.rules, prediction)

    @property
    def _by_solver(self) -> bool:
        return self.prediction.method == "sat"

    @property
    def _is_global(self) -> bool:
        return self.prediction.inference == "global"

    @property
    def _by_fragments(self) -> bool:
        return self.prediction.inference == "fragment"

    def _require_askable(self, atom: Atom) -> None:
        if not atom.is_ground:
            raise QueryError(
                f"{atom} has variables, and only single atoms can be explained; put constants in their place"
            )
        known = (*self.theory.predicates, *self.standing.given.predicates)
        require_one_arity([atom.predicate], known, "the question", "theory and evidence")

    # Why

    def why(self, atom: Atom) -> Why | None:
        """Why is an atom predicted? None if it is not."""
        self._require_askable(atom)
        if atom not in self.standing:
            return None
        certainty = self.standing.weight(atom)
        given = atom in self.standing.given
        if self._by_fragments and not given:
            return self._why_in_fragment(atom)
        core = None if given or not self._by_solver else entailing_core(self.theory, self.prediction, atom, certainty)
        proof = self.standing.proof(atom) if core is None else None
        return Why(
            atom,
            certainty,
            sum(stratum.weight >= certainty for stratum in self.theory.strata),
            proof,
            core,
            self.drowned,
            self._conflicts_about(proof),
        )

    def _why_in_fragment(self, atom: Atom) -> Why:
        fragment = next(conclusion.fragment for conclusion in self.prediction.added if conclusion.atom == atom)
        why = self._within(fragment).why(atom)
        assert why is not None
        return replace(why, fragment=fragment)

    def _within(self, constants: Iterable[str]) -> Explainer:
        """The same theory's cut for the evidence about some constants, and about those that the theory names."""
        facts, denied = self.standing.given, self.prediction.evidence.denied
        known = {name for name in (*named_constants(self.theory), *constants) if facts.number(name) is not None}
        inside = tuple(atom for atom in denied if known.issuperset(term.name for term in atom.arguments))
        horn = HornTheory(self.theory)
        cut = (SatTheory(self.theory) if horn.unused else horn).cut(Evidence(facts.fragment(known), inside))
        return Explainer(self.theory, cut)

    @property
    def drowned(self) -> tuple[Stratum, ...]:
        """The strata below the cut."""
        if not self._is_global:
            return ()
        return self.theory.strata[self.prediction.strata_kept :]

    def _conflicts_about(self, proof: Proof | None) -> tuple[Conflict, ...]:
        soft = [conflict for conflict in self.prediction.conflicts if not conflict.weight.is_certain]
        if self._is_global or proof is None:
            return tuple(soft)
        atoms = {part.atom for part in proof.parts}
        return tuple(c for c in self.prediction.conflicts if not atoms.isdisjoint((*c.broken.body, *c.barred)))

    # Why not

    def why_not(self, atom: Atom, limit: int = 3) -> WhyNot | None:
        """Why is an atom not predicted? None if it is. At most ``limit`` of the nearest rules are listed."""
        self._require_askable(atom)
        if atom in self.standing:
            return None
        argument = self._argument(atom)
        stopped = self.prediction.stopped or (argument is not None and argument.fate == "stopped")
        return WhyNot(
            atom,
            tuple(t.name for t in dict.fromkeys(atom.arguments) if self.standing.given.number(t.name) is None),
            atom in self.prediction.evidence.denied,
            any(head.predicate == atom.predicate for rule in self.theory for head in rule.clause.head),
            self._forbidding(atom),
            argument,
            () if argument else tuple(islice(self._nearest(atom), limit)),
            Cores(self.theory).of(self.prediction.evidence) if stopped else (),
        )

    def explain(self, atom: Atom, limit: int = 3) -> Why | WhyNot:
        """Why an atom is predicted, or why it is not."""
        answer = self.why(atom) or self.why_not(atom, limit)
        assert answer is not None
        return answer

    # What speaks against an atom

    def _forbidding(self, atom: Atom) -> Core | None:
        """What stands and does not allow an atom, with the rules that say so."""
        if self._by_solver and not self._by_fragments:
            return excluding_core(self.theory, self.prediction, atom)
        return self._refuting(atom, self.standing.matcher.database, self._in_force)

    def _refuting_at(self, stage: Weight, atom: Atom) -> Core | None:
        """What refuted an atom at a stage of local inference: what stood before it, and the constraints so far."""
        before = Database.of(c.atom for c in self.prediction.added if c.certainty > stage)
        constraints = (rule for rule in self.theory.cut(stage) if rule.is_hard or not rule.clause.head)
        return self._refuting(atom, self.standing.given | before, constraints)

    def _refuting(self, atom: Atom, stands: Database, rules: Iterable[Rule]) -> Core | None:
        """The shortest way in which rules lead from an atom, and atoms that stand, to a broken constraint."""
        theory = HornTheory(Theory(tuple(Rule(rule.clause) for rule in rules if rule.clause.is_horn)))
        denied = self.prediction.evidence.denied
        supposed = over_domain(named_constants(self.theory), Evidence(stands | Database.of([atom]), denied))
        supposition = theory.cut(supposed, repair=True)
        # What is broken without the atom does not speak against it.
        without = theory.cut(over_domain(supposed.facts.constants, Evidence(stands, denied)), repair=True)
        already = {conflict.broken for conflict in without.conflicts}
        broken = (conflict.broken for conflict in supposition.conflicts if conflict.broken not in already)
        standing = Standing(theory.rules, supposition)
        found = [(_proved(standing, ground), ground) for ground in islice(broken, _BROKEN_LOOKED_AT)]
        if not found:
            return None
        proofs, ground = min(found, key=lambda each: (sum(p.steps for p in each[0]), len(each[0]), str(each[1])))
        return _core(proofs, ground, atom)

    @property
    def _in_force(self) -> Iterator[Rule]:
        """What can refute: the global cut, or else the hard rules; in local inference, soft constraints too."""
        yield from self.theory.cut(self.prediction.cut if self._is_global else CERTAIN)
        if self.prediction.inference == "local":
            yield from (rule for rule in self.theory.soft if not rule.clause.head)

    # What speaks for it

    @cached_property
    def _unopposed(self) -> Standing:
        """What would stand if nothing spoke against anything."""
        definite = Theory(tuple(rule for rule in self.theory if rule.clause.is_definite))
        given = over_domain(named_constants(self.theory), Evidence(self.standing.given))
        return Standing(definite.rules, HornTheory(definite).cut(given))

    def _argument(self, atom: Atom) -> Argument | None:
        """The shortest argument for an atom, if it would be concluded if nothing spoke against it."""
        proof = None if atom in self.standing else self._unopposed.proof(atom)
        if proof is None:
            return None
        if self._by_fragments:
            constants = {term.name for part in proof.parts for term in part.atom.arguments}
            there = self._within(constants)
            return there._argument(atom) or Argument(proof, proof, "scattered")
        step = next(part for part in reversed(proof.parts) if self._fails(part))
        return replace(self._fate(step), proof=proof)

    def _fails(self, part: Proof) -> bool:
        """Is it a first step that was not taken?"""
        return part.atom not in self.standing and all(premise.atom in self.standing for premise in part.premises)

    def _fate(self, step: Proof) -> Argument:
        soft = tuple(conflict for conflict in self.prediction.conflicts if not conflict.weight.is_certain)
        barring = tuple(conflict for conflict in soft if step.atom in conflict.barred)
        if barring:
            return Argument(step, step, "barred", conflicts=barring)
        if self.prediction.stopped:
            return Argument(step, step, "stopped")
        if self.prediction.inference == "local":
            assert step.rule is not None
            stage = min([step.rule.weight, *(self.standing.weight(premise.atom) for premise in step.premises)])
            core = self._refuting_at(stage, step.atom)
            if core is not None:
                return Argument(step, step, "refuted", core)
        return Argument(step, step, "drowned", conflicts=soft)

    def _nearest(self, atom: Atom) -> Iterator[Near]:
        """The rules that could conclude an atom; those that lack the fewest conditions first."""
        found = dict.fromkeys(near for rule in self.theory for near in self._near(rule, atom))
        yield from sorted(found, key=lambda near: len(near.missing) + len(near.alternatives))

    def _near(self, rule: Rule, atom: Atom) -> Iterator[Near]:
        for place, head in enumerate(rule.clause.head):
            bindings = bind(head, atom) if head.predicate == atom.predicate else None
            if bindings is not None:
                others = rule.clause.head[:place] + rule.clause.head[place + 1 :]
                for met, missing, found in self._closest(tuple(dict.fromkeys(rule.clause.body)), bindings):
                    yield Near(rule, met, missing, tuple(other.substitute(found) for other in others))

    def _closest(
        self, body: tuple[Atom, ...], bindings: Bindings
    ) -> list[tuple[tuple[Atom, ...], tuple[Atom, ...], Bindings]]:
        """The conditions that can be met together, as many as possible, those that are then missing, and the bindings.

        One match for each choice of missing conditions is enough, and the matcher finds it without trying constants.
        """
        for size in (*range(min(len(body), _MOST_LEFT_OUT + 1)), len(body)):
            found = []
            for missing in combinations(body, size):
                rest = tuple(atom for atom in body if atom not in missing)
                match = next(matches(rest, bindings, self.standing.matcher), None)
                if match is not None:
                    met, open_ones = (tuple(a.substitute(match) for a in some) for some in (rest, missing))
                    found.append((met, open_ones, match))
            if found:
                return found
        return []


def _proved(standing: Standing, ground: GroundRule) -> tuple[Proof, ...]:
    proofs = (standing.proof(atom) for atom in ground.body)
    return tuple(proof for proof in proofs if proof is not None)


def _core(proofs: tuple[Proof, ...], broken: GroundRule, supposed: Atom) -> Core:
    """What a broken constraint rests on besides the atom that is supposed."""
    facts: Iterable[Atom] = {fact for proof in proofs for fact in proof.facts} - {supposed}
    denied = [Literal(atom, False) for atom in broken.body if broken.rule is None]
    constraint = () if denied else (Clause((), broken.body),)
    return Core((*sorted(map(Literal, facts)), *denied), (*ground_steps(proofs), *constraint))

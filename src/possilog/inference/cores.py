"""Minimal cores: the few facts that cannot be true together, or that entail something, and the ground rules for it.

Nothing can be left out of a core. Where the rules are Horn, a core comes from the shortest proofs of what a broken
constraint forbids; for rules of any shape a solver finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property, partial
from itertools import islice

from possilog.chaining.bodies import GroundClause, Grounder
from possilog.chaining.chaining import GroundRule
from possilog.data import Database
from possilog.data.evidence import Evidence
from possilog.inference.conflicts import Core
from possilog.inference.horn import HornTheory
from possilog.inference.kinds import Global
from possilog.inference.lazy import LazyGrounding
from possilog.inference.prediction import Prediction
from possilog.inference.proofs import Proof, Standing
from possilog.logic import Atom, Clause, Constant, Literal, Theory, Weight
from possilog.requiring import require_whole

__all__ = [
    "REPAIRED",
    "Cores",
    "entailing_core",
    "excluding_core",
    "ground_steps",
    "named_constants",
    "over_domain",
]

REPAIRED = Global(repair=True)


class Cores:
    """The hard rules of a theory, ready for questions about evidence that contradicts them."""

    def __init__(self, theory: Theory) -> None:
        """Take a theory; its soft rules play no part."""
        self._theory = Theory(theory.hard)
        self._named = named_constants(theory)
        self._horn = HornTheory(self._theory)

    @cached_property
    def _grounder(self) -> Grounder:
        return Grounder.of_theory(self._theory)

    def find(self, evidence: Evidence, limit: int | None = None) -> tuple[Core, ...]:
        """Subset-minimal sets of facts that contradict the hard rules: one for each broken ground constraint, or more
        than one constraint if a set breaks several. With a limit, only this many constraints are looked at."""
        if limit is not None:
            require_whole("limit", limit)
        evidence = over_domain(self._named, evidence)
        supports = self._by_solver(evidence) if self._horn.unused else self._by_chaining(evidence)
        found: dict[tuple[Literal, ...], Core] = {}
        for support in islice(supports, limit):
            literals = _minimal(support, lambda rest: self._contradictory(rest, evidence))
            if literals not in found:
                found[literals] = Core(literals, self._rules(literals, evidence))
        return tuple(found[literals] for literals in sorted(found, key=lambda some: (len(some), some)))

    def _by_chaining(self, evidence: Evidence) -> Iterator[Sequence[Literal]]:
        """For each broken ground constraint, facts that break it: all of them are needed for that."""
        prediction = self._horn.cut(evidence, REPAIRED)
        standing = Standing(self._theory.rules, prediction)
        for conflict in prediction.conflicts:
            proofs = [standing.proof(atom) for atom in conflict.broken.body]
            facts = {Literal(fact) for proof in proofs if proof for fact in proof.facts}
            denied = [Literal(atom, False) for atom in conflict.broken.body if conflict.broken.rule is None]
            breaks = partial(self._breaks, broken=conflict.broken, evidence=evidence)
            yield _minimal([*sorted(facts), *denied], breaks)

    def _by_solver(self, evidence: Evidence) -> Iterator[Sequence[Literal]]:
        """The facts of one core after the other; the constraints of those before are set aside."""
        yield from ([Literal(atom), Literal(atom, False)] for atom in evidence.contradictory)
        waived: list[GroundClause] = []
        with closing(LazyGrounding(self._grounder, evidence)) as grounding:
            while not grounding.has_model(grounding.cut(0)):
                core = grounding.core(0)
                yield _literals(grounding, core)
                waived += [clause for clause in core if not clause.heads]
                grounding.set_aside(waived)

    def _breaks(self, literals: Iterable[Literal], broken: GroundRule, evidence: Evidence) -> bool:
        """Do some literals by themselves break a ground constraint?"""
        prediction = self._horn.cut(self._over_the_same_domain(literals, evidence), REPAIRED)
        return any(conflict.broken == broken for conflict in prediction.conflicts)

    def _contradictory(self, literals: Iterable[Literal], evidence: Evidence) -> bool:
        some = self._over_the_same_domain(literals, evidence)
        if not self._horn.unused:
            return not self._horn.cut(some).consistent
        with closing(LazyGrounding(self._grounder, some)) as grounding:
            return bool(some.contradictory) or not grounding.has_model(grounding.cut(0))

    def _rules(self, literals: Iterable[Literal], evidence: Evidence) -> tuple[Clause, ...]:
        some = self._over_the_same_domain(literals, evidence)
        if some.contradictory:
            return ()
        with closing(LazyGrounding(self._grounder, some)) as grounding:
            grounding.has_model(grounding.cut(0))
            core = [_ground(grounding, clause) for clause in grounding.core(0) if clause.rule >= 0]
        return _readable(core, some.facts)

    def _over_the_same_domain(self, literals: Iterable[Literal], evidence: Evidence) -> Evidence:
        """Rules with an unbound head speak of every constant; where there are none, the domain does not matter."""
        matters = self._horn.unused or self._horn.program.uses_domain
        return Evidence.of(literals, evidence.facts.constants if matters else ())


def _minimal(literals: Sequence[Literal], is_enough: Callable[[list[Literal]], bool]) -> tuple[Literal, ...]:
    """Leave out one literal after the other, if the rest is still enough."""
    kept = list(literals)
    for literal in literals:
        rest = [other for other in kept if other != literal]
        if is_enough(rest):
            kept = rest
    return tuple(sorted(kept))


def named_constants(theory: Theory) -> tuple[str, ...]:
    """The constants in the rules of a theory: they belong to the domain, whichever rules are looked at."""
    terms = (term for rule in theory for atom in rule.clause.atoms for term in atom.arguments)
    return tuple(sorted({term.name for term in terms if isinstance(term, Constant)}))


def over_domain(constants: Iterable[str], evidence: Evidence) -> Evidence:
    """The evidence with some constants in its domain."""
    new = [name for name in constants if evidence.facts.number(name) is None]
    return Evidence(evidence.facts.declare(new), evidence.denied) if new else evidence


def entailing_core(theory: Theory, grounder: Grounder, prediction: Prediction, atom: Atom, weight: Weight) -> Core:
    """The facts and ground rules of a cut that together entail an atom; without one of them they would not.

    The atom is denied, and what contradicts that is the core.
    """
    given = prediction.evidence
    denying = Evidence(given.facts, tuple(sorted({*given.denied, atom})))
    core = _contradiction(grounder, prediction, denying, _level(theory, weight), kept=GroundRule(None, None, (atom,)))
    if core is None:
        raise ValueError(f"{atom} is not entailed")
    return _without(core, Literal(atom, False))


def excluding_core(theory: Theory, grounder: Grounder, prediction: Prediction, atom: Atom) -> Core | None:
    """The facts and ground rules of the cut that together exclude an atom; None if nothing does."""
    given = prediction.evidence
    supposed = Evidence(given.facts | Database.of([atom]), given.denied)
    core = _contradiction(grounder, prediction, supposed, _level(theory, prediction.cut))
    # Evidence that contradicts the rules by itself says nothing against the atom.
    return None if core is None or Literal(atom) not in core.literals else _without(core, Literal(atom))


def _level(theory: Theory, weight: Weight) -> int:
    """How many strata a cut has, demoted rules included."""
    return sum(stratum.weight >= weight for stratum in theory.strata)


def _contradiction(
    grounder: Grounder, prediction: Prediction, evidence: Evidence, level: int, kept: GroundRule | None = None
) -> Core | None:
    """A core of a cut and evidence. Constraints that inference set aside have no part in it, unless one is kept."""
    aside = {conflict.broken for conflict in prediction.conflicts if conflict.weight.is_certain} - {kept}
    waived: list[GroundClause] = []
    with closing(LazyGrounding(grounder, evidence)) as grounding:
        while not grounding.has_model(grounding.cut(level)):
            core = grounding.core(level)
            more = [clause for clause in core if not clause.heads and grounding.constraint(clause) in aside]
            if not more:
                ground = [_ground(grounding, clause) for clause in core if clause.rule >= 0]
                return Core(tuple(_literals(grounding, core)), _readable(ground, evidence.facts))
            waived += more
            grounding.set_aside(waived)
    return None


def _without(core: Core, supposed: Literal) -> Core:
    return Core(tuple(literal for literal in core.literals if literal != supposed), core.rules)


def ground_steps(proofs: Iterable[Proof]) -> tuple[Clause, ...]:
    """The ground rules of some proofs, each after those that prove its body."""
    parts = {part.atom: part for proof in proofs for part in proof.parts if not part.is_given}
    clauses = [Clause((part.atom,), tuple(premise.atom for premise in part.premises)) for part in parts.values()]
    return _readable(clauses, {fact for proof in proofs for fact in proof.facts})


def _ground(grounding: LazyGrounding, ground: GroundClause) -> Clause:
    """A ground rule in words. A constraint may say the same in several ways, of which the solver finds any."""
    clause = grounding.clause(ground)
    return clause if clause.head else Clause((), tuple(sorted(clause.body)))


def _literals(grounding: LazyGrounding, core: Iterable[GroundClause]) -> list[Literal]:
    """The evidence that a core rests on."""
    facts = {atom for clause in core for atom in clause.body if grounding.given(atom)}
    denied = {clause.body[0] for clause in core if clause.rule < 0}
    named = [Literal(grounding.chaining.atom(atom)) for atom in facts]
    return sorted(named) + sorted(Literal(grounding.chaining.atom(atom), False) for atom in denied)


def _readable(clauses: Iterable[Clause], given: Iterable[Atom]) -> tuple[Clause, ...]:
    """Ground rules in an order in which what a body asks for is concluded before it, as far as there is one."""
    known, left = set(given), sorted(clauses, key=lambda clause: (not clause.head, clause))
    ordered: list[Clause] = []
    while left:
        first = next((clause for clause in left if clause.head and known.issuperset(clause.body)), left[0])
        ordered.append(first)
        left.remove(first)
        known.update(first.head)
    return tuple(ordered)

"""Finds out why an atom is predicted, and why not: for any prediction, by rules and facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import combinations, islice
from math import comb

from possilog.chaining.chaining import GroundRule
from possilog.data import Database
from possilog.data.evidence import Evidence, require_one_arity
from possilog.errors import QueryError
from possilog.inference.answers import Argument, Fate, Near, Why, WhyNot
from possilog.inference.conflicts import Conflict, Core
from possilog.inference.cores import (
    REPAIRED,
    entailing_core,
    excluding_core,
    ground_steps,
    named_constants,
    over_domain,
)
from possilog.inference.horn import HornTheory
from possilog.inference.kinds import Fragments, Global, Local
from possilog.inference.layouts import Layouts
from possilog.inference.prediction import Method, Prediction
from possilog.inference.proofs import GroundBindings, Proof, Standing, bind, matches
from possilog.inference.taken import atom_of
from possilog.inference.words import PLAIN, Words
from possilog.logic import CERTAIN, Atom, Clause, Literal, Rule, Stratum, Weight
from possilog.logic.spelling import plain

__all__ = ["Explainer"]

_MOST_LEFT_OUT = 4
"""Of a body's conditions this many may be missing before all count as missing."""

_MOST_CHOICES = 10_000
"""Choices of missing conditions that are tried; where a body has more, all its conditions count as missing."""

_BROKEN_LOOKED_AT = 20
"""This many of the ground constraints that an atom would break are compared for the shortest explanation."""


class Explainer:
    """Answers any number of questions about one prediction.

    Parameters
    ----------
    reasoner : Reasoner
        Whose theory made the prediction; its rules are not laid out again.
    prediction : Prediction
        What is asked about.
    words : Words
        How the answers are said.

    Raises
    ------
    QueryError
        If it is given something else.

    Examples
    --------
    >>> from possilog import Reasoner, parse_theory
    >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
    >>> explainer = Explainer(reasoner, reasoner.predict(["bird(Tweety)"]))
    >>> explainer.why("flies(Tweety)").certainty
    <Weight: 0.9>
    >>> explainer.why("flies(Rex)") is None
    True
    """

    def __init__(self, reasoner: Layouts, prediction: Prediction, words: Words = PLAIN) -> None:
        """Take what made the prediction, and the prediction."""
        if not isinstance(reasoner, Layouts):
            raise QueryError(f"an explainer takes a reasoner, and not {type(reasoner).__name__}; give Reasoner(theory)")
        if not isinstance(prediction, Prediction):
            raise QueryError(
                f"an explainer takes a prediction, and not {type(prediction).__name__}; give what predict returned"
            )
        self.layouts = reasoner.using(prediction.use)
        self.theory = self.layouts.theory
        self.prediction = prediction
        self.words = (words or PLAIN).of_theory(self.theory)
        self.standing = Standing(self.theory.rules, prediction)

    def __repr__(self) -> str:
        return f"<Explainer of {self.prediction!r}>"

    @property
    def _by_solver(self) -> bool:
        return self.prediction.method is Method.SAT

    @property
    def _is_global(self) -> bool:
        return isinstance(self.prediction.how, Global)

    @property
    def _by_fragments(self) -> bool:
        return isinstance(self.prediction.how, Fragments)

    def _asked(self, given: Atom | str) -> Atom:
        """What can be asked about: a single atom, of an arity that is known."""
        atom = self.theory.declared.atom(atom_of(given))
        if not atom.is_ground:
            raise QueryError(
                f"{atom} has variables, and only single atoms can be explained; put constants in their place"
            )
        known = (*self.theory.predicates, *self.standing.given.predicates)
        require_one_arity([atom.predicate], known, "the question", "theory and evidence")
        return atom

    # Why

    def why(self, atom: Atom | str) -> Why | None:
        """Why is an atom predicted? None if it is not.

        Parameters
        ----------
        atom : Atom or str
            What is asked about; as text, every argument is a constant, however it is spelled.

        Returns
        -------
        Why or None
            The shortest of the most certain proofs, or what entails it, and the conflicts that matter.

        Raises
        ------
        QueryError
            If the atom has variables, or is none.
        ArityError
            If theory and evidence know its name with another number of arguments.

        Examples
        --------
        >>> from possilog import Reasoner, parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
        >>> explainer = reasoner.explainer(reasoner.predict(["bird(Tweety)"]))
        >>> explainer.why("flies(Tweety)")
        <Why: flies(Tweety), certainty 0.9>
        """
        asked = self._asked(atom)
        return self._why(asked) if asked in self.standing else None

    def _why(self, atom: Atom) -> Why:
        certainty = self.standing.weight(atom)
        given = atom in self.standing.given
        if self._by_fragments and not given:
            return self._why_in_fragment(atom)
        core = None if given or not self._by_solver else self._entailing(atom, certainty)
        proof = self.standing.proof(atom) if core is None else None
        return Why(
            atom,
            certainty,
            self.theory.strata_down_to(certainty),
            proof,
            core,
            self.drowned,
            self._conflicts_about(proof),
            how=self.prediction.how,
            words=self.words,
            stated=self.prediction.added.stated(atom),
        )

    def _entailing(self, atom: Atom, certainty: Weight) -> Core:
        return entailing_core(self.theory, self.layouts.grounder, self.prediction, atom, certainty)

    def _why_in_fragment(self, atom: Atom) -> Why:
        fragment = next(conclusion.fragment for conclusion in self.prediction.added if conclusion.atom == atom)
        why = self._within(fragment).why(atom)
        assert why is not None
        stated = self.prediction.added.stated(atom)
        return replace(why, fragment=fragment, how=self.prediction.how, stated=stated)

    def _within(self, constants: Iterable[str]) -> Explainer:
        """The same theory's cut for the evidence about some constants, and about those that the theory names."""
        facts, denied = self.standing.given, self.prediction.evidence.denied
        known = {name for name in (*named_constants(self.theory), *constants) if facts.number(name) is not None}
        inside = tuple(atom for atom in denied if known.issuperset(term.name for term in atom.arguments))
        cut = self.layouts.whole.cut(Evidence(facts.fragment(known), inside))
        return Explainer(self.layouts, cut, self.words)

    @property
    def drowned(self) -> tuple[Stratum, ...]:
        """The strata below the cut."""
        if not self._is_global:
            return ()
        return tuple(stratum for stratum in self.theory.ranked_strata if stratum.weight < self.prediction.cut)

    def _conflicts_about(self, proof: Proof | None) -> tuple[Conflict, ...]:
        soft = [conflict for conflict in self.prediction.conflicts if not conflict.weight.is_certain]
        if self._is_global or proof is None:
            return tuple(soft)
        atoms = {part.atom for part in proof.parts}
        return tuple(c for c in self.prediction.conflicts if not atoms.isdisjoint((*c.broken.body, *c.barred)))

    # Why not

    def why_not(self, atom: Atom | str, limit: int = 3) -> WhyNot | None:
        """Why is an atom not predicted? None if it is.

        Parameters
        ----------
        atom : Atom or str
            What is asked about; as text, every argument is a constant, however it is spelled.
        limit : int
            At most this many of the nearest rules are listed.

        Returns
        -------
        WhyNot or None
            What speaks against it, the argument that was given up, or the rules that come closest.

        Raises
        ------
        QueryError
            If the atom has variables, or is none.
        ArityError
            If theory and evidence know its name with another number of arguments.

        Examples
        --------
        >>> from possilog import Reasoner, parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
        >>> explainer = reasoner.explainer(reasoner.predict(["bird(Tweety)"]))
        >>> explainer.why_not("flies(Rex)")
        <WhyNot: flies(Rex), 1 rule is near>
        """
        asked = self._asked(atom)
        return None if asked in self.standing else self._why_not(asked, limit)

    def _why_not(self, atom: Atom, limit: int) -> WhyNot:
        argument = self._argument(atom)
        stopped = self.prediction.stopped or (argument is not None and argument.fate is Fate.STOPPED)
        left_out = self._left_out(atom)
        unused = set(self.prediction.use.left_out) - {rule for rule, _ in left_out}
        return WhyNot(
            atom,
            tuple(plain(t.name) for t in dict.fromkeys(atom.arguments) if self.standing.given.number(t.name) is None),
            atom in self.prediction.evidence.denied,
            _concludes(self.theory, atom),
            self._forbidding(atom),
            argument,
            () if argument else tuple(islice(self._nearest(atom), limit)),
            self.layouts.cores.find(self.prediction.evidence) if stopped else (),
            self.prediction.how,
            left_out,
            _concludes(unused, atom),
            self.words,
        )

    def explain(self, atom: Atom | str, limit: int = 3) -> Why | WhyNot:
        """Why an atom is predicted, or why it is not: what ``why`` or ``why_not`` answers.

        Parameters
        ----------
        atom : Atom or str
            What is asked about; as text, every argument is a constant, however it is spelled.
        limit : int
            At most this many of the nearest rules are listed.

        Returns
        -------
        Why or WhyNot
            The answer. Printed, it is in sentences.

        Raises
        ------
        QueryError
            If the atom has variables, or is none.

        Examples
        --------
        >>> from possilog import Reasoner, parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
        >>> print(reasoner.explainer(reasoner.predict(["bird(Tweety)"])).explain("bird(Tweety)"))
        Tweety is a bird: this is given.
        """
        asked = self._asked(atom)
        return self._why(asked) if asked in self.standing else self._why_not(asked, limit)

    # What speaks against an atom

    def _forbidding(self, atom: Atom) -> Core | None:
        """What stands and does not allow an atom, with the rules that say so."""
        if self._by_solver and not self._by_fragments:
            return excluding_core(self.theory, self.layouts.grounder, self.prediction, atom)
        return self._refuting(atom, self.standing.matcher.database, self._in_force)

    def _refuting_at(self, stage: Weight, atom: Atom) -> Core | None:
        """What refuted an atom at a stage of local inference: what stood before it, and the constraints so far."""
        before = Database.of(c.atom for c in self.prediction.added if c.certainty > stage)
        return self._refuting(atom, self.standing.given | before, self.layouts.in_force(stage, constraints=True))

    def _refuting(self, atom: Atom, stands: Database, theory: HornTheory) -> Core | None:
        """The shortest way in which rules lead from an atom, and atoms that stand, to a broken constraint."""
        denied = self.prediction.evidence.denied
        supposed = over_domain(named_constants(self.theory), Evidence(stands | Database.of([atom]), denied))
        supposition = theory.cut(supposed, REPAIRED)
        # What is broken without the atom does not speak against it.
        without = theory.cut(over_domain(supposed.facts.constants, Evidence(stands, denied)), REPAIRED)
        already = {conflict.broken for conflict in without.conflicts}
        broken = (conflict.broken for conflict in supposition.conflicts if conflict.broken not in already)
        standing = Standing(theory.rules, supposition)
        found = [(_proved(standing, ground), ground) for ground in islice(broken, _BROKEN_LOOKED_AT)]
        if not found:
            return None
        proofs, ground = min(found, key=lambda each: (sum(p.steps for p in each[0]), len(each[0]), str(each[1])))
        return _core(proofs, ground, atom)

    @property
    def _in_force(self) -> HornTheory:
        """What can refute: the global cut, or else the hard rules; in local inference, soft constraints too."""
        if isinstance(self.prediction.how, Local):
            return self.layouts.in_force(None, constraints=True)
        return self.layouts.in_force(self.prediction.cut if self._is_global else CERTAIN, constraints=False)

    # What speaks for it

    @cached_property
    def _unopposed(self) -> Standing:
        """What would stand if nothing spoke against anything."""
        given = over_domain(named_constants(self.theory), Evidence(self.standing.given))
        return Standing(self.layouts.definite.rules, self.layouts.definite.cut(given))

    def _argument(self, atom: Atom) -> Argument | None:
        """The shortest argument for an atom, if it would be concluded if nothing spoke against it."""
        proof = None if atom in self.standing else self._unopposed.proof(atom)
        if proof is None:
            return None
        if self._by_fragments:
            constants = {term.name for part in proof.parts for term in part.atom.arguments}
            there = self._within(constants)
            return there._argument(atom) or Argument(proof, proof, Fate.SCATTERED)
        step = next(part for part in reversed(proof.parts) if self._fails(part))
        return replace(self._fate(step), proof=proof)

    def _fails(self, part: Proof) -> bool:
        """Is it a first step that was not taken?"""
        return part.atom not in self.standing and all(premise.atom in self.standing for premise in part.premises)

    def _fate(self, step: Proof) -> Argument:
        soft = tuple(conflict for conflict in self.prediction.conflicts if not conflict.weight.is_certain)
        barring = tuple(conflict for conflict in soft if step.atom in conflict.barred)
        if barring:
            return Argument(step, step, Fate.BARRED, conflicts=barring)
        if self.prediction.stopped:
            return Argument(step, step, Fate.STOPPED)
        if isinstance(self.prediction.how, Local):
            assert step.rule is not None
            stage = min([step.rule.weight, *(self.standing.weight(premise.atom) for premise in step.premises)])
            core = self._refuting_at(stage, step.atom)
            if core is not None:
                return Argument(step, step, Fate.REFUTED, core)
        return Argument(step, step, Fate.DROWNED, conflicts=soft)

    def _left_out(self, atom: Atom) -> tuple[tuple[Rule, str], ...]:
        """The rules that would conclude an atom if they were used with such evidence, and why they are not."""
        left_out = self.prediction.use.left_out
        near = (near for rule in left_out for near in self._near(rule, atom))
        rules = dict.fromkeys(one.rule for one in near if not one.missing and not one.alternatives)
        return tuple((rule, left_out[rule]) for rule in rules)

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
        self, body: tuple[Atom, ...], bindings: GroundBindings
    ) -> list[tuple[tuple[Atom, ...], tuple[Atom, ...], GroundBindings]]:
        """The conditions that can be met together, as many as possible, those that are then missing, and the bindings.

        One match for each choice of missing conditions is enough, and the matcher finds it without trying constants.
        """
        few = [n for n in range(min(len(body), _MOST_LEFT_OUT + 1)) if comb(len(body), n) <= _MOST_CHOICES]
        for size in (*few, len(body)):
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


def _concludes(rules: Iterable[Rule], atom: Atom) -> bool:
    """Does a rule conclude atoms of this kind?"""
    return any(head.predicate == atom.predicate for rule in rules for head in rule.clause.head)


def _proved(standing: Standing, ground: GroundRule) -> tuple[Proof, ...]:
    proofs = (standing.proof(atom) for atom in ground.body)
    return tuple(proof for proof in proofs if proof is not None)


def _core(proofs: tuple[Proof, ...], broken: GroundRule, supposed: Atom) -> Core:
    """What a broken constraint rests on besides the atom that is supposed."""
    facts: Iterable[Atom] = {fact for proof in proofs for fact in proof.facts} - {supposed}
    denied = [Literal(atom, False) for atom in broken.body if broken.rule is None]
    constraint = () if denied else (Clause((), broken.body),)
    return Core((*sorted(map(Literal, facts)), *denied), (*ground_steps(proofs), *constraint))

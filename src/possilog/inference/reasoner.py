"""A theory, ready for questions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial

from possilog.data import Database
from possilog.data.evidence import Evidence, require_one_arity
from possilog.errors import QueryError
from possilog.inference.checking import EXAMPLES, Check, check
from possilog.inference.cores import Core, Cores
from possilog.inference.explain import Explainer, Why, WhyNot
from possilog.inference.fragments import FragmentTheory
from possilog.inference.horn import JOINT, HornTheory
from possilog.inference.prediction import Prediction
from possilog.inference.sat_cut import SatTheory
from possilog.inference.what_if import Difference, changed_evidence, changed_theory
from possilog.logic import Atom, Clause, Literal, Rule, Theory

__all__ = ["INFERENCES", "ON_CONFLICT", "Given", "Reasoner", "predict"]

INFERENCES = ("global", "fragment", "local")

ON_CONFLICT = ("report", "repair")
"""What to do where the evidence itself breaks hard rules: predict nothing beyond it, or set aside what it breaks."""

Given = Evidence | Database | Iterable[Atom | Literal]
"""The forms in which evidence may be given."""


class Reasoner:
    """A theory, laid out once for any number of questions.

    >>> from possilog.logic import parse_atom, parse_theory
    >>> reasoner = Reasoner(parse_theory("0.9 :: bird(X) :- flies(X). :- bird(X), bat(X)."))
    >>> facts = [parse_atom("flies(tweety)"), parse_atom("flies(bruce)"), parse_atom("bat(bruce)")]
    >>> [str(conclusion.atom) for conclusion in reasoner.predict(facts).added]
    ['bird(tweety)']
    >>> list(reasoner.predict(facts, "global").added)
    []
    """

    def __init__(self, theory: Theory) -> None:
        """Take a theory; all its rules need a weight."""
        theory.require_weights()
        require_one_arity(theory.predicates, ())
        self.theory = theory
        self._predicates = theory.predicates
        self.horn = HornTheory(theory)

    def predict(
        self,
        evidence: Given,
        inference: str = "local",
        *,
        on_conflict: str | None = None,
        joint: str = "bar",
        width: int | None = None,
        votes: float | None = None,
        negatives: bool = False,
    ) -> Prediction:
        """What the theory says about evidence.

        ``on_conflict`` says what to do where the evidence itself breaks hard rules: ``report`` predicts nothing beyond
        the evidence, ``repair`` sets aside the ground rules that it breaks; local inference repairs by default, global
        reports, and of fragments those that break hard rules say nothing. ``joint`` says how local inference settles
        conflicts within a stratum, ``bar`` or ``fewest``.
        ``width`` is the size of the fragments, and ``votes`` the share of them that a conclusion needs. With
        ``negatives``, the global cut also says which atoms it excludes.
        """
        _check("inference", inference, INFERENCES)
        _check("joint", joint, JOINT)
        _check("on_conflict", on_conflict, (None, *ON_CONFLICT))
        _for_fragments(inference, width, votes)
        if joint != "bar" and inference != "local":
            raise QueryError(f"joint is for local inference, and not for {inference} inference; leave it out")
        if on_conflict == "repair" and inference == "fragment":
            raise QueryError(
                "fragments that break hard rules say nothing, and nothing is repaired; leave on_conflict out"
            )
        if negatives and inference != "global":
            raise QueryError(f"{inference} inference does not say what is false; ask for global inference")
        given = Evidence.taken(evidence)
        spoken = (*given.facts.predicates, *(atom.predicate for atom in given.denied))
        require_one_arity(spoken, self._predicates, "the evidence", "the theory")
        repair = (on_conflict or ("repair" if inference == "local" else "report")) == "repair"
        if inference == "local":
            return self.horn.local(given, repair=repair, joint=joint)
        if inference == "fragment":
            return self._fragments.predict(given, width, votes)
        return self.whole.cut(given, repair=repair, negatives=negatives)

    def explainer(self, prediction: Prediction) -> Explainer:
        """Answers why and why not, for any number of atoms and one prediction of this theory."""
        return Explainer(self.theory, prediction)

    def why(self, atom: Atom, evidence: Given, inference: str = "local") -> Why | None:
        """Why is an atom predicted? None if it is not."""
        return self.explainer(self.predict(evidence, inference)).why(atom)

    def why_not(self, atom: Atom, evidence: Given, inference: str = "local") -> WhyNot | None:
        """Why is an atom not predicted? None if it is."""
        return self.explainer(self.predict(evidence, inference)).why_not(atom)

    def conflicts(self, evidence: Given, limit: int | None = None) -> tuple[Core, ...]:
        """Minimal sets of evidence that contradict the hard rules, with the ground rules that say so.

        With a limit, only so many broken ground rules are looked at.
        """
        return Cores(self.theory).of(Evidence.taken(evidence), limit)

    def check(self, facts: Database | Iterable[Atom], limit: int | None = EXAMPLES) -> Check:
        """All violations of the theory in facts that are taken as complete, rule by rule."""
        return check(self.theory, facts, limit)

    def what_if(
        self,
        evidence: Given | Prediction,
        inference: str = "local",
        *,
        add: Iterable[Atom | Literal] = (),
        remove: Iterable[Atom | Literal] = (),
        add_rules: Iterable[Rule] = (),
        remove_rules: Iterable[Rule | Clause] = (),
        on_conflict: str | None = None,
        joint: str = "bar",
        width: int | None = None,
        votes: float | None = None,
    ) -> Difference:
        """What would be predicted if evidence or rules were added or removed, beside what is.

        Instead of evidence, a prediction that was made in the same way can be given; it is not made again.
        """
        predict = partial(Reasoner.predict, on_conflict=on_conflict, joint=joint, width=width, votes=votes)
        before = evidence if isinstance(evidence, Prediction) else predict(self, evidence, inference)
        theory = changed_theory(self.theory, add_rules, remove_rules)
        reasoner = self if theory == self.theory else Reasoner(theory)
        changed = changed_evidence(before.evidence, add, remove)
        return Difference(before, predict(reasoner, changed, before.inference))

    @cached_property
    def whole(self) -> HornTheory | SatTheory:
        """What finds the global cut: forward chaining where every rule is Horn, SAT where one is not."""
        return SatTheory(self.theory) if self.horn.unused else self.horn

    @cached_property
    def _fragments(self) -> FragmentTheory:
        return FragmentTheory(self.theory, self.whole)


def predict(theory: Theory, evidence: Given, inference: str = "local") -> Prediction:
    """What a theory says about evidence; a Reasoner answers many such questions faster."""
    return Reasoner(theory).predict(evidence, inference)


def _check(name: str, value: object, choices: Iterable[object]) -> None:
    if value not in choices:
        known = ", ".join(str(choice) for choice in choices if choice is not None)
        raise QueryError(f"{name} is {value!r}, and it can be one of: {known}")


def _for_fragments(inference: str, width: int | None, votes: float | None) -> None:
    if (width, votes) != (None, None) and inference != "fragment":
        raise QueryError(f"width and votes are for fragments, and not for {inference} inference; leave them out")
    if width is not None and width < 1:
        raise QueryError(f"a fragment has at least one constant, and the width is {width}; give a larger one")
    if votes is not None and not 0 <= votes <= 1:
        raise QueryError(f"votes is a share between 0 and 1, and not {votes}")

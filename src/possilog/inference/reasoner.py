"""A theory, ready for questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from possilog.data.evidence import Evidence, require_one_arity
from possilog.errors import QueryError
from possilog.files import AnyPath
from possilog.inference.answers import Why, WhyNot
from possilog.inference.checking import EXAMPLES, Check, check
from possilog.inference.conflicts import Core
from possilog.inference.explain import Explainer
from possilog.inference.gate import EVERYTHING, Use
from possilog.inference.kinds import ANY, LOCAL, Fragments, How, Local, how_of
from possilog.inference.layouts import Layouts
from possilog.inference.prediction import Prediction
from possilog.inference.taken import Facts, Given, evidence_of, is_written, literals_of, rules_of, spoken, warn_misspelt
from possilog.inference.what_if import Difference, changed_evidence, changed_theory
from possilog.inference.words import PLAIN, Words
from possilog.logic import Atom, Clause, Literal, Rule, Theory
from possilog.printing import plural
from possilog.requiring import require_kind

__all__ = ["Reasoner", "predict"]


class Reasoner(Layouts):
    """A theory, laid out once for any number of questions.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        All its rules need a weight.

    Raises
    ------
    TheoryError
        If a rule has no weight, or what is given is no theory.
    ArityError
        If a predicate has two arities.

    Examples
    --------
    >>> from possilog import parse_theory
    >>> reasoner = Reasoner(parse_theory("0.9 :: bird(X) :- flies(X). :- bird(X), bat(X)."))
    >>> reasoner
    <Reasoner: 1 hard and 1 soft rule>
    >>> known = ["flies(Tweety)", "flies(Bruce)", "bat(Bruce)"]
    >>> print(reasoner.predict(known))
    0.9  bird(Tweety)
    added to the 3 facts given: 1; strata that stand as a whole: 0
    >>> list(reasoner.predict(known, "global").added)
    []
    """

    def __repr__(self) -> str:
        return f"<Reasoner: {len(self.theory.hard):,} hard and {plural(len(self.theory.soft), 'soft rule')}>"

    def predict(self, evidence: Given, how: How | str = LOCAL) -> Prediction:
        """What the theory says about evidence.

        Parameters
        ----------
        evidence : path of a file, Evidence, Database, or atoms
            What is known. Of atoms, some may be negated; as text (``"bird(Tweety)"``, ``"not bat(Tweety)"``) every
            argument is a constant, however it is spelled.
        how : Local, Global or Fragments
            The kind of inference, and what can be chosen about it. ``"local"``, ``"global"`` and ``"fragment"`` are
            short for the defaults.

        Returns
        -------
        Prediction
            What was added to the evidence, most certain first, and the conflicts on the way.

        Raises
        ------
        DataError
            If the evidence is in a form that cannot be taken.
        ArityError
            If evidence and theory know a name with two numbers of arguments.
        QueryError
            If there is no such kind of inference.

        Warns
        -----
        DataWarning
            If evidence that is read, or given as text, has a predicate that is almost one of the theory.

        Examples
        --------
        >>> from possilog import Fragments, parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: bird(X) :- flies(X)."))
        >>> reasoner.predict(["flies(Tweety)"], Fragments(width=1))
        <Prediction: fragment, 1 fact given, 1 added>
        """
        kind, written, given = how_of(how), is_written(evidence), evidence_of(evidence, self.theory)
        require_one_arity(spoken(given), self.predicates, "the evidence", "the theory")
        if written:
            warn_misspelt(spoken(given), self.theory)
        use = EVERYTHING if kind.share == ANY else self.gate.use(given, kind.share)
        made, use = self._checked(given, kind, use)
        added = made.added.saying(self.gate.statement(use))
        return replace(made, added=added, use=use, cores=lambda limit: self.cores.find(given, limit))

    def _checked(self, given: Evidence, how: How, use: Use) -> tuple[Prediction, Use]:
        """What follows, without the rules that would conclude far more than where they were measured."""
        while True:
            made = self._made(given, how, use)
            used = [rule for rule in use.most if rule in self.lone and rule not in use.left_out]
            found = ((rule, made.added.number(rule.weight)) for rule in used)
            over = next(((rule, number) for rule, number in found if number > use.most[rule]), None)
            if over is None:
                return made, use
            use = use.without(*over)

    def _made(self, given: Evidence, how: How, use: Use) -> Prediction:
        if isinstance(how, Local) and self.lone.issuperset(use.left_out):
            return self.horn.local(given, how, {rule.weight for rule in use.left_out})
        layouts = self.using(use)
        if isinstance(how, Local):
            return layouts.horn.local(given, how)
        if isinstance(how, Fragments):
            return layouts.fragments.predict(given, how)
        return layouts.whole.cut(given, how)

    def explainer(self, prediction: Prediction, words: Words = PLAIN) -> Explainer:
        """Answers why and why not, for any number of atoms and one prediction of this theory.

        Parameters
        ----------
        prediction : Prediction
            What ``predict`` of this reasoner returned.
        words : Words
            How the answers are said.

        Returns
        -------
        Explainer
            Ask it ``why``, ``why_not`` or ``explain``.

        Raises
        ------
        QueryError
            If it is given something else.

        Examples
        --------
        >>> from possilog import parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: bird(X) :- flies(X)."))
        >>> explainer = reasoner.explainer(reasoner.predict(["flies(Tweety)"]))
        >>> [explainer.explain(atom) for atom in ("bird(Tweety)", "bird(Rex)")]
        [<Why: bird(Tweety), certainty 0.9>, <WhyNot: bird(Rex), 1 rule is near>]
        """
        return Explainer(self, prediction, words)

    def why(self, atom: Atom | str, evidence: Given, how: How | str = LOCAL) -> Why | None:
        """Why is an atom predicted? None if it is not.

        Parameters
        ----------
        atom : Atom or str
            What is asked about; as text, every argument is a constant, however it is spelled.
        evidence, how
            As for ``predict``.

        Returns
        -------
        Why or None
            The shortest of the most certain proofs, or what entails it, and the conflicts that matter.

        Raises
        ------
        QueryError
            If the atom has variables, or is none.

        Examples
        --------
        >>> from possilog import parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: advisedBy(S, P) :- wrote(S, T), wrote(P, T), professor(P)."))
        >>> print(reasoner.why("advisedBy(Ann, Bob)", ["wrote(Ann, T1)", "wrote(Bob, T1)", "professor(Bob)"]).proof)
        Ann is advised by Bob
            by the rule: S is advised by P if S wrote T, P wrote T and P is a professor (0.9)
            because Ann wrote T1 (given)
            and Bob wrote T1 (given)
            and Bob is a professor (given)
        """
        return self.explainer(self.predict(evidence, how)).why(atom)

    def why_not(self, atom: Atom | str, evidence: Given, how: How | str = LOCAL) -> WhyNot | None:
        """Why is an atom not predicted? None if it is.

        Parameters
        ----------
        atom : Atom or str
            What is asked about; as text, every argument is a constant, however it is spelled.
        evidence, how
            As for ``predict``.

        Returns
        -------
        WhyNot or None
            What speaks against it, the argument that was given up, or the rules that come closest.

        Raises
        ------
        QueryError
            If the atom has variables, or is none.

        Examples
        --------
        >>> from possilog import parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: bird(X) :- flies(X)."))
        >>> print(reasoner.why_not("bird(Rex)", ["dog(Rex)"]))
        It is not predicted that Rex is a bird.
        No rule concludes it. The nearest:
            X is a bird if X flies (0.9)
                missing: Rex flies
        """
        return self.explainer(self.predict(evidence, how)).why_not(atom)

    def conflicts(self, evidence: Given, limit: int | None = None) -> tuple[Core, ...]:
        """Minimal sets of evidence that contradict the hard rules, with the ground rules that say so.

        Parameters
        ----------
        evidence
            As for ``predict``.
        limit : int or None
            Look at this many broken ground rules at most; None for all.

        Returns
        -------
        tuple of Core
            The smallest first; none where the evidence agrees with the hard rules.

        Raises
        ------
        DataError
            If the evidence is in a form that cannot be taken.

        Examples
        --------
        >>> from possilog import parse_theory
        >>> reasoner = Reasoner(parse_theory(":- bird(X), bat(X)."))
        >>> reasoner.conflicts(["bird(Bruce)", "bat(Bruce)", "bird(Carl)"])
        (<Core: bat(Bruce), bird(Bruce)>,)
        """
        return self.cores.find(evidence_of(evidence, self.theory), limit)

    def check(self, facts: Facts, limit: int | None = EXAMPLES, *, words: Words = PLAIN) -> Check:
        """All violations of the theory in facts that are taken as complete, rule by rule.

        Parameters
        ----------
        facts : Database, path of a file, or atoms
            What is not among them is false.
        limit : int or None
            At most this many examples of each rule; None for all.
        words : Words
            How the report says atoms when it is printed.

        Returns
        -------
        Check
            Every rule with the number of its applications and violations.

        Raises
        ------
        DataError
            If the facts are in a form that cannot be taken.
        QueryError
            If a rule has too many atoms in its head with variables that its body leaves open.

        Examples
        --------
        >>> from possilog import parse_theory
        >>> Reasoner(parse_theory(":- bird(X), bat(X).")).check(["bird(Bruce)", "bat(Bruce)"])
        <Check: 2 facts, 1 rule, 1 hard and 0 soft ones violated>
        """
        return check(self.theory, facts, limit, words=words)

    def what_if(
        self,
        evidence: Given | Prediction,
        how: How | str | None = None,
        *,
        add: Iterable[Atom | Literal | str] | Atom | Literal = (),
        remove: Iterable[Atom | Literal | str] | Atom | Literal = (),
        add_rules: Iterable[Rule | str] | Rule = (),
        remove_rules: Iterable[Rule | Clause | str] | Rule | Clause = (),
        words: Words = PLAIN,
    ) -> Difference:
        """What would be predicted if evidence or rules were added or removed, beside what is.

        Parameters
        ----------
        evidence : Prediction, or as for ``predict``
            A prediction is not made again, and the other one is made in the same way.
        how : Local, Global, Fragments, or None
            As for ``predict``; None for the way in which a prediction was made, or else local inference.
        add, remove : atoms
            Evidence that comes and goes; one atom, or some. As text, ``not`` or ``!`` before an atom denies it.
        add_rules, remove_rules : rules
            Rules that come and go; one, or some. Those to be removed are known by their clauses alone.
        words : Words
            How the difference says atoms when it is printed.

        Returns
        -------
        Difference
            Which conclusions appear, vanish, and change their certainty.

        Raises
        ------
        DataError
            If evidence is to be removed that is not there.
        TheoryError
            If a rule is to be removed that is not there.

        Examples
        --------
        >>> from possilog import parse_theory
        >>> reasoner = Reasoner(parse_theory("0.9 :: bird(X) :- flies(X). :- bird(X), bat(X)."))
        >>> print(reasoner.what_if(["flies(Bruce)"], add="bat(Bruce)"))
        Vanishes (0.9): Bruce is a bird
        """
        require_kind("words", words, Words)
        before = self._before(evidence, how)
        typed = self.theory.declared
        come, go = rules_of(add_rules), rules_of(remove_rules)
        reasoner = Reasoner(changed_theory(self.theory, come, go)) if come or go else self
        more, fewer = map(typed.literal, literals_of(add, "add")), map(typed.literal, literals_of(remove, "remove"))
        changed = changed_evidence(before.evidence, more, fewer)
        return Difference(before, reasoner.predict(changed, before.how), (words or PLAIN).of_theory(self.theory))

    def _before(self, evidence: Given | Prediction, how: How | str | None) -> Prediction:
        if not isinstance(evidence, Prediction):
            return self.predict(evidence, LOCAL if how is None else how)
        if how is not None and how_of(how) != evidence.how:
            asked = f"and {how_of(how)} is asked for; leave how out, or give evidence"
            raise QueryError(f"the prediction was made by {evidence.how}, {asked}")
        return evidence


def predict(theory: Theory | AnyPath, evidence: Given, how: How | str = LOCAL) -> Prediction:
    """What a theory says about evidence; a ``Reasoner`` answers many such questions faster.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        All its rules need a weight.
    evidence : path of a file, Evidence, Database, or atoms
        What is known. Of atoms, some may be negated; as text (``"bird(Tweety)"``, ``"not bat(Tweety)"``) every argument
        is a constant, however it is spelled.
    how : Local, Global or Fragments
        The kind of inference, and what can be chosen about it. ``"local"``, ``"global"`` and ``"fragment"`` are short
        for the defaults.

    Returns
    -------
    Prediction
        What was added to the evidence, most certain first, and the conflicts on the way.

    Raises
    ------
    TheoryError
        If a rule has no weight, or what is given is no theory.
    DataError
        If the evidence is in a form that cannot be taken.
    QueryError
        If there is no such kind of inference.

    Examples
    --------
    >>> from possilog import parse_theory
    >>> print(predict(parse_theory("0.9 :: bird(X) :- flies(X)."), ["flies(Tweety)"]))
    0.9  bird(Tweety)
    added to the 1 fact given: 1; strata that stand as a whole: 1
    """
    return Reasoner(theory).predict(evidence, how)

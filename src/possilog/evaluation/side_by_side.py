"""Two theories beside each other: which rules they have in common, but for the names of variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from possilog.logic import Clause, Rule, Theory, canonical

__all__ = ["Comparison", "compare_hard", "compare_soft", "latex_rules", "latex_table"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rules of two theories: those of both, of the first alone, and of the second alone, highest weight first."""

    common: tuple[tuple[Rule, Rule], ...]
    first: tuple[Rule, ...]
    second: tuple[Rule, ...]


def compare_soft(first: Theory, second: Theory) -> Comparison:
    """Compare the soft rules; weights may differ.

    >>> from possilog.logic import parse_theory
    >>> ours = parse_theory("0.9 :: p(X) :- q(X). 0.8 :: p(X) :- r(X, Y).")
    >>> found = compare_soft(ours, parse_theory("0.7 :: p(A) :- r(A, B)."))
    >>> len(found.common), [str(rule.clause) for rule in found.first], found.second
    (1, ['p(X) :- q(X).'], ())
    """
    return _compare(first.soft, second.soft)


def compare_hard(first: Theory, second: Theory) -> Comparison:
    """Compare the hard rules."""
    return _compare(first.hard, second.hard)


def _compare(first: Iterable[Rule], second: Iterable[Rule]) -> Comparison:
    ours = {canonical(rule.clause): rule for rule in first}
    theirs = {canonical(rule.clause): rule for rule in second}
    return Comparison(
        tuple((rule, theirs[form]) for form, rule in ours.items() if form in theirs),
        tuple(rule for form, rule in ours.items() if form not in theirs),
        tuple(rule for form, rule in theirs.items() if form not in ours),
    )


def latex_rules(theory: Theory) -> list[str]:
    """The soft rules as the paper's tables print them, highest first; rules of one stratum share a λ."""
    strata = theory.strata
    return [
        rf"$({_latex(rule.clause)}, \lambda_{{{len(strata) - place}}})$"
        for place, stratum in enumerate(strata)
        for rule in stratum.rules
    ]


def latex_table(theory: Theory, caption: str) -> str:
    """A theory as a table of the paper."""
    lines = [
        r"\begin{table*}[t]",
        rf"\caption{{{caption}}}",
        r"\begin{tabular}{ r } \hline",
        rf" \dots \quad\quad({len(theory.hard)} hard constraints not shown here)\\",
        *(rf" {rule} \\" for rule in latex_rules(theory)),
        r" $(\bot, \lambda_\bot)$ \\",
        r" \hline",
        r"\end{tabular}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _latex(clause: Clause) -> str:
    def atoms(some: Iterable[object], joint: str) -> str:
        return joint.join(_latex_atom(str(atom)) for atom in some)

    head = atoms(clause.head, r" \vee ") or r"\bot"
    return rf"{head} \leftarrow {atoms(clause.body, ' ' + chr(92) + 'wedge ')}" if clause.body else head


def _latex_atom(text: str) -> str:
    name, bracket, arguments = text.partition("(")
    escaped = name.replace("_", r"\_")
    return rf"\textit{{{escaped}}}{bracket}{arguments.replace('_', chr(92) + '_')}"

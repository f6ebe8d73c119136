"""Two theories beside each other, drawn: a table of their rules, and the paper's LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from possilog.escaping import escape_latex
from possilog.evaluation.comparison import Beside
from possilog.logic import DEMOTED, Atom, BuiltIn, Clause, Term, Theory, Threshold, Variable
from possilog.report.tables import Table

_SIGNS = {">=": r"\geq", "=<": r"\leq", "<": "<", ">": ">"}

__all__ = ["beside_table", "constraints", "latex_rules", "latex_table"]


def beside_table(compared: Beside) -> Table:
    """One table: the soft rules, those of both first, and the hard rules that differ."""
    rows: list[tuple[str, ...]] = [
        (str(ours.clause), "both", str(ours.weight), str(theirs.weight)) for ours, theirs in compared.soft.common
    ]
    for found in (compared.soft, compared.hard):
        rows += [(str(rule.clause), "ours alone", str(rule.weight), "") for rule in found.first]
        rows += [(str(rule.clause), "theirs alone", "", str(rule.weight)) for rule in found.second]
    counts = " ".join(
        f"{kind} rules: {len(found.common)} in common, {len(found.first)} only ours, {len(found.second)} only theirs."
        for kind, found in (("Soft", compared.soft), ("Hard", compared.hard))
    )
    header = ("rule", "whose", "our weight", "their weight")
    kinds = tuple("common" if whose == "both" else "" for _, whose, *_ in rows)
    return Table("beside", "Our rules beside the authors'", header, tuple(rows), counts, kinds)


def latex_rules(theory: Theory) -> list[str]:
    """The soft rules as the paper's tables print them, highest first; rules of one stratum share a λ."""
    strata = theory.ranked_strata
    return [
        rf"$({_clause(rule.clause)}, \lambda_{{{len(strata) - place}}})$"
        for place, stratum in enumerate(strata)
        for rule in stratum.rules
    ]


def constraints(theory: Theory) -> str:
    """How many constraints a table leaves out: the hard ones, and those that may hold by chance."""
    demoted = sum(rule.weight == DEMOTED for rule in theory)
    return f"{len(theory.hard):,} hard constraints" + (f" and {demoted:,} that may hold by chance" if demoted else "")


def latex_table(theory: Theory, caption: str) -> str:
    """A theory as a table of the paper."""
    lines = [
        r"\begin{table*}[t]",
        rf"\caption{{{escape_latex(caption)}}}",
        r"\begin{tabular}{ r } \hline",
        rf" \dots \quad\quad({constraints(theory)} not shown here)\\",
        *(rf" {rule} \\" for rule in latex_rules(theory)),
        r" $(\bot, \lambda_\bot)$ \\",
        r" \hline",
        r"\end{tabular}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _clause(clause: Clause) -> str:
    head, body = _atoms(clause.head, r" \vee ") or r"\bot", _atoms(clause.body, r" \wedge ")
    return rf"{head} \leftarrow {body}" if clause.body else head


def _atoms(atoms: Iterable[Atom], joint: str) -> str:
    return joint.join(map(_atom, atoms))


def _atom(atom: Atom) -> str:
    if isinstance(atom.predicate, BuiltIn):
        return _comparison(atom.predicate, tuple(map(_term, atom.arguments)))
    name = rf"\textit{{{escape_latex(atom.predicate.name)}}}"
    return f"{name}({', '.join(map(_term, atom.arguments))})" if atom.arguments else name


def _comparison(comparison: BuiltIn, terms: tuple[str, ...]) -> str:
    r"""A comparison as formulas have it.

    >>> from possilog.logic import parse_rule
    >>> print(_clause(parse_rule("late(X) :- on(X, D), D >= 2026-01-05, |D - E| =< 1.").clause))
    \textit{late}(X) \leftarrow \textit{on}(X, D) \wedge D \geq \textrm{2026-01-05} \wedge |D - E| \leq 1
    """
    if isinstance(comparison, Threshold):
        bound = rf"\textrm{{{comparison.bound}}}" if comparison.is_date else comparison.bound
        return f"{terms[0]} {_SIGNS[comparison.operator]} {bound}"
    return comparison.spelled(*terms).replace("=<", _SIGNS["=<"])


def _term(term: Term) -> str:
    """A variable as formulas have it; a name is text, because formulas know other letters and no spaces."""
    plain = isinstance(term, Variable) and str(term).isascii() and str(term).isalnum()
    return str(term) if plain else rf"\textrm{{{escape_latex(str(term))}}}"

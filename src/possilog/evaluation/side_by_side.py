"""Two theories beside each other: which rules they have in common, but for the names of variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from possilog.evaluation.tables import Table, escape_latex
from possilog.logic import Clause, Rule, Theory, canonical

__all__ = ["Comparison", "beside_table", "compare", "compare_hard", "compare_soft", "latex_rules", "latex_table"]


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


def compare(first: Theory, second: Theory) -> dict[str, Any]:
    """Compare all rules of our theory and the authors', in JSON's terms."""
    found = {"soft": compare_soft(first, second), "hard": compare_hard(first, second)}
    return {
        kind: {
            "common": [{"ours": _shown(one), "authors": _shown(other)} for one, other in comparison.common],
            "ours": [_shown(rule) for rule in comparison.first],
            "authors": [_shown(rule) for rule in comparison.second],
        }
        for kind, comparison in found.items()
    }


def _shown(rule: Rule) -> dict[str, str]:
    return {"rule": str(rule.clause), "weight": str(rule.weight)}


def beside_table(compared: Mapping[str, Any]) -> Table:
    """What ``compare`` found in one table: the soft rules, those of both first, and the hard rules that differ."""
    rows: list[tuple[str, ...]] = []
    for kind, found in compared.items():
        for both in found["common"] if kind == "soft" else ():
            rows.append((both["ours"]["rule"], "both", both["ours"]["weight"], both["authors"]["weight"]))
        rows += [(one["rule"], "ours alone", one["weight"], "") for one in found["ours"]]
        rows += [(one["rule"], "theirs alone", "", one["weight"]) for one in found["authors"]]
    counts = " ".join(
        f"{kind.capitalize()} rules: {len(found['common'])} in common, {len(found['ours'])} only ours, "
        f"{len(found['authors'])} only theirs."
        for kind, found in compared.items()
    )
    header = ("rule", "whose", "our weight", "their weight")
    kinds = tuple("common" if whose == "both" else "" for _, whose, *_ in rows)
    return Table("beside", "Our rules beside the authors'", header, tuple(rows), counts, kinds)


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
        rf"\caption{{{escape_latex(caption)}}}",
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
    return rf"\textit{{{escape_latex(name)}}}{bracket}{escape_latex(arguments)}"

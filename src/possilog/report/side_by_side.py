"""Two theories beside each other, drawn: a table of their rules, and the paper's LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from possilog.logic import Clause, Theory
from possilog.report.tables import Table, escape_latex

__all__ = ["beside_table", "latex_rules", "latex_table"]


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

"""Tables: the same rows in Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
from dataclasses import dataclass

__all__ = ["Table", "escape_latex"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": "$-$",
    "λ": r"$\lambda$",
    "⊥": r"$\bot$",
}


def escape_latex(text: str) -> str:
    """Text as LaTeX takes it.

    >>> escape_latex("50 % of a_b")
    '50 \\\\% of a\\\\_b'
    """
    return "".join(_LATEX.get(letter, letter) for letter in text)


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and rows of text.

    >>> print(Table("gains", "Gains", ("size", "gain"), (("10", "4.0"),)).markdown)
    | size | gain |
    |---|---|
    | 10 | 4.0 |
    <BLANKLINE>
    """

    name: str
    """For files."""
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    kinds: tuple[str, ...] = ()
    """What a style sheet may tell rows by: one name a row, or none at all."""

    @property
    def markdown(self) -> str:
        """The table in Markdown, without its title."""
        lines = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (self.header, *self.rows)
        ]
        return "\n".join([lines[0], "|" + "---|" * len(self.header), *lines[1:], ""])

    @property
    def latex(self) -> str:
        """The table in LaTeX."""
        lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in self.rows]
        columns = "l" + "r" * (len(self.header) - 1)
        caption = f"{self.title}. {self.note}" if self.note else self.title
        head = " & ".join(map(escape_latex, self.header)) + r" \\ \hline"
        return "\n".join(
            [
                r"\begin{table}",
                rf"\caption{{{escape_latex(caption)}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                head,
                *lines,
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    @property
    def html(self) -> str:
        """The table in HTML, with its title and note."""

        def line(cells: tuple[str, ...], tag: str, kind: str = "") -> str:
            row = f'<tr class="{kind}">' if kind else "<tr>"
            return row + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        kinds = self.kinds or ("",) * len(self.rows)
        body = "\n".join(line(row, "td", kind) for row, kind in zip(self.rows, kinds, strict=True))
        note = f"<p class=note>{html.escape(self.note)}</p>" if self.note else ""
        return (
            f'<h3 id="{self.name}">{html.escape(self.title)}</h3>\n<div class=wide><table class="{self.name}">\n'
            f"<thead>{line(self.header, 'th')}</thead>\n<tbody>{body}</tbody></table></div>{note}\n"
        )

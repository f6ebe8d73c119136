"""Tables: the same rows in Markdown, LaTeX and HTML."""

from __future__ import annotations

from dataclasses import dataclass

from possilog.escaping import escape_latex, escape_markdown
from possilog.report import html

__all__ = ["Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and rows of text.

    >>> print(Table("gains", "Gains", ("size", "gain"), (("10", "4.0"),), "Means.").markdown, end="")
    Gains
    <BLANKLINE>
    | size | gain |
    |---|---|
    | 10 | 4.0 |
    <BLANKLINE>
    Means.
    """

    name: str
    """For files, and for links in a page."""
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    kinds: tuple[str, ...] = ()
    """What a style sheet may tell rows by: one name for each row, or none at all."""

    @property
    def markdown(self) -> str:
        """The table in Markdown, with its title and note."""
        head, *rows = ("| " + " | ".join(map(escape_markdown, row)) + " |" for row in (self.header, *self.rows))
        title, note = escape_markdown(self.title), escape_markdown(self.note)
        return "\n".join([title, "", head, "|" + "---|" * len(self.header), *rows, "", note, ""])

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
        note = html.paragraph(self.note, "note") if self.note else ""
        return (
            f"{html.heading(self.title, self.name)}\n"
            f"{html.table(self.header, self.rows, self.name, self.kinds)}{note}\n"
        )

"""How things look in a notebook: small tables and text as HTML, in the notebook's own style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from possilog.errors import shortened
from possilog.escaping import escape_html

__all__ = ["code", "list_in_notebook", "table_in_notebook", "text_in_notebook"]

MOST_ROWS = 60
"""Rows that are shown; how many more there are is said."""

_LONGEST = 300


def table_in_notebook(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], count: int | None = None, note: str = ""
) -> str:
    """A table with a line above it, and perhaps one below.

    >>> "<tr><td>&lt;1&gt;</td></tr>" in table_in_notebook("numbers", ["n"], [["<1>"]])
    True
    """
    listed = list(islice(rows, MOST_ROWS + 1))
    more = (count if count is not None else len(listed)) - MOST_ROWS
    body = "".join(_row("td", row) for row in listed[:MOST_ROWS])
    left_out = f"<p>and {more:,} more</p>" if len(listed) > MOST_ROWS else ""
    below = f"<p>{escape_html(note)}</p>" if note else ""
    return (
        f"<div><p>{escape_html(caption)}</p><table><thead>{_row('th', header)}</thead><tbody>{body}</tbody></table>"
        f"{left_out}{below}</div>"
    )


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape_html(shortened(cell, _LONGEST))}</{tag}>" for cell in cells) + "</tr>"


def text_in_notebook(text: str) -> str:
    """Lines of text, the first of them in bold."""
    first, *lines = map(escape_html, text.splitlines() or [""])
    rest = "\n".join(lines).strip("\n")
    return f"<div><p><b>{first}</b></p>" + (f"<pre>{rest}</pre>" if rest else "") + "</div>"


def list_in_notebook(title: str, parts: Iterable[str], *, is_open: bool = False) -> str:
    """Something that can be folded away. The parts are HTML already."""
    return f"<details{' open' * is_open}><summary>{escape_html(title)}</summary>{''.join(parts)}</details>"


def code(text: str) -> str:
    """A formula.

    >>> code("p(X) :- q(X).")
    '<code>p(X) :- q(X).</code>'
    """
    return f"<code>{escape_html(shortened(text, _LONGEST))}</code>"

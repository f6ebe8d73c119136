"""How things look in a notebook: small tables and text as HTML, in the notebook's own style."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from possilog.errors import shortened
from possilog.escaping import escape_html
from possilog.progress import Progress, Step, silent

__all__ = ["bar_in_notebook", "code", "list_in_notebook", "table_in_notebook", "text_in_notebook", "watched"]

MOST_ROWS = 60
"""Rows that are shown; how many more there are is said."""

_LONGEST = 300

_OFTEN = 0.1
"""Seconds between two pictures of a bar."""


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


def list_in_notebook(title: str, parts: Iterable[str]) -> str:
    """Something that can be folded away. The parts are HTML already."""
    return f"<details><summary>{escape_html(title)}</summary>{''.join(parts)}</details>"


def code(text: str) -> str:
    """A formula.

    >>> code("p(X) :- q(X).")
    '<code>p(X) :- q(X).</code>'
    """
    return f"<code>{escape_html(shortened(text, _LONGEST))}</code>"


# Progress


def bar_in_notebook(step: Step) -> str:
    """How far a job is, as a bar where the number of steps is known.

    >>> bar_in_notebook(Step("candidates", 3, 12, "<parent>"))
    '<progress max="12" value="3"></progress> candidates, 3 of 12: &lt;parent&gt;'
    """
    known = f' max="{step.steps}" value="{step.done}"' if step.steps else ""
    count = f", {step.done:,} of {step.steps:,}" if step.steps else ""
    doing = f": {escape_html(shortened(step.doing, 80))}" if step.doing else ""
    return f"<progress{known}></progress> {escape_html(step.phase)}{count}{doing}"


@contextmanager
def watched(progress: Progress) -> Iterator[Progress]:
    """Who is told of a job: who asked to be; else, where this is a notebook, a bar that goes at the end."""
    show = _display() if progress is silent else None
    if show is None:
        yield progress
        return
    shown, told = show(bar_in_notebook(Step("begin"))), Step("")
    last = 0.0

    def tell(step: Step) -> None:
        nonlocal last, told
        now = time.monotonic()
        if step.phase != told.phase or now - last > _OFTEN:
            last, told = now, step
            shown(bar_in_notebook(step))

    try:
        yield tell
    finally:
        shown("")


def _display() -> Callable[[str], Callable[[str], None]] | None:
    """What shows HTML in the notebook that this runs in, and gives what puts other HTML in its place."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    def show(html: str) -> Callable[[str], None]:
        handle = display(HTML(html), display_id=True)
        return lambda other: handle.update(HTML(other))

    return show

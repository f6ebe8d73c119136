"""Text of any kind, such as a name from somebody's data, as HTML, LaTeX and Markdown show it and never obey it."""

from __future__ import annotations

import html
import re

__all__ = ["escape_html", "escape_latex", "escape_markdown", "visible"]

# What is not seen, or turns the direction of what comes after it; halves of characters cannot be written.
_UNSEEN = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

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
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "±": r"$\pm$",
    "−": "$-$",
    "λ": r"$\lambda$",
    "⊥": r"$\bot$",
}

# Entities where not every Markdown knows a backslash.
_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {letter: f"\\{letter}" for letter in "\\`*_{}[]#|~$"}


def visible(text: str) -> str:
    """One line of text: what cannot be seen is spelt out.

    >>> print(visible("two\\nlines"))
    two\\nlines
    """
    return _UNSEEN.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def escape_html(text: str) -> str:
    """Text as HTML shows it, also between the quotes of an attribute.

    >>> escape_html("<b>")
    '&lt;b&gt;'
    """
    return html.escape(visible(text))


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it, outside formulas.

    >>> print(escape_latex("50 % of a_b"))
    50 \\% of a\\_b
    """
    escaped = "".join(_LATEX.get(letter, letter) for letter in visible(text))
    return re.sub("-(?=-)", "-{}", escaped)  # two would become a longer one


def escape_markdown(text: str) -> str:
    """Text as Markdown shows it, in a line or in a cell of a table.

    >>> print(escape_markdown("a|b"), escape_markdown("<b>"))
    a\\|b &lt;b&gt;
    """
    return "".join(_MARKDOWN.get(letter, letter) for letter in visible(text))

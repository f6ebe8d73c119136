"""What is escaped is shown as it was, by those who read the three languages, and is obeyed by none of them."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.escaping import escape_html, escape_latex, escape_markdown, visible

HOSTILE = (
    r"\input{/etc/passwd}",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a|b",
    "`rm`",
    "a & b % c $x$ #1 ~ ^",
    "**bold** _soft_ [link](http://x) ![picture](x)",
    "two\nlines",
    "\N{RIGHT-TO-LEFT OVERRIDE}desrever",
    "\0 and \x1b[31m",
    "&lt;",
    "--- ---",
    r"\\",
)
TEXT = st.one_of(st.sampled_from(HOSTILE), st.text("ab\\{}[]()<>|`*_~$#&%^!\"'-+=:;./ \n\t0é語\u202e", max_size=20))


def test_what_is_unseen_is_spelt_out() -> None:
    assert visible("a\nb\tc\0d\u202ee\ud800f é語") == r"a\nb\tc\x00d\u202ee\ud800f é語"


@given(TEXT)
@settings(max_examples=budget(200))
def test_html_shows_the_text(text: str) -> None:
    escaped = escape_html(text)
    assert html.unescape(escaped) == visible(text)
    assert not set(escaped) & set("<>\"'\n")


@given(TEXT)
@settings(max_examples=budget(200))
def test_latex_shows_the_text(text: str) -> None:
    """What LaTeX reads: a command that stands for a character, or a character that stands for itself."""
    shown = []
    for token in re.findall(r"\\[A-Za-z]+\{\}|\\.|\{\}|.", escape_latex(text), re.DOTALL):
        if token == "{}":
            continue
        assert token in LATEX or token not in set("\\{}&%$#_~^<>|`\n"), token
        shown.append(LATEX.get(token, token))
    assert "".join(shown) == visible(text)
    assert "--" not in escape_latex(text)


LATEX = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textasciigrave{}": "`",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    **{f"\\{letter}": letter for letter in "&%$#_{}"},
}


@given(TEXT)
@settings(max_examples=budget(200))
def test_markdown_shows_the_text(text: str) -> None:
    reader = pytest.importorskip("markdown_it", reason="a reader of Markdown is needed").MarkdownIt("commonmark")
    page = reader.enable("table").render(f"| x | y |\n|---|---|\n| {escape_markdown(text)} | end |\n")
    cells = re.findall("<td>(.*?)</td>", page, re.DOTALL)
    assert [html.unescape(cell) for cell in cells] == [visible(text).strip(), "end"]

"""Tables, theories beside each other, plots and pages: names are shown and never obeyed."""

from __future__ import annotations

import re

import pytest

from pages import read_page
from possilog.escaping import visible
from possilog.evaluation.comparison import compare
from possilog.logic import Atom, Clause, Constant, Predicate, Rule, Theory, Variable, Weight, parse_theory
from possilog.plotting import Line, Plot
from possilog.report import html
from possilog.report.side_by_side import beside_table, latex_table
from possilog.report.tables import Table

SCRIPT, INPUT, PIPE = "<script>alert(1)</script>", r"\input{x}", "a|b`c`"
NAMES = (SCRIPT, INPUT, PIPE, "%&$#_^~", "two\nlines")


def test_rules_are_set_beside_the_authors() -> None:
    ours = parse_theory("p(X) :- q(X). r(X) :- q(X). 0.9 :: q(X) :- r(X). 0.8 :: q(X) :- s(X).")
    theirs = parse_theory("p(A) :- q(A). 0.7 :: q(A) :- r(A). 0.6 :: s(A) :- r(A).")
    table = beside_table(compare(ours, theirs))
    assert table.rows == (
        ("q(X) :- r(X).", "both", "0.9", "0.7"),
        ("q(X) :- s(X).", "ours alone", "0.8", ""),
        ("s(A) :- r(A).", "theirs alone", "", "0.6"),
        ("r(X) :- q(X).", "ours alone", "1", ""),
    )
    assert table.kinds == ("common", "", "", "")
    assert "Soft rules: 1 in common" in table.note and "Hard rules: 1 in common" in table.note


def test_a_theory_is_printed_as_the_papers_tables_are() -> None:
    text = latex_table(parse_theory("p(X) :- q(X). 0.9 :: is_p(X) :- r(X, Y), q(Y)."), "A theory for my_data.")
    assert r"(1 hard constraints not shown here)\\" in text
    assert r"\caption{A theory for my\_data.}" in text
    assert r"$(\textit{is\_p}(X) \leftarrow \textit{r}(X, Y) \wedge \textit{q}(Y), \lambda_{1})$ \\" in text


def test_tables_are_escaped() -> None:
    table = Table("t", "50 % & more", ("a|b", "c"), (("x_1", "<b>"),), "why")
    assert r"a\|b" in table.markdown and r"x\_1" in table.latex and r"50 \% \& more" in table.latex
    assert "&lt;b&gt;" in table.html and "why" in table.html
    kinds = Table("t", "title", ("a",), (("x",), ("y",)), kinds=("ours", "")).html
    assert '<tr class="ours"><td>x</td></tr>' in kinds and "<tr><td>y</td></tr>" in kinds


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_harmless_in_every_part_of_a_table(name: str) -> None:
    table = Table(name, name, (name, "b"), ((name, "1"), ("x", name)), name, (name, ""))
    page = read_page(table.html)
    assert page.tags == {"h3", "div", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert page.texts.count(visible(name)) == 5
    assert set(re.findall(r"\\([a-zA-Z]+)", table.latex)) <= SAFE_COMMANDS
    rows = [line for line in table.latex.splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [1, 1]
    lines = [line for line in table.markdown.splitlines() if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines] == [3] * 4
    assert not re.search(r"<|(?<!\\)`", table.markdown)


SAFE_COMMANDS = {
    *("begin", "caption", "end", "hline", "dots", "quad", "leftarrow", "lambda", "bot", "wedge", "vee"),
    *("textit", "textrm", "textbackslash", "textless", "textgreater", "textbar", "textasciigrave"),
    *("textasciitilde", "textasciicircum"),
}


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_harmless_in_theories(name: str) -> None:
    x, constant = Variable("X"), Constant(name)
    head, body = Atom(Predicate(name, 2), (x, constant)), Atom(Predicate("q", 1), (x,))
    theory = Theory((Rule(Clause((head,), (body,)), Weight.of("0.9")),))
    text = latex_table(theory, name)
    assert set(re.findall(r"\\([a-zA-Z]+)", text)) <= SAFE_COMMANDS
    assert len(text.splitlines()) == 9 and text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    table = beside_table(compare(theory, Theory(())))
    assert read_page(table.html).tags == {"h3", "div", "table", "thead", "tbody", "tr", "th", "td", "p"}


def test_names_that_formulas_would_misread_are_text() -> None:
    text = latex_table(parse_theory('0.9 :: p(X, "λ b") :- q(X_1, X).'), "t")
    assert r"\textit{p}(X, \textrm{" in text and r"\textit{q}(\textrm{X\_1}, X)" in text


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_harmless_in_plots_and_pages(name: str) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    drawn = Plot("p", name, name, name, {name: Line([1, 2], [3, 4])}).draw()
    assert drawn["png"].startswith(b"\x89PNG")
    picture = read_page(drawn["svg"].decode())
    assert "script" not in picture.tags and visible(name) in "".join(picture.texts)
    page = html.document(
        name,
        html.heading(name, name),
        html.paragraph(name, name),
        html.preformatted(name),
        html.navigation([name]),
        html.link(name, name, name),
        html.figure(drawn["svg"]),
    )
    assert "script" not in read_page(page).tags


def test_links_lead_to_files_beside_the_page() -> None:
    assert html.link("x", "javascript:alert(1)") == '<a href="javascript%3Aalert%281%29">x</a>'
    assert html.link("x", "//host/a") == '<a href="host/a">x</a>'


def test_pages_load_nothing_from_elsewhere() -> None:
    page = html.document("title", html.preformatted("one\ntwo"))
    assert "<pre>one\ntwo</pre>" in page and "src=" not in page and "<link" not in page
    assert "max-width: 76rem" in page and page.startswith("<!doctype html>")

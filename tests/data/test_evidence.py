"""Evidence in all the forms that a person would write."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from possilog.data import Database, Evidence, read_evidence
from possilog.errors import DataError, LanguageError
from possilog.logic import Atom, Literal, Variable, parse_atom

BIRD, BAT = parse_atom("bird(Tom)"), parse_atom("bat(Tom)")


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "known.db"
    path.write_text("bird(Tom)\n!bat(Tom)\n")
    return path


def test_one_meaning_in_every_form(known: Path) -> None:
    meant = Evidence(Database.of([BIRD]), (BAT,))
    forms: list[Evidence | Path | str | Iterable[Atom | Literal | str]] = [
        meant,
        str(known),
        known,
        [BIRD, Literal(BAT, False)],
        ["bird(Tom)", "!bat(Tom)"],
        iter(["bird(Tom). not bat(Tom)."]),
        (BIRD, "~bat(Tom)"),
    ]
    for given in forms:
        assert Evidence.taken(given) == meant
    assert Evidence.taken(Database.of([BIRD])) == Evidence.of(["bird(Tom)"])
    assert Evidence.taken([]) == Evidence()
    assert read_evidence(known) == read_evidence([known], encoding="latin-1", header=True) == meant


def test_what_is_no_evidence_is_told_what_would_be(tmp_path: Path) -> None:
    for given, said in (
        ("bird(Tom)", r"no file 'bird\(Tom\)'; evidence is .* write \['bird\(Tom\)'\]"),
        ("unknown.db", "no file 'unknown.db'; evidence is a Database, the path of a file, or atoms"),
        (7, r"a int \(7\) was given; evidence is"),
        (None, "was given; evidence is"),
        ([("bird", "Tom")], "a tuple .* is among the atoms; evidence is"),
        ([BIRD, 1.5], "a float .* is among the atoms"),
        (BIRD, "a Atom .* was given"),
    ):
        with pytest.raises(DataError, match=said):
            Evidence.taken(given)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="<evidence>:1:"):
        Evidence.of(["bird(Tom"])
    with pytest.raises(DataError, match="one name where several constants"):
        Evidence.of([], "tom")
    with pytest.raises(DataError, match="replace"):
        Evidence.of([Atom(BIRD.predicate, (Variable("X"),))])


def test_what_is_denied_is_about_constants_of_the_domain() -> None:
    facts = Database.of([parse_atom("p(a)")])
    assert Evidence(facts, (parse_atom("q(b)"),)).facts.constants == ("a", "b")
    assert Evidence(facts, (parse_atom("q(a)"),)).facts.constants == ("a",)


def test_it_may_contradict_itself_and_says_so() -> None:
    assert Evidence.of(["bird(Tom)", "!bird(Tom)", "!bat(Tom)"]).contradictory == (BIRD,)

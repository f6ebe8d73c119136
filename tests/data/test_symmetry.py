"""Facts of relations that hold both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from command import run
from possilog.data import Database, with_mirrors
from possilog.errors import DataError
from possilog.logic import Atom
from strategies import databases


@given(databases())
def test_both_ways(database: Database) -> None:
    names = [predicate.name for predicate in database.predicates if predicate.arity == 2]
    mirrored = [Atom(atom.predicate, atom.arguments[::-1]) for atom in database if atom.predicate.arity == 2]
    assert with_mirrors(database, names) == Database.of([*database, *mirrored], constants=database.constants)
    assert with_mirrors(database, []) == database


def test_only_binary_predicates_with_facts() -> None:
    database = Database.of([Atom.ground("p", ["a"]), Atom.ground("r", ["a", "b"])])
    for name in ("p", "s", "R"):
        with pytest.raises(DataError, match=f"no facts of {name} with two arguments .* those with two are: r"):
            with_mirrors(database, [name])
    with pytest.raises(DataError, match="one name where several"):
        with_mirrors(database, "r")


def test_commands_that_read_facts_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("r(a, b)\ns(a, b)\n")
    asked = ("query", "facts.db", "r(X, Y), s(Y, X)", "--count", "--json")
    for options, count in (["--symmetric", "r"], 1), (["--symmetric", "r", "--symmetric", "s"], 2), ([], 0):
        assert json.loads(run(*asked, *options, cwd=tmp_path).stdout)["count"] == count

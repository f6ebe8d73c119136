"""What was read, in short, and a database file to read."""

from pathlib import Path

import duckdb

from possilog.data import Database

__all__ = ["facts", "facts_about", "make_duckdb", "types"]


def facts(database: Database) -> set[str]:
    return {str(fact) for fact in database}


def facts_about(database: Database, predicate: str) -> list[str]:
    return [str(fact) for fact in database if fact.predicate.name == predicate]


def types(database: Database) -> dict[str, tuple[str, ...]]:
    return {predicate.name: some for predicate, some in database.types.items()}


def make_duckdb(path: Path) -> None:
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE age(who VARCHAR, years INTEGER, tall DOUBLE, born DATE, well BOOLEAN)")
        connection.execute("INSERT INTO age VALUES ('ann', 7, 0.5, '2019-02-03', true), ('bob', NULL, 1, NULL, false)")
        connection.execute('CREATE SCHEMA other; CREATE TABLE other."say ""hi"""(x VARCHAR)')
        connection.execute("CREATE VIEW seen AS SELECT * FROM age")

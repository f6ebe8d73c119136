"""PostgreSQL, with a real server: the same facts as from files, one state, and no secret anywhere."""

from __future__ import annotations

import csv
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from command import run
from possilog import load, read, read_theory
from possilog.data import shop
from possilog.data.servers import conceal, open_server, shown
from possilog.data.writing.databases import Value, write_table
from possilog.errors import DataError, DataWarning, FileError, FormatError, PossilogError, RemoteError
from postgres_servers import PROGRAMS, WHY_NOT, Running, running

pytestmark = pytest.mark.skipif(not PROGRAMS, reason=WHY_NOT)

SHOP = {
    "suppliers": "supplier_id text PRIMARY KEY, country text, abroad boolean",
    "customers": "customer_id text PRIMARY KEY, name text, city text, business boolean, since date",
    "products": (
        "product_id text PRIMARY KEY, material text, colour text, weight numeric, fragile boolean, "
        "supplier text REFERENCES suppliers"
    ),
    "orders": (
        "order_id integer PRIMARY KEY, customer text REFERENCES customers, date date, total numeric(9, 2), "
        "free_shipping boolean, payment text"
    ),
    "order_lines": (
        'line_id text PRIMARY KEY, "order" integer REFERENCES orders, item text REFERENCES products, quantity integer, '
        "imported boolean"
    ),
    "reviews": (
        "review_id text PRIMARY KEY, product text REFERENCES products, author text REFERENCES customers, "
        "stars smallint, written date, text text"
    ),
}
"""Six tables with types and keys."""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def shop_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "shop"
    shop(0).save(folder)
    return folder


@pytest.fixture(scope="module")
def shop_there(server: Running, shop_files: Path) -> str:
    tables = {}
    for name, columns in SHOP.items():
        _, *rows = csv.reader((shop_files / f"{name}.csv").read_text().splitlines())
        tables[name] = columns, [[cell or None for cell in row] for row in rows]
    server.load("shop", tables)
    return server.address("shop")


@pytest.mark.slow
def test_a_shop_on_a_server_has_the_facts_of_its_files(shop_there: str, shop_files: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there, here = read(shop_there), read(shop_files)
    assert there == here
    assert there.mapping == here.mapping


@pytest.mark.slow
def test_it_is_learned_in_place_as_from_files_and_written_back(
    shop_there: str, shop_files: Path, server: Running, tmp_path: Path
) -> None:
    options = "--target", "fragile", "--width", "2", "--quiet"
    here, there = tmp_path / "here.pl", tmp_path / "there.pl"
    assert run("learn", str(shop_files), "-o", str(here), *options).returncode == 0
    place = shop_there.replace("/shop?", "/shop/learned?")
    finished = run("learn", shop_there, "-o", str(there), *options, "--write-to", place)
    assert finished.returncode == 0, finished.stderr
    assert rules_of(here) == rules_of(there) != []
    written = server.rows("SELECT rule FROM learned.rules", "shop")
    assert len(written) == sum(1 for _ in read_theory(there))
    again = run("learn", shop_there, "-o", str(there), *options, "--write-to", place)
    assert again.returncode == 2 and "there is a table rules already; give --force" in again.stderr


UNIVERSITY = {
    "people": "person text PRIMARY KEY, professor boolean, tenured boolean, funded boolean, abroad boolean",
    "groups": "team text PRIMARY KEY, led boolean",
    "courses": "course text PRIMARY KEY, offered boolean",
    "in_group": "member text REFERENCES people, team text REFERENCES groups",
    "supervises": "supervisor text REFERENCES people, student text REFERENCES people",
    "teaches": "lesson integer PRIMARY KEY, teacher text REFERENCES people, course text REFERENCES courses, term text",
}


def university_tables() -> dict[str, list[list[str]]]:
    """The university that is generated, as six tables: what people and courses are, and what they have to do."""
    facts: dict[str, list[list[str]]] = {}
    for atom in load("university"):
        facts.setdefault(atom.predicate.name, []).append([term.name for term in atom.arguments])
    ones = {name: {row[0] for row in rows} for name, rows in facts.items()}
    people = sorted(ones["professor"] | ones["student"] | {name for row in facts["supervises"] for name in row})
    people = sorted({*people, *ones["teaches"], *ones["inGroup"]})
    flags = [ones[name] for name in ("professor", "tenured", "funded", "abroad")]
    teams, led = sorted({row[1] for row in facts["inGroup"]}), {row[1] for row in facts["leads"]}
    courses = sorted({row[1] for row in facts["teaches"]})
    return {
        "people": [[name, *(str(name in flag).lower() for flag in flags)] for name in people],
        "groups": [[name, str(name in led).lower()] for name in teams],
        "courses": [[name, str(name in ones["offered"]).lower()] for name in courses],
        "in_group": facts["inGroup"],
        "supervises": facts["supervises"],
        "teaches": [[str(number), *row] for number, row in enumerate(facts["teaches"], 1)],
    }


@pytest.mark.slow
def test_a_university_of_six_tables_is_learned_in_place_as_from_files(server: Running, tmp_path: Path) -> None:
    tables, folder = university_tables(), tmp_path / "university"
    folder.mkdir()
    for name, rows in tables.items():
        header = [column.split()[0] for column in UNIVERSITY[name].split(", ")]
        with open(folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    server.load("university", {name: (columns, tables[name]) for name, columns in UNIVERSITY.items()})
    address = server.address("university")
    # Files declare no keys, so both are read as the server's tables declare them.
    mapping = tmp_path / "mapping.toml"
    assert run("schema", address, "--write", str(mapping)).returncode == 0
    found = []
    for number, source in enumerate((str(folder), address)):
        theory = tmp_path / f"{number}.pl"
        finished = run("learn", source, "-o", str(theory), "--mapping", str(mapping), "--quiet", "--width", "2")
        assert finished.returncode == 0, finished.stderr
        found.append(rules_of(theory))
    assert found[0] == found[1] and any("tenured" in line for line in found[0])


def test_a_column_that_becomes_nothing_is_not_fetched(server: Running, tmp_path: Path) -> None:
    """Who reads may not even look at it."""
    rows = [[f"p{n}", n % 3, "secret"] for n in range(9)]
    server.load("partly", {"people": ("name text PRIMARY KEY, floor integer, salary text", rows)})
    server.run("CREATE ROLE reader LOGIN", "GRANT SELECT (name, floor) ON people TO reader", database="partly")
    with pytest.raises(PossilogError, match="permission denied"):
        read(server.address("partly", user="reader"))
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPED)
    facts = read(server.address("partly", user="reader"), mapping=mapping)
    assert [str(predicate) for predicate in facts.predicates] == ["floor/2"] and len(facts) == 9


def test_a_file_is_not_asked_for_such_a_column_either(tmp_path: Path) -> None:
    path, mapping = tmp_path / "people.sqlite", tmp_path / "mapping.toml"
    mapping.write_text(MAPPED)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (name TEXT PRIMARY KEY, floor INTEGER, salary TEXT)")
        connection.execute("INSERT INTO people VALUES ('ann', 1, CAST(x'ff' AS TEXT)), ('bob', 2, CAST(x'fe' AS TEXT))")
        connection.commit()
    with pytest.raises(FormatError, match="cannot be read"):
        read(path)  # what is no text cannot be fetched
    assert len(read(path, mapping=mapping)) == 2


MAPPED = """
[tables."people"]
type = "people"
key = ["name"]
columns = [
    { column = "floor", becomes = "number", predicate = "floor", type = "floor" },
    { column = "salary", becomes = "left_out" },
]
"""


def rules_of(path: Path) -> list[str]:
    """A theory without what it says of where it is from."""
    return [line for line in path.read_text().splitlines() if not line.startswith("%")]


def test_one_state_is_read_whatever_others_write(server: Running) -> None:
    server.load("moving", {"one": ("a text", [["x"]]), "other": ("b text", [["x"]])})
    with open_server(server.address("moving")) as cursor:
        cursor.execute("SELECT count(*) FROM one")
        assert cursor.fetchall() == [(1,)]
        server.run("INSERT INTO other VALUES ('y')", database="moving")
        cursor.execute("SELECT count(*) FROM other")
        assert cursor.fetchall() == [(1,)]


def test_what_is_declared_and_odd_is_said(server: Running) -> None:
    server.run("CREATE DATABASE odd")
    server.run(
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE TABLE people (id uuid PRIMARY KEY, feels mood, place point, seen timestamptz, tags text[], j jsonb)",
        "INSERT INTO people SELECT gen_random_uuid(), CASE n % 2 WHEN 0 THEN 'sad' ELSE 'glad' END::mood, '(1,2)', "
        "'2024-05-06 07:08:09+00', '{a}', '{}' "
        "FROM generate_series(1, 30) n",
        "CREATE VIEW happy AS SELECT * FROM people",
        "CREATE SCHEMA attic",
        "CREATE TABLE attic.boxes (id integer PRIMARY KEY, colour text, owner uuid REFERENCES people)",
        "INSERT INTO attic.boxes SELECT n, (ARRAY['red', 'blue'])[1 + n % 2], NULL FROM generate_series(1, 15) n",
        database="odd",
    )
    with pytest.warns(DataWarning) as told:
        found = read(server.address("odd"))
    said = " ".join(str(warning.message) for warning in told)
    assert "3 columns are left out, since values of their types are no single things, first place (point)" in said
    assert "view is left out, first happy" in said
    assert {"feels", "colour"} <= {predicate.name for predicate in found.predicates}
    assert found.mapping is not None and {table.name for table in found.mapping.tables} == {"people", "attic.boxes"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attic = read(server.address("odd").replace("/odd?", "/odd/attic?"))
    assert attic.mapping is not None and [table.name for table in attic.mapping.tables] == ["boxes"]
    with pytest.raises(DataError, match="there are no tables in the schema cellar; check its name"):
        read(server.address("odd").replace("/odd?", "/odd/cellar?"))


SECRET = "hunter2%20"


def test_no_secret_is_ever_shown(server: Running, tmp_path: Path) -> None:
    server.run("CREATE ROLE guarded LOGIN PASSWORD 'hunter2 '", "CREATE DATABASE known")
    server.run(
        "CREATE TABLE likes (a text, b text)",
        "INSERT INTO likes SELECT 'p' || n, 'p' || (n + 1) FROM generate_series(1, 9) n",
        "GRANT SELECT ON likes TO guarded",
        database="known",
    )
    wrong, right = server.address("known", "guarded", "hunter3"), server.address("known", "guarded", SECRET)
    refused = run("schema", wrong)
    assert refused.returncode == 2 and "check the address, the name and the password" in refused.stderr
    assert "hunter" not in refused.stderr + refused.stdout
    theory = tmp_path / "theory.pl"
    work = tmp_path / "work"
    learned = run("learn", right, "-o", str(theory), "--work", str(work))
    assert learned.returncode == 0, learned.stderr
    kept = "".join(path.read_text() for path in (theory, *work.iterdir()))
    assert "known" in kept and "hunter" not in kept + learned.stdout + learned.stderr
    assert run("schema", right + "&nonsense=1").stderr.count("hunter") == 0
    assert conceal(right) == shown(right) == server.address("known", "guarded")
    assert len(read(conceal(right))) == 9


def test_what_the_server_refuses_is_a_sentence(server: Running, tmp_path: Path) -> None:
    for address, said in [
        (server.address("nowhere"), 'database "nowhere" does not exist; check the address, the name'),
        ("postgresql://ann@127.0.0.1:1/shop", "Connection refused"),
        (server.address(user="stranger"), 'role "stranger" does not exist'),
    ]:
        finished = run("learn", address, "-o", str(tmp_path / "theory.pl"))
        assert finished.returncode == 2 and said in finished.stderr, finished.stderr
        assert finished.stderr.count("\n") == 1 and not (tmp_path / "theory.pl").exists()


def test_a_locked_table_and_a_lost_connection_are_sentences(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("possilog.data.servers._LOCKED", 1)
    server.load("busy", {"likes": ("a text, b text", [["x", "y"]])})
    with server.connected("busy") as cursor:
        cursor.execute("BEGIN")
        cursor.execute("LOCK TABLE likes IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(RemoteError, match=r"lock timeout; somebody has locked a table for .* try again later"):
            read(server.address("busy"))
        cursor.execute("COMMIT")
    with pytest.raises(RemoteError, match=r"postgresql://postgres@/busy.*; "):
        ask_while_it_is_ended(server)


def ask_while_it_is_ended(server: Running) -> None:
    with open_server(server.address("busy")) as lost:
        server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'busy'")
        lost.execute("SELECT * FROM likes")
        lost.fetchall()


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
def test_tables_are_written_whole_or_not_at_all(kind: str, server: Running, tmp_path: Path) -> None:
    if kind == "postgresql":
        server.run(f"CREATE DATABASE {kind}")
    place = server.address(f"{kind}/results") if kind == "postgresql" else f"{kind}:{tmp_path / 'results'}"
    columns = {"name": str, "number": int, "share": float, "yes": bool}
    rows: list[list[Value]] = [["O'Brien; DROP TABLE x", 3, 0.5, True], [None, None, None, False]]
    write_table(place, "found", columns, rows)
    assert contents(kind, place) == [tuple(row) for row in rows]
    with pytest.raises(FileError, match="there is a table found already; give --force to replace it"):
        write_table(place, "found", columns, rows)
    with pytest.raises(PossilogError):
        write_table(place, "found", columns, [["x"], [1, 2, 3, 4, 5]], force=True)
    assert contents(kind, place) == [tuple(row) for row in rows]
    write_table(place, "found", columns, rows[:1], force=True)
    assert contents(kind, place) == [tuple(rows[0])]


def contents(kind: str, place: str) -> list[tuple[Value, ...]]:
    """What a database has in the table."""
    if kind == "postgresql":
        with open_server(place) as cursor:
            cursor.execute("SELECT * FROM results.found")
            found: list[tuple[Value, ...]] = cursor.fetchall()
            return found
    path = place.partition(":")[2]
    if kind == "duckdb":
        import duckdb

        with duckdb.connect(path, read_only=True) as connection:
            return connection.execute("SELECT * FROM found").fetchall()
    with closing(sqlite3.connect(path)) as file:
        return [(*row[:3], bool(row[3])) for row in file.execute("SELECT * FROM found")]


def test_where_nothing_can_be_written_it_is_said_first(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="results: this is no database; name one like postgresql://"):
        write_table("results", "found", {"a": str}, [])
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(FormatError, match="the table cannot be written"):
        write_table(f"duckdb:{tmp_path / 'text.duckdb'}", "found", {"a": str}, [])

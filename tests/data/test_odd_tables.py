"""Tables as people have them: odd numbers, dates, keys and files are used, or refused in one sentence."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from possilog.data import Database, from_frames, read
from possilog.data.tables.cells import MISSING, as_codes, as_date, as_number, as_yes, unless_missing
from possilog.data.tables.columns import look_at
from possilog.data.tables.files import mapping_text, parse_mapping
from possilog.data.tables.keys import _is_called_like
from possilog.data.tables.table import TableColumn
from possilog.data.typing import typed_facts
from possilog.errors import DataError, DataWarning, FormatError
from possilog.logic import Atom, Declared, Predicate


def table(folder: Path, header: str, rows: list[str], name: str = "things.csv", mark: str = ",") -> Path:
    folder.mkdir(exist_ok=True)
    lines = [header, *rows]
    (folder / name).write_text("".join(line.replace(",", mark) + "\n" for line in lines), encoding="utf-8")
    return folder


def becomes(database: Database) -> dict[str, str]:
    assert database.mapping is not None
    return {c.name: str(c.becomes) for t in database.mapping.tables for c in t.columns if c.becomes.value != "weekday"}


def facts(database: Database, name: str) -> set[str]:
    return {str(fact) for fact in database if fact.predicate.name == name}


def test_decimal_commas_thousands_and_signs_are_numbers(tmp_path: Path) -> None:
    rows = [f"{n}|{n},5|1{n},000|€ {n}.50|{n} %" for n in range(1, 10)]
    database = read(table(tmp_path / "a", "id|comma|grouped|price|share", rows))
    assert becomes(database) == {
        "comma": "number_comma",
        "grouped": "number",
        "price": "number",
        "share": "number",
    }
    assert {"comma(3, 3.5)"} <= facts(database, "comma") and {"price(3, 3.5)"} <= facts(database, "price")
    assert {"grouped(3, 13000)"} <= facts(database, "grouped") and {"share(3, 3)"} <= facts(database, "share")
    assert database.mapping is not None
    assert parse_mapping(mapping_text(database.mapping)).used == database.mapping.used
    assert any("11,000 is read as 11000" in column.note for column in database.mapping.tables[0].columns)


def test_a_mapping_knows_the_header_of_a_table(tmp_path: Path) -> None:
    mapping = read(table(tmp_path / "a", "id,kind,size", [f"t{n},{'xy'[n % 2]},{n}" for n in range(9)])).mapping
    # One thing is called like a column, so that the file alone would show that its first line is a fact.
    again = read(table(tmp_path / "b", "id,kind,size", ["t1,x,", "kind,y,"]), mapping=mapping)
    assert facts(again, "kind") == {"kind(t1, x)", "kind(kind, y)"}


LINES = [f"{100 + n // 3},{n % 3 + 1},{'abc'[n % 2]},{n % 5}" for n in range(30)]


def keys(database: Database) -> dict[str, tuple[str, ...]]:
    assert database.mapping is not None
    return {each.name: each.key for each in database.mapping.tables}


def test_columns_that_tell_rows_apart_together_are_a_key(tmp_path: Path) -> None:
    lines = read(table(tmp_path / "a", "order_id,line,kind,amount", LINES, "lines.csv"))
    assert keys(lines) == {"lines": ("order_id", "line")}
    assert 'kind("101/2", a)' in facts(lines, "kind") and 'line("101/2", 2)' in facts(lines, "line")
    days = [f"{place},2024-03-{day:02},{day % 7}" for place in ("Bonn", "Lyon", "Rome") for day in range(1, 15)]
    assert keys(read(table(tmp_path / "b", "place,day,rain", days))) == {"things": ("place", "day")}
    taken = [f"{one},c{other},{'ABC'[one % 3]}" for one in range(12) for other in range(4) if one % 4 != other]
    assert keys(read(table(tmp_path / "c", "student_id,course_id,grade", taken))) == {
        "things": ("student_id", "course_id")
    }


@pytest.mark.parametrize("header", ["carrier,flight,day,gate", "day,compagnie,vol,porte", "Tag,Linie,Zug,Gleis"])
def test_a_code_may_be_part_of_a_key(header: str, tmp_path: Path) -> None:
    """Neither carrier and flight nor any other two of them are enough, since one day in eight is left out."""
    names = header.split(",")
    first = names[0] in ("day", "Tag")
    flown = [(f"{'ABC'[n % 3]}F", str(100 + 7 * n), day) for n in range(12) for day in range(1, 31) if (n + day) % 8]
    rows = [[str(day), name, code] if first else [name, code, str(day)] for name, code, day in flown]
    lines = [",".join([*row, "xyz"[number % 3]]) for number, row in enumerate(rows)]
    table(tmp_path, f"{names[1] if first else names[0]},land", ["AF,x", "BF,y", "CF,x"], "names.csv")
    assert len(keys(read(table(tmp_path, header, lines, "rows.csv")))["rows"]) >= 2


def test_a_column_that_others_refer_to_is_the_key(tmp_path: Path) -> None:
    wards = [f"Station {n} Haus {n % 3},{short},{n * 3}" for n, short in enumerate(["INT", "CHI", "ITS", "NEU"])]
    table(tmp_path, "Bezeichnung,Kürzel,Betten", wards, "stationen.csv")
    stays = [f"{n + 100},{['INT', 'CHI', 'ITS', 'NEU'][n % 4]},{n % 7}" for n in range(40)]
    database = read(table(tmp_path, "Fall,Station,Dauer", stays, "faelle.csv"))
    assert keys(database) == {"stationen": ("Kürzel",), "faelle": ("Fall",)}
    assert database.types[Predicate("Station", 2)] == ("faelle", "stationen")


def test_atoms_are_told_apart_by_what_bonds_name(tmp_path: Path) -> None:
    atoms = [f"d{n // 4},d{n // 4}_{n % 4},{'cn'[n % 2]},{n % 7}" for n in range(40)]
    table(tmp_path, "mol,atom,element,charge", atoms, "atm.csv")
    bonds = [f"d{n // 3},d{n // 3}_{n % 3},d{n // 3}_{n % 3 + 1},{n % 2 + 1}" for n in range(30)]
    database = read(table(tmp_path, "mol,a1,a2,order", bonds, "bond.csv"))
    assert keys(database)["atm"] == ("atom",)
    assert [database.types[Predicate(name, 2)] for name in ("a1", "a2")] == [("bond", "atm")] * 2


def test_what_is_counted_is_no_key(tmp_path: Path) -> None:
    table(tmp_path, "aid,nation", [f"{n},{'ab'[n % 2]}" for n in range(1, 31)], "authors.csv")
    loans = [f"{n + 500},{n % 30 + 1},{n % 30 + 1},{n % 30 + 1}" for n in range(90)]
    database = read(table(tmp_path, "loan_id,days,writer,aid_of_other", loans, "loans.csv"))
    assert database.types[Predicate("days", 2)][1] == "days"
    assert database.types[Predicate("writer", 2)][1] == "authors", "what is called like nothing may be a key"


def test_where_references_are_declared_no_number_is_taken_for_one(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "loans.sqlite")
    connection.executescript(
        "CREATE TABLE author (aid INTEGER PRIMARY KEY, nation TEXT);"
        "CREATE TABLE loan (id INTEGER PRIMARY KEY, wrote INTEGER REFERENCES author, shelf INTEGER, boss_id INTEGER);"
    )
    connection.executemany("INSERT INTO author VALUES (?, ?)", [(n, "ab"[n % 2]) for n in range(1, 31)])
    loans = [(n + 500, n % 30 + 1, n % 29 + 1, None) for n in range(90)]
    connection.executemany("INSERT INTO loan VALUES (?, ?, ?, ?)", loans)
    connection.commit()
    connection.close()
    types = read(tmp_path / "loans.sqlite").types
    assert (types[Predicate("wrote", 2)][1], types[Predicate("shelf", 2)][1]) == ("author", "shelf")


@pytest.mark.parametrize(
    ("table_name", "key", "column"),
    [("departments", "dept_no", "dept"), ("departments", "id", "dept_id"), ("customers", "id", "cust_id")],
)
def test_short_names_refer_to_a_table(table_name: str, key: str, column: str, tmp_path: Path) -> None:
    table(tmp_path, f"{key},site", [f"{n}0,{'ab'[n % 2]}" for n in range(1, 9)], f"{table_name}.csv")
    staff = [f"{n + 100},{(n % 3 + 1) * 10},{100 + n // 4},{n % 5}" for n in range(60)]
    database = read(table(tmp_path, f"emp,{column},manager,grade", staff, "employees.csv"))
    assert database.types[Predicate(column, 2)][1] == table_name
    assert database.types[Predicate("manager", 2)] == ("employees", "employees")


def test_what_tells_rows_apart_by_chance_is_no_key(tmp_path: Path) -> None:
    rows = [f"c{n % 9},{n * 37 % 97},{n % 4}" for n in range(30)]  # numbers that count nothing
    twice = [*LINES, LINES[0]]
    sparse = [f"{n % 29},c{n % 23},{n % 4}" for n in range(30)]  # so many pairs that all are different anyway
    for number, (header, some) in enumerate(
        [("customer_id,amount,rank", rows), ("order_id,line,kind,amount", twice), ("one_id,other_id,rank", sparse)]
    ):
        assert keys(read(table(tmp_path / str(number), header, some))) == {"things": ()}


def test_a_row_of_which_a_part_of_the_key_is_empty_is_not_lost(tmp_path: Path) -> None:
    mapping = read(table(tmp_path / "a", "order_id,line,kind,amount", LINES)).mapping
    hidden = read(table(tmp_path / "b", "order_id,line,kind,amount", ["7,1,a,3", "7,,b,4"]), mapping=mapping)
    assert facts(hidden, "kind") == {'kind("7/1", a)', "kind(things_2, b)"}


def test_rows_with_the_key_of_another_row_are_counted(tmp_path: Path) -> None:
    mapping = read(table(tmp_path / "a", "order_id,line,kind,amount", LINES)).mapping
    rows = ["7,1,a,3", "7,2,b,4", "7,1,b,5", "7,1,a,5"]
    told = r"2 rows have the key \(order_id, line\) of another row"
    with pytest.warns(DataWarning, match="given again"), pytest.warns(DataWarning, match=told):
        read(table(tmp_path / "b", "order_id,line,kind,amount", rows), mapping=mapping)


def test_small_numbers_refer_to_no_table_that_is_called_otherwise(tmp_path: Path) -> None:
    table(tmp_path / "a", "order_id,city", [f"{n},c{n % 3}" for n in range(1, 91)], "orders.csv")
    rows = [f"{n % 20 + 1},{n % 4},{'AB'[n % 2]}" for n in range(60)]
    database = read(table(tmp_path / "a", "student_id,term,grade", rows, "grades.csv"))
    assert database.types[Predicate("student_id", 2)][1] == "student_id"
    assert "student_id" not in database.numbers, "that a number names somebody is not that it is large"


def test_two_currencies_are_no_numbers(tmp_path: Path) -> None:
    rows = [f"{n},{'€$'[n % 2]}{n % 4}" for n in range(20)]
    assert (
        becomes(read(table(tmp_path / "a", "id,price,x", [f"{row},{n % 3}" for n, row in enumerate(rows)])))["price"]
        == "value"
    )


@pytest.mark.parametrize("words", ["yes no", "Y N", "TRUE FALSE", "ja nein", "oui non", "1 0", "t f", "on off"])
def test_yes_and_no_in_many_spellings(words: str, tmp_path: Path) -> None:
    yes, no = words.split()
    database = read(table(tmp_path / "a", "id,kind,ok", [f"{n},k{n % 3},{yes if n % 2 else no}" for n in range(12)]))
    assert becomes(database)["ok"] == "yes"
    assert len(facts(database, "ok")) == 6 and len(database.denied) == 6


def test_dates_in_three_formats_are_one_column(tmp_path: Path) -> None:
    forms = ("2020-01-{:02}", "{:02}.01.2020", "01/{:02}/2020")
    rows = [f"{n},{forms[n % 3].format(n + 1)},{n % 4}" for n in range(28)]
    database = read(table(tmp_path / "a", "id,day,x", rows))
    assert becomes(database)["day"] == "date_mdy"
    assert facts(database, "day") == {f"day({n}, 2020-01-{n + 1:02})" for n in range(28)}


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_every_usual_separator(mark: str, tmp_path: Path) -> None:
    database = read(table(tmp_path / "a", "id,x,kind", [f"{n},{n % 3},k{n % 2}" for n in range(20)], mark=mark))
    assert len(facts(database, "x")) == 20


def test_a_column_without_a_name_gets_one(tmp_path: Path) -> None:
    database = read(table(tmp_path / "a", ",x,kind", [f"{n},{n % 3},k{n % 2}" for n in range(20)]))
    assert database.mapping is not None and database.mapping.tables[0].key == ("column_1",)


def test_whole_numbers_are_keys_under_another_name(tmp_path: Path) -> None:
    table(tmp_path / "a", "id,city", [f"{n},c{n % 3}" for n in range(1, 41)], "members.csv")
    loans = [f"{900 + n},{n % 40 + 1},{n % 7},{n % 40 + 1}" for n in range(120)]
    database = read(table(tmp_path / "a", "loan_no,borrower,quantity,person_id", loans, "loans.csv"))
    assert becomes(database)["borrower"] == becomes(database)["person_id"] == "reference"
    assert becomes(database)["quantity"] == "number"


def test_a_key_that_points_nowhere_is_no_reference(tmp_path: Path) -> None:
    table(tmp_path / "a", "id,z,q", [f"X{n},g{n % 2},{n % 3}" for n in range(21)], "b.csv")
    database = read(table(tmp_path / "a", "id,b,y", [f"{n},B{n % 20},k{n % 2}" for n in range(100)], "a.csv"))
    assert becomes(database)["b"] == "value"
    assert database.mapping is not None
    notes = [column.note for each in database.mapping.tables for column in each.columns if column.name == "b"]
    assert notes == ["0 of 20 values are keys of b, so it does not refer to it"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"id,x,x\n1,2,3\n", "two columns are called 'x'"),
        (b"id,x,y\n1,2,3\n2,3\n", "2 cells, but 3"),
        ("id,x,y\n1,ò,3\n".encode("latin-1"), "is not utf-8"),
        (b'id,x,y\n1,"2,3\n', "quote"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(text: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(text)
    with pytest.raises(DataError, match=said):
        read(tmp_path / "a.csv")


def test_an_empty_file_and_a_lone_header_are_remarked(tmp_path: Path) -> None:
    table(tmp_path / "a", "id,x,kind", [f"{n},{n % 3},k{n % 2}" for n in range(20)])
    (tmp_path / "a" / "nothing.csv").write_bytes(b"")
    (tmp_path / "a" / "header.csv").write_bytes(b"id,x,kind\n")
    with pytest.warns(DataWarning, match="no facts in") as found:
        assert len(read(tmp_path / "a")) == 40
    assert len(found) == 2


def test_a_relation_without_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n")
    (tmp_path / "mapping.toml").write_text('[tables.t]\nrelation = "r"\n')
    with pytest.raises(DataError, match="the relation r has no columns; give it some in the mapping"):
        read(tmp_path / "t.csv", mapping=tmp_path / "mapping.toml")


def test_an_index_with_a_name_is_a_column() -> None:
    """It is often the key; one that has no name only numbers the rows."""
    people = pd.DataFrame({"id": [f"p{n}" for n in range(9)], "city": ["Rome", "Oslo", "Bonn"] * 3, "age": range(9)})
    assert from_frames({"people": people.set_index("id")}) == from_frames({"people": people})
    assert from_frames({"people": people.set_index(["id", "city"])}) == from_frames({"people": people})
    likes = people[["id", "city"]]
    assert len(from_frames({"likes": likes.set_index("id")})) == len(from_frames({"likes": likes})) == 9
    assert from_frames({"likes": likes[3:]}).argument_names(Predicate("likes", 2)) == ("id", "city")


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
            "names of several levels",
        ),
        (pd.DataFrame({"a": [1], "b": [2]}, index=pd.Index(["x"], name="a")), "index of the frame odd is called like"),
    ],
)
def test_frames_whose_columns_cannot_be_told(frame: pd.DataFrame, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        from_frames({"odd": frame})


def test_facts_whose_types_are_known_are_taken_as_they_are() -> None:
    """Nothing is built again where nothing is declared, or every constant has its type."""
    plain = Database.of([Atom.ground("likes", ["a", "b"])])
    assert typed_facts(plain, Declared({})) is plain
    table = from_frames({"people": pd.DataFrame({"id": list("abc"), "city": ["Rome"] * 3, "age": [1, 2, 2]})})
    assert typed_facts(table, table.declared) is table
    declared = Declared({Predicate("likes", 2): ("person", "person")})
    assert typed_facts(plain, declared) is not plain


def test_cells_by_definition() -> None:
    assert unless_missing(list(MISSING)) == [None] * len(MISSING)
    assert [as_yes(word) for word in ("YES", "no", "T", "0", "other")] == [True, False, True, False, None]
    assert as_number("007") is None and as_number("0.07") == "0.07" and as_number("0") == "0"
    assert as_codes(["7.0", "8"]) == ["7", "8"]
    assert as_date("2013-02-30") is None and as_date("2013-01-01T10:00:00Z") == "2013-01-01T10:00"
    assert as_date("2013-01-01 23:30:00+02:00") == "2013-01-01T21:30" and as_date("2013-01-01 10:00:05") is not None


def test_na_is_a_country_among_many_unless_words_are_given() -> None:
    codes = [f"{one}{other}" for one in "ABCDE" for other in "GHIJ"]
    assert unless_missing([*codes, "NA"])[-1] == "NA"
    assert unless_missing([*codes[:-1], "NA"])[-1] is None
    assert unless_missing([*codes[:-1], "abc", "NA"])[-1] is None
    assert unless_missing([*codes, "NA"], ["NA"])[-1] is None
    assert unless_missing([*codes, "NA", "-"], ["-"])[-2:] == ["NA", None]


@pytest.mark.parametrize(("words", "becomes"), [(0, "number"), (1, "number"), (2, "value")])
def test_a_column_is_of_numbers_if_19_of_20_cells_are(words: int, becomes: str) -> None:
    cells = [str(number % 7 + 0.5) for number in range(20 - words)] + ["few"] * words
    look = look_at(TableColumn.of("size", cells))
    assert look.becomes.value == becomes
    assert ("mixed: 90% of the cells are numbers" in look.note) == (words == 2)
    assert ("1 cells are no numbers" in look.note) == (words == 1)


@pytest.mark.parametrize(("numbers", "told"), [(0, False), (1, False), (2, True)])
def test_numbers_among_words_are_told_of_if_they_are_more_than_a_few(numbers: int, told: bool) -> None:
    cells = ["few", "some", "many", "most"] * 5
    look = look_at(TableColumn.of("size", [*cells[numbers:], *["4"] * numbers]))
    assert look.becomes.value == "value" and ("numbers and words are mixed" in look.note) == told


def test_a_column_is_called_like_a_table_by_its_key() -> None:
    assert _is_called_like("team_no", "clubs", "team_no") and _is_called_like("TeamNo", "clubs", "team_no")
    assert not _is_called_like("id", "clubs", "id") and not _is_called_like("town", "clubs", "team_no")

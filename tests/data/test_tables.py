"""Tables become predicates: keys, what refers to them, cells that say nothing, numbers, dates, yes and no."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from looking import facts_about, types
from possilog import Reasoner
from possilog.data import Database, Evidence, from_frames, read, read_evidence, read_mapping, write_mapping
from possilog.data.tables.files import mapping_text, parse_mapping
from possilog.data.tables.report import _comparable, mapping_lines, shared_types
from possilog.data.typing import typed_facts
from possilog.errors import DataError, DataWarning, PossilogError
from possilog.logic import Becomes, Predicate, parse_atom, parse_theory
from possilog.logic.spelling import plain, type_of

CUSTOMERS = "id,city,gold,since\n1,Porto,yes,2020-01-05\n2,Lyon,no,2021-03-01\n3,Lyon,,2021-03-02\n"
ORDERS = "order_id,customer,total,paid\n1,1,10.0,1\n2,1,7.50,0\n3,2,NA,1\n4,3,10,1\n"

Save = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write(files: Mapping[str, str]) -> Path:
        folder = tmp_path / "tables"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        return folder

    return write


def quietly(*arguments: object, **named: object) -> Database:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read(*arguments, **named)  # type: ignore[arg-type]


def notes(database: Database) -> dict[str, str]:
    assert database.mapping is not None
    return {f"{table.name}.{c.name}": c.note for table in database.mapping.tables for c in table.columns if c.note}


# From tables to predicates


def test_rows_with_keys_become_a_predicate_for_each_column(save: Save) -> None:
    database = read(save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS}))
    assert facts_about(database, "city") == ['city(1, "Porto")', 'city(2, "Lyon")', 'city(3, "Lyon")']
    assert facts_about(database, "customer") == ["customer(1, 1)", "customer(2, 1)", "customer(3, 2)", "customer(4, 3)"]
    assert facts_about(database, "total") == ["total(1, 10)", "total(2, 7.5)", "total(4, 10)"]
    assert facts_about(database, "gold") == ["gold(1)"]
    assert facts_about(database, "paid") == [
        "paid(1)",
        "paid(3)",
        "paid(4)",
    ]
    assert [str(atom) for atom in database.denied] == ["gold(2)", "paid(2)"]
    assert facts_about(database, "since_weekday") == [
        f"since_weekday({n}, {d})" for n, d in ((1, "sunday"), (2, "monday"), (3, "tuesday"))
    ]
    assert types(database)["customer"] == ("orders", "customers") and types(database)["gold"] == ("customers",)
    assert database.numbers == {"total", "since", "since_year", "since_month"}


def test_customer_1_and_order_1_are_different_things(save: Save) -> None:
    database = read(save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS}))
    ones = [type_of(name) for name in database.constants if plain(name) == "1"]
    assert ones == ["customers", "orders", "since_month"]


def test_tables_without_a_key_are_numbered_by_rows(save: Save) -> None:
    folder = save({"visits.csv": "who,where,long\nann,rome,3\nann,rome,3\nbob,rome,4\n"})
    database = read(folder)
    assert facts_about(database, "who") == ["who(visits_1, ann)", "who(visits_2, ann)", "who(visits_3, bob)"]
    assert read(folder) == database


def test_a_table_of_two_references_is_a_relation(save: Save) -> None:
    countries = "code,region,area\n" + "".join(f"{c},r{n % 3},{n}.5\n" for n, c in enumerate("ABCDEF"))
    folder = save({"countries.csv": countries, "borders.csv": "one,other\nA,B\nB,A\nC,D\n"})
    database = quietly(folder)
    assert facts_about(database, "borders") == ['borders("A", "B")', 'borders("B", "A")', 'borders("C", "D")']
    assert types(database)["borders"] == ("countries", "countries")
    (folder / "borders.csv").write_text("one,other,since\nA,B,1\nA,C,2\nC,D,2\nB,A,2\n")
    database = quietly(folder)
    assert types(database)["one"] == ("borders", "countries")
    assert facts_about(database, "since") == [
        "since(borders_1, 1)",
        "since(borders_2, 2)",
        "since(borders_3, 2)",
        "since(borders_4, 2)",
    ]


def test_a_pair_of_names_that_refer_to_nothing_is_a_relation_too(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS, "likes.csv": "who,whom\nann,bob\nbob,ann\nann,eve\n"})
    database = quietly(folder)
    assert len(facts_about(database, "likes")) == 3 and types(database)["likes"] == ("who", "who")


def test_a_table_that_extends_another_is_about_the_same_things(save: Save) -> None:
    more = "customer_id,phone\n1,yes\n2,no\n"
    database = read(save({"customers.csv": CUSTOMERS, "extra.csv": more, "orders.csv": ORDERS}))
    assert types(database)["phone"] == ("customers",)


def test_a_column_may_refer_to_its_own_table(save: Save) -> None:
    staff = "id,manager_id,pay\n1,,5\n2,1,4\n3,1,4\n4,2,3\n5,3,2\n"
    assert types(read(save({"staff.csv": staff})))["manager_id"] == ("staff", "staff")
    people = "who,boss,pay\nann,,5\nbob,ann,4\neve,bob,4\njoe,eve,3\n"
    (save({}) / "staff.csv").write_text(people)
    assert types(read(save({})))["boss"] == ("staff", "staff")


def test_small_numbers_refer_to_a_table_only_by_name(save: Save) -> None:
    scores = "score_id,points,customer\n1,3,2\n2,1,2\n3,2,1\n"
    database = read(save({"customers.csv": CUSTOMERS, "scores.csv": scores}))
    assert types(database)["points"] == ("scores", "points")
    assert types(database)["customer"] == ("scores", "customers")


def test_references_of_another_name_are_found_by_their_values(save: Save) -> None:
    airports = "faa,alt\n" + "".join(
        f"{a}{b}{c},{n}\n" for n, (a, b, c) in enumerate(zip("ABCDEF", "GHIJKL", "MNOPQR", strict=True))
    )
    flights = "delay,origin,dest\n3,AGM,BHN\n4,CIO,AGM\n3,CIO,DJP\n5,BHN,AGM\n"
    database = read(save({"airports.csv": airports, "flights.csv": flights}))
    assert types(database)["dest"] == types(database)["origin"] == ("flights", "airports")


def test_columns_of_one_name_in_two_tables_are_told_apart(save: Save) -> None:
    planes = "tail,year\nN1,1999\nN2,2001\nN3,1999\n"
    flights = "flight_id,tail,year,hour\n1,N1,2013,3\n2,N2,2014,4\n3,N3,2013,5\n"
    database = read(save({"planes.csv": planes, "flights.csv": flights}))
    assert types(database)["year"] == ("flights", "year")
    assert types(database)["planes_year"] == ("planes", "planes_year")


def test_the_same_numbers_are_one_number_and_codes_stay(save: Save) -> None:
    text = "id,size,zip\na,3,01234\nb,3.0,1234\nc,3.00,01234\nd,2.50,1234\ne,-0,01234\n"
    database = read(save({"t.csv": text}))
    assert facts_about(database, "size") == ["size(a, 3)", "size(b, 3)", "size(c, 3)", "size(d, 2.5)", "size(e, 0)"]
    assert facts_about(database, "zip")[:2] == ["zip(a, 01234)", "zip(b, 1234)"]


def test_references_of_floats_are_those_of_whole_numbers(save: Save) -> None:
    database = read(
        save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS.replace(",1,1", ",1.0,1").replace("2,1,", "2,,")})
    )
    assert types(database)["customer"] == ("orders", "customers")
    assert facts_about(database, "customer") == ["customer(1, 1)", "customer(3, 2)", "customer(4, 3)"]


def test_missing_words(save: Save) -> None:
    cells = ["", "NA", "NULL", "nan", "N/A", "?", "-", "none", "x", "x"]
    text = "id,a\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(cells, 1))
    folder = save({"customers.csv": CUSTOMERS, "t.csv": text})
    assert facts_about(quietly(folder), "a") == ["a(10, x)", "a(8, none)", "a(9, x)"]
    asked = quietly(folder, missing=["none"])
    assert len(facts_about(asked, "a")) == 8
    assert asked.mapping is not None and asked.mapping.missing == ("none",)


def test_namibia_is_a_country(save: Save) -> None:
    codes = [f"{a}{b}" for a in "ABCDE" for b in "GHIJK"]
    text = "code,region,area\n" + "".join(f"{code},r{n % 4},{n % 7}\n" for n, code in enumerate([*codes, "NA"]))
    database = quietly(save({"countries.csv": text}))
    assert 'region("NA", r1)' in facts_about(database, "region")


@pytest.mark.parametrize(
    ("cells", "becomes"),
    [
        (["2013-01-05", "05.02.2013", "March 3, 2013", "2013/4/5 10:30"], Becomes.DATE),
        (["13/1/2013", "2/3/2013"], Becomes.DATE_DMY),
        (["1/13/2013", "2/3/2013"], Becomes.DATE_MDY),
        (["1/2/2013", "2/3/2013"], Becomes.LEFT_OUT),
        (["13/1/2013", "1/13/2013"], Becomes.LEFT_OUT),
    ],
)
def test_dates(save: Save, cells: list[str], becomes: Becomes) -> None:
    rows = "".join(f'{n},"{cell}",{n}\n' for n, cell in enumerate(cells * 3))
    database = quietly(save({"t.csv": f"id,day,size\n{rows}"}))
    assert database.mapping is not None
    assert next(c for c in database.mapping.tables[0].columns if c.name == "day").becomes is becomes
    if becomes is Becomes.LEFT_OUT:
        assert "day first" in notes(database)["t.day"] and not facts_about(database, "day")
    else:
        assert len(facts_about(database, "day")) == 3 * len(cells)


def test_left_out_with_reasons(save: Save) -> None:
    rows = "".join(
        f"{n},K{n:03}x,{n * 7},one and only,,This is text that people read number {n},{n % 3}\n" for n in range(30)
    )
    database = quietly(save({"t.csv": f"id,label,serial_no,same,empty,remark,kind\n{rows}"}))
    assert notes(database) == {
        "t.label": "like an identifier: 30 of 30 values are different",
        "t.serial_no": "like an identifier: 30 of 30 values are different",
        "t.same": "every row has the same value, one and only",
        "t.empty": "every cell is empty",
        "t.remark": "text to be read: most of its values are long and different",
    }
    assert [predicate.name for predicate in database.predicates] == ["kind"]


# What stays as it was


@pytest.mark.parametrize(
    "files",
    [
        {"likes.csv": "who,whom\nann,bob\n", "age.csv": "who,years\nann,3\nbob,4\n"},
        {"p.csv": "1,2,3\n4,5,6\n"},
        {"p.csv": "argument1,argument2,argument3\na,b,c\n"},
    ],
)
def test_facts_are_facts_as_ever(save: Save, files: Mapping[str, str]) -> None:
    database = quietly(save(files))
    assert database.mapping is None and not database.types
    assert {predicate.name for predicate in database.predicates} == {name.removesuffix(".csv") for name in files}


def test_as_is_keeps_one_predicate_for_each_table(save: Save) -> None:
    database = quietly(save({"customers.csv": CUSTOMERS}), as_is=True)
    assert database.mapping is None
    assert facts_about(database, "customers")[0] == 'customers(1, "Porto", yes, 2020-01-05)'


def test_facts_beside_tables_are_about_the_same_things(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS, "more.db": "likes(2, 3)\n!gold(3)\ncity(9, Rome)\n"})
    database = read(folder)
    assert [str(atom) for atom in database.denied] == ["gold(2)", "gold(3)"]
    assert facts_about(database, "city")[-1] == 'city(9, "Rome")'
    assert {type_of(name) for name in database.constants if plain(name) in "29"} == {"customers"}
    assert (
        database.declared.atom(parse_atom("gold(3)")).arguments[0]
        in next(database.facts(Predicate("likes", 2))).arguments
    )


# Sources


def test_frames_of_any_kind_are_the_same_tables(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS})
    frames = {name: pandas.read_csv(folder / f"{name}.csv") for name in ("customers", "orders")}
    expected = read(folder)
    assert from_frames(frames) == expected
    arrow = pytest.importorskip("pyarrow")
    assert from_frames({name: arrow.Table.from_pandas(frame) for name, frame in frames.items()}) == expected
    polars = pytest.importorskip("polars")
    assert from_frames({name: polars.from_pandas(frame) for name, frame in frames.items()}) == expected
    assert from_frames(frames, mapping=expected.mapping) == expected


def test_tables_with_tabs(save: Save) -> None:
    database = read(save({"customers.tsv": CUSTOMERS.replace(",", "\t")}))
    assert facts_about(database, "city") == ['city(1, "Porto")', 'city(2, "Lyon")', 'city(3, "Lyon")']


# The mapping, as people change it


def test_a_mapping_is_written_changed_and_read(save: Save, tmp_path: Path) -> None:
    folder = save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS})
    database = read(folder)
    assert database.mapping is not None
    path = tmp_path / "mapping.toml"
    write_mapping(database.mapping, path)
    assert read_mapping(path) == database.mapping
    assert read(folder, mapping=path) == database
    text = path.read_text().replace('becomes = "number", predicate = "total"', 'becomes = "value", predicate = "sum"')
    path.write_text(text.replace('{ column = "city", becomes = "value"', '{ column = "city", becomes = "left_out"'))
    changed = read(folder, mapping=path)
    assert facts_about(changed, "sum") == ["sum(1, 10)", "sum(2, 7.5)", "sum(4, 10)"]
    assert not facts_about(changed, "city") and "sum" not in changed.numbers


def test_two_types_become_one(save: Save, tmp_path: Path) -> None:
    rows = [("home", "Rome", "Oslo"), ("away", "Oslo", "Bern"), ("home", "Bern", "Rome"), ("home", "Rome", "Bern")]
    folder = save({"games.csv": "where,one,two\n" + "".join(f"{','.join(row)}\n" for row in rows)})
    apart = quietly(folder)
    assert shared_types(apart) == [
        'one and two share 3 of 3 spellings, first Bern; if they are one kind of thing, write type = "one" for both '
        "in a mapping"
    ]
    assert apart.mapping is not None
    text = mapping_text(apart.mapping).replace('type = "two"', 'type = "one"')
    together = quietly(folder, mapping=parse_mapping(text))
    assert not shared_types(together) and len(together.constants) == len(apart.constants) - 3


def test_what_is_told_of_a_mapping(save: Save) -> None:
    database = read(save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS.replace("4,3", "4,7")}))
    assert database.mapping is not None
    assert "customer(orders, customers): refers to customers; 1 of 3 values are not in customers" in "\n".join(
        mapping_lines(database.mapping)
    )


# With theories


def test_a_theory_reads_tables_as_it_says(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS, "orders.csv": ORDERS})
    mapping = read(folder).mapping
    assert mapping is not None
    theory = parse_theory("\n".join(mapping.lines))
    # Of this evidence nobody would guess what the columns are.
    (folder / "customers.csv").write_text("id,city,gold,since\n1,Rome,no,2020-01-05\n")
    (folder / "orders.csv").write_text("order_id,customer,total,paid\n7,8,1,1\n")
    known = read_evidence(folder, mapping=theory.mapping)
    assert {str(fact) for fact in known.facts} >= {'city(1, "Rome")', "customer(7, 8)", "total(7, 1)", "paid(7)"}
    assert [str(atom) for atom in known.denied] == ["gold(1)"]
    assert types(known.facts)["customer"] == ("orders", "customers")


def test_plain_atoms_are_typed_where_they_meet_tables(save: Save) -> None:
    database = read(save({"customers.csv": CUSTOMERS}))
    assert parse_atom("city(1, Porto)") in database and parse_atom("city(1, Lyon)") not in database
    known = Evidence.of(["city(1, Porto)", "!gold(1)"]).typed(database.declared)
    assert set(known.facts.constants) <= set(database.constants) and known.denied[0] != parse_atom("gold(1)")


def test_what_is_denied_beside_tables_stays_denied(save: Save) -> None:
    database = read(
        save({"people.csv": "id,city,gold,late\n1,Rome,yes,no\n2,Oslo,no,no\n3,Rome,no,yes\n4,Oslo,yes,no\n"})
    )
    typed = typed_facts(database | Database.of([parse_atom("seen(zoe)")]), database.declared)
    assert sorted(map(str, typed.denied)) == ["gold(2)", "gold(3)", "late(1)", "late(2)", "late(4)"]


def test_what_the_evidence_does_not_know_is_spelled_plainly(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS})
    mapping = read(folder).mapping
    assert mapping is not None
    rules = parse_theory("\n".join([*mapping.lines, "0.9 :: gold(C) :- city(C, lyon)."]))
    reasoner = Reasoner(rules)
    unknown = reasoner.why_not("city(1, atlantis)", folder)
    assert unknown is not None and unknown.unknown == ("atlantis",)


def test_numbers_are_one_kind_of_thing_only_by_their_names() -> None:
    numbers, kinds = frozenset({"age", "her age", "size"}), ["age", "her age", "size", "code", "her code"]
    found = {(one, other): _comparable(one, other, numbers) for one, other in product(kinds, repeat=2)}
    alike = {("age", "age"), ("her age", "her age"), ("age", "her age"), ("her age", "age"), ("size", "size")}
    words = set(product(["code", "her code"], repeat=2))
    assert {pair for pair, is_one in found.items() if is_one} == alike | words


# Bad tables: used, or refused in one sentence


def test_two_columns_of_one_name_are_refused(save: Save) -> None:
    with pytest.raises(DataError, match=r"t.csv: two columns are called 'a'; give them different names"):
        quietly(save({"t.csv": "a,a,b\n1,2,3\n4,5,6\n"}))


def test_500_columns(save: Save) -> None:
    header, rows = (
        ",".join(f"c{n}" for n in range(500)),
        [",".join(str((r * n) % 7) for n in range(500)) for r in range(20)],
    )
    database = quietly(save({"t.csv": "\n".join([f"id,{header}", *(f"k{r},{row}" for r, row in enumerate(rows))])}))
    assert len(database.predicates) > 400


def test_a_column_of_mixed_types_is_told(save: Save) -> None:
    rows = "".join(f"{n},{n % 9},{'many' if n == 7 else n % 9},{'x' if n % 2 else n}\n" for n in range(40))
    with pytest.warns(
        DataWarning, match=r"t.csv: 1 cell is no number in 'mostly' and counted as unknown, first 'many' at line 9"
    ):
        database = read(save({"t.csv": f"id,fine,mostly,half\n{rows}"}))
    assert database.numbers == {"fine", "mostly"}
    assert "50% of the cells are numbers" in notes(database)["t.half"]


def test_100_000_values(tmp_path: Path) -> None:
    values = np.arange(100_000)
    frame = pandas.DataFrame({"id": values, "label": [f"v{n}" for n in values], "kind": values % 5, "size": values / 7})
    database = from_frames({"t": frame})
    assert notes(database) == {"t.label": "like an identifier: 100,000 of 100,000 values are different"}
    assert database.count(Predicate("size", 2)) == 100_000


def test_empty_files_and_headers_alone(save: Save) -> None:
    with pytest.warns(DataWarning) as told:
        database = read(save({"customers.csv": CUSTOMERS, "empty.csv": "", "head.csv": "id,city,gold\n"}))
    assert sorted(str(one.message).rpartition("/")[2] for one in told if "no facts" in str(one.message)) == [
        "empty.csv: there are no facts in it",
        "head.csv: there are no facts in it",
    ]
    assert len(facts_about(database, "city")) == 3


def test_a_reference_that_points_nowhere_is_none(save: Save) -> None:
    database = read(
        save({"customers.csv": CUSTOMERS, "orders.csv": "order_id,customer,total\n1,71,3\n2,72,4\n3,73,5\n"})
    )
    assert types(database)["customer"] == ("orders", "customer")


def test_what_a_mapping_needs_and_a_table_lacks(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS})
    mapping = read(folder).mapping
    (folder / "customers.csv").write_text("city,gold,since\nRome,no,2020-01-05\n")
    with pytest.raises(DataError, match=r"no column 'id', which the mapping needs; the columns are city, gold, since"):
        quietly(folder, mapping=mapping)
    (folder / "customers.csv").write_text("id,gold,since\n1,no,2020-01-05\n")
    with pytest.warns(DataWarning, match=r"there is no column 'city', so city is not known"):
        read(folder, mapping=mapping, header=True)
    (folder / "others.csv").write_text(CUSTOMERS)
    (folder / "customers.csv").write_text(CUSTOMERS)
    with pytest.warns(DataWarning, match=r"tables without a mapping are left out: others"):
        read(folder, mapping=mapping)


def test_rows_without_a_key_are_counted(save: Save) -> None:
    folder = save({"customers.csv": CUSTOMERS})
    mapping = read(folder).mapping
    (folder / "customers.csv").write_text(CUSTOMERS + ",Rome,yes,2020-01-01\n")
    with pytest.warns(DataWarning, match=r"1 rows without a key \(id\) are left out"):
        assert len(facts_about(read(folder, mapping=mapping), "city")) == 3


cells = st.sampled_from(
    ["", "1", "2.0", "01", "NA", "yes", "no", "a", "b b", "2013-01-05", "1/2/2013", "x" * 60, "1e400", "é"]
)


@settings(max_examples=budget(60), deadline=None)
@given(
    tables=st.dictionaries(
        st.sampled_from(["t", "u", "customers"]),
        st.lists(st.lists(cells, min_size=4, max_size=4), max_size=15),
        min_size=1,
    ),
    header=st.permutations(["id", "t_id", "day", "customer"]),
)
def test_any_tables_are_read_or_refused(tables: Mapping[str, Iterable[list[str]]], header: list[str]) -> None:
    frames = {name: pandas.DataFrame(rows, columns=header, dtype=object) for name, rows in tables.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            database = from_frames(frames)
            assert database.mapping is not None
            again = from_frames(frames, mapping=parse_mapping(mapping_text(database.mapping)))
        except PossilogError:
            return
    assert again == database
    used = {type_of(name) for name in database.constants}
    assert used <= {type for some in database.types.values() for type in some} | {
        t.type for t in database.mapping.tables
    }

"""Every format is read; what is odd is told, and what is wrong is an error that names the place."""

import gzip
import os
import sqlite3
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from looking import facts, make_duckdb
from possilog.data import Database, from_frames, read
from possilog.data.reading.facts import read_literals
from possilog.errors import (
    ArityError,
    DataError,
    DataWarning,
    EncodingError,
    FileError,
    FormatError,
    LanguageError,
    PossilogError,
    RowError,
)
from possilog.logic import Atom, Predicate

Save = Callable[[str, str | bytes], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Saves a file in a folder of the test's own."""

    def save(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return save


# Facts


@pytest.mark.parametrize(
    "line",
    [
        "likes(ann,bob)",
        "likes(ann,bob).",
        "  likes( ann ,\tbob )  .  ",
        'likes("ann", "bob")',
        "likes('ann', 'bob').",
        "likes(ann, bob) // who knows",
        "likes(ann, bob). % who knows",
        "likes(ann, bob) # who knows",
        "/* before */ likes(ann, /* within */ bob) /* after */",
        '"likes"(ann, bob)',
        "\ufefflikes(ann, bob)",
        "\r\n\r\nlikes(ann, bob)\r\n",
        "/* likes(x, y)\n likes(y, z) */\nlikes(ann, bob)",
    ],
)
def test_spellings_of_a_fact(save: Save, line: str) -> None:
    assert facts(read(save("a.db", line))) == {"likes(ann, bob)"}


def test_constants_are_taken_as_they_are(save: Save) -> None:
    text = 'v("a b", "say \\"hi\\"", \'it\\\'s\')\nn(-0.117, +1, 1.5e-3)\ns("/* no */", "// no", "% # no")\ne("", a)'
    database = read(save("a.db", text))
    assert Atom.ground("v", ["a b", 'say "hi"', "it's"]) in database
    assert Atom.ground("n", ["-0.117", "+1", "1.5e-3"]) in database
    assert Atom.ground("s", ["/* no */", "// no", "% # no"]) in database
    assert Atom.ground("e", ["", "a"]) in database
    assert len(database) == 4


def test_several_facts_and_none(save: Save) -> None:
    database = read(save("a.db", "Rain\nSnow().\np(a). p(b). p(c)\nWet. q(a)\n\n"))
    assert facts(database) == {"Rain", "Snow", "p(a)", "p(b)", "p(c)", "Wet", "q(a)"}


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("p(a)\np(a", ":2:4:", "the end"),
        ("p(a) q(b)", ":1:6:", '"q"'),
        ("p(a,)", ":1:5:", '")"'),
        ("p(a b)", ":1:5:", '"b"'),
        ('p(a)\n\np("a)', ":3:3:", '"\\""'),
        ("p(X) :- q(X).", ":1:6:", ":-"),
        ("p(a)\n  /* never closed", ":2:3:", "/*"),
        ("p(a) // c\n(b)", ":2:1:", "("),
        ("true(a)", ":1:1:", "true"),
    ],
)
def test_bad_facts_are_placed(save: Save, text: str, place: str, found: str) -> None:
    path = save("bad.db", text)
    with pytest.raises(LanguageError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{place}")
    assert found in caught.value.found


def test_negated_facts_are_kept_beside_the_facts(save: Save) -> None:
    text = "p(a)\n!p(b)\nnot p(c).\n~q(d, e) % no\n"
    database = read(save("a.db", text))
    assert facts(database) == {"p(a)"}
    assert [str(atom) for atom in database.denied] == ["p(b)", "p(c)", "q(d, e)"]
    assert database.constants == ("a", "b", "c", "d", "e")
    with pytest.warns(DataWarning, match=r"1 atom is given and denied, first p\(a\); the facts count"):
        assert len(read(save("b.db", "p(a)\n!p(a)\n"))) == 1
    with pytest.warns(DataWarning, match="1 atom is given and denied, first r; the facts count"):
        assert len(read(save("c.db", "p(a)\nr\nnot r.\nnot s.\n"))) == 2
    assert [str(literal) for literal in read_literals(text, "a.db")] == ["p(a)", "not p(b)", "not p(c)", "not q(d, e)"]


def test_examples_of_other_tools(save: Save) -> None:
    database = read(
        save("exs.pl", "pos(grandparent(ann, cec)).\nneg(grandparent(cec, ann)). pos(old(ann)).\npos(1).\n")
    )
    assert facts(database) == {"grandparent(ann, cec)", "old(ann)", "pos(1)"}
    assert [str(atom) for atom in database.denied] == ["grandparent(cec, ann)"]
    folder = save("ilp/a.f", "east(t1).\n").parent
    save("ilp/a.n", "east(t2).\neast(t3).\n")
    save("ilp/a.db", "car(t1, c1)\ncar(t2, c2)\n")
    database = read(folder)
    assert facts(database) == {"east(t1)", "car(t1, c1)", "car(t2, c2)"}
    assert [str(atom) for atom in database.denied] == ["east(t2)", "east(t3)"]
    with pytest.raises(LanguageError, match="after the example"):
        read(save("bad.pl", "pos(p(a).\n"))


# Triples and CSV


def test_triples(save: Save) -> None:
    text = "a b\tlikes\tc\r\n\r\nc\tknows\ta b\n \n"
    expected = {'likes("a b", c)', 'knows(c, "a b")'}
    assert facts(read(save("t.tsv", text))) == expected
    assert facts(read(save("t.tsv.gz", gzip.compress(text.encode())))) == expected
    assert facts(read(save("t.txt", text))) == expected
    assert facts(read(save("t", gzip.compress(text.encode())))) == expected


@pytest.mark.parametrize(("line", "cells"), [("a\tb", "2 cells"), ("a", "1 cell"), ("a\tb\tc\td", "4 cells")])
def test_ragged_triples(save: Save, line: str, cells: str) -> None:
    with pytest.raises(RowError, match=rf"t.tsv:3: {cells} instead of 3"):
        read(save("t.tsv", f"a\tr\tb\n\n{line}\nb\tr\tc\n"))


def test_empty_cells(save: Save) -> None:
    with pytest.warns(DataWarning, match=r"t.tsv: 3 rows with an empty cell are left out, first at line 2"):
        assert facts(read(save("t.tsv", "a\tr\tb\n\tr\tb\na\tr\t\na\t\tb\n"))) == {"r(a, b)"}
    with pytest.warns(DataWarning, match=r"p.csv: 1 row with an empty cell is left out, first at line 3"):
        assert facts(read(save("p.csv", "x,y\na,b\na,\n"), header=True)) == {"p(a, b)"}


@pytest.mark.parametrize(
    ("text", "is_header"),
    [
        ("who,years\nann,7\nbob,8\n", True),
        ("who,years\nann,7\nbob,\n", True),
        (",who\n0,ann\n1,bob\n", True),
        ("argument1,argument2_\nann,bob\n", True),
        ("ann,7\nbob,8\n", False),
        ("ann,-1.5e3\nbob,eve\n", False),
        ("ann,bob\neve,bob\n", False),
    ],
)
def test_a_header_that_shows(save: Save, text: str, is_header: bool) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*empty cell")
        database = read(save("p.csv", text))
    assert bool(database.argument_names(Predicate("p", 2))) == is_header
    assert (Atom.ground("p", text.split("\n")[0].split(",")) in database) != is_header


def test_a_header_that_does_not_show(save: Save) -> None:
    with pytest.warns(DataWarning, match=r"likes.csv: 1 first line is taken as a header, first 'who, whom' in .*likes"):
        named = read(save("likes.csv", 'who,whom\nann,bob\n"a, b","say ""hi"""\n'))
    assert named.argument_names(Predicate("likes", 2)) == ("who", "whom")
    assert facts(named) == {"likes(ann, bob)", r'likes("a, b", "say \"hi\"")'}
    with pytest.warns(
        DataWarning,
        match=r"1 first line is taken as a fact, .*; read with header=False \(--no-header\) if that is right",
    ):
        plain = read(save("likes.csv", "ann,bob\nbob,eve\n"))
    assert facts(plain) == {"likes(ann, bob)", "likes(bob, eve)"}
    with pytest.warns(DataWarning, match="1 first line is taken as a header"):  # numbers speak for both
        read(save("age.csv", "ann,7,none\nbob,8,9\n"))
    assert len(read(save("likes.csv", "ann,bob\ncec,dan\n"), header=False)) == 2
    assert len(read(save("likes.csv", "ann,bob\nbob,eve\n"), header=True)) == 1


def told_of(folder: Path) -> tuple[Database, list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        database = read(folder)
    return database, [str(warning.message).replace(f"{folder}/", "") for warning in told]


def test_a_value_does_not_make_facts_of_headers(save: Save) -> None:
    save("f/advisedBy.csv", "person,advisor\nann,bob\neve,bob\n")
    database, told = told_of(save("f/role.csv", "who,role\nann,person\nbob,professor\n").parent)
    assert facts(database) == {
        "advisedBy(ann, bob)",
        "advisedBy(eve, bob)",
        "role(ann, person)",
        "role(bob, professor)",
    }
    assert told == [
        "advisedBy.csv: 2 first lines are taken as headers, first 'person, advisor' in advisedBy.csv; "
        "read with header=True (--header) if that is right, header=False (--no-header) if not"
    ]


def test_headers_are_told_for_each_file(save: Save) -> None:
    save("f/age.csv", "name,age\nann,3\nbob,4\n")
    database, told = told_of(save("f/likes.csv", "ann,bob\ncec,bob\n").parent)
    assert facts(database) == {"age(ann, 3)", "age(bob, 4)", "likes(ann, bob)", "likes(cec, bob)"}
    assert told == []


def test_first_lines_that_show_nothing_are_like_the_others(save: Save) -> None:
    save("f/likes.csv", "ann,bob\ncec,bob\n")
    save("f/knows.csv", "ann,bob\ncec,eve\n")
    database, told = told_of(save("f/smokes.csv", "ann\n").parent)
    assert {"knows(ann, bob)", "smokes(ann)"} < facts(database)
    assert told == [
        "knows.csv: 2 first lines are taken as facts, first 'ann, bob' in knows.csv; "
        "read with header=False (--no-header) if that is right, header=True (--header) if not"
    ]
    save("g/likes.csv", "who,whom\nbob,eve\n")
    database, told = told_of(save("g/smokes.csv", "name\n").parent)
    assert facts(database) == {"likes(bob, eve)"}
    assert Predicate("smokes", 1) in database.predicates
    assert told[0] == "smokes.csv: there are no facts in it"
    assert told[1].startswith("likes.csv: 2 first lines are taken as headers, first 'who, whom' in")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('ann, bob\n "ann", "a, b"\n', {"p(ann, bob)", 'p(ann, "a, b")'}),
        ("ann;bob\nann;eve\n", {"p(ann, bob)", "p(ann, eve)"}),
        ("ann\tbob\nann\teve\n", {"p(ann, bob)", "p(ann, eve)"}),
        ("who;tall\nann;1,5\nbob;1,7\n", {"p(who, tall)", 'p(ann, "1,5")', 'p(bob, "1,7")'}),
        ('"a;b",c\n"d;e",f\n', {'p("a;b", c)', 'p("d;e", f)'}),
        ("a;b\nc\n", {'p("a;b")', "p(c)"}),
    ],
)
def test_what_stands_between_cells(save: Save, text: str, expected: set[str]) -> None:
    assert facts(read(save("p.csv", text), header=False)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nc\n", r"p.csv:2: 1 cells"),
        ('a,b\n"c,d\n', r"p.csv:2: "),
        ('a,"b"c\n', r"p.csv:1: "),
        ("a;1,5\nb;1,7\n", r"p.csv:1: commas or semicolons may stand between the cells; put quotes"),
        ("a," * 1_000 + "a\n", r"p.csv:1: 1001 cells; a fact has at most 1000"),
    ],
)
def test_bad_csv(save: Save, text: str, message: str) -> None:
    with pytest.raises(RowError, match=message):
        read(save("p.csv", text))


def test_lines_of_csv_are_those_of_the_file(save: Save) -> None:
    with pytest.warns(DataWarning, match="first at line 6"):
        read(save("p.csv", 'x\n\n"a\nb"\nc\nc\n'), header=True)


# Several files, and what is odd


def test_several_paths(save: Save) -> None:
    one, two = save("one.db", "p(a)"), save("two.tsv", "a\tr\tb\n")
    expected = {"p(a)", "r(a, b)"}
    assert facts(read(one, two)) == facts(read([str(one), two])) == facts(read(one.parent)) == expected


def test_an_arity_clash_names_both_places(save: Save) -> None:
    one, two = save("one.db", "q(b)\np(a)"), save("two.tsv", "x\tq2\ty\na\tp\tb\n")
    with pytest.raises(ArityError) as caught:
        read(one, two)
    assert f"{two}:2" in str(caught.value)
    assert f"{one}:2" in str(caught.value)
    with pytest.raises(ArityError, match=r"one.db:3.*one.db:1|one.db:1.*one.db:3"):
        read(save("one.db", "p(a)\nq(a)\np(a, b)\n"))


def test_duplicates_are_counted_by_file(save: Save) -> None:
    one = save("one.db", "p(a)\np(b)\np(a)\n")
    two = save("two.db", "q(c)\np(b)\np(a)\nq(c)\n")
    with pytest.warns(DataWarning) as told:
        database = read(one, two)
    assert [str(warning.message) for warning in told] == [
        f"{one}: 1 fact is given again, first at line 3",
        f"{two}: 3 facts are given again, first at line 2",
    ]
    assert told[0].filename == __file__
    assert len(database) == 3


def test_two_spellings_are_told(save: Save) -> None:
    with pytest.warns(DataWarning, match=r"a.db:3: taught_by looks like TaughtBy at .*a.db:1 in another spelling"):
        database = read(save("a.db", "TaughtBy(a, b)\np(a)\ntaught_by(a, b)\n"))
    assert len(database.predicates) == 3


@pytest.mark.parametrize("name", ["a.db", "a.tsv", "a.csv", "a.sqlite"])
def test_an_empty_file(save: Save, name: str) -> None:
    with pytest.warns(DataWarning, match=f"{name}: there are no facts in it"):
        assert not len(read(save(name, "")))


def test_other_files_in_a_folder(save: Save) -> None:
    save("f/a.db", "p(a)")
    save("f/.hidden", "x")
    save("f/readme.md", "x")
    folder = save("f/zzz", "x").parent
    with pytest.warns(DataWarning, match=r"2 other files or folders are left out, first readme.md"):
        assert facts(read(folder)) == {"p(a)"}


def test_nothing_there(save: Save, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing to read"):
        read([])
    with pytest.raises(FileError, match=r"absent.db: there is no such file"):
        read(tmp_path / "absent.db")
    for path in ("", "a\0b"):
        with pytest.raises(FileError, match="is not a path"):
            read(path)
    with pytest.raises(FormatError, match=r"no file of facts .* \.parquet"):
        read(save("f/notes.md", "x").parent)
    with pytest.raises(FormatError, match=r"the format is unknown; .* \.parquet"):
        read(save("notes.md", "Dear reader,\n"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    ("name", "content"),
    [("a", b"p(a)\np(b)\n"), ("p.csv", b"1\n2\n"), ("a", gzip.compress(b"a\tr\tb\n", mtime=0)), ("a.db", b"")],
)
def test_pipes_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / "pipe").mkdir()
    pipe = tmp_path / "pipe" / name
    file = tmp_path / name
    file.write_bytes(content)
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        pool.submit(pipe.write_bytes, content)
        assert read(pipe) == read(file)
        pool.submit(pipe.write_bytes, b"SQLite format 3\0")
        with pytest.raises(FormatError, match="only text is read from a pipe; save the sqlite file first"):
            read(pipe)


# Encodings and broken files


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"p(a)\np(\xe9)\n", "utf-8", r"a.db:2: the byte 0xe9 is not utf-8; .*encoding="),
        ("p(a)".encode("utf-16"), "utf-8", r"a.db:1: the file is in UTF-16.*encoding='utf-16'"),
        ("p(a)".encode("utf-16-be"), "utf-8", r"a.db:1: the file is in UTF-16-BE.*encoding='utf-16-be'"),
        ("p(a)".encode("utf-32"), "utf-8", r"a.db:1: the file is in UTF-32, .*encoding='utf-32'"),
        ("p(a)".encode("utf-32-le"), "utf-16", r"a.db:1: the file is in UTF-32-LE, not utf-16"),
        (b"p(a)", "utf-9", r"no text encoding 'utf-9'"),
        (b"p(a)", "base64", r"no text encoding 'base64'"),
        (b"p(a)", "undefined", r"not undefined"),
    ],
)
def test_wrong_encodings(save: Save, content: bytes, encoding: str, message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        read(save("a.db", content), encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1"])
def test_right_encodings(save: Save, encoding: str) -> None:
    assert facts(read(save("a.db", "p(é)".encode(encoding)), encoding=encoding)) == {"p(é)"}


@pytest.mark.parametrize("name", ["a.parquet", "a.duckdb", "a.sqlite", "a.tsv.gz"])
def test_broken_files(tmp_path: Path, save: Save, name: str) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT 'ann' AS who) TO '{path}'")
    elif name == "a.duckdb":
        make_duckdb(path)
    elif name == "a.sqlite":
        tables = sqlite3.connect(path)
        tables.executescript("CREATE TABLE t(x); INSERT INTO t VALUES (1);")
        tables.close()
    else:
        save(name, gzip.compress(b"a\tr\tb\n" * 100))
    whole = path.read_bytes()
    garbled = whole[:40] + bytes(255 - byte for byte in whole[40:-4]) + whole[-4:]
    for broken in (whole[: len(whole) // 2], whole[:30], garbled, b"nonsense"):
        path.write_bytes(broken)
        with pytest.raises((FormatError, RowError)):
            read(path)


def test_a_long_line_is_no_trouble(save: Save) -> None:
    name = "x" * 3_000_000
    assert read(save("a.db", f'p({name})\nq("{name} y")\n')).constants == (name, f"{name} y")
    assert len(read(save("a.tsv", f"{name}\tr\tb\n")).constants[1]) == len(name)
    unclosed = 'p("' + '\\"' * 1_000_000
    many = "p(" + "a," * 5_000_000 + "a)"
    for text in ("p(" * 1_000_000, "p(a," * 300_000, '"' * 9_000_001, "/*" * 500_000, f"p({name}", unclosed, many):
        with pytest.raises(LanguageError) as caught:
            read(save("a.db", text))
        assert len(str(caught.value)) < 500
    with pytest.raises(LanguageError):
        read(save("a.db", f"/* */ {unclosed}"))
    with pytest.raises(RowError):
        read(save("a.csv", f"{name},b\n"))


def test_a_fact_has_at_most_a_thousand_arguments(save: Save) -> None:
    for argument in ("a", '"a b"', "'a'"):
        assert read(save("a.db", f"p({','.join([argument] * 1_000)})")).predicates == (Predicate("p", 1_000),)
        with pytest.raises(LanguageError, match="at most 1000 arguments"):
            read(save("a.db", f"p({','.join([argument] * 1_001)})"))
    with pytest.raises(ArityError, match="t:1: t has 1,001 arguments; give it at most 1,000"):
        from_frames({"t": pd.DataFrame([[7] * 1_001])})


# A grammar's worth of pieces gets further into the readers than bytes alone.
TOKENS = [*"pa()é,.!%#'\"\\", "q(", "not ", "/*", "*/", "//", "-0.5", "true", ":-", "\\u00e9", "\0", "\ufeff", "\x85"]
SPACES_AND_LINES = [" ", "\n", "\r", "\t", "\u2028", "p(a)\n", "p(a, b)\n", "a,b\n", "a\tr\tb\n"]
PIECES = st.lists(st.sampled_from([*TOKENS, *SPACES_AND_LINES]), max_size=30).map(
    lambda pieces: "".join(pieces).encode()
)
MAGIC = st.sampled_from(
    [b"", b"\x1f\x8b\x08", b"PAR1", b"SQLite format 3\0", b"\0" * 8 + b"DUCK" + b"\0" * 8, b"\xff\xfe"]
)
CONTENTS = PIECES | st.builds(bytes.__add__, MAGIC, st.binary(max_size=80)) | PIECES.map(gzip.compress)


@given(
    content=CONTENTS,
    name=st.sampled_from(["a.db", "a.tsv", "a.csv", "a.csv.gz", "a.parquet", "a.sqlite", "a.duckdb", "a"]),
)
@example(content=b"PAR1PAR1", name="a")
@example(content=b"p(\xff)", name="a.db")
def test_any_bytes_give_facts_or_an_error_of_ours(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(content)
    with warnings.catch_warnings(), suppress(PossilogError):
        warnings.simplefilter("ignore", DataWarning)
        assert read(path) == read(path)


@given(PIECES)
def test_the_quick_and_the_careful_reader_agree(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "a.db"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            quick = read(path)
        except PossilogError:
            return
    literals = read_literals(content.decode().removeprefix("\ufeff"), "a.db")
    assert quick == Database.of(literal.atom for literal in literals if literal.positive)

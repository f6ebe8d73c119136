"""A small fuzzer: good files, changed at random, to every reader. Run as a program, one reader each.

    python fuzzer.py READER SECONDS [SEED]

Case n of a seed is always the same. Every case has to end in a result or in an error of ours with a short message,
within a few seconds; at the end the program prints how many cases there were, and the most memory it needed. SECONDS
are CPU time, so that a busy machine tries as many.
"""

import gzip
import random
import re
import sqlite3
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from possilog.data import Database, Evidence, read, read_evidence, read_mapping, write
from possilog.data.tables.files import mapping_text, parse_mapping
from possilog.errors import DataWarning, FileError, PossilogError
from possilog.inference.files import read_words
from possilog.learning import learn
from possilog.learning.files import read_groups
from possilog.logic import (
    TableMapping,
    Theory,
    parse_atom,
    parse_clause,
    parse_query,
    parse_rule,
    parse_theory,
    read_theory,
)
from possilog.logic.rule_files import amie_text, anyburl_text, parse_amie, parse_anyburl
from possilog.markov import parse_mln, read_mln

LONGEST_CASE = 20.0
"""Seconds that a case may take."""

LONGEST_MESSAGE = 5_000
"""Characters of an error's message."""

LARGEST = 200_000
"""Bytes of a case."""

FACTS = [
    b"p(a)\np(b, c).\n// remark\n!q(a)\n",
    b"likes(\"Old Carl\", 'b c'). % x\n/* a\nb */ r(1.5, -2, +3e4)\nrain\n",
    b"# x\nq(1). q(2). not r(a).\n\xe2\x88\x83(a)\n",
]
EXAMPLES = [b"eastbound(t1).\neastbound(t2).\n", b"pos(east(t1)).\nneg(east(t2)). % why\n", b":- east(t3).\np(a,b).\n"]

TRIPLES = [b"a\tr\tb\nb\tr\tc\n", "ä\t/x/y\tß\r\n\r\nx\t\ty\n".encode()]
NTRIPLES = [
    b'<http://a> <http://r> <http://b> . # x\n_:b1 <http://p> "x \\"y\\" \\u00e9"@en-GB .\n',
    b'# x\n\n<a><r>"1"^^<http://int>.\n',
]
GRAPHML = [
    b'<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="edge" '
    b'attr.name="relation"/><graph edgedefault="undirected"><node id="a"><data key="d1">x</data></node><node id="b"/>'
    b'<edge source="a" target="b"><data key="d0">knows</data></edge></graph></graphml>',
    b'<graphml><graph><edge source="a" target="b" label="r" directed="false"/></graph></graphml>',
]
TABLES = [b"a,b\nann,bob\neve,bob\n", b'name;age\n"x; y";7\nz;8\n', b'1,2\n3,4\n"a""b",\n']
TABLES += [b"id,city,size\na,Porto,3\nb,Lyon,3.0\nc,Lyon,4\n"]
MAPPINGS = [
    b'missing = ["NA"]\n[tables."t"]\ntype = "t"\nkey = ["id"]\ncolumns = [\n'
    b'    { column = "city", becomes = "value" },\n'
    b'    { column = "size", becomes = "number", predicate = "big", type = "cm" },\n]\n',
    b'[tables.t]\nrelation = "r"\n'
    b'columns = [{ column = "id", becomes = "reference", type = "x" }, { column = "city" }]\n',
]
NETWORKS = [
    b"person = {Anna, Bob}\nSmokes(person)\nFriends(person, person!)\n1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)\n"
    b"!Friends(x, x).\n",
    b"*P(a)\nn = {1, ..., 9}\nQ(a, n)\nlog(0.9/0.1) *P(x) v (EXIST y Q(x, y) <=> !P(x))\n-2 Q(+x, 3) v x != A\n",
    b'P(a)\n#include "part.mln"\n1 P(?x) ^ FORALL ?y (P(?y) v ?y =/= "b c") // x\n/* y */',
]
THEORIES = [
    b"#format 1.\n0.9 :: p(X) :- q(X, Y), r(Y).\n:- p(X), s(X).\n0.4 :: false.\n% x\n",
    b'p(X) ; q(X) :- r(X).\n1-4.5e-6 :: s(a, "B c").\n? :: p(X).\n#ban p(a).\n#lock ? :: q(X).\n#pin 0.2 :: false.\n',
]
ANYBURL = [
    b"10\t8\t0.8\tspeaks(X,Y) <= bornIn(X,A), language(A,Y)\n3\t2\t0.66\t/a/b(X,/m/1) <= c(X,d)\r\n",
    b"7\t7\t1.0\th(a (b),Y) <= r(Y,A), s(A,x,y)\n1\t0\t0\th(X,c) <= \n",
]
AMIE = [
    b"Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size\n"
    b"?a  bornIn  ?c  ?c  language  ?b   => ?a  speaks  ?b\t0.5\t0.8\t0.9\t8\t10\t9\t?a\n",
    b"?b  <r>  New York   => ?b  <s>  x\t0.5\t0.8\t0.9\t8\t10\t9.0\nMining done in 3 s\n",
]
POSS = [
    b"---\nHard rules:\n!p(V1), q(V1)\n---\nLevel -4.5E-6\n!r(V1, V2), p(V2), !@alldiff(V1, V2)\n\n"
    b"falsity weight: -0.25\n",
    b"Hard rules:\np(a)\n-----\nLevel -0.5\nq(V1)\n",
]
WORDS = [b'likes: {0} is fond of {1}\n# remark\nold/1: "{0} has grown old"\n', b'"a b"/2: {1} {{x}} {0}\n% x\n']
GROUPS = [b"ann\tone\nbob\ttwo\n\ncarl\tone\n", "ä b	ß\r\n".encode()]
TOKENS = [
    *(b"( ) , . .. ... :- :: ; v ! ^ => <=> = != =/= { } \" ' ? * + - / // /* */ # % @ $ \\ \t \n \r\n \0".split(b" ")),
    *(b"1e999 -0 0.5 1..3 99999999999999999999 EXIST FORALL exist not true false #include #const".split(b" ")),
    *(token.encode() for token in ("\ufeff", "\u2028", "Ä", "𝔸", "\ud7ff")),
]


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """A good file with some changes."""
    content = rng.choice(seeds)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        content = _changed(rng, content, seeds)[:LARGEST]
    return content


def _changed(rng: random.Random, content: bytes, seeds: list[bytes]) -> bytes:
    start = rng.randrange(len(content) + 1)
    end = min(len(content), start + rng.choice([0, 1, 1, 4, 30, 1_000]))
    part = content[start:end]
    kind = rng.randrange(7)
    if kind == 0:
        new = b""
    elif kind == 1:
        new = bytes(rng.randrange(256) for _ in part)
    elif kind == 2:
        new = part + rng.choice(TOKENS)
    elif kind == 3:
        new = part * rng.choice([2, 3, 100, 10_000])
    elif kind == 4:
        other = rng.choice(seeds)
        place = rng.randrange(len(other) + 1)
        new = other[place : place + 40]
    elif kind == 5:
        new = rng.choice(TOKENS) * rng.choice([1, 10, 5_000])
    else:
        new = bytes([rng.choice(b"\0\xff\x80 (),\"'\n")]) * max(1, len(part))
    return content[:start] + new + content[end:]


# The readers: each takes a folder to write to, and the bytes


def _file(name: str, then: Callable[[Path], object]) -> Callable[[Path, bytes], None]:
    def target(folder: Path, content: bytes) -> None:
        path = folder / name
        path.write_bytes(content)
        then(path)

    return target


def _network(folder: Path, content: bytes) -> None:
    (folder / "part.mln").write_bytes(content[: len(content) // 2])
    _file("net.mln", read_mln)(folder, content)
    network = parse_mln(content.decode("utf-8", "replace"))
    assert parse_mln(str(network)) == network


def _theory(folder: Path, content: bytes) -> None:
    for read_text in (parse_atom, parse_clause, parse_query, parse_rule):
        try:
            read_text(content.decode("utf-8", "replace"))
        except PossilogError as error:
            _check(error)
    theory = parse_theory(content.decode("utf-8", "replace"))
    assert parse_theory(str(theory)) == theory
    _file("a.pl", read_theory)(folder, content)


def _rules(parse: Callable[[str], Theory], spell: Callable[[Theory], str]) -> Callable[[Path, bytes], None]:
    def target(folder: Path, content: bytes) -> None:
        _file("rules.txt", read_theory)(folder, content)
        theory = parse(content.decode("utf-8", "replace"))
        assert len(parse(spell(theory)).judged) <= len(theory.judged)

    return target


def _evidence(folder: Path, content: bytes) -> None:
    _file("known.db", read_evidence)(folder, content)
    Evidence.of(content.decode("utf-8", "replace").split("\n"))


def _words(folder: Path, content: bytes) -> None:
    path = folder / "words.txt"
    path.write_bytes(content)
    words = read_words(path)
    for atom in ("likes(ann, bob)", "old(carl)", '"a b"(c, d)', "likes(a)", "rain"):
        assert len(words.atom(parse_atom(atom))) < 2 * LARGEST


def _work(folder: Path, content: bytes) -> None:
    """What a run left behind, with one file changed: the name of the file, and its content."""
    name, _, changed = content.partition(b"\n")
    path = folder / "work" / name.decode("ascii", "replace")
    if path not in (folder / "work").glob("*.json"):
        return
    before = path.read_bytes()
    path.write_bytes(changed)
    try:
        _learned(folder / "work")
    except FileError as error:
        assert str(folder / "work") in str(error), error
    finally:
        path.write_bytes(before)


def _learned(work: Path) -> None:
    facts = [f"{name}(c{number})" for number in range(8) for name in ("p", "q") if number % 3 or name == "q"]
    links = [f"r(c{number}, c{(number + 1) % 8})" for number in range(8)]
    learn(Database.of(map(parse_atom, facts + links)), width=2, body=1, work=work)


def _mapping(folder: Path, content: bytes) -> None:
    (folder / "t.csv").write_bytes(TABLES[-1])
    mapping = _read_mapping(folder, content)
    assert parse_mapping(mapping_text(mapping)) == mapping
    read(folder / "t.csv", mapping=mapping)


def _read_mapping(folder: Path, content: bytes) -> TableMapping:
    (folder / "mapping.toml").write_bytes(content)
    return read_mapping(folder / "mapping.toml")


def _tables(folder: Path, content: bytes) -> None:
    """A folder of two tables, of which one is changed."""
    (folder / "tables").mkdir(exist_ok=True)
    (folder / "tables" / "t.csv").write_bytes(TABLES[-1])
    (folder / "tables" / "u.csv").write_bytes(content)
    database = read(folder / "tables")
    if database.mapping is not None:
        assert parse_mapping(mapping_text(database.mapping)) == database.mapping


TARGETS: dict[str, Callable[[Path, bytes], None]] = {
    "facts": _file("a.db", read),
    "unknown": _file("a", read),
    "positives": _file("a.f", read),
    "negatives": _file("a.n", read),
    "triples": _file("a.tsv", read),
    "csv": _file("a.csv", read),
    "tables": _tables,
    "mappings": _mapping,
    "ntriples": _file("a.nt", read),
    "turtle": _file("a.ttl", read),
    "graphml": _file("a.graphml", read),
    "gzip": _file("a.db.gz", read),
    "parquet": _file("a.parquet", read),
    "duckdb": _file("a.duckdb", read),
    "sqlite": _file("a.sqlite", read),
    "workbooks": _file("a.xlsx", read),
    "evidence": _evidence,
    "networks": _network,
    "theories": _theory,
    "poss": _file("a.poss", read_theory),
    "anyburl": _rules(parse_anyburl, anyburl_text),
    "amie": _rules(parse_amie, amie_text),
    "words": _words,
    "groups": _file("groups.tsv", read_groups),
    "work": _work,
}


def seeds_of(reader: str, folder: Path) -> list[bytes]:
    """Good files for a reader."""
    texts = {
        "facts": FACTS,
        "unknown": [*FACTS, *TRIPLES],
        "positives": EXAMPLES,
        "negatives": EXAMPLES,
        "triples": TRIPLES,
        "csv": [*TABLES, b"head,relation,tail\na,r,b\nb,r,c\n"],
        "tables": [*TABLES, b"id,t,day,paid\n1,a,2013-01-05,yes\n2,b,1/2/2013,no\n3,,NA,\n"],
        "mappings": MAPPINGS,
        "ntriples": NTRIPLES,
        "turtle": [b"@prefix e: <http://e/> .\ne:a e:knows e:b, [ e:p 'x'@en ] ; a e:C .\n", *NTRIPLES],
        "graphml": GRAPHML,
        "gzip": [gzip.compress(text * times, mtime=0) for text in FACTS for times in (1, 100_000)],
        "evidence": FACTS,
        "networks": NETWORKS,
        "theories": THEORIES,
        "poss": POSS,
        "anyburl": ANYBURL,
        "amie": AMIE,
        "words": WORDS,
        "groups": GROUPS,
    }
    if reader == "workbooks":
        return list(_workbooks(folder))
    if reader == "work":
        work = folder.parent / "work"
        _learned(work)
        return [file.name.encode() + b"\n" + file.read_bytes() for file in sorted(work.glob("*.json"))]
    return texts[reader] if reader in texts else list(_made(reader, folder))


def _workbooks(folder: Path) -> Iterator[bytes]:
    """With and without packing: a change in what is packed mostly breaks the pack, and nothing else is tried."""
    from openpyxl import Workbook

    book = Workbook()
    rows = [["id", "city", "day", "paid"], ["p1", "Rome", datetime(2020, 1, 5), 3.5], ["p2", None, "=1+1", True]]
    for sheet in (book.active, book.create_sheet("other")):
        for row in rows:
            sheet.append(row)
    path, plain = folder / "book.xlsx", folder / "plain.xlsx"
    book.save(path)
    yield path.read_bytes()
    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as unpacked:
        for name in packed.namelist():
            unpacked.writestr(name, packed.read(name))
    yield plain.read_bytes()


def _made(format: str, folder: Path) -> Iterator[bytes]:
    facts = Database.of(map(parse_atom, ["likes(ann, bob)", "likes(bob, ann)", "old(carl)"]))
    for count in (1, 300):
        more = facts | Database.of(parse_atom(f"n({number}, x)") for number in range(count))
        path = folder / f"{count}"
        write(more, path, format=format)
        yield from (file.read_bytes() for file in (sorted(path.iterdir()) if path.is_dir() else [path]))
    if format == "sqlite":
        with sqlite3.connect(folder / "views") as connection:
            connection.executescript(
                "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, x'00'); CREATE VIEW v AS SELECT 1"
            )
        connection.close()
        yield (folder / "views").read_bytes()


def _check(error: PossilogError) -> None:
    assert len(str(error)) < LONGEST_MESSAGE, f"a message of {len(str(error))} characters"


def run(reader: str, seconds: float, seed: int) -> int:
    """Try cases for so long, and give their number."""
    number = 0
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        folder = Path(name)
        (folder / "seeds").mkdir()
        seeds = seeds_of(reader, folder / "seeds")
        end = time.process_time() + seconds
        while time.process_time() < end:
            content = mutated(random.Random(f"{seed} {number}"), seeds)
            began = time.process_time()
            try:
                TARGETS[reader](folder, content)
            except PossilogError as error:
                _check(error)
            except BaseException:
                print(f"case {number} of seed {seed}: {content[:300]!r}", file=sys.stderr)
                raise
            took = time.process_time() - began
            assert took < LONGEST_CASE, f"case {number} of seed {seed} took {took:.0f} s: {content[:300]!r}"
            number += 1
    return number


if __name__ == "__main__":
    cases = run(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    # Not by getrusage: that also has what the process had that began this one.
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    print(cases, int(peak[1]) >> 10 if peak else 0)

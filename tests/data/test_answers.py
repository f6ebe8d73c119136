"""How random tables are read, whole: `answers` keeps it, as `tests/transcribing.py` says.

What a column becomes, which table it refers to and what is told of it are many small decisions: each has tables here
in which it shows, with as many rows and values as its border asks for, and one more or less.
"""

from __future__ import annotations

import hashlib
import random
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from possilog import data
from possilog.data.builder import Builder
from possilog.data.tables import ForeignKey, RawTable, TableColumn, add_tables, clean_tables, find_mapping
from possilog.data.tables.cells import as_date, as_number, as_yes, date_orders, sign_of
from possilog.data.tables.composite import find_composite
from possilog.data.tables.report import mapping_lines, shared_types
from possilog.errors import PossilogError
from possilog.logic import Atom, Becomes
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]

NAMES = ["customers", "orders", "teams", "cities", "boxes", "departments", "sales.lines", "likes", "stationen"]
ENDS = ["id", "key", "code", "no", "nr"]
WORDS = ["customer", "order", "team", "city", "box", "dept", "line", "home_team", "awayTeamId", "cust_id", "day"]
WORDS += [
    "boss",
    "reports_to",
    "price",
    "points",
    "what",
    "name",
    "title",
    "value",
    "ref",
    "orderRef",
    "since",
    "status",
]
TEXT = "a long remark on something that nobody will ever read again, "


def cells(rng: random.Random, kind: str, rows: int) -> list[str]:
    """What stands in a column."""
    few = rng.choice([1, 2, 3, 4, 9, 10, 12, rows // 2 or 1])
    start = rng.choice([0, 1, 99, 100, 1000])
    match kind:
        case "key":
            return [str(start + row) for row in range(rows)]
        case "named":
            return [f"k{row}" for row in range(rows)]
        case "whole":
            return [str(start + rng.randrange(few)) for _ in range(rows)]
        case "again":
            return [str(start + row % few) for row in range(rows)]
        case "groups":
            return [str(start + row // few) for row in range(rows)]
        case "word":
            return [f"k{rng.randrange(few)}" for _ in range(rows)]
        case "yes":
            pair = rng.choice([("yes", "no"), ("Y", "n"), ("1", "0"), ("true", "off"), ("T", "N"), ("ja", "nein")])
            return [rng.choice(pair) for _ in range(rows)]
        case "number":
            form = rng.choice(["{:.1f}", "€ {:.2f}", "{:.0f} %", "{:,.2f}", "{:,.0f}", "{:.3e}"])
            return [form.format(rng.randrange(few) * 1234.5) for _ in range(rows)]
        case "comma":
            return [f"{rng.randrange(few)}.{rng.randrange(100, 999)},5" for _ in range(rows)]
        case "date":
            form = rng.choice(["{2}-{1:02}-{0:02}", "{0}/{1}/{2}", "{1}/{0}/{2}", "{0}.{1}.{2}", "{0} March {2}"])
            last = rng.choice([9, 12, 13, 28])
            return [
                form.format(rng.randint(1, last), rng.randint(1, 12), rng.choice([2020, 2021])) for _ in range(rows)
            ]
        case "text":
            return [f"{TEXT[: rng.choice([38, 39, 40, 41, 60])]}{row}" for row in range(rows)]
        case _:
            return ["k0"] * rows


KINDS = ["key", "named", "whole", "again", "groups", "word", "yes", "number", "comma", "date", "text", "one"]
ODD = ["", "", "NA", "?", "n/a", "007", "maybe", "k3"]


def tables(seed: int) -> list[RawTable]:
    """Two or three tables; keys of one may stand in another, and some of them are declared."""
    rng, found = random.Random(seed), list[RawTable]()
    names = rng.sample(NAMES, rng.choice([1, 2, 2, 3]))
    for name in names:
        rows = rng.choice([3, 9, 10, 11, 20, 30])
        called = rng.sample(WORDS, rng.randint(1, 5))
        own = rng.choice(["id", f"{name.rpartition('.')[2].removesuffix('s')}_{rng.choice(ENDS)}", "name", "nr"])
        called = [own, *called] if rng.random() < 0.7 else called
        columns = []
        for place, column in enumerate(dict.fromkeys(called)):
            keys = rng.choice(found).columns[0].values if found and rng.random() < 0.35 else ()
            kind = rng.choice(["key", "named", "groups", "word"] if not place else KINDS)
            values = [rng.choice(keys) for _ in range(rows)] if keys else cells(rng, kind, rows)
            for row in rng.sample(range(rows), rng.choice([0, 0, 0, 1, 2, rows // 2]) if place else 0):
                values[row] = rng.choice(ODD)
            columns.append(TableColumn.of(column, values))
        declared = (columns[0].name,) if rng.random() < 0.1 else ()
        foreign = [ForeignKey((columns[-1].name,), one.name) for one in found[:1] if rng.random() < 0.1]
        found.append(RawTable(name, tuple(columns), rows, f"{name}.csv", declared, tuple(foreign)))
    return clean_tables(found, None if rng.random() < 0.8 else ("k3",))


def read(seed: int) -> str:
    """The mapping of some tables, what is told of it, and the facts that come of it."""
    some = tables(seed)
    mapping, builder = find_mapping(some), Builder()
    lines = [*mapping_lines(mapping), *add_tables(some, mapping, builder)]
    database = builder.build()
    facts = [f"{predicate}: {_few(database.facts(predicate))}" for predicate in database.predicates]
    return "\n".join([*lines, *shared_types(database), *facts, f"denied: {_few(database.denied)}"])


def _few(atoms: Iterable[Atom]) -> str:
    every = sorted(map(str, atoms))
    return " ".join([f"{len(every)} facts", *every[:2], *every[-1:]])


def lines(seed: int) -> str:
    """The key of several columns that is found in a table of lines that belong to things."""
    rng = random.Random(seed)
    size, start = rng.choice([1, 2, 3, 4, 6, 8]), rng.choice([0, 1, 1, 2])
    cells = [
        (thing, start + line * rng.choice([1] * 40 + [2]), rng.randrange(3))
        for thing in range(rng.choice([2, 3, 9, 10, 12, 20]))
        for line in range(rng.randint(1, size) if rng.random() < 0.1 else size)
    ]
    rng.shuffle(cells)
    mark = rng.choice(["", "k", "k"])
    dated, coded = rng.random() < 0.2, rng.choice(["c{}", "{}", "{}.5", "{}/{}/2020"])
    told = {
        rng.choice(["order", "order_id", "station", "what"]): [f"{mark}{thing}" for thing, _, _ in cells],
        rng.choice(["line", "day", "item_no", "count"]): [
            f"2020-01-{line + 1:02}" if dated else str(line) for _, line, _ in cells
        ],
        rng.choice(["code", "kind"]): [coded.format(kind + 1, kind + 1) for _, _, kind in cells],
        "amount": [str(rng.randrange(5)) for _ in cells],
    }
    if rng.random() < 0.3:
        for row in rng.sample(range(len(cells)), rng.choice([1, 2]) if len(cells) > 2 else 1):
            told["amount"][row] = ""
    names = rng.sample(sorted(told), len(told)) if rng.random() < 0.4 else list(told)
    columns = tuple(TableColumn.of(name, [cell or None for cell in told[name]]) for name in names)
    key = find_composite(RawTable("lines", columns, len(cells)), [name for name in names if rng.random() < 0.2])
    return f"{len(cells)} rows of {', '.join(f'{one.name} ({len(one.values)})' for one in columns)}: key {key}"


def cell(value: str) -> str:
    """What one cell says, as each kind of cell."""
    numbers = [as_number(value, kind) for kind in (Becomes.NUMBER, Becomes.NUMBER_COMMA)]
    dates = [as_date(value, kind) for kind in (Becomes.DATE, Becomes.DATE_DMY, Becomes.DATE_MDY)]
    return (
        f"numbers {numbers}, dates {dates}, orders {sorted(date_orders([value]))}, {as_yes(value)}, {sign_of(value)!r}"
    )


HEADS = ["a", "b", "name", "id", "7", "", "argument1", "argument2", "2020-01-01", "yes", "head", "relation", "tail"]


def text(rng: random.Random) -> str:
    """A CSV file: of some width, with any mark between cells, and with or without a header."""
    width, mark = rng.choice([1, 2, 2, 3, 3]), rng.choice([",", ",", ";", "\t", "|", ", "])
    first = rng.sample(HEADS, width) if rng.random() < 0.6 else []
    first = rng.sample(["head", "relation", "tail"], 3) if width == 3 and rng.random() < 0.2 else first
    kinds = [rng.choice(["a{}", "{}", "{}.5", "2020-01-0{}", "{}/1/2020", "yes", "b", "NA", ""]) for _ in range(width)]
    rows = [[kind.format(rng.randint(1, 5)) for kind in kinds] for _ in range(rng.choice([0, 1, 2, 3, 4]))]
    if rows and rng.random() < 0.3:
        rng.choice(rows)[rng.randrange(width)] = rng.choice(["a", "NA", '"x', '"x, y"', "no", "", "1;2", "z,"])
    end = rng.choice(["\n", "\r\n", "\n\n"])
    return end.join(mark.join(row) for row in [*([first] if first else []), *rows]) + rng.choice(["", end])


def files(seed: int) -> str:
    """What is read from some CSV files, and what is told of them."""
    rng = random.Random(seed)
    texts = {f"{name}.csv": text(rng) for name in "pqr"[: rng.choice([1, 1, 2, 3])]}
    how: dict[str, Any] = {"header": rng.choice([None, None, None, True, False]), "as_is": rng.random() < 0.7}
    told = [f"{name}: {written!r}" for name, written in texts.items()] + [str(how)]
    return "\n".join([*told, *outcome(texts, how)])


def outcome(texts: Mapping[str, str], how: Mapping[str, Any]) -> list[str]:
    """What is read from files, or why not, and what is told."""
    told = []
    with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for name, written in texts.items():
            Path(folder, name).write_bytes(written.encode())
        try:
            database = data.read(*(Path(folder, name) for name in texts), **how)
            told += [str(atom) for atom in database] + [f"not {atom}" for atom in database.denied]
            told += [f"{predicate} {database.argument_names(predicate)}" for predicate in database.predicates]
        except PossilogError as error:
            told.append(f"{type(error).__name__}: {error}".replace(f"{folder}/", ""))
        told += [str(each.message).replace(f"{folder}/", "") for each in warned]
    return told


def file(name: str, written: str) -> str:
    """What is read from one file, whose text has its ends of lines and tabs as Python writes them."""
    return "\n".join(outcome({name: written.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")}, {}))


def made(what: str, seed: int) -> str:
    """How much is generated by a seed, and a digest of it: it is the same everywhere."""
    if what == "shop":
        tables = data.shop(seed).tables
        return "\n".join(f"{name}: {len(columns)} columns, {_digest(columns)}" for name, columns in tables.items())
    university = data.university(7 * seed, noise=0.1 * (seed % 3), seed=seed)
    facts = [
        f"{p}: {university.database.count(p)}, {_digest(university.database.facts(p))}"
        for p in university.database.predicates
    ]
    return "\n".join([*facts, *(f"{one.name} {one.reliability} {one.before} {one.after}" for one in university.soft)])


def _digest(what: object) -> str:
    text = str(what) if isinstance(what, dict) else " ".join(map(str, what))  # type: ignore[call-overload]
    return hashlib.sha256(text.encode()).hexdigest()[:12]


ASKED: dict[str, Callable[[int], str]] = {
    "tables": read,
    "lines": lines,
    "files": files,
    "shop": partial(made, "shop"),
    "university": partial(made, "university"),
}


@pytest.mark.parametrize("path", PATHS)
def test_tables_are_read_as_they_were(path: Path, request: pytest.FixtureRequest) -> None:
    def ask(question: str) -> str:
        what, _, rest = question.partition(" ")
        if what.endswith(":"):
            return file(what.removesuffix(":"), rest)
        return ASKED[what](int(rest)) if what in ASKED else cell(question)

    compare(path, ask, request)

"""How random tables are read, whole: `answers` keeps it, as `tests/transcribing.py` says.

What a column becomes, which table it refers to and what is told of it are many small decisions: each has tables here
in which it shows, with as many rows and values as its border asks for, and one more or less.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from possilog.data.builder import Builder
from possilog.data.tables import ForeignKey, RawTable, TableColumn, add_tables, clean_tables, find_mapping
from possilog.data.tables.cells import as_date, as_number, as_yes, date_orders, sign_of
from possilog.data.tables.composite import find_composite
from possilog.data.tables.report import mapping_lines, shared_types
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


@pytest.mark.parametrize("path", PATHS)
def test_tables_are_read_as_they_were(path: Path, request: pytest.FixtureRequest) -> None:
    def ask(question: str) -> str:
        what, _, seed = question.partition(" ")
        return read(int(seed)) if what == "tables" else lines(int(seed)) if what == "lines" else cell(question)

    compare(path, ask, request)

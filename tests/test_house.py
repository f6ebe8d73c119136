"""The rules of the house, read from the plan in docs/architecture.md and checked on every source file."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "possilog"
PLAN = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

PEOPLE = {"cli", "report", "explorer"}  # these rooms talk to people: they may print and exit
READERS = PEOPLE | {"data"}  # these touch files; elsewhere only a module called files.py does
SURFACE = {"__init__", "__main__"}  # shows what the rooms hold, so it may import them all


def read_plan(text: str) -> dict[str, set[str]]:
    """For each room in the table, the rooms it may import. Rooms of one row may import each other."""
    plan: dict[str, set[str]] = {}
    for first, last in re.findall(r"^\| (`[^|]*) \|[^|]*\| ([^|]*) \|$", text, re.MULTILINE):
        rooms = set(re.findall(r"`(\w+)`", first))
        allowed = set(plan) if last == "all above" else set(re.findall(r"`(\w+)`", last))
        plan |= dict.fromkeys(rooms, allowed | rooms)
    return plan


ALLOWED = read_plan(PLAN)
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(tree: ast.AST, path: Path) -> Iterator[str]:
    """The dotted names under possilog that a file imports, without the `possilog.`; the package itself is ''."""
    package = ["possilog", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "possilog" else [module]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "possilog":
                yield rest


def faults(tree: ast.AST, room: str, name: str) -> Iterator[str]:
    """What a library file should not do."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print")) if room not in PEOPLE:
                yield f"{node.lineno}: prints"
            case ast.Attribute(value=ast.Name(id="sys"), attr="exit") if room not in PEOPLE:
                yield f"{node.lineno}: exits"
            case ast.Name(id="exit" | "quit" | "SystemExit") if room not in PEOPLE:
                yield f"{node.lineno}: exits"
            case ast.ExceptHandler(type=None) if room not in PEOPLE:
                yield f"{node.lineno}: catches everything"
            case ast.ExceptHandler(type=ast.Name(id="Exception" | "BaseException"), body=[ast.Pass()]):
                yield f"{node.lineno}: swallows every error"
            case ast.Call(func=ast.Name(id="open")) if room not in READERS and name != "files.py":
                yield f"{node.lineno}: opens a file"


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_plan_can_be_read() -> None:
    assert ALLOWED["logic"] == {"logic"}
    assert ALLOWED["matching"] == {"logic", "data", "matching"}
    assert ALLOWED["learning"] >= {"inference", "chaining", "sat"}
    assert "markov" not in ALLOWED["learning"]
    assert ALLOWED["cli"] == set(ALLOWED)


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_imports_go_one_way(path: Path) -> None:
    room = room_of(path)
    common = {file.stem for file in PACKAGE.glob("*.py")} - set(ALLOWED) - SURFACE  # errors.py and its like
    assert room in ALLOWED.keys() | common | SURFACE, f"{room} is not in the plan of docs/architecture.md"
    if room in SURFACE | PEOPLE:
        allowed = ALLOWED.keys() | common | {"", "__version__"}
    else:
        allowed = ALLOWED.get(room, set()) | common
    wrong = {name for name in imported(parse(path), path) if name.partition(".")[0] not in allowed}
    assert not wrong, f"{room} may not import {sorted(wrong)}"


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_the_library_keeps_to_itself(path: Path) -> None:
    assert not list(faults(parse(path), room_of(path), path.name))


@pytest.mark.parametrize(
    "source",
    [
        "print(1)",
        "import sys; sys.exit(1)",
        "raise SystemExit",
        "try: f()\nexcept: g()",
        "try: f()\nexcept Exception: pass",
        "open('x')",
    ],
)
def test_faults_are_seen(source: str) -> None:
    assert list(faults(ast.parse(source), "logic", "clauses.py"))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from possilog.data import Database", ["data"]),
        ("from possilog import logic, errors", ["logic", "errors"]),
        ("import possilog.data.database as d, numpy", ["data.database"]),
        ("from . import clauses", ["logic"]),
        ("from ..data import Database", ["data"]),
        ("from .. import data", ["data"]),
        ("import possilog", [""]),
    ],
)
def test_imports_are_seen(source: str, names: list[str]) -> None:
    assert list(imported(ast.parse(source), PACKAGE / "logic" / "parser.py")) == names

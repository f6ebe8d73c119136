"""The rules of the house, read from the plan in docs/architecture.md and checked on every source file."""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from possilog.cli.contents import CONTENTS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "possilog"
PLAN = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

PEOPLE = {"cli", "report", "explorer"}  # these rooms talk to people: they may print and exit
READERS = PEOPLE | {"data"}  # these touch files; elsewhere only a module called files.py does
SURFACE = {"__init__", "__main__"}  # shows what the rooms hold, so it may import them all

MODULE_LINES = 500
FUNCTION_LINES = 50  # without the docstring
COMMON_LINES = 6  # that no two places share

PROGRAMS = {"sat.ganak_process"}  # run in a process of their own, so nobody imports them
COMMANDS = {f"cli.{name.replace('-', '_')}" for entries in CONTENTS.values() for name in entries}  # imported by name

# What is still as it should not be. A test fails as soon as a line here is no longer needed; none is ever added.
LONG_MODULES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
SAME_CLASSES: set[str] = set()
HIDDEN_MODULES: set[str] = set()
UNREACHED: set[str] = set()
COMMON: set[str] = set()


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


def modules_named(tree: ast.AST, path: Path) -> Iterator[str]:
    """The modules that a file's imports name; `from possilog.data import bundled` names the module, not the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name for name in imported(node, path) if name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            for package in set(imported(node, path)):
                inner = {f"{package}.{alias.name}" for alias in node.names} & MODULES.keys()
                whole = {package} & MODULES.keys() if len(inner) < len(node.names) else set()
                yield from inner | whole


class _AtOnce(ast.NodeTransformer):
    """Leaves out what an import of the module does not run: bodies of functions, and what is for the type checker."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        pass

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_If(self, node: ast.If) -> ast.AST:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            node.body = [ast.Pass()]
        return self.generic_visit(node)


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def reached(graph: dict[str, set[str]], start: Collection[str]) -> set[str]:
    """What can be come to from the start; a module brings its package with it."""
    found: set[str] = set()
    to_do = list(start)
    while to_do:
        module = to_do.pop()
        if module in graph and module not in found:
            found.add(module)
            to_do += [*graph[module], module.rpartition(".")[0]]
    return found


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How long a function is, without its docstring and decorators."""
    first = function.body[0]
    said = first.end_lineno - first.lineno + 1 if ast.get_docstring(function) and first.end_lineno else 0
    return (function.end_lineno or 0) - function.lineno + 1 - said


def stretches(tree: ast.Module, text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lines of code in a row, with the number of the first; imports, `__all__`, strings and comments do not count."""
    aside: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Import()
                | ast.ImportFrom()
                | ast.Expr(value=ast.Constant())
                | ast.Assign(targets=[ast.Name(id="__all__")])
            ):
                aside |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code = [(number, line.partition("  #")[0].strip()) for number, line in enumerate(text.splitlines(), 1)]
    code = [(number, line) for number, line in code if number not in aside and line and line[0] != "#"]
    for start in range(len(code) - COMMON_LINES + 1):
        yield code[start][0], tuple(line for _, line in code[start : start + COMMON_LINES])


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


def read_code(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


parse = cache(read_code)
"""The same for all who change nothing in it."""


def module_name(path: Path) -> str:
    """The dotted name under possilog; the package itself is ''."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


MODULES = {module_name(path): path for path in FILES}
PUBLIC = {name for name in MODULES if name in ALLOWED} | {"", "__main__"}  # where users begin


def graph_of(at_once: bool) -> dict[str, set[str]]:
    """Which module imports which; only what happens at once, or also what happens later or never."""
    kept = {name: _AtOnce().visit(read_code(path)) if at_once else parse(path) for name, path in MODULES.items()}
    return {name: set(modules_named(tree, MODULES[name])) - {name} for name, tree in kept.items()}


def test_the_plan_can_be_read() -> None:
    assert ALLOWED["logic"] == {"logic"}
    assert ALLOWED["matching"] == {"logic", "data", "matching"}
    assert ALLOWED["learning"] >= {"inference", "chaining", "sat"}
    assert "markov" not in ALLOWED["learning"]
    assert ALLOWED["cli"] == set(ALLOWED)


def test_the_plan_leads_one_way() -> None:
    """A row names rooms above it, or says `nothing of ours` or `all above`."""
    assert read_plan("| `a` | x | nothing of ours |\n| `b`, `c` | x | `a` |\n| `d` | x | all above |\n") == {
        "a": {"a"},
        "b": {"a", "b", "c"},
        "c": {"a", "b", "c"},
        "d": {"a", "b", "c", "d"},
    }
    above: set[str] = set()
    for first, last in re.findall(r"^\| (`[^|]*) \|[^|]*\| ([^|]*) \|$", PLAN, re.MULTILINE):
        known = last in ("nothing of ours", "all above") or set(last.split(", ")) <= {f"`{room}`" for room in above}
        assert known, f"the row of {first} names what is not above it: {last}"
        above |= set(re.findall(r"`(\w+)`", first))


def test_modules_are_short() -> None:
    assert {short(path) for path in FILES if len(path.read_text("utf-8").splitlines()) > MODULE_LINES} == LONG_MODULES


def test_functions_are_short() -> None:
    functions = [
        (f"{short(path)} {node.name}", lines_of(node))
        for path in FILES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert {name for name, lines in functions if lines > FUNCTION_LINES} == LONG_FUNCTIONS


def test_the_hot_loops_are_optimised_whatever_the_environment_says() -> None:
    """Flags of the environment take the place of those of Python, so that ours have to be said with the loops."""
    setup = (ROOT / "setup.py").read_text()
    assert '"-O3"' in setup and "extra_compile_args=FLAGS" in setup
    assert "CFLAGS" not in (ROOT / "scripts" / "env").read_text()


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert not cycle(graph_of(at_once=True))


def test_every_module_is_used() -> None:
    graph = graph_of(at_once=False)
    assert set(graph) - reached(graph, PUBLIC | PROGRAMS | COMMANDS) == UNREACHED


def test_one_word_is_one_thing() -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in FILES:
        for node in parse(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(short(path))
    assert {name for name, modules in homes.items() if len(modules) > 1} == SAME_CLASSES


def test_what_is_called_of_makes_one() -> None:
    """Neither a look-up nor what computes for long: that is a name of its own, or ``fit``."""
    for path in FILES:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef) and node.name == "of":
                assert [ast.unparse(one) for one in node.decorator_list] == ["classmethod"], short(path)


def test_no_name_hides_a_module() -> None:
    """`from possilog.data.schema import schema` in a package makes `import possilog.data.schema as m` a function."""
    hidden = {
        f"{package}.{alias.asname or alias.name}"
        for package, path in MODULES.items()
        if path.name == "__init__.py"
        for node in parse(path).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{package}.{alias.asname or alias.name}" in MODULES and node.module != f"possilog.{package}"
    }
    assert hidden == HIDDEN_MODULES


def test_no_two_places_share_six_lines() -> None:
    places: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in FILES:
        text = path.read_text("utf-8")
        for number, lines in stretches(parse(path), text):
            places[lines].append(f"{short(path)}:{number}")
    shared = {place.partition(":")[0] for found in places.values() if len(found) > 1 for place in found}
    assert shared == COMMON, [found for found in places.values() if len(found) > 1]


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


def test_no_tests_are_grouped_but_by_their_file() -> None:
    """With pytest 9.2 the groups of pytest-xdist 3.8 are not kept together, and nothing says so."""
    mark = "xdist" + "_group"
    assert not [path.name for path in (ROOT / "tests").rglob("*.py") if mark in path.read_text("utf-8")]
    for script in ("test", "pythons"):
        assert "--dist loadfile --no-loadscope-reorder" in (ROOT / "scripts" / script).read_text("utf-8")

"""The public surface: what users may import, pinned."""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pandas
import pytest

import possilog
from possilog import Database, PossilogError, errors, markov
from possilog.counting import TooLarge
from possilog.markov import parse_mln
from test_docs import PAGES, ROOT, blocks

ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "possilog").glob("*/__init__.py"))
PLACES = ["possilog", *(f"possilog.{room}" for room in ROOMS)]  # what is public, and their `__all__` says which names

PUBLIC: list[str] = vars(possilog)["__all__"]
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(possilog, name))]


def names_imported(source: str) -> Iterator[tuple[str, str]]:
    """Where from and what the examples of a block import from possilog."""
    for example in doctest.DocTestParser().get_examples(source):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "possilog":
                yield from ((node.module or "", alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names if alias.name.partition(".")[0] == "possilog")


def is_public(place: str, name: str) -> bool:
    return place in PLACES and (not name or name in getattr(import_module(place), "__all__", []))


def test_docs_use_what_is_public() -> None:
    used = {
        f"{place}.{name}"
        for page in PAGES
        for block in blocks(page.read_text(encoding="utf-8"), page.name)
        if block.language == "python" and not block.title
        for place, name in names_imported(block.body)
        if not is_public(place, name)
    }
    assert not used


def test_what_is_public_is_in_the_docs() -> None:
    """Each name of `possilog` stands in an example or in `code` somewhere in the docs."""
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    code = "\n".join(
        part
        for page in pages
        for part in [*re.findall(r"`([^`\n]+)`", page), *re.findall(r"^ *>>>.*|^ *\.\.\. .*", page, re.MULTILINE)]
    )
    assert not set(PUBLIC) - set(re.findall(r"\w+", code))


def test_a_name_has_at_most_two_places() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for place in PLACES:
        for name in getattr(import_module(place), "__all__", []):
            places[name].append(place)
    assert not {name for name, found in places.items() if len(found) > 2}


def test_every_public_name_is_there() -> None:
    for name in set(PUBLIC) - {"__version__"}:
        assert getattr(possilog, name).__module__.startswith("possilog.")
    assert re.match(r"\d+\.\d+", possilog.__version__)


def test_type_checkers_see_the_same_names() -> None:
    stub = ast.parse((ROOT / "src" / "possilog" / "__init__.pyi").read_text(encoding="utf-8"))
    seen = {
        (alias.asname, node.module) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert {name for name, _ in seen} == set(PUBLIC) - {"__version__"}
    for name, home in seen:
        assert getattr(import_module(home or ""), name or "") is getattr(possilog, name or "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_says_all_that_is_to_be_known(name: str) -> None:
    """What it takes, what it gives, what it refuses, and how it is called."""
    function = getattr(possilog, name)
    text = inspect.getdoc(function) or ""
    sections = re.split(r"^(\w+)\n-+\n", text, flags=re.MULTILINE)
    said = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert list(said) == ["Parameters", "Returns", "Raises", "Examples"]
    listed = re.findall(r"^\*{0,2}(\w[\w, ]*) : ", said["Parameters"], re.MULTILINE)
    assert [one for line in listed for one in line.split(", ")] == list(inspect.signature(function).parameters)
    assert ">>> " in said["Examples"]
    refused = re.findall(r"^(\w+)$", said["Raises"], re.MULTILINE)
    assert refused and all(issubclass(getattr(errors, one, TooLarge), PossilogError) for one in refused)


THEORY, FACTS = possilog.parse_theory("0.9 :: flies(X) :- bird(X)."), [possilog.parse_atom("bird(a)")]
NETWORK = parse_mln("P(t)\nt = {A}\n1 P(x)")
USUAL: dict[str, object] = {
    **{"theory": THEORY, "text": "p(a)", "query": "bird(X)", "network": NETWORK, "hard_rules": ()},
    **{"database": Database.of(FACTS), "data": FACTS, "facts": FACTS, "evidence": FACTS, "given": FACTS},
    **{"one": THEORY, "other": THEORY, "path": "nowhere.db", "frames": {}, "name": "village", "rules": THEORY},
}
ODD: list[object] = [
    *(None, 3, -1, 1.5, float("nan"), True, "x", "p(", "", b"x", object(), print, int),
    *([], (), {}, [1], [None], ["p(a)"], ("a", "r", "b"), [("a", "r", "b")], {"p": 1}, {"p": [1]}, {1: 2}, {"a"}),
    [[1]],
    *(THEORY, NETWORK, FACTS[0], Database.of(FACTS), pandas.DataFrame({"a": [1]}), numpy.zeros((2, 2))),
]
CALLED = [
    *((possilog, name) for name in FUNCTIONS),
    *((markov, name) for name in markov.__all__ if inspect.isfunction(getattr(markov, name))),
]


@pytest.mark.parametrize(("place", "name"), CALLED, ids=lambda part: part if isinstance(part, str) else part.__name__)
@pytest.mark.filterwarnings("ignore::possilog.DataWarning")
def test_what_cannot_be_taken_is_an_error_of_ours(
    place: ModuleType, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(place, name)
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "progress"]
    needed = {p.name: USUAL.get(p.name) for p in named if p.default is p.empty}
    for parameter in named:
        for odd in ODD:
            try:
                function(**{**needed, parameter.name: odd})
            except PossilogError as error:
                assert len(str(error)) < 1_000


CLAUSE, BIRD, BUILT = THEORY.rules[0].clause, FACTS[0].predicate, Database.of(FACTS)
HALF = possilog.Weight.of("0.5")
MADE: dict[str, tuple[object, ...]] = {
    **{"Variable": ("X",), "Constant": ("a",), "Predicate": ("p", 0), "Weight": (Decimal("0.5"),)},
    **{"Atom": (possilog.Predicate("p", 0), ()), "Literal": (FACTS[0], True), "Clause": ((FACTS[0],), ())},
    **{"Query": ((possilog.Literal(FACTS[0]),),), "Rule": (CLAUSE, HALF), "Stratum": (HALF, THEORY.rules)},
    **{"Theory": ((), possilog.Weight.of(0), (), (), ()), "Evidence": (BUILT, ()), "Matcher": (BUILT,)},
    **{"Database": (("a",), {BIRD: BUILT.rows(BIRD)}), "Words": ({}, ()), "Provenance": ((), 0, 0, {})},
    **{"Reasoner": (THEORY,), "Settings": ("prediction", 3, "earned", 2, 5)},
}
"""Classes that people make things of, and good values for each place."""


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_made_of_what_cannot_be_taken(name: str) -> None:
    kind, good = getattr(possilog, name), MADE[name]
    kind(*good)
    for place in range(len(good)):
        text = [] if (name, place) in {("Constant", 0), ("Predicate", 0)} else ["x" * 100_000]
        for odd in (None, 3.5, object(), [1], (1,), (None,), pandas.DataFrame({7: [1]}), *text):
            with pytest.raises(PossilogError) as refused:
                kind(*good[:place], odd, *good[place + 1 :])
            assert len(str(refused.value)) < errors.LONGEST_MESSAGE + 100


ROWS = BUILT.rows(BIRD)


@pytest.mark.parametrize(
    ("constants", "rows"),
    [
        (["b", "a"], ROWS),
        (["a", "a"], ROWS),
        (["a"], ROWS.astype(float)),
        (["a"], ROWS[0]),
        (["a"], ROWS + 1),
        (["a"], ROWS - 1),
        (["a"], numpy.concatenate([ROWS, ROWS])),
        (["a"], numpy.concatenate([ROWS, ROWS], axis=1)),
        (["a", "b"], numpy.array([[1, 0]])),
    ],
)
def test_a_database_is_in_order(constants: list[str], rows: numpy.ndarray[Any, Any]) -> None:
    with pytest.raises(errors.DataError, match=r"Database\.of takes plain facts"):
        Database(constants, {BIRD: rows})


OF_OTHER_ROOMS = {"image_rows", "in_force", "row", "using"}
"""Methods of public classes that people have no use for."""
INSTANCES: dict[str, object] = {
    **{"Atom": FACTS[0], "Clause": CLAUSE, "Database": BUILT, "Evidence": possilog.Evidence(BUILT)},
    **{"Literal": possilog.Literal(FACTS[0]), "Matcher": possilog.Matcher(BUILT), "Predicate": BIRD},
    **{"Prediction": possilog.predict(THEORY, FACTS), "Query": possilog.parse_query("bird(X)"), "Theory": THEORY},
    **{"Reasoner": possilog.Reasoner(THEORY), "Words": possilog.Words(), "Rule": THEORY.rules[0]},
}
GOOD = {**USUAL, "predicate": BIRD, "atom": FACTS[0], "bindings": {}, "weight": HALF, "constants": ["a"]}
GOOD |= {"query": possilog.parse_query("bird(X)"), "literal": possilog.Literal(FACTS[0]), "order": (0,), "clauses": ()}
GOOD |= {"clause": CLAUSE, "constant": "a", "head": [possilog.Variable("X")], "heads": [["a"]], "literals": ()}
GOOD |= {"variables": [possilog.Variable("X")], "relations": {}, "renumber": numpy.zeros(1, dtype=int), "declared": {}}


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.filterwarnings("ignore::possilog.DataWarning")
def test_methods_say_what_they_take(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    thing, tried, refused = INSTANCES[name], 0, 0
    for word in {word for word in dir(thing) if not word.startswith("_")} - OF_OTHER_ROOMS:
        method = getattr(thing, word)
        if not inspect.ismethod(method):
            continue
        named = [p for p in inspect.signature(method).parameters.values() if p.kind not in (p.VAR_POSITIONAL,)]
        needed = {p.name: GOOD.get(p.name) for p in named if p.default is p.empty}
        for parameter in named:
            for odd in [*ODD, pandas.DataFrame({"a": [1]}), "x" * 100_000]:
                tried += 1
                try:  # anything but an error of ours ends the test
                    made = method(**{**needed, parameter.name: odd})
                    next(made, None) if isinstance(made, Iterator) else None
                except PossilogError:
                    refused += 1
    assert refused or not tried, "something is odd for every class"


@pytest.mark.parametrize("odd", [None, "x", "1ex", "9e9999999", object(), [], "x" * 100_000, float("nan"), 2])
def test_a_weight_of_what_is_none(odd: Any) -> None:
    for make in (possilog.Weight.of, possilog.Weight.of_doubt, possilog.Weight.parse):
        with pytest.raises(PossilogError):
            make(odd)


@pytest.mark.parametrize("odd", ["x", "x" * 100_000, 2, [], object(), pandas.DataFrame({"a": [1]})])
def test_a_share_that_is_none(odd: Any) -> None:
    for kind in (possilog.Local, possilog.Global, possilog.Fragments):
        with pytest.raises(PossilogError, match="share"):
            kind(share=odd)


RESULTS: dict[str, Callable[[], object]] = {
    "Learned": lambda: possilog.learn(possilog.load("village"), width=2, body=1, max_rules=1),
    "Weighing": lambda: possilog.weigh(possilog.parse_theory("? :: p(X) :- q(X)."), ["p(a)", "q(a)", "q(b)"]),
    "HardRules": lambda: possilog.find_hard_rules(possilog.load("village"), variables=2),
    "FoundRules": lambda: possilog.find_rules(possilog.load("village"), ()),
    "Schema": lambda: possilog.schema(possilog.load("village")),
    "Theory": lambda: possilog.parse_theory("0.9 :: p(X) :- q(X)."),
    "Database": lambda: possilog.load("village"),
    "Evidence": lambda: possilog.Evidence.of(["p(a)", "not q(a)"]),
    "Prediction": lambda: possilog.predict(possilog.parse_theory("0.9 :: p(X) :- q(X)."), ["q(a)"]),
    "Check": lambda: possilog.check(possilog.parse_theory("0.9 :: p(X) :- q(X)."), ["q(a)"]),
    "Difference": lambda: possilog.Reasoner(possilog.parse_theory("0.9 :: p(X) :- q(X).")).what_if(
        ["q(a)"], add=["q(b)"]
    ),
    "Why": lambda: possilog.Reasoner(possilog.parse_theory("0.9 :: p(X) :- q(X).")).why("p(a)", ["q(a)"]),
    "WhyNot": lambda: possilog.Reasoner(possilog.parse_theory("0.9 :: p(X) :- q(X).")).why_not("p(b)", ["q(a)"]),
    "Mined": lambda: possilog.mine(possilog.load("village")),
    "Portrait": lambda: possilog.portray(possilog.parse_theory("0.9 :: p(X) :- q(X).")),
    "Converted": lambda: possilog.convert(possilog.parse_theory("0.9 :: p(X) :- q(X)."), "prolog"),
    "TheoryDifference": lambda: possilog.compare_theories(
        possilog.parse_theory("p(X)."), possilog.parse_theory("q(X).")
    ),
    "Atom": lambda: possilog.parse_atom("p(a)"),
    "Rule": lambda: possilog.parse_rule("0.9 :: p(X) :- q(X)."),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_says_in_one_line_what_it_is(kind: str) -> None:
    result = RESULTS[kind]()
    assert re.fullmatch(rf"<{kind}\b.{{1,120}}>", repr(result))
    assert str(result) and "object at" not in str(result)


SAID_OTHERWISE = {"Theory", "Database", "Evidence", "Converted", "Atom", "Rule"}
"""What is text itself, or facts."""


@pytest.mark.parametrize("kind", [kind for kind in RESULTS if kind not in SAID_OTHERWISE])
def test_a_result_can_be_written_as_json(kind: str) -> None:
    written = json.dumps(RESULTS[kind]().as_json)  # type: ignore[attr-defined]
    assert written.startswith("{") and len(written) > 10


def test_strings_are_taken_where_a_person_would_write_them(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("parent(ann, bob)\nparent(bob, eve)\n")
    path = str(tmp_path / "facts.db")
    facts = possilog.read(path)
    assert possilog.schema(path) == possilog.schema(facts)
    assert possilog.infer_types(path) == possilog.infer_types(facts)
    asked = "parent(X, Y), parent(Y, Z)"
    for matcher in (possilog.Matcher(path), possilog.Matcher(facts)):
        assert matcher.exists(asked) and matcher.count(asked) == 1 == matcher.count_images(asked)
        assert list(matcher.matches(asked)) == [{"X": "ann", "Y": "bob", "Z": "eve"}]
        assert list(matcher.matches(asked)) == list(matcher.matches(possilog.parse_query(asked)))
        assert list(matcher.projections(asked, [possilog.Variable("Z")])) == [{"Z": "eve"}]
        assert matcher.covered(asked, [possilog.Variable("X")], [["ann"], ["bob"]]) == [True, False]
        assert list(matcher.images(asked)) == [frozenset({"ann", "bob", "eve"})]


def test_rules_are_searched_for_what_is_named() -> None:
    said, lives = ":- parent(X, X).", possilog.Predicate("livesIn", 2)
    village = possilog.load("village")
    expected = possilog.find_rules(village, [possilog.parse_clause(said)], [lives])
    for name in ("livesIn", "livesIn/2", lives):
        assert possilog.find_rules("village", [said], [name, lives]).rules == expected.rules != ()
    assert [rule["rule"] for rule in expected.as_json["rules"]] == [str(rule.clause) for rule in expected.rules]
    with pytest.raises(errors.QueryError, match="no facts of nobody to learn from; the predicates are adult, cat"):
        possilog.find_rules(village, [], ["nobody"])
    with pytest.raises(errors.QueryError, match="the hard rules are a list of Clause or str, and not ':- p"):
        possilog.find_rules(village, said)


def test_facts_that_ship_go_by_their_name_unless_there_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    theory = possilog.parse_theory("0.9 :: married(X, Y) :- married(Y, X).")
    village = possilog.load("village")
    assert possilog.schema("village") == possilog.schema(village)
    assert possilog.predict(theory, "village").as_json == possilog.predict(theory, village).as_json
    (tmp_path / "village").write_text("married(ann, bob)\n")
    assert possilog.schema("village").as_json["facts"] == 1
    assert len(possilog.predict(theory, "village").evidence.facts) == 1


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        possilog.nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("statement", ["import possilog", "import possilog.cli"])
def test_importing_brings_in_nothing_heavy(statement: str) -> None:
    """Help must come at once, so numpy, duckdb and the rest wait until they are needed."""
    program = f"import sys; {statement}; print(*{{'numpy', 'duckdb', 'pandas', 'possilog.data'}} & set(sys.modules))"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == ""


def test_progress_is_told_to_a_function() -> None:
    village = possilog.load("village")
    jobs: list[Callable[..., object]] = [possilog.learn, possilog.mine, possilog.find_hard_rules]
    jobs.append(partial(possilog.find_rules, hard_rules=()))
    jobs.append(partial(possilog.write_report, THEORY, path="report.html"))
    for job in jobs:
        for wrong in (None, "print", [print], 3):
            with pytest.raises(errors.QueryError, match="a function that takes a step"):
                job(village, progress=wrong)

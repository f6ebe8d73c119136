"""The public surface: what users may import, pinned."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module

import pytest

import possilog
from test_docs import PAGES, ROOT, blocks

ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "possilog").glob("*/__init__.py"))
PLACES = ["possilog", *(f"possilog.{room}" for room in ROOMS)]  # what is public, and their `__all__` says which names

# What is still as it should not be. A test fails as soon as a line here is no longer needed; none is ever added.
PRIVATE_IN_DOCS = {"possilog.data.bundled", "possilog.data.bundled.load", "possilog.data.generate.university"}
NOT_IN_DOCS = {
    "Atom",
    "Check",
    "Clause",
    "Core",
    "Difference",
    "Explainer",
    "Learned",
    "Literal",
    "Prediction",
    "Proof",
    "Query",
    "Rule",
    "Schema",
    "Weighing",
    "Weight",
    "Why",
    "WhyNot",
    "Words",
    "parse_rule",
    "parse_words",
}
IN_MANY_PLACES = {"Evidence", "read_evidence"}


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
    assert used == PRIVATE_IN_DOCS


def test_what_is_public_is_in_the_docs() -> None:
    """Each name of `possilog` stands in an example or in `code` somewhere in the docs."""
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    code = "\n".join(
        part
        for page in pages
        for part in [*re.findall(r"`([^`\n]+)`", page), *re.findall(r"^ *>>>.*|^ *\.\.\. .*", page, re.MULTILINE)]
    )
    assert set(possilog.__all__) - set(re.findall(r"\w+", code)) == NOT_IN_DOCS


def test_a_name_has_at_most_two_places() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for place in PLACES:
        for name in getattr(import_module(place), "__all__", []):
            places[name].append(place)
    assert {name for name, found in places.items() if len(found) > 2} == IN_MANY_PLACES


def test_every_public_name_is_there() -> None:
    assert sorted(possilog.__all__) == sorted(possilog._HOME_OF)
    for name in possilog.__all__:
        assert getattr(possilog, name).__module__.startswith("possilog.")


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        possilog.nothing  # noqa: B018


@pytest.mark.parametrize("statement", ["import possilog", "import possilog.cli"])
def test_importing_brings_in_nothing_heavy(statement: str) -> None:
    """Help must come at once, so numpy, duckdb and the rest wait until they are needed."""
    program = f"import sys; {statement}; print(*{{'numpy', 'duckdb', 'pandas', 'possilog.data'}} & set(sys.modules))"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == ""

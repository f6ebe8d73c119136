"""Every example in the README and the docs is run, in the order of its page.

- A block with title="NAME" is written to that file first, in a folder of the page's own.
- A python block is a doctest; a page has one namespace.
- A console block holds possilog commands after `$ ` and what they print; `...` stands for anything.
- Other blocks (sh, text, ...) are only for reading.
"""

import doctest
import os
import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from command import run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SLOW = {"learning.md", "markov.md", "structure.md"}  # pages whose examples learn
FENCE = re.compile(r"^(?P<fence> *`{3,})(?P<head>[^`\n]*)\n(?P<body>.*?)^(?P=fence) *$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    language: str
    title: str | None
    body: str
    page: str
    line: int  # of the body's first line, from 1


def blocks(text: str, page: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        head = match["head"].strip()
        title = re.search(r'title="([^"]*)"', head)
        language = re.match(r"[\w+-]*", head)
        yield Block(
            language=language[0] if language else "",
            title=title[1] if title else None,
            body=textwrap.dedent(match["body"]),
            page=page,
            line=text.count("\n", 0, match.start("body")) + 1,
        )


def run_page(text: str, page: str, folder: Path) -> None:
    """Run the examples of a page; the current folder has to be `folder`."""
    found = list(blocks(text, page))
    for block in found:
        if block.title:
            path = folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in found:
        if block.title:
            continue
        if block.language == "python":
            run_python(block, namespace)
        elif block.language == "console":
            run_console(block)


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.body, {}, block.page, block.page, block.line - 1)
    assert test.examples, f"{block.page}:{block.line}: a python block needs >>> lines, or it is not tested"
    test.globs = namespace
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def run_console(block: Block) -> None:
    before, *steps = re.split(r"^\$ ", block.body, flags=re.MULTILINE)
    assert not before.strip(), f"{block.page}:{block.line}: a console block begins with a `$ ` line"
    for step in steps:
        command, _, expected = step.replace("\\\n", " ").partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "possilog", f"{block.page}:{block.line}: only possilog is run here; mark the block sh"
        status, printed = possilog(arguments)
        if not doctest.OutputChecker().check_output(tidy(expected), tidy(printed), FLAGS):
            pytest.fail(f"{block.page}:{block.line}: $ {command}\nexpected:\n{expected}\nprinted:\n{printed}")
        # An example of a mistake shows the error; any other has to succeed.
        assert status == 0 or "error" in expected.lower(), f"{block.page}:{block.line}: $ {command}: exit {status}"


VILLAGE = ("learn", "village", "-o", "village.pl")
"""What several pages begin with. It takes seconds, and is done once for them."""


def possilog(arguments: list[str]) -> tuple[int, str]:
    if tuple(arguments) != VILLAGE:
        return printed_by(arguments)
    status, printed, theory = learned_village()
    Path("village.pl").write_text(theory, encoding="utf-8")
    return status, printed


@cache
def learned_village() -> tuple[int, str, str]:
    status, printed = printed_by(VILLAGE)
    return status, printed, Path("village.pl").read_text(encoding="utf-8")


def printed_by(arguments: Sequence[str]) -> tuple[int, str]:
    plain = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONUTF8": "1"}
    done = run(*arguments, env=plain, together=True)
    return done.returncode, re.sub(r"^\[[^\]\n]*\]\n", "", done.stdout, flags=re.MULTILINE)  # without phases


def tidy(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.rstrip().splitlines())


def marks_of(page: Path) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if page.name in SLOW else []


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=str(page.relative_to(ROOT)), marks=marks_of(page)) for page in PAGES],
)
def test_examples_do_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), str(page.relative_to(ROOT)), tmp_path)


def test_a_page_has_one_namespace_and_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = """
```text title="facts/a.db"
Likes(ann, bob)
```
```python
>>> from pathlib import Path
>>> text = Path("facts/a.db").read_text()
```
- indented:
  ```python
  >>> text
  'Likes(ann, bob)\\n'
  ```
```sh
rm -rf nothing-here-is-run
```
"""
    run_page(page, "page", tmp_path)
    assert (tmp_path / "facts" / "a.db").exists()


@pytest.mark.parametrize(
    "page",
    [
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nx = 1\n```\n",
        "```console\n$ ls\n```\n",
        "```console\npossilog --help\n```\n",
        "```console\n$ possilog --help\nnot what it prints\n```\n",
    ],
)
def test_a_wrong_page_fails(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_page(page, "page", tmp_path)

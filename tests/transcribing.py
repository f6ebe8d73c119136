"""Transcripts: what was asked, each after a `$ `, and all that came of it, kept in a file and compared whole.

`--rewrite` writes what comes today into the files; the difference is there to be read, line by line, before it is kept.
How long something took, and versions, are shown as `*`, and long numbers with four digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import pytest

__all__ = ["body_of", "compare"]

OTHERWISE = [
    (re.compile(r'("(?:\w+_)?(?:seconds|version|possilog|ms|iterations|gradient)": )[^,{}\n]+'), r"\1*"),
    (re.compile(r"\b\d[\d.]*(?:e-\d+)?( CPU)? (s|seconds|ms|minutes)\b"), r"* \2"),
    (re.compile(r'("(?:hard rules|candidates|held-out parts|simulation|ordering|weights)": )[\d.e-]+'), r"\1*"),
    (re.compile(r"^\[[^\]\n]*\]\n", re.MULTILINE), ""),  # phases
    (re.compile(r"\b(possilog|python|numpy|scipy|highspy) \d+\.[\d.]*\d"), r"\1 *"),
    (re.compile(r"after \d+ iterations, gradient \S+"), "after * iterations, gradient *"),
    (re.compile(r'name="token" value="[^"]*"'), 'name="token" value="*"'),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?[.\d]*(Z|\+00:00)?"), "*"),
]
"""What is different on every run, and what stands there instead."""

LONG = re.compile(r"\b\d+\.\d{6,}(e[-+]\d+)?\b")
"""Numbers with more digits than every machine has to agree on."""


def body_of(page: str) -> str:
    """What is in the body of a page, a line for each tag, without what matplotlib draws."""
    page = re.sub(r"(?s)<svg[^>]*xmlns:xlink.*?</svg>", "<svg>a plot</svg>", page)
    inside = re.sub(r"(?s)^.*<body[^>]*>|<script.*?</script>|<style.*?</style>|</body>.*$", "", page)
    return re.sub(r">\s*<", ">\n<", inside)


def compare(path: Path, ask: Callable[[str], str], request: pytest.FixtureRequest) -> None:
    """Ask again what a transcript asks, and hold what comes to what came."""
    expected = path.read_text(encoding="utf-8")
    asked = [line.removeprefix("$ ") for line in expected.splitlines() if line.startswith("$ ")]
    found = "".join(f"$ {one}\n{_told(ask(one))}" for one in asked)
    if request.config.getoption("--rewrite"):
        path.write_text(found, encoding="utf-8")
    else:
        difference = list(unified_diff(expected.splitlines(), found.splitlines(), path.name, "today", lineterm="", n=1))
        assert not difference, "\n".join(difference[:200])


def _told(text: str) -> str:
    for pattern, instead in OTHERWISE:
        text = pattern.sub(instead, text)
    text = LONG.sub(lambda found: f"{float(found[0]):.4g}", text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())

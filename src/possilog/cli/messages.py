"""What a command prints: results as JSON; errors, warnings and notes, each of one line and none without bounds."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TextIO

from possilog.errors import shortened

__all__ = ["LONGEST", "MOST", "in_json", "say", "say_all", "show"]

LONGEST = 1_000
"""Characters of a message; in Python they may have more."""

MOST = 20
"""Warnings, or notes, of one command."""


def in_json(found: object) -> str:
    """A result as JSON for people, too: its names as they are spelled."""
    return json.dumps(found, indent=2, ensure_ascii=False)


def show(found: object) -> None:
    """Print text as it is, and anything else as JSON; where both streams go to one place, before what is said of it."""
    print(found if isinstance(found, str) else in_json(found), flush=True)


def say(kind: str, message: object, where: TextIO | None = None) -> None:
    """Print a message of a kind, to stderr unless told otherwise."""
    print(f"{kind}: {shortened(message, LONGEST)}", file=where or sys.stderr)


def say_all(kind: str, messages: Sequence[object], where: TextIO | None = None) -> None:
    """Print the first of some messages, and how many more there are."""
    for message in messages[:MOST]:
        say(kind, message, where)
    if len(messages) > MOST:
        say(kind, f"and {len(messages) - MOST:,} more, left out", where)

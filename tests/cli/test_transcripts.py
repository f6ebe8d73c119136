"""What commands print and write for small files, whole; `tests/transcribing.py` says how.

A transcript runs in a copy of `transcripts/files`. Beside `possilog`, `cat FILE` shows a file and `page FILE` the body
of a page.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from command import run
from transcribing import body_of, compare

FOLDER = Path(__file__).with_name("transcripts")
PATHS = [pytest.param(path, id=path.stem) for path in sorted(FOLDER.glob("*.txt"))]
PARTS = {
    "data.reading.frames._BATCH": 3,
    "data.reading.intake._BATCH": 3,
    "data.reading.text._PIECE": 16,
    "data.tables.predicates._BATCH": 3,
    "data.texts.MANY": 2,
    "data.texts._RUN": 3,
    "data.writing.text._CHUNK": 3,
    "evaluation.links._CELLS": 30,
    "evaluation.running._FEW": 2,
    "inference.completing.LEAST_STEPS": 5,
    "inference.fragments._VERDICTS_KEPT": 2,
    "inference.horn.PATIENCE": 1,
    "inference.many.AT_A_TIME": 1,
    "inference.ranking.AT_ONCE": 2,
    "markov.likelihood._CHUNK": 3,
    "matching.joins.MOST_ROWS": 5,
    "matching.joins._DENSE": 0,
    "matching.matcher.BUDGET": 20,
    "matching.matcher._MANY_HEADS": 2,
    "matching.matcher._PLANS_KEPT": 1,
    "structure.candidates.AT_ONCE": 8,
    "structure.clause_space._ALL_ORDERS": 1,
    "structure.horn._FEW": 1,
    "structure.levels._BATCH": 2,
    "structure.paths.closed.MOST_STEPS": 20,
    "structure.paths.conjunctions.AT_ONCE": 64,
    "structure.paths.conjunctions.MOST_KEPT": 40,
    "structure.pool.FACTS": 2,
    "structure.pool.LOOKUPS": 50,
    "structure.pool.LOOKUPS_LATER": 10,
    "structure.pool._AT_ONCE": 8,
    "structure.pool._MOST_BYTES": 64,
}
"""How much is taken at a time, kept or remembered: it decides about time and memory, and nothing else."""

WHOLE = {"bad-input", "converting", "learning", "learning-again", "networks", "reports", "village-experiment"}
"""Transcripts that are not tried in parts: there is little to part, or it takes long."""


def came_of(folder: Path, constants: Mapping[str, float], line: str) -> str:
    """What a command prints."""
    program, *arguments = shlex.split(line)
    if program == "possilog":
        plain = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONUTF8": "1"}
        done = run(*arguments, cwd=folder, env=plain, together=True, constants=constants)
        return done.stdout + (f"exit {done.returncode}\n" if done.returncode else "")
    file = folder / arguments[0]
    text = file.read_text(encoding="utf-8") if file.exists() else f"there is no {arguments[0]}\n"
    return body_of(text) if program == "page" else text


@pytest.mark.parametrize("path", PATHS)
def test_commands_print_and_write_what_they_did(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(FOLDER / "files", tmp_path, dirs_exist_ok=True)
    compare(path, partial(came_of, tmp_path, {}), request)


@pytest.mark.parametrize("path", [path for path in PATHS if path.id not in WHOLE])
def test_they_do_in_small_parts_what_they_do_at_once(
    path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not request.config.getoption("--rewrite"):
        shutil.copytree(FOLDER / "files", tmp_path, dirs_exist_ok=True)
        compare(path, partial(came_of, tmp_path, PARTS), request)

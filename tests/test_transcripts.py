"""What commands print and write for small files, whole; `tests/transcribing.py` says how.

A transcript runs in a copy of `transcripts/files`. Beside `possilog`, `cat FILE` shows a file and `page FILE` the body
of a page.
"""

from __future__ import annotations

import os
import shlex
import shutil
from functools import partial
from pathlib import Path

import pytest

from command import run
from transcribing import body_of, compare

FOLDER = Path(__file__).with_name("transcripts")


def came_of(folder: Path, line: str) -> str:
    """What a command prints."""
    program, *arguments = shlex.split(line)
    if program == "possilog":
        plain = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONUTF8": "1"}
        done = run(*arguments, cwd=folder, env=plain, together=True)
        return done.stdout + (f"exit {done.returncode}\n" if done.returncode else "")
    file = folder / arguments[0]
    text = file.read_text(encoding="utf-8") if file.exists() else f"there is no {arguments[0]}\n"
    return body_of(text) if program == "page" else text


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in sorted(FOLDER.glob("*.txt"))])
def test_commands_print_and_write_what_they_did(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(FOLDER / "files", tmp_path, dirs_exist_ok=True)
    compare(path, partial(came_of, tmp_path), request)

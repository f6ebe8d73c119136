"""The page of limits has the numbers of the code, and what it says of memory is so."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from budget import size
from interpreted import interpreted
from test_docs import ROOT

ROWS = [
    (number, constant, more)
    for line in (ROOT / "docs" / "limits.md").read_text(encoding="utf-8").splitlines()
    for number, constant, more in re.findall(r"^\| .* \| ([\d,]+) \| .* \| `([\w.]+)`(.*) \|$", line)
]


def test_the_page_has_rows() -> None:
    table = [line for line in (ROOT / "docs" / "limits.md").read_text(encoding="utf-8").splitlines() if "`" in line]
    assert len(ROWS) == sum(line.startswith("|") for line in table) > 30


@pytest.mark.parametrize(("number", "constant", "more"), ROWS, ids=[constant for _, constant, _ in ROWS])
def test_a_limit_is_what_the_page_says(number: str, constant: str, more: str) -> None:
    room, _, name = constant.rpartition(".")
    # What is declared for the compiler alone is seen only in the file.
    hidden = {"chaining.store": ("chaining.store",), "chaining.chainer": ("chaining.store", "chaining.join", room)}
    module = interpreted(*hidden[room]) if room in hidden else None
    value = getattr(module or import_module(f"possilog.{room}"), name)
    assert int(number.replace(",", "")) == value - (more == " less one")


PROGRAM = """
import re, sys
from pathlib import Path
from possilog import Atom, Database, parse_theory, predict
how, count = sys.argv[1], int(sys.argv[2])
facts = Database.of(Atom.ground("e", ["hub", f"c{n}"]) for n in range(count))
theory = parse_theory('''
    0.9 :: busy(X) :- e(X, A), e(X, B), e(X, C), e(X, D).
    0.8 :: idle(X) :- e(X, A), e(X, B), e(X, C), e(X, D).
    :- busy(X), idle(X).
''')
found = predict(theory, facts, how)
memory = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
print(*(conclusion.atom for conclusion in found.added), int(memory[1]) >> 10)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("how", ["local", "global"])
def test_a_hub_takes_little_memory(how: str) -> None:
    """10,000 facts about one constant, and bodies of four atoms about it: 10 to the power of 16 matches."""
    count = "1000" if size() == "fast" else "10000"
    command = [sys.executable, "-c", PROGRAM, how, count]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    *atoms, memory = finished.stdout.split()
    assert atoms == ["busy(hub)"] and 0 < int(memory) < 500


TABLE = """
import re, sys, warnings
from pathlib import Path
from possilog import read
warnings.simplefilter("ignore")
facts = read(sys.argv[1])
memory = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
print(len(facts), int(memory[1]) >> 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_table_takes_little_memory(format: str, tmp_path: Path) -> None:
    """300,000 rows with a key and two more columns; in one piece they took 270 MB, and a million 724."""
    import duckdb

    path = tmp_path / f"people.{format}"
    cells = "'p' || i AS id, 'town' || (i * 7) % 200 AS city, 'p' || (i * 31) % 60000 AS boss"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {cells} FROM range(300000) t(i)) TO '{path}'")
    finished = subprocess.run([sys.executable, "-c", TABLE, str(path)], capture_output=True, text=True, check=True)
    facts, memory = map(int, finished.stdout.split())
    assert facts == 600_000 and 0 < memory < 230

"""The only place that knows which model counter (Ganak) and which solver with XOR constraints (CryptoMiniSat) we use.

Both are optional: they do not exist for every system.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from time import monotonic
from types import TracebackType

from possilog.deadline import NEVER, Deadline
from possilog.errors import MissingPart, PossilogError

__all__ = ["ModelCounter", "XorSolver", "has_ganak", "has_xor_solver"]


def has_ganak() -> bool:
    """Can models be counted by Ganak here?"""
    return find_spec("pyganak") is not None


def has_xor_solver() -> bool:
    """Can formulas with XOR constraints be solved here?"""
    return find_spec("pycryptosat") is not None


def _need(there: bool, package: str) -> None:
    if not there:
        raise MissingPart(f"{package} is not installed, and this needs it; pip install 'possilog[counting]'")


class ModelCounter:
    """Counts models by Ganak, in a process of its own: Ganak has no time limit, but a process can be stopped.

    >>> if has_ganak():
    ...     with ModelCounter() as counter:
    ...         assert counter.count(4, [[1, 2], [-2, 3]]) == 8
    """

    def __init__(self) -> None:
        """Make sure that Ganak is there; the process starts with the first question."""
        _need(has_ganak(), "pyganak")
        self._process: subprocess.Popen[str] | None = None

    def count(self, atoms: int, clauses: Sequence[Sequence[int]], seconds: float | None = None) -> int | None:
        """How many models over the atoms 1, 2, … have the clauses? None where the time is not enough."""
        if not all(clauses):
            return 0  # Ganak passes over empty clauses
        if seconds is not None and seconds <= 0:
            return None
        self._process = process = self._process or _start()
        until = None if seconds is None else monotonic() + seconds
        timer = None if seconds is None else Timer(seconds, process.kill)
        if timer is not None:
            timer.start()
        try:
            answer = _ask(process, json.dumps([atoms, clauses]))
        finally:
            if timer is not None:
                timer.cancel()
        late = until is not None and monotonic() >= until
        if late or not answer:
            self.close()  # it may have been stopped after its answer, too
        if not late and not answer:
            raise PossilogError("the model counter Ganak stopped without an answer; is there enough memory?")
        return int(answer, 16) if answer else None

    def close(self) -> None:
        """Stop the process."""
        if self._process is not None:
            self._process.kill()
            with suppress(BrokenPipeError), self._process:  # waits for it, and closes the pipes
                pass
            self._process = None

    def __enter__(self) -> ModelCounter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _ask(process: subprocess.Popen[str], question: str) -> str:
    """The process's answer; nothing where it has stopped."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(question + "\n")
        process.stdin.flush()
        return process.stdout.readline()
    return ""


def _start() -> subprocess.Popen[str]:
    program = Path(__file__).with_name("ganak_process.py")
    # -P: the folder of that file is no place to import from. -X: Ganak's numbers come by way of long decimal texts.
    return subprocess.Popen(
        [sys.executable, "-P", "-X", "int_max_str_digits=0", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="ascii",
    )


class XorSolver:
    """Clauses and XOR constraints over the atoms 1, 2, …; finds one model after the other.

    >>> if has_xor_solver():
    ...     solver = XorSolver(2, [[1, 2]])
    ...     solver.add_xor([1, 2], False)
    ...     assert solver.next_model() == [1, 2]
    """

    def __init__(self, atoms: int, clauses: Iterable[Sequence[int]] = ()) -> None:
        """Take the number of atoms, and clauses to begin with."""
        _need(has_xor_solver(), "pycryptosat")
        from pycryptosat import Solver

        self._atoms = range(1, atoms + 1)
        # False first: models with few true atoms are the quickest to look at.
        self._solver = Solver(threads=1, options={"polar": "false"})
        self._solver.add_clauses([[atom, -atom] for atom in self._atoms])  # so that each atom has a value in a model
        self.extend(clauses)

    def extend(self, clauses: Iterable[Sequence[int]]) -> None:
        """More clauses."""
        for clause in clauses:
            self._solver.add_clause(list(clause))

    def add_xor(self, atoms: Sequence[int], odd: bool) -> None:
        """The number of these atoms that are true is odd, or even."""
        self._solver.add_xor_clause(list(atoms), odd)

    def next_model(self, stop: Deadline = NEVER) -> list[int] | None:
        """The true atoms of a model; None where there is none, TimeoutError when ``stop`` says so."""
        found, values = None, ()
        while found is None:
            if stop():
                raise TimeoutError
            # The solver's clock is that of the processor, which may be shared: so it is given little at a time.
            left = stop.left
            limits = {} if left is None else {"time_limit": min(max(left, 0.01), 1)}
            found, values = self._solver.solve(**limits)
        return [atom for atom in self._atoms if values[atom]] if found else None

    def exclude(self, model: Iterable[int]) -> None:
        """No model with exactly these true atoms any more."""
        true = set(model)
        self._solver.add_clause([-atom if atom in true else atom for atom in self._atoms])

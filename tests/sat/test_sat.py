"""Other people's solvers against trying all assignments, and what happens when time or a process is up."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random

import pytest

from possilog.deadline import Deadline
from possilog.errors import MissingPart, PossilogError
from possilog.sat import Solver, counters
from possilog.sat.counters import ModelCounter, XorSolver, has_ganak, has_xor_solver
from possilog.sat.maxsat import MaxSat, solve_maxsat

needs_ganak = pytest.mark.skipif(not has_ganak(), reason="pyganak is not installed")
needs_xors = pytest.mark.skipif(not has_xor_solver(), reason="pycryptosat is not installed")

Clauses = list[list[int]]
FORMULA: Clauses = [[1, 2], [-2, 3]]


def formulas(number: int, atoms: int = 5) -> Iterator[Clauses]:
    """Random clauses of one to three literals; some cannot be satisfied."""
    chance = Random(7)
    for _ in range(number):
        lengths = chance.choices([1, 2, 3], k=chance.randint(0, 9))
        yield [[chance.choice([-1, 1]) * atom for atom in chance.sample(range(1, atoms + 1), n)] for n in lengths]


def holds(clause: Sequence[int], true: frozenset[int]) -> bool:
    return any((abs(literal) in true) == (literal > 0) for literal in clause)


def models(atoms: int, clauses: Clauses) -> list[frozenset[int]]:
    """The true atoms of all assignments that satisfy some clauses."""
    chosen = product([False, True], repeat=atoms)
    every = (frozenset(atom for atom, is_true in enumerate(one, 1) if is_true) for one in chosen)
    return [true for true in every if all(holds(clause, true) for clause in clauses)]


def test_one_solver_answers_question_after_question() -> None:
    for clauses in formulas(60):
        with Solver(clauses) as solver:
            for assumptions in ([], [1], [-2, 3], [1, -1]):
                fitting = models(5, [*clauses, *([one] for one in assumptions)])
                assert solver.solve(assumptions) == bool(fitting)
                if fitting:
                    assert solver.model() <= {1, 2, 3, 4, 5} and all(holds(one, solver.model()) for one in clauses)
                else:
                    assert solver.core() <= {*assumptions}
                    assert not models(5, [*clauses, *([one] for one in solver.core())])


# MaxSAT


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_no_model_of_the_hard_clauses_costs_less(seconds: float | None) -> None:
    chance, without = Random(3), 0
    for hard in formulas(60):
        soft = [(clause, chance.randint(1, 4)) for clause in next(formulas(1, 4)) + hard[:2] + [[-1], [2]]]
        soft = [(clause if chance.random() < 0.5 else [-clause[0]], weight) for clause, weight in soft]
        costs = [sum(weight for clause, weight in soft if not holds(clause, one)) for one in models(5, hard)]
        found = solve_maxsat(hard, soft, seconds)
        assert not found.interrupted and (found.true is None) == (not costs)
        if found.true is None:
            without += 1
            continue
        assert found.cost == min(costs) and min(found.true, default=1) > 0
        assert found.cost == sum(weight for clause, weight in soft if not holds(clause, found.true))
    assert 0 < without < 40


def test_without_wishes_any_model_will_do() -> None:
    assert solve_maxsat([[1], [-1, 2], [-3, 3]], []) in (MaxSat(frozenset({1, 2}), 0), MaxSat(frozenset({1, 2, 3}), 0))
    assert solve_maxsat([[1], [-1]], []) == MaxSat(None, 0)


def test_what_is_interrupted_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that waits until it is interrupted; what waits for the time to be over keeps no program from ending."""
    from pysat.examples.rc2 import RC2Stratified

    interrupted = threading.Event()
    timers: list[bool] = []

    def compute(solver: RC2Stratified, expect_interrupt: bool) -> None:
        timers.extend(one.daemon for one in threading.enumerate() if isinstance(one, threading.Timer))
        assert expect_interrupt and interrupted.wait(60)
        solver.cost = 5

    monkeypatch.setattr(RC2Stratified, "interrupt", lambda solver: interrupted.set())
    monkeypatch.setattr(RC2Stratified, "compute", compute)
    assert solve_maxsat([[1]], [([-1], 5)], 0.01) == MaxSat(None, 5, interrupted=True)
    assert timers == [True]


# Counting


@needs_ganak
def test_models_are_counted() -> None:
    with ModelCounter() as counter:
        for clauses in formulas(40):
            assert counter.count(5, clauses, 60) == counter.count(5, clauses) == len(models(5, clauses))
        assert counter.count(3, [[1], []]) == 0 and counter.count(70, []) == 1 << 70
        timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
        assert all(one.finished.is_set() for one in timers)  # a thread takes a moment to end


@needs_ganak
@pytest.mark.parametrize("seconds", [0, -1])
def test_without_time_no_process_is_begun(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "_start", None)
    with ModelCounter() as counter:
        assert counter.count(4, FORMULA, seconds) is None


def running(program: str) -> Callable[[], subprocess.Popen[str]]:
    """Begins a process that answers in its own way."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return lambda: subprocess.Popen([sys.executable, "-S", "-c", program], text=True, **pipes)  # type: ignore[call-overload]


@needs_ganak
def test_a_counter_that_is_too_slow_is_stopped_and_another_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    start = counters._start
    with ModelCounter() as counter:
        monkeypatch.setattr(counters, "_start", running("import time; time.sleep(60)"))
        assert counter.count(4, FORMULA, 0.05) is None
        monkeypatch.setattr(counters, "_start", start)
        assert counter.count(4, FORMULA) == 8


@needs_ganak
@pytest.mark.parametrize("seconds", [None, 60])
def test_a_counter_that_ends_by_itself_is_an_error(seconds: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    start = counters._start
    with ModelCounter() as counter:
        monkeypatch.setattr(counters, "_start", running("input()"))
        with pytest.raises(PossilogError, match="Ganak stopped without an answer"):
            counter.count(4, FORMULA, seconds)
        monkeypatch.setattr(counters, "_start", start)
        assert counter.count(4, FORMULA, seconds) == 8


@needs_ganak
@pytest.mark.parametrize(("answered", "processes"), [(14.9, 1), (15.0, 2), (15.1, 2)])
def test_an_answer_that_comes_late_counts_but_its_process_may_have_been_stopped(
    answered: float, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[subprocess.Popen[str]] = []
    clock = iter([10.0, answered])
    monkeypatch.setattr(counters, "monotonic", lambda: next(clock))
    start = running("while True: input(); print('1f', flush=True)")

    def begin() -> subprocess.Popen[str]:
        begun.append(start())
        return begun[-1]

    monkeypatch.setattr(counters, "_start", begin)
    with ModelCounter() as counter:
        assert counter.count(4, FORMULA, 5) == 31 == counter.count(4, FORMULA)
    assert len(begun) == processes and all(one.poll() is not None for one in begun)


@needs_xors
def test_models_with_xor_constraints_one_by_one() -> None:
    chance = Random(1)
    for clauses in formulas(30):
        xors = [(chance.sample(range(1, 6), chance.randint(1, 4)), chance.random() < 0.5) for _ in range(2)]
        solver = XorSolver(5, clauses)
        for atoms, odd in xors:
            solver.add_xor(atoms, odd)
        found: list[list[int]] = []
        while (model := solver.next_model(Deadline(60) if len(found) % 2 else Deadline())) is not None:
            found.append(model)
            solver.exclude(model)
        fitting = [one for one in models(5, clauses) if all(len(one & {*some}) % 2 == odd for some, odd in xors)]
        assert sorted(found) == sorted(map(sorted, fitting))
    with pytest.raises(TimeoutError):
        XorSolver(2).next_model(Deadline(0))


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "find_spec", lambda name: None)
    assert not has_ganak() and not has_xor_solver()
    for begin in (ModelCounter, lambda: XorSolver(2)):
        with pytest.raises(MissingPart, match=r"is not installed, .*pip install 'possilog\[counting\]'"):
            begin()
    monkeypatch.setattr(counters, "find_spec", lambda name: name)
    assert has_ganak() and has_xor_solver()

"""Inference: seconds per query on the authors' data, by size of evidence, and a Horn closure side by side with clingo.

    python benchmarks/inference.py [--facts 10000 100000 1000000] [--repeats 3] [--data ../shared/data]

The first tables ask the authors' theories about random parts of their test sets, as the paper does. The others use
random facts and a Horn theory of 50 rules: one question of each kind at growing sizes, and the closure under its
definite rules by possilog and by clingo, from facts in memory and from a file. A query begins with evidence in memory
and ends with all conclusions as atoms. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from possilog.chaining import chainer
from possilog.data import Database, Evidence, read, write
from possilog.inference import Reasoner
from possilog.logic import Clause, Predicate, Rule, Theory, Variable, Weight, read_theory

SIZES = {"uwcse": [10, 50, 100, 200, 300, 400, 500, 600, 700], "yeast": [10, 100, 500, 1000, 2000, 3000]}
KINDS = ("global", "fragment", "local")

LARGEST_BY_SAT = 100_000

X, Y, Z = (Variable(name) for name in "XYZ")
PAIRS = [Predicate(f"r{number}", 2) for number in range(20)]
MARKS = [Predicate(f"u{number}", 1) for number in range(12)]


# The authors' theories


def real_queries(folder: Path, name: str, sets: int, ours: Path | None) -> None:
    """Ask a published theory, and one of ours if there is one, about random parts of the test set."""
    place = folder / name / "ijcai17"
    theories = {"the authors'": read_theory(place / f"{name}.poss")}
    test = read(place / "test.db")
    if ours:
        theories["our"] = read_theory(ours)
    atoms = list(test)
    for owner, theory in theories.items():
        reasoner = Reasoner(theory)
        print(f"\n{name}, {owner} theory: median ms per query (slowest), {sets} evidence sets per size\n")
        print("| evidence | " + " | ".join(KINDS) + " |\n|---|" + "---|" * len(KINDS))
        for size in [size for size in SIZES[name] if size <= len(atoms)]:
            given = [Evidence.of(Random(seed).sample(atoms, size)) for seed in range(sets)]
            cells = []
            for kind in KINDS:
                times = []
                for evidence in given:
                    began = time.perf_counter()
                    list(reasoner.predict(evidence, kind).added)
                    times.append(1e3 * (time.perf_counter() - began))
                cells.append(f"{statistics.median(times):.2f} ({max(times):.1f})")
            print(f"| {size} | {' | '.join(cells)} |")


# Random facts and rules


def random_facts(facts: int, seed: int = 1) -> Database:
    """About that many facts, three in four of them pairs, over a third as many constants."""
    rng = np.random.default_rng(seed)
    constants = facts // 3
    names = sorted(f"c{number}" for number in range(constants))
    relations = {}
    for predicate in PAIRS[:10]:
        relations[predicate] = np.unique(rng.integers(0, constants, (facts * 3 // 40, 2), dtype=np.int32), axis=0).T
    for predicate in MARKS[:5]:
        relations[predicate] = np.unique(rng.integers(0, constants, facts // 18, dtype=np.int32))[np.newaxis]
    return Database(names, relations)


def random_rules(seed: int = 1) -> list[Clause]:
    """46 definite rules: a head comes after its body in the list of predicates, and two rules are recursive."""
    random = Random(seed)
    rules = []
    for number in range(16):
        pair = random.choice(PAIRS[:14])
        rules.append(Clause((MARKS[5 + number % 7](X),), (random.choice([pair(X, Y), pair(Y, X)]),)))
    for number in range(14):
        pair = random.choice(PAIRS[: 10 + number // 2])
        rules.append(Clause((PAIRS[10 + number // 2 + 1](X, Y),), (random.choice([pair(X, Y), pair(Y, X)]),)))
    for number in range(14):
        one, other = random.choice(PAIRS[:10]), random.choice(PAIRS[:10])
        mark = random.choice(MARKS[:5])
        rules.append(Clause((PAIRS[18 + number % 2](X, Z),), (one(X, Y), other(Y, Z), mark(Y))))
    rules.append(Clause((MARKS[11](Y),), (MARKS[11](X), PAIRS[0](X, Y), MARKS[0](Y))))
    rules.append(Clause((PAIRS[18](X, Y),), (PAIRS[18](Y, X), MARKS[1](X))))
    return rules


def random_theory() -> Theory:
    """The definite rules, every other one soft in ten strata, and four constraints that some conclusions break."""
    rules = [
        Rule(clause, Weight.of_doubt(f"0.{1 + number // 2 % 10:02d}") if number % 2 else Weight.of(1))
        for number, clause in enumerate(random_rules())
    ]
    kept = [rule for rule in rules if not rule.is_hard]
    constraints = [
        Clause((), (PAIRS[19](X, Y), PAIRS[19](Y, X))),
        Clause((), (PAIRS[19](X, Y), MARKS[2](X), MARKS[3](Y))),
        Clause((), (PAIRS[17](X, X),)),
        Clause((), (PAIRS[16](X, Y), PAIRS[19](X, Y))),
    ]
    return Theory((*(rule for rule in rules if rule.is_hard), *map(Rule, constraints), *kept))


def large_queries(sizes: list[int]) -> None:
    """One question of each kind, at growing sizes, each in a process of its own so that memory can be told."""
    theory = random_theory()
    print(f"\n{len(theory)} Horn rules, {len(theory.strata)} strata: one query\n")
    print("| facts | kind | added | conflicts | CPU s | µs per fact | peak GB |\n|---|---|---|---|---|---|---|")
    for size in sizes:
        for kind in ("global", "local"):
            command = [sys.executable, __file__, "--one", str(size), kind]
            print(subprocess.run(command, capture_output=True, text=True, check=True).stdout, end="", flush=True)


def one_query(size: int, kind: str) -> None:
    """One question, and what it took."""
    database = random_facts(size)
    reasoner = Reasoner(random_theory())
    began = time.process_time()
    prediction = reasoner.predict(database, kind)
    added = sum(1 for _ in prediction.added)
    took = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"| {len(database):,} | {kind} | {added:,} | {len(prediction.conflicts):,} | {took:.2f} "
        f"| {1e6 * took / len(database):.1f} | {peak:.2f} |"
    )


def disjunctive_queries(sizes: list[int]) -> None:
    """The same theory with one rule more that has two heads, so that SAT finds the cut."""
    choice = Rule(Clause((Predicate("good", 1)(X), Predicate("bad", 1)(X)), (MARKS[0](X), MARKS[1](X))))
    theory = Theory((*random_theory().rules, choice))
    print("\nthe same rules and one with two heads: the global cut by SAT\n")
    print("| facts | added | strata kept | CPU s | µs per fact |\n|---|---|---|---|---|")
    for size in sizes:
        database, reasoner = random_facts(size), Reasoner(theory)
        began = time.process_time()
        prediction = reasoner.predict(database, "global")
        took = time.process_time() - began
        print(
            f"| {len(database):,} | {len(prediction.added):,} | {prediction.strata_kept} | {took:.2f} "
            f"| {1e6 * took / len(database):.0f} |"
        )


# Against clingo


def as_program(rules: list[Clause]) -> str:
    """The rules for clingo: distinct variables are unequal."""
    lines = []
    for rule in rules:
        names = [variable.name for variable in rule.variables]
        unequal = [f"{a} != {b}" for n, a in enumerate(names) for b in names[n + 1 :]]
        lines.append(f"{rule.head[0]} :- {', '.join([*map(str, rule.body), *unequal])}.")
    return "\n".join(lines)


def cpu(task: Callable[[], int | None], repeats: int) -> tuple[float, Any]:
    """Median CPU seconds of a task, and its result."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        result = task()
        times.append(time.process_time() - began)
    return statistics.median(times), result


def closures(sizes: list[int], repeats: int) -> None:
    """The closure under the definite rules, by possilog and by clingo."""
    try:
        import clingo
    except ImportError:
        print("\nno comparison with clingo: it is not installed (pip install clingo)")
        return
    rules = random_rules()
    reasoner = Reasoner(Theory(tuple(map(Rule, rules))))
    print(f"\nthe closure under {len(rules)} definite rules, clingo {clingo.__version__}, CPU s, median of {repeats}\n")
    print("| facts | closure | what | possilog | clingo | clingo / possilog |\n|---|---|---|---|---|---|")
    for size in sizes:
        database = random_facts(size)
        with tempfile.TemporaryDirectory() as folder:
            path, program = Path(folder) / "facts.db", Path(folder) / "facts.lp"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # constants without facts are not in the file
                write(database, path)
            program.write_text(path.read_text().replace(")\n", ").\n"))
            tasks: list[tuple[str, Callable[[], int], Callable[[], int | None]]] = [
                ("facts in memory", partial(closed, reasoner, database), clingo_from_memory(database, rules)),
                ("facts in a file", partial(closed_file, reasoner, path), clingo_from_file(program, rules)),
                ("of that, reading the file", partial(read_only, path), clingo_reading(program, rules)),
                ("file to listed atoms", partial(listed, reasoner, path), clingo_listing(program, rules)),
                ("file to file", partial(saved, reasoner, path), clingo_listing(program, rules)),
            ]
            for what, our_task, their_task in tasks:
                mine, answer = cpu(our_task, repeats)
                other, their_answer = cpu(their_task, repeats)
                if their_answer not in (None, answer):
                    raise SystemExit(f"{what}: possilog has {answer} atoms, clingo {their_answer}")
                print(
                    f"| {len(database):,} | {answer:,} | {what} | {mine:.2f} | {other:.2f} | {other / mine:.1f} |",
                    flush=True,
                )


def closed(reasoner: Reasoner, database: Database) -> int:
    """How many atoms the closure has."""
    return len(database) + len(reasoner.predict(database, "global").added)


def closed_file(reasoner: Reasoner, path: Path) -> int:
    """The same, from a file."""
    return closed(reasoner, read(path))


def read_only(path: Path) -> int:
    """How many facts a file has."""
    return len(read(path))


def listed(reasoner: Reasoner, path: Path) -> int:
    """The closure of a file's facts, with every atom made."""
    return len(list(reasoner.predict(read(path), "global")))


def saved(reasoner: Reasoner, path: Path) -> int:
    """The closure of a file's facts, what was concluded in another file; clingo only lists its atoms in memory."""
    facts = read(path)
    prediction = reasoner.predict(facts, "global")
    prediction.save(path.with_name("conclusions.db"))
    return len(facts) + len(prediction.added)


def clingo_from_memory(database: Database, rules: list[Clause]) -> Callable[[], int]:
    """Facts that are clingo's own objects already, as possilog's are in a database."""
    import clingo

    names = [clingo.Function(name) for name in database.constants]
    facts = [
        clingo.Function(predicate.name, [names[number] for number in row])
        for predicate in database.predicates
        for row in database.rows(predicate).T.tolist()
    ]

    def close() -> int:
        control = clingo.Control(["--warn=none"])
        control.add("base", [], as_program(rules))
        with control.backend() as backend:
            for fact in facts:
                backend.add_rule([backend.add_atom(fact)])
        control.ground([("base", [])])
        return len(control.symbolic_atoms)

    return close


def loaded(program: Path, rules: list[Clause]) -> Any:
    """Facts and rules, parsed."""
    import clingo

    control = clingo.Control(["--warn=none"])
    control.add("base", [], as_program(rules))
    control.load(str(program))
    return control


def clingo_reading(program: Path, rules: list[Clause]) -> Callable[[], int | None]:
    """Parse only."""
    return lambda: loaded(program, rules) and None


def clingo_from_file(program: Path, rules: list[Clause]) -> Callable[[], int]:
    """Parse and ground: for Horn rules this is the closure."""

    def close() -> int:
        control = loaded(program, rules)
        control.ground([("base", [])])
        return len(control.symbolic_atoms)

    return close


def clingo_listing(program: Path, rules: list[Clause]) -> Callable[[], int]:
    """Parse, ground, solve, and list the atoms of the model."""

    def close() -> int:
        control = loaded(program, rules)
        control.ground([("base", [])])
        with control.solve(yield_=True) as handle:
            return len(handle.model().symbols(atoms=True))

    return close


def main() -> None:
    """Run all, or one query for ``large_queries``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sets", type=int, default=20, help="evidence sets for each size of the real data")
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    for name in SIZES:
        parser.add_argument(f"--{name}", type=Path, metavar="THEORY", help=f"a theory learned on {name}, asked too")
    parser.add_argument("--one", nargs=2, metavar=("SIZE", "KIND"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one_query(int(arguments.one[0]), arguments.one[1])
        return
    print(f"chainer: {'interpreted' if str(chainer.__file__).endswith('.py') else 'compiled'}")
    for name in SIZES:
        if (arguments.data / name).is_dir():
            real_queries(arguments.data, name, arguments.sets, arguments.uwcse if name == "uwcse" else arguments.yeast)
        else:
            print(f"\nno queries on {name}: {arguments.data / name} is not there")
    large_queries(arguments.facts)
    disjunctive_queries([size for size in arguments.facts if size <= LARGEST_BY_SAT])
    closures(arguments.facts, arguments.repeats)


if __name__ == "__main__":
    main()

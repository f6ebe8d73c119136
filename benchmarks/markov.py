"""MAP of the paper's Markov logic network on UWCSE: errors, and seconds a query, against the size of the evidence.

    python benchmarks/markov.py [--data FOLDER] [--repeats 5] [--solver highs]

FOLDER holds the real data sets; by default it is ../shared/data, beside the project. Evidence is a random set of true
atoms of the test set, the domain is made of its constants, the prediction is the evidence and what MAP adds, and the
error is the size of the symmetric difference with the whole test set. Times are seconds of one process with the network
loaded, medians. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import os

# Before numpy is imported: one core means one.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
from pathlib import Path

from possilog.chance import generator
from possilog.data import Database, read
from possilog.logic import Atom
from possilog.markov import MapState, map_state, read_mln

SHARED = Path(__file__).parents[2] / "shared" / "data"

REFERENCE = {
    10: 827.8,
    50: 782.8,
    100: 721.0,
    150: 660.6,
    200: 599.0,
    250: 547.4,
    300: 495.6,
    400: 395.2,
    500: 299.2,
    600: 208.4,
    700: 118.2,
}
"""Mean errors of an independent exact solver over 5 evidence sets of its own."""


def main() -> None:
    """Run the queries and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--solver", default="highs")
    options = parser.parse_args()
    network = read_mln(options.data / "uwcse/paper/alchemy.mln")
    test = list(read(options.data / "uwcse/paper/test.db"))
    map_state(network, Database.of(test[:10]), solver=options.solver)  # loads the solver
    print("| evidence | error | other solver's | gain | grounding, ms | solving, ms | rounds | atoms | clauses |")
    print("|---|---|---|---|---|---|---|---|---|")
    seconds = {}
    for size, reference in REFERENCE.items():
        errors, states = [], []
        for repeat in range(options.repeats):
            given = sample(test, size, repeat)
            states.append(map_state(network, Database.of(given), solver=options.solver))
            if not states[-1].optimal:
                raise SystemExit(f"no proof with {size} atoms, set {repeat}")
            errors.append(len({*given, *states[-1].predicted} ^ {*test}))
        error, spread = statistics.mean(errors), statistics.stdev(errors)
        seconds[size] = [
            statistics.median([state.grounding_seconds for state in states]),
            statistics.median([state.solving_seconds for state in states]),
        ]
        grounding, solving = (1000 * time for time in seconds[size])
        error_in_words = f"{error:.1f} ± {spread / options.repeats**0.5:.1f}"
        rounds, atoms, clauses = (mean(states, name) for name in ("rounds", "active", "clauses"))
        print(f"| {size} | {error_in_words} | {reference} | {len(test) - size - error:.1f} ", end="")
        print(f"| {grounding:.1f} | {solving:.1f} | {rounds:.1f} | {atoms:.0f} | {clauses:.0f} |")
    for place, name in enumerate(("grounding", "solving")):
        growth = seconds[700][place] / seconds[50][place]
        print(f"\n{name}: {growth:.2f} times as long with 700 atoms as with 50; linear would be 14 times")


def sample(atoms: list[Atom], size: int, repeat: int) -> list[Atom]:
    """A random evidence set."""
    chosen = generator(repeat, "evidence", str(size)).choice(len(atoms), size, replace=False)
    return [atoms[number] for number in chosen]


def mean(states: list[MapState], name: str) -> float:
    """The mean of a figure of some answers."""
    return float(statistics.mean(getattr(state, name) for state in states))


if __name__ == "__main__":
    main()

"""Markov logic on UWCSE: the paper's network, one that is learned here, and what their most probable worlds are worth.

    python benchmarks/markov.py [--data FOLDER] [--repeats 5] [--solver highs] [--learn]

With --learn, weights are learned for the paper's formulas, then formulas and weights from the training set, and the
errors are those of the learned network. Without it, they are those of the paper's network, with seconds per query.

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
import time
import warnings
from pathlib import Path

from possilog.chance import generator
from possilog.data import Database, read
from possilog.errors import DataWarning
from possilog.logic import Atom
from possilog.markov import MapState, Network, learn_network, learn_weights, map_state, read_mln

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
    parser.add_argument("--learn", action="store_true")
    options = parser.parse_args()
    network = read_mln(options.data / "uwcse/paper/alchemy.mln")
    test = list(read(options.data / "uwcse/paper/test.db"))
    if options.learn:
        warnings.simplefilter("ignore", DataWarning)  # the test set has a predicate that the training set lacks
        network = learn(network, read(options.data / "uwcse/paper/train.db"))
    table(network, test, options.repeats, options.solver)


def learn(paper: Network, train: Database) -> Network:
    """Learn weights, then a network, and print how that went."""
    learn_weights(Network(paper.declarations, paper.formulas[:1]), [train])  # loads the optimiser
    print("| weights | formulas | kinds of atoms | iterations | gradient | seconds | log-likelihood |")
    print("|---|---|---|---|---|---|---|")
    for weighted in (False, True):
        found = learn_weights(paper, [train], weighted=weighted)
        name = "weighted" if weighted else "plain"
        print(
            f"| {name} | {len(paper.formulas)} | {found.rows} | {found.iterations} | {found.gradient_norm:.1e} ", end=""
        )
        print(f"| {found.seconds:.2f} | {found.log_likelihood:.4f} |")
    began = time.process_time()
    learned = learn_network([train])
    seconds = time.process_time() - began
    print(f"\n{seconds:.1f} CPU seconds, {learned.judged:,} clauses judged in {learned.rounds} rounds,")
    print(f"weighted log-pseudo-likelihood {learned.weights.log_likelihood:.4f}, complete: {learned.complete}\n")
    print(f"```\n{learned.network}```\n")
    return learned.network


def table(network: Network, test: list[Atom], repeats: int, solver: str) -> None:
    """Errors and times of MAP against the size of the evidence."""
    map_state(network, Database.of(test[:10]), solver=solver)  # loads the solver
    print("| evidence | error | other solver's | gain | grounding, ms | solving, ms | rounds | atoms | clauses |")
    print("|---|---|---|---|---|---|---|---|---|")
    seconds = {}
    for size, reference in REFERENCE.items():
        errors, states = [], []
        for repeat in range(repeats):
            given = sample(test, size, repeat)
            states.append(map_state(network, Database.of(given), solver=solver))
            if not states[-1].optimal:
                raise SystemExit(f"no proof with {size} atoms, set {repeat}")
            errors.append(len({*given, *states[-1].predicted} ^ {*test}))
        error, spread = statistics.mean(errors), statistics.stdev(errors)
        seconds[size] = [
            statistics.median([state.grounding_seconds for state in states]),
            statistics.median([state.solving_seconds for state in states]),
        ]
        grounding, solving = (1000 * each for each in seconds[size])
        error_in_words = f"{error:.1f} ± {spread / repeats**0.5:.1f}"
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

"""What the process that counts models runs: it reads formulas and writes numbers, one on each line.

It is run by its path, so that it begins without importing anything of ours.
"""

from __future__ import annotations

import json
import os
import sys


def answer_all() -> None:
    """Count the models of one formula after the other, until there are no more."""
    # Ganak writes remarks where answers are expected, so answers go out by a way of their own.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    from pyganak import Counter

    for line in sys.stdin:
        atoms, clauses = json.loads(line)
        counter = Counter()
        counter.new_vars(atoms)
        counter.add_clauses(clauses)
        # In base 16, which Python reads at any length.
        answers.write(f"{counter.count():x}\n")
        answers.flush()


if __name__ == "__main__":
    answer_all()

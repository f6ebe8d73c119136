"""Draws from the relational marginal distribution, at any size of the data (Definition 4)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from possilog.data import Database
from possilog.marginals.distribution import number_of_subsets
from possilog.marginals.fragments import FragmentTable
from possilog.marginals.local import LocalExample

__all__ = ["sample"]


def sample(database: Database, width: int, *, seed: int) -> Iterator[LocalExample]:
    """Independent draws from P_{Υ,k}, without end, in the two steps of Definition 4.

    >>> from itertools import islice
    >>> from possilog.logic import parse_atom
    >>> facts = ["fr(alice, bob)", "fr(bob, alice)", "fr(bob, eve)", "fr(eve, bob)", "sm(alice)"]
    >>> drawn = list(islice(sample(Database.of(map(parse_atom, facts)), 2, seed=1), 600))
    >>> 60 < drawn.count(LocalExample.of([parse_atom("sm(2)")], width=2)) < 140  # its probability is 1/6
    True
    """
    number_of_subsets(database, width)
    return _draws(FragmentTable(database), len(database.constants), width, Random(seed))


def _draws(fragments: FragmentTable, constants: int, width: int, random: Random) -> Iterator[LocalExample]:
    numbers = range(1, width + 1)
    while True:
        fragment = fragments.local(sorted(random.sample(range(constants), width)))
        # A uniform numbering makes a uniform member of Υ[S]: each is made by equally many numberings, one for each
        # automorphism of the fragment.
        yield fragment.renumbered(dict(zip(numbers, random.sample(numbers, width), strict=True)))

"""What a theory says about many evidence sets, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from possilog.errors import QueryError
from possilog.files import AnyPath
from possilog.inference.conclusions import Listed
from possilog.inference.kinds import LOCAL, How, how_of
from possilog.inference.prediction import Prediction
from possilog.inference.reasoner import Reasoner
from possilog.inference.taken import Given, evidence_of, is_path, theory_of
from possilog.logic import Theory
from possilog.workers import Jobs, hands, in_order

__all__ = ["predict_many"]

AT_A_TIME = 4
"""Evidence sets that go to a worker together."""


def predict_many(
    theory: Theory | AnyPath, evidence: Iterable[Given], how: How | str = LOCAL, *, jobs: Jobs = 1
) -> Iterator[Prediction]:
    """What a theory says about each of many evidence sets, in their order.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        All its rules need a weight.
    evidence : list of evidence sets
        Each in any form that ``predict`` takes.
    how : Local, Global or Fragments
        The kind of inference, and what can be chosen about it, as for ``predict``.
    jobs : int, or Cluster
        The number of processes, or a Dask cluster. The result is the same everywhere.

    Returns
    -------
    iterator of Prediction
        One for each evidence set, as soon as it and those before it are there.

    Raises
    ------
    TheoryError
        If a rule has no weight, or what is given is no theory.
    DataError
        If an evidence set is in a form that cannot be taken.
    QueryError
        If there is no such kind of inference, or one evidence set is given and not a list of them.

    Examples
    --------
    >>> from possilog import parse_theory
    >>> theory = parse_theory("0.9 :: flies(X) :- bird(X).")
    >>> for prediction in predict_many(theory, [["bird(Tweety)"], ["bird(Carl)", "bird(Eve)"]]):
    ...     prediction
    <Prediction: local, 1 fact given, 1 added>
    <Prediction: local, 2 facts given, 2 added>
    """
    if is_path(evidence) or not isinstance(evidence, Iterable):
        raise QueryError("a list of evidence sets is needed; for one of them there is predict")
    kind, reasoner, number = how_of(how), Reasoner(theory_of(theory)), hands(jobs)
    given = list(evidence)
    if number == 1:
        return map(partial(reasoner.predict, how=kind), given)
    if not isinstance(jobs, int):  # whose machines may not have the files
        given = [evidence_of(one, reasoner.theory) if is_path(one) else one for one in given]
    found = in_order(partial(_predicting, reasoner.theory, kind), given, jobs, chunk=AT_A_TIME)
    return (replace(made, cores=partial(reasoner.cores.find, made.evidence)) for made in found)


def _predicting(theory: Theory, how: How) -> Callable[[Given], Prediction]:
    return partial(_predicted, Reasoner(theory), how)


def _predicted(reasoner: Reasoner, how: How, evidence: Given) -> Prediction:
    """What can be sent: a list, and not what the chainer has laid out."""
    made = reasoner.predict(evidence, how)
    added, excluded = Listed(tuple(made.added)), Listed(tuple(made.excluded))
    return replace(made, added=added, excluded=excluded, conflicts=tuple(made.conflicts), cores=_elsewhere)


def _elsewhere(limit: int | None) -> tuple[()]:
    """What contradicts each other is looked for where the theory is."""
    return ()

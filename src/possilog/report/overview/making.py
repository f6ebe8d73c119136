"""Makes a report: computes what it shows, and writes the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.data.typing import in_step
from possilog.evaluation.models import EvidenceOnly, Model, TheoryModel, hard_rules_only
from possilog.evaluation.protocol import Protocol
from possilog.evaluation.reliability import reliability_of, said_by
from possilog.evaluation.running import run
from possilog.evaluation.scores import summarise
from possilog.files import AnyPath, require_path, write_atomically
from possilog.inference import Local, Reasoner
from possilog.inference.taken import Facts, theory_of
from possilog.inference.words import PLAIN, Words
from possilog.logic import Rule, Theory
from possilog.progress import Progress, Step, require_progress, silent
from possilog.report.overview.page import draw_page
from possilog.report.overview.suspects import find_suspects
from possilog.report.overview.values import (
    Gains,
    Report,
    TestResults,
    coverage,
    graph,
    held_out_reliability,
    strata,
)
from possilog.report.portrait import portray
from possilog.requiring import require_kind, require_whole

__all__ = ["make_report", "write_report"]

SHARES = (0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8)
SIZES = 6
"""Theories with the first so many rules that are tried on test facts."""

EXAMPLES = 5
FEW_EXAMPLES = 3
MANY_RULES = 500
"""Of more rules fewer examples are shown, so that the page stays small."""

_LARGE = 5_000
"""Test facts; of more, fewer evidence sets are drawn."""


def make_report(
    theory: Theory | AnyPath,
    data: Facts,
    test: Facts | None = None,
    *,
    seed: int = 0,
    title: str = "",
    progress: Progress = silent,
    words: Words = PLAIN,
) -> Report:
    """Compute all that a report shows."""
    require_progress(progress)
    taken = theory_of(theory)
    taken, facts = in_step(taken, facts_of(data, taken.mapping))
    words = (words or PLAIN).of_theory(taken)
    steps = ["rules", "suspects", "coverage", *(["test"] if test is not None else [])]

    def tell(name: str) -> None:
        progress(Step("report", steps.index(name), len(steps), name))

    tell("rules")
    limit = FEW_EXAMPLES if len(taken.ranked) > MANY_RULES else EXAMPLES
    portrait = portray(taken, facts, words=words, examples=limit)
    tell("suspects")
    suspects = find_suspects(taken, portrait, facts, words)
    tell("coverage")
    report = Report(
        title or (os.path.basename(os.fspath(theory)) if not isinstance(theory, Theory) else "A theory"),
        os.fspath(data) if isinstance(data, str | os.PathLike) else "",
        len(facts),
        len(facts.constants),
        portrait,
        strata(portrait),
        graph(portrait),
        suspects,
        coverage(portrait, facts),
        held_out_reliability(taken.measures),
        "facts that were held out when the theory was learned",
        was_corrected=True,
        words=words,
    )
    if test is None:
        return report
    tell("test")
    return _tested(report, *in_step(taken, facts_of(test, taken.mapping)), seed)


def _tested(report: Report, theory: Theory, test: Database, seed: int) -> Report:
    sizes = tuple(dict.fromkeys(max(1, round(share * len(test))) for share in SHARES))
    protocol = Protocol(test, sizes, 1 if len(test) > _LARGE else 5, seed)
    shares = tuple(size / len(test) for size in sizes)
    models: list[Model] = [TheoryModel("the theory", theory)]
    if theory.soft:
        models.append(hard_rules_only("its hard rules", theory))
    models.append(EvidenceOnly("the evidence alone"))
    gains = tuple(Gains(model.name, shares, summarise(run(model, protocol))) for model in models)
    found = TestResults(len(test), protocol.repeats, gains, tuple(_by_size(theory, protocol)))
    reliability = reliability_of(said_by(Reasoner(theory), protocol, Local()))
    if reliability is None:
        return replace(report, test=found)
    return replace(report, test=found, reliability=reliability, reliability_of="test facts", was_corrected=False)


def _by_size(theory: Theory, protocol: Protocol) -> list[tuple[int, float]]:
    """The mean gain of the theory with its first soft rules only."""
    ranked = theory.ranked
    sizes = sorted({round(len(ranked) * part / SIZES) for part in range(SIZES + 1)})
    found = []
    for size in sizes:
        gains = [score.gain for score in run(TheoryModel("", _first(theory, ranked, size)), protocol)]
        found.append((size, sum(gains) / len(gains)))
    return found


def _first(theory: Theory, ranked: Sequence[Rule], size: int) -> Theory:
    dropped = set(ranked[size:])
    return replace(theory, rules=tuple(rule for rule in theory.rules if rule not in dropped))


def write_report(
    theory: Theory | AnyPath,
    data: Facts,
    path: AnyPath,
    test: Facts | None = None,
    *,
    title: str = "",
    words: Words = PLAIN,
    seed: int = 0,
    progress: Progress = silent,
) -> Report:
    """Write a report about a theory: one HTML file that needs nothing else.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        What the report is about.
    data : Database, path of a file, or atoms
        Facts in which the rules are counted, as complete ones.
    path : str or path
        The file, which is replaced if it is there.
    test : Database, path of a file, or atoms; or None
        Facts of which a part is given and the rest predicted.
    title : str
        What the report is called; the name of the theory's file, if nothing is said.
    words : Words
        How rules and facts are said.
    seed : int
        For the evidence sets that are drawn from test facts.
    progress : function
        Is told of every step.

    Returns
    -------
    Report
        All that the report shows, as values.

    Raises
    ------
    FileError
        If the file cannot be written.
    DataError
        If facts are in a form that cannot be taken.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from possilog.logic import parse_theory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.html")
    ...     report = write_report(parse_theory("0.9 :: flies(X) :- bird(X)."), ["bird(tom)", "flies(tom)"], path)
    ...     path.read_text().startswith("<!doctype html>"), report.facts
    (True, 2)
    """
    require_path(path, "a report")
    require_kind("title", title, str)
    require_kind("words", words, Words)
    require_whole("seed", seed)
    report = make_report(theory, data, test, title=title, words=words, seed=seed, progress=progress)
    write_atomically(path, draw_page(report).encode("utf-8", "backslashreplace"))
    return report

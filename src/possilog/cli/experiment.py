"""``possilog experiment``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.ending import ending_tidily
from possilog.cli.facts import load_facts, load_theory
from possilog.cli.options import FACTS, DataOptions, Force, Seed, WorkerOptions
from possilog.cli.output import check_folder
from possilog.cli.progress import Bars
from possilog.data import Database, split_halves
from possilog.errors import FileError, QueryError
from possilog.evaluation.bars import measure, measure_speed
from possilog.evaluation.datasets import PUBLISHED, DataSet, scale_for
from possilog.evaluation.experiment import Experiment
from possilog.evaluation.labels import OURS, Label, Origin
from possilog.evaluation.results import Results
from possilog.files import folded, safe_name, told
from possilog.logic import read_theory
from possilog.markov import read_mln
from possilog.plotting import require_matplotlib
from possilog.progress import Step
from possilog.report.experiment import INDEX, write_index, write_results
from possilog.workers import Jobs

__all__ = ["Files", "app", "run_experiments"]

app = new_app()


@app.command("experiment")
@with_options
def run_experiment(
    names: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help=f"uwcse, yeast, or facts, which are cut into halves: {FACTS}."),
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="Where the results go.")],
    reading: DataOptions,
    where: WorkerOptions,
    data: Annotated[
        str | None,
        typer.Option("--data", "--data-dir", metavar="FOLDER", help="Has uwcse/paper/train.db and the like."),
    ] = None,
    train: Annotated[str | None, typer.Option(metavar="DATA", help="The facts to learn from.")] = None,
    test: Annotated[str | None, typer.Option(metavar="DATA", help="The facts to predict.")] = None,
    authors: Annotated[str | None, typer.Option(metavar="THEORY", help="A published theory, to compare with.")] = None,
    mln: Annotated[str | None, typer.Option(metavar="MLN", help="A published network, to compare with.")] = None,
    theory: Annotated[str | None, typer.Option(metavar="THEORY", help="Take this theory; learn none.")] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Evidence sets of each size.", show_default="20, or 3 if quick")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few sizes and sets, to see whether it works.")] = False,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Learn theories and networks, compare all models on the same evidence, and write tables, plots and a page."""
    files = Files(data, train, test, authors, mln, theory, reading)
    check_folder(output, force=force)
    with where.workers() as jobs:
        run_experiments(names, files, output, quick=quick, seed=seed, jobs=jobs, repeats=repeats)


@dataclass(frozen=True, slots=True)
class Files:
    """Where everything is, and how facts are read; what is not given is left out, or found in a folder of data sets."""

    data: str | None = None
    train: str | None = None
    test: str | None = None
    authors: str | None = None
    network: str | None = None
    theory: str | None = None
    reading: DataOptions = field(default_factory=DataOptions)

    def facts(self, path: str) -> Database:
        """The facts of one of them; tables are read as the theory does, if there is one."""
        return load_facts(path, self.reading, None if self.theory is None else read_theory(self.theory).mapping)

    def pair(self, train: str, test: str) -> tuple[Database, Database]:
        """The facts of two of them; tables are read alike."""
        learned_from = self.facts(train)
        return learned_from, load_facts(test, self.reading, learned_from.mapping)


def run_experiments(
    names: Sequence[str], files: Files, output: str, *, quick: bool, seed: int, jobs: Jobs, repeats: int | None
) -> None:
    """Run the experiment of each data set, and write its results into the folder, or into one of its own inside it."""
    if len(names) > 1 and (files.train, files.test, files.theory, files.authors, files.network) != (None,) * 5:
        raise QueryError("paths are for one data set, and several are named; run them one by one")
    require_matplotlib()  # if it is not there, this is said now, and not after the work
    called = [safe_name(_called(name)) for name in names]
    times = Counter(map(folded, called))
    if same := next((name for name in called if times[folded(name)] > 1), None):
        raise QueryError(f"several data sets are called {same}; rename them, or run them one by one")
    if len(names) > 1 and folded(INDEX) in times:
        raise QueryError(f"a data set is called {INDEX}, as the page about all of them; rename it, or run it by itself")
    loaded = [_load(name, files, seed) for name in names]
    with told(output, "written"):
        Path(output).mkdir(parents=True, exist_ok=True)
    finished = {}
    for data in loaded:
        scale = scale_for(data.name, data.test, quick=quick, seed=seed, repeats=repeats)
        given = None if files.theory is None else load_theory(files.theory, data.train)
        place = safe_name(data.name)
        folder = Path(output) / place if len(loaded) > 1 else Path(output)
        finished[place] = _run(Experiment(data, scale, folder / "work", given, jobs), folder)
    if len(finished) > 1:
        print(write_index(finished, output))


def _run(experiment: Experiment, folder: Path) -> Results:
    """Run one experiment, and write what it found; what is finished is kept, however it ends."""
    try:
        with ending_tidily(), Bars() as bars:
            experiment.progress = _Phases(experiment.data.name, bars)
            write_results(experiment, folder)
    except (KeyboardInterrupt, SystemExit):
        print(f"interrupted: the same command goes on from what is kept in {folder / 'work'}", file=sys.stderr)
        raise
    _show(experiment.results, folder)
    return experiment.results


@dataclass
class _Phases:
    """A line for each phase, and on a terminal a bar while it lasts."""

    name: str
    bars: Bars
    _phase: str = ""

    def __call__(self, step: Step) -> None:
        """Show where the experiment is."""
        if step.phase != self._phase:
            self.bars.close()
            print(f"{self.name}: {step.phase}", file=sys.stderr, flush=True)
            self._phase = step.phase
        self.bars.show(step)


def _load(name: str, files: Files, seed: int) -> DataSet:
    """The facts of a data set: the files that are given, else a published one's, else one file in two halves."""
    authors, network = files.authors, files.network
    if files.train is not None or files.test is not None:
        if files.train is None or files.test is None:
            raise QueryError("one of --train and --test is given; give both")
        sources = files.train, files.test
        train, test = files.pair(*sources)
    elif name in PUBLISHED:
        sources, authors, network = _published(name, files)
        train, test = files.pair(*sources)
    else:
        sources = (name, f"cut into halves with seed {seed}")
        train, test = split_halves(files.facts(name), seed).parts
    return DataSet(
        _called(name),
        train,
        test,
        None if authors is None else load_theory(authors, train | test),
        None if network is None else read_mln(network),
        sources,
    )


def _called(name: str) -> str:
    """What a data set is called, and its folder: as one of the paper's, or else as its file."""
    if name in PUBLISHED:
        return name
    stem = Path(os.path.abspath(name)).stem  # . and .. have a name, too
    return f"{stem}-halves" if stem in PUBLISHED else stem


def _published(name: str, files: Files) -> tuple[tuple[str, str], str | None, str | None]:
    published = PUBLISHED[name]
    wanted = [published.train, published.test, published.authors, *([published.network] if published.network else [])]
    if files.data is None:
        raise QueryError(
            f"the data set {name} does not ship with possilog; name a folder that has {', '.join(wanted)} with --data, "
            "or give --train and --test"
        )
    missing = [path for path in wanted if not (Path(files.data) / path).exists()]
    if missing:
        raise FileError(f"{files.data}: there is no {', no '.join(missing)}; name a folder that has them with --data")
    train, test, authors, *network = (str(Path(files.data) / path) for path in wanted)
    return (train, test), files.authors or authors, files.network or (network[0] if network else None)


def _show(results: Results, folder: Path) -> None:
    for bar in (*measure(results), *measure_speed(results)):
        print(f"{'met   ' if bar.met else 'MISSED'}  {bar.claim}: {bar.measured}")
    for label, found in results.models.items():
        if label in (OURS, Label(Origin.HARD_RULES)):
            gains = ", ".join(f"{one.size}: {one.gain.mean:.1f}" for one in found)
            print(f"gain of {label}  {gains}")
    print(folder / "index.html")

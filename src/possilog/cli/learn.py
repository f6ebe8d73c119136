"""``possilog learn``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from possilog.choices import Hard
from possilog.cli.beginning import seconds_before
from possilog.cli.declaring import new_app, with_options
from possilog.cli.messages import in_json, say_all
from possilog.cli.options import FACTS, DataOptions, Force, Json, Objective, Preset, Seed, WorkerOptions, WriteTo
from possilog.cli.output import check_theory_file
from possilog.cli.progress import Bars
from possilog.cli.tables import check_place, write_rules
from possilog.errors import QueryError, shortened
from possilog.logic import Provenance, Theory, read_theory, write_theory
from possilog.printing import plural
from possilog.requiring import whole_in

if TYPE_CHECKING:
    from possilog.data import Database
    from possilog.learning import Learned, Learner
    from possilog.learning.focus import Focus
    from possilog.learning.measurement import Measurement
    from possilog.workers import Jobs

__all__ = ["Asked", "app", "parse_max_rules", "run"]

app = new_app()

_SHOWN = 10
"""Soft rules that are printed."""

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    data: Sequence[str]
    output: str
    objective: str = "prediction"
    preset: str | None = None
    width: int | str | None = None
    body: int | None = None
    max_rules: int | str | None = None
    hard: Hard | None = None
    rank_rules: int | None = None
    rules_per_head: int | str | None = None
    conjunctions: bool = False
    groups: str | None = None
    start: str | None = None
    valid: str | None = None
    where: WorkerOptions = field(default_factory=WorkerOptions)
    seed: int = 0
    time_limit: float | None = None
    work: str | None = None
    write_to: str | None = None
    quiet: bool = False
    as_json: bool = False
    force: bool = False
    reading: DataOptions = field(default_factory=DataOptions)
    focus: FocusOptions = field(default_factory=lambda: FocusOptions())


@dataclass(frozen=True, slots=True)
class FocusOptions:
    """What rules are learned about, and what may have a part in them."""

    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREDICATE", help="Learn rules about this predicate; may be repeated, or name several: a,b."
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PREDICATE", help="Leave this predicate out; may be repeated, or name several: a,b."),
    ] = None
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREDICATE",
            help="Use this predicate and no others but targets; may be repeated, or name several: a,b.",
        ),
    ] = None
    min_support: Annotated[
        int | None,
        typer.Option(min=1, help="Facts that a rule is right about, at least.", show_default="by the size of the data"),
    ] = None
    constants: Annotated[
        str | None,
        typer.Option(
            metavar="PLACES",
            help="Arguments whose values rules may name, as carrier.2,origin.2.",
            show_default="those of tables with few values",
        ),
    ] = None
    no_constants: Annotated[
        bool, typer.Option("--no-constants", help="No rule names a value or compares a number.")
    ] = False

    def focus(self) -> Focus:
        """What the learner takes."""
        from possilog.learning.focus import Focus

        places = None if self.constants is None else _named([self.constants])
        targets, exclude, only = (_named(names or ()) for names in (self.target, self.exclude, self.only))
        return Focus(targets, exclude, only, self.min_support, places, self.no_constants)


def _named(given: Sequence[str]) -> tuple[str, ...]:
    """The names, of which several may stand in one word, with commas between them."""
    return tuple(dict.fromkeys(name.strip() for some in given for name in some.split(",") if name.strip()))


@dataclass(frozen=True, slots=True)
class TheoryOptions:
    """What kind of theory is learned."""

    objective: Annotated[
        Objective, typer.Option(help="Rules that predict well, or the paper's: those that make the data likely.")
    ] = Objective.PREDICTION
    preset: Preset = None
    width: Annotated[
        str | None,
        typer.Option(metavar="N|auto", help="Variables in a rule, and constants in a fragment.", show_default="3"),
    ] = None
    body: Annotated[
        int | None, typer.Option(min=1, help="Atoms in a body, at most.", show_default="3, less for large data")
    ] = None
    max_rules: Annotated[
        str | None, typer.Option(metavar="N|knee", help="Soft rules, at most; or as the held-out curve says.")
    ] = None
    hard: Annotated[
        Hard | None,
        typer.Option(
            help="Which rules without exception are hard: those that chance would not make hold, or all.",
            show_default="earned; all with a preset or for likelihood",
        ),
    ] = None
    rank_rules: Annotated[
        int | None,
        typer.Option(min=0, help="Further rules that only ranking uses, at most.", show_default="300"),
    ] = None
    rules_per_head: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Take facts as a graph: rules of each relation, at most.",
            show_default="10 for graphs",
        ),
    ] = None
    conjunctions: Annotated[
        bool,
        typer.Option("--conjunctions/--no-conjunctions", help="Rules of a graph may have two paths, or not."),
    ] = False
    valid: Annotated[
        str | None,
        typer.Option(metavar="FACTS", help="Validation facts of a graph: rules that give few count less."),
    ] = None

    @property
    def asked(self) -> dict[str, Any]:
        """What they ask for, with numbers where numbers are meant."""
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "objective": self.objective.value,
            "width": parse_width(self.width),
            "max_rules": parse_max_rules(self.max_rules),
            "rules_per_head": parse_rules_per_head(self.rules_per_head),
        }


@app.command("learn")
@with_options
def learn_theory(
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help=f"Facts: {FACTS}; each of several is a group."),
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the theory here.")],
    reading: DataOptions,
    kind: TheoryOptions,
    about: FocusOptions,
    where: WorkerOptions,
    groups: Annotated[
        str | None, typer.Option(metavar="FILE", help="Groups of constants: lines with a constant, a tab and a group.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="THEORY", help="An edited theory: what it locks, pins and bans is kept.")
    ] = None,
    seed: Seed = 0,
    time_limit: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Be done by then, with what can be had.")
    ] = None,
    work: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep finished phases here; the same command goes on from them.")
    ] = None,
    write_to: WriteTo = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Learn a theory from facts. Ctrl-C keeps the best theory so far."""
    asked = Asked(
        data,
        output,
        **kind.asked,
        groups=groups,
        start=start,
        where=where,
        seed=seed,
        time_limit=time_limit,
        work=work,
        write_to=write_to,
        quiet=quiet,
        as_json=json,
        force=force,
        reading=reading,
        focus=about,
    )
    raise typer.Exit(run(asked))


def parse_max_rules(text: str | None) -> int | str | None:
    """A number of rules, or ``knee``."""
    if text is None or text == "knee":
        return text
    if (number := whole_in(text)) is None:
        raise QueryError(f"--max-rules is a number or 'knee', and {shortened(repr(text))} is neither")
    return number


def parse_width(text: str | None) -> int | str | None:
    """A number of variables, or ``auto``."""
    if text is None or text == "auto":
        return text
    if not (number := whole_in(text)):
        raise QueryError(f"--width is a number, 1 or more, or 'auto', and {shortened(repr(text))} is neither")
    return number


def parse_rules_per_head(text: str | None) -> int | str | None:
    """A number of rules, or ``all``."""
    if text is None or text == "all":
        return text
    if not (number := whole_in(text)):
        raise QueryError(f"--rules-per-head is a number, 1 or more, or 'all', and {shortened(repr(text))} is neither")
    return number


def run(asked: Asked) -> int:
    """Learn a theory, write it, and say how it came about; the exit code. An interrupt keeps the best theory so far."""
    check_theory_file(asked.output, force=asked.force)
    if asked.write_to is not None:
        check_place(asked.write_to, "rules", force=asked.force)
    learner: Learner | None = None
    with asked.where.workers() as jobs, Bars(asked.quiet, _place, lines=True) as bars:
        try:
            learner = _learner(asked, bars, jobs)
            if not asked.quiet:
                print(learner.plan, file=sys.stderr)
            learned = learner.run()
        except KeyboardInterrupt:
            bars.close()
            print(f"interrupted: {_keep_best(asked, learner)}", file=sys.stderr)
            return INTERRUPTED
    learned.save(asked.output)
    if asked.write_to is not None:
        write_rules(learned, asked.write_to, force=asked.force)
    if asked.as_json:
        print(in_json(learned.as_json))
    elif not asked.quiet:
        _print(learned, asked.output)
    return 0


def _learner(asked: Asked, bars: Bars, jobs: Jobs) -> Learner:
    from possilog.cli.facts import load_facts, load_several, load_theory
    from possilog.data import Database
    from possilog.learning import Learner, settings_for
    from possilog.learning.clock import Clock

    clock = Clock(asked.time_limit, seconds_before())
    files = load_several(asked.data, asked.reading, None if asked.start is None else read_theory(asked.start).mapping)
    database = Database.union(*files.values()) if len(files) > 1 else next(iter(files.values()))
    return Learner(
        database,
        settings_for(
            database,
            preset=asked.preset,
            objective=asked.objective,
            width=asked.width,
            body=asked.body,
            max_rules=asked.max_rules,
            hard=asked.hard,
            rank_rules=asked.rank_rules,
            rules_per_head=asked.rules_per_head,
            conjunctions=asked.conjunctions,
            seed=asked.seed,
            focus=asked.focus.focus(),
        ),
        groups=_groups(asked, files),
        start=None if asked.start is None else load_theory(asked.start, database),
        jobs=jobs,
        clock=clock,
        work=asked.work,
        sources=tuple(files),
        progress=bars.show,
        valid=None if asked.valid is None else load_facts(asked.valid, asked.reading),
    )


def _groups(asked: Asked, files: Mapping[str, Database]) -> dict[str, str]:
    from possilog.learning.files import read_groups
    from possilog.learning.groups import file_groups

    return file_groups(files) if asked.groups is None else read_groups(asked.groups)


def _keep_best(asked: Asked, learner: Learner | None) -> str:
    """Write the best theory so far, and say so. A theory that is there does not give way to none."""
    learned = None if learner is None else learner.best
    if not (learned and learned.theory) and Path(asked.output).exists():
        return f"nothing was learned yet, and {asked.output} is as it was"
    if learned is None:
        _write_nothing(asked)
    else:
        learned.save(asked.output)
    return f"the best theory so far is in {asked.output}"


def _write_nothing(asked: Asked) -> None:
    """A valid theory, even if the facts had not been read yet."""
    remark = "not finished: the run ended before anything was learned"
    provenance = Provenance(tuple(asked.data), 0, 0, seed=asked.seed, version=version("possilog"), remarks=(remark,))
    write_theory(Theory(), asked.output, provenance=provenance)


def _place(phase: str) -> str:
    from possilog.learning.clock import PHASES

    return f"{list(PHASES).index(phase) + 1}/{len(PHASES)} {phase}"


# What is shown afterwards


def _print(learned: Learned, output: str) -> None:
    provenance, settings = learned.provenance, learned.settings
    print(f"{plural(provenance.facts, 'fact')} about {plural(provenance.constants, 'constant')}")
    print("settings: " + ", ".join(f"{name} {value}" for name, value in settings.parameters.items()))
    holding, candidates = plural(len(learned.hard.all), "clause"), plural(len(learned.candidates), "candidate")
    print(f"{holding} without exception, {candidates}")
    if learned.measurement is not None:
        _print_simulation(learned)
    _print_curve(learned)
    _print_soft(learned)
    print(f"\n{output}: {_summary(learned.theory)}")
    say_all("note", provenance.remarks, sys.stdout)


def _summary(theory: Theory) -> str:
    """How many rules of each kind there are."""
    soft, demoted = len(theory.ranked), len(theory.demoted)
    types = "" if theory.types is None else f", {plural(len(theory.types.names), 'type')}"
    is_are = "is" if demoted == 1 else "are"
    below = f"; {plural(demoted, 'constraint')} that may hold by chance {is_are} demoted" if demoted else ""
    further = len(theory.further)
    below += f"; {plural(further, 'further rule')} for ranking" if further else ""
    return f"{plural(len(theory.hard_listed), 'hard rule')}{types} and {plural(soft, 'soft rule')}{below}"


def _print_soft(learned: Learned) -> None:
    """Some of what was learned, before anybody looks into the file."""
    clauses = [rule.clause for rule in learned.theory.ranked]
    measured = () if (measures := learned.theory.measures) is None else measures.rules
    support = {rule.clause: rule.true for rule in measured}
    support |= {clause: confidence.true for clause, confidence in learned.candidates.items()}
    if clauses:
        print("\nsoft rules, the largest support first")
    for clause in sorted(clauses, key=lambda clause: -support.get(clause, 0))[:_SHOWN]:
        print(f"  {clause}" + (f"  % {learned.notes[clause]}" if clause in learned.notes else ""))
    if len(clauses) > _SHOWN:
        print(f"  and {len(clauses) - _SHOWN:,} more")


def _print_simulation(learned: Learned) -> None:
    assert learned.measurement is not None
    print(f"\nsimulated prediction: {learned.measurement.reason}")
    if learned.measurement.table:
        print("  known  hard rules gain  soft rules add")
    for row in learned.measurement.table:
        print(f"  {row.share:>5.0%}  {row.hard:>15.1f}  {row.added:>+8.1f} ± {row.noise:.1f}")
    if learned.measurement.curve:
        print("gain by number of soft rules: " + _gains(learned.measurement))
    for rule in learned.measurement.unproved:
        print(f"left out, since it feeds on itself and was not seen to do well at it: {rule}")


def _gains(measured: Measurement) -> str:
    """The curve of gain against number of rules, around what was taken."""
    taken, largest = measured.taken, measured.curve[0].rules
    wanted = {taken, largest, *(taken * part // 4 for part in range(4)), taken + 1, 2 * taken}
    without = f", but for {len(measured.unproved)}" if measured.unproved else ""
    shown = [size for size in reversed(measured.curve) if size.rules in wanted]
    return ", ".join(f"{one.rules}: {one.gain:.1f}{f' (taken{without})' * (one.rules == taken)}" for one in shown)


def _print_curve(learned: Learned) -> None:
    curve = learned.ordered.curve
    if len(curve.training) > 1:
        held_out = dict(enumerate(curve.held_out))
        print("\nlog-likelihood per fragment, by number of rules\n  rules    training    held out")
        for size, value in enumerate(curve.training):
            other = f"{held_out[size]:>10.4f}" if size in held_out else ""
            print(f"  {size:>5}  {value:>10.4f}  {other}".rstrip())
    if learned.weighing is not None:
        print(f"log-likelihood {learned.weighing.fit.log_likelihood:,.2f}")

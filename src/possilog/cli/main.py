"""``possilog``: one command for each job. What a job needs is imported when it runs, so that help comes at once."""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from possilog.cli import markov
from possilog.cli.options import (
    Data,
    Encoding,
    Header,
    Inference,
    Joint,
    Json,
    Negatives,
    Objective,
    OnConflict,
    Symmetric,
    System,
)
from possilog.errors import PossilogError

app = typer.Typer(
    help="Readable, weighted logical theories from relational facts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def query(
    data: Data,
    question: Annotated[str, typer.Argument(metavar="QUERY", help='For example "R(X,Y), R(Y,Z), not P(Z)".')],
    count: Annotated[bool, typer.Option("--count", help="Print how many matches there are.")] = False,
    exists: Annotated[bool, typer.Option("--exists", help="Print whether there is a match: true or false.")] = False,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most so many matches.")] = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print the matches of a query: distinct variables stand for distinct constants."""
    from possilog.cli.facts import load_facts
    from possilog.cli.query import answer
    from possilog.logic import parse_query

    asked = parse_query(question)
    answer(load_facts(data, header, encoding, symmetric), asked, count=count, exists=exists, limit=limit, as_json=json)


@app.command()
def schema(
    data: Data,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print what the facts are about: predicates, their arguments and how many facts they have."""
    from possilog.cli.facts import load_facts
    from possilog.cli.schema import describe

    describe(load_facts(data, header, encoding, symmetric), as_json=json)


Literals = Annotated[int, typer.Option(min=1, help="A hard rule has at most so many literals.")]
UnaryLiterals = Annotated[
    int, typer.Option(min=0, help="A hard rule of unary literals over one variable may have so many.")
]
Variables = Annotated[str, typer.Option(metavar="N|any", help="A hard rule has at most so many variables.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="Stop then, and say what was not searched."),
]
Seed = Annotated[int, typer.Option(min=0, help="For all that is drawn at random.")]


@app.command("hard-rules")
def hard_rules(
    data: Data,
    literals: Literals = 2,
    unary_literals: UnaryLiterals = 5,
    variables: Variables = "any",
    min_support: Annotated[int, typer.Option(min=0, help="Leave out rules that rest on less.")] = 0,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print the rules that hold without exception, by kind, with the number of times they could have failed."""
    from possilog.cli.facts import load_facts
    from possilog.cli.hard_rules import parse_variables, search

    search(
        load_facts(data, header, encoding, symmetric),
        literals=literals,
        unary_literals=unary_literals,
        variables=parse_variables(variables),
        min_support=min_support,
        time_limit=time_limit,
        seed=seed,
        as_json=json,
    )


@app.command()
def rules(
    data: Data,
    target: Annotated[list[str] | None, typer.Option(help="A predicate to search rules for; may be repeated.")] = None,
    preset: Annotated[str | None, typer.Option(help="The authors' settings for a data set: uwcse or yeast.")] = None,
    body: Annotated[
        int | None, typer.Option("--body", "--body-length", min=1, help="Atoms in a body, at most.", show_default="3")
    ] = None,
    width: Annotated[int | None, typer.Option(min=1, help="Variables in a rule, at most.", show_default="3")] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Rules kept at each length.", show_default="100")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Rules for each length of body.", show_default="5")] = None,
    min_support: Annotated[
        int | None, typer.Option(min=1, help="Positive examples that a rule must cover.", show_default="2")
    ] = None,
    negatives: Annotated[
        Negatives, typer.Option(help="Negative examples: those that the hard rules do not explain, or any.")
    ] = Negatives.NONTRIVIAL,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Negative examples for a predicate, at most.", show_default="1000")
    ] = None,
    literals: Literals = 2,
    unary_literals: UnaryLiterals = 5,
    variables: Variables = "any",
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the result is the same for any number.")] = 1,
    ranked: Annotated[bool, typer.Option("--ranked", help="Print strata by the share of exceptions.")] = False,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Search Horn rules for every predicate: the candidates from which theories are made."""
    from possilog.cli.facts import load_facts
    from possilog.cli.hard_rules import parse_variables
    from possilog.cli.rules import make_settings, search

    limits = {"body": body, "width": width, "beam": beam, "repeats": repeats, "min_support": min_support}
    search(
        load_facts(data, header, encoding, symmetric),
        target or [],
        make_settings(preset, seed, negatives is Negatives.RANDOM, samples=samples, **limits),
        literals=literals,
        unary_literals=unary_literals,
        variables=parse_variables(variables),
        time_limit=time_limit,
        jobs=jobs,
        ranked=ranked,
        as_json=json,
    )


TheoryFile = Annotated[str, typer.Argument(metavar="THEORY", help="A theory: a file in our language, or a .poss file.")]
EvidenceFile = Annotated[
    str, typer.Option("--evidence", metavar="FILE", help="What is known: facts, and negated ones in a .db file.")
]
InferenceKind = Annotated[Inference, typer.Option(help="How far a conflict reaches.")]
ConflictPolicy = Annotated[
    OnConflict | None,
    typer.Option(
        help="Where the evidence breaks hard rules: predict nothing, or set aside what it breaks.",
        show_default="repair for local inference, else report",
    ),
]
JointPolicy = Annotated[
    Joint, typer.Option(help="Conclusions of a stratum in conflict, for local inference: bar all, or the weakest.")
]
FragmentWidth = Annotated[
    int | None,
    typer.Option(min=1, help="Constants in a fragment.", show_default="as many as a soft rule has variables"),
]
Votes = Annotated[float | None, typer.Option(metavar="G", help="The share of its fragments that a conclusion needs.")]
MoreConstants = Annotated[
    list[str] | None, typer.Option("--constant", metavar="NAME", help="One more constant; may be repeated.")
]


CountingTime = Annotated[
    float | None,
    typer.Option("--time-limit", min=0, metavar="SECONDS", help="Estimate what cannot be counted exactly by then."),
]


@app.command("count")
def count_cuts(
    theory: TheoryFile,
    data: Annotated[str, typer.Option("--data", metavar="DATA", help="The facts whose fragments are counted.")],
    width: Annotated[int, typer.Option(min=1, help="Constants in a fragment: the paper's k.")] = 3,
    time_limit: CountingTime = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print how many fragments of the data, and how many worlds, each stratum of a theory decides."""
    from possilog.cli.count import show_counts
    from possilog.cli.facts import load_facts, load_theory

    facts = load_facts(data, header, encoding, symmetric)
    show_counts(load_theory(theory, facts), facts, width, time_limit=time_limit, as_json=json)


@app.command("weigh")
def weigh_theory(
    theory: TheoryFile,
    data: Annotated[str, typer.Option("--data", metavar="DATA", help="The facts that the weights are fitted to.")],
    width: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Constants in a fragment: the paper's k.",
            show_default="as many as a soft rule has variables, at least 2",
        ),
    ] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Count every world as seen so many times more.")] = 0.0,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the theory with its new weights here.")
    ] = None,
    time_limit: CountingTime = None,
    seed: Seed = 0,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Fit the weights of a theory to data: the order of the strata stays, and so do pinned weights."""
    from possilog.cli.facts import load_facts, load_theory
    from possilog.cli.weigh import show_weights

    facts = load_facts(data, header, encoding, symmetric)
    show_weights(
        load_theory(theory, facts),
        facts,
        data,
        width=width,
        smoothing=smoothing,
        seed=seed,
        time_limit=time_limit,
        output=output,
        as_json=json,
    )


@app.command("learn")
def learn_theory(
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="Facts, as for other commands; each of several files is a group."),
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the theory here.")],
    objective: Annotated[
        Objective, typer.Option(help="Rules that predict well, or the paper's: those that make the data likely.")
    ] = Objective.PREDICTION,
    preset: Annotated[str | None, typer.Option(help="The authors' settings for a data set: uwcse or yeast.")] = None,
    width: Annotated[
        int | None, typer.Option(min=1, help="Variables in a rule, and constants in a fragment.", show_default="3")
    ] = None,
    body: Annotated[
        int | None, typer.Option(min=1, help="Atoms in a body, at most.", show_default="3, less for large data")
    ] = None,
    max_rules: Annotated[
        str | None, typer.Option(metavar="N|knee", help="Soft rules, at most; or as the held-out curve says.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="FILE", help="Groups of constants: lines with a constant, a tab and a group.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="THEORY", help="An edited theory: what it locks, pins and bans is kept.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the result is the same for any number.")] = 1,
    seed: Seed = 0,
    time_limit: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Be done by then, with what can be had.")
    ] = None,
    work: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep finished phases here; the same command goes on from them.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Learn a theory from facts. Ctrl-C keeps the best theory so far."""
    from possilog.cli.learn import Asked, parse_max_rules, run

    asked = Asked(
        data,
        output,
        objective=objective.value,
        preset=preset,
        width=width,
        body=body,
        max_rules=parse_max_rules(max_rules),
        groups=groups,
        start=start,
        jobs=jobs,
        seed=seed,
        time_limit=time_limit,
        work=work,
        quiet=quiet,
        as_json=json,
        header=header,
        encoding=encoding,
        symmetric=symmetric or (),
    )
    raise typer.Exit(run(asked))


@app.command("predict")
def predict_facts(
    theory: TheoryFile,
    evidence: EvidenceFile,
    inference: InferenceKind = Inference.LOCAL,
    on_conflict: ConflictPolicy = None,
    joint: JointPolicy = Joint.BAR,
    width: FragmentWidth = None,
    votes: Votes = None,
    negative: Annotated[bool, typer.Option("--negative", help="Say what is false too, for global inference.")] = False,
    calibrate: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Facts that the theory was learned from: leave out strata that do not pay."),
    ] = None,
    constants: MoreConstants = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most so many added atoms.")] = None,
    seed: Seed = 0,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print what a theory adds to evidence, most certain first; with --json, all that is predicted to hold."""
    from possilog.cli.facts import load_facts
    from possilog.cli.predict import calibrated, load_question, show_prediction
    from possilog.inference import Reasoner
    from possilog.inference.kinds import how_asked

    question, given = load_question(theory, evidence, constants or [], header, encoding, symmetric)
    if calibrate is not None:
        question = calibrated(question, given, load_facts(calibrate, header, encoding, symmetric), seed)
    reasoner = Reasoner(question)
    how = how_asked(inference, on_conflict=on_conflict, joint=joint, width=width, votes=votes, negatives=negative)
    show_prediction(reasoner.predict(given, how), limit=limit, as_json=json)


WordsFile = Annotated[
    str | None,
    typer.Option("--words", metavar="FILE", help="Sentences: lines like  advisedBy: {0} is advised by {1}"),
]


@app.command("explain")
def explain_atom(
    theory: TheoryFile,
    atom: Annotated[str, typer.Argument(metavar="ATOM", help='For example "advisedBy(ann, bob)".')],
    evidence: EvidenceFile,
    inference: InferenceKind = Inference.LOCAL,
    on_conflict: ConflictPolicy = None,
    joint: JointPolicy = Joint.BAR,
    width: FragmentWidth = None,
    votes: Votes = None,
    words: WordsFile = None,
    limit: Annotated[int, typer.Option(min=0, help="Show at most so many of the nearest rules.")] = 3,
    constants: MoreConstants = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print why an atom is predicted, with the shortest proof, or why it is not."""
    from possilog.cli.explain import load_words, show_explanation
    from possilog.cli.predict import load_question
    from possilog.inference import Reasoner
    from possilog.inference.kinds import how_asked
    from possilog.logic import parse_atom

    asked = parse_atom(atom)
    question, given = load_question(theory, evidence, constants or [], header, encoding, symmetric)
    reasoner = Reasoner(question)
    how = how_asked(inference, on_conflict=on_conflict, joint=joint, width=width, votes=votes)
    show_explanation(reasoner, reasoner.predict(given, how), asked, load_words(words), limit=limit, as_json=json)


@app.command("check")
def check_facts(
    theory: TheoryFile,
    data: Annotated[str, typer.Option("--data", metavar="DATA", help="The facts to be checked, as complete ones.")],
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a hard rule is violated.")] = False,
    words: WordsFile = None,
    limit: Annotated[int, typer.Option(min=0, help="Show at most so many examples of each rule.")] = 3,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print where facts break the rules of a theory: how often, and examples, hard rules first."""
    from possilog.cli.check import show_check
    from possilog.cli.explain import load_words
    from possilog.cli.facts import load_facts, load_theory

    facts = load_facts(data, header, encoding, symmetric)
    agrees = show_check(load_theory(theory, facts), facts, load_words(words), limit=limit, as_json=json)
    if strict and not agrees:
        raise typer.Exit(1)


@app.command("what-if")
def what_if(
    theory: TheoryFile,
    evidence: EvidenceFile,
    add: Annotated[list[str] | None, typer.Option(metavar="ATOM", help="Suppose this fact; may be repeated.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option(metavar="ATOM", help="Suppose this fact were not known; may be repeated.")
    ] = None,
    add_rule: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help='Suppose a rule: "0.9 :: p(X) :- q(X)"; may be repeated.')
    ] = None,
    remove_rule: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Suppose a rule were not there; may be repeated.")
    ] = None,
    inference: InferenceKind = Inference.LOCAL,
    on_conflict: ConflictPolicy = None,
    joint: JointPolicy = Joint.BAR,
    width: FragmentWidth = None,
    votes: Votes = None,
    words: WordsFile = None,
    constants: MoreConstants = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print which conclusions appear and vanish if facts or rules are added or removed."""
    from possilog.cli.explain import load_words
    from possilog.cli.predict import load_question, spoken
    from possilog.cli.what_if import parse_evidence, parse_rules, show_difference
    from possilog.inference import Reasoner
    from possilog.inference.kinds import how_asked

    question, given = load_question(theory, evidence, constants or [], header, encoding, symmetric)
    known = {*question.predicates, *spoken(given)}
    difference = Reasoner(question).what_if(
        given,
        how_asked(inference, on_conflict=on_conflict, joint=joint, width=width, votes=votes),
        add=parse_evidence(add or [], known),
        remove=parse_evidence(remove or [], known),
        add_rules=parse_rules(add_rule or [], known),
        remove_rules=parse_rules(remove_rule or [], known),
        words=load_words(words),
    )
    show_difference(difference, as_json=json)


@app.command("evaluate")
def evaluate_models(
    theories: Annotated[
        list[str],
        typer.Argument(metavar="THEORY...", help="Theories (our language or .poss), and networks (.mln)."),
    ],
    test: Annotated[str, typer.Option("--test", metavar="DATA", help="Facts: some are given, the rest is asked for.")],
    sizes: Annotated[str, typer.Option(metavar="N,N...", help="How many facts are given.")] = "10,50,100",
    repeats: Annotated[int, typer.Option(min=1, help="Evidence sets of each size, the same for every model.")] = 10,
    inference: InferenceKind = Inference.LOCAL,
    on_conflict: ConflictPolicy = None,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Give up if a network's most probable world is not proved by then."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the result is the same for any number.")] = 1,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
    json: Json = False,
) -> None:
    """Print how far the predictions of theories and networks are from test facts, some of which they are given."""
    from possilog.cli.evaluate import load_models, parse_sizes, show_evaluation, sizes_within
    from possilog.cli.facts import load_facts
    from possilog.evaluation import Protocol
    from possilog.inference.kinds import how_asked

    facts = load_facts(test, header, encoding, symmetric)
    protocol = Protocol(facts, sizes_within(parse_sizes(sizes), facts), repeats, seed)
    models = load_models(theories, facts, how_asked(inference, on_conflict=on_conflict), time_limit)
    show_evaluation(models, protocol, test, jobs=jobs, as_json=json)


@app.command("export")
def export_theory(
    theory: TheoryFile,
    to: Annotated[System, typer.Option(help="The system to write it for.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write it here.")],
    evidence: Annotated[
        str | None, typer.Option(metavar="FILE", help="What is known, to be written with the rules.")
    ] = None,
) -> None:
    """Write a theory for ProbLog or PSL; comments say what they cannot carry."""
    from possilog.cli.export import export

    export(theory, to.value, output, evidence)


@app.command("experiment")
def run_experiment(
    names: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="uwcse, yeast, or facts, which are cut into halves."),
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="Where the results go.")],
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
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the result is the same for any number.")] = 1,
    header: Header = None,
    encoding: Encoding = "utf-8",
    symmetric: Symmetric = None,
) -> None:
    """Learn theories and networks, compare all models on the same evidence, and write tables, plots and a page."""
    from possilog.cli.experiment import Files, run_experiments

    files = Files(data, train, test, authors, mln, theory, header, encoding, symmetric)
    run_experiments(names, files, output, quick=quick, seed=seed, jobs=jobs, repeats=repeats)


@app.command()
def demo() -> None:
    """Learn a theory of a small village, whose facts ship with possilog; predict, explain, and ask about the facts."""
    from possilog.cli.demo import show

    show()


app.add_typer(markov.app, name="markov")


@app.callback(invoke_without_command=True)
def version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Readable, weighted logical theories from relational facts."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"possilog {installed('possilog')}")
        raise typer.Exit


def main() -> None:
    """Run a command; where something is wrong, say so in one sentence and leave with exit code 2."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        # Names of constants may hold what a terminal's encoding does not. A stream may also be closed.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except PossilogError as error:
        _leave(f"error: {error}", 2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"error: {place}{error.strerror or error}", 2)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _leave(message: str, code: int) -> None:
    print(message, file=sys.stderr)
    raise SystemExit(code)

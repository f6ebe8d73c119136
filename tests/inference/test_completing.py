"""What rules add to facts on disk is what they conclude one by one, however little memory there is."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from possilog.data.partitions import Partitions, partition
from possilog.inference import completing
from possilog.inference.completing import Completed, complete
from possilog.inference.ranking import ranking_rules
from possilog.logic import Atom, Clause, Constant, parse_theory
from possilog.progress import Step, silent

NAMES = "abcdefgh"
PATHS = {
    "h(X, Y) :- e(X, Y)": "",
    "h(X, Y) :- f(Y, X)": "",
    "f(X, Y) :- f(Y, X)": "",
    "e(X, Y) :- h(X, Y)": "",
    "h(X, Z) :- e(X, Y), f(Y, Z)": "f",
    "h(X, Z) :- f(Y, Z), e(X, Y)": "f",
    "f(X, Z) :- e(X, Y), e(Z, Y)": "e",
    "e(X, Z) :- f(Y, X), h(Y, Z)": "h",
    "f(X, Z) :- h(Y, X), e(Z, Y)": "e",
}
"""Each with the relation that it ends in, if it has two steps."""

OTHERS = [
    "h(X, Y) :- e(X, Z), f(Y, U)",
    "h(X, Y) :- e(X, Y), f(X, Y), h(Y, X)",
    "h(X, Y) :- e(X, a)",
    "h(X, Y) :- e(X, X)",
    "h(X, Y) :- g(X, Y)",
    "g(X, Y) :- e(X, Y)",
    "h(X, Y) :- e(X, Z)",
    "h(X, Y) :- e(X, A)",
    "h(X, Y) :- e(X, Z), f(X, Y)",
    "h(X, Y) :- e(Z, U), f(X, Y)",
    "h(X, Y)",
    "p(X) :- e(X, Y)",
]


def added(folder: Path) -> dict[Atom, tuple[float, str]]:
    """What was written, with its certainty and its rule."""
    import duckdb

    files = str(folder / "*" / "*.parquet").replace("'", "''")
    query = f"SELECT relation, head, tail, certainty, rule FROM read_parquet('{files}', hive_partitioning = true)"
    with duckdb.connect() as connection:
        rows = connection.execute(query).fetchall()
    found = {Atom.ground(name, [one, other]): (certainty, rule) for name, one, other, certainty, rule in rows}
    assert len(found) == len(rows)
    return found


def concluded(clause: Clause, known: set[Atom]) -> set[Atom]:
    """By definition."""
    chosen = permutations(map(Constant, NAMES), len(clause.variables))
    made = (clause.substitute(dict(zip(clause.variables, some, strict=True))) for some in chosen)
    return {ground.head[0] for ground in made if known.issuperset(ground.body)} - known


def written(path: Path, known: set[Atom], parts: int) -> Partitions:
    lines = [f"{fact.arguments[0]}\t{fact.predicate.name}\t{fact.arguments[1]}\n" for fact in sorted(known)]
    path.with_suffix(".tsv").write_text("".join(lines), encoding="utf-8")
    return partition(path.with_suffix(".tsv"), path, parts=parts)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_added_is_what_rules_conclude(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(seed)
    known = {Atom.ground(chance.choice("efh"), [chance.choice(NAMES), chance.choice(NAMES)]) for _ in range(40)}
    known |= {Atom.ground(name, ["a", "b"]) for name in "efh"}
    paths, others = chance.sample([*PATHS], 6), chance.sample(OTHERS, 5)
    rules = chance.sample([*paths, *others], 11)
    theory = parse_theory(" ".join(f"0.{chance.choice([4, 5, 6, 6, 7, 9])} :: {rule}." for rule in rules))
    facts = written(tmp_path / "facts", known, 1 + seed % 3)
    few = seed % 2 == 0
    if few:
        monkeypatch.setattr(completing, "LEAST_STEPS", 5)
    told: list[Step] = []
    done = complete(facts, theory, tmp_path / "done", memory_limit=0.0001 if few else 500.0, progress=told.append)
    used = [rule for some in ranking_rules(theory).values() for rule in some if rule.confidence >= 0.5]
    ends = {parse_theory(f"{one}.").rules[0].clause: PATHS[one] for one in paths}
    path = [rule for rule in used if rule.clause in ends]
    best: dict[Atom, float] = {}
    for rule in path:
        for atom in concluded(rule.clause, known):
            best[atom] = max(best.get(atom, 0.0), rule.confidence)
    found = added(tmp_path / "done")
    assert {atom: certainty for atom, (certainty, _) in found.items()} == best
    by_text = {str(rule.clause): rule for rule in path}
    for atom, (certainty, text) in found.items():
        assert by_text[text].confidence == certainty and atom in concluded(by_text[text].clause, known)
    number = {name: sum(atom.predicate.name == name for atom in best) for name in "efh"}
    assert done == Completed(str(tmp_path / "done"), number, len(path), len(used) - len(path))
    assert [(step.done, step.steps) for step in told if step.phase == "writing"] == [
        (part, facts.parts) for part in range(facts.parts)
    ]
    # A rule belongs to the group of the relation that it ends in, or to the first.
    groups = {"efh".index(ends[rule.clause] or "e") if few else 0 for rule in path}
    assert [(step.done, step.steps) for step in told if step.phase == "concluding"] == [
        (group * facts.parts + part, (3 if few else 1) * facts.parts)
        for group in sorted(groups)
        for part in range(facts.parts)
    ]


@pytest.mark.parametrize(("megabytes", "groups"), [(0.479, 2), (0.481, 1), (500, 1), (0.0001, 2)])
def test_relations_are_taken_together_as_far_as_memory_goes(
    megabytes: float, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it is for links of 40 bytes, less those of a part: 2,000 facts make 4,000 links, 2,000 in each of two."""
    monkeypatch.setattr(completing, "LEAST_STEPS", 1)
    facts = Partitions("nowhere", ("e", "f"), (1_000, 1_000), 9, 2)
    assert len(completing._Completing(facts, [], megabytes, silent)._groups) == groups


@pytest.mark.parametrize(("left_out", "said"), [(0, []), (1, ["left out: 1 rule is"]), (2, ["left out: 2 rules are"])])
def test_it_prints_what_was_added_and_what_was_left_out(left_out: int, said: list[str]) -> None:
    done = Completed("there", {"e": 1_200, "f": 0, "h": 7}, 3, left_out)
    assert str(done).splitlines() == [
        "there: 1,207 facts added by 3 rules",
        "         1,200  e",
        "             7  h",
        *(f"{one} no path of one or two atoms, or speak of other relations" for one in said),
    ]
    assert done.as_json == {"folder": "there", "added": {"e": 1_200, "f": 0, "h": 7}, "rules": 3, "left_out": left_out}


def test_nothing_is_added_where_no_rule_is_a_path(tmp_path: Path) -> None:
    facts = written(tmp_path / "facts", {Atom.ground("e", ["a", "b"])}, 1)
    done = complete(facts, parse_theory("0.9 :: e(X, Y) :- g(X, Y). 0.4 :: e(X, Y) :- e(Y, X)."), tmp_path / "done")
    assert (dict(done.added), done.rules, done.left_out) == ({"e": 0}, 0, 1)
    assert not list((tmp_path / "done").iterdir())

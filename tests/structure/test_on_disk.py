"""Facts on disk: what is mined from parts is what is mined in memory, and what is concluded is by definition."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

import command
from possilog import Database, mine, read
from possilog.data import partitions
from possilog.data.partitions import Partitions, partition
from possilog.errors import DataError, FileError
from possilog.inference import completing
from possilog.learning.confidence import Judge
from possilog.progress import Step
from possilog.structure.paths import on_disk
from possilog.structure.paths.mined import Mined, MinedRule
from possilog.structure.paths.on_disk import DiskPlan, mine_parts, plan_for

Counts = tuple[int, int, int, int]


def draw(seed: int) -> set[tuple[str, str, str]]:
    """Links between a few constants, some of them from a constant to itself."""
    chance = Random(seed)
    nodes = [f"c {number}" for number in range(chance.randint(3, 30))]
    number = chance.randint(1, 250)
    return {(chance.choice(nodes), chance.choice("rstu"), chance.choice(nodes)) for _ in range(number)}


def write(path: Path, triples: set[tuple[str, str, str]]) -> Path:
    path.write_text("".join("\t".join(triple) + "\n" for triple in sorted(triples)))
    return path


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are many blocks, and steps are taken a few at a time."""
    monkeypatch.setattr(on_disk, "LEAST_ROOM", 100)
    monkeypatch.setattr(completing, "LEAST_STEPS", 7)


@pytest.mark.parametrize("seed", range(1, 4))
def test_blocks_have_the_same_rules_and_counts(seed: int, tmp_path: Path, little_room: None) -> None:
    source = write(tmp_path / "facts.tsv", draw(seed))
    facts = partition(source, tmp_path / "parts", parts=seed)
    assert Partitions.open(tmp_path / "parts") == facts
    assert len(plan_for(facts, 0.0001).groups) == len(facts.relations)
    for least in (0.0, 0.15)[: 1 + seed % 2]:
        limits = {"min_support": 2, "min_confidence": least}
        found = mine_parts(facts, memory_limit=0.0001, **limits)  # type: ignore[arg-type]
        paths = [rule for rule in mine(source, constants=False, **limits) if is_path(rule.rule)]  # type: ignore[arg-type]
        assert {rule.rule: counts(rule) for rule in found} == {rule.rule: counts(rule) for rule in paths}
        assert found.found == len(found) == len(paths)


def test_blocks_have_rules_exactly_as_confident_as_was_asked_for(tmp_path: Path, little_room: None) -> None:
    facts = {(f"a{n}", "r", f"b{n}") for n in range(100)} | {(f"a{n}", "h", f"b{n}") for n in range(7)}
    facts |= {(f"a{n}", "p", f"c{n}") for n in range(100)} | {(f"c{n}", "q", f"b{n}") for n in range(100)}
    source = partition(write(tmp_path / "facts.tsv", facts), tmp_path / "parts", parts=3)
    found = {rule.rule for rule in mine_parts(source, min_support=7, min_confidence=0.07, memory_limit=0.0001)}
    assert {"h(A, B) :- r(A, B).", "h(A, B) :- p(A, C), q(C, B)."} <= found


def is_path(rule: str) -> bool:
    return rule.count("(") == 2 or "C" in rule


def counts(rule: MinedRule) -> Counts:
    return rule.support, rule.body_size, rule.head_size, rule.pca_size


def test_what_is_added_is_what_rules_give(tmp_path: Path, little_room: None) -> None:
    facts = partition(write(tmp_path / "facts.tsv", draw(4)), tmp_path / "parts", parts=3)
    rules = mine_parts(facts, min_support=2, min_confidence=0.05)
    done = completing.complete(facts, rules.theory, tmp_path / "done", min_confidence=0.1, memory_limit=0.0001)
    database = read(tmp_path / "facts.tsv")
    assert added(tmp_path / "done") == by_definition(rules, database, 0.1)
    assert sum(done.added.values()) == len(added(tmp_path / "done")) > 0


def by_definition(rules: Mined, database: Database, least: float) -> dict[tuple[str, str, str], float]:
    judge = Judge(database, ())
    found: dict[tuple[str, str, str], float] = {}
    for rule in rules.theory.judged:
        predicate, heads = rule.clause.head[0].predicate, judge.heads(rule.clause)
        assert heads is not None
        for first, second in heads[~judge.are_true(predicate, heads)].tolist() if rule.confidence >= least else ():
            key = predicate.name, database.constants[first], database.constants[second]
            found[key] = max(found.get(key, 0.0), rule.confidence)
    return found


def added(folder: Path) -> dict[tuple[str, str, str], float]:
    import duckdb

    files = str(folder / "*" / "*.parquet").replace("'", "''")
    query = f"SELECT relation, head, tail, certainty FROM read_parquet('{files}', hive_partitioning = true)"
    with duckdb.connect() as connection:
        rows = connection.execute(query).fetchall()
    assert len({row[:3] for row in rows}) == len(rows)
    return {(relation, head, tail): certainty for relation, head, tail, certainty in rows}


def test_the_commands(tmp_path: Path) -> None:
    write(tmp_path / "facts.tsv", draw(4))
    made = command.run("partition", "facts.tsv", "parts", "--parts", "2", cwd=tmp_path)
    assert made.returncode == 0 and made.stdout.startswith("parts: ") and made.stdout.endswith("in 2 parts\n")
    mined = command.run("mine", "parts:parts", "--min-support", "2", "-o", "rules.pl", cwd=tmp_path)
    assert mined.returncode == 0, mined.stderr
    assert mined.stderr.startswith("plan: ") and "blocks joins the links of a part with" in mined.stderr
    done = command.run("complete", "rules.pl", "parts", "-o", "done", "--min-confidence", "0.05", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " facts added by " in done.stdout and any((tmp_path / "done").glob("relation=*/part-0000_0.parquet"))
    as_json = json.loads(command.run("partition", "facts.tsv", "again", "--json", cwd=tmp_path).stdout)
    assert sorted(as_json) == ["constants", "facts", "folder", "parts"]
    added = json.loads(command.run("complete", "rules.pl", "parts", "-o", "two", "--json", cwd=tmp_path).stdout)
    assert sorted(added) == ["added", "folder", "left_out", "rules"]
    for words, told in (
        (["partition", "facts.tsv", "parts"], "parts: there is something already; name a new folder"),
        (["complete", "rules.pl", "parts", "-o", "done"], "done: there is something already"),
        (["mine", "parts:done"], "there are no partitioned facts in it; possilog partition makes such a folder"),
        (["mine", "parts:parts", "--body", "3"], "paths of facts on disk have one or two atoms"),
        (["mine", "parts:parts", "--jobs", "2"], "--jobs does not go with facts on disk"),
    ):
        failed = command.run(*words, cwd=tmp_path)
        assert failed.returncode == 2 and told in failed.stderr, failed.stderr


def test_what_cannot_be_laid_out(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("likes(a, b)")
    (tmp_path / "two.tsv").write_text("a\tb\n")
    (tmp_path / "empty.tsv").write_text("")
    for name, told in (("facts.db", "only triples are dealt out"), ("empty.tsv", "there are no triples in it")):
        with pytest.raises(DataError, match=told):
            partition(tmp_path / name, tmp_path / "parts")
    with pytest.raises(DataError, match=r"two\.tsv cannot be laid out"):
        partition(tmp_path / "two.tsv", tmp_path / "parts")
    with pytest.raises(FileError, match=r"nowhere\.tsv"):
        partition(tmp_path / "nowhere.tsv", tmp_path / "parts")
    assert not (tmp_path / "parts").exists()


def test_parts_are_dealt_out_by_hash(tmp_path: Path) -> None:
    triples = {(f"c{n:03}", "next", f"c{n + 1:03}") for n in range(300)}
    facts = partition(write(tmp_path / "facts.tsv", triples), tmp_path / "parts", parts=3)
    sizes = [len(facts.part(number)) for number in range(3)]
    assert sum(sizes) == 600 and max(sizes) < 2 * min(sizes)
    assert partitions.ABOUT in {path.name for path in (tmp_path / "parts").iterdir()}


def test_a_plan_says_how_much_it_takes_at_a_time(tmp_path: Path) -> None:
    """What each constant takes, the links of a part, and those of the largest group."""
    facts = partition(write(tmp_path / "facts.tsv", draw(4)), tmp_path / "parts", parts=3)
    plan, count = plan_for(facts, 1_000), sum(facts.facts)
    assert (plan.facts, plan.parts, len(plan.groups)) == (count, 3, 1)
    nodes = facts.nodes * (on_disk.BYTES_PER_NODE + 2 * len(facts.relations))
    assert plan.megabytes > (nodes + 2 * count / 3 * on_disk.BYTES_PER_LINK) / 1e6
    tight = plan_for(facts, 0.0001)
    assert tight.megabytes <= plan.megabytes and len(tight.groups) >= 1
    assert f"{count:,} facts in 3 parts" in str(plan)


@pytest.mark.parametrize(
    ("megabytes", "links", "groups", "takes"),
    [
        (200, 199_930_000 / 80, [[0, 1], [4]], 0.18),  # 70 kB for constants, 80 for a part, 30 for a group laid out
        (200, 199_930_000 / 80, [[0, 1, 2, 3, 4]], 0.31),  # 240 kB for a group while it is laid out
        (0.2, 130_000 / 80, [[0], [1]], 0.162),
        (0.19, 40_000 / 30, [[2, 1]], 0.18),
        (0.01, 100 / 80, [[0], [3], [4], [1], [2]], 0.18),
    ],
)
def test_a_group_has_the_room_that_constants_and_a_part_leave(
    megabytes: float, links: float, groups: list[list[int]], takes: float, little_room: None
) -> None:
    def grouped(most: float) -> list[list[int]]:
        assert most == pytest.approx(links)
        return groups

    facts = SimpleNamespace(nodes=1_000, relations=[*"rstuv"], facts=(100, 200, 300, 400, 500), parts=3, groups=grouped)
    plan = plan_for(facts, megabytes)  # type: ignore[arg-type]
    assert plan == DiskPlan(1_500, 3, tuple(map(tuple, groups)), plan.megabytes)
    assert plan.megabytes == pytest.approx(takes)


def test_a_plan_in_words() -> None:
    first, second, last = str(DiskPlan(1_500, 30, ((0, 1), (4,), (2, 3)), 1_234.5)).splitlines()
    assert first.startswith("plan: 1,500 facts in 30 parts ") and first.endswith(" begins, and 3 groups of relations")
    assert second.startswith("  each of 90 blocks joins ") and last == "  about 1,234 MB at a time"


def test_mining_tells_how_far_it_is_and_lists_as_much_as_was_asked_for(tmp_path: Path, little_room: None) -> None:
    facts = partition(write(tmp_path / "facts.tsv", draw(4)), tmp_path / "parts", parts=3)
    told, blocks = list[Step](), 3 * len(facts.relations)
    every = mine_parts(facts, min_support=0, min_confidence=0, memory_limit=0.0001, progress=told.append)
    wanted = [("mining", done, 3) for done in range(3)]
    for group in range(len(facts.relations)):
        for doing in ("supports", "sizes"):
            wanted += [(f"mining: {doing}", 3 * group + part, blocks) for part in range(3)]
    assert [(step.phase, step.done, step.steps) for step in told] == wanted and blocks > 3
    some = mine_parts(facts, min_support=1, min_confidence=0, limit=4)
    assert (list(some), some.found) == (list(every[:4]), len(every)) and len(every) > 4
    short = mine_parts(facts, body=1, min_support=1, min_confidence=0)
    assert list(short) == [rule for rule in every if rule.rule.count("(") == 2]


def test_completing_tells_how_far_it_is(tmp_path: Path, little_room: None) -> None:
    facts = partition(write(tmp_path / "facts.tsv", draw(4)), tmp_path / "parts", parts=3)
    rules = mine_parts(facts, min_support=2, min_confidence=0.05)
    told: list[Step] = []
    completing.complete(
        facts, rules.theory, tmp_path / "done", min_confidence=0.1, memory_limit=0.0001, progress=told.append
    )
    assert {step.phase for step in told} == {"concluding", "writing"}
    for phase in ("concluding", "writing"):
        steps = [step for step in told if step.phase == phase]
        assert [step.done for step in steps] == sorted({step.done for step in steps})
        assert all(step.done < (step.steps or 0) for step in steps) and len({step.steps for step in steps}) == 1
    assert {step.steps for step in told if step.phase == "writing"} == {3}

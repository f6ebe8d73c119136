"""``possilog rank``, as it is called by others: triples, gzip, rule files, predicates."""

import gzip
from pathlib import Path

import pytest

from command import run, run_json

TRAIN = "ann\tborn\tlyon\nbob\tborn\trome\neve\tborn\trome\nlyon\tlanguage\tfrench\nrome\tlanguage\titalian\n"


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path) -> Path:
    (tmp_path / "train.tsv.gz").write_bytes(gzip.compress(TRAIN.encode()))
    (tmp_path / "valid.tsv").write_text("bob\tspeaks\titalian\n")
    (tmp_path / "test.tsv").write_text("ann\tspeaks\tfrench\neve\tspeaks\titalian\nann\tlikes\teve\n")
    (tmp_path / "rules.txt").write_text("3\t2\t0.6667\tspeaks(X,Y) <= born(X,A), language(A,Y)\n")
    return tmp_path


def test_triples(folder: Path) -> None:
    parts = [part for name in ("train.tsv.gz", "valid.tsv", "test.tsv") for part in (f"--{name[:5].rstrip('.')}", name)]
    arguments = [str(folder / one) if one.endswith((".tsv", ".gz")) else one for one in parts]
    found = run_json("rank", str(folder / "rules.txt"), *arguments)
    assert set(found["hits"]) == {"1", "3", "10"}
    assert found["rules"] == 1 and found["ties"] == "mean rank"
    speaks, likes = found["relations"]["speaks"], found["relations"]["likes"]
    # bob, who speaks Italian by the validation facts, does not stand before eve.
    assert (speaks["mrr"], speaks["hits"]["1"], speaks["rules"]) == (1, 1, 1)
    assert likes["mrr"] == pytest.approx(1 / 4) and likes["hits"] == {"1": 0, "3": 0, "10": 1}  # the fourth of seven
    assert found["mrr"] == pytest.approx((4 * 1 + 2 / 4) / 6)
    again = run_json("rank", str(folder / "rules.txt"), *arguments, "--jobs", "2")
    assert again | {"seconds": found["seconds"]} == found


def test_no_validation_facts_are_none(folder: Path) -> None:
    (folder / "none.tsv").write_text("")
    paths = [str(folder / name) for name in ("rules.txt", "train.tsv.gz", "test.tsv", "none.tsv")]
    arguments = ["rank", paths[0], "--train", paths[1], "--test", paths[2]]
    found = run_json(*arguments, "--valid", paths[3])
    assert found | {"seconds": 0} == run_json(*arguments) | {"seconds": 0}


def test_predicates(folder: Path) -> None:
    found = run_json("rank", str(folder / "rules.txt"), "--test", str(folder / "test.tsv"), "--predicate", "speaks")
    assert set(found["predicates"]) == {"speaks"}
    assert found["predicates"]["speaks"]["true"] == 2
    wrong = run("rank", str(folder / "rules.txt"), "--test", str(folder / "test.tsv"), "--predicate", "speak")
    assert wrong.returncode == 2 and "there are no test facts of speak" in wrong.stderr


def test_tables_are_read_as_the_theory_reads_them(tmp_path: Path) -> None:
    train, test = tmp_path / "train", tmp_path / "test"
    for folder, size in ((train, 60), (test, 6)):
        folder.mkdir()
        rows = [f"t{n},{'red' if n % 2 else 'green'},{n % 2 * 40 + n % 7}" for n in range(size)]
        (folder / "things.csv").write_text("\n".join(["id,colour,size", *rows]) + "\n")
    assert run("learn", str(train), "-o", str(tmp_path / "theory.pl"), "--target", "colour").returncode == 0
    # So few rows alone would show no key and no number.
    found = run_json("rank", str(tmp_path / "theory.pl"), "--test", str(test), "--predicate", "colour")
    assert found["predicates"]["colour"]["true"] == 6
    assert found["predicates"]["colour"]["auc_pr"] > 0.9


def test_rules_go_out_as_they_came_in(folder: Path) -> None:
    rules, amie = folder / "rules.txt", folder / "amie.tsv"
    assert run("export", str(rules), "--to", "amie", "-o", str(amie)).returncode == 0
    assert run("export", str(amie), "--to", "anyburl", "-o", str(folder / "back.txt")).returncode == 0
    assert (folder / "back.txt").read_text() == rules.read_text().replace("0.6667", "0.666667")


def test_mined_rules_are_ranked_by(folder: Path) -> None:
    theory = folder / "mined.pl"
    (folder / "all.tsv").write_text(TRAIN + "bob\tspeaks\titalian\nann\tspeaks\tfrench\n")
    mined = run("mine", str(folder / "all.tsv"), "--min-support", "2", "--no-constants", "-o", str(theory))
    assert mined.returncode == 0, mined.stderr
    found = run_json("ask", str(theory), "speaks(eve, ?)", "--data", str(folder / "all.tsv"))
    assert [answer["atom"] for answer in found["answers"]] == ["speaks(eve, italian)"]

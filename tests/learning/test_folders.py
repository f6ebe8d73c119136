"""Raw folders of tables: what was planted is among the rules, and no rule is about an identifier."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from budget import budget
from folders import DOMAINS
from possilog import learn
from possilog.data import load, read, shop
from possilog.data.tables.files import mapping_text, parse_mapping
from possilog.errors import DataWarning
from possilog.learning.from_facts import gathered
from possilog.logic import Clause, Theory, canonical, parse_clause

NUMBER = re.compile(r"(?<=[<>]= )([\d.]+)(?=[,.])")
IDENTIFIER = re.compile(r'"(?:[CSPLR]|ST|W|pl-)?\d+"')


def missing(theory: Theory, planted: dict[str, Clause]) -> list[str]:
    """What was planted and is not among the rules; a threshold may be off by 2 %, which is a bin of these numbers."""
    return [kind for kind, clause in planted.items() if not any(_is_near(rule.clause, clause) for rule in theory.soft)]


def _is_near(one: Clause, other: Clause) -> bool:
    parts = [NUMBER.split(str(canonical(clause))) for clause in (one, other)]
    return parts[0][::2] == parts[1][::2] and all(
        abs(float(first) - float(second)) <= 0.02 * float(second)
        for first, second in zip(parts[0][1::2], parts[1][1::2], strict=True)
    )


@pytest.mark.parametrize("seed", range(budget(3)))
def test_the_shop_gives_back_what_was_planted(seed: int, tmp_path: Path) -> None:
    found = shop(seed)
    found.save(tmp_path / "shop")
    theory = learn(tmp_path / "shop").theory
    assert missing(theory, found.planted) == []
    assert not [rule for rule in theory.soft if IDENTIFIER.search(str(rule.clause))]
    assert len(theory.soft) < 15


@pytest.mark.parametrize("seed", range(budget(2)))
@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_other_folders_give_back_what_was_planted(name: str, seed: int, tmp_path: Path) -> None:
    folder = DOMAINS[name](seed)
    theory = learn(folder.save(tmp_path / name)).theory
    assert missing(theory, {kind: parse_clause(text) for kind, text in folder.planted.items()}) == []
    assert not [rule for rule in theory.soft if IDENTIFIER.search(str(rule.clause))]


def test_a_date_does_not_explain_its_month(tmp_path: Path) -> None:
    shop(3).save(tmp_path / "shop")
    theory = learn(tmp_path / "shop").theory
    assert not [rule for rule in theory.soft if str(rule.clause).count("date") > 1]


def test_facts_that_ship_are_known_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, beside files, and not where there is a file of that name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.db").write_text("cat(Tibbles)\n")
    assert gathered("village") == gathered(["village"]) == {"village": load("village")}
    assert [*gathered(["village", "more.db"])] == ["village", "more.db"]
    (tmp_path / "village").write_text("cat(Felix)\n")
    assert [len(facts) for facts in gathered("village").values()] == [1]


def test_tables_are_read_as_a_mapping_says_and_several_folders_alike(tmp_path: Path) -> None:
    """Alone, the second folder's numbers would be words."""
    for name, ages in (("one", "31 45 20 62"), ("two", "31 x 45 20")):
        (tmp_path / name).mkdir()
        rows = [f"p{number},{age},Rome" for number, age in enumerate(ages.split())]
        (tmp_path / name / "people.csv").write_text("\n".join(["id,age,city", *rows]))
    folders = [tmp_path / "one", tmp_path / "two"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = gathered(folders)
    first = read(folders[0]).mapping
    assert first is not None and [part.mapping for part in found.values()] == [first, first]
    text = mapping_text(first).replace('predicate = "age"', 'predicate = "years"')
    (given,) = gathered([folders[0]], parse_mapping(text)).values()
    assert [str(predicate) for predicate in given.predicates] == ["years/2"]

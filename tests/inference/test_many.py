"""Many evidence sets: each is predicted as it would be alone, whoever does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from possilog import Fragments, parse_theory, predict, predict_many
from possilog.errors import DataError, QueryError

THEORY = parse_theory("0.9 :: bird(X) :- flies(X). 0.7 :: nests(X) :- bird(X). :- bird(X), bat(X).")
SETS = [["flies(Tweety)"], ["bird(Bruce)", "bat(Bruce)"], ["flies(Carl)", "not bird(Carl)"], []]


@pytest.mark.parametrize("how", ["local", "global", Fragments(width=1)])
@pytest.mark.parametrize("jobs", [1, 2])
def test_each_is_predicted_as_if_alone(how: str | Fragments, jobs: int, tmp_path: Path) -> None:
    file = tmp_path / "known.db"
    file.write_text("flies(Dora)")
    sets: list[Path | list[str]] = [*SETS, file]
    found = list(predict_many(THEORY, sets, how, jobs=jobs))
    alone = [predict(THEORY, one, how) for one in sets]
    assert [(str(one), one.as_json) for one in found] == [(str(one), one.as_json) for one in alone]
    assert found[1].cores(None) == alone[1].cores(None) != ()
    assert found[0].certainty("bird(Tweety)") == alone[0].certainty("bird(Tweety)")


def test_what_is_no_list_of_sets_is_refused() -> None:
    with pytest.raises(QueryError, match="a list of evidence sets is needed; for one of them there is predict"):
        predict_many(THEORY, "known.db")
    with pytest.raises(DataError, match="evidence"):
        list(predict_many(THEORY, [["flies(Tweety)"], 7], jobs=2))  # type: ignore[list-item]

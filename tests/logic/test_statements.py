"""Statements of theory files, each alone: what is read of it, and what is wrong with it."""

from __future__ import annotations

import pytest

from possilog.errors import LanguageError
from possilog.logic import Theory, parse_theory
from possilog.logic.files import theory_text

HELD_OUT = "right 3, said 2.5, of 7"
COUNTS = "true 4, false 3, nontrivial 2"


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("p(X) :- q(X).", 1),
        ("0.5 :: p(X) :- q(X).", 1),
        ("#pin 0.5 :: p(X) :- q(X).", 1),
        ("#lock 0.5 :: p(X) :- q(X).", 1),
        ("#lock p(X) :- q(X).", 1),
        ("? :: p(X) :- q(X).", 1),
        ("#lock ? :: p(X) :- q(X).", 1),
        ("#ban p(X) :- q(X).", 1),
        ("0.25 :: false.", 1),
        ("#pin 0.25 :: false.", 1),
        ("#pin 0 :: false.", 1),
        ("#demoted :- p(X), q(X).", 2),
        ("#type p(a, ~b).", 2),
        ("#type p.", 2),
        ("#shares 0.25, 0.5.\n#seen 0, 1.\n#added -1, 0.5.", 2),
        ("#shares 0.25.\n#seen 1.\n#added 0.\n#given 3.", 2),
        (f"#faultless {HELD_OUT}.", 2),
        (f"#certain p/2, {HELD_OUT}.", 2),
        (f"#list p/2, {HELD_OUT}.", 2),
        (f"#measured {COUNTS}, {HELD_OUT} :: p(X) :- q(X).", 2),
        (f"#rank {COUNTS} :: p(X) :- q(X).", 2),
        (f"#rank {COUNTS}, {HELD_OUT} :: p(X) :- q(X).", 5),
        ("#table things key id.\n#column value city(things, city).", 3),
        ("p(X) :- q(X, Y), Y >= 15.", 3),
        ("#aggregate noisy-or.", 4),
        (f"#unlinked {HELD_OUT}.", 6),
        ("#shares 0.25, 0.5.\n#seen 0, 1.\n#added -1, 0.5.\n#dense 1.25, 3; weight 0.75.", 7),
        ("#shares 0.25.\n#seen 1.\n#added 0.\n#given 3.\n#dense -1; weight 0.", 7),
    ],
)
def test_each_statement_is_read_and_written(text: str, needed: int) -> None:
    theory = parse_theory(text)
    assert theory != Theory()
    lines = [line for line in theory_text(theory, None, {}).split("\n") if line and not line.startswith("%")]
    assert lines[0] == f"#format {needed}." and lines[1:] == text.split("\n")
    assert parse_theory("\n".join(lines)) == theory


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("0.5 :: false. 0.6 :: false.", "1:15", "one weight of ⊥ for the whole theory"),
        ("#lock 0.5 :: false.", "1:1", "a rule: ⊥ has its place; #pin keeps its weight"),
        ("#shares 0.5. #shares 0.5.", "1:14", "one line #shares in a theory"),
        ("#dense 1; weight 0.5. #dense 1; weight 0.5.", "1:23", "one line #dense in a theory"),
        ("#dense.", "1:7", "a number"),
        ("#dense 1, 2.", "1:12", "',' or ';'"),
        ("#dense 1, 2; 0.5.", "1:14", "'weight' and a number"),
        ("#dense 1, 2; weight.", "1:20", "a number"),
        ("#dense 1, 2; weight 0.5 #shares 1.", "1:25", "'.'"),
        ("#aggregate noisy-or. #aggregate noisy-or.", "1:22", "one line #aggregate in a theory"),
        ("#pin ? :: p(X).", "1:6", ""),
        ("#type p(a b).", "1:11", "',' or ')'"),
        ("#type p(a, b)", "1:14", "'(' or '.'"),
        ("#type p().", "1:9", "the name of a type"),
        ("#rank true 1 :: p(X).", "1:14", ""),
        (f"#rank {COUNTS} p(X).", "1:37", "'::' and the rule that is ranked by"),
        (f"#measured {COUNTS} :: p(X).", "1:41", "','"),
        (f"#measured {COUNTS}, {HELD_OUT}, 5 :: p(X).", "1:67", "'gains' and numbers"),
        (
            f"#measured {COUNTS}, {HELD_OUT}; errors 5 :: p(X).",
            "1:65",
            "'::', or ', gains' and numbers before the errors",
        ),
        (f"#measured {COUNTS}, {HELD_OUT}, gains 1; 5 :: p(X).", "1:76", "'errors' and numbers"),
        ("? p(X).", "1:3", "'::' and the rule to be placed"),
        ("1.5 :: p(X).", "1:1", "a weight from 0 to 1"),
        ("#nothing p(X).", "1:1", ""),
    ],
)
def test_statements_that_are_wrong(text: str, place: str, expected: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_theory(text)
    assert str(caught.value).startswith(f"<text>:{place}: ") and f", expected {expected}" in str(caught.value)

"""Rule files of AnyBURL and AMIE: what is written is read back, and what cannot be written is refused."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.errors import FormatError, LanguageError
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Judged,
    Measured,
    Measures,
    Predicate,
    Rule,
    Theory,
    Variable,
    Weight,
    canonical,
    parse_clause,
    parse_theory,
    read_theory,
)
from possilog.logic.rule_files import (
    MOST_ATOMS,
    _letter,
    amie_text,
    anyburl_text,
    counted_rules,
    looks_like_amie,
    looks_like_anyburl,
    parse_amie,
    parse_anyburl,
)

NAMES = st.text("abz/._<>-09Äß", min_size=2, max_size=6)
TERMS = st.sampled_from([Variable(name) for name in ("X", "Y", "Z", "W1")]) | st.builds(Constant, NAMES)
ATOMS = st.builds(lambda name, *terms: Atom(Predicate(name, 2), terms), NAMES, TERMS, TERMS)
CLAUSES = st.builds(lambda head, body: Clause((head,), tuple(body)), ATOMS, st.lists(ATOMS, max_size=3))


@st.composite
def judged(draw: st.DrawFn) -> Judged:
    true, nontrivial, trivial = (draw(st.integers(0, 1_000)) for _ in range(3))
    return Judged(draw(CLAUSES), true, nontrivial + trivial, nontrivial)


@given(st.lists(judged(), max_size=4, unique_by=lambda rule: canonical(rule.clause)))
@settings(max_examples=budget(200))
def test_rules_survive_both_formats(rules: list[Judged]) -> None:
    theory = Theory(judged=tuple(rules))
    expected = [(canonical(rule.clause), rule.true, rule.false, rule.nontrivial) for rule in rules]
    amie = [
        (canonical(rule.clause), rule.true, rule.false, rule.nontrivial)
        for rule in parse_amie(amie_text(theory)).judged
    ]
    assert amie == expected
    anyburl = [(canonical(rule.clause), rule.true, rule.false) for rule in parse_anyburl(anyburl_text(theory)).judged]
    assert anyburl == [row[:3] for row in expected]  # which knows one kind of error only


@pytest.mark.parametrize(
    ("line", "head", "body"),
    [
        ("5\t4\t0.8\tr(X,Y) <= s(Y,X)", "r(X, Y)", ["s(Y, X)"]),
        ("5\t4\t0.8\t/a/b(X,/m/0x) <= c(X,d)", '"/a/b"(X, "/m/0x")', ["c(X, d)"]),
        ("5\t4\t0.8\tr(X,Smith, J. (b)) <= s(X,A), t(A,Q,1)", 'r(X, "Smith, J. (b)")', ["s(X, A)", 't(A, "Q,1")']),
        ("5\t4\t0.8\tr(X,USA) <= ", 'r(X, "USA")', []),
    ],
)
def test_names_of_anyburl_are_taken_as_they_are(line: str, head: str, body: list[str]) -> None:
    (rule,) = parse_anyburl(line).judged
    assert (str(rule.clause.head[0]), list(map(str, rule.clause.body))) == (head, body)


def test_what_amie_says_around_its_rules_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text(
        "Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size\n"
        "?a  <born>  ?b   => ?a  <lives>  ?b\t0.1\t0.5\t0.8\t4\t8\t5\t?a\t0\t0\n"
        "Mining done in 3.2 s\n"
    )
    (rule,) = read_theory(path).judged
    assert str(rule) == '#rank true 4, false 4, nontrivial 1 :: "<lives>"(A, B) :- "<born>"(A, B).'


@pytest.mark.parametrize(
    "line",
    ["x\t1\t0.5\tr(X,Y) <= s(X,Y)", "1\t2\t0.5\tr(X,Y) <= s(X,Y)", "2\t1\t0.5\tr(X) <= s(X,Y)", "2\t1\t0.5\tr(X,Y)"],
)
def test_lines_that_are_no_rule_are_told_with_their_place(line: str) -> None:
    with pytest.raises(LanguageError, match=r"rules\.txt:2"):
        parse_anyburl(f"2\t1\t0.5\tr(X,Y) <= s(X,Y)\n{line}", "rules.txt")


@pytest.mark.parametrize("clause", ["p(X) :- q(X, Y).", '"a b  c"(X, Y) :- q(X, Y).', 'p(X, "A") :- q(X, Y).'])
def test_what_a_format_cannot_hold_is_refused(clause: str) -> None:
    theory = parse_theory(f"#rank true 1, false 0, nontrivial 0 :: {clause}")
    with pytest.raises(FormatError, match="cannot hold the rule"):
        (anyburl_text if "A" in clause else amie_text)(theory)


def test_variables_have_letters_as_long_as_there_are_some() -> None:
    assert [_letter(number) for number in (0, 25, 26)] == ["a", "z", "v26"]


@pytest.mark.parametrize("atom", ["(X,Y)", "r(X)", "r", "r(,Y)", "r(X,)", "r(a,b,c)", "r(X,Y", "r()", "(X)"])
def test_atoms_of_anyburl_have_a_name_and_two_arguments(atom: str) -> None:
    assert parse_anyburl("9\t8\t0.8\th(X,Y) <= r(X,Y)").judged
    for line in (f"9\t8\t0.8\th(X,Y) <= {atom}", f"9\t8\t0.8\t{atom} <= r(X,Y)"):
        with pytest.raises(LanguageError, match=r"atoms like r\(X,Y\), with two arguments each"):
            parse_anyburl(line)


RULE = "?a  b  ?c   => ?a  h  ?c"


@pytest.mark.parametrize(
    ("text", "amie", "anyburl"),
    [
        (f"{RULE}\t0.1\t0.5", True, False),
        (f"\n {RULE}\t.5", True, False),
        (f"{RULE}\tmuch", False, False),
        (f"{RULE}", False, False),
        ("?a  b  ?c\t0.1", False, False),
        ("Rule\tHead Coverage\tand so on", True, False),
        ("Rule\tConfidence", False, False),
        ("Assuming 2 as type relation\nLoading files...\n\nRule\tHead Coverage\tand so on", True, False),
        ("Loading files...\n Rule\tHead Coverage\t", False, False),
        ("9\t8\t0.8\tr(X,Y) <= s(X,Y)", False, True),
        ("0.9 :: r(X, Y) :- s(X, Y).", False, False),
        ("", False, False),
    ],
)
def test_how_rule_files_begin(text: str, amie: bool, anyburl: bool) -> None:
    assert (looks_like_amie(text), looks_like_anyburl(text)) == (amie, anyburl)


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        ("0.1\t0.5\t0.8\t4\t8\t5", (4, 4, 1)),
        ("0.1\t0.5\t0.8\t4\t8\t5.0\t?a\t7", (4, 4, 1)),
        ("0.1\t0.5\t0.8\t4\t8", (4, 4, 4)),
        ("0.1\t0.5\t0.8\t4\t8\t-1", (4, 4, 4)),
        ("0.1\t0.5\t0.8\t4.0\t8.\t?a", (4, 4, 4)),
        ("0.1\t0.5\t0.8\t4\t4\t4", (4, 0, 0)),
    ],
)
def test_numbers_of_amie(numbers: str, counts: tuple[int, int, int]) -> None:
    (rule,) = parse_amie(f"{RULE}\t{numbers}").judged
    assert (rule.true, rule.false, rule.nontrivial) == counts


def test_what_amie_prints_is_read_with_what_it_tells_of_its_work(tmp_path: Path) -> None:
    told = "Using HeadCoverage as pruning metric\n{}\nStarting the mining phase...\n"
    header = (
        "Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size\tVariable"
    )
    printed = f"{told}{header}\n{RULE}\t0.1\t0.5\t0.8\t4\t8\t5\t?a\n\nMining done in 1.2 s\n1 rules mined.\n"
    (tmp_path / "printed.txt").write_text(printed)
    assert read_theory(tmp_path / "printed.txt") == parse_amie(f"{RULE}\t0.1\t0.5\t0.8\t4\t8\t5")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{RULE}\t0.1\t0.5\t0.8\t4", "head coverage, two confidences"),
        (f"{RULE}\t0.1\t0.5\t0.8\t4\tmany", "a whole number of predictions"),
        (f"{RULE}\t0.1\t0.5\t0.8\t4\t3", "at most as many true predictions"),
        (f"{RULE}\t0.1\t0.5\t0.8\t4\t8\t3", "at most as many true predictions"),
        (f"{RULE}\t0.1\t0.5\t0.8\t4\t8\t9", "at most as many true predictions"),
        ("?a  b  ?c\t1\t2\t3", "a rule like"),
        ("?a  b   => ?a  h  ?c\t1\t1\t1\t4\t8", "atoms of three words each"),
        ("?a  b  ?c   => ?a  h  ?c  ?a  h  ?d\t1\t1\t1\t4\t8", "one atom after =>"),
        ("?a  b  ?c   => \t1\t1\t1\t4\t8", "one atom after =>"),
    ],
)
def test_what_is_no_rule_of_amie(line: str, expected: str) -> None:
    with pytest.raises(LanguageError, match=expected):
        parse_amie(line)


def test_lines_of_amie_that_are_passed_over() -> None:
    for line in ("Rule\ta\tb\tc\td", " Rule \ta\tb\tc", "Mining\tdone\tnow", "", "done"):
        assert parse_amie(line).judged == ()
    for line in ("Q\t1\t2\t3", "S\t1\t2\t3"):
        with pytest.raises(LanguageError, match="a rule like"):
            parse_amie(line)


def test_atoms_of_amie_may_have_single_blanks() -> None:
    counts = "0.1\t0.5\t0.8\t4\t8\t5"
    (rule,) = parse_amie(f"?a b ?c ?c d e => ?a h ?c\t{counts}").judged
    assert str(rule.clause) == "h(A, C) :- b(A, C), d(C, e)."
    (rule,) = parse_amie(f"?a  b  New York   => ?a  h  ?c\t{counts}").judged
    assert str(rule.clause) == 'h(A, C) :- b(A, "New York").'
    (rule,) = parse_amie(f" => ?a  h  ?c\t{counts}").judged
    assert str(rule.clause) == "h(A, C)."


def test_which_rules_have_counts() -> None:
    clauses = [parse_clause(text) for text in ("p(X, Y) :- q(X, Y).", "p(X, Y) :- r(X, Y).", "p(X, Y) ; q(X, Y).")]
    rules = tuple(Rule(clause, Weight.of(0.5)) for clause in clauses)
    again = Judged(parse_clause("p(Z, X) :- q(Z, X)."), 9, 9, 9)
    more = Judged(parse_clause("p(X, Y) :- s(X, Y)."), 1, 0, 0)
    constraint = Judged(parse_clause(":- s(X, Y)."), 1, 0, 0)
    measures = Measures(rules=(Measured(clauses[0], 3, 2, 1), Measured(clauses[2], 6, 5, 4)))
    judged = (again, more, more, constraint)
    assert list(counted_rules(Theory(rules, measures=measures, judged=judged))) == [Judged(clauses[0], 3, 2, 1), more]
    assert list(counted_rules(Theory(rules, judged=judged))) == [again, more]
    assert list(counted_rules(Theory(rules))) == []


def test_the_lines_that_are_written() -> None:
    theory = Theory(judged=(Judged(parse_clause("p(X, Y) :- q(X, Z), r(Z, Y)."), 3, 5, 1),))
    assert anyburl_text(theory) == "8\t3\t0.375\tp(X,Y) <= q(X,A), r(A,Y)\n"
    line = amie_text(theory, {Predicate("p", 2): 12, Predicate("q", 2): 5}).split("\n")[1]
    assert line == "?a  q  ?c  ?c  r  ?b   => ?a  p  ?b\t0.25\t0.375\t0.75\t3\t8\t4"
    nothing = Theory(judged=(Judged(parse_clause("p(X, Y) :- q(X, Y)."), 0, 0, 0),))
    assert anyburl_text(nothing) == "0\t0\t0\tp(X,Y) <= q(X,Y)\n"


def test_bodies_of_many_atoms() -> None:
    most = ", ".join(f"r(X,c{number})" for number in range(MOST_ATOMS))
    assert len(parse_anyburl(f"9\t8\t0.8\th(X,Y) <= {most}").judged[0].clause.body) == MOST_ATOMS
    with pytest.raises(LanguageError, match=f"at most {MOST_ATOMS} atoms in a body"):
        parse_anyburl(f"9\t8\t0.8\th(X,Y) <= {most}, r(X,Y)")

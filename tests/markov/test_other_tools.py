"""Files of Tuffy, RockIt and pracmln, the conventions of their weights, and small problems that are ground at once."""

import math
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from budget import budget
from markov.random_networks import all_atoms, random_case, satisfied
from possilog.data import Database, Evidence
from possilog.errors import DataError, FileError, LanguageError, PossilogError, QueryError, TheoryError
from possilog.logic import Atom, Constant, Term, Variable, parse_atom
from possilog.markov import (
    Domain,
    FormulaWeights,
    Network,
    encode_network,
    learn_network,
    learn_weights,
    map_state,
    parse_mln,
    read_mln,
    weighted_clauses,
    write_mln,
)
from possilog.markov.arithmetic import read_weight
from possilog.markov.network import And, Equal, Exists, Forall, Iff, Implies, Not, Or, Sentence

# What their files say


def test_a_star_before_a_declaration_closes_the_world() -> None:
    network = parse_mln(
        "*Friends(person, person)\nSmokes(person)\n2 Friends(x, y) ^ Smokes(x) => Smokes(y)\n1 Friends(x, y)"
    )
    assert [declaration.closed for declaration in network.declarations] == [True, False]
    assert parse_mln(str(network)) == network and "*Friends(person, person)" in str(network)
    known = Evidence.of(["Smokes(Anna)", "Friends(Anna, Bob)"])
    assert list(map_state(network, known).predicted) == [parse_atom("Smokes(Bob)")]
    assert len(map_state(parse_mln(str(network).replace("*", "")), known).predicted) == 4
    starred = parse_mln("P(a)\n*P(x) v P(y)\n1 *P(x)")  # a formula, as P is declared
    assert len(starred.formulas) == 4 and not starred.declarations[0].closed
    assert str(parse_mln("*Rain\n1 Rain")).startswith("*Rain\n")


def test_a_comma_between_atoms_is_and() -> None:
    declared = "Wrote(a, p)\nCat(p, c)\n"
    comma = parse_mln(declared + "1 Wrote(a, p), Wrote(a, q), Cat(p, c) => Cat(q, c)\nCat(p, c), Cat(p, d) => c = d.")
    assert comma == parse_mln(
        declared + "1 Wrote(a, p) ^ Wrote(a, q) ^ Cat(p, c) => Cat(q, c)\nCat(p, c) ^ Cat(p, d) => c = d."
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("log(0.9)", math.log(0.9)),
        ("log(0.9 / 0.1)", math.log(9)),
        ("-log(2)*3", -3 * math.log(2)),
        ("2 - 3 - 4", -5.0),
        ("12 / 2 / 3 + 1", 3.0),
        ("(1 + 2) * exp(0)", 3.0),
        ("+.5e1", 5.0),
        ("logx(0)", -100.0),
        ("logx(4 - 2)", math.log(2)),
        ("log(float(2)/3)", math.log(2 / 3)),
        ("--", None),
        ("log 3", None),
        ("sin(3)", None),
        ("(" * 60 + "1" + ")" * 60, None),
    ],
)
def test_weights_are_computed(text: str, value: float | None) -> None:
    found = read_weight(f"{text} P(x)", 0)
    assert (found is None) == (value is None)
    if value is not None and found is not None:
        assert found[0] == pytest.approx(value) and found[1] == len(text)
        assert parse_mln(f"P(a)\n{text} P(x)").formulas[0].weight == pytest.approx(value)
        assert len(parse_mln(f"P(a)\n{text} *P(x)").formulas) == 2


def test_weights_that_cannot_be() -> None:
    for text in ("log(0)", "1/0", "log(-1)", "exp(1000)", "1e400", "sqrt(0-1)"):
        with pytest.raises(LanguageError, match=r"2:1: .*a weight that is a finite number"):
            parse_mln(f"P(a)\n{text} P(x)")
    # A predicate may have any name.
    assert [str(one) for one in parse_mln("log(a)\nlog(x)\n2 log(x)").formulas] == ["log(x)", "2.0 log(x)"]
    assert len(parse_mln("P(a)\n(P(x) v P(y)) => P(z)\n1 (P(x) v P(y))").formulas) == 2


def test_marked_variables() -> None:
    network = parse_mln(
        "gender(person, sex)\nlikes(person, person)\n1 gender(?x, male) ^ likes(?x, ?Y) => EXIST ?z likes(?z, ?x)\n"
        "2 gender(+?x, female) ^ ?x =/= bob"
    )
    same = parse_mln(
        'gender(person, sex)\nlikes(person, person)\n1 gender(x, "male") ^ likes(x, y) => EXIST z likes(z, x)\n'
        '2 gender(+x, "female") ^ x != "bob"'
    )
    assert network == same and network.constants == {"sex": ("male", "female"), "person": ("bob",)}
    assert parse_mln('P(a)\n1 P("?x") v P(y) // ?z').formulas[0].plus == ()
    with pytest.raises(LanguageError, match="a variable, which is marked with"):
        parse_mln("P(a)\n1 EXIST y P(?y)")


def test_functions_are_refused_by_name() -> None:
    for text in ("person MotherOf(person)", "P(a)\n1 P(MotherOf(x))"):
        with pytest.raises(LanguageError, match=r'functions .*not supported, so make "?MotherOf"? a predicate'):
            parse_mln(text)


def test_a_line_may_begin_with_an_operator() -> None:
    """As in Alchemy's tutorial."""
    declared = "P(a)\nQ(a)\nv = {A}\n"
    broken = parse_mln(
        declared + "1 P(x)\n  ^ Q(x) // so\n\t=> P(y)\n2 P(x)\nv Q(x)\nv !P(y)\nv = {B}\n3 x != 1\n<=> P(x)"
    )
    whole = parse_mln(declared + "1 P(x) ^ Q(x) => P(y)\n2 P(x) v Q(x) v !P(y)\nv = {B}\n3 x != 1 <=> P(x)")
    assert broken == whole and len(whole.formulas) == 3 and whole.constants["v"] == ("A", "B")


def test_types_with_capitals() -> None:
    """RockIt and Tuffy have them, and close predicates by a star."""
    network = parse_mln('Red(Box)\n* Conf(Box, float_)\nBox = {A}\n1 Red(x)\n-1 !Red("B")')
    assert [one.types for one in network.declarations] == [("Box",), ("Box", "float_")]
    assert network.constants == {"Box": ("A", "B")} and parse_mln(str(network)) == network
    for text in ("Red(Anna)", "*Conf(Box)\n1 Conf(x)\nRed(Anna)"):
        with pytest.raises(LanguageError, match="Red is new, so this line declares it"):
            parse_mln(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("conf: !P(x) v Q(x)", "weights that an argument gives"),
        ("|x| P(x) <= 1", "how many atoms are true"),
        ("P(Q(?x) | P(?x)) = 0.4", "given probabilities"),
        ("sum(x, y) := [x + y == 3]", "predicates that are computed"),
        ("Q(x) :- P(x), P(y).", "write a rule as 'body => head.'"),
        ("Q(x) * (Length(x) = 3)", "numeric terms"),
        ("-2:20 P(x)", "utilities"),
        (":-1 P(x)", "utilities"),
        ("1.5 + (-0.5 * logx(domSize(a))) P(x)", "domSize is not supported"),
        ("#unique{+?a, +?b}", "no other command with #"),
        ("@dedup P(x)", "@ and $ are not supported"),
    ],
)
def test_what_is_refused_is_called_by_its_name(line: str, said: str) -> None:
    with pytest.raises(LanguageError) as refused:
        parse_mln(f"P(a)\nQ(a)\n{line}")
    assert said in str(refused.value) and str(refused.value).startswith("<text>:3:1: ")
    assert len(parse_mln(f"P(a)\nQ(a)\n1 P(x) // {line}").formulas) == 1


# What they include


def test_included_files(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "net.mln").write_text('#include "parts/types.mln"\n1 Smokes(x)\n#include <parts/more.mln>\n')
    (tmp_path / "parts" / "types.mln").write_text("#include last.mln // below\nSmokes(person)\n")
    (tmp_path / "parts" / "last.mln").write_text("person = {Anna}")
    (tmp_path / "parts" / "more.mln").write_text("// Smokes\n\n2 Smokes(x) v Drinks(x)\n")
    with pytest.raises(LanguageError, match=r"parts.more\.mln:3:15: .*declare Drinks"):
        read_mln(tmp_path / "net.mln")
    (tmp_path / "parts" / "more.mln").write_text("2 !Smokes(x)")
    assert read_mln(tmp_path / "net.mln") == parse_mln("person = {Anna}\nSmokes(person)\n1 Smokes(x)\n2 !Smokes(x)")


def test_files_that_are_not_included(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    net = inside / "net.mln"
    (tmp_path / "secret.mln").write_text("P(a)")
    (inside / "link.mln").symlink_to(tmp_path / "secret.mln")
    for name, said in (
        ("../secret.mln", "outside the network's folder"),
        (str(tmp_path / "secret.mln"), "outside the network's folder"),
        ("link.mln", "outside the network's folder"),
        ("nothing.mln", "there is no such file"),
        (".", "there is no such file"),
        ("a\0b", "no such file"),
        ("net.mln", "includes net.mln again"),
    ):
        net.write_text(f'#include "{name}"')
        with pytest.raises(FileError, match=said):
            read_mln(net)
    net.write_text('#include "other.mln"')
    (inside / "other.mln").write_text('#include "net.mln"')
    with pytest.raises(FileError, match=r"other.mln includes 'net.mln', which includes other.mln again"):
        read_mln(net)
    for number in range(20):  # twice each: a million files
        (inside / f"{number}.mln").write_text(f'#include "{number + 1}.mln"\n' * 2)
    (inside / "20.mln").write_text("")
    net.write_text('#include "0.mln"')
    with pytest.raises(FileError, match="after 100 files were included"):
        read_mln(net)
    net.write_text("#includes\n")
    with pytest.raises(LanguageError, match="no other command with #"):
        read_mln(net)


# What the weights mean


def truth(sentence: Sentence, world: frozenset[Atom], domain: Domain, types: dict[Variable, str]) -> bool:
    """Is a sentence without free variables true?"""

    def choices(variables: tuple[Variable, ...]) -> Iterator[dict[Variable, Term]]:
        for names in product(*(domain.constants[types[variable]] for variable in variables)):
            yield dict(zip(variables, map(Constant, names), strict=True))

    from possilog.markov.network import substitute

    match sentence:
        case Atom():
            return sentence in world
        case Equal(left, right):
            return left == right
        case Not(part):
            return not truth(part, world, domain, types)
        case And(parts):
            return all(truth(part, world, domain, types) for part in parts)
        case Or(parts):
            return any(truth(part, world, domain, types) for part in parts)
        case Implies(left, right):
            return not truth(left, world, domain, types) or truth(right, world, domain, types)
        case Iff(left, right):
            return truth(left, world, domain, types) == truth(right, world, domain, types)
        case Exists(variables, part):
            return any(truth(substitute(part, one), world, domain, types) for one in choices(variables))
        case Forall(variables, part):
            return all(truth(substitute(part, one), world, domain, types) for one in choices(variables))


def weight_of(network: Network, domain: Domain, world: frozenset[Atom]) -> float:
    """Σ w n, where n counts the true groundings of each whole formula."""
    from possilog.markov.network import substitute

    total = 0.0
    for formula in network.formulas:
        types = network.variable_types(formula.sentence)
        bound: set[Variable] = set()

        def quantified(sentence: Sentence, bound: set[Variable] = bound) -> None:
            if isinstance(sentence, Exists | Forall):
                bound.update(sentence.variables)
            for part in getattr(sentence, "parts", ()) or [
                getattr(sentence, name) for name in ("part", "left", "right") if hasattr(sentence, name)
            ]:
                quantified(part)

        quantified(formula.sentence)
        free = [variable for variable in types if variable not in bound]
        for names in product(*(domain.constants[types[variable]] for variable in free)):
            binding: dict[Variable, Term] = dict(zip(free, map(Constant, names), strict=True))
            holds = truth(substitute(formula.sentence, binding), world, domain, types)
            total += 0.0 if formula.is_hard else (formula.weight or 0.0) * holds
    return total


def differences(text: str, evidence: Evidence, rng: random.Random) -> set[float]:
    """By how much clauses and whole formulas weigh worlds differently: the same for all, if they mean the same."""
    network = parse_mln(text, formula_weights="whole")
    domain = Domain.of(network, evidence)
    clauses, atoms, found = weighted_clauses(network, domain), all_atoms(domain), set()
    for _ in range(12):
        world = frozenset(atom for atom in atoms if rng.random() < 0.5)
        by_clauses = sum(one.weight * satisfied(one, domain, world) for one in clauses if not one.is_hard)
        found.add(round(by_clauses - weight_of(network, domain, world), 6))
    return found


@pytest.mark.parametrize("part", range(4))
def test_a_whole_formula_counts_once(part: int) -> None:
    rng = random.Random(part)
    for _ in range(budget(40) // 4):
        case = random_case(rng)
        assert len(differences(case.text, case.evidence, rng)) == 1, case.text


@pytest.mark.parametrize(
    "formula",
    [
        "P(x)",
        "P(x) ^ Q(x)",
        "P(x) <=> Q(x)",
        "P(x) ^ (Q(x) v Q(y))",
        "P(x) => Q(x) ^ R(x, y)",
        "P(x) ^ Q(x) ^ (P(y) v Q(y))",
    ],
)
def test_a_whole_formula_counts_once_whatever_its_clauses_are(formula: str) -> None:
    declared = "t = {A, B}\nP(t)\nQ(t)\nR(t, t)\n"
    assert len(differences(f"{declared}1.5 {formula}", Evidence.of([]), random.Random(0))) == 1


def test_the_two_conventions() -> None:
    text = "P(a)\nQ(a)\nP(x) <=> Q(x)"
    facts = Database.of(map(parse_atom, ["P(A)", "Q(A)", "P(B)", "Q(B)", "P(C)"]))
    split, whole = (
        learn_weights(parse_mln(text, formula_weights=meaning), facts, prior=None).network.formulas[0].weight
        for meaning in FormulaWeights
    )
    assert split is not None and whole is not None and split == pytest.approx(2 * whole, rel=1e-4)
    for weight, meaning in ((2.0, "split"), (1.0, "whole")):
        network = parse_mln(
            f"a = {{A}}\nP(a)\nQ(a)\n1.5 P(x)\n{weight} P(x) <=> Q(x)\n-0.9 Q(x)", formula_weights=meaning
        )
        assert len(map_state(network).predicted) == 2
    with pytest.raises(QueryError, match="the weights of formulas are split or whole, not 'both'"):
        parse_mln(text, formula_weights="both")


# Small problems


def alarm(nodes: int = 37) -> tuple[str, int]:
    """A random network of causes, as conjunctions with the logarithms of their probabilities."""
    rng = random.Random(0)
    sizes = [rng.choice([2, 3, 4]) for _ in range(nodes)]
    values = [[f"V{node}x{value}" for value in range(size)] for node, size in enumerate(sizes)]
    lines = [f"v{node} = {{{', '.join(listed)}}}\nN{node}(v{node}!)" for node, listed in enumerate(values)]
    rows = []
    for node in range(nodes):
        causes = rng.sample(range(node), min(node, rng.choice([1, 1, 2, 2])))
        for combination in product(*(values[cause] for cause in causes)):
            shares = [rng.random() ** 12 + 1e-3 for _ in values[node]]
            for value, share in zip(values[node], shares, strict=True):
                atoms = [f"N{node}({value})", *(f"N{c}({v})" for c, v in zip(causes, combination, strict=True))]
                rows.append(f"log({share} / {sum(shares)}) {' ^ '.join(atoms)}")
    return "\n".join([*lines, *rows]), len(rows)


def test_small_problems_are_ground_at_once() -> None:
    text, count = alarm()
    state = map_state(parse_mln(text), solver="rc2")
    assert count > 500 and state.optimal and state.rounds == 1 and state.clauses >= count
    assert len(state.predicted) == 37


# What functions take


def test_every_function_says_what_it_takes(tmp_path: Path) -> None:
    network = parse_mln("Smokes(person)\nperson = {Anna}\n1 Smokes(x)")
    assert map_state(network, []).predicted == map_state(network).predicted == (parse_atom("Smokes(Anna)"),)
    assert map_state(network, ["!Smokes(Anna)"]).predicted == ()
    for call in (
        lambda: map_state("net.mln"),  # type: ignore[arg-type]
        lambda: learn_weights([], []),  # type: ignore[arg-type]
        lambda: encode_network(None),  # type: ignore[arg-type]
        lambda: weighted_clauses({}, None),  # type: ignore[arg-type]
        lambda: write_mln("x", tmp_path / "a.mln"),  # type: ignore[arg-type]
        lambda: Domain.of(7),  # type: ignore[arg-type]
    ):
        with pytest.raises(TheoryError, match=r"was given instead of a Network; read_mln\('net.mln'\) gives one"):
            call()
    for wrong, said in (
        (lambda: map_state(network, 7), "evidence is a Database"),  # type: ignore[arg-type]
        (lambda: map_state(network, [("a", "b")]), "among the atoms; evidence is"),  # type: ignore[list-item]
        (lambda: map_state(network, solver="gurobi"), "there is no solver 'gurobi'; take auto, highs or rc2"),
        (lambda: learn_weights(network, 7), "data are databases, or files of facts"),  # type: ignore[arg-type]
        (lambda: learn_weights(network, ["Smokes(Anna)"]), "there is no file"),
        (lambda: learn_network([parse_atom("p(a)")]), "evidence is"),  # type: ignore[list-item]
        (lambda: read_mln(7), "is not a path"),  # type: ignore[arg-type]
        (lambda: parse_mln(b"P(a)"), "instead of a network's text"),  # type: ignore[arg-type]
    ):
        with pytest.raises(PossilogError, match=said):
            wrong()
    facts = Database.of([parse_atom("Smokes(Anna)"), parse_atom("Smokes(Bob)")])
    (tmp_path / "a.db").write_text("Smokes(Anna)\nSmokes(Bob)\n")
    learned = [learn_weights(network, given).network for given in (facts, [facts], tmp_path / "a.db")]
    assert learned[0] == learned[1] == learned[2]


def test_a_plus_over_no_constants_is_refused() -> None:
    network = parse_mln("P(a)\nQ(b)\nP(x) v Q(+y)")
    with pytest.raises(DataError, match=r"'\+' before a variable whose type has no constants"):
        learn_weights(network, [Database.of([parse_atom("P(A)")])])
    assert len(learn_weights(network, [Database.of([parse_atom("P(A)"), parse_atom("Q(B)")])]).network.formulas) == 1


def test_messages_of_large_networks_are_short() -> None:
    name = "P" * 1_000_000
    for text in (
        f"{name}(a)\n1 {name}(x, y)",
        f"1 {name}(x)",
        f"P(a)\n1 P(x) {name}",
        f"person {name}(person)",
        f"{name} =",
    ):
        with pytest.raises(LanguageError) as failure:
            parse_mln(text)
        assert len(str(failure.value)) < 1_000
    with pytest.raises(TheoryError) as unweighed:
        map_state(parse_mln(f"{name}(a)\n{name}(x)"))
    assert len(str(unweighed.value)) < 1_000
    many = Evidence(Database.of(Atom.ground(f"q{number}", ["a"]) for number in range(9_999)))
    with pytest.warns(UserWarning, match="does not declare q0/1, q1/1, q10/1 and 9,996 more"):
        map_state(parse_mln("P(a)"), many)

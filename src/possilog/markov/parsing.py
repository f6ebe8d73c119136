"""Alchemy's ``.mln`` files, read.

::

    file        = { statement newline }
    statement   = type "=" "{" constant { "," constant } "}"         integers also as { 1, ..., 9 }
                | [ "*" ] predicate [ "(" type [ "!" ] { "," type [ "!" ] } ")" ]      "*": closed world
                | "#include" '"' file '"'
                | [ weight ] sentence | sentence "."                 a full stop makes it hard
    sentence    = quantified, or with operators from the strongest to the weakest: ! ^ v => <=>
    quantified  = ( "EXIST" | "FORALL" ) variable { "," variable } sentence
    atom        = predicate [ "(" term { "," term } ")" ] | term "=" term | term "!=" term
    term        = [ "+" ] variable | constant

A variable begins in lower case; a constant with a capital, or it is a number or quoted. In a file that marks variables,
as in ``?x``, all other names are constants. In a file that closes predicates by ``*``, types may begin with a capital,
too, as long as there is no formula. A weight may be computed, as in ``log(0.9 / 0.1)``. ``*`` before an atom
means the formula with the atom and the formula with its negation. ``//`` and ``/* */`` are comments. A statement ends
with its line, but goes on after and before an operator, after a weight's formula has opened a bracket, and after a
quantifier.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import product

from possilog.errors import TheoryError, shortened
from possilog.logic import Atom, Constant, Predicate, Term, Variable
from possilog.logic.scanning import Scanner
from possilog.markov.arithmetic import read_weight
from possilog.markov.foreign import expected_instead
from possilog.markov.network import (
    NAME,
    QUANTIFIERS,
    And,
    Declaration,
    Equal,
    Formula,
    FormulaWeights,
    Iff,
    Implies,
    Network,
    Not,
    Or,
    Sentence,
)
from possilog.markov.stars import Either, settled
from possilog.printing import plural

__all__ = ["parse_mln"]

MAX_DEPTH = 50
"""Brackets, negations and quantifiers inside each other, at most, and arrows in a formula; what they hold is read, and
made into clauses, by recursion."""

MAX_STARS = 10
"""Atoms marked with ``*`` in a formula, at most; each doubles the number of formulas."""

MAX_RANGE = 1_000_000
MAX_WEIGHT = 10**15
"""Integers in a range, at most."""

_QUOTED = r'"(?:[^"\\\n]++|\\.)*+"'
_INCLUDE = re.compile(r"#include(?:[ \t]*+\"([^\"\n]++)\"|[ \t]*+<([^>\n]++)>|[ \t]++([^\s\"<>]++))")
_MARKED = re.compile(rf"{_QUOTED}|//[^\n]*+|/\*(?s:.*?)\*/|(\?[^\W\d])")
_STARRED = re.compile(rf"^[ \t]*+\*[ \t]*+{NAME}", re.MULTILINE)
_GOES_ON = re.compile(r"\n[ \t]*+(?=\^|=>|<=>|v[ \t]++[^=\s]|v!)")
_INTEGER = re.compile(r"-?\d+")
_LONGEST_INTEGER = 18
_UNEQUAL = ("!=", "=/=")
_NO_BREAK = frozenset({"^", "=>", "<=>", "!", "=", *_UNEQUAL, ",", "(", "{", *QUANTIFIERS})

Files = Callable[[str], tuple[str, str, "Files"]]
"""The text of a file that is included, what to call it, and where the files are that this one includes."""


def parse_mln(
    text: str,
    source: str = "<text>",
    *,
    formula_weights: FormulaWeights | str = FormulaWeights.SPLIT,
    files: Files | None = None,
) -> Network:
    """Read a Markov logic network.

    ``formula_weights`` says what the weight of a formula means that becomes several clauses. ``files`` gives what the
    text includes; ``read_mln`` looks beside the file.

    >>> network = parse_mln('''
    ...     person = {Anna, Bob}
    ...     Smokes(person)
    ...     Friends(person, person)
    ...     1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)
    ...     !Friends(x, x).
    ... ''')
    >>> print(*network.formulas, sep="\\n")
    1.5 (Smokes(x) ^ Friends(x, y)) => Smokes(y)
    !Friends(x, x).
    """
    if not isinstance(text, str):
        raise TheoryError(f"a {type(text).__name__} was given instead of a network's text; read_mln reads a file")
    return _Parser(text, source, files).network(FormulaWeights.taken(formula_weights))


class _Parser(Scanner):
    """Tokens, and what has been read of the network and of the current formula."""

    blank = re.compile(r"(?:[ \t\r\f]|//[^\n]*+|/\*(?s:.*?)\*/)*+")
    tokens = re.compile(rf"\n|<=>|=>|!=|=/=|\.\.\.|\?{NAME}|{NAME}|\d[\w']*|{_QUOTED}|\S")

    def __init__(self, text: str, source: str, files: Files | None) -> None:
        super().__init__(text.replace("\r\n", "\n").replace("\r", "\n"), source)
        self.files = files
        self.marked = any(found[1] for found in _MARKED.finditer(self.text))
        self.starred = _STARRED.search(self.text) is not None
        self.declarations: dict[str, Declaration] = {}
        self.formulas: list[Formula] = []
        self.constants: dict[str, dict[str, None]] = {}
        self._begin_formula()

    def _begin_formula(self) -> None:
        self.types: dict[Variable, str] = {}
        self.scopes: list[dict[str, Variable]] = [{}]
        self.plus: dict[Variable, None] = {}
        self.names: dict[str, str] = {}
        self.untyped: list[tuple[Equal, int]] = []
        self.stars = 0
        self.depth = self.arrows = 0

    # Tokens

    def _move(self, position: int) -> None:
        super()._move(position)
        if self.token == "\n" and (found := _GOES_ON.match(self.text, self.position)):
            super()._move(found.end())
        if self.text.startswith("/*", self.position):
            self.fail("'*/' after the comment", at=self.position)

    def advance(self) -> str:
        """Take the token; after some the statement goes on, even if the line ends."""
        token = super().advance()
        if token in _NO_BREAK:
            self.skip_lines()
        return token

    def skip_lines(self) -> None:
        while self.token == "\n":
            super().advance()

    # Statements

    def network(self, formula_weights: FormulaWeights) -> Network:
        self.statements()
        listed = {name: tuple(constants) for name, constants in self.constants.items()}
        return Network(tuple(self.declarations.values()), tuple(self.formulas), listed, formula_weights)

    def statements(self) -> None:
        self.skip_lines()
        while self.token:
            self.statement()
            if self.token not in ("\n", ""):
                self.fail("an operator (^, v, =>, <=>), '.' or the end of the line")
            self.skip_lines()

    def statement(self) -> None:
        start = self.position
        if expected := expected_instead(self.text, start):
            self.fail(expected, at=start)
        if self.token == "#":
            self.include()
            return
        weight = None if self.token in self.declarations else read_weight(self.text, start)
        if weight:
            if not abs(weight[0]) <= MAX_WEIGHT:
                most = f"a weight that is a finite number of at most {MAX_WEIGHT:g}"
                self.fail(f"{most}; a full stop after the formula makes it hard", at=start)
            self._move(weight[1])
            self.formula(weight[0])
        elif self.token == "*" and self.declares_closed():
            self.declare(closed=True)
        elif self.is_name() and self.token not in QUANTIFIERS:
            self.beginning_with_a_name()
        else:
            self.formula(None)

    def include(self) -> None:
        """What stands in another file, as if it stood here."""
        found = _INCLUDE.match(self.text, self.position)
        if not found:
            self.fail('#include "FILE"')
        if self.files is None:
            self.fail("no #include: a text has no folder to look in; read_mln reads a file and what it includes")
        text, source, files = self.files(found[1] or found[2] or found[3])
        self._move(found.end())
        other = _Parser(text, source, files)
        other.declarations, other.formulas, other.constants = self.declarations, self.formulas, self.constants
        other.statements()

    def declares_closed(self) -> bool:
        """Does a predicate follow that is new? Then ``*`` says that all of it is known; go to its name."""
        star = self.position
        self.advance()
        if self.is_name() and self.token not in self.declarations:
            return True
        self._move(star)
        return False

    def beginning_with_a_name(self) -> None:
        """The constants of a type, a declaration, or a formula."""
        start, name = self.position, super().advance()
        following, place = self.token, self.position
        if self.take("=") and self.take("{"):
            self.constant_list(name)
            return
        self._move(start)
        if name in self.declarations or following == "v":
            self.formula(None)
        elif following in ("(", "\n", ""):
            self.declare()
        elif following[0].isalpha():
            self.fail(f"'(' or '=': functions are not supported, so make {shortened(following)} a predicate", at=place)
        else:
            self.formula(None)

    def constant_list(self, type_name: str) -> None:
        """The constants of a type, after the bracket."""
        listed = self.constants.setdefault(type_name, {})
        previous = ""
        while not self.take("}"):
            if self.token == "...":
                self.fill_range(listed, previous)
            else:
                previous = self.listed_constant()
                listed[previous] = None
            self.skip_lines()
            if not self.take(",") and self.token != "}":
                self.fail("',' or '}'")

    def listed_constant(self) -> str:
        integer = _INTEGER.match(self.text, self.position)
        if integer:
            self._move(integer.end())
            return integer[0]
        if self.token.startswith('"'):
            return self.quoted()
        if not self.is_name():
            self.fail("a constant")
        return self.advance()

    def fill_range(self, listed: dict[str, None], first: str) -> None:
        """The integers between the one before ``...`` and the one after it."""
        self.advance()
        self.expect(",", "',' and the last integer")
        last = _INTEGER.match(self.text, self.position)
        long = max(len(first), len(last[0]) if last else 0) > _LONGEST_INTEGER
        if long or not (last and _INTEGER.fullmatch(first)) or not 0 <= int(last[0]) - int(first) < MAX_RANGE:
            self.fail(f"an integer before and a larger one after '...', at most {MAX_RANGE} apart")
        listed.update(dict.fromkeys(str(number) for number in range(int(first), int(last[0]) + 1)))
        self._move(last.end())

    def declare(self, *, closed: bool = False) -> None:
        """A predicate and the types of its arguments."""
        start, name = self.position, self.advance()
        types: list[str] = []
        exclusive: list[int] = []
        if self.take("(") and not self.take(")"):
            while True:
                if not self.is_name() or (self.token[0].isupper() and (self.formulas or not self.starred)):
                    self.fail(f"a type, which begins in lower case: {shortened(name)} is new, so this line declares it")
                types.append(self.advance())
                if self.token == "!":
                    super().advance()  # the line may end here
                    exclusive.append(len(types) - 1)
                if not self.take(","):
                    break
            self.expect(")", "',' or ')'; functions are not supported" if self.token == "(" else "',' or ')'")
        if self.token not in ("\n", ""):
            self.fail(f"a declaration of {shortened(name)} before its first use", at=start)
        self.declarations[name] = Declaration(Predicate(name, len(types)), tuple(types), tuple(exclusive), closed)

    # Formulas

    def formula(self, weight: float | None) -> None:
        self._begin_formula()
        sentence = self.equivalence()
        if self.token == ".":
            if weight is not None:
                self.fail("no full stop: a formula has a weight in front or a full stop at its end, not both")
            self.advance()
            weight = math.inf
        self.check_equalities()
        for signs in product((True, False), repeat=self.stars):
            self.formulas.append(Formula(settled(sentence, list(signs)), weight, tuple(self.plus)))

    def check_equalities(self) -> None:
        """Variables that occur in equalities only have no type, and so nothing to stand for."""
        for equality, at in self.untyped:
            for term in (equality.left, equality.right):
                if isinstance(term, Variable) and term not in self.types:
                    self.fail("variables that an atom gives a type; the constants of a type stand in {}", at=at)
            both = {self.types[term] for term in (equality.left, equality.right) if isinstance(term, Variable)}
            if len(both) > 1:
                self.fail(f"two terms of one type, not of {shortened(' and '.join(sorted(both)))}", at=at)
            for term in (equality.left, equality.right):
                if isinstance(term, Constant):
                    for name in both:
                        self.constants.setdefault(name, {})[term.name] = None

    def equivalence(self) -> Sentence:
        left = self.implication()
        while self.take("<=>"):
            self.count_arrow()
            left = Iff(left, self.implication())
        return left

    def implication(self) -> Sentence:
        left = self.disjunction()
        while self.take("=>"):
            self.count_arrow()
            left = Implies(left, self.disjunction())
        return left

    def count_arrow(self) -> None:
        self.arrows += 1
        if self.arrows > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} of '=>' and '<=>' in a formula")

    def disjunction(self) -> Sentence:
        parts = [self.conjunction()]
        while self.token == "v":
            self.advance()
            self.skip_lines()
            parts.append(self.conjunction())
        return Or(tuple(parts)) if parts[1:] else parts[0]

    def conjunction(self) -> Sentence:
        parts = [self.unary()]
        while self.take("^") or self.take(","):  # Tuffy writes "and" as a comma, too
            parts.append(self.unary())
        return And(tuple(parts)) if parts[1:] else parts[0]

    def unary(self) -> Sentence:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} brackets, negations and quantifiers inside each other")
        result = self.part()
        self.depth -= 1
        return result

    def part(self) -> Sentence:
        if self.take("!"):
            return Not(self.unary())
        if self.take("("):
            inner = self.equivalence()
            self.skip_lines()
            self.expect(")", "')' or an operator (^, v, =>, <=>)")
            return inner
        if self.token in QUANTIFIERS:
            return self.quantified()
        if self.token == "*":
            self.advance()
            self.stars += 1
            if self.stars > MAX_STARS:
                self.fail(f"at most {MAX_STARS} atoms with '*' in a formula")
            return Either(self.atom())  # type: ignore[return-value]  # it is settled when the formula is complete
        if self.is_name() and self.token in self.declarations:
            return self.atom()
        return self.equality()

    def quantified(self) -> Sentence:
        kind = QUANTIFIERS[self.advance()]
        self.skip_lines()
        scope: dict[str, Variable] = {}
        variables = []
        while True:
            if not self.is_variable():
                self.fail(
                    "a variable, which is marked with ?" if self.marked else "a variable, which begins in lower case"
                )
            name = self.advance().removeprefix("?")
            variables.append(self.fresh(name))
            scope[name] = variables[-1]
            if not self.take(","):
                break
        self.skip_lines()
        self.scopes.append(scope)
        part = self.equivalence()
        self.scopes.pop()
        for variable in variables:
            if variable not in self.types:
                self.fail("a quantified variable to occur in an atom of its formula")
        return kind(tuple(variables), part)

    def atom(self) -> Atom:
        start = self.position
        if not self.is_name() or self.token not in self.declarations:
            self.fail("a predicate that is declared above")
        declaration = self.declarations[self.advance()]
        wanted = f"{plural(len(declaration.types), 'argument')}, as {shortened(declaration)} declares"
        arguments: list[Term] = []
        if self.take("("):
            while not self.take(")"):
                if len(arguments) == len(declaration.types):
                    self.fail(wanted, at=start)
                arguments.append(self.argument(declaration.types[len(arguments)]))
                self.skip_lines()
                if not self.take(",") and self.token != ")":
                    used = f", so make {shortened(arguments[-1])} a predicate" if self.token == "(" else ""
                    self.fail(f"',' or ')'; functions and arithmetic are not supported{used}")
        if len(arguments) != len(declaration.types):
            self.fail(wanted, at=start)
        return Atom(declaration.predicate, tuple(arguments))

    def argument(self, type_name: str) -> Term:
        start = self.position
        plus = self.take("+")
        term = self.term()
        if isinstance(term, Constant):
            if plus:
                self.fail("a variable after '+'", at=start)
            self.constants.setdefault(type_name, {})[term.name] = None
        elif isinstance(term, Variable):
            if self.types.setdefault(term, type_name) != type_name:
                other = shortened(self.types[term])
                self.fail(f"a {shortened(type_name)} here, but the variable stands for a {other} elsewhere", at=start)
            if plus:
                if term not in self.scopes[0].values():
                    self.fail("no '+' before a quantified variable", at=start)
                self.plus[term] = None
        return term

    def term(self) -> Term:
        integer = _INTEGER.match(self.text, self.position)
        if integer:
            self._move(integer.end())
            return Constant(integer[0])
        if self.token.startswith('"'):
            return Constant(self.quoted())
        is_variable = self.is_variable()
        if not is_variable and not self.is_name():
            self.fail("a variable or a constant")
        name = self.advance().removeprefix("?")
        if not is_variable:
            return Constant(name)
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        self.scopes[0][name] = variable = self.fresh(name)
        return variable

    def equality(self) -> Sentence:
        start = self.position
        if self.is_name() and self.token[0].isupper():
            name = shortened(self.advance())
            if self.token not in ("=", *_UNEQUAL):
                self._move(start)
                self.fail(f"a predicate that is declared above; declare {name} with a line like {name}(type)")
            self._move(start)
        elif not (self.is_name() or self.is_variable() or self.token.startswith('"') or self.token.isdigit()):
            self.fail("an atom, '!', '(' or a quantifier")
        left = self.term()
        operator = self.token
        if operator not in ("=", *_UNEQUAL):
            self.fail("'=' or '!=': this is a term, not the name of a predicate that is declared above")
        self.advance()
        equality = Equal(left, self.term())
        self.untyped.append((equality, start))
        return equality if operator == "=" else Not(equality)

    # Names

    def is_name(self) -> bool:
        return bool(self.token) and (self.token[0].isalpha() or self.token[0] == "_")

    def is_variable(self) -> bool:
        if self.marked:
            return self.token.startswith("?") and len(self.token) > 1
        return self.is_name() and (self.token[0].islower() or self.token[0] == "_")

    def quoted(self) -> str:
        try:
            name = str(json.loads(self.token))
        except ValueError:
            self.fail('a quoted constant whose escapes are those of JSON, like "a \\"b\\""')
        self.advance()
        return name

    def fresh(self, name: str) -> Variable:
        """A variable of our language, which spells them with a capital; equal names of other scopes get another one."""
        spelled = (name[0].upper() + name[1:]).replace("'", "_")
        while spelled in self.names:
            spelled += "_"
        self.names[spelled] = name
        return Variable(spelled)

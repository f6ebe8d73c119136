"""Alchemy's ``.mln`` files, read.

::

    file        = { statement newline }
    statement   = type "=" "{" constant { "," constant } "}"         integers also as { 1, ..., 9 }
                | predicate [ "(" type [ "!" ] { "," type [ "!" ] } ")" ]
                | [ weight ] sentence | sentence "."                 a full stop makes it hard
    sentence    = quantified, or with operators from the strongest to the weakest: ! ^ v => <=>
    quantified  = ( "EXIST" | "FORALL" ) variable { "," variable } sentence
    atom        = predicate [ "(" term { "," term } ")" ] | term "=" term | term "!=" term
    term        = [ "+" ] variable | constant

A variable begins in lower case; a constant with a capital, or it is a number or quoted. ``*`` before an atom means the
formula with the atom and the formula with its negation. ``//`` and ``/* */`` are comments. A statement ends with its
line, but goes on after an operator, after a weight's formula has opened a bracket, and after a quantifier.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from itertools import product
from typing import NoReturn

from possilog.errors import LanguageError
from possilog.logic import Atom, Constant, Predicate, Term, Variable
from possilog.markov.network import (
    And,
    Declaration,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Network,
    Not,
    Or,
    Sentence,
)

__all__ = ["parse_mln"]

MAX_DEPTH = 100
"""Brackets, negations and quantifiers inside each other, at most; they are read by recursion."""

MAX_STARS = 10
"""Atoms marked with ``*`` in a formula, at most; each doubles the number of formulas."""

MAX_RANGE = 1_000_000
"""Integers in a range, at most."""

_BLANK = re.compile(r"(?:[ \t\r\f]|//[^\n]*+|/\*(?s:.*?)\*/)*+")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w'])"
_NAME = r"[A-Za-z_][\w']*(?:-[\w']+)*"
_QUOTED = r'"(?:[^"\\\n]++|\\.)*+"'
_TOKEN = re.compile(rf"\n|<=>|=>|!=|\.\.\.|{_NAME}|\d[\w']*|{_QUOTED}|\S")
_WEIGHT = re.compile(_NUMBER)
_INTEGER = re.compile(r"-?\d+")
_QUANTIFIERS: dict[str, type[Exists] | type[Forall]] = {
    **dict.fromkeys(("EXIST", "Exist", "exist"), Exists),
    **dict.fromkeys(("FORALL", "Forall", "forall"), Forall),
}
_NO_BREAK = frozenset({"^", "=>", "<=>", "!", "=", "!=", ",", "(", "{", *_QUANTIFIERS})
_SHOWN = 30


def parse_mln(text: str, source: str = "<text>") -> Network:
    """Read a Markov logic network.

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
    return _Parser(text, source).network()


@dataclass(frozen=True, slots=True)
class _Either:
    """An atom marked with ``*``; gone when the formula is complete."""

    atom: Atom


class _Parser:
    """A position in the text, the token there, and what has been read of the network and of the current formula."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.source = source
        self.position = self.end = 0
        self.token = "\n"
        self.declarations: dict[str, Declaration] = {}
        self.formulas: list[Formula] = []
        self.constants: dict[str, dict[str, None]] = {}
        self._begin_formula()
        self._move(0)

    def _begin_formula(self) -> None:
        self.types: dict[Variable, str] = {}
        self.scopes: list[dict[str, Variable]] = [{}]
        self.plus: dict[Variable, None] = {}
        self.names: dict[str, str] = {}
        self.untyped: list[tuple[Equal, int]] = []
        self.stars = 0
        self.depth = 0

    # Tokens

    def _move(self, position: int) -> None:
        blank = _BLANK.match(self.text, position)
        position = blank.end() if blank else position
        if self.text.startswith("/*", position):
            self.position = self.end = position
            self.fail("'*/' after the comment", at=position)
        found = _TOKEN.match(self.text, position)
        self.position, self.end = position, found.end() if found else position
        self.token = found[0] if found else ""

    def advance(self) -> str:
        token = self.token
        self._move(self.end)
        if token in _NO_BREAK:
            self.skip_lines()
        return token

    def skip_lines(self) -> None:
        while self.token == "\n":
            self._move(self.end)

    def take(self, token: str) -> bool:
        if self.token != token:
            return False
        self.advance()
        return True

    def expect(self, token: str, expected: str) -> None:
        if not self.take(token):
            self.fail(expected)

    def fail(self, expected: str, *, at: int | None = None) -> NoReturn:
        """Raise the error that names the place, what is there, and what would be right."""
        position = self.position if at is None else at
        line = self.text.count("\n", 0, position) + 1
        column = position - (self.text.rfind("\n", 0, position) + 1) + 1
        rest = self.token if at is None else self.text[at : at + _SHOWN + 1].split("\n")[0]
        shown = rest if len(rest) <= _SHOWN else rest[:_SHOWN] + "…"
        ends = {"": "the end of the text", "\n": "the end of the line"}
        found = ends.get(shown) or json.dumps(shown)
        raise LanguageError(self.source, line, column, found=found, expected=expected)

    # Statements

    def network(self) -> Network:
        self.skip_lines()
        while self.token:
            self.statement()
            if self.token not in ("\n", ""):
                self.fail("an operator (^, v, =>, <=>), '.' or the end of the line")
            self.skip_lines()
        listed = {name: tuple(constants) for name, constants in self.constants.items()}
        return Network(tuple(self.declarations.values()), tuple(self.formulas), listed)

    def statement(self) -> None:
        start = self.position
        if self.token in ("#", "@", "$"):
            self.fail("a type, a declaration or a formula: #include, @ and $ are not supported")
        weight = _WEIGHT.match(self.text, start)
        if weight:
            self._move(weight.end())
            self.formula(float(weight[0]), start)
            return
        if self.is_name():
            name, after = self.token, self.end
            self._move(after)
            if self.token == "=":
                self.constant_list(name)
                return
            if name not in self.declarations and name not in _QUANTIFIERS and self.token in ("(", "\n", ""):
                self._move(start)
                self.declare()
                return
            if self.is_name() and self.token != "v" and name not in _QUANTIFIERS and name not in self.declarations:
                self.fail("'(' or '=': functions are not supported")
            self._move(start)
        self.formula(None, start)

    def constant_list(self, type_name: str) -> None:
        """The constants of a type."""
        self.advance()
        self.expect("{", "'{' and the constants of the type")
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
        if not (last and _INTEGER.fullmatch(first)) or not 0 <= int(last[0]) - int(first) < MAX_RANGE:
            self.fail(f"an integer before and a larger one after '...', at most {MAX_RANGE} apart")
        listed.update(dict.fromkeys(str(number) for number in range(int(first), int(last[0]) + 1)))
        self._move(last.end())

    def declare(self) -> None:
        """A predicate and the types of its arguments."""
        start, name = self.position, self.advance()
        types: list[str] = []
        exclusive: list[int] = []
        if self.take("(") and not self.take(")"):
            while True:
                if not self.is_name() or self.token[0].isupper():
                    self.fail(
                        f"a type, which begins in lower case: {name} is not declared yet, so this line declares it"
                    )
                types.append(self.advance())
                if self.token == "!":
                    self._move(self.end)
                    exclusive.append(len(types) - 1)
                if not self.take(","):
                    break
            self.expect(")", "',' or ')'")
        if self.token not in ("\n", ""):
            self.fail(f"a declaration of {name} before its first use", at=start)
        self.declarations[name] = Declaration(Predicate(name, len(types)), tuple(types), tuple(exclusive))

    # Formulas

    def formula(self, weight: float | None, start: int) -> None:
        self._begin_formula()
        sentence = self.equivalence()
        if self.token == ".":
            if weight is not None:
                self.fail("no full stop: a formula has a weight in front or a full stop at its end, not both")
            self.advance()
            weight = math.inf
        self.check_equalities()
        for signs in product((True, False), repeat=self.stars):
            self.formulas.append(Formula(_settled(sentence, list(signs)), weight, tuple(self.plus)))

    def check_equalities(self) -> None:
        """Variables that occur in equalities only have no type, and so nothing to stand for."""
        for equality, at in self.untyped:
            for term in (equality.left, equality.right):
                if isinstance(term, Variable) and term not in self.types:
                    self.fail("variables that also occur in an atom, which gives them a type", at=at)
            both = {self.types[term] for term in (equality.left, equality.right) if isinstance(term, Variable)}
            if len(both) > 1:
                self.fail(f"two terms of one type, not of {' and '.join(sorted(both))}", at=at)
            for term in (equality.left, equality.right):
                if isinstance(term, Constant):
                    for name in both:
                        self.constants.setdefault(name, {})[term.name] = None

    def equivalence(self) -> Sentence:
        left = self.implication()
        while self.take("<=>"):
            left = Iff(left, self.implication())
        return left

    def implication(self) -> Sentence:
        left = self.disjunction()
        while self.take("=>"):
            left = Implies(left, self.disjunction())
        return left

    def disjunction(self) -> Sentence:
        parts = [self.conjunction()]
        while self.token == "v":
            self.advance()
            self.skip_lines()
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Sentence:
        parts = [self.unary()]
        while self.take("^"):
            parts.append(self.unary())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

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
        if self.token in _QUANTIFIERS:
            return self.quantified()
        if self.token == "*":
            self.advance()
            self.stars += 1
            if self.stars > MAX_STARS:
                self.fail(f"at most {MAX_STARS} atoms with '*' in a formula")
            return _Either(self.atom())  # type: ignore[return-value]  # it is settled when the formula is complete
        if self.is_name() and self.token in self.declarations:
            return self.atom()
        return self.equality()

    def quantified(self) -> Sentence:
        kind = _QUANTIFIERS[self.advance()]
        self.skip_lines()
        scope: dict[str, Variable] = {}
        variables = []
        while True:
            if not self.is_name() or not self.token[0].islower():
                self.fail("a variable, which begins in lower case")
            name = self.advance()
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
        arguments: list[Term] = []
        if self.take("("):
            while not self.take(")"):
                if len(arguments) == len(declaration.types):
                    self.fail(f"{len(declaration.types)} arguments, as {declaration} declares", at=start)
                arguments.append(self.argument(declaration.types[len(arguments)]))
                self.skip_lines()
                if not self.take(",") and self.token != ")":
                    self.fail("',' or ')'; functions and arithmetic are not supported")
        if len(arguments) != len(declaration.types):
            self.fail(f"{len(declaration.types)} arguments, as {declaration} declares", at=start)
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
                self.fail(f"a {type_name} here, but the variable stands for a {self.types[term]} elsewhere", at=start)
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
        if not self.is_name():
            self.fail("a variable or a constant")
        name = self.advance()
        if not (name[0].islower() or name[0] == "_"):
            return Constant(name)
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        self.scopes[0][name] = variable = self.fresh(name)
        return variable

    def equality(self) -> Sentence:
        start = self.position
        if self.is_name() and self.token[0].isupper():
            name, end = self.token, self.end
            self._move(end)
            if self.token not in ("=", "!="):
                self._move(start)
                self.fail(f"a predicate that is declared above; declare {name} with a line like {name}(type)")
            self._move(start)
        elif not (self.is_name() or self.token.startswith('"') or self.token.isdigit()):
            self.fail("an atom, '!', '(' or a quantifier")
        left = self.term()
        operator = self.token
        if operator not in ("=", "!="):
            self.fail("'=' or '!=': this is a term, not the name of a predicate that is declared above")
        self.advance()
        equality = Equal(left, self.term())
        self.untyped.append((equality, start))
        return equality if operator == "=" else Not(equality)

    # Names

    def is_name(self) -> bool:
        return bool(self.token) and (self.token[0].isalpha() or self.token[0] == "_")

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


def _settled(sentence: Sentence | _Either, signs: list[bool]) -> Sentence:
    """The sentence in which each ``*``, from left to right, has become its sign; the signs are used up."""
    match sentence:
        case _Either(atom):
            return atom if signs.pop(0) else Not(atom)
        case Not(part):
            return Not(_settled(part, signs))
        case And(parts):
            return And(tuple(_settled(part, signs) for part in parts))
        case Or(parts):
            return Or(tuple(_settled(part, signs) for part in parts))
        case Implies(left, right):
            return Implies(_settled(left, signs), _settled(right, signs))
        case Iff(left, right):
            return Iff(_settled(left, signs), _settled(right, signs))
        case Exists(variables, part):
            return Exists(variables, _settled(part, signs))
        case Forall(variables, part):
            return Forall(variables, _settled(part, signs))
        case _:
            return sentence

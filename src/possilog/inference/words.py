"""Atoms and rules as English sentences, by templates that users can give for each predicate.

Without a template, the predicate's name makes the sentence: ``advisedBy(ann, bob)`` becomes "ann is advised by bob".
The name is split into words, and the first and the last of them tell what kind of phrase it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from string import Formatter
from types import MappingProxyType

from possilog.errors import LanguageError, QueryError, shortened
from possilog.logic import (
    Atom,
    BuiltIn,
    Clause,
    Constant,
    Literal,
    Nearness,
    Precedence,
    Predicate,
    Term,
    Theory,
    Threshold,
    variables_of,
)
from possilog.logic.spelling import plain
from possilog.requiring import require_a

__all__ = ["PLAIN", "Words", "enumerated", "parse_words"]

_PREPOSITION = re.compile("about|after|as|at|before|by|for|from|in|into|near|of|on|over|than|to|under|with")
_PAST = re.compile(
    "became|began|bought|built|fell|found|gave|got|held|knew|led|left|lost|made|met|ran|sang|saw|sold|spoke|taught|took|"
    "went|won|wrote"
)
_TOWARDS = re.compile("adjacent|allied|attached|close|connected|engaged|equal|linked|married|next|related|similar")
_ADJECTIVE = re.compile(
    "abroad|active|alive|annual|automatic|bad|big|black|blue|broken|cheap|clean|clear|closed?|cold|complete|"
    "correct|dark|dead|deep|digital|dirty|domestic|dry|early|easy|electric|empty|expensive|false|fast|female|"
    "final|foreign|fragile|free|fresh|full|glad|good|great|green|happy|hard|healthy|heavy|high|hot|ill|illegal|"
    "inactive|incomplete|incorrect|international|invalid|known|large|late|legal|light|local|long|low|male|manual|"
    "mobile|modern|native|negative|new|normal|offline|old|online|open|organic|poor|positive|premium|private|"
    "public|quick|rare|ready|red|retired|rich|rural|sad|safe|short|sick|simple|single|slow|small|soft|strong|tall|"
    "thick|thin|toxic|true|unknown|unsafe|urban|urgent|valid|vegan|visible|warm|weak|wet|white|wide|wild|wrong|"
    "young"
)
_ADJECTIVE_ENDINGS = ("able", "ed", "ful", "ible", "ing", "less", "ous")
_NOT_VERBS = ("is", "ness", "ous", "ss", "us")

_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|[\s_-]+")


class Words:
    """How atoms are said: by templates, or by what the predicates' names make.

    Parameters
    ----------
    templates : mapping of str to str
        Sentences by the predicate's name, or by name and arity (``teaches/3``); ``{0}`` is the first argument.

    Examples
    --------
    >>> from possilog.logic import parse_atom, parse_clause
    >>> words = Words({"interaction": "{0} interacts with {1}"})
    >>> words.atom(parse_atom("interaction(YAL1, YBR2)"))
    'YAL1 interacts with YBR2'
    >>> words.clause(parse_clause("student(S) :- advisedBy(S, P)."))
    'S is a student if S is advised by P'
    >>> words.clause(parse_clause('late(F) :- carrier(F, "EV"), delay(F, D), D >= 15.'))
    'F is late if the carrier of F is EV and the delay of F is at least 15'
    """

    def __init__(self, templates: Mapping[str, str] = MappingProxyType({}), values: Iterable[Predicate] = ()) -> None:
        """Take templates, and the predicates whose second argument is a value: the delay of a flight, say."""
        if not isinstance(templates, Mapping):
            raise QueryError(
                f'words are sentences by predicate, such as {{"advisedBy": "{{0}} writes with {{1}}"}}, and not '
                f"{type(templates).__name__}; parse_words reads a text, read_words a file"
            )
        for name, sentence in templates.items():
            if not isinstance(sentence, str) or not _has_places(sentence):
                raise QueryError(
                    f"{shortened(repr(sentence))} is no sentence for {shortened(name)}; its places for the arguments "
                    "are {0}, {1} and so on"
                )
        self._templates = dict(templates)
        known = list(values) if isinstance(values, Iterable) else [values]
        for each in known:
            require_a("a predicate of values", each, Predicate, "write [Predicate('delay', 2)]")
        self._values = frozenset(known)

    def of_theory(self, theory: Theory) -> Words:
        """The same, where a theory shows which predicates give a value: the columns of tables do, too."""
        require_a("theory", theory, Theory)
        tables = () if theory.mapping is None else theory.mapping.tables
        columns = {predicate for table in tables for predicate, _, column in table.signatures if column}
        return Words(self._templates, self._values | columns).about(rule.clause for rule in theory)

    def about(self, clauses: Iterable[Clause]) -> Words:
        """The same, where rules show which predicates give a value: they compare it, or name it."""
        require_a("clauses", clauses, Iterable)
        values = set(self._values)
        for clause in clauses:
            require_a("clause", clause, Clause)
            compared = {term for atom in clause.body if _is_comparison(atom) for term in atom.arguments}
            pairs = [atom for atom in clause.atoms if atom.predicate.arity == 2 and not atom.is_ground]
            given = (a for a in pairs if isinstance(a.arguments[1], Constant) or a.arguments[1] in compared)
            values.update(atom.predicate for atom in given)
        return self if values == self._values else Words(self._templates, values)

    def __repr__(self) -> str:
        return f"<Words: {len(self._templates)} templates>"

    def atom(self, atom: Atom) -> str:
        """An atom, as a sentence without a full stop."""
        require_a("atom", atom, Atom, 'parse_atom("bird(tweety)") reads one')
        names = [plain(term.name) for term in atom.arguments]
        if isinstance(atom.predicate, BuiltIn):
            return " ".join([names[0], "is", atom.predicate.in_words, *names[1:]])
        return self._said(atom, names, atom.predicate in self._values)

    def _said(self, atom: Atom, names: list[str], is_value: bool) -> str:
        template = self._templates.get(str(atom.predicate), self._templates.get(atom.predicate.name))
        if template is None:
            return _default(atom.predicate, names, is_value)
        try:
            return template.format(*names)
        except IndexError:  # the template is for another arity
            return _default(atom.predicate, names, is_value)

    def conditions(self, clause: Clause) -> list[str]:
        """The conditions of a rule: what is said of a number goes with where it stands, and a named value is one."""
        require_a("clause", clause, Clause)
        uses = Counter(term for atom in clause.atoms if not _is_comparison(atom) for term in atom.arguments)
        compared: dict[Term, list[str]] = defaultdict(list)
        for atom in clause.body:
            if isinstance(atom.predicate, Threshold):
                compared[atom.arguments[0]].append(atom.predicate.in_words)
        second = {atom.arguments[1] for atom in clause.body if atom.predicate.arity == 2}
        within = {term: enumerated(said) for term, said in compared.items() if uses[term] == 1 and term in second}
        values = self._values_compared(clause, uses)
        said: list[str] = []
        for atom in clause.body:
            terms = atom.arguments
            if isinstance(atom.predicate, Threshold):
                said += [] if terms[0] in within else [self.atom(atom)]
            elif isinstance(atom.predicate, Precedence | Nearness) and values.keys() >= set(terms):
                said.append(f"{values[terms[0]]} is {atom.predicate.in_words} {values[terms[1]]}")
            elif len(terms) == 2 and terms[1] in values:
                pass  # it is said where the value is compared
            elif len(terms) == 2 and (terms[1] in within or isinstance(terms[1], Constant)):
                named = [plain(terms[0].name), within.get(terms[1], plain(terms[1].name))]
                is_value = atom.predicate in self._values or not isinstance(terms[0], Constant)
                said.append(self._said(atom, named, is_value))
            else:
                said.append(self.atom(atom))
        return said

    def _values_compared(self, clause: Clause, uses: Counter[Term]) -> dict[Term, str]:
        """What variables stand for that are values, and are compared with another such value, and nothing else."""
        found: dict[Term, str] = {}
        for atom in clause.body:
            named = str(atom.predicate) in self._templates or atom.predicate.name in self._templates
            if atom.predicate.arity == 2 and not _is_comparison(atom) and not named and uses[atom.arguments[1]] == 1:
                phrase = _value(atom.predicate, plain(atom.arguments[0].name))
                found |= {atom.arguments[1]: phrase} if phrase else {}
        compared = Counter(term for atom in clause.body if _is_comparison(atom) for term in atom.arguments)
        pairs = [atom.arguments for atom in clause.body if isinstance(atom.predicate, Precedence | Nearness)]
        kept = {term for pair in pairs if all(term in found and compared[term] == 1 for term in pair) for term in pair}
        return {term: phrase for term, phrase in found.items() if term in kept}

    def literal(self, literal: Literal) -> str:
        """An atom, or that it is not so."""
        require_a("literal", literal, Literal)
        return self.atom(literal.atom) if literal.positive else f"it is not so that {self.atom(literal.atom)}"

    def clause(self, clause: Clause) -> str:
        """A rule: what holds if something else does."""
        require_a("clause", clause, Clause, 'parse_clause("flies(X) :- bird(X).") reads one')
        if clause.is_empty:
            return "nothing is possible"
        if not clause.head and (changing := _changing(clause)) is not None:
            first = clause.body[0]
            others = [plain(term.name) for place, term in enumerate(first.arguments) if place != changing]
            return f"at most one {first.arguments[changing]} for each {enumerated(others)}: {self.atom(first)}"
        body = enumerated(self.conditions(clause))
        if not clause.head:
            return f"never: {body}"
        head = enumerated(map(self.about([clause]).atom, clause.head), "or")
        return f"{head} if {body}" if clause.body else f"{head}, always"

    def missing(self, atom: Atom) -> str:
        """A condition that may have variables left."""
        require_a("atom", atom, Atom)
        free = enumerated(variable.name for variable in variables_of([atom]))
        return f"{self.atom(atom)}, for some {free}" if free else self.atom(atom)


PLAIN = Words()
"""Sentences that the predicates' names make."""


def enumerated(parts: Iterable[str], conjunction: str = "and") -> str:
    """Some phrases as one.

    >>> enumerated(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def parse_words(text: str, source: str = "<words>") -> Words:
    """Read templates: on every line a predicate, a colon and a sentence; ``#`` or ``%`` begins a line of comment.

    Parameters
    ----------
    text : str
        The lines.
    source : str
        What errors call the text.

    Returns
    -------
    Words
        How atoms are said.

    Raises
    ------
    LanguageError
        If a line is none of these.

    Examples
    --------
    >>> words = parse_words("advisedBy: {0} writes a thesis with {1}")
    >>> words.atom(Atom.ground("advisedBy", ["ann", "bob"]))
    'ann writes a thesis with bob'
    """
    if not isinstance(text, str):
        raise QueryError(f"templates are read from a text, and not from {type(text).__name__}; read_words reads a file")
    templates: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped and stripped[0] not in "#%":
            name, sentence = _template(stripped, source, number)
            templates[name] = sentence
    return Words(templates)


_TEMPLATE = re.compile(r'(?:("(?:[^"\\]|\\.)*")(/\d+)?\s*|([^:"]+)):(.*)')


def _template(line: str, source: str, number: int) -> tuple[str, str]:
    found = _TEMPLATE.fullmatch(line)
    said = found[4].strip() if found else ""
    try:
        name = json.loads(found[1]) + (found[2] or "") if found and found[1] else found[3].strip() if found else ""
    except ValueError:
        name = ""
    if not name or not said:
        raise LanguageError(source, number, 1, found=json.dumps(line[:30]), expected="a predicate, ':' and a sentence")
    sentence = said[1:-1] if re.fullmatch('".+"', said) else said
    if not _has_places(sentence):
        column = line.index(sentence) + 1
        expected = "a sentence with places like {0} and {1} for the arguments"
        raise LanguageError(source, number, column, found=shortened(json.dumps(sentence)), expected=expected)
    return name, sentence


def _changing(clause: Clause) -> int | None:
    """The place of which there is at most one value, where a constraint says that of a predicate, and nothing else.

    >>> from possilog.logic import parse_clause
    >>> _changing(parse_clause(":- author(A, B), author(A, C).")), _changing(parse_clause(":- near(A, B), near(B, C)."))
    (1, None)
    """
    if len(clause.body) != 2 or clause.body[0].predicate != clause.body[1].predicate:
        return None
    one, other = (atom.arguments for atom in clause.body)
    different = [place for place, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
    is_plain = len(one) > 1 and len({*one, *other}) == len(one) + 1 == len(variables_of(clause.body))
    return different[0] if len(different) == 1 and is_plain else None


def _is_comparison(atom: Atom) -> bool:
    return isinstance(atom.predicate, BuiltIn)


def _has_places(sentence: str) -> bool:
    """Are all its places plain numbers? What else Python's templates can do may fail, or fill the memory."""
    try:
        parts = list(Formatter().parse(sentence))
    except ValueError:
        return False
    return all(
        field is None or (re.fullmatch("[0-9]{1,4}", field) and not layout and not conversion)
        for _, field, layout, conversion in parts
    )


def _value(predicate: Predicate, name: str) -> str | None:
    """How a value of something is called: the rank of A; None where a predicate is no such thing."""
    words = _in_words(predicate)
    if not words or not words[0][0].isalpha() or _said_of_two(words) != f"is {_with_article(' '.join(words))} of":
        return None
    return f"the {' '.join(words)} of {name}"


def _in_words(predicate: Predicate) -> list[str]:
    split = [word for word in _JOINTS.split(predicate.name) if word]
    return [word if word.isupper() and len(word) > 1 else word.lower() for word in split]


def _default(predicate: Predicate, names: list[str], is_value: bool) -> str:
    words = _in_words(predicate)
    if not words or not words[0][0].isalpha():
        return f"{predicate.name}({', '.join(names)})"
    if not names:
        return f"{' '.join(words)} holds"
    if len(names) == 1:
        return f"{names[0]} {_said_of_one(words)}"
    rest = f" ({', '.join(names[2:])})" if names[2:] else ""
    said = _said_of_two(words)
    if is_value and said == f"is {_with_article(' '.join(words))} of":
        return f"the {' '.join(words)} of {names[0]} is {names[1]}{rest}"
    return f"{names[0]} {said} {names[1]}{rest}"


def _said_of_one(words: list[str]) -> str:
    phrase = " ".join(words)
    if _is_verb(words[0]):
        return phrase
    plain = (
        words[-1].endswith(_ADJECTIVE_ENDINGS) or _ADJECTIVE.fullmatch(words[-1]) or _PREPOSITION.fullmatch(words[0])
    )
    if plain or words[-1].isdigit() or _is_plural(words[-1]):
        return f"is {phrase}"
    return f"is {_with_article(phrase)}"


def _said_of_two(words: list[str]) -> str:
    first, last, phrase = words[0], words[-1], " ".join(words)
    if last == "by":
        return f"is {phrase}"
    if _is_verb(first):
        return phrase
    if first == "same" and not _PREPOSITION.fullmatch(last):
        return f"has the {phrase} as"
    if last == "of":
        return f"is {_with_article(phrase)}"
    if _PREPOSITION.fullmatch(first) or _PREPOSITION.fullmatch(last):
        return f"is {phrase}"
    if _TOWARDS.fullmatch(last):
        return f"is {phrase} to"
    if last.endswith("ed"):
        return phrase
    return f"is {_with_article(phrase)} of"


def _is_verb(word: str) -> bool:
    """Is it one like lives, has or wrote?"""
    return word in ("is", "has", "was") or bool(_PAST.fullmatch(word)) or (_is_plural(word) and len(word) > 3)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(_NOT_VERBS)


def _with_article(phrase: str) -> str:
    vowel = phrase[0].lower() in "aeiou" and not re.match("uni|eu|one|us[aeiu]", phrase.lower())
    return f"{'an' if vowel else 'a'} {phrase}"

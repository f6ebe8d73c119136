"""Keys and foreign keys: declared where the source declares them, else found by uniqueness, names and containment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from possilog.data.tables.columns import holds_keys, is_whole
from possilog.data.tables.table import RawTable, TableColumn
from possilog.logic.spelling import folded

__all__ = ["Referred", "find_keys", "find_references", "names_things", "points_nowhere"]

_CONTAINED = 0.9
"""The share of a column's values that are keys of a table: then it refers to it, whatever it is called."""
_CONTAINED_BY_NAME = 0.5
"""The same for columns that are called like the key or its table."""
_FEW_VALUES = 3
_LONG_NAME = 60
_GENERIC = {"id", "key", "code", "name", "nr", "no", "number", "index", "title", "label", "type", "value", "row", ""}
_ID = re.compile(r"(?:.*[_\W])?(?:id|key|code|uuid|guid|nr|no|number)|.*[a-z]I[dD]", re.IGNORECASE)
_ENDS = ("id", "key", "code", "no", "nr")
_WORDS = re.compile(r"[^\W_]+?(?=[A-Z][a-z]|[\W_]|$)")
_COVERED, _MANY_KEYS = 0.8, 10
"""Numbers are keys of a table, whatever they are called, if they are all there and nearly all keys are: of many."""
_HALF = 0.5
"""The same for columns that hold keys, by their name, but of which table it does not say."""
_FAR_NUMBER, _SOME = 100, 0.2
"""Nor do numbers from here on count anything, where they are all keys; then this share of the keys is enough."""
_QUANTITY = re.compile(
    r"(?:.*[_\W])?(?:age|alter|âge|amount|anzahl|attendance|bed|betten|betrag|count|duration|dauer|durée|day|tage?|jour|"
    r"week|woche|month|monat|mois|year|jahre?|hour|stunden?|heure|minute|floor|goal|grade|height|weight|gewicht|größe|"
    r"länge|length|size|taille|km|level|menge|quantity|quantité|qty|nombre|note|page|seiten|pct|percent|point|price|"
    r"preis|prix|rank|rating|score|seat|stock|temperature)s?(?:[_\W].*)?",
    re.IGNORECASE,
)
"""Words for what is counted or measured: such numbers are no keys, even if all of them are."""
_KIN = re.compile(
    r"(?:.*[_\W])?(?:manager|boss|chief|head|leader|supervisor|superior|mentor|parent|mother|father|spouse|partner|"
    r"predecessor|successor|sequel(?:[_\W]of)?|reports?[_\W]to|vorgesetzte\w*|chef|leiter\w*|mutter|vater|mère|père)",
    re.IGNORECASE,
)
"""Names of columns that speak of another row of their own table."""
_ABBREVIATED = 3
"""Letters with which a column may be called after a table: cust_id, dept_id."""


@dataclass(frozen=True, slots=True)
class Referred:
    """A column that refers to a table, and how many of its values are no keys there."""

    table: str
    dangling: int


def find_keys(tables: Sequence[RawTable]) -> dict[str, tuple[str, ...]]:
    """The key of each table: a declared one, or the likeliest column that tells all rows apart, if there is one."""
    names = {folded(column.name) for table in tables for column in table.columns}
    shared = {name for name in names if sum(_has(table, name) for table in tables) > 1}
    return {table.name: table.key or _likeliest(table, shared, tables) for table in tables}


def _has(table: RawTable, name: str) -> bool:
    return any(folded(column.name) == name for column in table.columns)


def _likeliest(table: RawTable, shared: set[str], tables: Sequence[RawTable]) -> tuple[str, ...]:
    unique = [column for column in table.columns if column.is_unique and _can_be_key(column)]
    own = {f"{name}{end}" for name in _spellings(table.name) for end in ("", "id", "key", "code", "no", "nr")}
    called = [column for column in unique if folded(column.name) in {"id", "key", *own}]
    others = [each for other in tables if other is not table for each in other.columns]
    several = [column for column in others if not column.is_unique]
    used = [column for column in unique if len(unique) > 1 and _is_used(table.name, column, several)]
    for choice in (
        [column for column in called if column in used],
        used,
        called,
        [column for column in unique if column is table.columns[0]],
        [column for column in unique if folded(column.name) in shared - _GENERIC],
        [column for column in unique if _is_used(table.name, column, others)],
        [column for column in unique if names_things(column.name)],
    ):
        if choice:
            return (choice[0].name,)
    return ()


def _is_used(table: str, key: TableColumn, others: Sequence[TableColumn]) -> bool:
    """Does one of other tables' columns refer to a column: by its name, or by values that are no numbers?"""
    held = frozenset(key.values)
    for column in others:
        inside = sum(value in held for value in column.values)
        if inside >= _CONTAINED_BY_NAME * len(column.values) > 0 and _is_called_like(column.name, table, key.name):
            return True
        some = len(column.values) >= _FEW_VALUES and inside >= _CONTAINED * len(column.values)
        if some and 2 * sum(map(str.isdecimal, column.values)) <= len(column.values):
            return True
    return False


def names_things(column: str) -> bool:
    """Is a column called as those are that name things, such as order_id?"""
    return _ID.fullmatch(column) is not None


def _can_be_key(column: TableColumn) -> bool:
    if is_whole(column):
        return True
    dates = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b.*|[+-]?\d*\.?\d+(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
    long = sum(map(len, column.values)) > _LONG_NAME * len(column.values)
    return not long and not all(map(dates.fullmatch, column.values))


def find_references(tables: Sequence[RawTable], keys: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, str], Referred]:
    """The table that each column refers to, by its table and name; columns that refer to none are not in it."""
    targets = [_Target(table.name, column) for table in tables if (column := _single(table, keys[table.name]))]
    sizes = {table.name: (-table.rows, -len(table.columns), table.name) for table in tables}
    guess = not any(table.foreign_keys for table in tables)  # where references are declared, others are none
    found = {}
    for table in tables:
        for column in table.columns:
            is_key = keys[table.name] == (column.name,)
            choices = list(_choices(table, column, targets, is_key=is_key, guess=guess))
            if is_key:  # it may extend a larger table, but two tables do not extend each other
                choices = [each for each in choices if sizes[each[1]] < sizes[table.name]]
            if choices:
                _, name, inside = max(choices, key=lambda each: (each[0], -sizes[each[1]][0]))
                found[table.name, column.name] = Referred(name, len(column.values) - inside)
    return found


def points_nowhere(column: TableColumn, tables: Sequence[RawTable], keys: Mapping[str, tuple[str, ...]]) -> str:
    """What to say of a column that is called like a table, and has hardly a key of it; nothing of others."""
    for table in tables:
        key = _single(table, keys[table.name])
        if key is not None and column not in table.columns and _is_called_like(column.name, table.name, key.name):
            inside, size = len(set(key.values) & set(column.values)), len(column.values)
            if inside < _CONTAINED_BY_NAME * size:
                return f"{inside:,} of {size:,} values are keys of {table.name}, so it does not refer to it"
    return ""


def _single(table: RawTable, key: tuple[str, ...]) -> TableColumn | None:
    return table.column(key[0]) if len(key) == 1 else None


class _Target:
    """A table that columns may refer to."""

    def __init__(self, name: str, key: TableColumn) -> None:
        self.name, self.key, self.held = name, key.name, frozenset(key.values)

    def is_meant_by(
        self, column: TableColumn, inside: int, *, by_name: bool, is_own: bool, is_key: bool, guess: bool
    ) -> bool:
        """Does a column refer to it, of whose values so many are keys? Numbers of other names, only at a ``guess``."""
        share = inside / len(column.values)
        if by_name and share >= _CONTAINED_BY_NAME:
            return True
        if share < _CONTAINED or len(column.values) < _FEW_VALUES:
            return False
        if 2 * sum(map(str.isdecimal, column.values)) <= len(column.values):
            return True
        # Small numbers are keys of any table.
        if is_key:
            return False
        if is_own:
            return share == 1 and (names_things(column.name) or _KIN.fullmatch(column.name) is not None)
        if holds_keys(column.name):
            return self._is_covered(column, _HALF)
        return guess and share == 1 and self._is_told(column)

    def _is_told(self, column: TableColumn) -> bool:
        """Would it be strange if numbers were all keys, and these keys, by chance?"""
        few = len(self.held) < _MANY_KEYS or len(column.values) > column.known / 2
        counts = _QUANTITY.fullmatch(column.name) is not None
        return not few and not counts and self._is_covered(column, _COVERED)

    def _is_covered(self, column: TableColumn, least: float) -> bool:
        """Are so many of the keys among some numbers, or a few of keys that are no small numbers?"""
        numbers = [int(value) for value in self.held if value.isdecimal()]
        far = len(numbers) == len(self.held) and min(numbers) >= _FAR_NUMBER
        return len(column.values) >= (_SOME if far else least) * len(self.held)


def _choices(
    table: RawTable, column: TableColumn, targets: Sequence[_Target], *, is_key: bool, guess: bool
) -> Iterator[tuple[tuple[bool, bool, float, float], str, int]]:
    """The tables that a column may refer to: how likely, which one, and how many values are keys there."""
    declared = {foreign.table for foreign in table.foreign_keys if foreign.columns == (column.name,)}
    for target in targets:
        is_own = target.name == table.name
        if (is_own and target.key == column.name) or not column.values:
            continue
        inside = sum(value in target.held for value in column.values)
        by_name = _is_called_like(column.name, target.name, target.key)
        is_meant = target.is_meant_by(column, inside, by_name=by_name, is_own=is_own, is_key=is_key, guess=guess)
        if target.name in declared or is_meant:
            share = inside / len(column.values)
            covered = inside / len(target.held) if all(map(str.isdecimal, target.held)) else 0.0
            yield (target.name in declared, by_name, share, covered), target.name, inside


def _is_called_like(column: str, table: str, key: str) -> bool:
    """Does a column's name speak of a table: by the name of its key, or by its own?

    >>> [_is_called_like(name, "teams", "id") for name in ("team", "team_id", "home_team", "awayTeamId", "team_age")]
    [True, True, True, True, False]
    >>> [_is_called_like(*names) for names in (("dept", "units", "dept_no"), ("dept_id", "departments", "id"))]
    [True, True]
    """
    name, key_name = folded(column), folded(key)
    if name == key_name and name not in _GENERIC:
        return True
    about = _spellings(table) | {_stem(key)} - _GENERIC
    words = _words(column)
    has_end = len(words) > 1 and words[-1] in (key_name, *_ENDS)
    if words and words[-1] in (key_name, *_ENDS):
        words.pop()
    ends = {"".join(words[place:]) for place in range(len(words))}
    if has_end and any(_is_short_for(words[-1], one) for one in about):
        return True
    return name in about or not ends.isdisjoint(about) or any(name == f"{one}{key_name}" for one in about)


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(name)]


def _stem(key: str) -> str:
    """What a key is called after: an order, of order_id."""
    words = _words(key)
    return "".join(words[:-1] if words and words[-1] in _ENDS else words)


def _is_short_for(word: str, name: str) -> bool:
    """Is a word the beginning of a name, or that and its last letter, such as dept?"""
    if len(word) < _ABBREVIATED or len(word) >= len(name):
        return False
    return name.startswith(word) or (len(word) > _ABBREVIATED and name.startswith(word[:-1]) and name[-1] == word[-1])


def _spellings(table: str) -> set[str]:
    """A table's name, and what one of its rows would be called."""
    name = folded(table.rpartition(".")[2])
    singular = {name.removesuffix(end) for end in ("s", "es", "en", "n")}
    if name.endswith("ies"):
        singular.add(f"{name[:-3]}y")
    return {name, *singular} - {""}

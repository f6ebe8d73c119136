"""What can be asked of the explorer, as frozen values: read from JSON or from an address, and described as a schema.

A field says what it means and how much of it there may be, once: what refuses and what describes are the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from possilog.errors import QueryError, represented, shortened

__all__ = ["Wish", "decode", "from_address", "schema_of", "wish"]

MOST_LETTERS = 200_000
"""Of one text."""

MOST_ITEMS = 50_000
"""Of one list."""

MOST_NUMBER = 1_000_000_000

_T = TypeVar("_T")


def wish(about: str, default: Any = MISSING, *, least: int = 0, most: int | None = None) -> Any:
    """A field: what it means, what it is if nothing is said, and its bounds: of a number, or of a text's letters."""
    return field(default=default, metadata={"about": about, "least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Wish:
    """Nothing in particular."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """The type of a field, taken apart."""

    one: Any
    """The type of one value."""
    several: bool = False
    optional: bool = False

    @classmethod
    def of(cls, hint: Any) -> _Kind:
        if isinstance(hint, UnionType):
            inner = next(part for part in get_args(hint) if part is not NoneType)
            kind = cls.of(inner)
            return cls(kind.one, kind.several, optional=True)
        if get_origin(hint) is tuple:
            return cls(get_args(hint)[0], several=True)
        return cls(hint)


def _kinds(kind: type) -> dict[str, _Kind]:
    return {name: _Kind.of(hint) for name, hint in get_type_hints(kind).items()}


def decode(kind: type[_T], given: object) -> _T:
    """A wish from JSON's terms; QueryError where it is none.

    >>> @dataclass(frozen=True)
    ... class Look(Wish):
    ...     page: int = wish("which page", 1, least=1)
    >>> decode(Look, {"page": 3}).page
    3
    >>> decode(Look, {"page": "x"})
    Traceback (most recent call last):
    possilog.errors.QueryError: page is a whole number, and not 'x'
    """
    if not isinstance(given, Mapping):
        raise QueryError("an object is asked for, such as {}")
    kinds = _kinds(kind)
    unknown = next((name for name in given if name not in kinds), None)
    if unknown is not None:
        known = ", ".join(kinds) or "none"
        raise QueryError(f"there is no field {represented(unknown)}; there are: {known}")
    values = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name in given:
            values[one.name] = _taken(one.name, kinds[one.name], given[one.name], one.metadata)
        elif one.default is MISSING:
            raise QueryError(f"{one.name} is missing: {one.metadata['about']}")
    return kind(**values)


def from_address(kind: type[_T], pairs: Sequence[tuple[str, str]]) -> _T:
    """A wish from the query of an address, or from a form: all of it text, and fields of lists may be repeated."""
    kinds = _kinds(kind)
    given: dict[str, Any] = {}
    for name, text in pairs:
        what = kinds.get(name)
        value = text if what is None else _from_text(what.one, text)
        if what is not None and what.several:
            given.setdefault(name, []).append(value)
        elif not (what is not None and what.optional and text == ""):
            given[name] = value
    return decode(kind, given)


def _from_text(kind: Any, text: str) -> Any:
    """A number or a truth value where the text is one."""
    if kind is bool:
        return {"true": True, "on": True, "1": True, "false": False, "0": False, "": False}.get(text, text)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _taken(name: str, kind: _Kind, value: Any, bounds: Mapping[str, Any]) -> Any:
    if value is None and kind.optional:
        return None
    if kind.several:
        if not isinstance(value, list):
            raise QueryError(f"{name} is a list, and not {represented(value)}")
        if len(value) > MOST_ITEMS:
            raise QueryError(f"{name} has {len(value):,} items, and at most {MOST_ITEMS:,} are taken; give fewer")
        return tuple(_one(name, kind.one, item, bounds) for item in value)
    return _one(name, kind.one, value, bounds)


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _one(name: str, kind: Any, value: Any, bounds: Mapping[str, Any]) -> Any:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if value not in list(kind):
            raise QueryError(f"{name} is one of {', '.join(kind)}, and not {represented(value)}")
        return kind(value)
    right = isinstance(value, (int, float) if kind is float else kind)
    if not right or (kind in (int, float) and isinstance(value, bool)):
        raise QueryError(f"{name} is {_WORDS[kind]}, and not {represented(value)}")
    if kind is str:
        most = bounds["most"] or MOST_LETTERS
        if len(value) > most:
            raise QueryError(f"{name} has {len(value):,} letters, and at most {most:,} are taken; give fewer")
    if kind in (int, float):
        least, most = bounds["least"], bounds["most"] or MOST_NUMBER
        if not (math.isfinite(value) and least <= value <= most):
            raise QueryError(f"{name} is between {least} and {most:,}, and not {shortened(value)}")
    return value


# Described


def schema_of(kind: type) -> dict[str, Any]:
    """A wish as JSON Schema, as OpenAPI has it."""
    kinds = _kinds(kind)
    listed = fields(kind)
    return {
        "type": "object",
        "properties": {one.name: described(kinds[one.name], one.metadata, one.default) for one in listed},
        "required": [one.name for one in listed if one.default is MISSING],
        "additionalProperties": False,
    }


def described(kind: _Kind, bounds: Mapping[str, Any], default: Any = MISSING) -> dict[str, Any]:
    """One field."""
    one = _described_one(kind.one, bounds)
    found = {"type": "array", "items": one, "maxItems": MOST_ITEMS} if kind.several else one
    if kind.optional:
        found["type"] = [found["type"], "null"]
    if default is not MISSING and default is not None:
        found["default"] = list(default) if isinstance(default, tuple) else default
    return {**found, "description": bounds["about"]}


def _described_one(kind: Any, bounds: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [str(word) for word in kind]}
    if kind is bool:
        return {"type": "boolean"}
    if kind is str:
        return {"type": "string", "maxLength": bounds["most"] or MOST_LETTERS}
    number = "integer" if kind is int else "number"
    return {"type": number, "minimum": bounds["least"], "maximum": bounds["most"] or MOST_NUMBER}


def parameters_of(kind: type) -> list[dict[str, Any]]:
    """A wish as the parameters of an address, as OpenAPI has it; ``number`` and such in the path are left out."""
    kinds = _kinds(kind)
    found = []
    for one in fields(kind):
        schema = described(kinds[one.name], one.metadata, one.default)
        about = schema.pop("description")
        if isinstance(schema["type"], list):  # in an address, what is not said is left out
            schema["type"] = schema["type"][0]
        required = one.default is MISSING
        found.append({"name": one.name, "in": "query", "required": required, "description": about, "schema": schema})
    return found

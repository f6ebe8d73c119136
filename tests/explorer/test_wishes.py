"""What may be asked of the explorer: what a field takes, from JSON and from an address, and how that is described."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest

from possilog.errors import QueryError
from possilog.explorer import wishes
from possilog.explorer.wishes import (
    MOST_LETTERS,
    MOST_NUMBER,
    Wish,
    decode,
    from_address,
    parameters_of,
    schema_of,
    wish,
)


class Colour(StrEnum):
    """A word of a list."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Wished(Wish):
    """Of every kind; the first has to be given."""

    name: str = wish("a name", most=5)
    sure: bool = wish("whether it is", False)
    count: int = wish("how many", 2, least=1, most=9)
    share: float = wish("how much", 0.5)
    colour: Colour = wish("which", Colour.RED)  # noqa: RUF009
    maybe: int | None = wish("perhaps a number", None)
    texts: tuple[str, ...] = wish("some texts", ("x",))
    flags: tuple[bool, ...] = wish("some truth values", ())


NAME: dict[str, Any] = {"type": "string", "maxLength": 5}
PROPERTIES: dict[str, dict[str, Any]] = {
    "name": NAME,
    "sure": {"type": "boolean", "default": False},
    "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
    "share": {"type": "number", "minimum": 0, "maximum": MOST_NUMBER, "default": 0.5},
    "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
    "maybe": {"type": ["integer", "null"], "minimum": 0, "maximum": MOST_NUMBER},
    "texts": {"type": "array", "items": {"type": "string", "maxLength": MOST_LETTERS}, "default": ["x"]},
    "flags": {"type": "array", "items": {"type": "boolean"}, "default": []},
}
ABOUT = ["a name", "whether it is", "how many", "how much", "which", "perhaps a number", "some texts"]
ABOUT += ["some truth values"]


def test_a_wish_is_described_whole() -> None:
    for name in ("texts", "flags"):
        PROPERTIES[name]["maxItems"] = wishes.MOST_ITEMS
    described = schema_of(Wished)
    told = {name: one | {"description": about} for (name, one), about in zip(PROPERTIES.items(), ABOUT, strict=True)}
    assert described == {"type": "object", "properties": told, "required": ["name"], "additionalProperties": False}
    plain = PROPERTIES | {"maybe": PROPERTIES["maybe"] | {"type": "integer"}}
    assert parameters_of(Wished) == [
        {"name": name, "in": "query", "required": name == "name", "description": about, "schema": plain[name]}
        for name, about in zip(plain, ABOUT, strict=True)
    ]


@pytest.mark.parametrize(
    ("address", "given"),
    [
        ("", {}),
        *((f"sure={text}", {"sure": text in ("true", "on", "1")}) for text in ("true", "on", "1", "false", "0", "")),
        ("count=3&share=0.25", {"count": 3, "share": 0.25}),
        ("maybe=", {}),
        ("maybe=7", {"maybe": 7}),
        ("texts=a&texts=", {"texts": ("a", "")}),
        ("flags=on&flags=0", {"flags": (True, False)}),
        ("colour=blue", {"colour": Colour.BLUE}),
    ],
)
def test_an_address_says_what_json_would(address: str, given: dict[str, Any]) -> None:
    pairs = [(part.partition("=")[0], part.partition("=")[2]) for part in address.split("&") if part]
    assert from_address(Wished, [("name", "ann"), *pairs]) == Wished("ann", **given)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("count=", "count is a whole number, and not ''"),
        ("count=x", "count is a whole number, and not 'x'"),
        ("count=0", "count is between 1 and 9, and not 0"),
        ("count=10", "count is between 1 and 9, and not 10"),
        ("sure=yes", "sure is true or false, and not 'yes'"),
        ("maybe=x", "maybe is a whole number, and not 'x'"),
        ("colour=green", "colour is one of red, blue, and not 'green'"),
        ("name=longer", "name has 6 letters, and at most 5 are taken; give fewer"),
        ("other=1", "there is no field 'other'; there are: name, sure, count, share, colour, maybe, texts, flags"),
        ("other=", "there is no field 'other'; there are: name, sure, count, share, colour, maybe, texts, flags"),
    ],
)
def test_an_address_that_is_wrong_is_refused_with_the_reason(address: str, message: str) -> None:
    name, _, text = address.partition("=")
    with pytest.raises(QueryError) as refused:
        from_address(Wished, [("name", "ann"), (name, text)])
    assert str(refused.value) == message


def test_what_json_may_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wishes, "MOST_ITEMS", 2)
    assert decode(Wished, {"name": "ann", "texts": ["a", "b"]}).texts == ("a", "b")
    assert decode(Wished, {"name": "ann", "sure": True, "share": 1}) == Wished("ann", sure=True, share=1)
    for given, message in (
        ({}, "name is missing: a name"),
        ({"name": None}, "name is a text, and not None"),
        ({"name": True}, "name is a text, and not True"),
        ({"name": "a", "count": True}, "count is a whole number, and not True"),
        ({"name": "a", "share": False}, "share is a number, and not False"),
        ({"name": "a", "sure": 1}, "sure is true or false, and not 1"),
        ({"name": "a", "texts": "a"}, "texts is a list, and not 'a'"),
        ({"name": "a", "texts": ["a", "b", "c"]}, "texts has 3 items, and at most 2 are taken; give fewer"),
        ({"name": "a", "flags": [True, None]}, "flags is true or false, and not None"),
        ([], "an object is asked for, such as {}"),
    ):
        with pytest.raises(QueryError) as refused:
            decode(Wished, given)
        assert str(refused.value) == message
    with pytest.raises(QueryError, match=r"^there is no field 'x'; there are: none$"):
        decode(Wish, {"x": 1})

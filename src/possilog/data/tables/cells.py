"""What the cells of tables mean: nothing at all, yes or no, a number, a date."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from possilog.logic import Becomes
from possilog.logic.spelling import spell_number

__all__ = [
    "MISSING",
    "are_yes_or_no",
    "as_codes",
    "as_date",
    "as_number",
    "as_yes",
    "date_orders",
    "is_grouped",
    "month_of",
    "sign_of",
    "unless_missing",
    "weekday_of",
]

MISSING = ("NA", "NULL", "nan", "N/A", "?", "-")
"""Words that stand for an unknown value, beside the empty cell; capitals do not count."""

_COUNTRY = re.compile("[A-Z]{2}")
_MANY_COUNTRIES = 20
_CODE = re.compile(r"\s*+[+-]?0\d.*", re.DOTALL)
_SIGNS = "$€£¥%"  # the empty text is in it, too
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?", re.ASCII)
_LETTERS = (("y", "n"), ("t", "f"), ("1", "0"), ("1.0", "0.0"))
_WORDS = (("yes", "no"), ("true", "false"), ("on", "off"), ("ja", "nein"), ("oui", "non"), ("si", "no"), ("sí", "no"))
_YES = {word: agrees for pair in (*_LETTERS, *_WORDS) for word, agrees in zip(pair, (True, False), strict=True)}

_TIME = r"(?:[T ]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}", re.ASCII)
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){_TIME}", re.ASCII)
_DAY_MONTH = re.compile(r"(\d{1,2})\.?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})", re.ASCII)
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})\.?[ -](\d{1,2}),?[ -](\d{4})", re.ASCII)
_FIRST_HALF = ("january", "february", "march", "april", "may", "june")
_MONTHS = (*_FIRST_HALF, "july", "august", "september", "october", "november", "december")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def unless_missing(values: Sequence[str], words: Iterable[str] | None = None) -> list[str | None]:
    """The values without blanks around them; None for those that say that nothing is known.

    Among many codes of two capitals, NA is one of them, as Namibia is a country.

    >>> unless_missing(["a ", "", "n/a", "NA", "?"]), unless_missing(["a", "NA"], ["a"])
    (['a', None, None, None, None], [None, 'NA'])
    """
    stripped = [value.strip() for value in values]
    missing = {"", *(word.strip().casefold() for word in (MISSING if words is None else words))}
    found: list[str | None] = [None if value.casefold() in missing else value for value in stripped]
    if words is None and "NA" in stripped:
        codes = {value for value in found if value is not None}
        if len(codes) >= _MANY_COUNTRIES and all(map(_COUNTRY.fullmatch, codes)):
            found[stripped.index("NA")] = "NA"
    return found


def as_yes(value: str) -> bool | None:
    """What a word of agreement or denial says; None for others.

    >>> as_yes("Yes"), as_yes("f"), as_yes("0"), as_yes("maybe")
    (True, False, False, None)
    """
    return _YES.get(value.casefold())


def are_yes_or_no(values: Iterable[str]) -> bool:
    """Do the values of a column say yes or no, in whatever spelling? A lone letter or digit may mean anything.

    >>> [are_yes_or_no(some) for some in (["Y", "n"], ["yes", "N", "TRUE"], ["T", "N"], ["1"], ["no"], ["1.0"])]
    [True, True, False, False, True, False]
    """
    said = set()
    for value in values:
        word = value.casefold()
        if word not in _YES:
            return False
        said.add(word)
    return any(word in said for pair in _WORDS for word in pair) or any(said == set(pair) for pair in _LETTERS)


def as_number(value: str, becomes: Becomes = Becomes.NUMBER) -> str | None:
    """The one spelling of a number; None for what is none, or a code such as 007.

    >>> as_number("12,000.50"), as_number("€ 3"), as_number("3,5"), as_number("3,5", Becomes.NUMBER_COMMA)
    ('12000.5', '3', None, '3.5')
    """
    if value[:1].isalpha():
        return None  # most columns that are no numbers are words
    value = value.strip(_SIGNS).strip() if sign_of(value) else value
    if becomes is Becomes.NUMBER_COMMA:
        if not _DECIMAL_COMMA.fullmatch(value):
            return None
        value = value.replace(".", "").replace(",", ".")
    elif _GROUPED.fullmatch(value):
        value = value.replace(",", "")
    return None if _is_code(value) else spell_number(value)


def sign_of(value: str) -> str:
    """The sign of a currency or of per cent beside a number; empty where there is none."""
    first, last = value[:1], value[-1:]
    return first if first in _SIGNS else last if last in _SIGNS else ""


def is_grouped(value: str) -> bool:
    """Is it a number with commas between thousands, which could be decimal commas?"""
    return _GROUPED.fullmatch(value) is not None


def as_codes(values: Sequence[str]) -> list[str]:
    """Values that name things: where all of them are numbers, 3 and 3.0 are one.

    >>> as_codes(["3", "3.0"]), as_codes(["3", "3.0", "A"]), as_codes(["03", "3"])
    (['3', '3'], ['3', '3.0', 'A'], ['03', '3'])
    """
    numbers = []
    for value in values:
        number = None if _is_code(value) else spell_number(value)
        if number is None:
            return list(values)
        numbers.append(number)
    return numbers


def _is_code(value: str) -> bool:
    return _CODE.match(value) is not None and "." not in value and "e" not in value.casefold()


def as_date(value: str, becomes: Becomes = Becomes.DATE) -> str | None:
    """A date as ISO writes it, with its time if it has one; None for what is none.

    >>> as_date("5 Jan 2013"), as_date("2013-1-5 05:30"), as_date("13.1.2013"), as_date("1/2/2013")
    ('2013-01-05', '2013-01-05T05:30', '2013-01-13', None)
    >>> as_date("1/2/2013", Becomes.DATE_DMY), as_date("1/2/2013", Becomes.DATE_MDY), as_date("30.2.2013")
    ('2013-02-01', '2013-01-02', None)
    """
    if value.isalnum():
        return None  # something stands between day, month and year
    if found := _YEAR_FIRST.fullmatch(value):
        year, _, month, day, *time = found.groups()
    elif found := _YEAR_LAST.fullmatch(value):
        first, mark, second, year, *time = found.groups()
        month_first = becomes is Becomes.DATE_MDY and mark != "."  # nobody writes a month first with points
        if mark != "." and becomes is Becomes.DATE:
            return None
        day, month = (second, first) if month_first else (first, second)
    else:
        return _in_letters(value)
    return _iso(int(year), int(month), int(day), time)


def _in_letters(value: str) -> str | None:
    if found := _DAY_MONTH.fullmatch(value):
        day, word, year = found.groups()
    elif found := _MONTH_DAY.fullmatch(value):
        word, day, year = found.groups()
    else:
        return None
    name = word.casefold()
    months = [number for number, month in enumerate(_MONTHS, start=1) if name in (month, month[:3], month[:4])]
    return _iso(int(year), months[0], int(day), []) if months else None


def _iso(year: int, month: int, day: int, time: Sequence[str | None]) -> str | None:
    hour, minute, second, zone = (*time, None, None, None, None)[:4]
    try:
        moment = datetime(year, month, day, int(hour or 0), int(minute or 0), int(second or 0))
        if zone and zone not in ("Z", "UTC"):
            moment = datetime.fromisoformat(f"{moment.isoformat()}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date().isoformat()
    return moment.replace(tzinfo=None).isoformat(timespec="seconds" if moment.second else "minutes")


def date_orders(values: Iterable[str]) -> set[Becomes]:
    """The orders in which all dates that begin with a day or a month can be read; the order does not matter to others.

    >>> sorted(date_orders(["13/1/2013", "2/1/2013"])), len(date_orders(["1/2/2013"])), date_orders(["2013-01-02"])
    ([<Becomes.DATE_DMY: 'date_dmy'>], 2, {<Becomes.DATE: 'date'>})
    """
    unsure = [value for value in values if as_date(value) is None and _YEAR_LAST.fullmatch(value)]
    if not unsure:
        return {Becomes.DATE}
    orders = (Becomes.DATE_DMY, Becomes.DATE_MDY)
    return {order for order in orders if all(as_date(value, order) for value in unsure)}


def month_of(date: str) -> str:
    """The month of a date in ISO form, as a number."""
    return str(int(date[5:7]))


def weekday_of(date: str) -> str:
    """The day of the week of a date in ISO form.

    >>> weekday_of("2026-11-17")
    'tuesday'
    """
    return _WEEKDAYS[datetime.fromisoformat(date).weekday()]

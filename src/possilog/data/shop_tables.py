"""A generated shop: six tables with keys, numbers, dates and empty cells, as a shop would export them.

What was planted in them is stated as rules, so that tests can ask for it: one rule has a constant, one a threshold, one
goes across three tables, and one is wrong in 5 % of the cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from possilog.chance import generator
from possilog.data.writing.text import csv_cell
from possilog.files import AnyPath, replacing, told
from possilog.logic import Clause, parse_clause

__all__ = ["PLANTED", "Shop", "shop"]

PLANTED = {
    "constant": parse_clause('fragile(P) :- material(P, "glass").'),
    "threshold": parse_clause("free_shipping(O) :- total(O, T), T >= 50."),
    "three tables": parse_clause("imported(L) :- item(L, P), supplier(P, S), abroad(S)."),
    "mostly": parse_clause('payment(O, "invoice") :- customer(O, C), business(C).'),
}
"""The truths of every shop. Fragile products are the glass ones and no others; shipping is free from 50 on; lines are
imported if the supplier is abroad, and only then; and businesses pay by invoice, but for one order in twenty."""

WRONG = 0.05
"""The share of orders for which the last of them is wrong."""
_EMPTY = 0.03
_CUSTOMERS, _SUPPLIERS, _PRODUCTS, _ORDERS, _LINES, _REVIEWS = 150, 20, 80, 500, 1_000, 250
_FIRST = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kim", "Leo", "Mia", "Nils", "Olga")
_LAST = ("Adler", "Brook", "Cole", "Diaz", "Engel", "Frost", "Gray", "Horn", "Ibsen", "Jung", "Klein", "Lind", "Moss")
_CITIES = ("Bergen", "Ghent", "Lyon", "Porto", "Turin", "Ulm")
_MATERIALS = ("glass", "wood", "steel", "cotton", "paper")
_COLOURS = ("red", "green", "blue", "white")
_COUNTRIES = ("Japan", "Peru", "Italy", "Kenya")
_PAYMENTS = ("card", "transfer", "cash")
_OPINIONS = ("arrived in time and works", "looks better than in the picture", "was a present and was liked", "is fine")

Columns = dict[str, list[str | None]]


@dataclass(frozen=True, slots=True, repr=False)
class Shop:
    """The tables of a shop, each with its columns by name; None is an empty cell."""

    seed: int
    tables: dict[str, Columns]

    @property
    def planted(self) -> dict[str, Clause]:
        """What was planted, by what is special about it."""
        return dict(PLANTED)

    def __repr__(self) -> str:
        rows = sum(len(next(iter(table.values()))) for table in self.tables.values())
        return f"<Shop: {len(self.tables)} tables, {rows:,} rows, seed {self.seed}>"

    def save(self, folder: AnyPath) -> None:
        """Write a CSV file for each table into a new folder, which appears whole or not at all."""
        with told(folder, "written"), replacing(Path(folder)) as fresh:
            fresh.mkdir()
            for name, columns in self.tables.items():
                rows = [list(columns), *(list(row) for row in zip(*columns.values(), strict=True))]
                lines = (",".join(csv_cell(cell or "") for cell in row) for row in rows)
                (fresh / f"{name}.csv").write_bytes("".join(f"{line}\n" for line in lines).encode())


def shop(seed: int = 0) -> Shop:
    """A shop: the same seed gives the same tables.

    Parameters
    ----------
    seed : int
        Of all that is drawn at random.

    Returns
    -------
    Shop
        Six tables, and the rules that were planted in them.

    Raises
    ------
    DataError
        If the seed is no whole number.

    Examples
    --------
    >>> found = shop(seed=1)
    >>> print(*found.tables)
    customers suppliers products orders order_lines reviews
    >>> print(found.planted["threshold"])
    free_shipping(O) :- total(O, T), T >= 50.
    """
    making = _Making(generator(seed, "shop"))
    customers = making.customers()
    suppliers = making.suppliers()
    products = making.products()
    orders = making.orders(customers)
    lines = making.lines(products, suppliers)
    tables = {
        "customers": customers,
        "suppliers": suppliers,
        "products": products,
        "orders": orders,
        "order_lines": lines,
        "reviews": making.reviews(),
    }
    for name, columns in _WITH_GAPS:
        for column in columns:
            making.leave_out(tables[name][column])
    return Shop(seed, tables)


_WITH_GAPS = (
    ("customers", ("city", "since")),
    ("suppliers", ("country",)),
    ("products", ("colour", "weight")),
    ("orders", ("date", "total")),
    ("order_lines", ("quantity",)),
    ("reviews", ("stars", "written")),
)
"""The columns with empty cells; a cell that a planted rule concludes is never empty."""


class _Making:
    """Draws the tables one after the other."""

    def __init__(self, chance: np.random.Generator) -> None:
        self._chance = chance

    def customers(self) -> Columns:
        names = [f"{first} {last}" for first in _FIRST for last in _LAST]
        chosen = self._chance.choice(len(names), _CUSTOMERS, replace=False)
        return {
            "customer_id": _numbers("C", _CUSTOMERS),
            "name": [names[place] for place in chosen.tolist()],
            "city": self._any(_CITIES, _CUSTOMERS),
            "business": self._yes(0.4, _CUSTOMERS),
            "since": self._dates(_CUSTOMERS, date(2015, 1, 1), 2_000),
        }

    def suppliers(self) -> Columns:
        return {
            "supplier_id": _numbers("S", _SUPPLIERS),
            "country": self._any(_COUNTRIES, _SUPPLIERS),
            # Neither kind is ever missing, whatever the seed.
            "abroad": [("yes", "no")[place] for place in (self._chance.permutation(_SUPPLIERS) % 2).tolist()],
        }

    def products(self) -> Columns:
        material = self._any(_MATERIALS, _PRODUCTS)
        return {
            "product_id": _numbers("P", _PRODUCTS),
            "material": material,
            "colour": self._any(_COLOURS, _PRODUCTS),
            "weight": [f"{grams / 100:.2f}" for grams in self._chance.integers(10, 2_000, _PRODUCTS).tolist()],
            "fragile": ["yes" if each == "glass" else "no" for each in material],
            "supplier": [f"S{number + 1}" for number in self._chance.integers(0, _SUPPLIERS, _PRODUCTS).tolist()],
        }

    def orders(self, customers: Columns) -> Columns:
        buyers = self._chance.integers(0, _CUSTOMERS, _ORDERS).tolist()
        # In steps of a half, so that there are orders close to 50 on both sides.
        totals = (self._chance.integers(10, 241, _ORDERS) / 2).tolist()
        wrong = self._exactly(WRONG, [customers["business"][buyer] == "yes" for buyer in buyers])
        others = self._any(_PAYMENTS, _ORDERS)
        by_invoice = [customers["business"][buyer] == "yes" and not wrong[n] for n, buyer in enumerate(buyers)]
        return {
            "order_id": [str(number) for number in range(10_001, 10_001 + _ORDERS)],
            "customer": [f"C{buyer + 1}" for buyer in buyers],
            "date": self._dates(_ORDERS, date(2023, 1, 1), 700),
            "total": [f"{total:.2f}" for total in totals],
            "free_shipping": ["yes" if total >= 50 else "no" for total in totals],
            "payment": ["invoice" if invoice else other for invoice, other in zip(by_invoice, others, strict=True)],
        }

    def lines(self, products: Columns, suppliers: Columns) -> Columns:
        abroad = dict(zip(suppliers["supplier_id"], suppliers["abroad"], strict=True))
        bought = self._chance.integers(0, _PRODUCTS, _LINES).tolist()
        return {
            "line_id": _numbers("L", _LINES),
            "order": [str(10_001 + number) for number in self._chance.integers(0, _ORDERS, _LINES).tolist()],
            "item": [f"P{product + 1}" for product in bought],
            "quantity": [str(number) for number in self._chance.integers(1, 6, _LINES).tolist()],
            "imported": [abroad[products["supplier"][product]] for product in bought],
        }

    def reviews(self) -> Columns:
        return {
            "review_id": _numbers("R", _REVIEWS),
            "product": [f"P{number + 1}" for number in self._chance.integers(0, _PRODUCTS, _REVIEWS).tolist()],
            "author": [f"C{number + 1}" for number in self._chance.integers(0, _CUSTOMERS, _REVIEWS).tolist()],
            "stars": [str(number) for number in self._chance.integers(1, 6, _REVIEWS).tolist()],
            "written": self._dates(_REVIEWS, date(2023, 6, 1), 600),
            "text": [f"Review number {n}: it {said}." for n, said in enumerate(self._any(_OPINIONS, _REVIEWS), 1)],
        }

    def leave_out(self, cells: list[str | None]) -> None:
        """Empty some cells."""
        for place in np.flatnonzero(self._chance.random(len(cells)) < _EMPTY).tolist():
            cells[place] = None

    def _any(self, words: tuple[str, ...], count: int) -> list[str | None]:
        return [words[place] for place in self._chance.integers(0, len(words), count).tolist()]

    def _yes(self, share: float, count: int) -> list[str | None]:
        return ["yes" if drawn else "no" for drawn in (self._chance.random(count) < share).tolist()]

    def _dates(self, count: int, first: date, days: int) -> list[str | None]:
        drawn = self._chance.integers(0, days, count).tolist()
        return [(first + timedelta(days=number)).isoformat() for number in drawn]

    def _exactly(self, share: float, where: list[bool]) -> list[bool]:
        """That share of the places where something is so, to the nearest whole number."""
        places = np.flatnonzero(where)
        chosen = self._chance.choice(places, round(share * len(places)), replace=False)
        found = np.zeros(len(where), dtype=bool)
        found[chosen] = True
        return [bool(each) for each in found]


def _numbers(letter: str, count: int) -> list[str | None]:
    return [f"{letter}{number}" for number in range(1, count + 1)]

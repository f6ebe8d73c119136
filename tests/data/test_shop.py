"""The generated shop: six tables as a shop would export them, and what was planted in them."""

import warnings
from pathlib import Path

import pytest

from possilog.data import Database, load, read, shop
from possilog.data.shop_tables import PLANTED, WRONG
from possilog.errors import DataWarning
from possilog.logic import Clause, parse_clause
from possilog.matching import Matcher

SEEDS = range(5)


@pytest.fixture(params=SEEDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    shop(request.param).save(tmp_path / "shop")
    return read(tmp_path / "shop")


def exceptions(database: Database, clause: Clause) -> int:
    return Matcher(database).count(clause.violation)


def applications(database: Database, clause: Clause) -> int:
    return Matcher(database).count(Clause(body=clause.body).violation)


def test_what_was_planted_holds(database: Database) -> None:
    for name in ("constant", "threshold", "three tables"):
        assert applications(database, PLANTED[name]) > 5
        assert exceptions(database, PLANTED[name]) == 0
    mostly = PLANTED["mostly"]
    assert exceptions(database, mostly) == round(WRONG * applications(database, mostly))


def test_what_was_planted_is_not_always_true(database: Database) -> None:
    assert len(database.denied) > 500
    for text in ("fragile(P) :- material(P, wood).", "free_shipping(O) :- total(O, T), T >= 49."):
        assert exceptions(database, parse_clause(text)) > 0


def test_keys_are_found_and_identifiers_left_out(database: Database) -> None:
    assert database.mapping is not None
    assert {table.name: table.key for table in database.mapping.tables} == {
        "customers": ("customer_id",),
        "order_lines": ("line_id",),
        "orders": ("order_id",),
        "products": ("product_id",),
        "reviews": ("review_id",),
        "suppliers": ("supplier_id",),
    }
    types = {predicate.name: some for predicate, some in database.types.items()}
    assert types["item"] == ("order_lines", "products") and types["author"] == ("reviews", "customers")
    assert types["order"] == ("order_lines", "orders") and types["supplier"] == ("products", "suppliers")
    assert {"name", "text"}.isdisjoint(types) and {"total", "stars", "quantity", "weight"} <= database.numbers


def test_a_shop_is_known_by_its_seed_and_by_its_name(tmp_path: Path) -> None:
    shop(1).save(tmp_path / "one")
    assert shop(1).tables == shop(1).tables != shop(2).tables
    assert load("shop") == read(tmp_path / "one")
    assert repr(shop(1)) == "<Shop: 6 tables, 2,000 rows, seed 1>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of rows with empty cells
        assert {predicate.arity for predicate in load("shop", as_is=True).predicates} == {3, 5, 6}


def test_only_businesses_pay_by_invoice() -> None:
    tables = shop(0).tables
    business = dict(zip(tables["customers"]["customer_id"], tables["customers"]["business"], strict=True))
    orders = zip(tables["orders"]["customer"], tables["orders"]["payment"], strict=True)
    assert {business[customer] for customer, payment in orders if payment == "invoice"} == {"yes"}

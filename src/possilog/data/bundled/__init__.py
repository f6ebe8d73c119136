"""Facts that ship with possilog, by name: a hand-made village, a generated university and the tables of a shop.

>>> load("village")
<Database: 110 facts, 10 predicates, 45 constants>
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from possilog.data.database import Database
from possilog.errors import DataError
from possilog.requiring import require_single

if TYPE_CHECKING:
    from possilog.data.reading.files import HowRead
    from possilog.data.shop_tables import Shop

__all__ = ["load", "names", "ships"]

UNIVERSITY, SHOP = "university", "shop"
SEED = 1
"""Of what is generated and goes by its name alone."""


def names() -> tuple[str, ...]:
    """What can be loaded, in order.

    >>> names()
    ('shop', 'university', 'village')
    """
    written = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted([UNIVERSITY, SHOP, *(name.removesuffix(".db") for name in written if name.endswith(".db"))]))


def ships(name: object) -> bool:
    """Are these facts that ship with possilog? Not where there is a file or folder of that name.

    >>> ships("village"), ships("facts.db")
    (True, False)
    """
    return name in names() and not Path(str(name)).exists()


def load(name: str, **how: Unpack[HowRead]) -> Database:
    """Facts that ship with possilog.

    Parameters
    ----------
    name : str
        ``village``, which is made by hand, or what is generated: ``university``, or ``shop``, which is six tables.
    **how : dict
        How tables are read, as ``read`` takes it: ``as_is``, ``mapping`` and ``missing``.

    Returns
    -------
    Database
        The facts.

    Raises
    ------
    DataError
        If there are no facts of that name.

    Examples
    --------
    >>> load("village")
    <Database: 110 facts, 10 predicates, 45 constants>
    """
    # Imported here: names alone should cost nothing.
    from possilog.data.generate import university
    from possilog.data.reading import read
    from possilog.data.shop_tables import shop

    require_single(name=name)
    if name not in names():
        raise DataError(f"no facts called {name!r} ship with possilog; there are {', '.join(names())}")
    if name == UNIVERSITY:
        return university(seed=SEED).database
    if name == SHOP:
        return _read_shop(shop(seed=SEED), how)
    with as_file(files(__name__).joinpath(f"{name}.db")) as path:
        return read(path)


def _read_shop(found: Shop, how: HowRead) -> Database:
    """The tables of a shop, read as its files would be."""
    from possilog.data.reading.frames import columns_sheet
    from possilog.data.reading.intake import Intake
    from possilog.data.reading.sheets import add_sheets, how_tables

    intake = Intake()
    sheets = [
        columns_sheet(name, list(columns), list(columns.values()), len(next(iter(columns.values()))))
        for name, columns in found.tables.items()
    ]
    add_sheets(sheets, how_tables(how.get("as_is", False), how.get("mapping"), how.get("missing")), intake)
    return intake.finish()

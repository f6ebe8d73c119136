"""Facts that ship with possilog, by name: a hand-made village, and the generated university.

>>> load("village")
<Database: 110 facts, 10 predicates, 45 constants>
"""

from __future__ import annotations

from importlib.resources import as_file, files

from possilog.data.database import Database
from possilog.errors import DataError

__all__ = ["load", "names"]

GENERATED = "university"
SEED = 1
"""Of the university that goes by its name alone."""


def names() -> tuple[str, ...]:
    """What can be loaded, in order.

    >>> names()
    ('university', 'village')
    """
    written = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted([GENERATED, *(name.removesuffix(".db") for name in written if name.endswith(".db"))]))


def load(name: str) -> Database:
    """Facts that ship with possilog.

    Parameters
    ----------
    name : str
        ``village``, which is made by hand, or ``university``, which is generated.

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

    if name not in names():
        raise DataError(f"no facts called {name!r} ship with possilog; there are {' and '.join(names())}")
    if name == GENERATED:
        return university(seed=SEED).database
    with as_file(files(__name__).joinpath(f"{name}.db")) as path:
        return read(path)

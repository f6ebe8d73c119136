"""Databases on servers: their addresses, which are without secrets wherever they go, and what servers refuse.

A PostgreSQL database is named as its own programs name it, ``postgresql://user@host/database``; a further part of the
path, ``postgresql://user@host/database/schema``, is a schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from possilog.errors import MissingPart, RemoteError, shortened

__all__ = ["Server", "conceal", "is_server", "open_server", "shown"]

_SCHEMES = ("postgresql", "postgres")
_SECRET = ("password", "sslpassword")
_CONNECT = 10
_LOCKED = 10
"""Seconds until a server that does not answer is not there, and until a table that others hold is given up."""

_ADDRESS = re.compile(rf"(?:{'|'.join(_SCHEMES)})://\S+")
_whole: dict[str, str] = {}
"""Addresses with their secrets, by how they are shown. They are kept nowhere else, and not beyond this process."""

_REMEDIES = {
    "42501": "ask for the right to read or write it",
    "55P03": f"somebody has locked a table for {_LOCKED} seconds and more; try again later",
    "57P01": "the server ended the connection; try again",
    "53100": "the disk of the server is full",
}
_ELSE = "check the address, the name and the password, and that the server is there"


def is_server(name: object) -> bool:
    """Is it the address of a database on a server?

    >>> is_server("postgresql://ann@localhost/shop"), is_server("shop.duckdb")
    (True, False)
    """
    return isinstance(name, str) and name.partition("://")[0] in _SCHEMES and "://" in name


def shown(name: str) -> str:
    """An address as people may see it: without a password.

    >>> shown("postgresql://ann:secret@/shop?password=secret&host=socket")
    'postgresql://ann@/shop?host=socket'
    >>> shown("data/shop.csv")
    'data/shop.csv'
    """
    if not is_server(name):
        return name
    parts = urlsplit(name)
    user, at, place = parts.netloc.rpartition("@")
    asked = urlencode([(word, value) for word, value in parse_qsl(parts.query) if word not in _SECRET], safe="/")
    return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{place}", parts.path, asked, ""))


def conceal(text: str) -> str:
    """A text in which no address has a password: these are remembered, and ``open_server`` knows them.

    What people give is concealed as it comes in, so that no message, file or log can hold a secret.

    >>> conceal("--write-to=postgresql://ann:secret@localhost/shop")
    '--write-to=postgresql://ann@localhost/shop'
    """

    def concealed(found: re.Match[str]) -> str:
        address = shown(found[0])
        if address != found[0]:
            _whole[address] = found[0]
        return address

    return _ADDRESS.sub(concealed, text)


@dataclass(frozen=True, slots=True, repr=False)
class Server:
    """A database on a server, and a schema of it, or none in particular."""

    address: str
    schema: str | None

    @classmethod
    def of(cls, name: str) -> Server:
        """Take an address apart.

        >>> Server.of("postgresql://ann@localhost/shop/sales").schema
        'sales'
        """
        parts = urlsplit(name)
        database, _, schema = parts.path.lstrip("/").partition("/")
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        asked.setdefault("connect_timeout", str(_CONNECT))
        address = urlunsplit((parts.scheme, parts.netloc, f"/{database}", urlencode(asked), ""))
        return cls(address, unquote(schema.strip("/")) or None)

    def __repr__(self) -> str:
        return f"<Server: {shown(self.address)}>"

    @property
    def secrets(self) -> list[str]:
        """What nobody should read in a message."""
        parts = urlsplit(self.address)
        asked = dict(parse_qsl(parts.query))
        found = [parts.password, *(asked.get(name) for name in _SECRET)]
        return [word for secret in found if secret for word in {secret, unquote(secret)}]


@contextmanager
def open_server(name: str, *, write: bool = False) -> Iterator[Any]:
    """A transaction: what is read is one state, and what is written is written whole or not at all."""
    try:
        import pyarrow  # noqa: F401  # without which the driver gives nothing
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingPart("PostgreSQL needs a driver; install it with: pip install 'possilog[postgres]'") from None
    server = Server.of(_whole.get(name, name))
    mode = "READ WRITE" if write else "READ ONLY"
    with (
        _told(server, shown(name)),
        closing(dbapi.connect(server.address, autocommit=True)) as connection,
        closing(connection.cursor()) as cursor,
    ):
        cursor.execute(f"SET lock_timeout = '{_LOCKED}s'")
        cursor.execute("SET TimeZone = 'UTC'")  # the same text everywhere
        cursor.execute(f"BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ {mode}")
        yield cursor
        cursor.execute("COMMIT")


@contextmanager
def _told(server: Server, name: str) -> Iterator[None]:
    """What the server refuses, as an error of ours, with no secret in it."""
    from adbc_driver_manager import Error

    try:
        yield
    except Error as error:
        reason = str(error).strip().split("\n")[0].rpartition("FATAL:")[2].rpartition("ERROR:")[2].strip()
        for secret in server.secrets:
            reason = reason.replace(secret, "***")
        remedy = _REMEDIES.get(error.sqlstate or "", _ELSE)
        raise RemoteError(f"{name}: {shortened(reason, 300)}; {remedy}") from None

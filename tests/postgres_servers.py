"""A PostgreSQL server of real processes, in a folder of its own and on a socket in it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from possilog.data.sql import sql_literal

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
WHY_NOT = "there is no PostgreSQL server to start; install Debian's package postgresql"
OWNER = "postgres"
"""Servers refuse to run as root."""


@dataclass(frozen=True)
class Running:
    """A server that runs."""

    folder: Path

    def address(self, database: str = "postgres", user: str = OWNER, password: str = "") -> str:
        """That of a database."""
        who = f"{user}:{password}" if password else user
        return f"postgresql://{who}@/{database}?host={self.folder}"

    def run(self, *commands: str, database: str = "postgres") -> None:
        """Run some SQL."""
        with self.connected(database) as cursor:
            for command in commands:
                cursor.execute(command)

    @contextmanager
    def connected(self, database: str = "postgres") -> Iterator[Any]:
        """A connection that commits every command."""
        from adbc_driver_postgresql import dbapi

        with closing(dbapi.connect(self.address(database), autocommit=True)) as one, closing(one.cursor()) as cursor:
            yield cursor

    def rows(self, question: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """What a question gives."""
        with self.connected(database) as cursor:
            cursor.execute(question)
            found: list[tuple[Any, ...]] = cursor.fetchall()
            return found

    def load(self, database: str, tables: Mapping[str, tuple[str, Sequence[Sequence[Any]]]]) -> None:
        """Make a database of tables: each with the columns of its CREATE TABLE, and its rows; None is NULL."""
        self.run(f'CREATE DATABASE "{database}"')
        with self.connected(database) as cursor:
            for name, (columns, rows) in tables.items():
                cursor.execute(f'CREATE TABLE "{name}" ({columns})')
                for row in rows:
                    values = ", ".join("NULL" if cell is None else sql_literal(str(cell)) for cell in row)
                    cursor.execute(f'INSERT INTO "{name}" VALUES ({values})')


@contextmanager
def running() -> Iterator[Running]:
    """A server, which ends with all that it holds."""
    # The path of a socket is short, and the folders of tests are not.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        if os.getuid() == 0:
            owner = pwd.getpwnam(OWNER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        folder.chmod(0o755)
        data = str(folder / "data")
        _run("initdb", "-D", data, "-U", OWNER, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        rules = "local all guarded scram-sha-256\nlocal all all trust\n"
        hba = folder / "data" / "pg_hba.conf"
        hba.write_text(rules)
        settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        _run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield Running(folder)
        finally:
            _run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(program: str, *words: str) -> None:
    as_owner = ["runuser", "-u", OWNER, "--"] if os.getuid() == 0 else []
    subprocess.run([*as_owner, str(PROGRAMS[-1] / program), *words], check=True, stdout=subprocess.DEVNULL, cwd="/")

"""The command line."""

from possilog.cli.main import main

__all__ = ["main"]

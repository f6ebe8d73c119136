"""The command line."""

from possilog.cli.contents import main

__all__ = ["main"]

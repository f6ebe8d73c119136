"""The command line."""

from __future__ import annotations

import gc
import sys

from possilog.cli.beginning import begun

__all__ = ["main"]

NEW_OBJECTS = 10_000
"""Python looks for garbage that refers to itself when there are so many: nearly none of what we make does."""


def main() -> None:
    """Run the command that was given; Ctrl-C is no traceback either while the commands are being loaded."""
    gc.set_threshold(NEW_OBJECTS)
    with begun():
        try:
            from possilog.cli.contents import main as run
        except KeyboardInterrupt:
            sys.exit(130)
        run()

"""The command line."""

from __future__ import annotations

import sys

from possilog.cli.beginning import begun

__all__ = ["main"]


def main() -> None:
    """Run the command that was given; Ctrl-C is no traceback either while the commands are being loaded."""
    with begun():
        try:
            from possilog.cli.contents import main as run
        except KeyboardInterrupt:
            sys.exit(130)
        run()

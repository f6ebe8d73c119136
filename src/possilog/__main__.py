"""``python -m possilog`` is ``possilog``."""

from possilog.cli import main

main()

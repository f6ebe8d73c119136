"""``possilog export``, which is ``possilog convert`` by its first name."""

from __future__ import annotations

from possilog.cli.convert import app

__all__ = ["app"]

"""From facts to theories: the rooms run in order."""

from possilog.learning.weigh import Weighing, weigh

__all__ = ["Weighing", "weigh"]

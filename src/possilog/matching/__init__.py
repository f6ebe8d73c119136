"""Conjunctive queries with negation, under object identity."""

from possilog.matching.matcher import Matcher

__all__ = ["Matcher"]

"""A theory for people, as typed values: what ``show`` prints, and what the report and the explorer draw."""

from possilog.report.portrait.cards import RuleCard, RuleKind
from possilog.report.portrait.numbers import Numbers
from possilog.report.portrait.portrait import Portrait, portray
from possilog.report.portrait.schema_card import SchemaCard

__all__ = ["Numbers", "Portrait", "RuleCard", "RuleKind", "SchemaCard", "portray"]

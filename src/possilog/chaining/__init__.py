"""Forward chaining with facts that grow: closures, stages taken and let go, trials, ground rules met lazily."""

from possilog.chaining.bodies import Bodies, GroundClause, Grounder
from possilog.chaining.chaining import Chaining, GroundRule
from possilog.chaining.program import DOMAIN, Program

__all__ = ["DOMAIN", "Bodies", "Chaining", "GroundClause", "GroundRule", "Grounder", "Program"]

"""Forward chaining with facts that grow: closures, stages taken and let go, refutation on trial."""

from possilog.chaining.chaining import Chaining, GroundRule
from possilog.chaining.program import DOMAIN, Program

__all__ = ["DOMAIN", "Chaining", "GroundRule", "Program"]

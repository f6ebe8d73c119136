"""What rules entail: relational entailment over a clause's own variables, and saturation with hard rules."""

from possilog.entailment.relational import Entailment, World, entails, groundings, irredundant
from possilog.entailment.saturation import Saturation

__all__ = ["Entailment", "Saturation", "World", "entails", "groundings", "irredundant"]

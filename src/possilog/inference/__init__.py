"""What a theory says about evidence, and why (section Possibilistic Logic; docs/inference.md has the definitions)."""

from possilog.inference.evidence import Evidence
from possilog.inference.prediction import Conclusion, Conflict, Prediction
from possilog.inference.reasoner import Reasoner, predict

__all__ = ["Conclusion", "Conflict", "Evidence", "Prediction", "Reasoner", "predict"]

"""How well models predict, measured the same way for all: the paper's experiments (section Experiments) and ours."""

from possilog.evaluation.models import (
    CalibratedModel,
    DensityTreeModel,
    EvidenceOnly,
    MarkovModel,
    Model,
    SymmetricClosure,
    TheoryModel,
    hard_rules_only,
)
from possilog.evaluation.protocol import EvidenceSet, Protocol
from possilog.evaluation.running import run
from possilog.evaluation.scores import Band, Score, Summary, sign_flip, summarise

__all__ = [
    "Band",
    "CalibratedModel",
    "DensityTreeModel",
    "EvidenceOnly",
    "EvidenceSet",
    "MarkovModel",
    "Model",
    "Protocol",
    "Score",
    "Summary",
    "SymmetricClosure",
    "TheoryModel",
    "hard_rules_only",
    "run",
    "sign_flip",
    "summarise",
]

"""How well models predict, measured the same way for all: the paper's experiments (section Experiments) and ours."""

from possilog.evaluation.links import LinkRanks, rank_links
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
from possilog.evaluation.ranking import PredicateRanks, rank_predicates
from possilog.evaluation.running import run
from possilog.evaluation.scores import Band, Score, Summary, sign_flip, summarise

__all__ = [
    "Band",
    "CalibratedModel",
    "DensityTreeModel",
    "EvidenceOnly",
    "EvidenceSet",
    "LinkRanks",
    "MarkovModel",
    "Model",
    "PredicateRanks",
    "Protocol",
    "Score",
    "Summary",
    "SymmetricClosure",
    "TheoryModel",
    "hard_rules_only",
    "rank_links",
    "rank_predicates",
    "run",
    "sign_flip",
    "summarise",
]

"""What a theory says about evidence, and why (section Possibilistic Logic; docs/inference.md has the definitions)."""

from possilog.inference.answers import Why, WhyNot, tell
from possilog.inference.asking import Answers, ask
from possilog.inference.checking import Check, RuleCheck, check
from possilog.inference.conclusions import Conclusion, Conclusions
from possilog.inference.conflicts import Conflict, Core
from possilog.inference.explain import Explainer
from possilog.inference.files import read_words
from possilog.inference.kinds import Fragments, Global, How, Local
from possilog.inference.many import predict_many
from possilog.inference.prediction import Prediction
from possilog.inference.proofs import Proof
from possilog.inference.reasoner import Reasoner, predict
from possilog.inference.what_if import Difference
from possilog.inference.words import Words, parse_words

__all__ = [
    "Answers",
    "Check",
    "Conclusion",
    "Conclusions",
    "Conflict",
    "Core",
    "Difference",
    "Explainer",
    "Fragments",
    "Global",
    "How",
    "Local",
    "Prediction",
    "Proof",
    "Reasoner",
    "RuleCheck",
    "Why",
    "WhyNot",
    "Words",
    "ask",
    "check",
    "parse_words",
    "predict",
    "predict_many",
    "read_words",
    "tell",
]

"""Results of experiments that nobody ran."""

from possilog.evaluation.results import ErrorCurves, FactCounts, LearningCost, Results

__all__ = ["NO_RESULTS"]

NO_RESULTS = Results(
    data="mine",
    sources=("mine.db",),
    train=FactCounts(0, 0, 0),
    test=FactCounts(0, 0, 0),
    seed=0,
    repeats=1,
    sizes=(),
    versions={},
    learning=LearningCost(),
    theory="",
    models={},
    paired={},
    curves=ErrorCurves(),
    left_out={},
    areas={},
    readings={},
    example=(),
    beside=None,
)

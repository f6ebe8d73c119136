"""From facts to theories: the rooms run in order."""

from possilog.learning.calibration import calibrated
from possilog.learning.estimator import TheoryLearner
from possilog.learning.from_facts import learn
from possilog.learning.learner import Learner
from possilog.learning.result import Learned
from possilog.learning.settings import Settings, settings_for
from possilog.learning.weighing import Weighing, weigh

__all__ = [
    "Learned",
    "Learner",
    "Settings",
    "TheoryLearner",
    "Weighing",
    "calibrated",
    "learn",
    "settings_for",
    "weigh",
]

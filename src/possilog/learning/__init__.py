"""From facts to theories: the rooms run in order."""

from possilog.learning.estimator import TheoryLearner
from possilog.learning.learn import learn
from possilog.learning.learner import Learner
from possilog.learning.result import Learned
from possilog.learning.settings import Settings, settings_for
from possilog.learning.weigh import Weighing, weigh

__all__ = ["Learned", "Learner", "Settings", "TheoryLearner", "Weighing", "learn", "settings_for", "weigh"]

"""The learner in the shape that scikit-learn's tools expect."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from itertools import product
from typing import Any, Self

from possilog.data import Database
from possilog.errors import DataError, QueryError
from possilog.inference import How, Prediction, Reasoner
from possilog.inference.taken import Given
from possilog.learning.from_facts import Data, gathered, learn
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.learning.result import Learned
from possilog.logic import Theory
from possilog.workers import Jobs

__all__ = ["TheoryLearner"]

_EVIDENCE_SETS = 3
"""How many evidence sets of each share a score is the mean of."""


class TheoryLearner:
    """Learns a theory from facts with ``fit`` and predicts facts from evidence with ``predict``.

    The parameters are those of ``learn``, and how to infer. After ``fit``, ``learned_`` holds all that was learned and
    ``theory_`` the theory.

    >>> from possilog.data import Database
    >>> from possilog.logic import parse_atom
    >>> facts = [f"bird(b{n})" for n in range(40)] + [f"flies(b{n})" for n in range(40) if n % 8]
    >>> facts += [f"fish(f{n})" for n in range(20)] + [f"animal(f{n})" for n in range(20)]
    >>> facts += [f"animal(b{n})" for n in range(40)]
    >>> model = TheoryLearner(width=1).fit(Database.of(map(parse_atom, facts)))
    >>> [str(conclusion.atom) for conclusion in model.predict([parse_atom("bird(tweety)")]).added]
    ['flies(tweety)']

    ``score`` is what scikit-learn's tools compare: ``cross_val_score`` and ``GridSearchCV`` take several databases, or
    a list of facts, and hold some of them out.
    """

    def __init__(
        self,
        objective: str = "prediction",
        *,
        preset: str | None = None,
        width: int | str | None = None,
        body: int | None = None,
        max_rules: int | str | None = None,
        start: Theory | None = None,
        jobs: Jobs = 1,
        seed: int = 0,
        time_limit: float | None = None,
        how: How | str = "local",
    ) -> None:
        """Take the parameters as they are; they are looked at by ``fit``."""
        self.objective = objective
        self.preset = preset
        self.width = width
        self.body = body
        self.max_rules = max_rules
        self.start = start
        self.jobs = jobs
        self.seed = seed
        self.time_limit = time_limit
        self.how = how

    def fit(self, data: Data, y: None = None, *, groups: Mapping[str, str] | None = None) -> Self:
        """Learn from facts; ``y`` is for scikit-learn, and not used."""
        given = self.get_params()
        del given["how"]
        self.learned_: Learned = learn(data, groups=groups, **given)
        self.theory_: Theory = self.learned_.theory
        self._reasoner = Reasoner(self.theory_)
        return self

    def predict(self, evidence: Given) -> Prediction:
        """What the theory says about evidence."""
        if not hasattr(self, "_reasoner"):
            raise QueryError("nothing has been learned yet; call fit first")
        return self._reasoner.predict(evidence, self.how)

    def score(self, data: Data, y: None = None) -> float:
        """How well hidden facts are predicted: 1 if all are and nothing else is, 0 for no better than nothing at all.

        Of the facts, shares from 3 % to 80 % are drawn and given as evidence, three times each. The score of one
        prediction is the number of right conclusions less that of wrong ones, divided by the number of facts that are
        hidden; the result is the mean. ``y`` is for scikit-learn, and not used.
        """
        facts = Database.union(*gathered(data).values())
        truth = frozenset(facts)
        if len(truth) < 2:
            raise DataError("there are too few facts to hide some and predict them; give two or more")
        scores = []
        for share, number in product(SIMULATED, range(_EVIDENCE_SETS)):
            size = min(number_of(facts, share), len(facts) - 1)  # one has to be hidden
            known = draw_known(facts, size, self.seed, "score", str(share), str(number))
            right = [conclusion.atom in truth for conclusion in self.predict(known).added]
            scores.append((2 * sum(right) - len(right)) / (len(truth) - len(known)))
        return sum(scores) / len(scores)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise QueryError(f"there is no parameter {name!r}; there are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn asks, so it is there.
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def __repr__(self) -> str:
        defaults = {name: parameter.default for name, parameter in signature(type(self)).parameters.items()}
        changed = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

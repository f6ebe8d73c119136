"""The learner in the shape that scikit-learn's tools expect."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, Self

from possilog.errors import QueryError
from possilog.inference import How, Prediction, Reasoner
from possilog.inference.taken import Given
from possilog.learning.learn import Data, learn
from possilog.learning.result import Learned
from possilog.logic import Theory

__all__ = ["TheoryLearner"]


class TheoryLearner:
    """Learns a theory from facts with ``fit`` and predicts facts from evidence with ``predict``.

    The parameters are those of ``learn``, and how to infer. After ``fit``, ``learned_`` holds all that was learned and
    ``theory_`` the theory.

    >>> from possilog.data import Database
    >>> from possilog.logic import parse_atom
    >>> facts = [f"{name}(x{number})" for number in range(20) for name in ("bird", "flies")] + ["fish(pike)"]
    >>> model = TheoryLearner(width=1).fit(Database.of(map(parse_atom, facts)))
    >>> [str(conclusion.atom) for conclusion in model.predict([parse_atom("bird(tweety)")]).added]
    ['flies(tweety)']
    """

    def __init__(
        self,
        objective: str = "prediction",
        *,
        preset: str | None = None,
        width: int | None = None,
        body: int | None = None,
        max_rules: int | str | None = None,
        start: Theory | None = None,
        jobs: int = 1,
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

    def __repr__(self) -> str:
        defaults = {name: parameter.default for name, parameter in signature(type(self)).parameters.items()}
        changed = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

"""The door to matching: questions about conjunctive queries over a database, under object identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType

import numpy as np
import numpy.typing as npt

from possilog.data.taking import Facts, facts_of
from possilog.errors import QueryError, shortened
from possilog.logic import Constant, Literal, Query, Term, Variable, parse_query
from possilog.logic.parts import connected_parts
from possilog.matching import kernel as default_kernel
from possilog.matching.joins import Joins
from possilog.matching.kernel import Search
from possilog.matching.plan import Coded, Plan, Planner
from possilog.requiring import require_a, require_list, require_whole

__all__ = ["Matcher"]

Bindings = Mapping[Variable, str]
"""Constants that variables are to stand for."""

Asked = Query | str
"""A query, also as text."""

BUDGET = 2_000_000
"""Steps of the kernel between two chances to interrupt it: some hundredths of a second when compiled."""

_PLANS_KEPT = 1024
_MANY_HEADS, _JOINED = 20_000, 8
"""As many heads are covered by one join, if it has at most this many times as many rows."""

_FIRST_CHUNK, _LARGEST_CHUNK = 16, 8192


class Matcher:
    """Answers queries over one database.

    A query is a conjunction of atoms and negated atoms. A match gives every variable a constant of the database,
    distinct variables distinct ones, so that all its literals hold. A variable that occurs in negated atoms only may
    stand for any constant. Each question stops as early as its answer allows. A matcher keeps searches to use them
    again, so threads need one each.

    >>> matcher = Matcher(["fr(anna, bob)", "fr(bob, anna)", "fr(bob, eve)", "sm(anna)"])
    >>> matcher.count("fr(X, Y), fr(Y, Z)")
    1
    >>> list(matcher.matches("fr(X, Y), not sm(Y)"))
    [{'X': 'anna', 'Y': 'bob'}, {'X': 'bob', 'Y': 'eve'}]
    """

    def __init__(self, database: Facts, *, kernel: ModuleType = default_kernel) -> None:
        """Take facts in any form; ``kernel`` is for tests, which also run the kernel that is not compiled."""
        self.database = facts_of(database)
        self._planner = Planner(self.database, kernel)
        self._joins = Joins(self.database)
        self._plans: dict[tuple[Query, tuple[Variable, ...]], Plan] = {}

    def __repr__(self) -> str:
        return f"<Matcher of {self.database!r}>"

    # Questions in names

    def exists(self, query: Asked, bindings: Bindings | None = None) -> bool:
        """Does the query match?"""
        plan, values = self._plan(_read(query), _bound(bindings)), self._values(bindings)
        if plan.search is None or values is None:
            return plan.possible and values is not None
        plan.search.begin(values, len(plan.order) - 1)
        return _run(plan.search)

    def count(self, query: Asked, bindings: Bindings | None = None) -> int:
        """How many matches has the query?"""
        return self.count_within(query, None, bindings)[0]

    def count_within(self, query: Asked, steps: int | None, bindings: Bindings | None = None) -> tuple[int, bool]:
        """How many matches are found within some steps of the search, or None for any number; and are these all?"""
        left = None if steps is None else require_whole("steps", steps)
        plan, values = self._plan(_read(query), _bound(bindings)), self._values(bindings)
        if plan.search is None or values is None:
            return int(plan.possible and values is not None), True
        plan.search.begin(values, len(plan.order) - 1)
        while not plan.search.exhausted and (left is None or left > 0):
            plan.search.count(BUDGET)
            left = None if left is None else left - BUDGET
        return plan.search.counted, plan.search.exhausted

    def matches(
        self, query: Asked, bindings: Bindings | None = None, limit: int | None = None
    ) -> Iterator[dict[str, str]]:
        """The matches, found as they are asked for: constants by variable, in the query's order of variables."""
        query = _read(query)
        return self._in_names(query, query.variables, bindings, limit)

    def projections(
        self, query: Asked, variables: Sequence[Variable], bindings: Bindings | None = None, limit: int | None = None
    ) -> Iterator[dict[str, str]]:
        """What some of the variables stand for in the matches, each combination once.

        >>> list(Matcher(["fr(bob, anna)", "fr(bob, eve)"]).projections("fr(X, Y)", [Variable("X")]))
        [{'X': 'bob'}]
        """
        query = _read(query)
        _check(query, variables)
        return self._in_names(query, tuple(variables), bindings, limit)

    def covered(self, query: Asked, head: Sequence[Variable], heads: Iterable[Sequence[str]]) -> list[bool]:
        """For each combination of constants for the head's variables: does the query match with it?"""
        query = _read(query)
        _check(query, head)
        require_a("heads", heads, Iterable, "write [['ann', 'bob']]")
        given = list(heads)
        for row in given:
            require_list("the constants of a head", row, str, "write [['ann', 'bob']]")
        if any(len(row) != len(head) for row in given):
            raise QueryError(f"each of the heads has a constant for each of {len(head)} variables")
        listed = [[self.database.number(constant) for constant in constants] for constants in given]
        rows = np.array([[-1 if n is None else n for n in row] for row in listed], dtype=np.int32)
        known = np.array([None not in row for row in listed], dtype=bool)
        answers = np.zeros(len(listed), dtype=bool)
        answers[known] = self.covered_rows(query, head, rows.reshape(len(listed), len(head))[known])
        return [bool(answer) for answer in answers]

    def images(self, query: Asked) -> Iterator[frozenset[str]]:
        """The sets of constants that the variables stand for in the matches, each set once."""
        names = self.database.constants
        for row in self.image_rows(_read(query)).tolist():
            yield frozenset(names[number] for number in row)

    def count_images(self, query: Asked) -> int:
        """How many sets of constants are images of the query's variables."""
        return len(self.image_rows(_read(query)))

    # The same in numbers, for those who ask often

    def covered_rows(
        self, query: Query, head: Sequence[Variable], heads: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.bool_]:
        """Which rows of numbers, one column for each variable of the head, are covered."""
        _check(query, head)
        plan = self._plan(query, tuple(head))
        if np.shape(heads)[1:] != (len(head),):
            raise QueryError(
                f"the heads need a column for each of {len(head)} variables, and have {np.shape(heads)[1:]}"
            )
        if np.size(heads) and not (np.min(heads) >= 0 and np.max(heads) < len(self.database.constants)):
            raise QueryError("the heads have numbers that no constant has; take numbers from the same database")
        if plan.search is None:
            return np.full(len(heads), plan.possible)
        found = self._covered_by_join(query, head, heads) if len(heads) >= _MANY_HEADS else None
        return cover(plan.search, heads) if found is None else found

    def _covered_by_join(
        self, query: Query, head: Sequence[Variable], heads: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.bool_] | None:
        """The same from the bottom up, where that is not much more than the heads: one search for each takes longer."""
        number = {variable: number for number, variable in enumerate(query.variables)}
        coded = [self._code(literal, number) for literal in query.literals if literal.positive]
        if not head or len(coded) < len(query.literals) or not set(head) <= set(query.variables):
            return None
        body = [(code[0], code[1]) for code in coded if code is not None]
        return self._joins.covered(body, [number[variable] for variable in head], heads, _JOINED * len(heads))

    def projection_rows(
        self, query: Query, variables: Sequence[Variable], bindings: Bindings | None = None, limit: int | None = None
    ) -> Iterator[npt.NDArray[np.int32]]:
        """What some of the variables stand for, each combination once: arrays with a column for each variable.

        An array may be empty: then the search goes on, and whoever has a deadline may ask it.
        """
        # A search has a state, and one that is read lazily must not share it: this plan is not kept.
        _check(query, variables)
        bound = _bound(bindings)
        first = () if _skips(query, bound, variables) else tuple(variables)
        plan, values = self._make_plan(query, bound, first), self._values(bindings)
        if plan.search is None or values is None:
            if plan.possible and values is not None and limit != 0:
                yield np.zeros((1, 0), dtype=np.int32)
            return
        columns = [plan.order.index(query.variables.index(variable)) for variable in variables]
        plan.search.begin(values, max([len(values) - 1, *columns]))
        for rows in _collected(plan.search, len(plan.order), limit):
            yield rows[:, columns]

    def image_rows(self, query: Query, met: Callable[[int], None] = lambda _: None) -> npt.NDArray[np.int32]:
        """The images of the query's variables: an array of sorted rows, each once.

        ``met`` is told now and then how many matches there were so far, and may raise what ends it.
        """
        _check(query)
        chunks = [np.empty((0, len(query.variables)), dtype=np.int32)]
        matches = waiting = 0
        for rows in self.projection_rows(query, query.variables):
            matches += len(rows)
            met(matches)
            chunks.append(np.sort(rows, axis=1))
            waiting += len(rows)
            # Now and then, so that memory holds images, not matches; seldom enough that the time stays linear.
            if waiting > len(chunks[0]) + _LARGEST_CHUNK:
                chunks, waiting = [_unique(chunks)], 0
        return _unique(chunks)

    # Inside

    def _in_names(
        self, query: Query, variables: tuple[Variable, ...], bindings: Bindings | None, limit: int | None
    ) -> Iterator[dict[str, str]]:
        names = self.database.constants
        keys = [variable.name for variable in variables]
        for rows in self.projection_rows(query, variables, bindings, limit):
            for row in rows.tolist():
                yield {key: names[number] for key, number in zip(keys, row, strict=True)}

    def _values(self, bindings: Bindings | None) -> list[int] | None:
        """The numbers of the given constants; None where one of them does not exist, so that nothing matches."""
        numbers = [self.database.number(constant) for constant in (bindings or {}).values()]
        known = [number for number in numbers if number is not None]
        return known if len(known) == len(numbers) else None

    def _plan(self, query: Query, bound: tuple[Variable, ...]) -> Plan:
        """The plan of a query, made once."""
        _check(query)
        plan = self._plans.get((query, bound))
        if plan is None:
            if len(self._plans) >= _PLANS_KEPT:
                del self._plans[next(iter(self._plans))]
            plan = self._plans[query, bound] = self._make_plan(query, bound, ())
        return plan

    def _make_plan(self, query: Query, bound: tuple[Variable, ...], first: tuple[Variable, ...]) -> Plan:
        for given in (bound, first):
            if len(set(given)) < len(given):
                raise QueryError(f"a variable is given twice among {', '.join(map(str, given))}; give each once")
        unknown = [variable.name for variable in bound + first if variable not in query.variables]
        if unknown:
            raise QueryError(f"the variable {unknown[0]} does not occur in the query {query}; name one that does")
        if not self._each_part_matches(query):
            return Plan((), False, None)
        number = {variable: number for number, variable in enumerate(query.variables)}
        coded = [(literal.positive, self._code(literal, number)) for literal in query.literals]
        if (True, None) in coded:
            return Plan((), False, None)
        known = list(dict.fromkeys(code for _, code in coded if code is not None))
        return self._planner.plan(known, len(number), [number[v] for v in bound], [number[v] for v in first])

    def _code(self, literal: Literal, number: Mapping[Variable, int]) -> Coded | None:
        """The literal in numbers; None where a constant of it does not exist.

        A negated literal about such a constant holds by itself, a positive one never does.
        """
        arguments = []
        for term in self.database.declared.atom(literal.atom).arguments:
            place = self.database.number(term.name) if isinstance(term, Constant) else number[term]  # type: ignore[index]
            if place is None:
                return None
            arguments.append(-1 - place if isinstance(term, Constant) else place)
        return literal.atom.predicate, tuple(arguments), literal.positive

    def _each_part_matches(self, query: Query) -> bool:
        """Does each part that shares no variable with the others match by itself?

        If one does not, this is found out once, and not once for every match of the other parts.
        """
        parts = connected_parts(query.literals, _variables)
        return len(parts) <= 1 or all(self.exists(Query(tuple(part))) for part in parts)


def _read(query: Asked) -> Query:
    """The query, from text if need be."""
    asked = parse_query(query) if isinstance(query, str) else query
    _check(asked)
    return asked


def _check(query: Query, variables: Sequence[Variable] = ()) -> None:
    """Refuse what is no query, and what are no variables."""
    require_a("query", query, Query, 'write "bird(X), not bat(X)"')
    require_list("variables", variables, Variable, 'write [Variable("X")]')


def _skips(query: Query, bound: Sequence[Variable], variables: Sequence[Variable]) -> bool:
    """Would all variables, in this order, try pairs of constants that only a later variable connects?

    As in r(X, Z), r(Y, Z) by X, Y and Z. If some variables are not asked for, those that are have to come first.
    """
    if len(variables) + len(bound) < len(query.variables):
        return False
    known = set(bound)
    joined = [_variables(literal) for literal in query.literals if literal.positive]
    for part in connected_parts(joined, set):
        mine = set().union(*part)
        seen = known & mine
        for variable in variables:
            if variable in mine and variable not in seen:
                if seen and not any(variable in some and some & seen for some in part):
                    return True
                seen.add(variable)
    return False


def _variables(literal: Literal) -> set[Term]:
    return {term for term in literal.atom.arguments if isinstance(term, Variable)}


def _bound(bindings: Bindings | None) -> tuple[Variable, ...]:
    """The variables that are bound."""
    if bindings is None:
        return ()
    if not isinstance(bindings, Mapping) or not all(isinstance(variable, Variable) for variable in bindings):
        raise QueryError(f"constants by variable are bound, and not {shortened(repr(bindings))}; write {_BOUND}")
    return tuple(bindings)


_BOUND = '{Variable("X"): "ann"}'


def cover(search: Search, heads: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """For each row of values of the bound variables: is there a match?"""
    heads = np.require(heads, np.int32, ["C_CONTIGUOUS", "WRITEABLE"])
    covered = np.zeros(len(heads), dtype=np.uint8)
    done, resumed = 0, False
    while done < len(heads):
        done, resumed = search.cover(heads, covered, done, BUDGET, resumed), True
    return covered.view(bool)


def _run(search: Search) -> bool:
    while not search.run(BUDGET):
        if search.exhausted:
            return False
    return True


def _collected(search: Search, depth: int, limit: int | None) -> Iterator[npt.NDArray[np.int32]]:
    """The matches in chunks that grow, so that the first ones come at once."""
    size, left = _FIRST_CHUNK, None if limit is None else require_whole("limit", limit)
    while not search.exhausted and left != 0:
        chunk = np.empty((size if left is None else min(size, left), depth), dtype=np.int32)
        number = search.collect(chunk, BUDGET)
        left = None if left is None else left - number
        size = min(2 * size, _LARGEST_CHUNK)
        yield chunk[:number]


def _unique(chunks: Sequence[npt.NDArray[np.int32]]) -> npt.NDArray[np.int32]:
    return np.unique(np.concatenate(chunks), axis=0)

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loop: backtracking search over sorted columns, one variable at a time.

This file is Python, and Cython compiles the same file where ``pip install`` finds a C compiler (pure Python mode). The
types in the annotations are C's then; interpreted, they mean nothing. ``kernel.pyi`` says what callers see.

The search binds the variables of a query in a fixed order. Every literal is a table whose columns are sorted in that
order, so what is left of a table under the bindings so far is a range of its rows, and binding one more variable
narrows the ranges of the literals that contain it. A variable takes its values from the smallest of these ranges (all
constants, where only negated literals contain it). This is the generic join of Ngo, Ré and Rudra (2013): it never does
more work than the largest possible answer. When a variable has no value left, the search goes back to the last variable
that had a part in that (conflict-directed backjumping, Prosser 1993), not just to the one before.

A slot is a column of a literal's table and the range of rows left before that column is narrowed; each literal has one
slot more than columns, for what is left in the end.
"""

import cython
import numpy


@cython.cclass
class Search:
    """A search for the matches of one query, made by ``plan``.

    ``run`` goes to the next match, ``count`` to the end; both stop when their budget of steps is used up and go on from
    there when called again, so that a long search can be interrupted. ``exhausted`` says that there is no more to find.
    """

    depth: cython.int  # variables
    bound: cython.int  # of which the first ones are given
    constants: cython.int
    level: cython.int  # the variable to be bound next; -1: exhausted
    resume: cython.int  # the variable to be changed after a match
    budget: cython.longlong
    total: cython.longlong
    quick: cython.int  # the last variable's literal, if its values can be counted without looking at each
    arrays: object  # keeps alive what the pointers below point to

    column: cython.pp_int  # of a slot: its column's values
    starts: cython.pp_int  # of a slot: where each constant starts in the column, if indexed
    indexed: cython.p_int
    final: cython.p_int  # of a slot: is it its literal's last column?
    low: cython.p_int  # of a slot: the range of rows left
    high: cython.p_int

    first: cython.p_int  # of a variable: its first occurrence below; the next variable's first ends the list
    slot: cython.p_int  # of an occurrence: the slot
    span: cython.p_int  # of an occurrence: how many columns of the literal in a row hold the variable
    positive: cython.p_int  # of an occurrence: is the literal positive?

    value: cython.p_int  # of a variable: its value
    place: cython.p_int  # of a variable: the next row, or constant, to be tried
    end: cython.p_int
    source: cython.p_int  # of a variable: the occurrence that its values come from; -1: all constants
    bit: cython.p_longlong  # of a variable: its bit in the sets below
    depends: cython.p_longlong  # of a variable: the earlier variables it shares a literal with, as bits
    conflict: cython.p_longlong  # of a variable: the earlier variables that had a part in its failures so far

    def __init__(self, depth, bound, constants, columns, starts, final, ranges, first, slot, span, positive, depends):
        self.depth = depth
        self.bound = bound
        self.constants = constants
        self.resume = depth - 1
        self.level = -1
        self.budget = 0
        self.total = 0
        self.arrays = [columns, starts]
        self.column = self._pointers(columns)
        self.starts = self._pointers(starts)
        self.indexed = self._ints([table is not None for table in starts])
        self.final = self._ints(final)
        self.low = self._ints([low for low, _ in ranges])
        self.high = self._ints([high for _, high in ranges])
        self.first = self._ints(first)
        self.slot = self._ints(slot)
        self.span = self._ints(span)
        self.positive = self._ints(positive)
        self.value = self._ints([0] * depth)
        self.place = self._ints([0] * depth)
        self.end = self._ints([0] * depth)
        self.source = self._ints([-1] * depth)
        self.bit = self._longs([1 << variable for variable in range(depth)])
        self.depends = self._longs(depends)
        self.conflict = self._longs([0] * depth)
        self.quick = self._quick_occurrence()

    @cython.cfunc
    def _ints(self, values) -> cython.p_int:
        if cython.compiled:
            array = numpy.array([*values, 0], dtype=numpy.intc)
            self.arrays.append(array)
            return cython.cast(cython.p_int, cython.cast(cython.size_t, array.ctypes.data))
        return [int(value) for value in values]

    @cython.cfunc
    def _longs(self, values) -> cython.p_longlong:
        if cython.compiled:
            array = numpy.array([*values, 0], dtype=numpy.longlong)
            self.arrays.append(array)
            return cython.cast(cython.p_longlong, cython.cast(cython.size_t, array.ctypes.data))
        return list(values)

    @cython.cfunc
    def _pointers(self, arrays) -> cython.pp_int:
        if cython.compiled:
            addresses = [0 if array is None else array.ctypes.data for array in arrays]
            array = numpy.array([*addresses, 0], dtype=numpy.uintp)
            self.arrays.append(array)
            return cython.cast(cython.pp_int, cython.cast(cython.size_t, array.ctypes.data))
        return [None if array is None else memoryview(array) for array in arrays]

    @cython.cfunc
    def _quick_occurrence(self) -> cython.int:
        """The last variable's only occurrence; -1: it has none; -2: its values must be looked at one by one."""
        last: cython.int = self.depth - 1
        if last < self.bound:
            return -2
        only: cython.int = self.first[last]
        count: cython.int = self.first[last + 1] - only
        if count == 0:
            return -1
        if count > 1 or self.span[only] > 1 or not self.final[self.slot[only]]:
            return -2
        return only

    # What callers use

    def begin(self, values, resume):
        """Start anew with the values of the bound variables; after a match, change the variable ``resume`` next."""
        for variable in range(self.bound):
            self.value[variable] = values[variable]
        self.resume = resume
        self.total = 0
        self._begin()

    @property
    def exhausted(self):
        """Has the whole space been searched?"""
        return self.level < 0

    @property
    def counted(self):
        """How many matches ``count`` has found since the beginning."""
        return self.total

    def run(self, budget):
        """Go to the next match: true if there is one, false if there is none or the budget is used up."""
        self.budget = budget
        return bool(self._run(False))

    def count(self, budget):
        """Count matches into ``counted`` until the search is exhausted or the budget is used up."""
        self.budget = budget
        while self._run(True):
            self.total += 1

    def collect(self, rows, budget):
        """Write the next matches into the rows of an array; returns how many, fewer when exhausted or out of budget."""
        self.budget = budget
        table: cython.int[:, ::1] = rows
        number: cython.Py_ssize_t = 0
        variable: cython.int
        while number < table.shape[0] and self._run(False):
            for variable in range(self.depth):
                table[number, variable] = self.value[variable]
            number += 1
        return number

    def cover(self, heads, covered, start, budget):
        """For the rows of ``heads`` from ``start`` on: is there a match with these values of the bound variables?

        Returns the first row not yet answered, which is the number of rows when all are. At least one is answered.
        """
        table: cython.int[:, ::1] = heads
        answers: cython.uchar[::1] = covered
        number: cython.Py_ssize_t = start
        variable: cython.int
        self.budget = budget
        while number < table.shape[0] and self.budget > 0:
            for variable in range(self.bound):
                self.value[variable] = table[number, variable]
            self._begin()
            while not self._run(False) and self.level >= 0:
                self.budget = budget
            answers[number] = self.level >= 0
            number += 1
        return number

    # The search itself

    @cython.cfunc
    @cython.exceptval(check=False)
    def _begin(self) -> cython.void:
        self.level = 0
        self._open(0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _run(self, counting: cython.bint) -> cython.bint:
        """Go to the next match. When counting, the last variable's values are added up instead, where that is quick."""
        variable: cython.int
        failed: cython.longlong
        last: cython.int = self.depth - 1
        while self.level >= 0:
            if self.budget <= 0:
                return False
            variable = self.level
            if counting and variable == last and self.quick != -2:
                self._count_last()
                self.conflict[variable] |= self.bit[variable] - 1
            elif self._advance(variable):
                if variable == last:
                    self._matched()
                    return True
                self.level = variable + 1
                self._open(variable + 1)
                continue
            failed = self.conflict[variable]
            self.level = self._latest(failed, variable)
            if self.level >= 0:
                self.conflict[self.level] |= failed ^ self.bit[self.level]
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def _matched(self) -> cython.void:
        """A match below a variable means that all before it have had a part: none is to be jumped over."""
        variable: cython.int
        for variable in range(self.depth):
            self.conflict[variable] |= self.bit[variable] - 1
        self.level = self.resume

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _latest(self, variables: cython.longlong, before: cython.int) -> cython.int:
        """The latest variable of a set that comes before another, or -1."""
        variable: cython.int = before - 1
        while variable >= 0 and not variables & self.bit[variable]:
            variable -= 1
        return variable

    @cython.cfunc
    @cython.exceptval(check=False)
    def _open(self, variable: cython.int) -> cython.void:
        """Choose where the variable's values come from."""
        occurrence: cython.int
        slot: cython.int
        best: cython.int = -1
        size: cython.int
        least: cython.int = 0
        self.conflict[variable] = self.depends[variable]
        if variable < self.bound:
            self.place[variable] = self.value[variable]
            self.end[variable] = self.value[variable] + 1
        else:
            for occurrence in range(self.first[variable], self.first[variable + 1]):
                if self.positive[occurrence]:
                    slot = self.slot[occurrence]
                    size = self.high[slot] - self.low[slot]
                    if best < 0 or size < least:
                        best = occurrence
                        least = size
            if best < 0:
                self.place[variable] = 0
                self.end[variable] = self.constants
            else:
                slot = self.slot[best]
                self.place[variable] = self.low[slot]
                self.end[variable] = self.high[slot]
        self.source[variable] = best

    @cython.cfunc
    @cython.exceptval(check=False)
    def _advance(self, variable: cython.int) -> cython.bint:
        """Bind the variable to its next possible value."""
        source: cython.int = self.source[variable]
        slot: cython.int = self.slot[source] if source >= 0 else -1
        here: cython.int
        value: cython.int
        same: cython.int
        while self.place[variable] < self.end[variable]:
            self.budget -= 1
            here = self.place[variable]
            if source < 0:
                value = here
                self.place[variable] = here + 1
            else:
                value = self.column[slot][here]
                self.low[slot + 1] = here
                self.high[slot + 1] = here + 1 if self.final[slot] else self._after(slot, here, self.end[variable])
                self.place[variable] = self.high[slot + 1]
            if self._narrow_all(variable, value):
                same = self._same(variable, value)
                if same < 0:
                    self.value[variable] = value
                    return True
                self.conflict[variable] |= self.bit[same]
        return False

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _same(self, variable: cython.int, value: cython.int) -> cython.int:
        """Object identity: the earlier variable that has this value already, or -1."""
        other: cython.int
        for other in range(variable):
            if self.value[other] == value:
                return other
        return -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def _narrow_all(self, variable: cython.int, value: cython.int) -> cython.bint:
        """Narrow all literals that contain the variable to this value; false where one of them cannot hold then."""
        occurrence: cython.int
        slot: cython.int
        last: cython.int
        for occurrence in range(self.first[variable], self.first[variable + 1]):
            slot = self.slot[occurrence]
            last = slot + self.span[occurrence] - 1
            if occurrence == self.source[variable]:
                slot += 1
            while slot <= last:
                self._narrow(slot, value)
                slot += 1
            if self.positive[occurrence]:
                if self.low[slot] == self.high[slot]:
                    return False
            elif self.final[last] and self.low[slot] < self.high[slot]:
                return False
        return True

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _narrow(self, slot: cython.int, value: cython.int) -> cython.void:
        """Narrow a slot's range to the rows that have this value in its column, for the next slot."""
        low: cython.int
        if self.indexed[slot]:
            self.low[slot + 1] = self.starts[slot][value]
            self.high[slot + 1] = self.starts[slot][value + 1]
            return
        low = self._search(slot, value)
        self.low[slot + 1] = low
        if low == self.high[slot] or self.column[slot][low] != value:
            self.high[slot + 1] = low
        elif self.final[slot]:
            self.high[slot + 1] = low + 1
        else:
            self.high[slot + 1] = self._after(slot, low, self.high[slot])

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _search(self, slot: cython.int, value: cython.int) -> cython.int:
        """The first row of a slot's range whose value is at least this."""
        column: cython.p_int = self.column[slot]
        low: cython.int = self.low[slot]
        high: cython.int = self.high[slot]
        middle: cython.int
        while low < high:
            middle = low + (high - low) // 2
            if column[middle] < value:
                low = middle + 1
            else:
                high = middle
        return low

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _after(self, slot: cython.int, row: cython.int, end: cython.int) -> cython.int:
        """The first row after this one, up to the end, with another value: by steps that double, then by halves."""
        column: cython.p_int = self.column[slot]
        value: cython.int = column[row]
        low: cython.int = row + 1
        step: cython.int = 1
        middle: cython.int
        while end - low > step and column[low + step - 1] == value:
            low += step
            step += step
        if end - low > step:
            end = low + step
        while low < end:
            middle = low + (end - low) // 2
            if column[middle] == value:
                low = middle + 1
            else:
                end = middle
        return low

    @cython.cfunc
    @cython.exceptval(check=False)
    def _count_last(self) -> cython.void:
        """Add the number of values of the last variable: its range, less what object identity takes away."""
        variable: cython.int
        row: cython.int
        slot: cython.int
        last: cython.int = self.depth - 1
        inside: cython.int = 0
        self.budget -= 1
        if self.quick < 0:
            self.total += max(self.constants - last, 0)
            return
        slot = self.slot[self.quick]
        for variable in range(last):
            row = self._search(slot, self.value[variable])
            if row < self.high[slot] and self.column[slot][row] == self.value[variable]:
                inside += 1
        inside = self.high[slot] - self.low[slot] - inside
        if self.positive[self.quick]:
            self.total += inside
        else:
            self.total += max(self.constants - last - inside, 0)

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

MAX_VARIABLES = 60
"""Sets of variables are kept in the bits of one number."""


def handle(array):
    """What the search keeps of a column: its address, or interpreted a view of it. The array must outlive it."""
    if cython.compiled:
        return array.ctypes.data
    return memoryview(array)


@cython.cclass
class Search:
    """A search for the matches of one query, as ``plan`` lays it out.

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
    pending: cython.bint  # did the budget end in the middle of a head?
    quick: cython.int  # the last variable's literal, if its values can be counted without looking at each
    slots: cython.int  # for how many slots there is room
    memory: object  # what the pointers below point into
    free: cython.size_t  # the address of its first free word

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

    def __init__(self):
        self.slots = 0
        self.level = -1
        self.pending = False
        self._make_room(16)

    def load(self, depth, bound, constants, columns, starts, final, ranges, first, occurrences, depends):
        """Take a query as ``plan`` lays it out, in place of the one before."""
        number: cython.int = 0
        if len(columns) > self.slots:
            self._make_room(2 * len(columns))
        self.depth = depth
        self.bound = bound
        self.constants = constants
        self.level = -1
        self.resume = depth - 1
        self.total = 0
        for number in range(len(columns)):
            self._set_slot(number, columns[number], starts[number])
            self.final[number] = final[number]
            self.low[number], self.high[number] = ranges[number]
        for number in range(len(first)):
            self.first[number] = first[number]
        for number in range(len(occurrences)):
            self.slot[number], self.span[number], self.positive[number] = occurrences[number]
        for number in range(depth):
            self.bit[number] = 1 << number
            self.depends[number] = depends[number]
        self.quick = self._quick_occurrence()

    @cython.cfunc
    def _set_slot(self, slot: cython.int, column, starts):
        self.indexed[slot] = starts is not None
        if cython.compiled:
            self.column[slot] = cython.cast(cython.p_int, cython.cast(cython.size_t, column or 0))
            self.starts[slot] = cython.cast(cython.p_int, cython.cast(cython.size_t, starts or 0))
        else:
            self.column[slot] = column
            self.starts[slot] = starts

    @cython.cfunc
    def _make_room(self, slots):
        """Make room for so many slots, and for as many variables as there may be."""
        self.slots = slots
        self.memory = numpy.zeros(9 * slots + 8 * MAX_VARIABLES + 1, dtype=numpy.int64)
        self.free = self.memory.ctypes.data
        self.column = self._pointers(slots)
        self.starts = self._pointers(slots)
        self.indexed = self._ints(slots)
        self.final = self._ints(slots)
        self.low = self._ints(slots)
        self.high = self._ints(slots)
        self.slot = self._ints(slots)
        self.span = self._ints(slots)
        self.positive = self._ints(slots)
        self.first = self._ints(MAX_VARIABLES + 1)
        self.value = self._ints(MAX_VARIABLES)
        self.place = self._ints(MAX_VARIABLES)
        self.end = self._ints(MAX_VARIABLES)
        self.source = self._ints(MAX_VARIABLES)
        self.bit = self._longs(MAX_VARIABLES)
        self.depends = self._longs(MAX_VARIABLES)
        self.conflict = self._longs(MAX_VARIABLES)

    @cython.cfunc
    def _take(self, count) -> cython.size_t:
        """The address of so many words of the memory that are still free."""
        address: cython.size_t = self.free
        self.free += 8 * count
        return address

    @cython.cfunc
    def _ints(self, count) -> cython.p_int:
        if cython.compiled:
            return cython.cast(cython.p_int, self._take(count))
        return [0] * count

    @cython.cfunc
    def _longs(self, count) -> cython.p_longlong:
        if cython.compiled:
            return cython.cast(cython.p_longlong, self._take(count))
        return [0] * count

    @cython.cfunc
    def _pointers(self, count) -> cython.pp_int:
        if cython.compiled:
            return cython.cast(cython.pp_int, self._take(count))
        return [None] * count

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

    def cover(self, heads, covered, start, budget, resumed):
        """For the rows of ``heads`` from ``start`` on: is there a match with these values of the bound variables?

        Returns the first row not yet answered, which is the number of rows when all are. To go on from there when the
        budget was used up, call again with ``resumed``.
        """
        table: cython.int[:, ::1] = heads
        answers: cython.uchar[::1] = covered
        number: cython.Py_ssize_t = start
        variable: cython.int
        pending: cython.bint = resumed and self.pending
        self.budget = budget
        while number < table.shape[0] and self.budget > 0:
            if not pending:
                for variable in range(self.bound):
                    self.value[variable] = table[number, variable]
                self._begin()
            pending = not self._run(False) and self.level >= 0
            if not pending:
                answers[number] = self.level >= 0
                number += 1
        self.pending = pending
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

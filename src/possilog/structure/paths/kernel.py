# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loop of mining: which heads close a path, and how many pairs a path connects.

This file is Python, and Cython compiles the same file where ``pip install`` finds a C compiler (pure Python mode).
``kernel.pyi`` says what callers see, and ``graph`` what the arrays hold.

Both loops go over the pairs that a path connects so far, from a source to a middle. ``Closing`` looks for triangles:
it takes the last step to those only that the source is linked to, through whichever of the two has fewer links, so its
cost is that of listing triangles and not that of all paths. The links of sources are its own, those of the middle may
be of some relations only. ``Measuring`` goes all the way (Gustavson's sparse
product), and ends as soon as there are more pairs than a rule with enough support may have.
"""

import cython


@cython.cclass
class Closing:
    """RuleCounts the heads that close a path of one relation more, for all last relations and all heads at once."""

    codes: cython.int
    at: cython.int[::1]
    near: cython.int[::1]
    code_at: cython.int[::1]
    code: cython.int[::1]
    own_at: cython.int[::1]
    own_near: cython.int[::1]
    own_code_at: cython.int[::1]
    own_code: cython.int[::1]
    place: cython.int[::1]
    seen: cython.uchar[::1]
    noted: cython.longlong[::1]
    noting: cython.longlong
    counts: cython.int[::1]
    touched: cython.int[::1]
    touching: cython.int
    examples: cython.int[:, :, ::1]
    wanted: cython.uchar[::1]
    last: cython.uchar[::1]

    def __init__(self, codes, links, own_links, place, seen, noted, counts, touched, examples, wanted):
        self.codes = codes
        self.at, self.near, self.code_at, self.code = links
        self.own_at, self.own_near, self.own_code_at, self.own_code = own_links
        self.place = place
        self.seen = seen
        self.noted = noted
        self.noting = 0
        self.counts = counts
        self.touched = touched
        self.touching = 0
        self.examples = examples
        self.wanted = wanted

    def close_paths(
        self,
        source: cython.int[::1],
        start: cython.int[::1],
        middle: cython.int[::1],
        witness: cython.int[::1],
        last: cython.uchar[::1],
    ):
        """Count the heads of a path's pairs; return how many counts have changed: ``touched`` names them."""
        row: cython.int
        step: cython.int
        link: cython.int
        x: cython.int
        links: cython.int
        several: cython.bint
        self.last = last
        self.touching = 0
        for row in range(source.shape[0]):
            x = source[row]
            links = self.own_at[x + 1] - self.own_at[x]
            for link in range(self.own_at[x], self.own_at[x + 1]):
                self.place[self.own_near[link]] = link - self.own_at[x] + 1
            several = start[row + 1] - start[row] > 1
            for step in range(start[row], start[row + 1]):
                if self.at[middle[step] + 1] - self.at[middle[step]] <= links:
                    self._from_middle(x, middle[step], witness[step], several)
                else:
                    self._from_source(x, middle[step], witness[step], several)
            for link in range(self.own_at[x], self.own_at[x + 1]):
                self.place[self.own_near[link]] = 0
            self._forget()
        return self.touching

    @cython.cfunc
    @cython.exceptval(check=False)
    def _from_middle(self, x: cython.int, z: cython.int, witness: cython.int, several: cython.bint) -> cython.void:
        link: cython.int
        y: cython.int
        for link in range(self.at[z], self.at[z + 1]):
            y = self.near[link]
            if self.place[y] and y != witness:
                self._close(x, y, link, several)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _from_source(self, x: cython.int, z: cython.int, witness: cython.int, several: cython.bint) -> cython.void:
        own: cython.int
        y: cython.int
        low: cython.int = self.at[z]
        high: cython.int
        middle: cython.int
        for own in range(self.own_at[x], self.own_at[x + 1]):
            y = self.own_near[own]
            high = self.at[z + 1]
            while low < high:
                middle = low + (high - low) // 2
                if self.near[middle] < y:
                    low = middle + 1
                else:
                    high = middle
            if low == self.at[z + 1]:
                return
            if self.near[low] == y and y != witness:
                self._close(x, y, low, several)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _close(self, x: cython.int, y: cython.int, link: cython.int, several: cython.bint) -> cython.void:
        """Count the heads of x and y once for each relation of a link that leads to y."""
        step: cython.int
        head: cython.int
        key: cython.longlong
        cell: cython.int
        own: cython.int = self.own_at[x] + self.place[y] - 1
        for step in range(self.code_at[link], self.code_at[link + 1]):
            if not self.last[self.code[step]]:
                continue
            if several:
                key = cython.cast(cython.longlong, self.place[y] - 1) * self.codes + self.code[step]
                if self.seen[key]:
                    continue
                self.seen[key] = 1
                self.noted[self.noting] = key
                self.noting += 1
            for head in range(self.own_code_at[own], self.own_code_at[own + 1]):
                if not self.wanted[self.own_code[head]]:
                    continue
                cell = self.code[step] * self.codes + self.own_code[head]
                if self.counts[cell] == 0:
                    self.touched[self.touching] = cell
                    self.touching += 1
                if self.counts[cell] < self.examples.shape[1]:
                    self.examples[cell, self.counts[cell], 0] = x
                    self.examples[cell, self.counts[cell], 1] = y
                self.counts[cell] += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def _forget(self) -> cython.void:
        at: cython.int
        for at in range(self.noting):
            self.seen[self.noted[at]] = 0
        self.noting = 0


@cython.cclass
class Measuring:
    """RuleCounts the pairs that bodies connect, and those of them that begin, or end, where the head has a fact."""

    source: cython.int[::1]
    start: cython.int[::1]
    middle: cython.int[::1]
    row_at: cython.int[::1]
    member: cython.uchar[:, ::1]
    distinct: cython.bint
    mark: cython.int[::1]
    stamp: cython.int
    rows: cython.int[::1]
    columns: cython.int[::1]
    found: cython.int[::1]
    beginnings: cython.int
    head: cython.int[::1]
    support: cython.int[::1]
    least: cython.double
    sizes: cython.longlong[::1]
    known: cython.longlong[:, ::1]

    def __init__(self, source, start, middle, row_at, member, distinct, mark, rows, columns, found):
        self.source = source
        self.start = start
        self.middle = middle
        self.row_at = row_at
        self.member = member
        self.distinct = distinct
        self.mark = mark
        self.stamp = 0
        self.rows = rows
        self.columns = columns
        self.found = found
        self.beginnings = 0

    def measure(
        self,
        at: cython.int[::1],
        near: cython.int[::1],
        witness: cython.int[::1],
        last: cython.int[::1],
        head: cython.int[::1],
        support: cython.int[::1],
        least: cython.double,
        sizes: cython.longlong[::1],
        known: cython.longlong[:, ::1],
    ):
        """For rules sorted by their last relation: the pairs of the body, and those whose begin, or end, is known.

        ``at`` and ``near`` lead from where the path without the last relation ends to where it begins. A size of -1
        says that the confidence is below ``least``.
        """
        rule: cython.int = 0
        first: cython.int
        most: cython.int
        bound: cython.longlong
        size: cython.longlong
        self.head = head
        self.support = support
        self.least = least
        self.sizes = sizes
        self.known = known
        while rule < last.shape[0]:
            first = rule
            most = 0
            while rule < last.shape[0] and last[rule] == last[first]:
                if support[rule] > most:
                    most = support[rule]
                rule += 1
            bound = -1
            if least > 0:
                bound = cython.cast(cython.longlong, most / least) + 1
            size = self._count(last[first] ^ 1, at, near, witness, bound)
            self._note(first, rule, size, last[first] ^ 1)
            self._clear()

    @cython.cfunc
    def _count(
        self,
        back: cython.int,
        at: cython.int[::1],
        near: cython.int[::1],
        witness: cython.int[::1],
        most: cython.longlong,
    ) -> cython.longlong:
        """The pairs, by far end and by beginning; those up to some far end where there are more than a bound."""
        row: cython.int
        step: cython.int
        place: cython.int
        x: cython.int
        y: cython.int
        fresh: cython.int
        first: cython.int = self.row_at[back]
        total: cython.longlong = 0
        if self.stamp > 2000000000:
            self._unmark()
        for row in range(first, self.row_at[back + 1]):
            y = self.source[row]
            self.stamp += 1
            fresh = 0
            if self.distinct:
                self.mark[y] = self.stamp
            for step in range(self.start[row], self.start[row + 1]):
                for place in range(at[self.middle[step]], at[self.middle[step] + 1]):
                    x = near[place]
                    if self.mark[x] != self.stamp and witness[place] != y:
                        self.mark[x] = self.stamp
                        fresh += 1
                        if self.columns[x] == 0:
                            self.found[self.beginnings] = x
                            self.beginnings += 1
                        self.columns[x] += 1
            self.rows[row - first] = fresh
            total += fresh
            if 0 <= most < total:
                return total
        return total

    @cython.cfunc
    def _unmark(self):
        node: cython.int
        for node in range(self.mark.shape[0]):
            self.mark[node] = 0
        self.stamp = 0

    @cython.cfunc
    def _note(self, first: cython.int, end: cython.int, size: cython.longlong, back: cython.int):
        """Put down the size of the rules that are right often enough, and what of it is known at either end."""
        rule: cython.int
        place: cython.int
        row: cython.int = self.row_at[back]
        total: cython.longlong
        for rule in range(first, end):
            self.sizes[rule] = -1
            if size > 0 and self.support[rule] / cython.cast(cython.double, size) < self.least:
                continue
            self.sizes[rule] = size
            total = 0
            for place in range(self.beginnings):
                if self.member[self.head[rule], self.found[place]]:
                    total += self.columns[self.found[place]]
            self.known[rule, 0] = total
            total = 0
            for place in range(row, self.row_at[back + 1]):
                if self.member[self.head[rule] ^ 1, self.source[place]]:
                    total += self.rows[place - row]
            self.known[rule, 1] = total

    @cython.cfunc
    def _clear(self):
        place: cython.int
        for place in range(self.beginnings):
            self.columns[self.found[place]] = 0
        self.beginnings = 0


def count_meetings(
    members: cython.int[::1],
    at: cython.int[::1],
    feature: cython.int[::1],
    counts: cython.int[::1],
    touched: cython.int[::1],
    examples: cython.int[:, ::1],
):
    """How many of some constants have each feature? Returns how many features are met, which ``touched`` names.

    ``examples`` keeps the first constants that have it.
    """
    member: cython.int
    place: cython.int
    met: cython.int = 0
    for member in range(members.shape[0]):
        for place in range(at[members[member]], at[members[member] + 1]):
            if counts[feature[place]] == 0:
                touched[met] = feature[place]
                met += 1
            if counts[feature[place]] < examples.shape[1]:
                examples[feature[place], counts[feature[place]]] = members[member]
            counts[feature[place]] += 1
    return met

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The chainer's atoms: their numbers, indexes by some of their arguments, and the queue of those that hold.

An atom gets a number when it is first met, and keeps it. One that holds stands in the queue, and its place there is its
rank. What is cut off the queue holds no longer, and is still known.

This file is Python, and Cython compiles the same file with the types of ``store.pxd``.
"""

from array import array

import cython

from possilog.errors import QueryError

ABSENT = cython.declare(cython.int, 2**31 - 1)
"""The rank of an atom that does not hold."""

# Of the hash function. Declared, since a number as large as these would be Python's in the midst of C's.
MIX_ONE = cython.declare(cython.ulonglong, 2654435761)
MIX_TWO = cython.declare(cython.ulonglong, 2246822507)
WORD = cython.declare(cython.ulonglong, 2**32 - 1)

MOST_ATOMS = cython.declare(cython.int, 2**30)
"""Their numbers have 32 bits."""

WIDEST = 64
"""Room for the arguments of most atoms; it grows where one has more."""


def numbers(count):
    """Room for some numbers of 32 bits, all 0."""
    return array("i", bytes(4 * count))


def sizes(count):
    """Room for some numbers of 64 bits, all 0."""
    return array("q", bytes(8 * count))


def doubled(old):
    """Twice the room, with what was there."""
    had = memoryview(old)
    new = array(had.format, bytes(2 * had.nbytes))
    memoryview(new)[: len(had)] = had
    return new


@cython.cclass
class AtomStore:
    """Atoms in numbers, and which of them hold."""

    def __init__(self, program, room):
        """Take the predicates and indexes of a program, and how many atoms to make room for."""
        self.arity = program.arity
        self.index_first = program.index_first
        self.index_place = program.index_place
        self.place = program.place
        room = max(64, room + room // 4)
        self.predicate = numbers(room)
        self.first = sizes(room)
        self.link = sizes(room)
        self.rank = numbers(room)
        self.queue = numbers(room)
        self.origin = numbers(room)
        self.argument = numbers(2 * room)
        self.after = numbers(2 * room)
        self.newest = numbers(len(program.arity) + 1)
        self.count = numbers(len(program.arity) + 1)
        size = 64
        while size < 2 * room:
            size *= 2
        self.table = numbers(size)
        self.table_mask = size - 1
        self.bucket = numbers(size)
        self.bucket_index = numbers(size)
        self.bucket_mask = size - 1
        self.key = numbers(WIDEST)
        self.atoms = self.queued = 0
        self.arguments = self.links = self.buckets = 0

    # What callers ask

    def number(self, predicate, arguments):
        """The number of an atom, which gets one if it has none."""
        self._set_key(arguments)
        return self._intern(predicate)

    def find(self, predicate, arguments):
        """The number of an atom; -1 where it has none."""
        self._set_key(arguments)
        return self._find(predicate)

    def _set_key(self, arguments):
        place: cython.int
        if len(arguments) > len(self.key):
            self.key = numbers(2 * len(arguments))
        for place in range(len(arguments)):
            self.key[place] = arguments[place]
        return 0

    def atom(self, number):
        """The predicate and the arguments of an atom."""
        first = self.first[number]
        predicate = self.predicate[number]
        return predicate, tuple([self.argument[first + place] for place in range(self.arity[predicate])])

    def rank_of(self, number):
        """An atom's place in the queue; a number beyond all places where it does not hold."""
        return self.rank[number]

    @property
    def size(self):
        """How many atoms hold."""
        return self.queued

    def listed(self, start, stop):
        """The atoms that hold, from one rank up to before another."""
        return [self.queue[place] for place in range(start, stop)]

    def arrays(self):
        """The numbers of the atoms that hold, by rank; and of all atoms predicates, first arguments, and arguments.

        And of each one more than the number of the soft rule behind it, or 0. They are not copies, and what is
        concluded later may make them stale.
        """
        return self.queue, self.predicate, self.first, self.argument, self.origin

    # The queue

    def _holds(self, atom):
        return self.rank[atom] != ABSENT

    def _put(self, atom):
        """Let an atom hold; False where it did already."""
        if self.rank[atom] != ABSENT:
            return False
        self.rank[atom] = self.queued
        self.queue[self.queued] = atom
        self.queued += 1
        return True

    def _cut(self, size):
        """Let no atom hold but the first ones."""
        place: cython.int
        for place in range(size, self.queued):
            self.rank[self.queue[place]] = ABSENT
        self.queued = size
        return 0

    # Numbers

    def _hash(self, seed, count):
        code: cython.ulonglong = seed & 0xFFFF
        place: cython.int
        for place in range(count):
            code = ((code ^ (code >> 15)) * MIX_ONE + self.key[place] + 1) & WORD
        code = ((code ^ (code >> 16)) * MIX_TWO) & WORD
        return cython.cast(cython.int, (code ^ (code >> 13)) & ABSENT)

    def _find(self, predicate):
        """The atom of a predicate whose arguments stand in ``key``; -1 where it has no number."""
        arity: cython.int = self.arity[predicate]
        slot: cython.Py_ssize_t = self._hash(predicate, arity) & self.table_mask
        atom: cython.int = self.table[slot] - 1
        while atom >= 0:
            if self.predicate[atom] == predicate and self._has_key(atom, arity):
                return atom
            slot = (slot + 1) & self.table_mask
            atom = self.table[slot] - 1
        return -1

    def _has_key(self, atom, arity):
        first: cython.Py_ssize_t = self.first[atom]
        place: cython.int
        for place in range(arity):  # noqa: SIM110 - a loop that is C's
            if self.argument[first + place] != self.key[place]:
                return False
        return True

    def _intern(self, predicate):
        """The atom of a predicate whose arguments stand in ``key``."""
        atom: cython.int = self._find(predicate)
        arity: cython.int = self.arity[predicate]
        place: cython.int
        if atom >= 0:
            return atom
        atom = self.atoms
        self._make_room(arity, self.index_first[predicate + 1] - self.index_first[predicate] + 1)
        self.atoms += 1
        self.predicate[atom] = predicate
        self.rank[atom] = ABSENT
        self.first[atom] = self.arguments
        for place in range(arity):
            self.argument[self.arguments + place] = self.key[place]
        self.arguments += arity
        self._file(self._hash(predicate, arity), atom)
        self._link(atom, predicate)
        return atom

    def _file(self, code, atom):
        slot: cython.Py_ssize_t = code & self.table_mask
        while self.table[slot]:
            slot = (slot + 1) & self.table_mask
        self.table[slot] = atom + 1
        return 0

    # Indexes

    def _link(self, atom, predicate):
        """Put an atom at the head of its predicate's list, and of its lists in the predicate's indexes."""
        index: cython.int
        slot: cython.Py_ssize_t
        self.link[atom] = self.links
        self.after[self.links] = self.newest[predicate]
        self.newest[predicate] = atom + 1
        self.count[predicate] += 1
        self.links += 1
        for index in range(self.index_first[predicate], self.index_first[predicate + 1]):
            self._key_of(atom, index)
            slot = self._bucket_of(index)
            if not self.bucket[slot]:
                self.bucket_index[slot] = index
                self.buckets += 1
            self.after[self.links] = self.bucket[slot]
            self.bucket[slot] = atom + 1
            self.links += 1
            if 2 * self.buckets > self.bucket_mask:
                self._grow_buckets()
        return 0

    def _key_of(self, atom, index):
        start: cython.int = self.index_place[index]
        place: cython.int
        for place in range(start, self.index_place[index + 1]):
            self.key[place - start] = self.argument[self.first[atom] + self.place[place]]
        return 0

    def _bucket_of(self, index):
        """Where the atoms of an index with the arguments in ``key`` are filed, or are to be."""
        start: cython.int = self.index_place[index]
        size: cython.int = self.index_place[index + 1] - start
        slot: cython.Py_ssize_t = self._hash(0xFFFF - index, size) & self.bucket_mask
        atom: cython.int
        first: cython.Py_ssize_t
        place: cython.int
        while self.bucket[slot]:
            if self.bucket_index[slot] == index:
                atom = self.bucket[slot] - 1
                first = self.first[atom]
                place = 0
                while place < size and self.argument[first + self.place[start + place]] == self.key[place]:
                    place += 1
                if place == size:
                    return slot
            slot = (slot + 1) & self.bucket_mask
        return slot

    # Room

    def _grow_buckets(self):
        old: cython.int[::1] = self.bucket
        indexes: cython.int[::1] = self.bucket_index
        size: cython.Py_ssize_t = self.bucket_mask + 1
        slot: cython.Py_ssize_t
        to: cython.Py_ssize_t
        self.bucket = numbers(2 * size)
        self.bucket_index = numbers(2 * size)
        self.bucket_mask = 2 * size - 1
        for slot in range(size):
            if old[slot]:
                self._key_of(old[slot] - 1, indexes[slot])
                to = self._bucket_of(indexes[slot])
                self.bucket[to] = old[slot]
                self.bucket_index[to] = indexes[slot]
        return 0

    def _make_room(self, arity, links):
        """Room for one more atom."""
        if self.atoms + 1 >= len(self.predicate):
            if self.atoms >= MOST_ATOMS:
                raise QueryError(f"more than {self.atoms:,} atoms; give less evidence, or rules that conclude less")
            self._grow()
        while self.arguments + arity >= len(self.argument):
            self.argument = doubled(self.argument)
        while self.links + links >= len(self.after):
            self.after = doubled(self.after)
        if 2 * cython.cast(cython.Py_ssize_t, self.atoms) > self.table_mask:
            self._grow_table()
        return 0

    def _grow(self):
        """Twice the room for what each atom has."""
        self.predicate = doubled(self.predicate)
        self.first = doubled(self.first)
        self.link = doubled(self.link)
        self.rank = doubled(self.rank)
        self.queue = doubled(self.queue)
        self.origin = doubled(self.origin)
        return 0

    def _grow_table(self):
        atom: cython.int
        arity: cython.int
        place: cython.int
        # The atom about to be added stands in ``key``.
        key = array("i", [self.key[place] for place in range(len(self.key))])
        self.table_mask = 2 * self.table_mask + 1
        self.table = numbers(self.table_mask + 1)
        for atom in range(self.atoms):
            arity = self.arity[self.predicate[atom]]
            for place in range(arity):
                self.key[place] = self.argument[self.first[atom] + place]
            self._file(self._hash(self.predicate[atom], arity), atom)
        self.key = key
        return 0

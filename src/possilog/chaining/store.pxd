# The types of ``store.py``.

cdef class AtomStore:
    # Of the program: see ``program``
    cdef int[::1] arity, index_first, index_place, place

    cdef int atoms
    cdef int[::1] predicate
    cdef Py_ssize_t arguments
    cdef long long[::1] first  # of an atom: its first argument
    cdef int[::1] argument
    cdef int[::1] table  # hash table of all atoms, by number + 1
    cdef Py_ssize_t table_mask

    cdef Py_ssize_t links
    cdef long long[::1] link  # of an atom: its first entry in ``after``
    cdef int[::1] after  # the atom's successors, + 1: in its predicate, and in each index of its predicate
    cdef int[::1] bucket  # hash table of the indexes' keys: newest atom with that key, + 1
    cdef int[::1] bucket_index
    cdef Py_ssize_t bucket_mask, buckets
    cdef int[::1] newest  # of a predicate: its newest atom, + 1
    cdef int[::1] count  # of a predicate: its atoms

    cdef int[::1] rank  # of an atom: its place in the queue
    cdef int[::1] queue
    cdef int[::1] origin  # of an atom: one more than the soft rule behind it; 0: none
    cdef int queued

    cdef int[::1] key

    cdef int _set_key(self, object arguments) except -1
    cdef int _hash(self, int seed, int count) noexcept
    cdef int _find(self, int predicate) noexcept
    cdef bint _has_key(self, int atom, int arity) noexcept
    cdef int _intern(self, int predicate) except -1
    cdef int _file(self, int code, int atom) noexcept
    cdef int _link(self, int atom, int predicate) except -1
    cdef int _key_of(self, int atom, int index) noexcept
    cdef Py_ssize_t _bucket_of(self, int index) noexcept
    cdef int _grow_buckets(self) except -1
    cdef int _make_room(self, int arity, int links) except -1
    cdef int _grow(self) except -1
    cdef int _grow_table(self) except -1
    cdef bint _put(self, int atom) noexcept
    cdef int _cut(self, int size) noexcept
    cdef bint _holds(self, int atom) noexcept

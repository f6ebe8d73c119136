# The types of ``chainer.py``.

from possilog.chaining.join cimport Join

cdef class Chainer(Join):
    # Of an atom
    cdef int[::1] verdict  # REFUTED, or the last stage at which it was found not to be
    cdef int[::1] barred  # the stage at which it may not be concluded
    cdef int[::1] denied  # 1: the evidence says that it is false

    # The stage
    cdef int stage
    cdef int done  # up to this rank, atoms have triggered their rules
    cdef bint guarded, hasty
    cdef long long violations, blocks

    # The ground rules without a head that it broke, one after the other: rule and body
    cdef int[::1] kept
    cdef Py_ssize_t kept_size

    # How it came to its conclusions, if it records
    cdef bint recording, counting
    cdef int[::1] softly  # of an atom: the last recording stage at which a soft rule concluded it
    cdef int[::1] counted  # and the last one at which it was counted
    cdef long long[::1] ways  # how often it was concluded then from what is settled
    cdef long long[::1] resting  # hard steps: a conclusion and an atom that it rests on, in one number
    cdef Py_ssize_t rested
    cdef long long patience

    # The survey
    cdef bint surveying
    cdef long long heads, heads_settled

    # The trial
    cdef int trials
    cdef int second_frame  # where its variables and body start, since it interrupts a join
    cdef int[::1] tried  # the atoms on trial
    cdef int tried_size
    cdef list choices  # heads of which one should hold
    cdef object refuter

    cdef int _enqueue(self, int atom) except -1
    cdef int _note(self, int atom) except -1
    cdef int _constrain(self, int rule) except -1
    cdef int _keep(self, int rule, int only) except -1
    cdef int _record(self, int rule, int head) except -1
    cdef int _rest(self, int head, int atom) except -1
    cdef bint _blocked(self, int atom) except -1
    cdef bint _barred(self, int atom) noexcept
    cdef bint _is_settled(self, int rule, int atom) noexcept
    cdef bint _stands(self, int atom) noexcept
    cdef int _choose(self, int rule) except -1
    cdef bint _try(self, list atoms) except -1
    cdef int _put_on_trial(self, int atom) except -1
    cdef bint _run_trial(self) except -1

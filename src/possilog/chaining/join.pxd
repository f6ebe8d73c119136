# The types of ``join.py``.

from possilog.chaining.store cimport AtomStore

cdef class Join(AtomStore):
    # Of the program: see ``program``
    cdef int[::1] trigger_first, trigger_literal, trigger_step, trigger_decided, trigger_probe
    cdef int[::1] probe_predicate, probe_index, probe_source, source
    cdef int[::1] trigger_parts, other_part, part_first, part_literal
    cdef int part_plan  # where the plans of parts begin among those of triggers
    cdef int[::1] step_literal, step_index, step_opens
    cdef int[::1] rule_level, rule_heads, rule_body
    cdef int[::1] literal_predicate, literal_rule, literal_term, term
    cdef int[::1] value_of  # of a constant in a rule: its number in the data

    # Which rules, and which atoms
    cdef int level  # no active rule has a higher one
    cdef int[::1] active  # of a level: 1 if its rules are active
    cdef int base  # the rank of the last atom that is settled
    cdef int trial  # the trial under way; -1: none
    cdef int[::1] stamp  # of an atom: the last trial it was on

    # What is known of parts of bodies, and of matches
    cdef int[::1] part_seen  # of a literal of a part: how many atoms of its predicate were tried
    cdef int[::1] part_found  # of a part: 1 if it matches
    cdef int[::1] last_match  # of a step: the atom with which the body held last, + 1

    # The body under way
    cdef int lower  # the highest rank for literals before the trigger
    cdef int upper  # and after it
    cdef int trigger_place
    cdef int decided  # the step from which on the heads are known
    cdef int frame  # where the variables and the body of this join start below
    cdef int[::1] value, bound, chosen
    cdef int[::1] bindings  # the variables in the order they were bound
    cdef int binding
    cdef int steps
    cdef object pause

    cdef int _step(self) except -1
    cdef int _trigger_of(self, int literal) noexcept
    cdef int _fire_all(self, int atom, int lower, int upper) except -1
    cdef bint _probe(self, int probe, int atom) noexcept
    cdef int _fire(self, int trigger, int atom, int lower, int upper) except -1
    cdef bint _matches(self, int part) except -1
    cdef bint _extends(self, int step, int end) except -1
    cdef int _first_of(self, int step) noexcept
    cdef int _entry_of(self, int step) noexcept
    cdef bint _any_will_do(self, int rule, int step) noexcept
    cdef bint _bind(self, int literal, int atom) noexcept
    cdef int _unbind(self, int mark) noexcept
    cdef int _term_value(self, int term) noexcept
    cdef int _join(self, int rule, int step, int end) except -1
    cdef int _set_head(self, int literal) noexcept
    cdef int _trace(self, int rule, int head) noexcept
    cdef int _conclude(self, int rule) except -1
    cdef bint _is_known(self, int rule) noexcept

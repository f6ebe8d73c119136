# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loop of inference: forward chaining, one atom at a time, over rules that ``program`` lays out.

This file is Python, and Cython compiles the same file, as it does the matcher's kernel. ``chainer.pyi`` says what
callers see. It differs from the matcher in that its facts grow: every conclusion is a fact for what comes after it.

An atom that holds stands in the queue; its place there is its rank. The atom at the queue's front triggers every rule
with a literal of its predicate in the body; the other literals are matched with atoms of lower rank, so that every
ground rule is met exactly once, when the last atom of its body arrives. Atoms up to the rank ``base`` are settled;
those above it belong to the stage under way and can be taken back.

To find out whether an atom is refuted, the hard rules are chained from it on trial: atoms that are on trial bear the
trial's number as their stamp, and the stage's own conclusions are out of sight meanwhile.
"""

from array import array

import cython

ABSENT = cython.declare(cython.int, 2**31 - 1)
"""The rank of an atom that does not hold."""

REFUTED = cython.declare(cython.int, -1)

# Of the hash function. Declared, since a number as large as these would be Python's in the midst of C's.
MIX_ONE = cython.declare(cython.ulonglong, 2654435761)
MIX_TWO = cython.declare(cython.ulonglong, 2246822507)
WORD = cython.declare(cython.ulonglong, 2**32 - 1)

PATIENCE = cython.declare(cython.int, 200_000)
"""Steps between two moments at which an interrupt is noticed."""

MAX_TERMS = 64
"""Room for the variables, and for the body, of one rule."""


def zeros(count):
    """Room for so many numbers, all 0."""
    return array("i", bytes(4 * count))


def filled(count, value):
    """Room for so many numbers, all alike."""
    return array("i", [value]) * count


@cython.cclass
class Chainer:
    """The facts and conclusions of one question to a theory."""

    # The program: see ``program``
    arity: cython.int[::1]
    trigger_first: cython.int[::1]
    trigger_literal: cython.int[::1]
    trigger_step: cython.int[::1]
    trigger_probe: cython.int[::1]
    probe_predicate: cython.int[::1]
    probe_index: cython.int[::1]
    probe_source: cython.int[::1]
    source: cython.int[::1]
    step_literal: cython.int[::1]
    step_index: cython.int[::1]
    rule_level: cython.int[::1]
    rule_head: cython.int[::1]
    rule_body: cython.int[::1]
    literal_predicate: cython.int[::1]
    literal_rule: cython.int[::1]
    literal_term: cython.int[::1]
    term: cython.int[::1]
    index_first: cython.int[::1]
    index_place: cython.int[::1]
    place: cython.int[::1]
    value_of: cython.int[::1]  # of a constant in a rule: its number in the data

    # The atoms
    atoms: cython.int
    predicate: cython.int[::1]
    first: cython.int[::1]  # of an atom: its first argument
    argument: cython.int[::1]
    arguments: cython.int
    rank: cython.int[::1]
    stamp: cython.int[::1]  # the last trial it was on
    verdict: cython.int[::1]  # REFUTED, or the last stage at which it was found not to be
    barred: cython.int[::1]  # the stage at which it may not be concluded
    denied: cython.int[::1]  # 1: the evidence says that it is false
    link: cython.int[::1]  # of an atom: its first entry in ``after``
    after: cython.int[::1]  # the atom's successors: in its predicate, and in each index of its predicate
    links: cython.int
    table: cython.int[::1]  # hash table of all atoms, by number + 1
    table_mask: cython.int
    bucket: cython.int[::1]  # hash table of the indexes' keys: newest atom with that key, + 1
    bucket_index: cython.int[::1]
    bucket_mask: cython.int
    buckets: cython.int
    newest: cython.int[::1]  # of a predicate: its newest atom, + 1
    count: cython.int[::1]  # of a predicate: its atoms

    # The queue
    queue: cython.int[::1]
    queued: cython.int
    done: cython.int
    base: cython.int

    # The ground rules that were kept: rule, head and body, one after the other
    kept: cython.int[::1]
    kept_size: cython.int
    violations: cython.int
    blocks: cython.int
    recording: cython.bint
    guarded: cython.bint
    hasty: cython.bint

    # The join under way
    level: cython.int  # no active rule has a higher one
    active: cython.int[::1]  # of a level: 1 if its rules are active
    stage: cython.int
    trial: cython.int
    trials: cython.int
    lower: cython.int  # the highest rank for literals before the trigger
    upper: cython.int  # and after it
    trigger_place: cython.int
    frame: cython.int  # where the variables and the body of this join start below
    second_frame: cython.int  # where those of a trial do, since it interrupts a join
    value: cython.int[::1]
    bound: cython.int[::1]
    chosen: cython.int[::1]
    bindings: cython.int[::1]  # the variables in the order they were bound
    binding: cython.int
    key: cython.int[::1]
    tried: cython.int[::1]  # atoms on trial
    tried_size: cython.int
    refuter: object
    steps: cython.int
    pause: object

    def __init__(self, program, values, room, pause):
        """Take a program, the numbers of its constants in the data, and how many atoms to make room for.

        ``pause`` is called now and then, since Python notices an interrupt only in its own code.
        """
        self._take_program(program)
        self.pause = pause
        self.steps = 0
        self.value_of = array("i", values) if values else zeros(1)
        room = max(64, room + room // 4)
        self.predicate = zeros(room)
        self.first = zeros(room)
        self.rank = zeros(room)
        self.stamp = zeros(room)
        self.verdict = zeros(room)
        self.barred = zeros(room)
        self.denied = zeros(room)
        self.link = zeros(room)
        self.queue = zeros(room)
        self.tried = zeros(16)
        self.argument = zeros(2 * room)
        self.after = zeros(2 * room)
        self.kept = zeros(64)
        self.newest = zeros(len(program.arity) + 1)
        self.count = zeros(len(program.arity) + 1)
        size = 64
        while size < 2 * room:
            size *= 2
        self.table = zeros(size)
        self.table_mask = size - 1
        self.bucket = zeros(size)
        self.bucket_index = zeros(size)
        self.bucket_mask = size - 1
        self.value = zeros(2 * MAX_TERMS)
        self.bound = zeros(2 * MAX_TERMS)
        self.chosen = zeros(2 * MAX_TERMS)
        self.bindings = zeros(2 * MAX_TERMS)
        self.key = zeros(MAX_TERMS)
        self.atoms = self.arguments = self.links = self.buckets = 0
        self.queued = self.done = 0
        self.base = -1
        self.kept_size = self.violations = self.blocks = 0
        self.recording = self.guarded = self.hasty = False
        self.level = self.stage = 0
        self.active = zeros(max(program.rule_level) + 1)
        self.trial = -1
        self.trials = 0
        self.frame = self.binding = 0
        self.lower = self.upper = self.trigger_place = self.tried_size = 0
        self.second_frame = MAX_TERMS

    @cython.cfunc
    def _take_program(self, program):
        self.arity = program.arity
        self.trigger_first = program.trigger_first
        self.trigger_literal = program.trigger_literal
        self.trigger_step = program.trigger_step
        self.trigger_probe = program.trigger_probe
        self.probe_predicate = program.probe_predicate
        self.probe_index = program.probe_index
        self.probe_source = program.probe_source
        self.source = program.source
        self.step_literal = program.step_literal
        self.step_index = program.step_index
        self.rule_level = program.rule_level
        self.rule_head = program.rule_head
        self.rule_body = program.rule_body
        self.literal_predicate = program.literal_predicate
        self.literal_rule = program.literal_rule
        self.literal_term = program.literal_term
        self.term = program.term
        self.index_first = program.index_first
        self.index_place = program.index_place
        self.place = program.place

    # Atoms

    def number(self, predicate, arguments):
        """The number of an atom, which gets one if it has none."""
        self._set_key(arguments)
        return self._intern(predicate)

    def find(self, predicate, arguments):
        """The number of an atom; -1 where it has none."""
        self._set_key(arguments)
        return self._find(predicate)

    @cython.cfunc
    def _set_key(self, arguments) -> cython.int:
        place: cython.int = 0
        if len(arguments) > len(self.key):
            self.key = zeros(2 * len(arguments))
        for place in range(len(arguments)):
            self.key[place] = arguments[place]
        return 0

    def atom(self, number):
        """The predicate and the arguments of an atom."""
        first = self.first[number]
        predicate = self.predicate[number]
        return predicate, tuple([self.argument[first + place] for place in range(self.arity[predicate])])

    def rank_of(self, number):
        """An atom's place in the queue; ABSENT where it does not hold."""
        return self.rank[number]

    @property
    def size(self):
        """How many atoms hold."""
        return self.queued

    def listed(self, start, stop):
        """The atoms that hold, from one rank up to before another."""
        return [self.queue[place] for place in range(start, stop)]

    @cython.cfunc
    def _hash(self, seed: cython.int, count: cython.int) -> cython.int:
        code: cython.ulonglong = seed & 0xFFFF
        place: cython.int
        for place in range(count):
            code = ((code ^ (code >> 15)) * MIX_ONE + self.key[place] + 1) & WORD
        code = ((code ^ (code >> 16)) * MIX_TWO) & WORD
        return cython.cast(cython.int, (code ^ (code >> 13)) & ABSENT)

    @cython.cfunc
    def _find(self, predicate: cython.int) -> cython.int:
        """The atom of a predicate whose arguments stand in ``key``; -1 where it has no number."""
        arity: cython.int = self.arity[predicate]
        slot: cython.int = self._hash(predicate, arity) & self.table_mask
        atom: cython.int = self.table[slot] - 1
        while atom >= 0:
            if self.predicate[atom] == predicate and self._has_key(atom, arity):
                return atom
            slot = (slot + 1) & self.table_mask
            atom = self.table[slot] - 1
        return -1

    @cython.cfunc
    def _has_key(self, atom: cython.int, arity: cython.int) -> cython.bint:
        first: cython.int = self.first[atom]
        place: cython.int
        for place in range(arity):  # noqa: SIM110 - a loop that is C's
            if self.argument[first + place] != self.key[place]:
                return False
        return True

    @cython.cfunc
    def _intern(self, predicate: cython.int) -> cython.int:
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
        self._file(self.table, self.table_mask, self._hash(predicate, arity), atom)
        self._link(atom, predicate)
        return atom

    @cython.cfunc
    def _file(self, table: cython.int[::1], mask: cython.int, code: cython.int, atom: cython.int) -> cython.int:
        slot: cython.int = code & mask
        while table[slot]:
            slot = (slot + 1) & mask
        table[slot] = atom + 1
        return slot

    @cython.cfunc
    def _link(self, atom: cython.int, predicate: cython.int) -> cython.int:
        """Put an atom at the head of its predicate's list, and of its lists in the predicate's indexes."""
        index: cython.int
        slot: cython.int
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

    @cython.cfunc
    def _key_of(self, atom: cython.int, index: cython.int) -> cython.int:
        start: cython.int = self.index_place[index]
        place: cython.int
        for place in range(start, self.index_place[index + 1]):
            self.key[place - start] = self.argument[self.first[atom] + self.place[place]]
        return 0

    @cython.cfunc
    def _bucket_of(self, index: cython.int) -> cython.int:
        """Where the atoms of an index with the arguments in ``key`` are filed, or are to be."""
        start: cython.int = self.index_place[index]
        size: cython.int = self.index_place[index + 1] - start
        slot: cython.int = self._hash(0xFFFF - index, size) & self.bucket_mask
        atom: cython.int
        first: cython.int
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

    @cython.cfunc
    def _grow_buckets(self) -> cython.int:
        old = self.bucket
        indexes = self.bucket_index
        size: cython.int = self.bucket_mask + 1
        slot: cython.int
        to: cython.int
        self.bucket = zeros(2 * size)
        self.bucket_index = zeros(2 * size)
        self.bucket_mask = 2 * size - 1
        for slot in range(size):
            if old[slot]:
                self._key_of(old[slot] - 1, indexes[slot])
                to = self._bucket_of(indexes[slot])
                self.bucket[to] = old[slot]
                self.bucket_index[to] = indexes[slot]
        return 0

    @cython.cfunc
    def _make_room(self, arity: cython.int, links: cython.int) -> cython.int:
        """Room for one more atom."""
        if self.atoms + 1 >= len(self.predicate):
            self.predicate = _doubled(self.predicate)
            self.first = _doubled(self.first)
            self.rank = _doubled(self.rank)
            self.stamp = _doubled(self.stamp)
            self.verdict = _doubled(self.verdict)
            self.barred = _doubled(self.barred)
            self.denied = _doubled(self.denied)
            self.link = _doubled(self.link)
            self.queue = _doubled(self.queue)
        while self.arguments + arity >= len(self.argument):
            self.argument = _doubled(self.argument)
        while self.links + links >= len(self.after):
            self.after = _doubled(self.after)
        if 2 * self.atoms > self.table_mask:
            self._grow_table()
        return 0

    @cython.cfunc
    def _grow_table(self) -> cython.int:
        size: cython.int = 2 * (self.table_mask + 1)
        atom: cython.int
        arity: cython.int
        place: cython.int
        # The atom about to be added stands in ``key``.
        key = array("i", [self.key[place] for place in range(len(self.key))])
        self.table = zeros(size)
        self.table_mask = size - 1
        for atom in range(self.atoms):
            arity = self.arity[self.predicate[atom]]
            for place in range(arity):
                self.key[place] = self.argument[self.first[atom] + place]
            self._file(self.table, self.table_mask, self._hash(self.predicate[atom], arity), atom)
        self.key = key
        return 0

    # Facts

    def load(self, predicate, rows):
        """Let the facts of a predicate hold: a row of numbers for each argument."""
        columns: cython.const[cython.int][:, :] = rows
        arity: cython.int = self.arity[predicate]
        fact: cython.int
        place: cython.int
        if arity > len(self.key):
            self.key = zeros(2 * arity)
        for fact in range(columns.shape[1]):
            for place in range(arity):
                self.key[place] = columns[place, fact]
            self._enqueue(self._intern(predicate))

    def hold(self, atom):
        """Let an atom hold."""
        self._enqueue(atom)

    def deny(self, atom):
        """An atom that the evidence says is false."""
        self.denied[atom] = 1

    def bar(self, atom):
        """An atom that no soft rule may conclude at this stage."""
        self.barred[atom] = self.stage

    @cython.cfunc
    def _enqueue(self, atom: cython.int) -> cython.int:
        if self.rank[atom] != ABSENT:
            return 0
        self.rank[atom] = self.queued
        self.queue[self.queued] = atom
        self.queued += 1
        if self.denied[atom]:
            self._keep_denial(atom)
            self.violations += 1
            return self.hasty
        return 0

    # Stages

    def begin(self, level, guarded, recording, hasty):
        """Begin a stage, at which the rules of a level are active, and those of all stages before.

        If it is guarded, no soft rule concludes what is refuted or barred. If it records, the ground rules that
        conclude something new are kept. If it is hasty, it ends with the first violation.
        """
        while level >= len(self.active):  # a level may have no rules here
            self.active = _doubled(self.active)
        self.active[level] = 1
        self.level = max(self.level, level)
        self.stage += 1
        self.guarded = guarded
        self.recording = recording
        self.hasty = hasty
        self.violations = self.blocks = 0
        self.kept_size = 0

    def apply(self, rule):
        """Conclude what a rule says about the settled atoms; False if a violation ended the stage."""
        best: cython.int = -1
        trigger: cython.int
        atom: cython.int
        start: cython.int = self.rule_body[rule]
        literal: cython.int
        if start == self.rule_body[rule + 1]:
            self.frame = self.binding = 0
            return not self._conclude(rule)
        if self.base < 0:
            return True
        for literal in range(start, self.rule_body[rule + 1]):
            if best < 0 or self.count[self.literal_predicate[literal]] < self.count[self.literal_predicate[best]]:
                best = literal
        trigger = self._trigger_of(best)
        atom = self.newest[self.literal_predicate[best]] - 1
        while atom >= 0:
            if self.rank[atom] <= self.base and self._fire(trigger, atom, self.base, self.base):
                return False
            atom = self.after[self.link[atom]] - 1
        return True

    @cython.cfunc
    def _trigger_of(self, literal: cython.int) -> cython.int:
        predicate: cython.int = self.literal_predicate[literal]
        trigger: cython.int = self.trigger_first[predicate]
        while self.trigger_literal[trigger] != literal:
            trigger += 1
        return trigger

    def run(self):
        """Chain until nothing is left to do, or a violation ended the stage."""
        while self.done < self.queued and not (self.hasty and self.violations):
            if self._fire_all(self.queue[self.done], self.done - 1, self.done):
                return
            self.done += 1

    @cython.cfunc
    def _step(self) -> cython.int:
        self.steps += 1
        if self.steps >= PATIENCE:
            self.steps = 0
            self.pause()
        return 0

    def settle(self):
        """Take over what the stage concluded."""
        self.base = self.queued - 1

    def withdraw(self):
        """Take back what the stage concluded."""
        place: cython.int
        for place in range(self.base + 1, self.queued):
            self.rank[self.queue[place]] = ABSENT
        self.queued = self.done = self.base + 1
        self.violations = 0
        self.kept_size = 0

    def go_back(self, size, level):
        """Take back what was concluded since so many atoms held; the rules of a level are active no longer."""
        atom: cython.int
        self.base = size - 1
        self.withdraw()
        self.active[level] = 0
        for atom in range(self.atoms):  # what was refuted then may stand now
            if self.verdict[atom] == REFUTED:
                self.verdict[atom] = 0

    @property
    def violated(self):
        """How many ground rules without a head the stage violated."""
        return self.violations

    @property
    def blocked(self):
        """How often a soft rule was kept from concluding what is refuted or barred."""
        return self.blocks

    def ground_rules(self):
        """The ground rules that the stage kept: rule (-1: the evidence denies the atom), head (-1: none), body."""
        found = []
        place: cython.int = 0
        size: cython.int
        while place < self.kept_size:
            size = self.kept[place]
            body = tuple([self.kept[at] for at in range(place + 3, place + 3 + size)])
            found.append((self.kept[place + 1], self.kept[place + 2], body))
            place += size + 3
        return found

    # Joins

    @cython.cfunc
    def _fire_all(self, atom: cython.int, lower: cython.int, upper: cython.int) -> cython.int:
        """Match every active body that an atom can be part of; 1 ends the stage, or the trial."""
        predicate: cython.int = self.predicate[atom]
        trigger: cython.int
        rule: cython.int
        probe: cython.int
        last: cython.int = -1
        hit: cython.bint = True
        for trigger in range(self.trigger_first[predicate], self.trigger_first[predicate + 1]):
            rule = self.literal_rule[self.trigger_literal[trigger]]
            if self.rule_level[rule] > self.level:
                break
            if not self.active[self.rule_level[rule]]:
                continue
            # On trial are the hard rules, and the soft rules without a head that stand.
            if self.trial >= 0 and self.rule_level[rule] > 0 and self.rule_head[rule] >= 0:
                continue
            probe = self.trigger_probe[trigger]
            if probe != last:
                last = probe
                hit = probe < 0 or self._probe(probe, atom)
            if hit and self._fire(trigger, atom, lower, upper):
                return 1
        return 0

    @cython.cfunc
    def _probe(self, probe: cython.int, atom: cython.int) -> cython.bint:
        """Is there any atom for a plan's first step? Many rules ask for the same ones, and most often there is none."""
        start: cython.int = self.probe_source[probe]
        place: cython.int
        source: cython.int
        for place in range(start, self.probe_source[probe + 1]):
            source = self.source[place]
            self.key[place - start] = self.value_of[~source] if source < 0 else self.argument[self.first[atom] + source]
        if self.probe_index[probe] < 0:
            return self._find(self.probe_predicate[probe]) >= 0
        return self.bucket[self._bucket_of(self.probe_index[probe])] != 0

    @cython.cfunc
    def _fire(self, trigger: cython.int, atom: cython.int, lower: cython.int, upper: cython.int) -> cython.int:
        """Match a body with one literal's atom given; 1 ends the stage, or the trial."""
        literal: cython.int = self.trigger_literal[trigger]
        rule: cython.int = self.literal_rule[literal]
        self.lower = lower
        self.upper = upper
        self.trigger_place = literal - self.rule_body[rule]
        self.binding = self.frame
        self._step()
        stop: cython.int = 0
        if self._bind(literal, atom):
            self.chosen[self.frame + self.trigger_place] = atom
            stop = self._join(rule, self.trigger_step[trigger], self.trigger_step[trigger + 1])
        self._unbind(self.frame)
        return stop

    @cython.cfunc
    def _bind(self, literal: cython.int, atom: cython.int) -> cython.bint:
        """Let a literal be an atom; what was bound meanwhile stands, even if it fails."""
        place: cython.int
        earlier: cython.int
        variable: cython.int
        constant: cython.int
        start: cython.int = self.literal_term[literal]
        first: cython.int = self.first[atom]
        for place in range(self.literal_term[literal + 1] - start):
            variable = self.term[start + place]
            constant = self.argument[first + place]
            if variable < 0:
                if self.value_of[~variable] != constant:
                    return False
            elif self.bound[self.frame + variable]:
                if self.value[self.frame + variable] != constant:
                    return False
            else:
                # Distinct variables stand for distinct constants.
                for earlier in range(self.frame, self.binding):
                    if self.value[self.bindings[earlier]] == constant:
                        return False
                variable += self.frame
                self.bound[variable] = 1
                self.value[variable] = constant
                self.bindings[self.binding] = variable
                self.binding += 1
        return True

    @cython.cfunc
    def _unbind(self, mark: cython.int) -> cython.int:
        while self.binding > mark:
            self.binding -= 1
            self.bound[self.bindings[self.binding]] = 0
        return 0

    @cython.cfunc
    def _term_value(self, term: cython.int) -> cython.int:
        return self.value_of[~term] if term < 0 else self.value[self.frame + term]

    @cython.cfunc
    def _join(self, rule: cython.int, step: cython.int, end: cython.int) -> cython.int:
        """Match the rest of a body, from one step of its plan on; 1 ends the stage, or the trial."""
        if step == end:
            return self._conclude(rule)
        literal: cython.int = self.step_literal[step]
        place: cython.int = literal - self.rule_body[rule]
        limit: cython.int = self.lower if place < self.trigger_place else self.upper
        index: cython.int = self.step_index[step]
        entry: cython.int = 0
        mark: cython.int = self.binding
        predicate: cython.int = self.literal_predicate[literal]
        start: cython.int = self.literal_term[literal]
        at: cython.int
        atom: cython.int
        if index == -1:  # all arguments are bound
            for at in range(self.literal_term[literal + 1] - start):
                self.key[at] = self._term_value(self.term[start + at])
            atom = self._find(predicate)
            if atom < 0 or not (self.rank[atom] <= limit or self.stamp[atom] == self.trial):
                return 0
            self.chosen[self.frame + place] = atom
            return self._join(rule, step + 1, end)
        if index == -2:  # none is
            atom = self.newest[predicate] - 1
        else:
            entry = index - self.index_first[predicate] + 1
            for at in range(self.index_place[index], self.index_place[index + 1]):
                self.key[at - self.index_place[index]] = self._term_value(self.term[start + self.place[at]])
            atom = self.bucket[self._bucket_of(index)] - 1
        while atom >= 0:
            self._step()
            if self.rank[atom] <= limit or self.stamp[atom] == self.trial:
                if self._bind(literal, atom):
                    self.chosen[self.frame + place] = atom
                    if self._join(rule, step + 1, end):
                        return 1
                self._unbind(mark)
            atom = self.after[self.link[atom] + entry] - 1
        return 0

    @cython.cfunc
    def _conclude(self, rule: cython.int) -> cython.int:
        """The body holds."""
        head: cython.int = self.rule_head[rule]
        start: cython.int
        at: cython.int
        atom: cython.int
        if head < 0:
            if self.trial >= 0:
                self.refuter = (rule, self._body(rule))
                return 1
            self.violations += 1
            self._keep(rule, -1)
            return self.hasty
        start = self.literal_term[head]
        for at in range(self.literal_term[head + 1] - start):
            self.key[at] = self._term_value(self.term[start + at])
        atom = self._intern(self.literal_predicate[head])
        if self.rank[atom] <= self.base or (self.trial >= 0 and self.stamp[atom] == self.trial):
            return 0
        if self.trial >= 0:
            return self._put_on_trial(atom)
        if self.guarded and self.rule_level[rule] > 0 and self._blocked(atom):
            self.blocks += 1
            return 0
        if self.recording:
            self._keep(rule, atom)
        return self._enqueue(atom)

    def _body(self, rule):
        start = self.rule_body[rule]
        return tuple([self.chosen[self.frame + at] for at in range(self.rule_body[rule + 1] - start)])

    @cython.cfunc
    def _keep_denial(self, atom: cython.int) -> cython.int:
        while self.kept_size + 4 > len(self.kept):
            self.kept = _doubled(self.kept)
        self.kept[self.kept_size] = 1
        self.kept[self.kept_size + 1] = -1
        self.kept[self.kept_size + 2] = -1
        self.kept[self.kept_size + 3] = atom
        self.kept_size += 4
        return 0

    @cython.cfunc
    def _keep(self, rule: cython.int, head: cython.int) -> cython.int:
        size: cython.int = self.rule_body[rule + 1] - self.rule_body[rule]
        at: cython.int
        while self.kept_size + size + 3 > len(self.kept):
            self.kept = _doubled(self.kept)
        self.kept[self.kept_size] = size
        self.kept[self.kept_size + 1] = rule
        self.kept[self.kept_size + 2] = head
        for at in range(size):
            self.kept[self.kept_size + 3 + at] = self.chosen[self.frame + at]
        self.kept_size += size + 3
        return 0

    # Trials

    @cython.cfunc
    def _blocked(self, atom: cython.int) -> cython.bint:
        """Is an atom refuted by what is settled, or barred? What was refuted once is refuted for good."""
        if self.verdict[atom] == REFUTED or self.barred[atom] == self.stage:
            return True
        if self.verdict[atom] != self.stage:
            self.verdict[atom] = REFUTED if self._try(atom) else self.stage
        return self.verdict[atom] == REFUTED

    def refute(self, atom):
        """The rule and the body that refute an atom, given what is settled; None if nothing does."""
        self.refuter = None
        return self.refuter if self._try(atom) else None

    @cython.cfunc
    def _try(self, atom: cython.int) -> cython.bint:
        """Do the hard rules lead from an atom and what is settled to a violation?"""
        lower: cython.int = self.lower
        upper: cython.int = self.upper
        trigger_place: cython.int = self.trigger_place
        frame: cython.int = self.frame
        binding: cython.int = self.binding
        refuted: cython.bint = False
        if self.rank[atom] <= self.base:
            return False
        self.frame = self.second_frame
        self.trials += 1
        self.trial = self.trials
        self.tried_size = 0
        refuted = self._put_on_trial(atom) or self._run_trial()
        self.trial = -1
        self.frame = frame
        self.binding = binding
        self.lower = lower
        self.upper = upper
        self.trigger_place = trigger_place
        return refuted

    @cython.cfunc
    def _put_on_trial(self, atom: cython.int) -> cython.int:
        if self.tried_size + 1 >= len(self.tried):
            self.tried = _doubled(self.tried)
        self.stamp[atom] = self.trial
        self.tried[self.tried_size] = atom
        self.tried_size += 1
        if self.denied[atom]:
            self.refuter = (-1, (atom,))
        return self.denied[atom]

    @cython.cfunc
    def _run_trial(self) -> cython.bint:
        """Chain from what is on trial."""
        place: cython.int = 0
        while place < self.tried_size:
            if self._fire_all(self.tried[place], self.base, self.base):
                return True
            place += 1
        return False


@cython.cfunc
def _doubled(old: cython.int[::1]):
    """Twice the room, with what was there."""
    size: cython.int = len(old)
    place: cython.int
    new = zeros(2 * size)
    view: cython.int[::1] = new
    for place in range(size):
        view[place] = old[place]
    return new

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The chainer's joins: where does the body of a rule hold, if one of its literals is this atom?

An atom triggers every active rule with a literal of its predicate in the body. The plan of that literal says in which
order to match the others, and from which step on the heads are known: as soon as there is no more to be said of them,
the join goes back to that step, so that a body with very many matches costs no more than its distinct heads. Where the
body falls into parts that share no variable, it is not matched before each part has been seen to match by itself.

This file is Python, and Cython compiles the same file with the types of ``join.pxd``.
"""

from array import array

import cython

from possilog.chaining.store import AtomStore, doubled, numbers

# What comes of a match: go on; end the stage or the trial; go on with other heads.
GO_ON = cython.declare(cython.int, 0)
STOP = cython.declare(cython.int, 1)
KNOWN = cython.declare(cython.int, 2)

PATIENCE = cython.declare(cython.int, 200_000)
"""Steps between two moments at which an interrupt is noticed."""

MAX_TERMS = 64
"""Room for the variables, and for the body, of one rule."""


@cython.cclass
class Join(AtomStore):
    """Rules whose bodies are matched with atoms up to some rank, and with those on trial."""

    def __init__(self, program, values, room, pause):
        """Take a program, the numbers of its constants in the data, and how many atoms to make room for.

        ``pause`` is called now and then, since Python notices an interrupt only in its own code.
        """
        AtomStore.__init__(self, program, room)
        self.trigger_first = program.trigger_first
        self.trigger_literal = program.trigger_literal
        self.trigger_step = program.trigger_step
        self.trigger_decided = program.trigger_decided
        self.trigger_probe = program.trigger_probe
        self.probe_predicate = program.probe_predicate
        self.probe_index = program.probe_index
        self.probe_source = program.probe_source
        self.source = program.source
        self.trigger_parts = program.trigger_parts
        self.other_part = program.other_part
        self.part_first = program.part_first
        self.part_literal = program.part_literal
        self.part_plan = program.part_plan
        self.part_seen = numbers(len(program.part_literal))
        self.part_found = numbers(len(program.part_first))
        self.step_literal = program.step_literal
        self.step_index = program.step_index
        self.step_opens = program.step_opens
        self.last_match = numbers(len(program.step_index))
        self.rule_level = program.rule_level
        self.rule_heads = program.rule_heads
        self.rule_body = program.rule_body
        self.literal_predicate = program.literal_predicate
        self.literal_rule = program.literal_rule
        self.literal_term = program.literal_term
        self.term = program.term
        self.value_of = array("i", values) if values else numbers(1)
        self.level = 0
        self.active = numbers(max(program.rule_level) + 1)
        self.base = self.trial = -1
        self.stamp = numbers(len(self.predicate))
        self.lower = self.upper = self.trigger_place = self.decided = 0
        self.frame = self.binding = self.steps = 0
        # Twice the room, since a trial interrupts a join.
        self.value = numbers(2 * MAX_TERMS)
        self.bound = numbers(2 * MAX_TERMS)
        self.chosen = numbers(2 * MAX_TERMS)
        self.bindings = numbers(2 * MAX_TERMS)
        self.pause = pause

    def _grow(self):
        AtomStore._grow(self)
        self.stamp = doubled(self.stamp)
        return 0

    def _step(self):
        self.steps += 1
        if self.steps >= PATIENCE:
            self.steps = 0
            self.pause()
        return 0

    def _trigger_of(self, literal):
        predicate: cython.int = self.literal_predicate[literal]
        trigger: cython.int = self.trigger_first[predicate]
        while self.trigger_literal[trigger] != literal:
            trigger += 1
        return trigger

    def _fire_all(self, atom, lower, upper):
        """Match every active body that an atom can be part of; 1 ends the stage, or the trial."""
        predicate: cython.int = self.predicate[atom]
        trigger: cython.int
        rule: cython.int
        probe: cython.int
        heads: cython.int
        last: cython.int = -1
        hit: cython.bint = True
        for trigger in range(self.trigger_first[predicate], self.trigger_first[predicate + 1]):
            rule = self.literal_rule[self.trigger_literal[trigger]]
            if self.rule_level[rule] > self.level:
                break
            if not self.active[self.rule_level[rule]]:
                continue
            heads = self.rule_heads[rule + 1] - self.rule_heads[rule]
            # On trial are the hard rules, and the soft rules without a head that stand. At a stage, rules with several
            # heads conclude nothing.
            if (self.rule_level[rule] > 0 and heads > 0) if self.trial >= 0 else heads > 1:
                continue
            probe = self.trigger_probe[trigger]
            if probe != last:
                last = probe
                hit = probe < 0 or self._probe(probe, atom)
            if hit and self._fire(trigger, atom, lower, upper):
                return 1
        return 0

    def _probe(self, probe, atom):
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

    def _fire(self, trigger, atom, lower, upper):
        """Match a body with one literal's atom given; 1 ends the stage, or the trial."""
        literal: cython.int = self.trigger_literal[trigger]
        rule: cython.int = self.literal_rule[literal]
        found: cython.int = GO_ON
        part: cython.int
        self.lower = lower
        self.upper = upper
        self.trigger_place = literal - self.rule_body[rule]
        self.decided = self.trigger_decided[trigger]
        self.binding = self.frame
        self._step()
        for part in range(self.trigger_parts[trigger], self.trigger_parts[trigger + 1]):
            if not self._matches(self.other_part[part]):
                return 0
        if self._bind(literal, atom):
            self.chosen[self.frame + self.trigger_place] = atom
            found = self._join(rule, self.trigger_step[trigger], self.trigger_step[trigger + 1])
        self._unbind(self.frame)
        return 1 if found == STOP else 0

    def _matches(self, part):
        """Does a part of a body match anything, of whatever rank? Once it does not, only new atoms can change that."""
        entry: cython.int
        literal: cython.int
        predicate: cython.int
        atom: cython.int
        new: cython.int
        if self.part_found[part]:
            return True
        for entry in range(self.part_first[part], self.part_first[part + 1]):
            literal = self.part_literal[entry]
            predicate = self.literal_predicate[literal]
            new = self.count[predicate] - self.part_seen[entry]
            self.part_seen[entry] += new
            atom = self.newest[predicate] - 1
            while new > 0 and not self.part_found[part]:
                self._step()
                if self._bind(literal, atom):
                    step = self.trigger_step[self.part_plan + entry]
                    self.part_found[part] = self._extends(step, self.trigger_step[self.part_plan + entry + 1])
                self._unbind(self.frame)
                atom = self.after[self.link[atom]] - 1
                new -= 1
        return self.part_found[part] != 0

    def _extends(self, step, end):
        """Do any atoms match the rest of a part, from one step of its plan on?"""
        if step == end:
            return True
        literal: cython.int = self.step_literal[step]
        entry: cython.int = self._entry_of(step)
        atom: cython.int = self._first_of(step)
        mark: cython.int = self.binding
        found: cython.bint = False
        while atom >= 0 and not found:
            self._step()
            found = self._bind(literal, atom) and self._extends(step + 1, end)
            self._unbind(mark)
            atom = self.after[self.link[atom] + entry] - 1 if entry >= 0 else -1
        return found

    def _first_of(self, step):
        """The newest atom that a step's literal may be, given what is bound; -1 where there is none."""
        literal: cython.int = self.step_literal[step]
        index: cython.int = self.step_index[step]
        predicate: cython.int = self.literal_predicate[literal]
        start: cython.int = self.literal_term[literal]
        at: cython.int
        if index == -2:  # nothing is bound
            return self.newest[predicate] - 1
        if index == -1:  # all arguments are
            for at in range(self.literal_term[literal + 1] - start):
                self.key[at] = self._term_value(self.term[start + at])
            return self._find(predicate)
        for at in range(self.index_place[index], self.index_place[index + 1]):
            self.key[at - self.index_place[index]] = self._term_value(self.term[start + self.place[at]])
        return self.bucket[self._bucket_of(index)] - 1

    def _entry_of(self, step):
        """Which of an atom's successors is the next one for a step; -1 where there can be no other."""
        index: cython.int = self.step_index[step]
        if index < 0:
            return -1 if index == -1 else 0
        return index - self.index_first[self.literal_predicate[self.step_literal[step]]] + 1

    def _bind(self, literal, atom):
        """Let a literal be an atom; what was bound meanwhile stands, even if it fails."""
        place: cython.int
        earlier: cython.int
        variable: cython.int
        constant: cython.int
        start: cython.int = self.literal_term[literal]
        first: cython.Py_ssize_t = self.first[atom]
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

    def _unbind(self, mark):
        while self.binding > mark:
            self.binding -= 1
            self.bound[self.bindings[self.binding]] = 0
        return 0

    def _term_value(self, term):
        return self.value_of[~term] if term < 0 else self.value[self.frame + term]

    def _join(self, rule, step, end):
        """Match the rest of a body, from one step of its plan on."""
        if step == end:
            return self._conclude(rule)
        if step == self.decided and self._is_known(rule):
            return KNOWN
        literal: cython.int = self.step_literal[step]
        place: cython.int = literal - self.rule_body[rule]
        limit: cython.int = self.lower if place < self.trigger_place else self.upper
        entry: cython.int = self._entry_of(step)
        atom: cython.int
        if entry < 0:  # all arguments are bound
            atom = self._first_of(step)
            if atom < 0 or not (self.rank[atom] <= limit or self.stamp[atom] == self.trial):
                return GO_ON
            self.chosen[self.frame + place] = atom
            return self._join(rule, step + 1, end)
        mark: cython.int = self.binding
        # Where any match will do, the one that did before is tried first, if nothing that is bound leads to another.
        again: cython.int = self.last_match[step] - 1 if self.step_opens[step] and self._any_will_do(rule, step) else -1
        found: cython.int
        atom = again if again >= 0 else self._first_of(step)
        while atom >= 0:
            self._step()
            if self.rank[atom] <= limit or self.stamp[atom] == self.trial:
                if self._bind(literal, atom):
                    self.chosen[self.frame + place] = atom
                    found = self._join(rule, step + 1, end)
                    if found == STOP or (found == KNOWN and step >= self.decided):
                        self._unbind(mark)
                        self.last_match[step] = atom + 1
                        return found
                self._unbind(mark)
            if again >= 0:
                again = -1
                atom = self._first_of(step)
            else:
                atom = self.after[self.link[atom] + entry] - 1
        return GO_ON

    def _set_head(self, literal):
        """Let a literal of the head stand in ``key``."""
        start: cython.int = self.literal_term[literal]
        at: cython.int
        for at in range(self.literal_term[literal + 1] - start):
            self.key[at] = self._term_value(self.term[start + at])
        return self.literal_predicate[literal]

    def _trace(self, rule, head):
        """Note which soft rule is behind a conclusion: of a hard step, the lowest behind what it starts from."""
        at: cython.int
        atom: cython.int
        if self.rule_level[rule] > 0:
            self.origin[head] = rule + 1
            return 0
        self.origin[head] = 0
        for at in range(self.rule_body[rule + 1] - self.rule_body[rule]):
            atom = self.chosen[self.frame + at]
            if self.rank[atom] > self.base:
                self.origin[head] = max(self.origin[head], self.origin[atom])
        return 0

    # What the stages say

    def _any_will_do(self, rule, step):
        """Is nothing to be said of a further match of a body, once there is one for these heads?"""
        return False

    def _conclude(self, rule):
        """The body holds: say what comes of it."""
        return GO_ON

    def _is_known(self, rule):
        """Is there no more to be said of these heads, wherever the body holds?"""
        return False

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loop of inference: forward chaining, one atom at a time, over rules that ``program`` lays out.

Its atoms are in ``store`` and its joins in ``join``; this is what comes of the matches. These three files are Python,
and Cython compiles the same files, as it does the matcher's kernel. ``chainer.pyi`` says what callers see. It differs
from the matcher in that its facts grow: every conclusion is a fact for what comes after it.

The atom at the queue's front triggers its rules; the other literals are matched with atoms of lower rank, so that every
ground rule is met exactly once, when the last atom of its body arrives. Atoms up to the rank ``base`` are settled;
those above it belong to the stage under way and can be taken back.

To find out whether atoms are refuted, the hard rules are chained from them on trial: atoms that are on trial bear the
trial's number as their stamp, and the stage's own conclusions are out of sight meanwhile.

A stage that records keeps no ground rule that has a head: of very many derivations, it notes what each conclusion rests
on by hard steps, which ones a soft rule concluded, and how many derivations from what is settled they have. If there
are too many for its patience, it gives that up.
"""

import cython

from possilog.chaining.join import MAX_TERMS, Join
from possilog.chaining.store import doubled, numbers, sizes
from possilog.errors import QueryError

# What comes of a match: as in ``join``.
GO_ON = cython.declare(cython.int, 0)
STOP = cython.declare(cython.int, 1)
KNOWN = cython.declare(cython.int, 2)

REFUTED = cython.declare(cython.int, -1)

LAST_TRIAL = cython.declare(cython.int, 2**31 - 2)
"""After this many trials, stamps are used again."""

MOST_KEPT = cython.declare(cython.Py_ssize_t, 2**25)
"""Numbers that the ground rules of a stage may take."""

MOST_HARD_STEPS = cython.declare(cython.Py_ssize_t, 2**22)
"""Hard steps that a stage may record."""


@cython.cclass
class Chainer(Join):
    """The facts and conclusions of one question to a theory."""

    def __init__(self, program, values, room, pause):
        """Take a program, the numbers of its constants in the data, and how many atoms to make room for.

        ``pause`` is called now and then, since Python notices an interrupt only in its own code.
        """
        Join.__init__(self, program, values, room, pause)
        room = len(self.predicate)
        self.verdict = numbers(room)
        self.barred = numbers(room)
        self.denied = numbers(room)
        self.softly = numbers(room)
        self.counted = numbers(room)
        self.ways = sizes(room)
        self.surveying = False
        self.heads = self.heads_settled = 0
        self.stage = self.done = 0
        self.guarded = self.hasty = self.recording = self.counting = False
        self.violations = self.blocks = 0
        self.kept = numbers(64)
        self.kept_size = 0
        self.resting = sizes(64)
        self.rested = self.patience = 0
        self.trials = 0
        self.second_frame = MAX_TERMS
        self.tried = numbers(16)
        self.tried_size = 0
        self.choices = []

    def _grow(self):
        Join._grow(self)
        self.verdict = doubled(self.verdict)
        self.barred = doubled(self.barred)
        self.denied = doubled(self.denied)
        self.softly = doubled(self.softly)
        self.counted = doubled(self.counted)
        self.ways = doubled(self.ways)
        return 0

    # Facts

    def load(self, predicate, rows):
        """Let the facts of a predicate hold: a row of numbers for each argument."""
        columns: cython.const[cython.int][:, :] = rows
        arity: cython.int = self.arity[predicate]
        fact: cython.Py_ssize_t
        place: cython.int
        if arity > len(self.key):
            self.key = numbers(2 * arity)
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

    def _enqueue(self, atom):
        if self._put(atom) and self.denied[atom]:
            self._keep(-1, atom)
            self.violations += 1
            return STOP if self.hasty else GO_ON
        return GO_ON

    # Stages

    def begin(self, level, guarded, hasty, recording, patience):
        """Begin a stage, at which the rules of a level are active, and those of all stages before.

        If it is guarded, no soft rule concludes what is refuted or barred. If it is hasty, it ends with the first
        violation. What it may record: 0 nothing, 1 how conclusions came about, 2 and how often. When it has recorded
        more derivations than its patience, it records no more, and is hasty.
        """
        while level >= len(self.active):  # a level may have no rules here
            self.active = doubled(self.active)
        self.active[level] = 1
        self.level = max(self.level, level)
        self.stage += 1
        self.guarded = guarded
        self.recording = recording > 0
        self.counting = recording > 1
        self.hasty = hasty
        self.violations = self.blocks = 0
        self.kept_size = 0
        self.patience = patience
        self.rested = 0

    def apply(self, rule):
        """Conclude what a rule says about the settled atoms; False if a violation ended the stage."""
        best: cython.int = -1
        trigger: cython.int
        atom: cython.int
        start: cython.int = self.rule_body[rule]
        literal: cython.int
        if self.rule_heads[rule + 1] - self.rule_heads[rule] > 1:
            return True
        if start == self.rule_body[rule + 1]:
            self.frame = self.binding = 0
            return self._conclude(rule) != STOP
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

    def survey(self, rule):
        """How many distinct heads a rule has where the settled atoms make its body true, and how many are settled."""
        self.stage += 1
        self.surveying = True
        self.heads = self.heads_settled = 0
        self.apply(rule)
        self.surveying = False
        return self.heads, self.heads_settled

    def _note(self, atom):
        if self.counted[atom] != self.stage:
            self.counted[atom] = self.stage
            self.ways[atom] = 0
            self.heads += 1
            self.heads_settled += self.rank[atom] <= self.base
        return KNOWN

    def run(self):
        """Chain until nothing is left to do, or a violation ended the stage."""
        while self.done < self.queued and not (self.hasty and self.violations):
            if self._fire_all(self.queue[self.done], self.done - 1, self.done):
                return
            self.done += 1

    def take_facts(self):
        """Settle the facts before any stage: rules are applied to them as a whole, beginning with the rarest literal.

        To fire them one by one would look for each at all those that come after it.
        """
        self.base = self.queued - 1
        self.done = self.queued

    def settle(self):
        """Take over what the stage concluded."""
        self.base = self.queued - 1

    def withdraw(self):
        """Take back what the stage concluded."""
        self._cut(self.base + 1)
        self.done = self.base + 1
        self.violations = 0
        self.kept_size = 0

    def go_back(self, size, level):
        """Take back what was concluded since only the first atoms held; a level's rules are active no longer."""
        atom: cython.int
        self.base = size - 1
        self.withdraw()
        self.active[level] = 0
        for atom in range(self.atoms):  # what was refuted then may stand now
            if self.verdict[atom] == REFUTED:
                self.verdict[atom] = 0

    # What comes of a match

    def _conclude(self, rule):
        """The body holds."""
        head: cython.int = self.rule_heads[rule]
        heads: cython.int = self.rule_heads[rule + 1] - head
        atom: cython.int
        found: cython.int
        if heads == 0:
            return self._constrain(rule)
        if heads > 1:
            return self._choose(rule)
        atom = self._intern(self._set_head(head))
        if self.surveying:
            return self._note(atom)
        if self.trial >= 0:
            return KNOWN if self._stands(atom) else self._put_on_trial(atom)
        if self.rank[atom] <= self.base:
            # How settled atoms come about is nothing to a guarded stage, which looks for whom to bar.
            return self._record(rule, atom) if self.recording and not self.guarded else KNOWN
        if self.guarded and self.rule_level[rule] > 0 and self._blocked(atom):
            self.blocks += 1
            return KNOWN
        if not self._holds(atom):
            self._trace(rule, atom)
        if self.recording:
            found = self._record(rule, atom)
            return STOP if self._enqueue(atom) == STOP else found
        return STOP if self._enqueue(atom) == STOP else KNOWN

    def _any_will_do(self, rule, step):
        if step < self.decided or (self.recording and self.counting and self.trial < 0):
            return False
        return self.trial >= 0 or not self.recording or self.rule_level[rule] > 0  # of hard steps all are recorded

    def _is_known(self, rule):
        head: cython.int
        atom: cython.int
        for head in range(self.rule_heads[rule], self.rule_heads[rule + 1]):
            atom = self._find(self._set_head(head))
            if atom >= 0 and (self._stands(atom) if self.trial >= 0 else self._is_settled(rule, atom)):
                return True
        return False

    def _is_settled(self, rule, atom):
        """At a stage: is there no more to be said of one head of a rule?"""
        soft: cython.bint = self.rule_level[rule] > 0
        if self.surveying:
            return self.counted[atom] == self.stage
        if soft and self.guarded and self.blocks and self._barred(atom):
            return True  # one rule kept from its conclusion says all that there is to say of the stage
        if not self.recording:
            return self._holds(atom)
        if self.guarded and self.rank[atom] <= self.base:
            return True
        return soft and self.softly[atom] == self.stage and not self.counting

    def _constrain(self, rule):
        if self.trial >= 0:
            start = self.rule_body[rule]
            body = [self.chosen[self.frame + at] for at in range(self.rule_body[rule + 1] - start)]
            self.refuter = (rule, tuple(body))
            return STOP
        self.violations += 1
        self._keep(rule, -1)
        return STOP if self.hasty else GO_ON

    def _keep(self, rule, only):
        """Keep a broken ground rule: the body under way, or one atom that the evidence denies."""
        size: cython.int = 1 if rule < 0 else self.rule_body[rule + 1] - self.rule_body[rule]
        at: cython.int
        while self.kept_size + size + 2 > len(self.kept):
            if len(self.kept) >= MOST_KEPT:
                raise QueryError(
                    f"the bodies of more than {self.violations:,} ground rules hold that have to be kept one by one; "
                    "give less evidence, or rules with shorter bodies"
                )
            self.kept = doubled(self.kept)
        self.kept[self.kept_size] = size
        self.kept[self.kept_size + 1] = rule
        for at in range(size):
            self.kept[self.kept_size + 2 + at] = only if rule < 0 else self.chosen[self.frame + at]
        self.kept_size += size + 2
        return 0

    def _record(self, rule, head):
        """Note how a conclusion came about; KNOWN if another way with the same atom before it would say no more."""
        soft: cython.bint = self.rule_level[rule] > 0
        settled: cython.bint = True
        at: cython.int
        atom: cython.int
        for at in range(self.rule_body[rule + 1] - self.rule_body[rule]):
            atom = self.chosen[self.frame + at]
            if self.rank[atom] > self.base:
                settled = False
                if not soft:
                    self._rest(head, atom)
        self.patience -= 1
        if self.patience < 0:
            self.recording = False
            self.hasty = True
        if soft:
            self.softly[head] = self.stage
        if self.counted[head] != self.stage:
            self.counted[head] = self.stage
            self.ways[head] = 0
        self.ways[head] += settled
        return KNOWN if not self.counting and (soft or settled) else GO_ON

    def _rest(self, head, atom):
        """Note that a conclusion rests on an atom by a hard step."""
        step: cython.longlong = (cython.cast(cython.longlong, head) << 32) | atom
        if self.rested and self.resting[self.rested - 1] == step:
            return 0
        if self.rested == len(self.resting):
            distinct = sizes(0)
            distinct.extend(set(self.resting))
            if 2 * len(distinct) > MOST_HARD_STEPS:
                raise QueryError("the conclusions in conflict rest on too many others; give less evidence")
            self.rested = len(distinct)
            distinct.extend(sizes(max(64, self.rested)))
            self.resting = distinct
        self.resting[self.rested] = step
        self.rested += 1
        return 0

    # What the stage says of itself

    @property
    def violated(self):
        """How many ground rules without a head the stage violated."""
        return self.violations

    @property
    def blocked(self):
        """Was a soft rule kept from concluding what is refuted or barred?"""
        return self.blocks > 0

    def broken(self):
        """The ground rules without a head that the stage broke: rule (-1: the evidence denies the atom), and body."""
        found = []
        place: cython.Py_ssize_t = 0
        size: cython.int
        while place < self.kept_size:
            size = self.kept[place]
            found.append((self.kept[place + 1], tuple([self.kept[at] for at in range(place + 2, place + 2 + size)])))
            place += size + 2
        return found

    @property
    def gave_up(self):
        """Did a recording stage lose its patience?"""
        return self.patience < 0

    def rests_on(self):
        """The hard steps that a recording stage took: conclusions, each with an atom of the stage that it rests on."""
        return {(self.resting[place] >> 32, self.resting[place] & 0xFFFFFFFF) for place in range(self.rested)}

    def softly_concluded(self, atom):
        """Did a soft rule conclude an atom at this recording stage?"""
        return self.softly[atom] == self.stage

    def derivations(self, atom):
        """How often a recording stage that counts concluded an atom from what is settled."""
        return self.ways[atom] if self.counted[atom] == self.stage else 0

    def derived(self):
        """The atoms, settled or not, that a recording stage without a guard concluded from what is settled."""
        return [atom for atom in range(self.atoms) if self.counted[atom] == self.stage and self.ways[atom]]

    # Trials

    def _barred(self, atom):
        """Is an atom known not to be concluded at this stage?"""
        return self.verdict[atom] == REFUTED or self.barred[atom] == self.stage

    def _blocked(self, atom):
        """Is an atom refuted by what is settled, or barred? What was refuted once is refuted for good."""
        if self._barred(atom):
            return True
        if self.verdict[atom] != self.stage:
            self.verdict[atom] = REFUTED if self._try([atom]) else self.stage
        return self.verdict[atom] == REFUTED

    def _stands(self, atom):
        """Is an atom settled, or on trial?"""
        return self.rank[atom] <= self.base or self.stamp[atom] == self.trial

    def refute(self, atom):
        """The rule and the body that refute an atom, given what is settled; None if nothing does."""
        return self.refuter if self._try([atom]) else None

    def stand(self, atoms):
        """Can some atoms and what is settled stand together? None: only if a choice that is left has an answer.

        A choice is left where the body of a hard rule with several heads holds, and none of the heads.
        """
        if self._try(list(atoms)):
            return False
        self.trial = self.trials
        left = [heads for heads in self.choices if not any(self._stands(atom) for atom in heads)]
        self.trial = -1
        return None if left else True

    def _try(self, atoms):
        """Do the hard rules lead from some atoms and what is settled to a violation?"""
        lower: cython.int = self.lower
        upper: cython.int = self.upper
        trigger_place: cython.int = self.trigger_place
        decided: cython.int = self.decided
        frame: cython.int = self.frame
        binding: cython.int = self.binding
        atom: cython.int
        refuted: cython.bint = False
        if self.trials == LAST_TRIAL:
            self.stamp = numbers(len(self.stamp))
            self.trials = 0
        self.frame = self.second_frame
        self.trials += 1
        self.trial = self.trials
        self.tried_size = 0
        self.choices.clear()
        self.refuter = None
        for atom in atoms:
            if not self._stands(atom) and not refuted:
                refuted = self._put_on_trial(atom) == STOP
        refuted = refuted or self._run_trial()
        self.trial = -1
        self.frame = frame
        self.binding = binding
        self.decided = decided
        self.lower = lower
        self.upper = upper
        self.trigger_place = trigger_place
        return refuted

    def _choose(self, rule):
        """On trial, one of the heads should hold; what follows from that is not found here."""
        head: cython.int
        atom: cython.int
        if self.trial < 0:
            return KNOWN
        heads = []
        for head in range(self.rule_heads[rule], self.rule_heads[rule + 1]):
            atom = self._intern(self._set_head(head))
            if self._stands(atom):
                return KNOWN
            heads.append(atom)
        self.choices.append(heads)
        return KNOWN

    def _put_on_trial(self, atom):
        if self.tried_size + 1 >= len(self.tried):
            self.tried = doubled(self.tried)
        self.stamp[atom] = self.trial
        self.tried[self.tried_size] = atom
        self.tried_size += 1
        if self.denied[atom]:
            self.refuter = (-1, (atom,))
            return STOP
        return KNOWN

    def _run_trial(self):
        """Chain from what is on trial."""
        place: cython.int = 0
        while place < self.tried_size:
            if self._fire_all(self.tried[place], self.base, self.base):
                return True
            place += 1
        return False

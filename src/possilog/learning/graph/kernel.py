# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loop of choosing rules for a ranking: where do answers stand if one more rule takes part?

Cython compiles this file where it can (pure Python mode); ``kernel.pyi`` says what callers see. A cell is a candidate
answer to a question that some rule concludes. Its score is what the chosen rules that conclude it say for it.
"""

import cython


def try_rule(
    at: cython.int[::1],
    score: cython.double[::1],
    concludes: cython.uchar[::1],
    wrong: cython.double[::1],
    answer: cython.int[::1],
    others: cython.int[::1],
    evidence: cython.double,
    ranks: cython.double[::1],
):
    """Write down the answers' ranks, were a rule added that says so much for what it concludes.

    A cell that is better than the answer counts for as much as it is wrong, and one as good for half of that.
    """
    question: cython.int
    cell: cython.int
    own: cython.double
    one: cython.double
    greater: cython.double
    equal: cython.double
    for question in range(answer.shape[0]):
        own = 0
        if answer[question] >= 0:
            own = score[answer[question]] + concludes[answer[question]] * evidence
        greater = 0
        equal = 0
        if own == 0:
            equal = others[question]
        for cell in range(at[question], at[question + 1]):
            one = score[cell] + concludes[cell] * evidence
            if one > own:
                greater += wrong[cell]
            elif one == own:
                equal += wrong[cell]
        ranks[question] = greater + (equal + 1) / 2


def mark_new(
    begin: cython.longlong[::1],
    end: cython.longlong[::1],
    members: cython.int[::1],
    fact_begin: cython.longlong[::1],
    fact_end: cython.longlong[::1],
    told: cython.uchar[::1],
    new: cython.uchar[::1],
):
    """Mark the rules that give a fact which no marked one before them gives.

    The constants of a rule's body are those of ``members`` from its begin to its end, and those of which its head is a
    fact from ``fact_begin`` to ``fact_end``. Rules with one head follow each other, the best first. ``told`` has a one
    for each constant, before and after.
    """
    rule: cython.Py_ssize_t
    place: cython.longlong
    is_new: cython.bint
    for rule in range(begin.shape[0]):
        if rule == 0 or fact_begin[rule] != fact_begin[rule - 1]:
            for place in range(fact_begin[rule], fact_end[rule]):
                told[members[place]] = 0
        is_new = False
        for place in range(begin[rule], end[rule]):
            if told[members[place]] == 0:
                told[members[place]] = 1
                is_new = True
        new[rule] = is_new
        if rule + 1 == begin.shape[0] or fact_begin[rule] != fact_begin[rule + 1]:
            for place in range(fact_begin[rule], fact_end[rule]):
                told[members[place]] = 1

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
    answer: cython.int[::1],
    others: cython.int[::1],
    worth: cython.double[::1],
    evidence: cython.double,
):
    """What the answers' ranks are worth in all, were a rule added that says so much for what it concludes.

    ``worth`` has the worth of every half rank.
    """
    question: cython.int
    cell: cython.int
    own: cython.double
    one: cython.double
    greater: cython.int
    equal: cython.int
    total: cython.double = 0
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
                greater += 1
            elif one == own:
                equal += 1
        total += worth[2 * greater + equal + 1]
    return total

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loop of choosing rules for a ranking: where do answers stand if one more rule takes part?

Cython compiles this file where it can (pure Python mode); ``kernel.pyi`` says what callers see. A cell is a candidate
answer to a question that some rule concludes. Its code has a bit for each chosen rule, the best rule's bit highest, so
that codes compare as lists of rules do.
"""

import cython


def try_rule(
    at: cython.int[::1],
    code: cython.longlong[::1],
    concludes: cython.uchar[::1],
    answer: cython.int[::1],
    others: cython.int[::1],
    worth: cython.double[::1],
    below: cython.int,
):
    """What the answers' ranks are worth in all, were a rule added that stands before ``below`` of the chosen ones.

    ``worth`` has the worth of every half rank.
    """
    question: cython.int
    cell: cython.int
    low: cython.longlong = (cython.cast(cython.longlong, 1) << below) - 1
    own: cython.longlong
    one: cython.longlong
    greater: cython.int
    equal: cython.int
    total: cython.double = 0
    for question in range(answer.shape[0]):
        own = 0
        if answer[question] >= 0:
            one = code[answer[question]]
            own = (
                ((one & ~low) << 1) | (cython.cast(cython.longlong, concludes[answer[question]]) << below) | (one & low)
            )
        greater = 0
        equal = 0
        if own == 0:
            equal = others[question]
        for cell in range(at[question], at[question + 1]):
            one = code[cell]
            one = ((one & ~low) << 1) | (cython.cast(cython.longlong, concludes[cell]) << below) | (one & low)
            if one > own:
                greater += 1
            elif one == own:
                equal += 1
        total += worth[2 * greater + equal + 1]
    return total

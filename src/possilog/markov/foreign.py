"""What other tools write into ``.mln`` files and nothing here means: told by its name, not as a slip of the pen."""

from __future__ import annotations

import re

from possilog.markov.network import NAME

__all__ = ["expected_instead"]

_NUMBER = r"[-+]?[\d.]++"
_ATOM = rf"{NAME}[ \t]*+\([^()\n]*+\)[ \t]*+"
_FOREIGN = {
    rf"{NAME}[ \t]*+:(?![=-])": "a number as the weight: weights that an argument gives are not supported",
    r"\|[^|\n]*+\|": "a formula: bounds on how many atoms are true are not supported, but a '!' after a type",
    rf"[PR]\([^\n]*\)[ \t]*+=[ \t]*+{_NUMBER}[ \t]*+$": "a formula: given probabilities are not supported",
    rf"{_ATOM}:=": "a declaration or a formula: predicates that are computed are not supported",
    rf"{_ATOM}:-": "a formula: write a rule as 'body => head.', with ^ between atoms",
    rf"(?!log[x\d]*+\(|(?:ln|exp|sqrt)\(){_ATOM}\*": "a formula: numeric terms (hybrid networks) are not supported",
    rf"(?:{_NUMBER})?:{_NUMBER}": "a weight and a formula: utilities are not supported",
    r"(?:[-+*/(). \t\d]|log[x\d]*+|exp|sqrt)*?domSize\(": "a weight that is a number: domSize is not supported",
    r"#(?!include\b)": '#include "FILE"; no other command with # is supported',
    r"[@$]": "a type, a declaration or a formula: @ and $ are not supported",
}
_SAID = [(re.compile(pattern, re.MULTILINE), said) for pattern, said in _FOREIGN.items()]


def expected_instead(text: str, position: int) -> str | None:
    """What is expected where a statement of another tool begins; None where none does.

    >>> expected_instead("conf: !RedConf(x, conf) v Red(x)", 0)
    'a number as the weight: weights that an argument gives are not supported'
    >>> expected_instead("1.5 Red(x)", 0)
    """
    return next((said for pattern, said in _SAID if pattern.match(text, position)), None)

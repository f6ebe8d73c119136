"""How many facts link two constants, by counting them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from possilog.data import Database
from possilog.data.linked import Linked
from possilog.logic import Atom

NAMES = list("abcd")
FACTS = st.tuples(st.sampled_from(["r", "s", "t"]), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3))


@given(st.lists(FACTS, max_size=12))
def test_facts_that_link_two_constants_are_those_with_both_of_them_alone(listed: list[tuple[str, list[str]]]) -> None:
    atoms = {Atom.ground(f"{name}{len(names)}", names) for name, names in listed}
    database = Database.of(atoms, constants=NAMES)
    first, second = (column.ravel() for column in np.indices((4, 4)))
    found = Linked(database).facts(first, second).reshape(4, 4)
    for one, left in enumerate(NAMES):
        for two, right in enumerate(NAMES):
            links = [
                atom for atom in atoms if len(atom.arguments) == 2 and {left, right} == {t.name for t in atom.arguments}
            ]
            assert found[one, two] == len(links)

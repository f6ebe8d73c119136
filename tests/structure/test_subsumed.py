"""Does a body contain one of some others?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from possilog.structure.subsumed import SubsumingBodies

BODIES = st.lists(st.integers(1, 63), max_size=5)


@given(BODIES)
def test_a_body_contains_another_where_it_has_all_its_atoms(bodies: list[int]) -> None:
    known = SubsumingBodies()
    for body in bodies:
        known.add(body)
    assert known.single == sum({body for body in bodies if body.bit_count() == 1})
    for asked in range(64):
        assert known.contained_in(asked) == any(asked & body == body for body in bodies)

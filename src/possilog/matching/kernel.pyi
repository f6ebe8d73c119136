"""What callers of the kernel see, compiled or not."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int32]
_Handle = object

MAX_VARIABLES: int

def handle(array: _Ints) -> _Handle: ...

class Search:
    def __init__(self) -> None: ...
    def load(
        self,
        depth: int,
        bound: int,
        constants: int,
        columns: Sequence[_Handle | None],
        starts: Sequence[_Handle | None],
        final: Sequence[bool],
        ranges: Sequence[tuple[int, int]],
        first: Sequence[int],
        occurrences: Sequence[tuple[int, int, bool]],
        depends: Sequence[int],
    ) -> None: ...
    @property
    def exhausted(self) -> bool: ...
    @property
    def counted(self) -> int: ...
    def begin(self, values: Sequence[int], resume: int) -> None: ...
    def run(self, budget: int) -> bool: ...
    def count(self, budget: int) -> None: ...
    def collect(self, rows: _Ints, budget: int) -> int: ...
    def cover(self, heads: _Ints, covered: npt.NDArray[np.uint8], start: int, budget: int, resumed: bool) -> int: ...

"""What callers of the kernel see, compiled or not."""

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]
_Bytes = npt.NDArray[np.uint8]

class Closing:
    def __init__(
        self,
        codes: int,
        links: tuple[_Ints, _Ints, _Ints, _Ints],
        own_links: tuple[_Ints, _Ints, _Ints, _Ints],
        place: _Ints,
        seen: _Bytes,
        noted: _Longs,
        counts: _Ints,
        touched: _Ints,
        examples: _Ints,
        wanted: _Bytes,
    ) -> None: ...
    def close_paths(self, source: _Ints, start: _Ints, middle: _Ints, witness: _Ints, last: _Bytes) -> int: ...

class Measuring:
    def __init__(
        self,
        source: _Ints,
        start: _Ints,
        middle: _Ints,
        row_at: _Ints,
        member: _Bytes,
        distinct: bool,
        mark: _Ints,
        rows: _Ints,
        columns: _Ints,
        found: _Ints,
    ) -> None: ...
    def measure(
        self,
        at: _Ints,
        near: _Ints,
        witness: _Ints,
        last: _Ints,
        head: _Ints,
        support: _Ints,
        least: float,
        sizes: _Longs,
        known: _Longs,
    ) -> None: ...

def count_meetings(
    members: _Ints, at: _Ints, feature: _Ints, counts: _Ints, touched: _Ints, examples: _Ints
) -> int: ...

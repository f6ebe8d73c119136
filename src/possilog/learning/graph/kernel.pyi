"""What callers of the kernel see, compiled or not."""

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int32]

def try_rule(
    at: _Ints,
    score: npt.NDArray[np.float64],
    concludes: npt.NDArray[np.uint8],
    wrong: npt.NDArray[np.float64],
    answer: _Ints,
    others: _Ints,
    evidence: float,
    ranks: npt.NDArray[np.float64],
) -> None: ...
def mark_new(
    begin: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    members: _Ints,
    fact_begin: npt.NDArray[np.int64],
    fact_end: npt.NDArray[np.int64],
    told: npt.NDArray[np.uint8],
    new: npt.NDArray[np.uint8],
) -> None: ...

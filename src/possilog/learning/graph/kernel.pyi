"""What callers of the kernel see, compiled or not."""

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int32]

def try_rule(
    at: _Ints,
    score: npt.NDArray[np.float64],
    concludes: npt.NDArray[np.uint8],
    answer: _Ints,
    others: _Ints,
    worth: npt.NDArray[np.float64],
    evidence: float,
) -> float: ...

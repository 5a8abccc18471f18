"""Arrow columns as numpy arrays without copying.

``pyarrow.Array.to_numpy`` imports pandas where it is installed, which costs a process 50 MiB and
more time than scoring a file; the buffers say the same.
"""

import numpy as np
import pyarrow as pa

_TYPES = {
    pa.int8(): np.int8,
    pa.int32(): np.int32,
    pa.int64(): np.int64,
    pa.uint8(): np.uint8,
    pa.float64(): np.float64,
}


def as_numpy(array: pa.Array) -> np.ndarray:
    """A view of an int, float64 or bool array; raises ValueError where it holds nulls."""
    if array.null_count:
        raise ValueError("the column has nulls")
    if pa.types.is_boolean(array.type):
        return as_numpy(array.cast(pa.uint8())).view(bool)
    kind = np.dtype(_TYPES[array.type])
    data = array.buffers()[1]
    if data is None or not len(array):
        return np.zeros(0, kind)
    return np.frombuffer(data, kind, len(array), array.offset * kind.itemsize)

"""The meaning of operators that NumPy has no function for: their kernel's, of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.teg import Operator, TensorType
from dask_tapestry_kernels.devices import kernels_of


def kernel_reference(operator: Operator, *inputs: Any) -> np.ndarray[Any, Any]:
    """What the kernel of an operator returns of whole arrays of the host, called once.

    Examples
    --------
    >>> from dask_tapestry.operators.sorting.joined_keys import JoinedKeys
    >>> kernel_reference(JoinedKeys(), np.array([[1], [2]], "u1"))
    array([1, 2], dtype=uint64)
    """
    types = tuple([TensorType(x.shape, x.dtype) for x in inputs])
    boxes = tuple([one.box for one in types])
    arguments = operator.arguments(types, operator.infer(*types).box, boxes)
    return kernels_of("cpu")[operator.kernel](None, *inputs, **arguments)

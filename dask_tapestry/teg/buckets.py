"""Buckets: the value of an exchange, whose blocks have sizes that are known only when it runs.

An exchange sends cells from producers to consumers. Its value has a cell for each producer and
consumer, a *bucket*: an array whose length the cells decide. So which bucket goes where is exact,
as of any value, and its bytes are expected ones.

Source: Tapestry whitepaper, "Block Operator Nodes".
"""

from __future__ import annotations

from functools import cached_property
from math import ceil
from typing import Any, cast

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg.types import DType, TensorType


@dataclass(frozen=True)
class BucketsDType:
    """Buckets as cells of a value; it stands where other values have a NumPy dtype.

    Attributes
    ----------
    cells
        Dtype of what is in a bucket.
    expected
        How many cells a bucket has, on average over all.
    allowance
        How many times that a plan counts, for skew. 1 where all buckets of a producer, and all of
        a consumer, have together a number of cells that is known.

    Examples
    --------
    >>> BucketsDType(np.dtype("f8"), 100.0, 1.5).itemsize
    1200
    """

    cells: np.dtype[Any]
    expected: float
    allowance: float = 1.0

    @cached_property
    def itemsize(self) -> int:
        """Bytes of a bucket."""
        return ceil(self.expected * self.allowance) * self.cells.itemsize

    @property
    def name(self) -> str:
        """What is in a bucket."""
        return f"bucket of {self.expected:.4g} {self.cells.name}"

    @property
    def arrays(self) -> tuple[np.dtype[Any], ...]:
        """Dtypes of the arrays that a block is made of."""
        return (self.cells,)

    names = None  # as of a dtype without fields
    hasobject = False


def buckets_type(
    shape: tuple[int, ...], cells: np.dtype[Any], expected: float, allowance: float = 1.0
) -> TensorType:
    """Type of buckets, with a cell for each producer and consumer."""
    return TensorType(shape, cast("DType", BucketsDType(cells, expected, allowance)))


def is_buckets(type_: TensorType) -> bool:
    """Whether the cells of a value are buckets."""
    return isinstance(type_.dtype, BucketsDType)


def cells_of(type_: TensorType) -> np.dtype[Any]:
    """Dtype of what is in the buckets of a value."""
    dtype: Any = type_.dtype
    found: np.dtype[Any] = dtype.cells
    return found

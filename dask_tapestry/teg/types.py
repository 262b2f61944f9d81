"""Types of tensors: what is known before they are computed."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import le
from typing import NamedTuple

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.references import cell_bytes
from dask_tapestry.zspace import ZRange
from dask_tapestry.zspace.range import trusted_range

DType = np.dtype[np.generic]
Dims = tuple[str | None, ...] | None


class TensorType(NamedTuple):
    """Shape, dtype and optional dimension names of a tensor.

    Examples
    --------
    >>> str(TensorType((4, 3), np.dtype("uint8"), ("batch", None)))
    'uint8[batch=4, 3]'
    """

    shape: tuple[int, ...]
    dtype: DType
    dims: Dims = None

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of cells."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all cells, with what they refer to."""
        return prod(self.shape) * cell_bytes(self.dtype)

    @property
    def box(self) -> ZRange:
        """The range of all coordinates."""
        return _whole(self.shape)

    def clip(self, box: ZRange) -> ZRange:
        """The part of a box inside the tensor; an empty box keeps its other extents."""
        if all(map(le, box.hi, self.shape)) and min(box.lo, default=0) >= 0:
            return box
        lo = tuple([min(max(0, a), n) for a, n in zip(box.lo, self.shape, strict=True)])
        return trusted_range(lo, tuple(map(max, lo, map(min, box.hi, self.shape))))

    def __str__(self) -> str:
        names = self.dims or (None,) * self.ndim
        sides = (f"{d}={n}" if d else f"{n}" for d, n in zip(names, self.shape, strict=True))
        return f"{dtype_name(self.dtype)}[{', '.join(sides)}]"


Types = tuple[TensorType, ...]  # of the inputs of an operator


@lru_cache(maxsize=1024)
def _whole(shape: tuple[int, ...]) -> ZRange:
    return ZRange((0,) * len(shape), shape)

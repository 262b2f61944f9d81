"""Outputs: the value of an operator that yields several tensors.

A node has one value, which is cut by one grid. An operator with several outputs, which may differ
in rank, is cut along the index dimensions that they all follow: its value has a cell for each point
of these, and a cell is what that point writes of each output, its `OutputWindow`. So a plan counts
its bytes, cuts it and moves it as any other value, while a worker holds a tuple of arrays. The
operator `Output` takes one of them, by the output's own projection.

Source: Tapestry whitepaper, "Block Operator Nodes" and "Signature Nodes".
"""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any, cast

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg.types import DType, TensorType
from dask_tapestry.zspace import IndexProjection
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape


@dataclass(frozen=True)
class OutputWindow:
    """What an index point writes of one output.

    Attributes
    ----------
    name
        Of the output.
    dtype
        Of the output's cells.
    projection
        From the index dimensions that all outputs follow to the cells that are written.
    """

    name: str
    dtype: np.dtype[Any]
    projection: IndexProjection

    @property
    def nbytes(self) -> int:
        """Bytes that an index point writes."""
        return prod(self.projection.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        sides = [n for n in self.projection.shape if n != 1]
        return f"{self.name} {dtype_name(self.dtype)}" + (str(list(sides)) if sides else "")


@dataclass(frozen=True)
class OutputsDType:
    """The cells of a value of several outputs; it stands where other values have a NumPy dtype.

    Of a dtype a plan asks for the bytes of a cell and for a name; NumPy's own have at most 2 GiB,
    which the window of an index point may exceed.

    Examples
    --------
    >>> row = IndexProjection([[1], [0]], [0, 0], [1, 4])
    >>> cell = IndexProjection([[1]], [0], [1])
    >>> f8 = np.dtype("f8")
    >>> both = OutputsDType((OutputWindow("cells", f8, row), OutputWindow("sums", f8, cell)))
    >>> both.name, both.itemsize
    ('(cells float64[4], sums float64)', 40)
    """

    windows: tuple[OutputWindow, ...]

    @cached_property
    def itemsize(self) -> int:
        """Bytes that an index point writes of all outputs."""
        return sum(window.nbytes for window in self.windows)

    @cached_property
    def name(self) -> str:
        """Name and cells of each output."""
        return f"({', '.join(map(str, self.windows))})"

    @cached_property
    def arrays(self) -> tuple[np.dtype[Any], ...]:
        """Dtypes of the arrays that a block is made of."""
        return tuple([window.dtype for window in self.windows])

    names = None  # as of a dtype without fields
    hasobject = False

    @cached_property
    def _hash(self) -> int:
        return hash(self.windows)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return OutputsDType, (self.windows,)


def outputs_dtype(windows: tuple[OutputWindow, ...]) -> DType:
    """What stands for the dtype of a value of several outputs."""
    return cast("DType", OutputsDType(windows))


def windows_of(type_: TensorType) -> tuple[OutputWindow, ...]:
    """The outputs of a value; () of one that is a tensor itself."""
    dtype: Any = type_.dtype
    return dtype.windows if isinstance(dtype, OutputsDType) else ()


def output_layout(window: OutputWindow) -> OutputShape:
    """How an output lies in the memory of a worker."""
    axes = []
    for row, width in zip(window.projection.matrix, window.projection.shape, strict=True):
        axes.append(OutputAxis(next((d for d, c in enumerate(row) if c), None), width))
    return OutputShape(window.name, window.dtype, tuple(axes))

"""Anything with ``shape``, ``dtype`` and ``__getitem__`` as a source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.io.chunk_costs import touched_chunk_cells
from dask_tapestry.teg import Source, Tensor, TensorType, apply
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


class DuckArray(Protocol):
    """What is read by slices."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions."""

    @property
    def dtype(self) -> DTypeLike:
        """Type of the cells."""

    def __getitem__(self, key: tuple[slice, ...], /) -> Any:
        """Cells, as anything that NumPy makes an array of."""


@dataclass(frozen=True)
class DuckSource(Source):
    """An object that is indexed with slices when its cells are needed."""

    name = "array"
    identity: str
    type: TensorType
    stored: tuple[int, ...] | None
    data: DuckArray = field(compare=False, repr=False)

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    @property
    def chunks(self) -> tuple[int, ...] | None:
        return self.stored

    def stored_bytes(self, box: ZRange) -> int:
        return touched_chunk_cells(box, self.stored, self.type.shape) * self.type.dtype.itemsize

    def read(self, box: ZRange) -> np.ndarray[Any, Any]:
        return checked_block(self.data[box.slices()], box.shape, self.type.dtype, self.data)

    def text(self) -> str:
        return type(self.data).__name__

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.read(self.type.box)


def checked_block(
    given: object, shape: tuple[int, ...], dtype: np.dtype[Any], giver: object
) -> np.ndarray[Any, Any]:
    """Return what an object gave as a NumPy array, if it is what the object had declared.

    Raises
    ------
    ValueError, TypeError
        If it has another shape or dtype, or hides some of its cells.
    """
    who = type(giver).__name__
    block = np.asanyarray(given)
    if isinstance(block, np.ma.MaskedArray):
        if np.ma.is_masked(block):
            raise ValueError(f"{who} gave masked cells: fill them, there are no masks here")
        block = block.data
    if block.shape != shape:
        raise ValueError(f"{who} gave shape {block.shape} where {shape} was asked for")
    if block.dtype.newbyteorder("=") != dtype:
        raise TypeError(f"{who} gave cells of {block.dtype}, its dtype says {dtype}")
    return np.asarray(block, dtype)


def from_duck(data: DuckArray, dims: Dims) -> Tensor:
    """Return the tensor of an array-like object; its own regular chunks are heeded.

    Raises
    ------
    DTypeError
        If it is no array, or one of Python objects.
    """
    if not all(hasattr(data, name) for name in ("shape", "dtype", "__getitem__")):
        raise DTypeError(
            f"{type(data).__name__} is no array: it needs shape, dtype and __getitem__"
        )
    dtype = np.dtype(data.dtype).newbyteorder("=")
    if dtype.hasobject:
        raise DTypeError("arrays of Python objects are not supported: cells need a fixed dtype")
    shape = tuple(int(n) for n in data.shape)
    if dims is not None and len(dims) != len(shape):
        raise ShapeError(f"{len(dims)} dimension names {dims} for {len(shape)} dimensions")
    stored = regular_chunks(data, len(shape))
    return apply(DuckSource(uuid4().hex, TensorType(shape, dtype, dims), stored, data))


def regular_chunks(data: object, ndim: int) -> tuple[int, ...] | None:
    """Sides of an object's chunks, if it names one for each dimension."""
    chunks = getattr(data, "chunks", None)
    if not isinstance(chunks, tuple) or len(chunks) != ndim:
        return None
    return chunks if all(isinstance(n, int) and n > 0 for n in chunks) else None

"""Duck arrays as sources: anything with ``shape``, ``dtype`` and ``__getitem__``."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from dask.tokenize import TokenizationError, tokenize
from numpy.typing import DTypeLike

from dask_tapestry.errors import DTypeError, PlanError
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.io.sources.declared_type import checked_block, declared_type
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Tensor, TensorType, apply
from dask_tapestry.teg.origin import TO_ZARR, UnnamedError
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat, is_on_device, refusal, with_all_cells


class DuckArray(Protocol):
    """An object that can be read by slices."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions."""

    @property
    def dtype(self) -> DTypeLike:
        """Type of the cells."""

    def __getitem__(self, key: tuple[slice, ...], /) -> Any:
        """Cells, as anything that NumPy makes an array of."""


@dataclass(frozen=True)
class DuckSource(ChunkedSource):
    """An object that is indexed with slices when its cells are needed."""

    name = "array"
    identity: str
    type: TensorType
    stored: tuple[int, ...] | None
    data: DuckArray | None = field(compare=False, repr=False)  # None of a slot
    format: BlockFormat | None = None

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        if self.data is None:
            raise PlanError(f"a slot has no cells: cannot read {box}")
        cells: Block = self.data[box.slices()]
        if is_on_device(cells):
            return cells
        return checked_block(with_all_cells(cells), box.shape, self.type.dtype, self.data)

    def origin(self) -> str:
        """What the object says by ``__dask_tokenize__``; the cells of blocks in a format."""
        what = f"an object of {type(self.data).__name__} has no name"
        if not hasattr(self.data, "__dask_tokenize__") and self.format is None:
            way = "give its class a method __dask_tokenize__, which returns what tells its cells"
            raise UnnamedError(what, f"{way}, or {TO_ZARR}")
        try:
            return f"{self.type} {tokenize(self.data, ensure_deterministic=True)}"
        except TokenizationError as error:
            raise UnnamedError(what, TO_ZARR) from error

    def slot(self, number: int, identity: str = "") -> DuckSource:
        return replace(self, identity=f"slot {number} {identity}", data=None)

    def text(self) -> str:
        return "open" if self.data is None else type(self.data).__name__


def from_duck(data: DuckArray, dims: Dims) -> Tensor:
    """Return the tensor of an array-like object; chunks that it names are stored chunks.

    Raises
    ------
    DTypeError
        If it is not an array.
    """
    if (reason := refusal(data)) is not None:
        raise DTypeError(f"an array is made of {reason}")
    block_format = BlockFormat.of(data)
    if block_format is not None:
        data = block_format.indexable(data)
    if not all(hasattr(data, name) for name in ("shape", "dtype", "__getitem__")):
        raise DTypeError(
            f"{type(data).__name__} is not an array: it needs shape, dtype and __getitem__"
        )
    shape = tuple(int(n) for n in data.shape)
    type_ = declared_type(shape, np.dtype(data.dtype), dims)
    stored = regular_chunks(data, len(shape))
    return apply(DuckSource(uuid4().hex, type_, stored, data, block_format))


def regular_chunks(data: object, ndim: int) -> tuple[int, ...] | None:
    """Sides of an object's chunks, if it names one for each dimension."""
    chunks = getattr(data, "chunks", None)
    if not isinstance(chunks, tuple) or len(chunks) != ndim:
        return None
    return chunks if all(isinstance(n, int) and n > 0 for n in chunks) else None

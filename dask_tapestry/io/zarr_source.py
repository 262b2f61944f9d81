"""Zarr arrays as sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import ShapeError, StoreError
from dask_tapestry.io.chunks import covering_cells
from dask_tapestry.io.zarr_array import Location, opened, read_box, refuse_incomplete
from dask_tapestry.teg import Source, Tensor, TensorType, apply
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class ZarrSource(Source):
    """A stored array, version 2 or 3; `stored` are the sides of its shards, else of its chunks."""

    name = "zarr"
    location: Location
    type: TensorType
    stored: tuple[int, ...]
    written: str = field(compare=False)  # the store, for printing

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.stored

    def stored_bytes(self, box: ZRange) -> int:
        return covering_cells(box, self.stored, self.type.shape) * self.type.dtype.itemsize

    def read(self, box: ZRange) -> np.ndarray[Any, Any]:
        try:
            return np.asarray(read_box(self.location, box.slices()), self.type.dtype)
        except Exception as error:
            raise StoreError(
                f"cannot read {box} of the Zarr array {self.written}: {error}"
            ) from error

    def text(self) -> str:
        return f"{self.written!r}, chunks {self.stored}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.read(self.type.box)


def from_zarr_store(store: Any, component: str | None, dims: Dims) -> Tensor:
    """Return the tensor stored at `store`; nothing but its metadata is read.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no array, it cannot be read, or a write of it has not ended.
    """
    location = Location.of(store, component, uuid4().hex)
    array = opened(location)
    refuse_incomplete(array, location)
    names = dims if dims is not None else getattr(array.metadata, "dimension_names", None)
    if names is not None and len(names) != array.ndim:
        raise ShapeError(f"{len(names)} dimension names {names} for {array.ndim} dimensions")
    named = tuple(names) if names is not None and any(names) else None
    type_ = TensorType(tuple(array.shape), np.dtype(array.dtype).newbyteorder("="), named)
    sides = tuple(max(1, n) for n in (getattr(array, "shards", None) or array.chunks))
    return apply(ZarrSource(location, type_, sides, str(location)))

"""The base of sources that are stored in chunks, each of which is read as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.io.chunks.chunk_costs import touched_chunk_cells
from dask_tapestry.teg import Source, TensorType
from dask_tapestry.zspace import ZRange


class ChunkedSource(Source):
    """A source with a type, stored in chunks of one shape.

    Attributes
    ----------
    type
        Of the tensor.
    stored
        Shape of the chunks; None where any part can be read alone.
    """

    type: TensorType
    stored: tuple[int, ...] | None

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    @property
    def chunks(self) -> tuple[int, ...] | None:
        return self.stored

    def stored_bytes(self, box: ZRange) -> int:
        cells = touched_chunk_cells(box, self.read_sides, self.type.shape)
        return cells * self.type.dtype.itemsize

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.read(self.type.box)

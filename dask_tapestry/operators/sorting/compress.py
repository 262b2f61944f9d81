"""Compress: the slices of a tensor where a mask is true, once they have been counted.

The counts of the mask's spans say where each span's cells lie in the output. So a block of the
output knows which spans it needs, reads those alone, and its shape is exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import MOST_KNOWN_CELLS
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import ANYWHERE, Regularity
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Compress(Selector):
    """Slices of the first input along `axis` where the second, a mask as long as it, is true.

    Parameters
    ----------
    span
        Cells of the mask that each count stands for.
    ends
        Running sums of the counts, int64, as bytes.
    bits
        The mask, eight cells a byte, where the client knows it and it is short; else None.
    """

    name = "compress"
    kernel = "compress"
    transparent = True
    axis: int
    span: int
    ends: bytes
    bits: bytes | None = None

    @cached_property
    def edges(self) -> list[int]:
        """Where each span's cells begin in the output, and the end."""
        edges: list[int] = np.frombuffer(self.ends, np.int64).tolist()
        return [0, *edges]

    def mask(self, inputs: Types) -> np.ndarray[Any, Any] | None:
        """The mask, where it is known."""
        if self.bits is None:
            return None
        bits = np.frombuffer(self.bits, np.uint8)
        return np.unpackbits(bits, count=inputs[1].shape[0]).astype(bool)

    def infer(self, *inputs: TensorType) -> TensorType:
        x = inputs[0]
        shape = list(x.shape)
        shape[self.axis] = self.edges[-1]
        return TensorType(tuple(shape), x.dtype, x.dims)

    def _spans(self, lo: int, hi: int) -> tuple[int, int]:
        """Spans that hold the output's cells ``[lo, hi)`` along the axis."""
        if lo >= hi:
            return 0, 0
        return bisect_right(self.edges, lo) - 1, bisect_left(self.edges, hi)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        first, end = self._spans(box.lo[self.axis], box.hi[self.axis])
        extent = inputs[1].shape[0]
        lo, hi = min(first * self.span, extent), min(end * self.span, extent)
        return (box.replace(self.axis, lo, hi), ZRange((lo,), (hi,)))

    def regularity(self, inputs: Types) -> Regularity:
        """Along the axis spans have as many cells as the mask says."""
        rank = inputs[0].ndim
        return tuple([None if axis == self.axis else ANYWHERE for axis in range(rank)])

    def flops(self, inputs: Types, box: ZRange) -> int:
        """One operation for each cell of the mask."""
        return self.demand(inputs, box)[1].size

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        lo, hi = box.lo[self.axis], box.hi[self.axis]
        first, _ = self._spans(lo, hi)
        return {"axis": self.axis, "skip": lo - self.edges[first], "length": hi - lo}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Whole spans along the axis; exactly the region along the others."""
        part = region[self.axis]
        first, end = self._spans(part.start, part.stop)
        lo, hi = (
            min(first * self.span, inputs[1].shape[0]),
            min(end * self.span, inputs[1].shape[0]),
        )
        cells_read = Progression.of(lo, 1, hi - lo)
        base = self.edges[first]
        ends = np.array(self.edges[first + 1 : end + 1], np.int64) - base
        yielded = Progression.of(base, 1, self.edges[end] - base)
        reads = Region((*region[: self.axis], cells_read, *region[self.axis + 1 :]))
        yields = Region((*region[: self.axis], yielded, *region[self.axis + 1 :]))
        mask = self.mask(inputs)
        bits = None if mask is None else np.packbits(mask[lo:hi]).tobytes()
        cut = Compress(self.axis, self.span, ends.tobytes(), bits)
        return Restriction(cut, (reads, Region((cells_read,))), yields)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Along the axis, chunks as long as the input's."""
        own = chunks[0]
        shorter = own[self.axis].refilled(self.edges[-1])
        return (*own[: self.axis], shorter, *own[self.axis + 1 :])

    def text(self) -> str:
        return f"axis={self.axis}, {self.edges[-1]} cells in {len(self.edges) - 1} spans"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.compress(inputs[1], inputs[0], self.axis)


def compress(
    x: Tensor,
    mask: Tensor,
    axis: int,
    counts: np.ndarray[Any, Any],
    span: int,
    known: np.ndarray[Any, Any] | None = None,
) -> Tensor:
    """Slices of `x` along `axis` where `mask` is true; `counts` are the true cells of its spans.

    Parameters
    ----------
    known
        The mask's cells, where the client has them.

    Raises
    ------
    ShapeError
        If the mask is not as long as the axis.
    """
    if mask.type.shape != (x.type.shape[axis],):
        raise ShapeError(f"a mask {mask.type} does not fit axis {axis} of {x.type}")
    told = known is not None and known.size <= MOST_KNOWN_CELLS
    bits = np.packbits(known).tobytes() if known is not None and told else None
    return apply(Compress(axis, span, np.cumsum(counts, dtype=np.int64).tobytes(), bits), x, mask)

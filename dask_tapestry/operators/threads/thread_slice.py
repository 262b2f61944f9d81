"""ThreadSlice: the part of a tensor that a thread reads, while its body is traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.errors import IndexingError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Operator, Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class ThreadSlice(Operator):
    """``x[start : start + size * stride : stride]`` along each axis; the starts are its inputs.

    It stands in the graph of one thread, and never in the one of all threads, where it is a window
    of a block or is gathered.

    Source: MLIR's RFC of `foreach_thread`, "tensor.extract_slice".
    """

    name = "threadslice"
    kernel = "none"
    transparent = True
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.sizes, inputs[0].dtype, inputs[0].dims)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return tuple(x.box for x in inputs)

    def text(self) -> str:
        return f"{self.sizes}" + (f", step {self.strides}" if set(self.strides) != {1} else "")


def check_inside(
    operator: ThreadSlice, starts: Sequence[np.ndarray[Any, Any]], shape: Sequence[int]
) -> None:
    """Raise where a thread reads cells that are not there, of a tensor of this shape.

    Raises
    ------
    IndexingError
        With the first such start.
    """
    axes = zip(starts, operator.sizes, operator.strides, shape, strict=True)
    for axis, (start, size, stride, extent) in enumerate(axes):
        outside = (start < 0) | (start + stride * (size - 1) >= extent)
        if size and outside.any():
            at = int(start[outside][0])
            raise IndexingError(
                f"a thread reads {size} cells from {at}, step {stride}, along axis {axis}, which "
                f"has {extent}"
            )


def thread_slice(
    x: Tensor, starts: tuple[Tensor, ...], sizes: tuple[int, ...], strides: tuple[int, ...]
) -> Tensor:
    """The part of `x` from `starts`, which are integers without dimensions."""
    return apply(ThreadSlice(sizes, strides), x, *starts)


class SlicePart(NamedTuple):
    """A slice of a captured tensor: the whole, the start, and the strides of the slice's cells."""

    whole: Tensor
    starts: tuple[Tensor, ...]
    strides: tuple[int, ...]


def part_of(x: Tensor) -> SlicePart | None:
    """What `x` is a part of; None if it is none that a thread takes."""
    operator = x.operator
    if not isinstance(operator, ThreadSlice):
        return None
    return SlicePart(x.inputs[0], x.inputs[1:], operator.strides)

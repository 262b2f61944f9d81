"""Concat: tensors joined along an axis."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known, common_chunks, concatenated_chunks
from dask_tapestry.teg.contract.access import Demanding
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import ANYWHERE, Regular, Regularity
from dask_tapestry.zspace import ZRange
from dask_tapestry.zspace.range import trusted_range


@dataclass(frozen=True)
class Concat(Selector):
    """The inputs joined along `axis`; their other extents and their dtype are the same."""

    name = "concat"
    kernel = "concat"
    any_format = True
    copies = True
    passes_alone = True
    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        shape = list(inputs[0].shape)
        shape[self.axis] = sum(x.shape[self.axis] for x in inputs)
        dims = next((x.dims for x in inputs if x.dims), None)
        return TensorType(tuple(shape), inputs[0].dtype, dims)

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,) * len(inputs)

    def offsets(self, inputs: Types) -> list[int]:
        """Where each input starts along the axis."""
        return [0, *accumulate(x.shape[self.axis] for x in inputs)][:-1]

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.demanding(inputs)(box)

    def demanding(self, inputs: Types) -> Demanding:
        """One empty box stands for all inputs of a length that a box does not meet."""
        axis, extents = self.axis, tuple([x.shape[self.axis] for x in inputs])
        starts = tuple(self.offsets(inputs))
        ends = tuple([start + extent for start, extent in zip(starts, extents, strict=True)])

        def demand(box: ZRange) -> tuple[ZRange, ...]:
            los, his = box.lo, box.hi
            fore, aft = (los[:axis], his[:axis]), (los[axis + 1 :], his[axis + 1 :])

            def span(lo: int, hi: int) -> ZRange:  # in half of the time of `box.replace`
                return trusted_range((*fore[0], lo, *aft[0]), (*fore[1], hi, *aft[1]))

            lo, hi = los[axis], his[axis]
            first, last = bisect_right(ends, lo), bisect_left(starts, hi)
            before = {n: span(n, n) for n in set(extents[:first])}
            behind = span(0, 0)
            met = [
                span(max(lo - starts[n], 0), min(hi - starts[n], extents[n]))
                for n in range(first, last)
            ]
            return (
                *[before[n] for n in extents[:first]],
                *met,
                *[behind] * (len(starts) - max(first, last)),
            )

        return demand

    def regularity(self, inputs: Types) -> Regularity:
        """Along the axis another rule holds in each input."""
        joints = Regular(breaks=tuple(self.offsets(inputs)[1:]))
        shape = inputs[0].shape
        return tuple([joints if axis == self.axis else ANYWHERE for axis in range(len(shape))])

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        cells = region[self.axis]
        regions = []
        for x, offset in zip(inputs, self.offsets(inputs), strict=True):
            inside = range(cells.start, cells.stop, cells.step)
            first = max(0, -(-(offset - cells.start) // cells.step))
            last = max(first, -(-(offset + x.shape[self.axis] - cells.start) // cells.step))
            part = inside[first:last]
            own = Progression.of(part.start - offset, cells.step, len(part))
            regions.append(Region((*region[: self.axis], own, *region[self.axis + 1 :])))
        return Restriction(self, tuple(regions), region)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Along the axis the inputs' chunks in a row; along the others the edges of all."""
        joined = concatenated_chunks([own[self.axis] for own in chunks])
        axes = zip(*chunks, strict=True)
        return tuple(
            joined if a == self.axis else common_chunks(axis) for a, axis in enumerate(axes)
        )

    def text(self) -> str:
        return f"axis={self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.concatenate(inputs, self.axis)


def concat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Join `tensors` along `axis`, promoted to one dtype, as `numpy.concatenate` does."""
    if not tensors:
        raise ShapeError("need at least one array to concatenate")
    ndim = tensors[0].type.ndim
    if not ndim:
        raise ShapeError("zero-dimensional arrays cannot be concatenated")
    number = normalize_axis(axis, ndim)
    _check_same(tensors, number)
    dtype = joint_dtype(tensors)
    for x in tensors:
        if not np.can_cast(x.type.dtype, dtype, "same_kind"):
            raise DTypeError(
                f"Cannot cast {x.type} to {dtype_name(dtype)} according to the rule 'same_kind'"
            )
    if len(tensors) == 1:
        return tensors[0]
    return apply(Concat(number), *[astype(x, dtype) for x in tensors])


def met_part(
    x: Tensor, first: Sequence[int], lengths: Sequence[int]
) -> tuple[Tensor, tuple[int, ...]]:
    """Those of joined tensors that have some cells of a box, and where it begins in them.

    What reads the box has no others in its program then.

    Parameters
    ----------
    first, lengths
        Of the box, which is not empty.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> tiles = [dt.placeholder((3, n), "f8") for n in (5, 2, 8)]
    >>> part, first = met_part(dt.concatenate(tiles, axis=1).node, (0, 6), (3, 4))
    >>> part.input_types[0].shape, len(part.inputs), first
    ((3, 2), 2, (0, 1))
    """
    place = tuple(first)
    while isinstance(x.operator, Concat) and not x.after:
        axis, offsets = x.operator.axis, x.operator.offsets(x.input_types)
        start, end = place[axis], place[axis] + lengths[axis]
        lo, hi = bisect_right(offsets, start) - 1, bisect_left(offsets, end)
        if hi - lo == len(offsets):
            break
        place = (*place[:axis], place[axis] - offsets[lo], *place[axis + 1 :])
        x = x.inputs[lo] if hi - lo == 1 else apply(x.operator, *x.inputs[lo:hi])
    return x, place


def joint_dtype(tensors: Sequence[Tensor]) -> np.dtype[Any]:
    """Dtype to which all tensors are promoted.

    Raises
    ------
    DTypeError
        If there is none.
    """
    try:
        return np.result_type(*[x.type.dtype for x in tensors])
    except TypeError as error:
        kinds = ", ".join(dtype_name(x.type.dtype) for x in tensors)
        raise DTypeError(f"no dtype holds cells of {kinds}: {error}") from None


def _check_same(tensors: Sequence[Tensor], axis: int) -> None:
    rest = [(*x.type.shape[:axis], *x.type.shape[axis + 1 :]) for x in tensors]
    ranks = {x.type.ndim for x in tensors}
    if len(ranks) > 1 or len(set(rest)) > 1:
        shapes = ", ".join(str(x.type.shape) for x in tensors)
        raise ShapeError(f"arrays to concatenate must agree in all but axis {axis}: got {shapes}")

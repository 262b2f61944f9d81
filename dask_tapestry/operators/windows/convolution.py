"""Convolution: sums of products of windows, whose stride and dilation its projections carry.

Tensors are x (batch, groups, channels, space...), k (groups, outputs, channels, window...) and the
result (batch, groups, outputs, space...). All but the channels are cut as they are; those are cut
into partial sums. A stride is never a sum over the s^rank phases of x and k, whose sums would add
up in another order: by the same kernel these took 1.2 times as long (3 x 3, stride 2, 64 and 256
channels) to 14 times (4 x 4, stride 4, 3 channels; one thread, float32).

Source: Tapestry whitepaper, "Sharding Convolution Operators" and "Sparse Strided Convolution
Operators".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import gcd, prod
from typing import Any, Final

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.contraction import Contraction
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import (
    CONVOLUTION_STRIP_BYTES,
    CONVOLUTION_TILE_BYTES,
    LEAST_STRIP_CELLS,
)
from dask_tapestry.operators.windows.dilated_windows import dilated_forms
from dask_tapestry.teg import (
    CELL_BY_CELL,
    Form,
    IndexDim,
    Kind,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    Turns,
)
from dask_tapestry.teg.operator import Restriction, Types, by_signature, clipped, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

CHANNEL: Final = 2  # axis of x that is folded, and of k


@dataclass(frozen=True)
class Convolution(Contraction):
    """``z[n, g, k, o] = sum over c, w of x[n, g, c, s * o + d * w] * k[g, k, c, w]`` in `dtype`.

    With `part`, one sum for each `part` channels, in a dimension before the others: these are to be
    summed. BLAS computes them from windows that are copied side by side, a strip at a time, and its
    bits depend on the block's shape.

    Attributes
    ----------
    strides, dilation
        s and d, for each dimension of space.
    dtype
        Of inputs and result.
    part
        Channels of a partial sum; None for whole sums.
    """

    name = "convolution"
    kernel = "convolution"
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    dtype: np.dtype[Any]
    part: int | None = None

    def _counts(self, x: TensorType, k: TensorType) -> list[int]:
        """Windows along each dimension of space."""
        spans = zip(x.shape[3:], k.shape[3:], self.strides, self.dilation, strict=True)
        return [max(0, (n - d * (w - 1) - 1) // s + 1) for n, w, s, d in spans]

    def infer(self, *inputs: TensorType) -> TensorType:
        x, k = inputs
        parts = () if self.part is None else (-(-x.shape[CHANNEL] // self.part),)
        shape = (*parts, *x.shape[:2], k.shape[1], *self._counts(x, k))
        dims = None
        if x.dims:
            dims = (*(None,) * len(parts), *x.dims[:2], None, *x.dims[3:])
        return TensorType(shape, self.dtype, dims)

    def signature(self, *inputs: TensorType) -> Signature:
        x, k = inputs
        rank, step = len(self.strides), self.part or 1
        steps = -(-x.shape[CHANNEL] // step)
        index = (
            IndexDim("n", x.shape[0]),
            IndexDim("g", x.shape[1]),
            IndexDim("k", k.shape[1]),
            *[IndexDim(f"o{a}", count) for a, count in enumerate(self._counts(x, k))],
            IndexDim("c", steps, Kind.REDUCTION if self.part is None else Kind.PARALLEL),
        )
        ndim = len(index)
        channels = (ndim - 1, step, step, 1)
        points = [(dim, 1, 1, 1) for dim in range(3 + rank)]
        window = k.shape[3:]
        spans = zip(points[3:], self.strides, window, self.dilation, strict=True)
        input_windows = [(point[0], s, w, d) for point, s, w, d in spans]
        kernel_windows = [(0, 0, w, 1) for w in window]
        written_dims = points if self.part is None else [(ndim - 1, 1, 1, 1), *points]
        return Signature(
            index,
            (
                _projection([*points[:2], channels, *input_windows], ndim),
                _projection([*points[1:3], channels, *kernel_windows], ndim),
            ),
            (_projection(written_dims, ndim),),
        )

    regularity = by_signature
    demanding = clipped

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        boxes = signature_of(self, inputs).demand(box)
        return tuple([x.clip(b) for b, x in zip(boxes, inputs, strict=True)])

    def folded(self, inputs: Types) -> int | None:
        return 3 + len(self.strides) if self.part is None else None

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        own = () if self.part else dilated_forms(self.strides, self.dilation)
        return (*super().forms(inputs), *own)

    def in_parts(self, part: int) -> Convolution:
        return replace(self, part=part)

    def combine(self, parts: Tensor) -> Tensor:
        return reduce(parts, "sum", 0, dtype=self.dtype, tree=Tree(parts.type.shape[:1]))

    def turns(self, inputs: Types) -> Turns:
        return CELL_BY_CELL

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The windows of a part of x, with larger strides where windows are left out."""
        x, k = inputs
        whole = Region.whole(self.infer(x, k).shape)
        lead = 0 if self.part is None else 1
        if region.is_empty or region[:lead] != whole[:lead]:
            return None
        n, g, outputs, *places = region[lead:]
        reads = [n, g, Progression(0, 1, x.shape[CHANNEL])]
        strides, dilation = [], []
        for place, w, s, d in zip(places, k.shape[3:], self.strides, self.dilation, strict=True):
            apart = s * place.step
            own_stride, own_dilation, pace = paces(apart, d, place.count, w)
            reach = (place.count - 1) * apart + (w - 1) * d
            reads.append(Progression.of(place.start * s, pace, reach // pace + 1))
            strides.append(own_stride)
            dilation.append(own_dilation)
        weights = [g, outputs, *[Progression(0, 1, extent) for extent in k.shape[2:]]]
        part = replace(self, strides=tuple(strides), dilation=tuple(dilation))
        return Restriction(part, (Region(reads), Region(weights)), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "strides": self.strides,
            "dilation": self.dilation,
            "part": self.part,
            "dtype": self.dtype,
        }

    def _terms(self, inputs: Types) -> int:
        """Products of a sum."""
        channels = inputs[0].shape[CHANNEL]
        return min(channels, self.part or channels) * prod(inputs[1].shape[3:])

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * box.size * self._terms(inputs)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A strip of windows and its products, and the weights side by side."""
        terms, outputs = self._terms(inputs), box.shape[2 if self.part is None else 3]
        places = box.size // max(1, outputs)
        cells = min(
            places,
            max(LEAST_STRIP_CELLS, CONVOLUTION_STRIP_BYTES // max(1, terms * self.dtype.itemsize)),
        )
        return self.dtype.itemsize * (cells * (terms + outputs) + outputs * terms)

    def text(self) -> str:
        parts = "" if self.part is None else f", parts of {self.part}"
        return f"strides={self.strides}, dilation={self.dilation}{parts}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Sum by sum, a cell of the window after the other."""
        x, k = inputs
        counts = self._counts(TensorType(x.shape, x.dtype), TensorType(k.shape, k.dtype))
        step = self.part or max(1, x.shape[CHANNEL])
        sums = []
        for start in range(0, max(1, x.shape[CHANNEL]), step):
            total = np.zeros((*x.shape[:2], k.shape[1], *counts), self.dtype)
            for at in np.ndindex(k.shape[3:]):
                spans = zip(at, counts, self.strides, self.dilation, strict=True)
                cut = [slice(j * d, j * d + max(0, s * (m - 1) + 1), s) for j, m, s, d in spans]
                cells = x[(slice(None), slice(None), slice(start, start + step), *cut)]
                weights = k[(slice(None), slice(None), slice(start, start + step), *at)]
                total += np.einsum("ngc...,gkc->ngk...", cells, weights, dtype=self.dtype)
            sums.append(total)
        return sums[0] if self.part is None else np.stack(sums)


@dataclass(frozen=True)
class DirectConvolution(Convolution):
    """A convolution that adds products in order: by channels, then by the window's cells.

    A cell has the same bits in every block. Parts of the channels would add up in another order, so
    only exact dtypes are cut along them.
    """

    name = "directconvolution"
    kernel = "directconvolution"

    def folded(self, inputs: Types) -> int | None:
        return super().folded(inputs) if self.dtype.kind in "biu" else None

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A tile of sums, and of products."""
        outputs = box.shape[2 if self.part is None else 3]
        cells = max(outputs * self.dtype.itemsize, CONVOLUTION_TILE_BYTES)
        each = 6 if self.dtype.kind == "c" else 3
        return each * min(cells, box.size * self.dtype.itemsize)


def paces(stride: int, dilation: int, count: int, window: int) -> tuple[int, int, int]:
    """Stride and dilation among every so many cells, which are all that windows have, and how many.

    Examples
    --------
    >>> paces(4, 2, 10, 3), paces(3, 5, 10, 1), paces(3, 5, 1, 2)
    ((2, 1, 2), (1, 1, 3), (1, 1, 5))
    """
    if window <= 1:
        dilation = stride
    if count <= 1:
        stride = dilation
    pace = gcd(stride, dilation)
    return stride // pace, dilation // pace, pace


def _projection(axes: list[tuple[int, int, int, int]], ndim: int) -> IndexProjection:
    """For each axis the dimension that moves it, by how much, and window and dilation there."""
    matrix = [[step if dim == own else 0 for dim in range(ndim)] for own, step, _, _ in axes]
    windows = [(window, dilation) for _, _, window, dilation in axes]
    return IndexProjection(
        matrix, (0,) * len(axes), [w for w, _ in windows], [d for _, d in windows], ndim
    )

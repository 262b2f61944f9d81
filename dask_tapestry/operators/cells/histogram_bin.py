"""HistogramBin: the number of the bin between ascending edges that each cell lies in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import HISTOGRAM_FLOPS
from dask_tapestry.teg import IndexDim, Region, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import BlockOperator, Restriction, Types, uniform
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class HistogramBin(BlockOperator):
    """Cell o is the number, from 1, of the bin of `edges` that cell o of `x` lies in.

    0 is below all bins; bins + 1 is above them, or NaN. A bin holds its lower edge, the last one
    its upper edge too. The dtype is the smallest unsigned one. With `even` edges bins are computed,
    else searched; complex numbers are searched in the order in which they sort.
    """

    name = "histogrambin"
    kernel = "bin"
    transparent = True
    repeats = True
    even: bool

    def infer(self, *inputs: TensorType) -> TensorType:
        x, edges = inputs
        return TensorType(x.shape, np.min_scalar_type(edges.shape[0]), x.dims)

    def signature(self, *inputs: TensorType) -> Signature:
        x, edges = inputs
        here = IndexProjection.identity(x.ndim)
        whole = IndexProjection(((0,) * x.ndim,), (0,), edges.shape, in_ndim=x.ndim)
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(x.shape))
        return Signature(index, (here, whole), (here,))

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return box, ZRange((0,), inputs[1].shape)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return Restriction(self, (region, Region.whole(inputs[1].shape)), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"even": self.even, "dtype": np.min_scalar_type(inputs[1].shape[0])}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return HISTOGRAM_FLOPS * box.size

    def text(self) -> str:
        return "even" if self.even else ""

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, edges = inputs
        numbers = np.searchsorted(edges, x, side="right")
        numbers = np.where(x == edges[-1], len(edges) - 1, numbers)
        return numbers.astype(np.min_scalar_type(len(edges)))


def histogram_bin(x: Tensor, edges: Tensor, *, even: bool = False) -> Tensor:
    """Number of the bin that each cell of `x` lies in; a NaN lies in none.

    Parameters
    ----------
    edges
        Ascending, shape (bins + 1,).
    even
        Whether they are evenly spaced.

    Raises
    ------
    ShapeError
        If `edges` is not a vector of one cell or more.
    DTypeError
        If cells of `x` have no order among the edges.
    """
    if edges.type.ndim != 1 or not edges.type.size:
        raise ShapeError(f"edges of bins are a vector of at least one cell, not {edges.type}")
    try:
        common = np.result_type(x.type.dtype, edges.type.dtype)
    except TypeError as error:
        raise DTypeError(
            f"bins of {edges.type.dtype} for cells of {x.type.dtype}: {error}"
        ) from None
    if common.kind not in "biufcmM":
        raise DTypeError(f"bins are not defined for cells of dtype {common.name}")
    return apply(HistogramBin(even), x, edges)

"""Scan: running totals along an axis, in a fixed order.

As the user wrote it, the axis is cut into leaves (`scan_leaves`). A cell is the total of all leaves
before its own, combined with the scan of its leaf up to it; leaf totals are combined from left to
right. So a cell has the same bits whichever of these computes it:

============  =======================  ==================================================
operator      reads                    yields
============  =======================  ==================================================
`Scan`        all cells up to the box  the scan, as the user wrote it
`ScanOn`      the box, one total       the scan, where pieces of it are computed in order
`LeafTotals`  leaves                   the total of each leaf
`ScanAfter`   leaves, one total        the scan again, from the total of the leaves before
`LeafScan`    leaves                   the scan of each leaf by itself
`LeafEnds`    leaves so scanned        the last cell of each but the last leaf: its total
`AfterLeaf`   the box, some totals     cells of leaves so scanned, after the leaves before
============  =======================  ==================================================

``Scan(x)`` is ``ScanAfter(x, Scan(LeafTotals(x)))``, the inner scan being one leaf, which reads x
twice; and it is, with ``y = LeafScan(x)``, ``AfterLeaf(y, Scan(LeafEnds(y)))``, which holds y.
A block that computes a scan piece by piece hands the total from each piece to the next one.
Totals are combined in one order however many there are, and the total before a leaf is added to
the scan of the leaf last: so the cumulative sum of numbers >= 0 never falls, not by one bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.ufuncs import UFUNCS
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.reductions.monoids import accumulator
from dask_tapestry.operators.scans.scan_leaves import leaf_length
from dask_tapestry.operators.scans.scan_operator import ScanOn, ScanOperator
from dask_tapestry.teg import (
    Carry,
    Form,
    IndexDim,
    Kind,
    Progression,
    Region,
    Selector,
    Signature,
    Tensor,
    TensorType,
    Turns,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types, by_signature
from dask_tapestry.teg.regularity import ANYWHERE, Regular, Regularity
from dask_tapestry.teg.stored_grid import stored_spacing
from dask_tapestry.zspace import IndexProjection, ZRange

ASSOCIATIVE: Final = frozenset(
    "add multiply maximum minimum fmax fmin logaddexp logaddexp2 logical_and logical_or "
    "logical_xor bitwise_and bitwise_or bitwise_xor gcd lcm".split()
)
LATER: Final = "later"  # the last cell that is neither NaN nor NaT
ROUNDING: Final = frozenset({"add", "multiply", "logaddexp", "logaddexp2"})


@dataclass(frozen=True)
class Scan(ScanOperator):
    """Cell j combines the cells 0 to j of the input along `axis`, in `dtype`."""

    name = "scan"
    kernel = "scan"

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        (x,) = inputs
        here = IndexProjection.identity(x.ndim)
        kinds = [Kind.SEQUENTIAL if d == self.axis else Kind.PARALLEL for d in range(x.ndim)]
        index = [IndexDim(f"i{d}", n, kinds[d]) for d, n in enumerate(x.shape)]
        return Signature(tuple(index), (here,), (here,))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (self._with_range(box, 0, box.hi[self.axis]),)

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Two, in three steps of which the second is small; the length of leaves is given."""
        (x,) = inputs
        if not x.size or x.shape[self.axis] <= self.leaf:
            return ()
        return Form("leaves", (self.leaf,), in_leaves), Form("totals", (self.leaf,), after_totals)

    def turns(self, inputs: Types) -> Turns:
        """Pieces along the axis one after the other, each continuing from the total so far."""
        on = ScanOn(self.function, self.axis, self.leaf, self.dtype, self.state)
        return Turns(carry=Carry(on, self.axis, self.state))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Along the axis all cells up to the last wanted one; along the others the region."""
        sides = list(region)
        sides[self.axis] = Progression.of(0, 1, region[self.axis].stop)
        kept = Region(sides)
        return Restriction(self, (kept,), kept)

    def regularity(self, inputs: Types) -> Regularity:
        """Along the axis each block reads more than the one before."""
        return self._ruled(inputs, None)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return self._kernel_arguments(box.lo[self.axis])

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        if self.function == LATER:
            return _last_known(x, self.axis)
        return np.asarray(UFUNCS[self.function].accumulate(x, axis=self.axis, dtype=self.dtype))


@dataclass(frozen=True)
class LeafTotals(ScanOperator):
    """Cell i combines the cells of leaf i from left to right, in `state`."""

    name = "leaftotals"
    kernel = "leaf_totals"

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        shape = list(x.shape)
        shape[self.axis] = -(-x.shape[self.axis] // self.leaf)
        return TensorType(tuple(shape), self.state, x.dims)

    def signature(self, *inputs: TensorType) -> Signature:
        (x,) = inputs
        sides = [self.leaf if dim == self.axis else 1 for dim in range(x.ndim)]
        index = [IndexDim(f"i{d}", -(-n // sides[d])) for d, n in enumerate(x.shape)]
        rows = [[int(d == dim) * sides[d] for d in range(x.ndim)] for dim in range(x.ndim)]
        reads = IndexProjection(tuple(map(tuple, rows)), (0,) * x.ndim, tuple(sides))
        return Signature(tuple(index), (reads,), (IndexProjection.identity(x.ndim),))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        extent = inputs[0].shape[self.axis]
        ends = (min(edge * self.leaf, extent) for edge in (box.lo[self.axis], box.hi[self.axis]))
        return (self._with_range(box, *ends),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = dict(self._kernel_arguments(0))
        del told["dtype"], told["skip"]
        return told


@dataclass(frozen=True)
class ScanAfter(ScanOperator):
    """The scan of the first input, given the scan of its leaf totals as the second."""

    name = "scanafter"
    kernel = "scan"

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        """Every axis is parallel; along the scanned one all is read, as far as it tells."""
        x, totals = inputs
        here = IndexProjection.identity(x.ndim)
        index = tuple(IndexDim(f"i{d}", n) for d, n in enumerate(x.shape))
        return Signature(index, (self._whole(x), self._whole(totals)), (here,))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        """Also the totals of leaves within: what a part of a box reads, the box has to read."""
        first = box.lo[self.axis] // self.leaf
        last = max(first, (box.hi[self.axis] - 1) // self.leaf)
        cells = self._with_range(box, first * self.leaf, box.hi[self.axis])
        return cells, self._with_range(box, max(first - 1, 0), last)

    def regularity(self, inputs: Types) -> Regularity:
        """Along the axis by leaves, of which the first has no total before it."""
        return self._ruled(inputs, Regular(self.leaf, (self.leaf,)))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        first = boxes[0].lo[self.axis]
        return {**self._kernel_arguments(box.lo[self.axis] - first), "begins": first == 0}


@dataclass(frozen=True)
class LeafScan(ScanOperator):
    """The scan of each leaf by itself, in `state`; held, as it is read twice."""

    name = "leafscan"
    kernel = "leaf_scan"

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.state)

    def signature(self, *inputs: TensorType) -> Signature:
        """Every axis is parallel; along the scanned one all is read, as far as it tells."""
        (x,) = inputs
        index = tuple(IndexDim(f"i{d}", n) for d, n in enumerate(x.shape))
        return Signature(index, (self._whole(x),), (IndexProjection.identity(x.ndim),))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        first = box.lo[self.axis] // self.leaf * self.leaf
        return (self._with_range(box, first, box.hi[self.axis]),)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return None  # leaves are counted from the start of the axis

    def regularity(self, inputs: Types) -> Regularity:
        return self._ruled(inputs, Regular(self.leaf))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = dict(self._kernel_arguments(box.lo[self.axis] - boxes[0].lo[self.axis]))
        del told["dtype"]
        return told


@dataclass(frozen=True)
class LeafEnds(Selector):
    """The last cell of each leaf but the last leaf; held apart, so that readers fetch few cells."""

    name = "leafends"
    kernel = "leaf_ends"
    transparent = False
    copies = True
    axis: int
    leaf: int

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        shape = list(x.shape)
        shape[self.axis] = max(0, -(-x.shape[self.axis] // self.leaf) - 1)
        return x._replace(shape=tuple(shape))

    def regularity(self, inputs: Types) -> Regularity:
        """Along the axis the last cell reads one leaf more."""
        shape = self.infer(*inputs).shape
        last = Regular(breaks=(shape[self.axis] - 1,))
        return tuple([last if axis == self.axis else ANYWHERE for axis in range(len(shape))])

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        """Whole leaves, the last one too, so that its blocks are cut as those it reads."""
        ends, extent = self.infer(*inputs).shape[self.axis], inputs[0].shape[self.axis]
        lo, hi = box.lo[self.axis] * self.leaf, box.hi[self.axis] * self.leaf
        return (box.replace(self.axis, lo, hi if box.hi[self.axis] < ends else extent),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "leaf": self.leaf, "count": box.shape[self.axis]}

    def text(self) -> str:
        return f"axis={self.axis}"


@dataclass(frozen=True)
class AfterLeaf(ScanOperator):
    """The scan: the first input is `LeafScan`'s, the second the scan of `LeafEnds`'."""

    name = "afterleaf"
    kernel = "after_leaf"
    transparent = True

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        x, ends = inputs
        here = IndexProjection.identity(x.ndim)
        index = tuple(IndexDim(f"i{d}", n) for d, n in enumerate(x.shape))
        return Signature(index, (here, self._whole(ends)), (here,))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        first = box.lo[self.axis] // self.leaf
        last = max(first, (box.hi[self.axis] - 1) // self.leaf)
        return box, self._with_range(box, max(first - 1, 0), last)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return None  # leaves are counted from the start of the axis

    def regularity(self, inputs: Types) -> Regularity:
        """Along the axis by leaves, of which the first has no total before it."""
        return self._ruled(inputs, Regular(self.leaf, (self.leaf,)))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return self._kernel_arguments(box.lo[self.axis])


@stand_in
def in_leaves(node: Tensor, leaf: int) -> Tensor:
    """``scan(x) -> afterleaf(y, scan(leafends(y)))`` with ``y = leafscan(x)``."""
    match node.operator:
        case Scan(function, axis, _, dtype, state) as whole:
            local = apply(LeafScan(function, axis, leaf, state, state), *node.inputs)
            before = _one_leaf(whole, apply(LeafEnds(axis, leaf), local))
            return apply(AfterLeaf(function, axis, leaf, dtype, state), local, before)
    raise TypeError(f"{node!r} is not a scan")


@stand_in
def after_totals(node: Tensor, leaf: int) -> Tensor:
    """``scan(x) -> scanafter(x, scan(leaftotals(x)))``, which reads x twice."""
    match node.operator:
        case Scan(function, axis, _, dtype, state) as whole:
            totals = apply(LeafTotals(function, axis, leaf, state, state), *node.inputs)
            before = _one_leaf(whole, totals)
            return apply(ScanAfter(function, axis, leaf, dtype, state), *node.inputs, before)
    raise TypeError(f"{node!r} is not a scan")


def _one_leaf(whole: Scan, totals: Tensor) -> Tensor:
    """The scan of totals, as one leaf: in one step from the first to the last."""
    extent, state = totals.type.shape[whole.axis], whole.state
    return apply(Scan(whole.function, whole.axis, extent, state, state), totals)


def scan(x: Tensor, function: str, axis: int, *, dtype: np.dtype[Any] | None = None) -> Tensor:
    """Combine the cells up to each one along `axis`, as ``ufunc.accumulate`` does.

    Parameters
    ----------
    function
        Name of an associative ufunc, one of `ASSOCIATIVE`.
    dtype
        Of the result, in which cells are combined; by default NumPy's choice.

    Raises
    ------
    AxisError
        If there is no such axis.
    DTypeError
        If the function has no loop of one dtype for these cells.
    """
    along = normalize_axis(axis, x.type.ndim)
    result = _result_dtype(function, x.type.dtype, dtype)
    state = accumulator(result) if function in ROUNDING else result
    cells = x if np.can_cast(x.type.dtype, state, "safe") else astype(x, result)
    leaf = leaf_length(x.type.shape[along], stored_spacing(x)[along])
    return apply(Scan(function, along, leaf, result, state), cells)


def scan_later(x: Tensor, axis: int) -> Tensor:
    """The last cell up to each one along `axis` that is neither NaN nor NaT, as pandas' `ffill`."""
    along, dtype = normalize_axis(axis, x.type.ndim), x.type.dtype
    leaf = leaf_length(x.type.shape[along], stored_spacing(x)[along])
    return apply(Scan(LATER, along, leaf, dtype, dtype), x)


def _last_known(x: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """A scan by `LATER`, in NumPy; cells before the first that is known stay."""
    known = ~(np.isnat(x) if x.dtype.kind in "mM" else np.isnan(x))
    here = np.indices(x.shape)[axis]
    last = np.maximum.accumulate(np.where(known, here, -1), axis=axis)
    return np.take_along_axis(x, np.where(last < 0, here, last), axis)


def _result_dtype(
    function: str, x: np.dtype[Any], requested: np.dtype[Any] | None
) -> np.dtype[Any]:
    """Dtype that NumPy gives the result."""
    if function not in ASSOCIATIVE:
        raise DTypeError(f"{function} is not associative: accumulate is not supported")
    missing = f"{function}.accumulate has no loop for {dtype_name(x)}"
    try:
        result: np.dtype[Any] = UFUNCS[function].accumulate(np.zeros(1, x), dtype=requested).dtype
    except (TypeError, ValueError) as error:
        raise DTypeError(f"{missing}: {error}") from None
    if x.kind not in "biufcmMO":
        raise DTypeError(missing)
    return result

"""BinCount: how many cells have each number, or lie in each bin, or the sum of their weights.

It is a reduction whose value is a table. Each leaf of the canonical tree has a table of its own, to
which its cells are added in C order, and tables are added in the tree's order, so that sums of
weights have one value for every sharding. A leaf is as large as its table is worth: it holds four
cells for each bin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.histogram_bin import HistogramBin, histogram_bin
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction, tree_over
from dask_tapestry.operators.tuning import (
    BINCOUNT_FLOPS,
    CELLS_A_BIN,
    COUNTED_LEAF_CELLS,
    EVEN_COUNT_FLOPS,
    UNEVEN_COUNT_FLOPS,
)
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Kind,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types, by_signature, signature_of
from dask_tapestry.teg.stored_grid import stored_cuts
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class BinCount(TreeReduction):
    """Cell b is the number of input cells equal to b, or the sum of their weights.

    Cells outside ``range(count)`` are left out; with `strict` computing them raises ValueError.
    Where `even` is no None, the second input has edges, evenly spaced or not, and what is counted
    are the numbers of the bins that cells of the first one lie in, as `HistogramBin` numbers them.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "bincount"
    kernel = "tabulate"
    tree: Tree
    count: int
    state: np.dtype[Any]
    strict: bool = False
    target: int | None = None
    even: bool | None = None

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The axes of numbers, all of which are folded."""
        return tuple(range(len(self.tree.extents)))

    def part(self, source: int | None, target: int | None) -> BlockOperator:
        if source is None:
            return replace(self, target=target)
        state = self.state
        return Reduce("sum", self.axes, self.tree, state, state, 0.0, source, target)

    def infer(self, *inputs: TensorType) -> TensorType:
        if self.target is None:
            return TensorType((self.count,), self.state)
        return TensorType((*self.tree.counts(self.target), self.count), self.state)

    def signature(self, *inputs: TensorType) -> Signature:
        """Bins are parallel, and so are the cells where tables come out, else a reduction."""
        rank, partial = len(self.tree.extents), self.target is not None
        ratios = self.tree.sides(self.target or 0) if partial else (1,) * rank
        counts = self.tree.counts(self.target or 0) if partial else self.tree.extents
        kind = Kind.PARALLEL if partial else Kind.REDUCTION
        dims = [IndexDim(f"r{axis}", n, kind) for axis, n in enumerate(counts)]
        rows = [tuple(r * (a == d) for d in range(rank + 1)) for a, r in enumerate(ratios)]
        starts = self.tree.offset if partial else (0,) * rank
        reads = IndexProjection(tuple(rows), starts, tuple(ratios))
        kept = range(0 if partial else rank, rank + 1)
        rows = [tuple(int(a == d) for d in range(rank + 1)) for a in kept]
        writes = IndexProjection(tuple(rows), (0,) * len(rows), (1,) * len(rows), in_ndim=rank + 1)
        boxes = [reads] * len(inputs)
        if self.even is not None:
            boxes[1] = IndexProjection(((0,) * (rank + 1),), (0,), inputs[1].shape)
        return Signature((*dims, IndexDim("bin", self.count)), tuple(boxes), (writes,))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(part) for x, part in zip(inputs, wanted, strict=True))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """None: counting some of the bins reads as much as counting all."""
        return None

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "tree": self.tree,
            "origin": boxes[0].lo,
            "bins": range(box.lo[-1], box.hi[-1]),
            "state": self.state,
            "target": self.target,
            "limit": self.count if self.strict else None,
            "even": self.even,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        each = {None: BINCOUNT_FLOPS, True: EVEN_COUNT_FLOPS, False: UNEVEN_COUNT_FLOPS}[self.even]
        return each * self.demand(inputs, box)[0].size

    def text(self) -> str:
        way = "" if self.target is None else f", to level {self.target}"
        edges = {None: "", True: " of even edges", False: " of edges"}[self.even]
        return f"{self.count} bins{edges}{way}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        cells, *others = inputs
        if self.even is not None:
            edges, *others = others
            cells = HistogramBin(self.even).reference(cells, edges)
        numbers = cells.ravel()
        table = np.zeros(self.count, self.state)
        held = (numbers >= 0) & (numbers < self.count)
        added = others[0].ravel()[held] if others else 1
        np.add.at(table, numbers[held], added)
        return table


def bincount(
    numbers: Tensor,
    count: int,
    weights: Tensor | None = None,
    *,
    strict: bool = False,
) -> Tensor:
    """Count the cells equal to each number below `count`, or add their weights.

    Parameters
    ----------
    weights
        Added where given, of the shape of `numbers`; in float64, or in complex128.
    strict
        Raise ValueError, when it is computed, where a cell is another number.

    Raises
    ------
    DTypeError
        If `numbers` are no integers or weights cannot be added in double precision.
    ShapeError
        If the shapes differ.
    """
    if numbers.type.dtype.kind not in "biu":
        raise DTypeError(f"bincount counts integers, not {dtype_name(numbers.type.dtype)}")
    state: np.dtype[Any] = np.dtype(np.intp)
    if weights is not None:
        if weights.type.shape != numbers.type.shape:
            raise ShapeError(f"weights {weights.type} for {numbers.type}: the shapes differ")
        state = np.dtype(np.complex128 if weights.type.dtype.kind == "c" else np.float64)
        if weights.type.dtype.kind not in "biufc":
            raise DTypeError(
                f"weights of dtype {dtype_name(weights.type.dtype)} cannot be added here"
            )
    inputs = [numbers] if weights is None else [numbers, weights]
    if not numbers.type.ndim:
        inputs = [reshape(x, 1) for x in inputs]
    cells = max(inputs, key=lambda x: (any(stored_cuts(x)), x.type.nbytes))
    leaf = max(COUNTED_LEAF_CELLS, CELLS_A_BIN * count)
    tree = tree_over(cells, range(cells.type.ndim), leaf)
    if weights is None and tree.lattice is None and len(tree.extents) == 1:
        tree = replace(tree, lattice=equal_parts(tree.extents[0], leaf))
    return apply(BinCount(tree, count, state, strict), *inputs)


def count_by_bin(
    x: Tensor, edges: Tensor, weights: Tensor | None = None, *, even: bool = False
) -> Tensor:
    """Count the cells in each bin, or add their weights; the first and last one hold all others.

    It is ``bincount(histogram_bin(x, edges, even=even), bins + 2, weights)``, cell by cell, and no
    number of a bin is written.

    Raises
    ------
    ShapeError, DTypeError
        As `histogram_bin` and `bincount`.
    """
    numbers = histogram_bin(x, edges, even=even)
    apart = bincount(numbers, edges.type.shape[0] + 1, weights)
    whole = apart.operator
    assert isinstance(whole, BinCount)
    cells = x if x.type.ndim else reshape(x, 1)
    return apply(replace(whole, even=even), cells, edges, *apart.inputs[1:])


def equal_parts(extent: int, least: int) -> Lattice | None:
    """A line in equal parts of `least` cells or more, a power of two of them; None for one.

    Counts are whole numbers, which have one sum in any order. So they need no leaves of one size,
    and any number of workers finds nodes that are alike.

    Examples
    --------
    >>> equal_parts(1000, 200)
    Lattice(sides=(250,), offset=(0,))
    """
    parts = 1 << max(0, (extent // least).bit_length() - 1)
    return Lattice((-(-extent // parts),), (0,)) if parts > 1 else None

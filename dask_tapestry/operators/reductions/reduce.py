"""Reduce: a monoid folded over some axes, in the canonical tree's order.

The one operator has four uses, which differ in where in the tree it starts and where it stops:

====================  ==================  =========================================
start (``source``)    stop (``target``)   meaning
====================  ==================  =========================================
None (cells)          None (the value)    the reduction as the user wrote it
None                  level t             partial results: the nodes at level t
level s               level t             nodes combined further
level s               None                nodes combined to the end and finalized
====================  ==================  =========================================

A node has the same bits wherever it is computed, so any chain of these has one value. A tensor of
nodes has the input's shape, but along the reduced axes the number of nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from math import prod
from typing import Any
from warnings import catch_warnings

import numpy as np

from dask_tapestry.amounts import real
from dask_tapestry.cells import CellExpression, Span, Tree, identity
from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.reductions.monoids import ARG_REDUCTIONS, MONOIDS, NamedMonoid
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction, tree_over
from dask_tapestry.operators.tuning import NODE_COPIES
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.contract.access import Demanding
from dask_tapestry.teg.operator import Formats, Types, by_signature, clipped, signature_of
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class Reduce(TreeReduction):
    """Fold `monoid` over `axes`, which go, in the order of `tree`, that of the user's input.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "reduce"
    kernel = "reduce"
    any_cells = True
    reads_cells = True
    monoid: str
    axes: tuple[int, ...]
    tree: Tree
    dtype: np.dtype[Any]  # of the value
    state: np.dtype[Any]  # of the nodes
    ddof: float = 0.0
    source: int | None = None
    target: int | None = None
    cells: CellExpression | None = None  # formula of the inputs that is folded; None: the input

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self.__getstate__().values()))  # once: a formula is hashed, and a tree

    def __hash__(self) -> int:
        return self._hash

    @property
    def called(self) -> str:
        return self.monoid

    def part(self, source: int | None, target: int | None) -> Reduce:
        cells = self.cells if source is None else None  # nodes are folded as they are
        return replace(self, source=source, target=target, cells=cells)

    def infer(self, *inputs: TensorType) -> TensorType:
        x = inputs[0]
        if self.target is not None:
            shape = list(x.shape)
            for axis, n in zip(self.axes, self.tree.counts(self.target), strict=True):
                shape[axis] = n
            return TensorType(tuple(shape), self.state, x.dims)
        kept = [dim for dim in range(x.ndim) if dim not in self.axes]
        dims = tuple(x.dims[dim] for dim in kept) if x.dims else None
        return TensorType(tuple(x.shape[dim] for dim in kept), self.dtype, dims)

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        if self.is_whole and self.monoid in ARG_REDUCTIONS:
            return Span(0, max(0, prod(self.tree.extents) - 1))
        return spans[0] if self.is_plain and self.monoid in ("min", "max") else None

    @property
    def is_plain(self) -> bool:
        """Whether it takes all cells and yields the value."""
        return self.is_whole and self.tree.selected is None

    @property
    def merges_freely(self) -> bool:
        """Integers and truths have one sum, product, and extreme in every order."""
        return self.state.kind in "biu" and bool(self._monoid.ufunc) and not self.tree.selected

    def _ratios(self) -> tuple[int, ...]:
        """Input cells, or nodes, for each node of the target, along the reduced axes."""
        tree = self.tree
        coarse = tree.sides(self.target or 0)
        fine = tree.sides(self.source) if self.source is not None else (1,) * len(coarse)
        return tuple(c // f for c, f in zip(coarse, fine, strict=True))

    def signature(self, *inputs: TensorType) -> Signature:
        """Kept axes are parallel; reduced ones are too where it yields nodes, else reductions."""
        x = inputs[0]
        partial = self.target is not None
        ratios = dict(zip(self.axes, self._ratios(), strict=True)) if partial else {}
        starts = [0] * x.ndim
        if partial and self.source is None:
            for axis, start in zip(self.axes, self.tree.offset, strict=True):
                starts[axis] = start
        dims = [
            IndexDim(
                f"r{axis}" if axis in self.axes else f"i{axis}",
                -(-(n - starts[axis]) // ratios.get(axis, 1)),
                Kind.REDUCTION if axis in self.axes and not partial else Kind.PARALLEL,
            )
            for axis, n in enumerate(x.shape)
        ]
        rows = [[0] * x.ndim for _ in range(x.ndim)]
        for axis in range(x.ndim):
            rows[axis][axis] = ratios.get(axis, 1)
        reads = IndexProjection(
            tuple(map(tuple, rows)), tuple(starts), tuple(ratios.get(a, 1) for a in range(x.ndim))
        )
        kept = [axis for axis in range(x.ndim) if partial or axis not in self.axes]
        rows = [[int(axis == dim) for dim in range(x.ndim)] for axis in kept]
        writes = IndexProjection(
            tuple(map(tuple, rows)), (0,) * len(kept), (1,) * len(kept), in_ndim=x.ndim
        )
        return Signature(tuple(dims), (reads,) * len(inputs), (writes,))

    def regularity(self, inputs: Types) -> Regularity | None:
        """By its signature; selected cells may lie anywhere along their axis."""
        along, rules = self.sought, by_signature(self, inputs)
        if along is None or self.target is None or rules is None:
            return rules
        return (*rules[:along], None, *rules[along + 1 :])

    @property
    def sought(self) -> int | None:
        """The axis along which the cells that it reads are selected; None if it reads all."""
        chosen = self.tree.selected
        return None if chosen is None or self.source is not None else self.axes[chosen.axis]

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (_demand(self, inputs, box),) * len(inputs)

    def demanding(self, inputs: Types) -> Demanding:
        return clipped(self, inputs) if self.sought is None else partial(self.demand, inputs)

    def narrowed(self, read: ZRange) -> ZRange:
        """The part of a box of cells from the first to the last one that is selected."""
        along, chosen = self.sought, self.tree.selected
        if along is None or chosen is None:
            return read
        return read.replace(along, *chosen.hull(read.lo[along], read.hi[along]))

    def _spans(self, inputs: Types, box: ZRange) -> tuple[tuple[int, int], ...] | None:
        """Cells along each folded axis that the nodes of a box stand for, where it reads fewer."""
        if self.sought is None:
            return None
        read = inputs[0].clip(signature_of(self, inputs).demand(box)[0])
        return tuple([(read.lo[axis], read.hi[axis]) for axis in self.axes])

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        return () if self.source is not None else (self.cells or identity(inputs[0].dtype),)

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> Reduce:
        (cells,) = formulas
        return replace(self, cells=None if cells == identity(cells.dtype) else cells)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "monoid": self.monoid,
            "axes": self.axes,
            "tree": self.tree,
            "origin": tuple(boxes[0].lo[axis] for axis in self.axes),
            "dtype": self.dtype,
            "state": self.state,
            "ddof": self.ddof,
            "source": self.source,
            "target": self.target,
            "expression": self.cells,
            "spans": self._spans(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.flops_of(self.demand(inputs, box)[0])

    def flops_of(self, read: ZRange) -> int:
        """Operations to fold the cells `read`, or as large a share of them as is selected."""
        every, folded = prod(self.tree.extents), prod(self.tree.folded)
        cells = read.size if every == folded else read.size * folded // every
        return cells * (1 + (self.cells.flops if self.cells else 0))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        read = self.demand(inputs, box)[0]
        return self.scratch_of(read) + self.gathered_bytes(inputs, read)

    def gathered_bytes(self, inputs: Types, read: ZRange) -> int:
        """Selected cells of one cell of the lattice, which are copied to lie together."""
        if self.tree.selected is None or self.source is not None:
            return 0
        sides = list(read.shape)
        for axis, side in zip(self.axes, self.tree.sides(0), strict=True):
            sides[axis] = min(sides[axis], side)
        return prod(sides) * sum(x.dtype.itemsize for x in inputs)

    def scratch_of(self, read: ZRange) -> int:
        """What nodes and leaves take until they are combined, beside the block itself."""
        shape = read.shape
        kept = prod([n for axis, n in enumerate(shape) if axis not in self.axes])
        folded = tuple([shape[axis] for axis in self.axes])
        if self.source is not None:
            nodes = NODE_COPIES * prod(folded) if prod(folded) > 1 else 1
        else:
            nodes = _nodes(self.tree, self.target, folded, has_fields=self.state.kind == "V")
        return nodes * kept * self.state.itemsize

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        """The format of the input; its fill value is the fold of the input's fill value alone."""
        (block_format, *_), (x, *_) = formats, inputs
        if block_format is None or not self.is_whole or x.dtype.kind not in "biufc":
            return None
        cell = np.full((1,) * x.ndim, block_format.fill).astype(x.dtype)
        with np.errstate(all="ignore"), catch_warnings(action="ignore"):
            folded = self.reference(cell) if self.cells is None else cell
        return block_format.filled(folded.reshape(-1)[0].item())

    def text(self) -> str:
        way = "" if self.source is None else f", from level {self.source}"
        way += "" if self.target is None else f", to level {self.target}"
        if (chosen := self.tree.selected) is not None and self.source is None:
            way = f", {chosen.cells} of {chosen.extent} cells along {self.axes[chosen.axis]}{way}"
        what = f" of {self.cells}" if self.cells else ""
        return f"{self.monoid}{what}, axes={self.axes}{way}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, chosen = inputs[0], self.tree.selected
        if chosen is not None:
            x = x.take(chosen.places(0, chosen.extent), self.axes[chosen.axis])
        return self._monoid.reference(x, self.axes, self.dtype, self.ddof)

    @property
    def _monoid(self) -> NamedMonoid:
        return MONOIDS[self.monoid]


@lru_cache(maxsize=1024)
def _nodes(tree: Tree, target: int | None, folded: tuple[int, ...], has_fields: bool) -> int:
    """Nodes that are there at a time while so many cells along each folded axis are folded.

    A single leaf is the block itself; its fields are computed one by one.
    """
    if not tree.lattice:
        return NODE_COPIES * _touched(folded, tree)
    cell = tuple(map(min, folded, tree.sides(0)))
    leaves = _touched(cell, tree.inner(cell))
    levels = tree.depth if target is None else target
    waiting = levels + 1 if levels else 0  # one of each level waits, two are merged
    return waiting + (NODE_COPIES * leaves if leaves > 1 else has_fields)


def _touched(cells: Sequence[int], tree: Tree) -> int:
    """Nodes at level 0 of so many cells along each folded axis."""
    return prod([-(-n // side) for n, side in zip(cells, tree.sides(0), strict=True)])


@lru_cache(maxsize=4096)
def _demand(operator: Reduce, inputs: Types, box: ZRange) -> ZRange:
    """The box of each input, remembered: boxes, operations and memory all ask for it."""
    return operator.narrowed(inputs[0].clip(signature_of(operator, inputs).demand(box)[0]))


def reduce(
    x: Tensor,
    monoid: str,
    axes: Axes = None,
    *,
    dtype: np.dtype[Any] | None = None,
    keepdims: bool = False,
    ddof: float = 0.0,
    tree: Tree | None = None,
) -> Tensor:
    """Fold a monoid over `axes`, all of them by default, as NumPy's function of that name does.

    Parameters
    ----------
    monoid
        A key of `MONOIDS`.
    dtype
        Of the result; by default NumPy's choice.
    keepdims
        Keep the reduced axes with length one.
    ddof
        Degrees of freedom taken off the count (var, std).
    tree
        Its order; by default that of these cells, as they are stored.

    Raises
    ------
    DTypeError
        If the monoid has no meaning for the dtype.
    ShapeError
        If no cell is reduced and the monoid has no identity.
    """
    chosen = normalize_axes(axes, x.type.ndim)
    declared = MONOIDS[monoid]
    result, state = declared.dtypes(x.type.dtype, dtype)
    extents = tuple(x.type.shape[axis] for axis in chosen)
    if not prod(extents) and not declared.has_identity:
        raise ShapeError(nothing_to_fold(declared, x.type))
    if not chosen:
        x = unsqueeze(x, x.type.ndim)
        chosen, keepdims, tree = (x.type.ndim - 1,), False, None
    if state.kind in "iuf":
        x = real_part(x)  # NumPy drops the rest with a warning
    order = tree_over(x, chosen) if tree is None else tree
    value = apply(Reduce(monoid, chosen, order, result, state, real("ddof", ddof)), x)
    return unsqueeze(value, chosen) if keepdims else value


def nothing_to_fold(monoid: NamedMonoid, x: TensorType) -> str:
    """The message for a reduction of no cells without identity, in NumPy's words."""
    if monoid.name in ARG_REDUCTIONS:
        place = monoid.name.removeprefix("nan")
        return f"attempt to get {place} of an empty sequence: {x}"
    name = "maximum" if monoid.name == "ptp" else monoid.ufunc or monoid.name
    return f"zero-size array to reduction operation {name} which has no identity: {x}"

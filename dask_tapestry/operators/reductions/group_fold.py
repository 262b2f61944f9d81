"""GroupFold: the cells of each of some groups folded to one, along axes that a code numbers.

It is a reduction whose value is a table. Each leaf of the canonical tree has a table of its own, in
which its cells are folded in C order, and tables are merged in the tree's order: so a value has the
same bits for every sharding. The graph does not grow with the groups.

Source: Tapestry whitepaper, "Dimension Reduction Operations".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from math import prod
from typing import Any, Final
from warnings import catch_warnings

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.tuning import LEAST_FOLDED_CELLS
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.added_places import at_places
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction, tree_over
from dask_tapestry.operators.tuning import CELLS_A_GROUP, GROUPED_CELL_FLOPS, GROUPED_LEAF_CELLS
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Kind,
    Region,
    Signature,
    Split,
    Tensor,
    TensorType,
    Turns,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

MANY_FOLDS: Final = {"nanmean": 2, "nanvar": 5, "nanstd": 5}  # times as many
SPREADS: Final = ("mean", "var", "std")  # whose states count what is not NaN
# Those whose state of some cells becomes that of one cell more, as the kernel folds them
GROWING: Final = frozenset({"sum", "prod", "min", "max", "any", "all", "nanmean"})


@dataclass(frozen=True)
class GroupMerge(Reduce):
    """Tables of groups folded further, as `Reduce` folds nodes; a group may have no cells."""

    name = "groupmerge"
    kernel = "groupmerge"


@dataclass(frozen=True)
class GroupFold(TreeReduction):
    """Cell (kept..., g) is the fold of the cells along `axes` whose code is g.

    Attributes
    ----------
    axes
        The folded axes of the first input.
    labelled
        Those of them that the second input, the codes, has; along others all cells have one code.
    count
        Number of groups. Cells with other codes are left out.
    skipna
        Whether NaN and NaT are left out.
    ddof
        Degrees of freedom taken off the count (var, std).
    """

    name = "groupfold"
    kernel = "groupfold"
    monoid: str
    skipna: bool
    axes: tuple[int, ...]
    labelled: tuple[int, ...]
    tree: Tree
    count: int
    dtype: np.dtype[Any]
    state: np.dtype[Any]
    ddof: float = 0.0
    target: int | None = None

    @property
    def called(self) -> str:
        return self.monoid

    @property
    def identity(self) -> Any:
        """Value of a group without cells."""
        return identity_of(self.monoid, self.state)

    def part(self, source: int | None, target: int | None) -> BlockOperator:
        if source is None:
            return replace(self, target=target)
        how = (self.monoid, self.axes, self.tree, self.dtype, self.state)
        return GroupMerge(*how, self.ddof, source, target)

    def turns(self, inputs: Types) -> Turns | None:
        """A table of one leaf takes cell after cell along the first folded axis."""
        if not self.grows:
            return super().turns(inputs)
        added = AddedGroups(**{one.name: getattr(self, one.name) for one in fields(self)})
        return Turns((1,), lambda _: Split(added, None, self.cells_of_leaf))

    @property
    def grows(self) -> bool:
        """Whether tables of leaves come out, to which cells are added one after the other."""
        if self.target != 0 or self.monoid not in GROWING:
            return False
        tree = self.tree
        return tree.lattice is None or prod(tree.inner(tree.sides(0)).counts(0)) == 1

    def cells_of_leaf(self, box: ZRange) -> ZRange | None:
        """A box of tables, behind the cells of a leaf along the first axis; None of several."""
        if any(box.shape[axis] > 1 for axis in self.axes):
            return None
        return box.embed(0, *self.tree.span(0, 0, box.lo[self.axes[0]]))

    def infer(self, *inputs: TensorType) -> TensorType:
        x, codes = inputs
        if codes.shape != tuple(x.shape[axis] for axis in self.labelled):
            raise ShapeError(
                f"codes {codes} of the axes {self.labelled} of {x}: the extents differ"
            )
        if self.target is None:
            kept = [n for axis, n in enumerate(x.shape) if axis not in self.axes]
            return TensorType((*kept, self.count), self.dtype)
        shape = list(x.shape)
        for axis, n in zip(self.axes, self.tree.counts(self.target), strict=True):
            shape[axis] = n
        return TensorType((*shape, self.count), self.state)

    def signature(self, *inputs: TensorType) -> Signature:
        """Kept axes and groups are parallel; folded ones are where tables come out."""
        x = inputs[0]
        rank, partial = x.ndim, self.target is not None
        sides = self.tree.sides(self.target or 0) if partial else ()
        ratios = dict(zip(self.axes, sides, strict=False))
        starts = [0] * rank
        for axis, start in zip(self.axes, self.tree.offset, strict=True):
            starts[axis] = start if partial else 0
        dims = [
            IndexDim(
                f"r{axis}" if axis in self.axes else f"i{axis}",
                -(-(n - starts[axis]) // ratios.get(axis, 1)),
                Kind.REDUCTION if axis in self.axes and not partial else Kind.PARALLEL,
            )
            for axis, n in enumerate(x.shape)
        ]
        steps = [ratios.get(axis, 1) for axis in range(rank)]
        reads = _scaled(range(rank), rank + 1, steps, starts)
        numbers = _scaled(self.labelled, rank + 1, steps, starts)
        kept = [axis for axis in range(rank) if partial or axis not in self.axes]
        writes = _scaled([*kept, rank], rank + 1, [1] * (rank + 1), [0] * (rank + 1))
        return Signature((*dims, IndexDim("group", self.count)), (reads, numbers), (writes,))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(part) for x, part in zip(inputs, wanted, strict=True))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """None: folding some of the groups reads as much as folding all."""
        return None

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "monoid": self.monoid,
            "skipna": self.skipna,
            "axes": self.axes,
            "labelled": self.labelled,
            "tree": self.tree,
            "origin": tuple([boxes[0].lo[axis] for axis in self.axes]),
            "groups": range(box.lo[-1], box.hi[-1]),
            "dtype": self.dtype,
            "state": self.state,
            "identity": self.identity,
            "ddof": self.ddof,
            "target": self.target,
        }

    @property
    def cell_flops(self) -> int:
        """Operations of a cell that is folded."""
        return GROUPED_CELL_FLOPS * MANY_FOLDS.get(self.monoid, 1)

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.cell_flops * self.demand(inputs, box)[0].size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Tables of the leaves of a cell of the lattice, and of each level of nodes."""
        read_box = self.demand(inputs, box)[0]
        kept_cells = prod([n for axis, n in enumerate(read_box.shape) if axis not in self.axes])
        folded, tree = [read_box.shape[axis] for axis in self.axes], self.tree
        if tree.lattice:
            cell = tuple(map(min, folded, tree.sides(0)))
            nodes = prod(tree.inner(cell).counts(0)) + tree.depth
        else:
            nodes = prod([-(-n // side) for n, side in zip(folded, tree.sides(0), strict=True)])
        tables = 2 * (1 + nodes) * kept_cells * (box.hi[-1] - box.lo[-1])
        return tables * self.state.itemsize

    def text(self) -> str:
        way = "" if self.target is None else f", to level {self.target}"
        return f"{self.monoid}, axes={self.axes}, {self.count} groups{way}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """NumPy's value of each group by itself."""
        x, codes = inputs
        cells = np.moveaxis(x, self.axes, range(len(self.axes)))
        extents = [x.shape[axis] if axis in self.labelled else 1 for axis in self.axes]
        codes = np.broadcast_to(codes.reshape(extents), cells.shape[: len(self.axes)])
        cells = cells.reshape(codes.size, *cells.shape[codes.ndim :])
        table = np.empty((self.count, *cells.shape[1:]), self.dtype)
        with np.errstate(all="ignore"), catch_warnings(action="ignore"):
            for group in range(self.count):
                table[group] = self._value(cells[codes.ravel() == group])
        return np.moveaxis(table, 0, -1)

    def _value(self, own: np.ndarray[Any, Any]) -> Any:
        name = self.monoid.removeprefix("nan")
        if name in SPREADS:
            options = {"ddof": self.ddof} if name != "mean" else {}
            return getattr(np, f"nan{name}" if self.skipna else name)(own, axis=0, **options)
        if not len(own):
            return self.identity
        if self.skipna:
            null = np.isnat(own) if own.dtype.kind in "mM" else np.isnan(own)
            own = np.where(null, self.identity, own)
        return getattr(np, MONOIDS[self.monoid].ufunc).reduce(own.astype(self.state), 0)


@dataclass(frozen=True)
class AddedGroups(GroupFold):
    """Adds the cells of some places along the first folded axis to the tables of a block.

    Its output, which is never in memory, has tables for each of these places.
    """

    name = "addedgroups"
    kernel = "add_groups"
    outermost = -1  # the groups: a place is of one

    @property
    def adds_to(self) -> Any:
        """The state of no cells."""
        return self.identity

    def turns(self, inputs: Types) -> Turns | None:
        return None

    def infer(self, *inputs: TensorType) -> TensorType:
        tables = super().infer(*inputs)
        return TensorType((inputs[0].shape[self.axes[0]], *tables.shape), tables.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        """That of the fold, of one place along the first axis."""
        return at_places(super().signature(*inputs), inputs[0], self.axes[0], self.labelled)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return super().arguments(inputs, ZRange(box.lo[1:], box.hi[1:]), boxes)

    def block_bytes(self, type_: TensorType, box: ZRange) -> int:
        """None: it adds to a block that is there."""
        return 0

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """None: tables are not merged."""
        return 0


def _scaled(dims: Any, count: int, steps: list[int], starts: list[int]) -> IndexProjection:
    """Projection to some of `count` dims, each by its step from its start."""
    rows = [tuple(steps[d] * (d == at) for at in range(count)) for d in dims]
    offsets, shape = (tuple(v[d] for d in dims) for v in (starts, steps))
    return IndexProjection(tuple(rows), offsets, shape, in_ndim=count)


def group_fold(
    x: Tensor,
    codes: Tensor,
    monoid: str,
    axes: tuple[int, ...],
    count: int,
    *,
    labelled: tuple[int, ...] | None = None,
    skipna: bool = False,
    dtype: np.dtype[Any] | None = None,
    ddof: float = 0.0,
) -> Tensor:
    """Fold the cells of each group along `axes`.

    Parameters
    ----------
    codes
        Integers of the extents of `labelled`: the number of each cell's group. Cells whose code is
        not below `count`, or negative, are left out.
    monoid
        "sum", "prod", "min", "max", "any", "all", "mean", "var" or "std".
    labelled
        The axes that the codes have, in the order of `axes`; by default all of these.
    skipna
        Leave NaN and NaT out. Then minima and maxima of no cells are NaN too.
    dtype
        Of the result, where the monoid lets it be chosen; by default NumPy's choice.
    ddof
        Degrees of freedom taken off the count (var, std).

    Returns
    -------
    Tensor
        Of the kept axes, and of `count` groups last. A group without cells has the monoid's
        identity: of a minimum the greatest value of the dtype, of a mean NaN.

    Raises
    ------
    DTypeError
        If the monoid has no meaning for the dtype, or codes are no integers.
    """
    if codes.type.dtype.kind not in "iu":
        raise DTypeError(f"groups are numbered by integers, not {dtype_name(codes.type.dtype)}")
    kind = x.type.dtype
    if kind.kind not in "biufcmM":
        raise DTypeError(f"cells of dtype {dtype_name(kind)} are not folded by group")
    skipna = skipna and kind.kind in "fcmM"
    if monoid in SPREADS:
        monoid = f"nan{monoid}"
    elif skipna and monoid in ("min", "max"):
        monoid = f"f{monoid}"
    as_floats = np.dtype(np.float64) if kind.kind in "biu" and monoid.startswith("nan") else kind
    result, state = MONOIDS[monoid].dtypes(as_floats, dtype)
    tree = group_tree(x, axes, count)
    state = _wide(monoid, state)
    how = (axes, axes if labelled is None else labelled, tree, count, result, state, ddof)
    return apply(GroupFold(monoid, skipna, *how), x, codes)


def group_tree(x: Tensor, axes: tuple[int, ...], count: int) -> Tree:
    """The canonical tree over the folded axes of cells of so many groups."""
    kept = prod(n for axis, n in enumerate(x.type.shape) if axis not in axes)
    folded = CELLS_A_GROUP * count
    leaf = max(folded, -(-GROUPED_LEAF_CELLS // max(1, kept)))
    return tree_over(x, axes, leaf, max(LEAST_FOLDED_CELLS, folded))


def _wide(monoid: str, state: np.dtype[Any]) -> np.dtype[Any]:
    """The state in double precision: a group may have very many cells, which are added in turn."""
    if state.names:
        return np.dtype([(name, _wide(monoid, state[name])) for name in state.names])
    if monoid in ("min", "max", "fmin", "fmax") or state.kind not in "fc":
        return state
    return np.result_type(state, np.float64)


@lru_cache(maxsize=256)
def identity_of(monoid: str, state: np.dtype[Any]) -> Any:
    """The value that changes no other under a monoid, in a dtype; NaN where those are left out.

    Examples
    --------
    >>> int(identity_of("min", np.dtype("i1"))), int(identity_of("sum", np.dtype("i1")))
    (127, 0)
    """
    if state.names:
        return np.zeros((), state)[()]
    if monoid in ("fmin", "fmax"):
        return np.array("NaT", state)[()] if state.kind in "mM" else state.type(np.nan)
    if monoid not in ("min", "max"):
        return np.asarray(MONOIDS[monoid].neutral).astype(state)[()]
    least = monoid == "max"
    if state.kind in "fc":
        return state.type(-np.inf if least else np.inf)
    if state.kind == "b":
        return np.bool_(not least)
    if state.kind in "mM":
        number = np.iinfo(np.int64)
        return np.array(number.min + 1 if least else number.max, np.int64).view(state)[()]
    return state.type(np.iinfo(state).min if least else np.iinfo(state).max)

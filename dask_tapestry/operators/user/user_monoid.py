"""Users' monoids: how partial results, and cells, are combined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, final

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.functions.monoid_dtype import (
    FieldByField,
    Fieldwise,
    folded_dtype,
    identity_cell,
)
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.reductions.contraction import Contraction
from dask_tapestry.operators.reductions.tree_reduction import tree_over
from dask_tapestry.teg import IndexDim, Kind, Operator, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

UFUNC_OF = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "any": np.logical_or,
    "all": np.logical_and,
}


@final
@dataclass(frozen=True)
class Monoid:
    """An associative way to combine two arrays of one shape, cell by cell, into one.

    Parameters
    ----------
    identity
        What no cells at all combine to; a tuple, where cells are combined as tuples of values. The
        dtype of the result holds it, the cells and what `combine` makes of them, by NumPy's
        promotion.
    combine
        Function of two arrays of one shape and dtype, the earlier cells' first, or of two tuples of
        arrays, that returns such a tuple. It must be associative, and need not be commutative.
    map
        Applied to cells, or to a block function's result, before they are combined; it makes the
        tuple where `combine` takes tuples.
    finalize
        Applied to what all cells combine to, an array or a tuple of arrays.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> later = dt.Monoid(0, lambda a, b: np.where(b == 0, a, b))
    >>> int(dt.reduction(dt.asarray([3, 7, 0]), later))
    7

    A mean is a sum and a count, divided at the end:

    >>> mean = dt.Monoid(
    ...     (0, 0),
    ...     lambda a, b: (a[0] + b[0], a[1] + b[1]),
    ...     map=lambda x: (x, np.ones(x.shape, int)),
    ...     finalize=lambda pair: pair[0] / pair[1],
    ... )
    >>> dt.reduction(dt.asarray([[1, 2, 6], [4, 5, 0]]), mean, axis=1).compute()
    array([3., 3.])
    """

    identity: Any
    combine: Callable[[Any, Any], Any]
    map: Callable[[Any], Any] | None = None
    finalize: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        for name in ("combine", "map", "finalize"):
            function = getattr(self, name)
            if not callable(function) and (name == "combine" or function is not None):
                raise ArgumentTypeError(f"Monoid: {name} must be a function, not {function!r}")
        if self.count is not None and self.count < 2:
            raise ArgumentTypeError(
                f"Monoid: an identity of one value is not a tuple: {self.identity!r}"
            )

    @property
    def count(self) -> int | None:
        """How many values the tuples have that it combines; None where it combines arrays."""
        return len(self.identity) if isinstance(self.identity, tuple) else None


@final
@dataclass(frozen=True)
class ReduceOver:
    """The kind of an index dimension that is folded; `reduce_over` makes one."""

    monoid: Combination


@final
@dataclass(frozen=True)
class ScanOver:
    """The kind of an index dimension that is scanned; `scan_over` makes one."""

    monoid: str | Monoid


Combination = str | tuple[str, ...] | Monoid  # a name, one for each output, or a user's


@dataclass(frozen=True)
class Fold(Contraction):
    """Combine the cells along `axis` by a function, in a fixed tree of neighbours.

    Cells 2i and 2i+1 are combined, then their results in the same way; an odd last one is kept.
    Along stored chunks `tree` has a lattice, whose cells are so combined by themselves first. With
    `levels` it yields the nodes that so many combinations of neighbours leave. The value is the
    same for every sharding.
    """

    name = "fold"
    kernel = "fold"
    clips = True
    combination: UserFunction
    axis: int
    identity: bytes
    dtype: np.dtype[Any]
    tree: Tree | None = None  # None: over what it reads, which is stored nowhere
    levels: int | None = None

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        lead = () if self.levels is None else (self._nodes(x),)
        rest = _all_but(x.shape, self.axis)
        dims = _all_but(x.dims, self.axis) if x.dims else None
        return TensorType((*lead, *rest), self.dtype, dims and (*(None,) * len(lead), *dims))

    def _tree_over(self, x: TensorType) -> Tree:
        return self.tree or pairs(x.shape[self.axis])

    def _nodes(self, x: TensorType) -> int:
        return self._tree_over(x).counts(self.levels or 0)[0]

    def signature(self, *inputs: TensorType) -> Signature:
        (x,) = inputs
        partial, tree = self.levels is not None, self._tree_over(x)
        (span,) = tree.sides(self.levels or 0) if partial else (1,)
        kind = Kind.PARALLEL if partial else Kind.REDUCTION
        nodes = self._nodes(x) if partial else x.shape[self.axis]
        extents = [nodes if axis == self.axis else n for axis, n in enumerate(x.shape)]
        index = tuple(
            IndexDim(f"i{axis}", n, kind if axis == self.axis else Kind.PARALLEL)
            for axis, n in enumerate(extents)
        )
        sides = [span if axis == self.axis else 1 for axis in range(x.ndim)]
        rows = [[sides[a] if a == d else 0 for d in range(x.ndim)] for a in range(x.ndim)]
        kept = [axis for axis in range(x.ndim) if axis != self.axis]
        order = [self.axis, *kept] if partial else kept
        unit = [[int(a == d) for d in range(x.ndim)] for a in order]
        starts = [tree.offset[0] if partial and a == self.axis else 0 for a in range(x.ndim)]
        reads = IndexProjection(rows, starts, sides)
        writes = IndexProjection(unit, (0,) * len(order), (1,) * len(order), in_ndim=x.ndim)
        return Signature(index, (reads,), (writes,))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        (wanted,) = signature_of(self, inputs).demand(box)
        return (inputs[0].clip(wanted),)

    def folded(self, inputs: Types) -> int | None:
        return self.axis if self.levels is None else None

    def in_parts(self, part: int) -> Fold:
        (side,) = self.tree.sides(0) if self.tree else (1,)
        return replace(self, levels=(max(1, -(-part // side)) - 1).bit_length())

    def combine(self, parts: Tensor) -> Tensor:
        return apply(replace(self, axis=0, tree=None), parts)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "function": self.combination,
            "axis": self.axis,
            "tree": self._tree_over(inputs[0]),
            "origin": boxes[0].lo[self.axis],
            "level": self.levels,
            "identity": self.empty,
            "dtype": self.dtype,
        }

    @property
    def empty(self) -> Any:
        """What no cells combine to; 0 where cells have no bytes."""
        return np.frombuffer(self.identity, self.dtype)[0] if self.dtype.itemsize else 0

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.demand(inputs, box)[0].size

    def text(self) -> str:
        level = "" if self.levels is None else f", to level {self.levels}"
        return f"{self.combination.name}, axis={self.axis}{level}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        cells = np.moveaxis(inputs[0].astype(self.dtype), self.axis, 0)
        if not len(cells):
            lead = () if self.levels is None else (0,)
            rest = _all_but(inputs[0].shape, self.axis)
            return np.full((*lead, *rest), self.empty, self.dtype)
        tree = self.tree or pairs(len(cells))
        spans = [tree.span(0, 0, number) for number in range(*tree.counts(0))]
        nodes = [self._combined(list(cells[lo:hi]), None)[0] for lo, hi in spans]
        nodes = self._combined(nodes, self.levels)
        return np.asarray(nodes if self.levels is not None else nodes[0], self.dtype)

    def _combined(self, nodes: list[Any], levels: int | None) -> list[Any]:
        level = 0
        while len(nodes) > 1 and level != levels:
            two = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
            nodes = [self.combination(*pair) if len(pair) > 1 else pair[0] for pair in two]
            level += 1
        return nodes


class Combining(NamedTuple):
    """What a fold combines: its function, the dtype of what it combines, and the identity."""

    function: UserFunction
    dtype: np.dtype[Any]
    identity: Any


def combining(operator: Operator) -> Combining | None:
    """What an operator combines by a function of the user; None if it is no fold."""
    if not isinstance(operator, Fold):
        return None
    return Combining(operator.combination, operator.dtype, operator.empty)


def pairs(cells: int) -> Tree:
    """The tree in which neighbours are combined, over cells that are stored nowhere."""
    return Tree((cells,), 1)


def _all_but(values: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*values[:place], *values[place + 1 :])


def combination(monoid: Combination, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """The function that combines two arrays of `dtype`; several results are its fields."""
    if isinstance(monoid, tuple):
        return FieldByField(tuple(UFUNC_OF[name] for name in monoid))
    function = monoid.combine if isinstance(monoid, Monoid) else UFUNC_OF[monoid]
    return Fieldwise(function, isinstance(monoid, str)) if dtype.names else function


def empty_cell(monoid: Combination, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """What no cells combine to, in `dtype`.

    Raises
    ------
    ShapeError
        If the monoid has no identity, in NumPy's words.
    DTypeError
        If the dtype does not hold it.
    """
    if isinstance(monoid, Monoid):
        return identity_cell(monoid.identity, dtype)
    names = monoid if isinstance(monoid, tuple) else (monoid,)
    for ufunc in (UFUNC_OF[name] for name in names):
        if ufunc.identity is None:
            raise ShapeError(
                f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
            )
    empties = tuple(UFUNC_OF[name].identity for name in names)
    return identity_cell(empties if isinstance(monoid, tuple) else empties[0], dtype)


def fold_operator(
    monoid: Combination, axis: int, dtype: np.dtype[Any], tree: Tree | None = None
) -> Fold:
    """The operator that combines cells along `axis` in `dtype`, without the monoid's map."""
    names = () if isinstance(monoid, Monoid) else (monoid,) if isinstance(monoid, str) else monoid
    has = all(UFUNC_OF[name].identity is not None for name in names)
    empty = empty_cell(monoid, dtype) if has else np.zeros((), dtype)
    return Fold(UserFunction.of(combination(monoid, dtype)), axis, empty.tobytes(), dtype, tree)


def levels_of(cells: int) -> int:
    """Levels of the tree over so many cells."""
    return max(0, (cells - 1).bit_length()) if cells else 0


def fold(x: Tensor, monoid: Monoid, axis: int) -> Tensor:
    """Combine the cells of `x` along `axis` in a fixed order, without the monoid's map."""
    axis = normalize_axis(axis, x.type.ndim)
    dtype, levels = x.type.dtype, levels_of(x.type.shape[axis])
    dtype = folded_dtype(combination(monoid, dtype), monoid.identity, dtype, levels)
    tree = tree_over(x, (axis,), 1)
    return apply(fold_operator(monoid, axis, dtype, tree if tree.lattice else None), x)

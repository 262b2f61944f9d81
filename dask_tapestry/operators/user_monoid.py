"""Monoids of the user's own: what folds partial results, and cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.call import Call
from dask_tapestry.operators.contraction import Contraction
from dask_tapestry.teg import IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, signature_of
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
        What no cells at all combine to.
    combine
        Function of two arrays of one shape and dtype, the earlier cells' first; it must be
        associative, and need not be commutative.
    map
        Applied to cells, or to a block function's result, before they are combined.
    finalize
        Applied to what all cells combine to.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> later = dt.Monoid(0, lambda a, b: np.where(b == 0, a, b))
    >>> int(dt.reduction(dt.asarray([3, 7, 0]), later))
    7
    """

    identity: Any
    combine: Callable[[Any, Any], Any]
    map: Callable[[Any], Any] | None = None
    finalize: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        for name in ("combine", "map", "finalize"):
            function = getattr(self, name)
            if not callable(function) and (name == "combine" or function is not None):
                raise TypeError(f"Monoid: {name} must be a function, not {function!r}")


@final
@dataclass(frozen=True)
class ReduceOver:
    """The kind of an index dimension that is folded; `reduce_over` makes one."""

    monoid: str | Monoid


@dataclass(frozen=True)
class Fold(Contraction):
    """Combine the cells along `axis` by a function, in a fixed tree of neighbours.

    Cells 2i and 2i+1 are combined, then their results alike; the last of an odd number passes. With
    `levels` it stops there, with what each 2**levels cells combine to. The value is the same
    however it is cut.
    """

    name = "fold"
    kernel = "fold"
    combination: Call
    axis: int
    identity: bytes
    levels: int | None = None

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        lead = () if self.levels is None else (self._nodes(x),)
        rest = _without(x.shape, self.axis)
        dims = _without(x.dims, self.axis) if x.dims else None
        return TensorType((*lead, *rest), x.dtype, dims and (*(None,) * len(lead), *dims))

    def _nodes(self, x: TensorType) -> int:
        return -(-x.shape[self.axis] // (1 << (self.levels or 0)))

    def signature(self, *inputs: TensorType) -> Signature:
        (x,) = inputs
        partial, span = self.levels is not None, 1 << (self.levels or 0)
        kind = Kind.PARALLEL if partial else Kind.REDUCTION
        extents = [self._nodes(x) if axis == self.axis else n for axis, n in enumerate(x.shape)]
        index = tuple(
            IndexDim(f"i{axis}", n, kind if axis == self.axis else Kind.PARALLEL)
            for axis, n in enumerate(extents)
        )
        sides = [span if axis == self.axis else 1 for axis in range(x.ndim)]
        rows = [[sides[a] if a == d else 0 for d in range(x.ndim)] for a in range(x.ndim)]
        kept = [axis for axis in range(x.ndim) if axis != self.axis]
        order = [self.axis, *kept] if partial else kept
        unit = [[int(a == d) for d in range(x.ndim)] for a in order]
        reads = IndexProjection(rows, (0,) * x.ndim, sides)
        writes = IndexProjection(unit, (0,) * len(order), (1,) * len(order), in_ndim=x.ndim)
        return Signature(index, (reads,), (writes,))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        (wanted,) = signature_of(self, inputs).demand(box)
        return (inputs[0].clip(wanted),)

    def folded(self, inputs: Types) -> int | None:
        return self.axis if self.levels is None else None

    def in_parts(self, part: int) -> Fold:
        return replace(self, levels=max(0, (part - 1).bit_length()))

    def combine(self, parts: Tensor) -> Tensor:
        return apply(replace(self, axis=0), parts)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        dtype = inputs[0].dtype
        return {
            "function": self.combination,
            "axis": self.axis,
            "levels": self.levels,
            "identity": np.frombuffer(self.identity, dtype)[0] if dtype.itemsize else 0,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.demand(inputs, box)[0].size

    def text(self) -> str:
        level = "" if self.levels is None else f", to level {self.levels}"
        return f"{self.combination.name}, axis={self.axis}{level}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        nodes = list(np.moveaxis(inputs[0], self.axis, 0))
        if not nodes:
            lead = () if self.levels is None else (0,)
            empty = np.frombuffer(self.identity, inputs[0].dtype)[0]
            return np.full((*lead, *_without(inputs[0].shape, self.axis)), empty)
        level = 0
        while len(nodes) > 1 and level != self.levels:
            pairs = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
            nodes = [self.combination(*pair) if len(pair) > 1 else pair[0] for pair in pairs]
            level += 1
        return np.asarray(nodes if self.levels is not None else nodes[0], inputs[0].dtype)


def _without(values: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*values[:place], *values[place + 1 :])


@dataclass(frozen=True)
class Fieldwise:
    """A combination of structured cells: of each field, or by a function of two tuples of them."""

    function: Callable[..., Any]
    each: bool

    def __call__(self, a: Any, b: Any) -> Any:
        left = tuple(a[name] for name in a.dtype.names)
        right = tuple(b[name] for name in b.dtype.names)
        if self.each:
            return tuple(self.function(x, y) for x, y in zip(left, right, strict=True))
        return self.function(left, right)


def fold_operator(monoid: str | Monoid, axis: int, dtype: np.dtype[Any]) -> Fold:
    """The operator that combines cells of `dtype` along `axis`, without the monoid's map."""
    function: Callable[..., Any]
    if isinstance(monoid, Monoid):
        function, identity = monoid.combine, monoid.identity
    else:
        ufunc = UFUNC_OF[monoid]
        function, identity = ufunc, 0 if ufunc.identity is None else ufunc.identity
    if dtype.names:
        function = Fieldwise(function, isinstance(monoid, str))
    empty = np.zeros((), dtype)
    empty[...] = identity
    return Fold(Call.of(function), axis, empty.tobytes())


def fold(x: Tensor, monoid: str | Monoid, axis: int) -> Tensor:
    """Combine the cells of `x` along `axis` in a fixed order, without the monoid's map."""
    return apply(fold_operator(monoid, normalize_axis(axis, x.type.ndim), x.type.dtype), x)

"""Reductions by functions of the user: of blocks and their partial results, or by a monoid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import dask.config
import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.naming import named
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.tuning import SPLIT_EVERY
from dask_tapestry.arrays.user_functions.declared_dtype import declared_dtype
from dask_tapestry.arrays.user_functions.functions_of_ours import of_blocks
from dask_tapestry.arrays.user_functions.monoid_reduction import reduce_by_monoid
from dask_tapestry.errors import ShapeError, SignatureError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.functions.blockwise import BlocksOf, Blockwise
from dask_tapestry.operators.functions.infer_meta import dtype_of, sample, tried
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.user.user_monoid import Monoid
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.zspace import Cuts

__all__ = [
    "reduction",
]


class Partial(NamedTuple):
    """Partial results: one array, or several arrays kept as the fields of one."""

    node: Tensor
    cuts: tuple[Cuts, ...]
    container: type | None = None


@dataclass(frozen=True)
class Unpacked:
    """A function of partial results in the form in which they were returned."""

    function: Callable[..., Any]
    container: type | None
    options: tuple[tuple[str, Any], ...]

    def __call__(self, *blocks: Any) -> Any:
        return self.function(*[self._open(block) for block in blocks], **dict(self.options))

    def _open(self, block: Any) -> Any:
        """A block, or lists of blocks, in the container in which partial results were returned."""
        if isinstance(block, list):
            return [self._open(one) for one in block]
        names = block.dtype.names
        if self.container is None or not names:
            return block
        if self.container is dict:
            return {name: block[name] for name in names}
        return self.container(block[name] for name in names)


@checked
def reduction(
    x: ArrayLike,
    chunk: Callable[..., Any] | Monoid,
    aggregate: Callable[..., Any] | None = None,
    axis: Axes = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    split_every: int | Mapping[int, int] | None = None,
    combine: Callable[..., Any] | None = None,
    name: str | None = None,
    out: Array | Sequence[Array] | None = None,
    concatenate: bool = True,
    output_size: int = 1,
    meta: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Any:
    """Reduce by functions of blocks and of partial results, as `dask.array.reduction`.

    {Parameters}
        {x.given}
        chunk: Called as ``chunk(block, axis=axes, keepdims=True)`` with each nominal chunk of the
            array, ``x.chunks``; or a `Monoid` instead of all functions, whose value does not depend
            on blocks.
        aggregate: Called likewise with the joined partial results, and with `keepdims` as given
            here.
        {axis}
        keepdims: Keep the reduced axes, with length `output_size`.
        dtype: Dtype of the result; by default learnt by calling the functions on one cell.
        split_every: Number of partial results to combine at once; or a dict of such numbers by
            axis.
        combine: Called likewise with some of the partial results; by default `aggregate`.
        name: First word of the result's name.
        out: An `Array` that takes the result; for a monoid with several results a tuple of them.
        concatenate: Join partial results; else they come in nested lists, in the form in which they
            were returned, also as dicts or tuples of arrays.
        output_size: Cells of a partial result along the reduced axes.
        meta: An array like the result, instead of `dtype`.
        weights: Array that broadcasts to `x`, the second argument of `chunk`.
    {Returns} Array or tuple of Array: The result; a tuple for a `Monoid` that combines tuples and
        has no `finalize`.
    {Raises}
        SignatureError: If the functions do not fit together, or dtypes cannot be learnt.
        ShapeError: If `weights` does not broadcast, or `split_every` is below 2.
    {See Also} block_operator, reduce_over, blockwise

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> x = dt.arange(6).rechunk(2)
    >>> int(dt.reduction(x, np.sum, np.sum))
    15
    >>> int(dt.reduction(x, dt.Monoid(0, np.maximum)))
    5
    """
    array = asarray(x)
    axes = normalize_axes(axis, array.ndim)
    kind = declared_dtype(dtype, meta)
    if isinstance(chunk, Monoid):
        return _in_out(out, reduce_by_monoid(array.node, chunk, axes, keepdims, kind))
    if aggregate is None:
        raise SignatureError("reduction takes a function aggregate beside chunk, or a Monoid")
    inputs = [array]
    if weights is not None:
        inputs.append(Array(broadcast(asarray(weights).node, array.shape)))
    tree = _Tree(axes, concatenate, output_size)
    last = _with_dtype(of_blocks(aggregate), kind)
    value = tree.chunks(_with_dtype(of_blocks(chunk), kind), inputs, kind)
    every = _split_every(split_every, axes)
    while any(value.cuts[a].count > every[a] for a in axes):
        value = tree.combined(of_blocks(combine or last), value, every)
    made = Array(tree.aggregated(last, value, keepdims, kind))
    return assigned_to_out(out, named(made, None, name or ""))


def _in_out(
    out: Array | Sequence[Array] | None, results: tuple[Tensor, ...]
) -> Array | tuple[Array, ...]:
    """The only result, or a tuple of all, in `out` where that is given."""
    if len(results) == 1:
        return assigned_to_out(out, Array(results[0]))
    places = (None,) * len(results) if out is None else tuple(out)
    if len(places) != len(results):
        raise SignatureError(f"out has {len(places)} arrays for {len(results)} results")
    return tuple(assigned_to_out(one, Array(x)) for one, x in zip(places, results, strict=True))


def _with_dtype(function: Callable[..., Any], dtype: np.dtype[Any] | None) -> Callable[..., Any]:
    """`function` with the dtype of the result as an argument, if it takes that."""
    try:
        asks = "dtype" in signature(function).parameters
    except (TypeError, ValueError):
        asks = False
    if dtype is None or not asks:
        return function
    return partial(function, dtype=dtype)


def _split_every(given: int | Mapping[int, int] | None, axes: Sequence[int]) -> dict[int, int]:
    """How many partial results are combined at once along each axis; at least two."""
    wanted = given or dask.config.get("split_every", None) or SPLIT_EVERY
    if isinstance(wanted, Mapping):
        return {axis: max(2, wanted.get(axis, 2)) for axis in axes}
    if wanted < 2:
        raise ShapeError(f"split_every must be at least 2, got {wanted}")
    return dict.fromkeys(axes, max(2, int(wanted ** (1 / max(1, len(axes))))))


@dataclass(frozen=True)
class _Tree:
    """Partial results of blocks, combined in groups of neighbours.

    {Attributes}
        axes: The reduced axes.
        joined: Whether partial results are joined, not listed.
        size: Cells of a partial result along each reduced axis, of functions that reduce. One that
            returns as many cells as it was given keeps the axis as it is cut.
    """

    axes: tuple[int, ...]
    joined: bool
    size: int

    def chunks(
        self, function: Callable[..., Any], inputs: Sequence[Array], kind: np.dtype[Any] | None
    ) -> Partial:
        """Return the partial results of the blocks of the first array."""
        cuts = inputs[0].nominal_cuts
        ndim = len(cuts)
        arguments = {"axis": self.axes, "keepdims": True}
        attempts = [[sample((side,) * ndim, x.dtype) for x in inputs] for side in (self.trial, 1)]
        try:
            sample_result = tried(function, attempts, name_of(function), **arguments)
        except SignatureError:
            if kind is None:
                raise
            sample_result = np.zeros((1,) * ndim, kind)
        kept = self._lengths(sample_result)
        each = tuple(
            Cuts.regular(c.count * self.size, self.size) if a in self.axes and a not in kept else c
            for a, c in enumerate(cuts)
        )
        dtype, container = _partial_dtype(sample_result, ndim, name_of(function))
        read = BlocksOf(cuts, tuple(range(ndim)), (1,) * ndim)
        call = UserFunction.of(Unpacked(function, None, tuple(arguments.items())))
        node = self._apply(call, function, each, (read,) * len(inputs), dtype, inputs)
        return Partial(node, each, container)

    @property
    def trial(self) -> int:
        """Cells along each axis on which a function shows whether it reduces: not its own size."""
        return self.size + 1

    def _lengths(self, made: Any) -> set[int]:
        """The reduced axes that a function has kept whole, of what it made of trial cells."""
        if isinstance(made, dict):
            made = tuple(made.values())
        shape = np.shape(made[0] if isinstance(made, tuple | list) else made)
        return {a for a in self.axes if a < len(shape) and shape[a] == self.trial}

    def _keeps(self, function: Callable[..., Any], value: Partial) -> set[int]:
        """The reduced axes that a function of joined partial results keeps as long as they are."""
        if not self.joined:
            return set()
        cells = sample((self.trial,) * len(value.cuts), value.node.type.dtype)
        told = (("axis", self.axes), ("keepdims", True))
        try:
            call = Unpacked(function, value.container, told)
            return self._lengths(tried(call, [[cells]], name_of(function)))
        except SignatureError:
            return set()  # it says when it runs why it takes no cells

    def _apply(
        self,
        call: UserFunction,
        function: Callable[..., Any],
        cuts: tuple[Cuts, ...],
        reads: tuple[BlocksOf, ...],
        dtype: np.dtype[Any],
        inputs: Sequence[Array | Partial],
    ) -> Tensor:
        """Apply a function to blocks, under its own name."""
        named = UserFunction(name_of(function), call.identity, call.function)
        return apply(Blockwise(named, cuts, reads, dtype), *[x.node for x in inputs])

    def combined(
        self, function: Callable[..., Any], value: Partial, every: Mapping[int, int]
    ) -> Partial:
        """Return the partial results of groups of partial results."""
        spans = tuple(every.get(axis, 1) for axis in range(len(value.cuts)))
        kept = self._keeps(function, value)
        cuts = tuple(
            self._groups(c, n, a in kept) if a in self.axes else c
            for a, (c, n) in enumerate(zip(value.cuts, spans, strict=True))
        )
        read = BlocksOf(value.cuts, tuple(range(len(spans))), spans, not self.joined)
        told = (("axis", self.axes), ("keepdims", True))
        call = UserFunction.of(Unpacked(function, value.container, told))
        node = self._apply(call, function, cuts, (read,), value.node.type.dtype, [value])
        return Partial(node, cuts, value.container)

    def _groups(self, cuts: Cuts, span: int, kept: bool) -> Cuts:
        """How groups of neighbouring partial results are cut once they are combined."""
        if not kept:
            return Cuts.regular(-(-cuts.count // span) * self.size, self.size)
        lengths = list(cuts.lengths())
        return Cuts.of_lengths([sum(lengths[n : n + span]) for n in range(0, len(lengths), span)])

    def aggregated(
        self,
        function: Callable[..., Any],
        value: Partial,
        keepdims: bool,
        kind: np.dtype[Any] | None,
    ) -> Tensor:
        """Return the result of all partial results together."""
        ndim = len(value.cuts)
        long = self._keeps(function, value) if keepdims else set()
        out = [
            self._groups(c, c.count, a in long) if a in self.axes else c
            for a, c in enumerate(value.cuts)
            if keepdims or a not in self.axes
        ]
        kept = [a for a in range(ndim) if keepdims or a not in self.axes]
        places = tuple(-1 if a in self.axes else kept.index(a) for a in range(ndim))
        blocks = BlocksOf(value.cuts, places, (1,) * ndim, not self.joined)
        keywords = (("axis", self.axes), ("keepdims", keepdims))
        call = UserFunction.of(Unpacked(function, value.container, keywords))
        if kind is None:
            nested: Any = sample((1,) * ndim, value.node.type.dtype)
            for _ in blocks.listed:
                nested = [nested]
            kind = dtype_of(tried(call, [[nested]], name_of(function)), name_of(function))
        return self._apply(call, function, tuple(out), (blocks,), kind, [value])


def _partial_dtype(result: Any, ndim: int, name: str) -> tuple[np.dtype[Any], type | None]:
    """The dtype that holds a partial result, and the type of the container of several arrays."""
    container: type
    if isinstance(result, dict):
        named, container = list(result.items()), dict
    elif isinstance(result, tuple | list):
        named = [(f"f{n}", one) for n, one in enumerate(result)]
        container = tuple if isinstance(result, tuple) else list
    else:
        return dtype_of(result, name), None
    fields = [(str(key), dtype_of(one, name), np.shape(one)[ndim:]) for key, one in named]
    return np.dtype(fields), container

"""Operators that users write: a function of blocks and its signature, made by `block_operator`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any, final

import cloudpickle
import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.effect import Effect, points_of, sequence_point
from dask_tapestry.errors import ArgumentTypeError, SignatureError
from dask_tapestry.imports import unpickle
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.user.block_function import TupleFinalize, call_blocks, finalized
from dask_tapestry.operators.user.block_slices import DONE, placed, takes
from dask_tapestry.operators.user.user_monoid import Monoid, ReduceOver, ScanOver
from dask_tapestry.operators.user.user_operator import Costs
from dask_tapestry.operators.user.user_scan import scan_blocks
from dask_tapestry.operators.user.user_signature import (
    SignatureSpec,
    form_of,
    solve,
    unread_dims,
    write,
)
from dask_tapestry.teg import Kind, Tensor
from dask_tapestry.zspace import IndexProjection

__all__ = [
    "BlockFunction",
    "block_operator",
]

Form = str | Sequence[str] | IndexProjection
PLANNED = frozenset(
    "seconds compute_seconds bytes_read bytes_written bytes_moved bytes_within_hosts memory_bytes "
    "peak_worker_bytes peak_worker_compute memory_waste compute_waste result_bytes result_seconds "
    "tasks".split()
)


@final
class BlockFunction:
    """A function of arrays that `block_operator` makes; it returns an array, or a tuple of them.

    Call it with the arrays, by place or by name, and with further arguments of the function by
    name; ``after=`` takes effects or arrays to wait for.

    {Parameters}
        function: The function of blocks.
        signature: Index dimensions with their kinds, and the forms of inputs and outputs.
        finalize: Function of complete results, or None.
        finalize_inputs: Forms of the arrays that `finalize` takes too, by name.
        dtypes: Dtypes of outputs, by name; the others are learnt.
        costs: What a block costs, by resource.
    {Attributes} signature: Index dimensions with their kinds, and the forms of inputs and outputs.
    {See Also} block_operator
    {Examples}
    >>> @dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
    ... def double(x):
    ...     return 2 * x
    >>> isinstance(double, dt.BlockFunction), double.signature.names
    (True, ('i',))
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: SignatureSpec,
        finalize: Callable[..., Any] | None,
        finalize_inputs: Mapping[str, Form],
        dtypes: Mapping[str, np.dtype[Any]],
        costs: Costs,
    ) -> None:
        update_wrapper(self, function)
        self.signature = signature
        self._function, self._finalize = function, finalize
        self._then = tuple(
            (n, form_of(signature.owner, n, f, signature.names)) for n, f in finalize_inputs.items()
        )
        self._dtypes, self._costs = dict(dtypes), costs
        self._call = UserFunction.of(function)

    def __call__(
        self, *arrays: ArrayLike, after: Sequence[Array | Effect] = (), **named: Any
    ) -> Any:
        tensors, further, options = self._arguments(arrays, named)
        points = points_of(after)
        written, monoid = self.signature, self.signature.monoid
        folded = monoid.finalize if isinstance(monoid, Monoid) else None
        last = self._finalize is None and folded is None
        dtypes = self._dtypes if last else {}
        parts, outputs = written.partials(), written.outputs
        call = self._call.bind(options)
        call, parts, tensors = placed(call, parts, tensors)
        if not outputs:
            (done,) = call_blocks(call, parts, tensors, {"done": DONE}, self._costs, points)
            return sequence_point(Array(done))
        if written.scans:
            results = scan_blocks(call, parts, tensors, dtypes, self._costs, points)
            return Array(results[0]) if len(results) == 1 else tuple(map(Array, results))
        results = call_blocks(call, parts, tensors, dtypes, self._costs, points)
        index, _ = solve(parts, [x.type.shape for x in tensors])
        extents = {dim.name: dim.extent for dim in index}
        if folded is not None:
            declared = self._dtypes if self._finalize is None else {}
            finalizer = UserFunction.of(TupleFinalize(folded, len(results)))
            results = finalized(finalizer, parts, results, (), (), declared, outputs, extents)
        if self._finalize is not None:
            finalizer, declared = UserFunction.of(self._finalize), self._dtypes
            then = self._then
            results = finalized(
                finalizer, written, results, then, further, declared, outputs, extents
            )
        return Array(results[0]) if len(results) == 1 else tuple(map(Array, results))

    def _arguments(
        self, arrays: Sequence[ArrayLike], named: dict[str, Any]
    ) -> tuple[list[Tensor], list[Tensor], dict[str, Any]]:
        """The tensors of the inputs, those of `finalize_inputs`, and the other arguments."""
        names = [name for name, _ in (*self.signature.inputs, *self._then)]
        if len(arrays) > len(names):
            raise ArgumentTypeError(
                f"{self.__name__}() takes {', '.join(names)}: {len(arrays)} were given"
            )
        by_name = dict(zip(names, arrays, strict=False))
        options = dict(named)
        for name in names:
            if name in options:
                if name in by_name:
                    raise ArgumentTypeError(f"{self.__name__}() got multiple values for {name!r}")
                by_name[name] = options.pop(name)
        missing = [name for name in names if name not in by_name]
        if missing:
            raise ArgumentTypeError(f"{self.__name__}() misses {', '.join(missing)}")
        tensors = [asarray(by_name[name]).node for name in names]
        count = len(self.signature.inputs)
        return tensors[:count], tensors[count:], options

    __name__: str

    def __repr__(self) -> str:
        return f"<block operator {self.__name__}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        module, name = sys.modules.get(self.__module__), self.__name__
        if self.__module__ != "__main__" and getattr(module, name, None) is self:
            return name
        parts = (
            self._function,
            self.signature,
            self._finalize,
            dict(self._then),
            self._dtypes,
            self._costs,
        )
        return _load, (cloudpickle.dumps(parts),)


def _load(payload: bytes) -> BlockFunction:
    return BlockFunction(*unpickle(payload))


def block_operator(
    *,
    index: Mapping[str, str | int | ReduceOver | ScanOver],
    inputs: Mapping[str, Form],
    outputs: Mapping[str, Form],
    finalize: Callable[..., Any] | None = None,
    finalize_inputs: Mapping[str, Form] | None = None,
    costs: Mapping[str, Mapping[str, float]] | None = None,
    extents: Mapping[str, int] | None = None,
    dtype: DTypeLike | None = None,
    dtypes: Mapping[str, DTypeLike] | None = None,
) -> Callable[[Callable[..., Any]], BlockFunction]:
    """Make an operator of a function of blocks; it is cut, fused and verified by its signature.

    The function takes one block of each input and returns that block of the output. Of dimensions
    that no input follows it takes the part that a block has, by their names, as slices. Blocks have
    any extent along parallel dimensions; along reduction dimensions they are parts, whose results
    are then combined; atomic dimensions are never cut. The function must not write to its blocks.

    Source: Tapestry whitepaper, "Block Operator Nodes" and "Signature Nodes".

    {Parameters}
        index: Kind of each dimension of the index space: ``"parallel"`` can be cut, `reduce_over`
            too, as partial results are combined, and one that is to `scan_over`, along which the
            function hands on a state of its own; ``"atomic"`` and ``"sequential"`` cannot. A number
            is a parallel dimension of that extent.
        inputs, outputs: For each tensor the names of the dimensions that its axes follow, one cell
            a step; or an `IndexProjection` of the index space, for windows, strides and dilation.
            Outputs must follow every parallel dimension. With several outputs, which may differ in
            rank, the function returns a tuple or a dict, and the operator a tuple of arrays. With
            no outputs it is a sink: the operator returns an effect, and the function may also take
            the parts of parallel dimensions by their names, as slices.
        finalize: Function of the complete results, and of the arrays `finalize_inputs`; called once
            a block.
        finalize_inputs: For each further array of `finalize`, the dimensions of the outputs it
            follows, by names or as a projection.
        costs: For each resource a sum of coefficients times products of the named dimensions'
            extents. ``"flops"`` tells the planner how much work a block is; `Plan.cost` shows all
            of them.
        extents: Extents of dimensions that no shape tells.
        dtype: Dtype of the only output, to which it is cast, with one warning a compute where that
            changes values; by default learnt by calling the functions on one cell.
        dtypes: Dtypes of several outputs, by name.
    {Returns} callable: Takes a function of blocks and returns a `BlockFunction`.
    {Raises}
        SignatureError: If the signature is not valid; when called, if the arrays' shapes do not fit
            it.
        TypeError: If both `dtype` and `dtypes` are given, or `dtype` for several outputs.
    {See Also} reduce_over, map_blocks, apply_gufunc, pin

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> @dt.block_operator(
    ...     index={"batch": "parallel", "out": "parallel", "in": dt.reduce_over("sum")},
    ...     inputs={"x": "batch in", "w": "in out"},
    ...     outputs={"z": "batch out"},
    ...     finalize=lambda z, b: z + b,
    ...     finalize_inputs={"b": "out"},
    ...     costs={"flops": {"batch in out": 2}, "ram": {"batch": 8}},
    ... )
    ... def linear(x, w):
    ...     return x @ w
    >>> linear(np.ones((2, 3)), np.ones((3, 2)), b=[1, 2]).compute()
    array([[4., 5.],
           [4., 5.]])
    """
    if dtype is not None and (dtypes is not None or len(outputs) != 1):
        raise ArgumentTypeError(
            "block_operator takes dtype of one output, or dtypes of several by name"
        )
    given = dict(dtypes or {}) if dtype is None else dict.fromkeys(outputs, dtype)
    kinds = {name: as_dtype(kind) for name, kind in given.items()}

    def decorate(function: Callable[..., Any]) -> BlockFunction:
        owner = getattr(function, "__name__", "block_operator")
        written = write(owner, index, inputs, outputs, extents or {})
        if finalize_inputs and finalize is None:
            raise SignatureError(f"{owner}: finalize_inputs without finalize")
        if not outputs and finalize is not None:
            raise SignatureError(f"{owner}: finalize needs an output")
        if written.scans and finalize is not None:
            raise written.error("a scan takes no finalize: apply it to the result")
        blind = set(unread_dims(written)) - takes(function, unread_dims(written))
        if blind:
            raise written.error(
                f"no input follows {min(blind)}, so that a block cannot know its part: let the "
                f"function take it by the name {min(blind)}, as a slice"
            )
        _check_finalize(written, finalize, finalize_inputs or {})
        charged = _costs(written, costs or {})
        then = dict(finalize_inputs or {})
        return BlockFunction(function, written, finalize, then, kinds, charged)

    return decorate


def _check_finalize(
    written: SignatureSpec, finalize: Callable[..., Any] | None, inputs: Mapping[str, Form]
) -> None:
    """Refuse inputs of `finalize` that follow dimensions which no output does."""
    if finalize is None:
        return
    follow = {dim for _, form in written.outputs if isinstance(form, tuple) for dim in form}
    if any(isinstance(form, IndexProjection) for _, form in written.outputs):
        follow |= set(written.names) - set(written.of_kind(Kind.REDUCTION))
    for name, form in inputs.items():
        axes = form_of(written.owner, name, form, written.names)
        if isinstance(axes, IndexProjection):
            moving = {
                dim for row in axes.matrix for dim, c in zip(written.names, row, strict=True) if c
            }
        else:
            moving = set(axes)
        if not moving <= follow:
            raise written.error(f"finalize's input {name} does not follow the output's dimensions")


def _costs(written: SignatureSpec, costs: Mapping[str, Mapping[str, float]]) -> Costs:
    """The costs as sums of products, with their dimensions checked."""
    checked_costs = []
    for name, terms in costs.items():
        if name in PLANNED:
            raise written.error(f"the cost {name!r} is the planner's own")
        sums = []
        for dims, factor in terms.items():
            unknown = [d for d in dims.split() if d not in written.names]
            if unknown:
                raise written.error(f"cost {name} of {unknown[0]!r}, which is not a dimension")
            sums.append((tuple(dims.split()), float(factor)))
        checked_costs.append((name, tuple(sums)))
    return tuple(checked_costs)

"""`map`, `zipmap`, `zipmapreduce`: functions of cells of several arrays, and their reduction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import function, is_one_of, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.reduction_arguments import folded
from dask_tapestry.arrays.patterns.cell_values import ADVICE, Attributes
from dask_tapestry.arrays.user_functions.reduction import reduction
from dask_tapestry.errors import ArgumentError, TraceError
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_function import packed
from dask_tapestry.operators.cells.vectorized_trace import lifted
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry.operators.user.user_monoid import Monoid
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Node, Tensor

__all__ = ["reduce", "zipmapreduce"]

Reduction = str | Monoid
CellFunction = Callable[..., Any]


@checked
def zipmapreduce(
    fn: CellFunction,
    arrays: Sequence[ArrayLike],
    reduce: Reduction | Sequence[Reduction] | None = None,
    axis: Axes = None,
    keepdims: bool = False,
) -> Any:
    """Apply a function of cells to arrays, and reduce what it returns.

    The function is called once, with symbols for cells. What it does with them becomes a formula of
    all cells, which is computed together with the reduction, block by block. It may use Python's
    operators, any ufunc and other functions of single cells, `where` and `select`, `imm` and
    `iteridx`; but not the value of a cell, as ``if`` would.

    Source: parallel patterns of SambaFlow, "sn_zipmapreduce".

    {Parameters}
        fn: Called as ``fn(attrs, *cells)``; it returns a cell or a tuple of cells. `attrs` is for
            `iteridx`.
        arrays: The arrays, which broadcast.
        reduce: Name of a reduction, such as ``"sum"``, ``"mean"`` or ``"argmin"``; or a `Monoid`;
            or for several results one for each. A monoid on tuples without a map of its own
            combines all results together.
        axis: Axes to reduce; all by default.
        {keepdims}
    {Returns} Array or tuple of Array: An array for each result.
    {Raises}
        TraceError: If `fn` asks for the value of a cell, or computes with whole arrays.
        ShapeError: If the arrays do not broadcast, or nothing is reduced by what has no identity.
        ArgumentError: If `reduce` is not a reduction.
    {See Also} reduce, reduction, iteridx

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> from dask_tapestry import patterns
    >>> x = dt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> patterns.zipmapreduce(lambda _, a, b: a * b, [x, [1.0, 2.0]], reduce="sum").compute()
    np.float64(16.0)
    >>> def lower(attrs, cell):
    ...     row, column = (patterns.iteridx(dim, attrs) for dim in range(2))
    ...     return patterns.select(row >= column, cell, 0)
    >>> patterns.zipmapreduce(lower, [x]).compute()
    array([[1., 0.],
           [3., 4.]])
    """
    tensors = [asarray(tensor).node for tensor in listed(arrays, "arrays")]
    if not tensors:
        raise ArgumentError("zipmapreduce takes at least one array: its cells have their shape")
    results, several = _mapped(fn, tensors)
    if reduce is None:
        values = [Array(tensor) for tensor in results]
    elif isinstance(reduce, Monoid) and reduce.map is None and reduce.count == len(results):
        return reduction(Array(packed(results)), reduce, axis=axis, keepdims=keepdims)
    else:
        chosen = (
            [reduce] * len(results)
            if isinstance(reduce, str | Monoid)
            else list(listed(reduce, "monoids"))
        )
        if len(chosen) != len(results):
            raise ArgumentError(f"{len(chosen)} reductions are given for {len(results)} results")
        pairs = zip(results, chosen, strict=True)
        values = [_reduced(Array(tensor), how, axis, keepdims) for tensor, how in pairs]
    return tuple(values) if several else values[0]


@checked
def reduce(x: ArrayLike, op: Reduction = "sum", axis: Axes = None, keepdims: bool = False) -> Any:
    """Reduce an array.

    Source: parallel patterns of SambaFlow, "sn_reduce".

    {Parameters}
        {x}
        op: Name of a reduction, such as ``"sum"``, ``"mean"`` or ``"argmin"``; or a `Monoid`.
        axis: Axes to reduce; all by default.
        {keepdims}
    {Returns} Array or tuple of Array: The result; a tuple for a `Monoid` that combines tuples and
        has no `finalize`.
    {Raises}
        ArgumentError: If `op` is not a reduction.
        ShapeError: If nothing is reduced by what has no identity.
    {See Also} zipmapreduce, reduction
    {Examples}
    >>> dt.patterns.reduce(dt.asarray([[1, 2], [3, 4]]), "max", axis=0).compute()
    array([3, 4])
    """
    return _reduced(asarray(x), op, axis, keepdims)


def _reduced(x: Array, how: Reduction, axis: Axes, keepdims: bool) -> Any:
    if isinstance(how, Monoid):
        return reduction(x, how, axis=axis, keepdims=keepdims)
    if not is_one_of(how, MONOIDS):
        known = ", ".join(sorted(MONOIDS))
        raise ArgumentError(f"{how!r} is not a reduction: give a Monoid or one of {known}")
    return folded(how, x, axis, keepdims=keepdims)


def _mapped(fn: CellFunction, tensors: Sequence[Tensor]) -> tuple[list[Tensor], bool]:
    """What the function returns for all cells, and whether it returns a tuple."""
    name = name_of(fn)
    shape = broadcast_shape([x.type.shape for x in tensors], f"arrays of {name}")
    attrs = Attributes(shape)
    cells = [symbol("a cell", ADVICE, x.type.dtype) for x in tensors]
    returned = _traced(fn, name, attrs, [Array(cell) for cell in cells])
    several = isinstance(returned, tuple | list)
    places: dict[Node, Tensor] = attrs.coordinates()
    for cell, x in zip(cells, tensors, strict=True):
        lead = tuple(range(len(shape) - x.type.ndim))
        places[cell] = unsqueeze(x, lead) if lead else x
    results = [_cell(one, name) for one in (returned if several else [returned])]
    return [broadcast(lifted(one, places, name), shape) for one in results], several


def _traced(fn: CellFunction, name: str, attrs: Attributes, cells: list[Array]) -> Any:
    try:
        return function("fn", fn)(attrs, *cells)
    except TraceError as error:
        why = str(error).partition("\n")[0]
        raise TraceError(f"{name} cannot be traced: {why}") from error


def _cell(value: Any, name: str) -> Tensor:
    """What a function of cells returned, as a tensor without dimensions."""
    if not isinstance(value, Array | bool | int | float | complex | str | bytes | np.generic):
        raise TraceError(f"{name} returned {type(value).__name__}, not a cell or a tuple of cells")
    node = asarray(value).node
    if node.type.ndim:
        raise TraceError(
            f"{name} returned an array of shape {node.type.shape}, not a cell: arrays that it "
            "reads must be among those that are given"
        )
    return node

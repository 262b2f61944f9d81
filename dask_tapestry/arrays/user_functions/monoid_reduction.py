"""Reductions by a user's monoid: cells are mapped, folded in a fixed tree, and finalized."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dask_tapestry.errors import SignatureError
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.functions.infer_meta import dtype_of, sample, tried
from dask_tapestry.operators.functions.monoid_dtype import identities
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.user.block_function import TupleFinalize, call_blocks
from dask_tapestry.operators.user.user_monoid import Monoid, fold
from dask_tapestry.operators.user.user_signature import SignatureSpec
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Kind, Tensor


def reduce_by_monoid(
    x: Tensor, monoid: Monoid, axes: tuple[int, ...], keepdims: bool, kind: np.dtype[Any] | None
) -> tuple[Tensor, ...]:
    """Return the cells of `x` along `axes` combined; several results of a monoid on tuples.

    {Parameters}
        {keepdims}
        kind: Dtype of the result; by default learnt.
    {Raises} SignatureError: If cells, identity and results do not fit together.
    """
    value = _mapped(x, monoid)
    for axis in reversed(axes):
        value = fold(value, monoid, axis)
    names = value.type.dtype.names
    apart = names is not None and (monoid.count is not None or monoid.map is not None)
    results = tuple(field(value, name) for name in names or ()) if apart else (value,)
    if monoid.finalize is not None or kind is not None:
        results = _finalized(monoid.finalize, results, kind)
    return tuple(unsqueeze(one, axes) if keepdims and axes else one for one in results)


def _mapped(x: Tensor, monoid: Monoid) -> Tensor:
    """The values to combine: cells, or tuples of values as structured cells."""
    if monoid.map is None:
        names = x.type.dtype.names
        if monoid.count is not None and names is None:
            raise SignatureError(
                f"the monoid combines tuples of {monoid.count} values: give it a map that makes "
                "such tuples of cells"
            )
        identities(monoid.identity, len(names or (None,)))
        return x
    made = _result_for_one_cell(monoid.map, [x])
    if not isinstance(made, tuple | list):
        made = (made,)
    identities(monoid.identity, len(made))
    kinds = [dtype_of(one, name_of(monoid.map)) for one in made]
    if any(np.ndim(one) != x.type.ndim for one in made):
        raise SignatureError(f"{name_of(monoid.map)} must return a value for each cell")
    if len(kinds) == 1:
        return _cellwise(monoid.map, [x], kinds)[0]
    cell = np.dtype([(f"value{n}", kind) for n, kind in enumerate(kinds)])
    return _cellwise(monoid.map, [x], [cell])[0]


def _finalized(
    function: Callable[..., Any] | None, values: Sequence[Tensor], kind: np.dtype[Any] | None
) -> tuple[Tensor, ...]:
    """The results after `finalize`, in the dtype asked for."""
    last = TupleFinalize(function or np.asarray, len(values))
    if function is None and len(values) > 1:
        raise SignatureError(f"a dtype is of one result, and there are {len(values)}")
    made = _result_for_one_cell(last, values) if kind is None else None
    number = len(made) if isinstance(made, tuple | list) else 1
    return _cellwise(last, values, [kind] if kind is not None else [None] * number)


def _result_for_one_cell(function: Callable[..., Any], values: Sequence[Tensor]) -> Any:
    """What a function of cells returns for one cell."""
    cells = [sample((1,) * x.type.ndim, x.type.dtype) for x in values]
    return tried(function, [cells], name_of(function))


def _cellwise(
    function: Callable[..., Any],
    values: Sequence[Tensor],
    kinds: Sequence[np.dtype[Any] | None],
) -> tuple[Tensor, ...]:
    """A function of cells applied to blocks; `kinds` are the dtypes of its results, where known."""
    names = tuple(f"i{d}" for d in range(values[0].type.ndim))
    index = tuple((name, Kind.PARALLEL, None) for name in names)
    inputs = tuple((f"x{n}", names) for n in range(len(values)))
    outputs = tuple((f"z{n}", names) for n in range(len(kinds)))
    written = SignatureSpec(name_of(function), index, inputs, outputs)
    known = {name: kind for (name, _), kind in zip(outputs, kinds, strict=True) if kind is not None}
    return call_blocks(UserFunction.of(function), written, values, known, finalizes=True)

"""Functions of every block, as Dask calls them: `map_blocks`.

What a function is told of its block (`block_info`, `block_id`) is made by
`operators/functions/blockwise.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from inspect import signature
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.naming import named
from dask_tapestry.arrays.user_functions.blockwise import BlockLengths, Indices, apply_blockwise
from dask_tapestry.arrays.user_functions.declared_dtype import declared_dtype, declared_format
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, each_axis

__all__ = ["map_blocks"]


@checked
def map_blocks(
    func: Callable[..., Any],
    *args: Any,
    name: str | None = None,
    token: str | None = None,
    dtype: DTypeLike | None = None,
    chunks: Sequence[BlockLengths] | None = None,
    drop_axis: Axes = None,
    new_axis: Axes = None,
    enforce_ndim: bool = False,
    meta: ArrayLike | None = None,
    **kwargs: Any,
) -> Array:
    """Apply a function to every block, as `dask.array.map_blocks`.

    The blocks are the arrays' nominal chunks, ``x.chunks``, on any machine; `rechunk` chooses them.
    Axes of one length are cut alike, as in the array with most blocks; chunks that a user or a
    store chose go before those that nobody did, and one block that they chose is passed whole.
    Where the function does not depend on where blocks end, an operator with a signature
    (`block_operator`) is better: the planner chooses its blocks.

    {Parameters}
        func: Called with a block of each array, and with all other arguments as they are; with
            ``block_id=`` and ``block_info=`` if it takes them.
        *args: Arrays, which align at their last axes, and values for `func`, also Dask's Delayed
            ones.
        name: What keys of the result's blocks begin with; it should be used once.
        token: The first word of it, where no `name` is given; by default the name of `func`.
        {dtype.learnt}
        chunks: Lengths of the result's blocks, if other than the arrays': for each axis a length,
            or one for each block.
        drop_axis: Axis or axes that `func` removes.
        new_axis: Axis or axes that `func` adds.
        enforce_ndim: Accepted for Dask's sake; shapes of results are always checked.
        meta: An array like the result, instead of `dtype`.
        **kwargs: Further arguments for `func`; an array among them is passed whole.
    {Returns} Array: The blocks that `func` returns, side by side.
    {Raises}
        ShapeError: If numbers of blocks, `chunks` or axes do not fit together.
        SignatureError: If the dtype is not given and cannot be learnt.
    {See Also} blockwise, block_operator, apply_gufunc, dask.array.map_blocks
    {Examples}
    >>> x = dt.arange(6).rechunk(4)
    >>> dt.map_blocks(lambda b: b[::-1], x).compute()
    array([3, 2, 1, 0, 5, 4])
    >>> dt.map_blocks(lambda b: b.sum(keepdims=True), x, chunks=(1,)).compute()
    array([6, 9])
    """
    del enforce_ndim
    if not callable(func):
        raise ArgumentTypeError(f"map_blocks takes a function first, not {type(func).__name__}")
    ndim = max((a.ndim for a in args if isinstance(a, Array)), default=0)
    letters: list[Hashable] = [*reversed(range(ndim))]
    pairs: list[Any] = []
    for a in args:
        pairs += [a, tuple(range(a.ndim))[::-1] if isinstance(a, Array) else None]
    dropped = _dropped_axes(drop_axis, ndim, "drop_axis")
    letters = [one for axis, one in enumerate(letters) if axis not in dropped]
    added = _added_axes(new_axis, chunks, len(letters))
    new_axes: dict[Hashable, BlockLengths] = {}
    for axis in added:
        letter = f"new {axis}"
        letters.insert(axis, letter)
        new_axes[letter] = 1 if chunks is None else chunks[axis]
    if chunks is not None and len(chunks) != len(letters):
        raise ShapeError(
            f"chunks {chunks} have {len(chunks)} dimensions, the result has {len(letters)}"
        )
    adjust = {} if chunks is None else dict(zip(letters, chunks, strict=True))
    told = tuple(word for word in ("block_id", "block_info") if _has_argument(func, word))
    indices = Indices(tuple(letters), new_axes, adjust, align=False, joined=True)
    declared = declared_dtype(dtype, meta), declared_format(meta)
    made = apply_blockwise(func, pairs, kwargs, indices, declared, told)
    return named(made, name, token or "")


def _dropped_axes(axes: Axes, ndim: int, name: str) -> tuple[int, ...]:
    """The axes to drop, from 0."""
    given = () if axes is None else each_axis(axes)
    if any(not -ndim <= axis < ndim for axis in given):
        raise ShapeError(f"{name} {given} is out of range for {ndim} dimensions")
    return tuple(int(axis) % ndim for axis in given)


def _added_axes(new_axis: Axes, chunks: Sequence[BlockLengths] | None, ndim: int) -> list[int]:
    """The axes of the result to add, in order; by default those that `chunks` has more, first."""
    if new_axis is None:
        return list(range(max(0, len(chunks) - ndim))) if chunks is not None else []
    added = sorted(each_axis(new_axis))
    if any(not 0 <= axis < ndim + len(added) for axis in added):
        raise ShapeError(f"new_axis {added} does not fit {ndim + len(added)} dimensions")
    return added


def _has_argument(function: Callable[..., Any], word: str) -> bool:
    """Whether a function has an argument of this name; False if Python cannot tell."""
    try:
        return word in signature(function).parameters
    except (TypeError, ValueError):
        return False

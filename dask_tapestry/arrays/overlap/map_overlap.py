"""Functions of blocks with cells of their neighbours: `map_overlap`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.halos import Boundaries, Depths, Halo, halos
from dask_tapestry.arrays.overlap.neighbour_cells import seen_by_blocks, with_halos, without_halos
from dask_tapestry.arrays.tuning import TRIAL_SIDE
from dask_tapestry.arrays.user_functions.map_blocks import map_blocks
from dask_tapestry.errors import ArgumentError, SignatureError
from dask_tapestry.operators.axes import Axes, each_axis
from dask_tapestry.operators.functions.infer_meta import tried
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.operators.joins.spans import Span
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.teg.chunking import common_chunks
from dask_tapestry.teg.nominal import nominal_chunks

__all__ = ["map_overlap"]

CHANGES: Final = {"chunks", "drop_axis", "new_axis"}  # arguments that say what blocks become
OF_MAP_BLOCKS: Final = {*CHANGES, "name", "token", "dtype", "enforce_ndim", "meta"}


@checked
def map_overlap(
    func: Callable[..., Any] | Array,
    *args: Any,
    depth: Depths | list[Depths] = None,
    boundary: Boundaries | list[Boundaries] = None,
    trim: bool = True,
    align_arrays: bool = True,
    allow_rechunk: bool = True,  # noqa: ARG001
    **kwargs: Any,
) -> Array:
    """Apply a function to every block with cells of its neighbours, as `dask.array.map_overlap`.

    The blocks are the arrays' nominal chunks, as of `map_blocks`. A stencil written with slices
    needs none of this: the planner finds what its blocks read.

    {Parameters}
        func: Called with a block of each array, which has the cells that it sees. As in older Dask,
            the array may come first.
        *args: Arrays, which align at their last axes, and values for `func`.
        depth: How many cells a block sees of others: a number, a tuple of one for each axis, or a
            dictionary by axis; a pair in these is before and after. A list has one for each array.
        boundary: What lies beyond the array: ``"reflect"`` (the edge cell is repeated),
            ``"periodic"``, ``"nearest"``, a number, or ``"none"``, for all axes, each, or by axis.
            A list has one for each array.
        trim: Whether what blocks saw is taken from the results, as by `overlap.trim_overlap` for
            the array with most dimensions; False if `func` has done so, or for blocks that keep it.
        align_arrays: Whether arrays are cut at each other's block edges first.
        allow_rechunk: Without meaning: a block may see beyond its neighbours.
        **kwargs: For `map_blocks`, such as ``dtype``, ``chunks`` and ``drop_axis``, and for `func`.
    {Returns} Array: The blocks that `func` returns, side by side.
    {Raises}
        ArgumentError: If there is no array, or depths or boundaries do not fit.
        ShapeError: For a depth that is larger than the array, or if results are too small to be
            trimmed.
    {See Also} map_blocks, overlap.overlap, dask.array.map_overlap

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> x = dt.arange(6).rechunk(3)
    >>> def around(block):
    ...     return block + np.roll(block, 1) + np.roll(block, -1)
    >>> dt.map_overlap(around, x, depth=1, boundary="nearest").compute()
    array([ 1,  3,  6,  9, 12, 14])
    """
    function, args = (args[0], (func, *args[1:])) if isinstance(func, Array) else (func, args)
    arrays = [arg for arg in args if isinstance(arg, Array)]
    if not arrays:
        raise ArgumentError("map_overlap takes an array")
    array_halos = [
        halos(x.ndim, far, beyond)
        for x, far, beyond in zip(
            arrays, _of_each(depth, arrays), _of_each(boundary, arrays), strict=True
        )
    ]
    widest = max(range(len(arrays)), key=lambda number: (arrays[number].ndim, -number))
    if align_arrays:
        arrays = _cut_alike(arrays)
    arrays_with_halos = iter(
        [with_halos(x, own) for x, own in zip(arrays, array_halos, strict=True)]
    )
    blocks_seen = [next(arrays_with_halos) if isinstance(arg, Array) else arg for arg in args]
    if not trim and not kwargs.keys() & CHANGES and _trims(function, args, array_halos, kwargs):
        kwargs["chunks"] = arrays[widest].chunks
    result = map_blocks(function, *blocks_seen, **kwargs)
    if not trim:
        return result
    sides = [
        seen_by_blocks(cuts, halo) if halo.before or halo.after else None
        for cuts, halo in zip(arrays[widest].nominal_cuts, array_halos[widest], strict=True)
    ]
    return without_halos(result, _of_result(sides, kwargs.get("drop_axis"), kwargs.get("new_axis")))


def _of_each(argument: Any, arrays: Sequence[Array]) -> list[Any]:
    """An argument for each array; only a list has several."""
    if not isinstance(argument, list):
        return [argument] * len(arrays)
    if len(argument) != len(arrays):
        raise ArgumentError(f"{len(argument)} depths or boundaries for {len(arrays)} arrays")
    return argument


def _cut_alike(arrays: Sequence[Array]) -> list[Array]:
    """Arrays with the block edges of all along their last axes, where these are of one length."""
    cuts = [list(x.nominal_cuts) for x in arrays]
    for axis in range(1, max(x.ndim for x in arrays) + 1):
        extent = max(x.shape[-axis] for x in arrays if x.ndim >= axis)
        long = [n for n, x in enumerate(arrays) if x.ndim >= axis and x.shape[-axis] == extent]
        shared = common_chunks([nominal_chunks(arrays[n].node)[-axis] for n in long])
        if shared is not None:
            for n in long:
                cuts[n][-axis] = shared.cuts
    return [
        Array(with_nominal_chunks(x.node, tuple(own))) for x, own in zip(arrays, cuts, strict=True)
    ]


def _trims(
    function: Callable[..., Any],
    args: Sequence[Any],
    beside: Sequence[Sequence[Halo]],
    options: Mapping[str, Any],
) -> bool:
    """Whether a function takes what a block saw from its result: it is called on a few cells."""
    own = {k: v for k, v in options.items() if k not in OF_MAP_BLOCKS}
    halos_left = iter(beside)
    samples: list[Any] = []
    widest: Sequence[Halo] = ()
    for arg in args:
        if isinstance(arg, Array):
            halo = next(halos_left)
            widest = max(widest, halo, key=len)
            sides = tuple(h.before + h.after + TRIAL_SIDE for h in halo)
            samples.append((sides, arg.dtype))
        else:
            samples.append(arg)
    try:
        sample_result = tried(function, [samples], name_of(function), **own)
    except SignatureError:
        return True  # as Dask takes it
    return bool(np.shape(sample_result) == (TRIAL_SIDE,) * len(widest))


def _of_result(
    sides: Sequence[Sequence[Span] | None], drop_axis: Axes, new_axis: Axes
) -> list[Sequence[Span] | None]:
    """What blocks of a result saw, of which some axes are dropped or new."""
    dropped = {axis % len(sides) for axis in _is_per_axis(drop_axis)}
    left = [seen for axis, seen in enumerate(sides) if axis not in dropped]
    for axis in sorted(_is_per_axis(new_axis)):
        left.insert(axis, None)
    return left


def _is_per_axis(axes: int | Iterable[int] | None) -> tuple[int, ...]:
    return () if axes is None else each_axis(axes)

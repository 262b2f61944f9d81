"""Functions of blocks, as Dask calls them: `map_blocks` and `blockwise`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from numbers import Integral
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.blockwise import BlocksOf, Blockwise
from dask_tapestry.operators.infer_meta import dtype_of, tried
from dask_tapestry.operators.user_function import UserFunction
from dask_tapestry.teg import apply
from dask_tapestry.teg.chunking import AxisChunks, together
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry.zspace import Cuts

__all__ = [
    "blockwise",
    "map_blocks",
]

Pair = tuple[Array, tuple[Hashable, ...] | None]


@dataclass(frozen=True)
class Slots:
    """A function called with blocks where `slots` names them, and with values elsewhere."""

    function: Callable[..., Any]
    values: tuple[Any, ...]
    slots: tuple[int, ...]
    keywords: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]

    def __call__(self, *blocks: Any, **told: Any) -> Any:
        given = list(self.values)
        for slot, block in zip(self.slots, blocks, strict=False):
            given[slot] = block
        named = dict(zip(self.keywords, blocks[len(self.slots) :], strict=True))
        return self.function(*given, **dict(self.options), **named, **told)


def map_blocks(
    func: Callable[..., Any],
    *args: Any,
    name: str | None = None,
    token: str | None = None,
    dtype: Any = None,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    enforce_ndim: bool = False,
    meta: Any = None,
    **kwargs: Any,
) -> Array:
    """Apply a function to every block, as `dask.array.map_blocks`.

    The blocks are the arrays' nominal chunks, ``x.chunks``, on any machine; `rechunk` chooses them.
    Dimensions of one length are cut alike, as the array of most blocks is; chunks that a user or a
    store has chosen go before those that nobody has. An operator with a signature
    (`block_operator`) leaves the planner the choice, and is the better one where the function does
    not depend on where blocks end.

    Parameters
    ----------
    func
        Called with a block of each array, and with the arguments that are no arrays as they are;
        with ``block_id=`` and ``block_info=`` if it takes them.
    name, token
        Accepted for Dask's sake: a value is named by what it is.
    dtype, meta
        Of the result, or an array like it; by default learnt by calling `func` on one cell.
    chunks
        Block lengths of the result, where they are not those of the arrays: a length for each
        dimension, or lengths for each block.
    drop_axis, new_axis
        Axes that `func` removes and adds.
    enforce_ndim
        Accepted for Dask's sake: shapes of results are always checked.
    **kwargs
        For `func`.

    Raises
    ------
    ShapeError
        If numbers of blocks do not fit together.
    SignatureError
        If the dtype is not given and cannot be learnt.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(6).rechunk(4)
    >>> dt.map_blocks(lambda b: b[::-1], x).compute()
    array([3, 2, 1, 0, 5, 4])
    >>> dt.map_blocks(lambda b: b.sum(keepdims=True), x, chunks=(1,)).compute()
    array([6, 9])
    """
    del name, token, enforce_ndim
    if not callable(func):
        raise TypeError(f"map_blocks takes a function first, not {type(func).__name__}")
    ndim = max((a.ndim for a in args if isinstance(a, Array)), default=0)
    letters: list[Hashable] = [*reversed(range(ndim))]
    pairs: list[Any] = []
    for a in args:
        pairs += [a, tuple(range(a.ndim))[::-1] if isinstance(a, Array) else None]
    dropped = _axes(drop_axis, ndim, "drop_axis")
    letters = [one for axis, one in enumerate(letters) if axis not in dropped]
    added = _added(new_axis, chunks, len(letters))
    new_axes: dict[Hashable, Any] = {}
    for axis in added:
        letter = f"new {axis}"
        letters.insert(axis, letter)
        new_axes[letter] = 1 if chunks is None else chunks[axis]
    if chunks is not None and len(chunks) != len(letters):
        raise ShapeError(f"chunks {chunks} are of {len(chunks)} dimensions, not {len(letters)}")
    adjust = None if chunks is None else dict(zip(letters, chunks, strict=True))
    told = tuple(word for word in ("block_id", "block_info") if _takes(func, word))
    return _blockwise(
        func, tuple(letters), pairs, kwargs, new_axes, adjust, dtype, meta, True, False, told
    )


def _axes(axes: Any, ndim: int, name: str) -> tuple[int, ...]:
    given = () if axes is None else (axes,) if isinstance(axes, Integral) else tuple(axes)
    if any(not -ndim <= axis < ndim for axis in given):
        raise ShapeError(f"{name} {given} is out of range for {ndim} dimensions")
    return tuple(int(axis) % ndim for axis in given)


def _added(new_axis: Any, chunks: Any, ndim: int) -> list[int]:
    if new_axis is None:
        return list(range(max(0, len(chunks) - ndim))) if chunks is not None else []
    added = sorted([new_axis] if isinstance(new_axis, Integral) else new_axis)
    if any(not 0 <= axis < ndim + len(added) for axis in added):
        raise ShapeError(f"new_axis {added} does not fit {ndim + len(added)} dimensions")
    return added


def _takes(function: Callable[..., Any], word: str) -> bool:
    try:
        return word in signature(function).parameters
    except (TypeError, ValueError):
        return False


def blockwise(
    func: Callable[..., Any],
    out_ind: Iterable[Hashable],
    *args: Any,
    name: str | None = None,
    token: str | None = None,
    dtype: Any = None,
    adjust_chunks: Mapping[Hashable, Any] | None = None,
    new_axes: Mapping[Hashable, Any] | None = None,
    align_arrays: bool = True,
    concatenate: bool | None = None,
    meta: Any = None,
    **kwargs: Any,
) -> Array:
    """Apply a function to blocks that indices match, as `dask.array.blockwise`.

    Parameters
    ----------
    func
        Called with a block of each array; along an index that `out_ind` lacks, with lists of them.
    out_ind
        Indices of the result, such as ``"ij"``.
    *args
        Arrays and their indices by turns; None is the index of what is given as it is.
    name, token
        Accepted for Dask's sake: a value is named by what it is.
    dtype, meta
        Of the result, or an array like it; by default learnt by calling `func` on one cell.
    adjust_chunks
        For an index: what `func` makes of a block's length, a function, a length or lengths.
    new_axes
        For an index that no array has: its length, or lengths of its blocks.
    align_arrays
        Cut arrays at each other's block edges first; else numbers of blocks must agree.
    concatenate
        Join blocks instead of giving lists.
    **kwargs
        For `func`.

    Raises
    ------
    ShapeError
        If indices and arrays do not fit together.
    SignatureError
        If the dtype is not given and cannot be learnt.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> x = dt.arange(6).rechunk(4)
    >>> dt.blockwise(np.multiply.outer, "ij", x, "i", dt.arange(2), "j").shape
    (6, 2)
    """
    del name, token
    letters, new = tuple(out_ind), dict(new_axes or {})
    if len(set(letters)) != len(letters):
        raise ShapeError(f"out_ind {letters} repeats an index")
    if len(args) % 2:
        raise ShapeError("blockwise takes arrays and their indices by turns")
    return _blockwise(
        func, letters, args, kwargs, new, adjust_chunks, dtype, meta, concatenate, align_arrays
    )


def _blockwise(
    func: Callable[..., Any],
    letters: tuple[Hashable, ...],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    new_axes: Mapping[Hashable, Any],
    adjust: Mapping[Hashable, Any] | None,
    dtype: Any,
    meta: Any,
    concatenate: bool | None,
    align: bool,
    told: tuple[str, ...] = (),
) -> Array:
    call, pairs, numbers = _slots(func, args, kwargs)
    cuts = _index_cuts(pairs, align) | {one: _lengths(n) for one, n in new_axes.items()}
    unknown = [one for one in letters if one not in cuts]
    if unknown:
        raise ShapeError(f"no array has the index {unknown[0]!r} of the result")
    out = tuple(_adjusted(cuts[one], adjust or {}, one) for one in letters)
    reads = tuple(_reads(x, ind, cuts, letters, not concatenate, align) for x, ind in pairs)
    whole = tuple((n, r) for n, r in zip(numbers, reads, strict=False) if n is not None)
    blind = Blockwise(call, out, reads, np.dtype("V0"), told, (), whole, out)
    kind = _dtype(blind, [x for x, _ in pairs], dtype, meta)
    return Array(apply(replace(blind, dtype=kind), *[x.node for x, _ in pairs]))


def _slots(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[UserFunction, list[Pair], list[int | None]]:
    """The function of blocks alone, its arrays with their indices, and their place among `args`."""
    values, slots, pairs = [], [], []
    numbers: list[int | None] = []
    for place, (value, ind) in enumerate(zip(args[::2], args[1::2], strict=True)):
        if ind is None and not isinstance(value, Array):
            values.append(value)
            continue
        array = asarray(value)
        if ind is not None and len(tuple(ind)) != array.ndim:
            raise ShapeError(f"index {ind!r} does not fit the {array.ndim} dimensions of {array}")
        values.append(None)
        slots.append(place)
        pairs.append((array, None if ind is None else tuple(ind)))
        numbers.append(None if ind is None else place)
    named = {k: v for k, v in kwargs.items() if isinstance(v, Array)}
    pairs += [(v, None) for v in named.values()]
    options = tuple((k, v) for k, v in kwargs.items() if k not in named)
    plain = not options and not named and len(slots) == len(values)
    inner = func if plain else Slots(func, tuple(values), tuple(slots), tuple(named), options)
    return replace(UserFunction.of(inner), name=UserFunction.of(func).name), pairs, numbers


def _index_cuts(pairs: Iterable[Pair], align: bool) -> dict[Hashable, Cuts]:
    """How each index is cut; a dimension of one cell goes with any."""
    along: dict[Hashable, list[AxisChunks]] = {}
    for x, ind in pairs:
        for one, chunks in zip(ind or (), nominal_chunks(x.node) if ind else (), strict=True):
            along.setdefault(one, []).append(chunks)
    found = {}
    for index, every in along.items():
        long = [one for one in every if one.cuts.extent != 1] or every[:1]
        found[index] = _aligned(long, index) if align else _of_most_blocks(long)
    return found


def _aligned(found: Sequence[AxisChunks], index: Hashable) -> Cuts:
    extents = {one.cuts.extent for one in found}
    if len(extents) > 1:
        raise ShapeError(f"index {index!r} is of lengths {sorted(extents)}")
    shared = together(found)
    assert shared is not None
    return shared.cuts


def _of_most_blocks(found: Sequence[AxisChunks]) -> Cuts:
    return max(found, key=lambda one: (one.said, one.cuts.count)).cuts


def _reads(
    x: Array,
    ind: tuple[Hashable, ...] | None,
    cuts: Mapping[Hashable, Cuts],
    letters: tuple[Hashable, ...],
    lists: bool,
    align: bool,
) -> BlocksOf:
    """Which blocks of an array belong to a block of the result."""
    if ind is None:
        whole = tuple(Cuts.regular(n, max(n, 1)) for n in x.shape)
        return BlocksOf(whole, (-1,) * x.ndim, (1,) * x.ndim)
    own = []
    for one, mine in zip(ind, x.nominal_cuts, strict=True):
        shared = cuts[one]
        if mine.extent == shared.extent and (align or mine.count != shared.count):
            mine = shared
        if mine.count not in (1, shared.count):
            raise ShapeError(f"index {one!r} has {mine.count} blocks and {shared.count}")
        own.append(mine)
    axes = tuple(letters.index(one) if one in letters else -1 for one in ind)
    return BlocksOf(tuple(own), axes, (1,) * x.ndim, lists)


def _lengths(given: Any) -> Cuts:
    lengths = [int(n) for n in given] if isinstance(given, tuple | list) else [int(given)]
    cuts = Cuts.of_lengths(lengths)
    if cuts.count != len(lengths):
        raise ShapeError(f"blocks without cells cannot be held: {tuple(lengths)}")
    return cuts


def _adjusted(cuts: Cuts, adjust: Mapping[Hashable, Any], index: Hashable) -> Cuts:
    """Cuts of the result along an index."""
    if index not in adjust:
        return cuts
    change = adjust[index]
    if callable(change):
        return _lengths([change(n) for n in cuts.lengths()])
    if isinstance(change, tuple | list):
        if len(change) != cuts.count:
            raise ShapeError(f"index {index!r} has {cuts.count} blocks, chunks are {len(change)}")
        return _lengths(change)
    length = int(change)
    return Cuts.regular(length * cuts.count, length) if length else _lengths([0] * cuts.count)


def _dtype(operator: Blockwise, arrays: Sequence[Array], dtype: Any, meta: Any) -> np.dtype[Any]:
    if dtype is not None:
        return as_dtype(dtype)
    if meta is not None:
        return as_dtype(getattr(meta, "dtype", None) or np.asarray(meta).dtype)
    told = operator.told_at((0,) * len(operator.cuts))
    attempts = []
    for side in (1, 0):
        attempt = []
        for x, read in zip(arrays, operator.reads, strict=True):
            one: Any = np.ones((side,) * x.ndim, x.dtype)
            for _ in read.listed:
                one = [one]
            attempt.append(one)
        attempts.append(attempt)
    result = tried(operator.function, attempts, operator.function.name, **told)
    return dtype_of(result, operator.function.name)

"""Functions of blocks that indices match, as Dask calls them: `blockwise`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dask_arrays import delayed_cell, from_delayed, is_delayed
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.naming import named
from dask_tapestry.arrays.user_functions.declared_dtype import declared_dtype, declared_format
from dask_tapestry.arrays.user_functions.functions_of_ours import of_blocks, of_whole_arrays
from dask_tapestry.arrays.user_functions.lazy_arguments import arguments_of, with_arrays
from dask_tapestry.errors import ArgumentTypeError, ShapeError, SignatureError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.blockwise import BlocksOf, Blockwise
from dask_tapestry.operators.functions.formatted_function import callable_here, taking_formats
from dask_tapestry.operators.functions.infer_meta import kind_of, tried
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.teg import apply
from dask_tapestry.teg.chunking import AxisChunks, common_chunks
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import BlockFormat

__all__ = ["blockwise"]


BlockLengths = int | Sequence[int]
Adjustment = BlockLengths | Callable[[int], int]
Pair = tuple[Array, tuple[Hashable, ...] | None]


@dataclass(frozen=True)
class Slots:
    """A function called with blocks in `slots` and for `keywords`, and with values elsewhere.

    Blocks with the numbers in `delayed` hold one Python object each, which is what is given.
    """

    function: Callable[..., Any]
    values: tuple[Any, ...]
    slots: tuple[int, ...]
    keywords: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]
    delayed: frozenset[int] = frozenset()

    def __call__(self, *blocks: Any, **told: Any) -> Any:
        if self.delayed:
            blocks = tuple(b[0] if n in self.delayed else b for n, b in enumerate(blocks))
        arrays = len(self.slots) + len(self.keywords)
        given, options = with_arrays((list(self.values), dict(self.options)), blocks[arrays:])
        for slot, block in zip(self.slots, blocks, strict=False):
            given[slot] = block
        named = dict(zip(self.keywords, blocks[len(self.slots) : arrays], strict=True))
        return self.function(*given, **options, **named, **told)

    def emptied(self) -> Slots:
        """The same with NumPy's arrays among its values as they are without cells."""
        options = tuple((name, _without_cells(value)) for name, value in self.options)
        return replace(self, values=tuple(map(_without_cells, self.values)), options=options)


def _without_cells(value: Any) -> Any:
    """An array of NumPy's of the same rank and dtype, but empty; anything else as it is."""
    return value[(slice(0),) * value.ndim] if isinstance(value, np.ndarray) else value


@checked
def blockwise(
    func: Callable[..., Any],
    out_ind: Iterable[Hashable],
    *args: Any,
    name: str | None = None,
    token: str | None = None,
    dtype: DTypeLike | None = None,
    adjust_chunks: Mapping[Hashable, Adjustment] | None = None,
    new_axes: Mapping[Hashable, BlockLengths] | None = None,
    align_arrays: bool = True,
    concatenate: bool | None = None,
    meta: ArrayLike | None = None,
    **kwargs: Any,
) -> Array:
    """Apply a function to blocks that indices match, as `dask.array.blockwise`.

    {Parameters}
        func: Called with a block of each array; with lists of blocks along indices that `out_ind`
            lacks.
        out_ind: Index of each axis of the result, such as ``"ij"``.
        *args: Arrays and their indices by turns; the index None passes a value as it is, and of a
            Delayed one what it yields.
        name, token: As of `map_blocks`.
        {dtype.learnt}
        adjust_chunks: By index, the lengths of the result's blocks: a function of a block's length,
            one length, or one for each block.
        new_axes: By index that no array has, its length, or the lengths of its blocks.
        align_arrays: Cut arrays at each other's block edges first; else their numbers of blocks
            must agree.
        concatenate: Join blocks instead of passing lists of them.
        meta: An array like the result, instead of `dtype`.
        **kwargs: Further arguments for `func`; an array among them is passed whole.
    {Returns} Array: The blocks that `func` returns, at the places that `out_ind` gives them.
    {Raises}
        ShapeError: If indices and arrays do not fit together.
        SignatureError: If the dtype is not given and cannot be learnt.
    {See Also} map_blocks, einsum, block_operator

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> x = dt.arange(6).rechunk(4)
    >>> dt.blockwise(np.multiply.outer, "ij", x, "i", dt.arange(2), "j").shape
    (6, 2)
    """
    letters = _letters(out_ind)
    if len(set(letters)) != len(letters):
        raise ShapeError(f"out_ind {letters} repeats an index")
    if len(args) % 2 and isinstance(args[-1], str | tuple):
        args = args[:-1]  # indices of no array, as Dask's
    if len(args) % 2:
        raise ShapeError("blockwise takes arrays and their indices by turns")
    indices = Indices(
        letters, new_axes or {}, adjust_chunks or {}, align_arrays, joined=bool(concatenate)
    )
    declared = declared_dtype(dtype, meta), declared_format(meta)
    made = apply_blockwise(func, args, kwargs, indices, declared)
    return named(made, name, token or "")


def _letters(indices: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """The indices of an array in a tuple: texts, integers, or what else can be compared."""
    letters = listed(indices, "indices")
    if not all(isinstance(letter, Hashable) for letter in letters):
        raise ArgumentTypeError(f"indices are texts or integers, not {indices!r}")
    return letters


@dataclass(frozen=True)
class Indices:
    """The indices of a result, and how blocks along them are read and made.

    {Attributes}
        letters: The index of each axis of the result.
        new_axes: Lengths of blocks along indices that no array has.
        adjust: What the function makes of the lengths of blocks.
        align: Whether arrays are cut at each other's block edges.
        joined: Whether blocks along an index that the result lacks are joined, not listed.
    """

    letters: tuple[Hashable, ...]
    new_axes: Mapping[Hashable, BlockLengths]
    adjust: Mapping[Hashable, Adjustment]
    align: bool
    joined: bool

    def keeps_blocks(self, pairs: Sequence[Pair], numbers: Sequence[int | None]) -> bool:
        """Whether a result has the blocks of arrays that broadcast as NumPy's do."""
        if self.new_axes or self.adjust or None in numbers or not pairs:
            return False
        chunks = {x.chunks for x, _ in pairs}
        letters = {ind for _, ind in pairs}
        return len(chunks) == 1 and letters == {self.letters}


def apply_blockwise(
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    indices: Indices,
    declared: tuple[np.dtype[Any] | None, BlockFormat | None],
    block_arguments: tuple[str, ...] = (),
) -> Array:
    """Apply a function to blocks; `args` are arrays and their indices by turns.

    {Parameters}
        declared: Dtype and format of the result; without a dtype learnt by calling `func` on one
            cell.
        block_arguments: ``"block_id"`` and ``"block_info"``, where `func` takes them.
    """
    call, pairs, numbers = _slots(of_blocks(func), args, kwargs)
    if not kwargs and not block_arguments and indices.keeps_blocks(pairs, numbers):
        whole = of_whole_arrays(func, args[::2])
        if whole is not None and declared[0] in (None, whole.dtype):
            return whole
    cuts = _index_cuts(pairs, indices.align)
    cuts |= {one: _lengths(n) for one, n in indices.new_axes.items()}
    unknown = [one for one in indices.letters if one not in cuts]
    if unknown:
        raise ShapeError(f"no array has the index {unknown[0]!r} of the result")
    out = tuple(_adjusted(cuts[one], indices.adjust, one) for one in indices.letters)
    reads = tuple(_reads(x, ind, cuts, indices) for x, ind in pairs)
    held = tuple((n, r) for n, r in zip(numbers, reads, strict=False) if n is not None)
    arrays = [x for x, _ in pairs]
    call = taking_formats(call, [x.node for x in arrays], devices=True)
    blind = Blockwise(call, out, reads, np.dtype("V0"), block_arguments, (), held, out)
    dtype, known = declared
    if dtype is None:
        dtype, known = _inferred_result(blind, arrays)
    return Array(apply(replace(blind, dtype=dtype, format=known), *[x.node for x in arrays]))


def _slots(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[UserFunction, list[Pair], list[int | None]]:
    """The function of blocks alone, its arrays with their indices, and their places in `args`."""
    values, slots, pairs = [], [], []
    numbers: list[int | None] = []
    for number, (value, ind) in enumerate(zip(args[::2], args[1::2], strict=True)):
        if ind is None and not isinstance(value, Array) and not is_delayed(value):
            values.append(value)
            continue
        array = _as_array(value)
        if ind is not None and len(_letters(ind)) != array.ndim:
            raise ShapeError(f"index {ind!r} does not fit the {array.ndim} dimensions of {array}")
        values.append(None)
        slots.append(number)
        pairs.append((array, None if ind is None else tuple(ind)))
        numbers.append(None if ind is None else number)
    named = {k: v for k, v in kwargs.items() if isinstance(v, Array) or is_delayed(v)}
    pairs += [(_as_array(v), None) for v in named.values()]
    given = (*[args[2 * slot] for slot in slots], *named.values())
    late = frozenset(n for n, value in enumerate(given) if is_delayed(value))
    further = arguments_of(values, {k: v for k, v in kwargs.items() if k not in named})
    pairs += [(array, None) for array in further.arrays]
    plain = not further.options and not named and not late and len(slots) == len(values)
    filled = Slots(func, further.args, tuple(slots), tuple(named), further.options, late)
    inner = func if plain else filled
    return replace(UserFunction.of(inner), name=UserFunction.of(func).name), pairs, numbers


def _as_array(value: Any) -> Array:
    """An argument as an array: a Delayed value becomes a cell that holds what it yields."""
    return from_delayed(delayed_cell(value), (1,), object) if is_delayed(value) else asarray(value)


def _index_cuts(pairs: Iterable[Pair], align: bool) -> dict[Hashable, Cuts]:
    """How each index is cut; an axis of length 1 fits any."""
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
    """The block edges of all arrays along an index."""
    extents = {one.cuts.extent for one in found}
    if len(extents) > 1:
        raise ShapeError(f"index {index!r} is of lengths {sorted(extents)}")
    shared = common_chunks(found)
    assert shared is not None
    return shared.cuts


def _of_most_blocks(found: Sequence[AxisChunks]) -> Cuts:
    """The cuts that were chosen, or else those with most blocks."""
    return max(found, key=lambda one: (one.said, one.cuts.count)).cuts


def _reads(
    x: Array,
    ind: tuple[Hashable, ...] | None,
    cuts: Mapping[Hashable, Cuts],
    indices: Indices,
) -> BlocksOf:
    """Which blocks of an array a block of the result reads."""
    if ind is None:
        whole = tuple(Cuts.regular(n, max(n, 1)) for n in x.shape)
        return BlocksOf(whole, (-1,) * x.ndim, (1,) * x.ndim)
    own = []
    for letter, chunks in zip(ind, nominal_chunks(x.node), strict=True):
        mine, shared = chunks.cuts, cuts[letter]
        is_whole = mine.count in (1, shared.count) if chunks.said else mine.count == shared.count
        if mine.extent == shared.extent and (indices.align or not is_whole):
            mine = shared
        if mine.count not in (1, shared.count):
            raise ShapeError(f"index {letter!r} has {mine.count} blocks and {shared.count}")
        own.append(mine)
    letters = indices.letters
    axes = tuple(letters.index(letter) if letter in letters else -1 for letter in ind)
    return BlocksOf(tuple(own), axes, (1,) * x.ndim, lists=not indices.joined)


def _lengths(given: BlockLengths) -> Cuts:
    """Cuts of these lengths of blocks."""
    lengths = [integer(n) for n in given] if isinstance(given, Sequence) else [integer(given)]
    cuts = Cuts.of_lengths(lengths)
    if cuts.count != len(lengths):
        raise ShapeError(f"blocks without cells cannot be held: {tuple(lengths)}")
    return cuts


def _adjusted(cuts: Cuts, adjust: Mapping[Hashable, Adjustment], index: Hashable) -> Cuts:
    """Cuts of the result along an index, after `adjust`."""
    if index not in adjust:
        return cuts
    change = adjust[index]
    if callable(change):
        return _lengths([change(n) for n in cuts.lengths()])
    if isinstance(change, Sequence):
        if len(change) != cuts.count:
            raise ShapeError(f"index {index!r} has {cuts.count} blocks, chunks are {len(change)}")
        return _lengths(change)
    length = integer(change)
    return Cuts.regular(length * cuts.count, length) if length else _lengths([0] * cuts.count)


def _inferred_result(
    operator: Blockwise, arrays: Sequence[Array]
) -> tuple[np.dtype[Any], BlockFormat | None]:
    """Dtype and format of what the function returns for one cell, or for none."""
    arguments = operator.told_at((0,) * len(operator.cuts))
    attempts = []
    for side in (1, 0):
        attempt = []
        for x, read in zip(arrays, operator.reads, strict=True):
            one: Any = np.ones((side,) * x.ndim, x.dtype)
            for _ in read.listed:
                one = [one]
            attempt.append(one)
        attempts.append(attempt)
    call, name = callable_here(operator.function), operator.function.name
    try:
        result = tried(call, attempts, name, **arguments)
    except SignatureError as error:
        if not isinstance(operator.function.function, Slots):
            raise
        try:  # as Dask does, without cells of arrays in memory either, which have to fit blocks
            result = tried(operator.function.function.emptied(), attempts[1:], name, **arguments)
        except SignatureError:
            raise error from error.__cause__
    return kind_of(result, name)

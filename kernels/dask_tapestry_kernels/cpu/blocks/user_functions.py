"""Functions of the user, called on blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.block_format import is_foreign, is_on_device, refusal, with_all_cells
from dask_tapestry_kernels.floating_point import CASTS, tell
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import Counts, folded_nodes
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Index = tuple[Any, ...]  # of slices


def call(
    out: Block | None,
    *blocks: Block,
    function: Callable[..., Any],
    shape: tuple[int, ...],
    keep: Index,
    dtype: np.dtype[Any],
    parts: Sequence[Sequence[Index]] | None,
    calls: Sequence[Any] | None = None,
    foreign: bool = False,
) -> Any:
    """Call `function` on the blocks, or for each of `parts` on that part of each block.

    Parameters
    ----------
    shape, dtype
        Of what the function must return for one part.
    keep
        The cells of it that are wanted.
    calls
        Instead, for each call the number of the block that an argument is in, and its place there;
        the shape of what it returns; the cells that are wanted of it, and where they go.
    foreign
        Whether the function returns arrays of another library; one call's is returned as it is.
    """
    kept_shape = tuple(s.stop - s.start for s in keep)
    if calls is not None:
        result = np.empty(kept_shape, dtype) if out is None else out
        for indices, sides, wanted, into in calls:
            stop_if_asked()
            pieces = [blocks[at][(*index, ...)] for at, index in indices]
            converted = conform(guarded(function, pieces), sides, dtype, function, foreign)
            result[(*into, ...)] = with_all_cells(converted)[(*wanted, ...)]
        return result
    if parts is None:
        if 0 in kept_shape:
            return np.empty(kept_shape, dtype)
        block = conform(guarded(function, blocks), shape, dtype, function, foreign)
        return block if kept_shape == shape else with_all_cells(block)[(*keep, ...)]
    if 0 in kept_shape[1:] or not parts:
        return np.empty(kept_shape, dtype)
    result = np.empty(kept_shape, dtype) if out is None else out
    for number, indices in enumerate(parts):
        stop_if_asked()
        pieces = [block[(*index, ...)] for block, index in zip(blocks, indices, strict=True)]
        converted = conform(guarded(function, pieces), shape, dtype, function, foreign)
        result[number] = with_all_cells(converted)[(*keep[1:], ...)]
    return result


def guarded(function: Callable[..., Any], blocks: Sequence[Any], **kwargs: Any) -> Any:
    """Call `function` on blocks that others may hold; one that writes to them gets copies."""
    try:
        return function(*[_read_only(block) for block in blocks], **kwargs)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
    return function(*[_copy(block) for block in blocks], **kwargs)


def _read_only(block: Any) -> Any:
    if isinstance(block, list):
        return [_read_only(b) for b in block]
    if not isinstance(block, np.ndarray):
        return block
    seen = block.view()
    seen.flags.writeable = False
    return seen


def _copy(block: Any) -> Any:
    if isinstance(block, list):
        return [_copy(b) for b in block]
    return block.copy() if isinstance(block, np.ndarray) else block


def conform(
    result: Any, shape: tuple[int, ...], dtype: np.dtype[Any], function: Any, foreign: bool = False
) -> Any:
    """What was returned, as a block of `shape` and `dtype`; several results as fields.

    Errors name `function`. With `foreign` it may be an array of another library.

    Raises
    ------
    ValueError, TypeError
        If it is not what was declared.
    """
    if dtype.names is not None:
        return _packed(result, shape, dtype, function)
    if is_foreign(result):
        return _foreign(result, shape, dtype, function, foreign)
    if (reason := refusal(result)) is not None:
        raise TypeError(f"{called(function)} returned {reason}")
    block = np.asarray(result)
    if result is None and dtype.kind != "O":
        raise TypeError(f"{called(function)} returned None, not a block of shape {shape}")
    _check_shape(block, shape, function)
    if block.dtype == dtype:
        return block
    _check_dtype(block, dtype, function)
    cells = block.astype(dtype)
    if dtype.kind in "US" and dtype.itemsize < block.itemsize and not np.array_equal(cells, block):
        raise ValueError(
            f"{called(function)} returned {block.dtype}, too long for cells of {dtype}: declare a "
            "longer dtype"
        )
    tell_of_cast(block, cells, function)
    return cells


def tell_of_cast(block: Block, cells: Block, function: Any) -> None:
    """Tell who listens if cells are not the `block` of which they were cast to what was declared.

    The text says nothing of the block, so that it is one for all blocks.
    """
    if np.can_cast(block.dtype, cells.dtype, "safe"):
        return
    with np.errstate(all="ignore"):
        kept = np.array_equal(cells, block, equal_nan=block.dtype.kind in "fcmM")
    if not kept:
        tell(
            f"{called(function)} returned {block.dtype} where {cells.dtype} is declared: {CASTS}; "
            f"declare dtype={str(block.dtype)!r} to keep them, or return {cells.dtype}"
        )


def _foreign(
    result: Any, shape: tuple[int, ...], dtype: np.dtype[Any], function: Any, declared: bool
) -> Any:
    """An array of another library, if that was declared."""
    if not (declared or is_on_device(result)):
        raise TypeError(
            f"{called(function)} returned a {type(result).__name__} where a NumPy array is "
            f"declared: say so with meta={type(result).__name__}(...), an array like the result"
        )
    _check_shape(result, shape, function)
    if result.dtype == dtype:
        return result
    _check_dtype(result, dtype, function)
    return result.astype(dtype)


def _check_shape(block: Any, shape: tuple[int, ...], function: Any) -> None:
    if tuple(block.shape) != shape:
        raise ValueError(
            f"{called(function)} returned shape {block.shape} where its signature says {shape}"
        )


def _check_dtype(block: Any, dtype: np.dtype[Any], function: Any) -> None:
    if not np.can_cast(block.dtype, dtype, "same_kind"):
        raise TypeError(f"{called(function)} returned dtype {block.dtype}, not {dtype} as declared")


def _packed(result: Any, shape: tuple[int, ...], dtype: np.dtype[Any], function: Any) -> Block:
    names = dtype.names or ()
    if isinstance(result, np.ndarray) and result.dtype == dtype:
        return result
    if isinstance(result, dict):
        result = tuple(result[name] for name in names)
    if not isinstance(result, tuple | list) or len(result) != len(names):
        got = f"{len(result)} values" if isinstance(result, tuple | list) else type(result).__name__
        raise ValueError(f"{called(function)} returned {got} where {len(names)} are declared")
    packed = np.empty(shape, dtype)
    for name, value in zip(names, result, strict=True):
        field = dtype[name]
        packed[name] = conform(value, (*shape, *field.shape), field.base, function)
    return packed


def called(function: Any) -> str:
    """What errors call a function."""
    return str(getattr(function, "name", getattr(function, "__name__", "the function")))


def member(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    name: str,
    keep: Index,
) -> Block:
    """Return one field of structured cells; of its own axes, the last ones, the cells `keep`."""
    seen: Block = block[name][(..., *keep)]
    return seen


def fold(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    function: Callable[..., Any],
    axis: int,
    tree: Any,
    origin: int,
    level: int | None,
    identity: Any,
    dtype: np.dtype[Any],
) -> Block:
    """Combine neighbours along `axis` up to a level of their tree, or to the one value.

    The block begins at cell `origin` of the axis; cells of the tree's lattice are folded apart.
    """
    cells = np.moveaxis(block.astype(dtype, copy=False), axis, 0)
    if not len(cells):
        return np.full(cells.shape[1:] if level is None else cells.shape, identity, dtype)
    last = tree.depth if level is None else level

    def merged(nodes: Block, levels: int) -> Block:
        for _ in range(levels):
            pairs = len(nodes) // 2
            if not pairs:
                break
            left, right = nodes[0 : 2 * pairs : 2], nodes[1 : 2 * pairs : 2]
            both = merge(left, right)
            rest = nodes[2 * pairs :]
            nodes = np.concatenate([both, rest]) if len(rest) else both
        return nodes

    def merge(left: Block, right: Block, counts: Counts | None = None) -> Block:  # noqa: ARG001
        made: Block = conform(guarded(function, [left, right]), left.shape, dtype, function)
        return made

    if tree.lattice is None:
        nodes = merged(cells, last)
    else:
        folded_parts = folded_nodes(
            tree,
            last,
            (origin,),
            cells.shape[:1],
            lambda cell: merged(cells[cell.cut], cell.tree.depth),
            merge,
        )
        nodes = np.concatenate([node for _, node in folded_parts])
    return nodes if level is not None else nodes[0]


def blockwise(
    out: Block | None,
    *blocks: Block,
    function: Callable[..., Any],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    works: Sequence[tuple[Index, tuple[int, ...], Index, Sequence[Any], dict[str, Any]]],
    foreign: bool = False,
) -> Any:
    """Call `function` for each of `works`, and put its result in its place.

    A work says: the place in the result; the shape that the function must return, and the cells of
    it that are wanted; where in each block the function's arguments lie; and further arguments by
    name. With `foreign` it returns arrays of another library; one work's is returned as it is.
    """
    result = None
    for target, lengths, keep, pieces, arguments in works:
        pieces_of_blocks = [
            _chosen(block, piece) for block, piece in zip(blocks, pieces, strict=True)
        ]
        block = conform(
            guarded(function, pieces_of_blocks, **arguments), lengths, dtype, function, foreign
        )
        if len(works) == 1 and lengths == shape:
            return block
        block = with_all_cells(block)[(*keep, ...)]
        if len(works) == 1:
            return block
        if result is None:
            result = np.empty(shape, dtype) if out is None else out
        result[(*target, ...)] = block
    return np.empty(shape, dtype) if result is None else result


def _chosen(block: Block, piece: Any) -> Any:
    if isinstance(piece, list):
        return [_chosen(block, inner) for inner in piece]
    return block[tuple(piece)]


KERNELS: Final[dict[str, Kernel]] = {
    "call": call,
    "threads": call,
    "member": member,
    "fold": fold,
    "blockwise": blockwise,
}

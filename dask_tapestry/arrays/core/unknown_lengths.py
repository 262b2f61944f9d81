"""Unknown lengths: arrays of Dask's blocks, computed and kept when their shape is first asked for.

Each block is a cell of an array of Python objects, whose shape is known; what a count run keeps is
that array. Once lengths are counted the cells are blocks again: no task of Dask's runs twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_blocks import blocks_of
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.arrays.tuning import UNKNOWN_BITS
from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import ShapeError
from dask_tapestry.io.sources.dask_blocks_source import from_blocks
from dask_tapestry.teg import Node, TensorType
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import BlockFormat

if TYPE_CHECKING:
    from dask.array import Array as DaskArray


def lengths_are_known(chunks: tuple[tuple[float, ...], ...]) -> bool:
    """Whether no length of Dask's chunks is NaN.

    Examples
    --------
    >>> lengths_are_known(((2, 2), (float("nan"),)))
    False
    """
    return not any(n != n for lengths in chunks for n in lengths)


def counted_blocks(d: DaskArray) -> Deferred:
    """How a node is made of a Dask array of which chunk sizes are unknown.

    {Raises} DTypeError: If its dtype has no cells here.
    """
    from dask.array import map_blocks  # noqa: PLC0415  (a quarter of a second)

    boxed = map_blocks(
        _boxed,
        d,
        dtype=object,
        chunks=tuple((1,) * len(lengths) for lengths in d.chunks),
        meta=np.empty((0,) * d.ndim, object),
    )
    told = map_blocks(
        _lengths,
        boxed,
        dtype=np.int64,
        new_axis=d.ndim,
        chunks=(*boxed.chunks, (d.ndim,)),
        meta=np.empty((0,) * (d.ndim + 1), np.int64),
    )
    held, counts = blocks_of(boxed), blocks_of(told)

    def build(counts: Counts, kept: Sequence[Node]) -> Node:
        cells = Array(kept[0]) if kept else Array(held)
        return _opened(d, cells, _chunks_of(d, counts))

    return Deferred(counts, (held,), build, _bound(d), held)


def _bound(d: DaskArray) -> Node:
    """The blocks as if those of unknown length were longer than any can be."""
    unknown = sum(not lengths_are_known((lengths,)) for lengths in d.chunks)
    chunks = [
        lengths if lengths_are_known((lengths,)) else (2 ** (UNKNOWN_BITS // unknown),)
        for lengths in d.chunks
    ]
    cuts = tuple(Cuts.of_lengths([int(n) for n in lengths]) for lengths in chunks)
    type_ = TensorType(tuple(c.extent for c in cuts), cell_dtype(np.dtype(d.dtype)))
    return from_blocks(d.name, type_, cuts, {}, d.name, None, cuts, BlockFormat.of(d._meta))


def _opened(d: DaskArray, cells: Array, chunks: tuple[tuple[int, ...], ...]) -> Node:
    """The node of blocks that are cells of an array."""
    from dask.array import Array as DaskArray  # noqa: PLC0415
    from dask.array import map_blocks  # noqa: PLC0415

    ones = tuple((1,) * len(lengths) for lengths in d.chunks)
    boxes = DaskArray(cells.dask, cells.name, cells.chunks, dtype=object).rechunk(ones)
    return blocks_of(map_blocks(_block_in, boxes, dtype=d.dtype, chunks=chunks, meta=d._meta))


def _chunks_of(d: DaskArray, counts: Counts) -> tuple[tuple[int, ...], ...]:
    """Lengths along each dimension, which all blocks have to agree on.

    Raises
    ------
    ShapeError
        If blocks side by side differ, or one is not as long as it was said to be.
    """
    chunks = []
    for axis, lengths in enumerate(d.chunks):
        found = np.moveaxis(counts[..., axis], axis, 0).reshape(len(lengths), -1)
        said = np.array(lengths, float)[:, None]
        if (found != found[:, :1]).any() or ((said == said) & (found != said)).any():
            raise ShapeError(
                f"blocks of {d.name} have lengths {np.unique(found).tolist()} along axis {axis}, "
                f"where {lengths} were declared: blocks side by side must fit"
            )
        chunks.append(tuple(int(n) for n in found[:, 0]))
    return tuple(chunks)


def _boxed(block: Any) -> np.ndarray[Any, Any]:
    """A block as the one cell of an array."""
    box = np.empty(1, object)
    box[0] = block
    return box.reshape((1,) * block.ndim)


def _lengths(box: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The shape of the block in a box."""
    return np.array(box.item().shape, np.int64).reshape((*box.shape, box.ndim))


def _block_in(box: np.ndarray[Any, Any]) -> Any:
    """The block in a box."""
    return box.item()

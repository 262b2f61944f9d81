"""Slices of an axis in another order, by groups that lie in chunks together: `shuffle`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import dask.config
import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of, listed, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.indexing.take import take
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import normalize_axis

__all__ = ["shuffle"]


@names_axes
def shuffle(
    x: ArrayLike, indexer: Sequence[Sequence[int]], axis: int = 0, chunks: str = "auto"
) -> Array:
    """Take slices of an array along an axis, so that each group of them lies in one nominal chunk.

    {Parameters}
        {x}
        indexer: Groups of places along the axis, in the order of the result.
        {axis.one}
        chunks: ``"auto"``: a chunk takes as many whole groups as make at most 1.25 times the
            longest chunk of `x` along the axis, and one at least; Dask's setting
            ``array.chunk-size-tolerance`` says how many times. Other dimensions keep their chunks.
    {Returns} Array: As ``take(x, [place for group in indexer for place in group], axis)``.
    {Raises}
        ArgumentError: For a group that is no list, or other `chunks`.
        IndexingError: For a place outside of the axis.
    {See Also} take, dask.array.shuffle
    {Examples}
    >>> x = dt.shuffle(dt.arange(6, chunks=3), [[5, 0], [1, 2, 4], [3]])
    >>> x.compute(), x.chunks
    (array([5, 0, 1, 2, 4, 3]), ((2, 3, 1),))
    """
    if not is_one_of(chunks, ("auto",)):
        raise ArgumentError(f"shuffle takes chunks='auto' only, not {chunks!r}; rechunk its result")
    if not all(map(_is_group, listed(indexer, "lists of places"))):
        raise ArgumentError("indexer must be a list of lists of indices")
    array = asarray(x)
    number = normalize_axis(axis, array.ndim)
    with reading("indexer"):
        places = np.fromiter(chain.from_iterable(indexer), np.intp)
    most = max(array.chunks[number], default=0) * dask.config.get("array.chunk-size-tolerance")
    taken = take(array, places, axis=number)
    cut = [*taken.chunks[:number], _lengths(indexer, most), *taken.chunks[number + 1 :]]
    return with_chunks(taken, tuple(cut))


def _is_group(group: object) -> bool:
    return isinstance(group, Sequence | np.ndarray) and not isinstance(group, str)


def _lengths(indexer: Sequence[Sequence[int]], most: float) -> tuple[int, ...]:
    """Lengths of chunks of whole groups, none longer than `most` but those of one group."""
    lengths: list[int] = []
    for size in map(len, indexer):
        if lengths and lengths[-1] + size <= most:
            lengths[-1] += size
        else:
            lengths.append(size)
    return tuple(lengths) or (0,)


write_out(__name__)

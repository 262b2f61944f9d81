"""Nominal chunks that several arrays have in common along named indices: `unify_chunks`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from dask_tapestry.amounts import listed
from dask_tapestry.arrays.compatibility.ignored_hints import takes_hints
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import DimensionChunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.zspace import Cuts

__all__ = ["unify_chunks"]

Indices = Sequence[Hashable] | None
Lengths = dict[Hashable, tuple[int, ...]]


@takes_hints("warn")
def unify_chunks(*args: Any) -> tuple[Lengths, list[Any]]:
    """Give several arrays the same nominal chunks along dimensions of the same index.

    {Parameters} *args: Arrays, each followed by a sequence of indices, one for each of its
        dimensions; or values of any kind, each followed by None.
    {Returns}
        chunks : dict: Lengths of the chunks by index: every edge of an array's chunks is one of
            theirs.
        arrays : list: The same values in these chunks; dimensions of length one stay as they are.
    {Raises} ShapeError: If dimensions of one index differ in length, or indices in number from
        dimensions.
    {See Also} dask.array.unify_chunks
    {Examples}
    >>> x, y = dt.ones(10, chunks=((5, 2, 3),)), dt.ones(10, chunks=((2, 3, 5),))
    >>> dt.unify_chunks(x, "i", y, "i")[0]
    {'i': (2, 3, 2, 3)}
    """
    pairs = [
        (value if indices is None else asarray(value), indices)
        for value, indices in zip(args[::2], args[1::2], strict=True)
    ]
    common: dict[Hashable, Cuts] = {}
    for array, indices in pairs:
        for index, cuts in _cuts_by_index(array, indices):
            common_cuts = common.get(index)
            if common_cuts is None or common_cuts.extent == 1:
                common[index] = cuts
            elif cuts.extent not in (1, common_cuts.extent):
                raise ShapeError(
                    f"index {index!r} has lengths {common_cuts.extent} and {cuts.extent}"
                )
            elif cuts.extent != 1:
                common[index] = Cuts.common(common_cuts, cuts)
    chunks = {index: tuple(cuts.lengths()) for index, cuts in common.items()}
    return chunks, [_rechunked_to(array, indices, chunks) for array, indices in pairs]


def _cuts_by_index(array: Any, indices: Indices) -> list[tuple[Hashable, Cuts]]:
    """Indices of an array with its cuts; nothing for other values."""
    if indices is None:
        return []
    indices = listed(indices, "indices")
    if not all(isinstance(index, Hashable) for index in indices):
        raise ArgumentTypeError(f"indices are texts or integers, not {indices!r}")
    if len(indices) != array.ndim:
        raise ShapeError(f"{len(indices)} indices for an array of {array.ndim} dimensions")
    return list(zip(indices, array.nominal_cuts, strict=True))


def _rechunked_to(array: Any, indices: Indices, chunks: Lengths) -> Any:
    """An array in the common chunks; other values as they are."""
    if not isinstance(array, Array) or indices is None:
        return array
    wanted: dict[int | str, DimensionChunks] = {
        axis: chunks[index]
        for axis, index in enumerate(indices)
        if sum(chunks[index]) == array.shape[axis]
    }
    return with_chunks(array, wanted) if wanted else array


write_out(__name__)

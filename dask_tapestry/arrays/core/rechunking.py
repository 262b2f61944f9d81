"""Values laid out in chunks that the user gives: `rechunk`."""

from __future__ import annotations

import warnings

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks, cuts_from
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.operators.layouts.rechunk import rechunk as rechunk_tensor
from dask_tapestry.zspace import Cuts

__all__ = ["rechunk"]


@checked
def rechunk(
    x: ArrayLike,
    chunks: Chunks = "auto",
    threshold: int | None = None,  # noqa: ARG001
    block_size_limit: int | None = None,
    balance: bool = False,
    method: str | None = None,  # noqa: ARG001
) -> Array:
    """Cut a value into other chunks, in which it is then held.

    The chunks of a creation or a source (``chunks=``) are what functions of blocks see, and leave
    a plan free; these are a constraint too: the value exists in these blocks.

    {Parameters}
        {x}
        chunks: In any form that Dask takes: a length, a length or lengths for each dimension, a
            dictionary, ``"auto"``. A dimension that is not named, or for which None is given, keeps
            its chunks.
        block_size_limit: Bytes of a chunk for ``"auto"``; by default the setting ``block_bytes``.
        balance: Whether to make the chunks of a dimension as equal as their number allows, where
            the last one is at most half as long as the others.
        threshold, method: As Dask's, without effect: the plan chooses.
    {Returns} Array: The same value.
    {Raises} ShapeError: If the chunks do not fit the shape.
    {See Also} dask.array.rechunk
    {Examples}
    >>> dt.rechunk(dt.ones((4, 6)), (2, -1)).chunks
    ((2, 2), (6,))
    >>> dt.ones(13).rechunk(4, balance=True).chunks
    ((5, 5, 3),)
    """
    array = asarray(x)
    if isinstance(chunks, tuple | list) and any(one is None for one in chunks):
        chunks = chunks[: array.ndim]  # as scripts give a vector the chunks of a matrix
    cuts = cuts_from(chunks, array.node.type, array.nominal_cuts, block_size_limit)
    if balance:
        cuts = tuple(map(_balanced, cuts))
    return Array(rechunk_tensor(array.node, cuts))


def _balanced(cuts: Cuts) -> Cuts:
    """Chunks of nearly equal lengths: one fewer where a short one is left over."""
    lengths = tuple(cuts.lengths())
    count = len(lengths) - (min(lengths, default=0) <= max(lengths, default=0) / 2)
    if count < 1 or cuts.extent == 0:
        return cuts
    side = -(-cuts.extent // count)
    equal = Cuts.regular(cuts.extent, side)
    if equal.count != count:
        warnings.warn(
            f"chunks of {cuts.extent} cells cannot be balanced as {count}; they stay as they are",
            stacklevel=3,
        )
        return cuts
    return equal

"""Added places: signatures of folds whose cells are added to a block, some at a time.

Such a fold's output has the places of the cells along one folded axis before its own dimensions. It
is never in memory: the kernel adds the cells of each place to a block without that dimension.
"""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.teg import IndexDim, Signature, TensorType
from dask_tapestry.zspace import IndexProjection


def at_places(fold: Signature, x: TensorType, axis: int, labelled: Sequence[int]) -> Signature:
    """The signature of a fold whose output has the places along `axis` of the cells before.

    Its inputs are cells, and last their codes, which have the `labelled` axes.
    """
    place = IndexDim("place", x.shape[axis])
    *cells, codes = fold.inputs
    number = labelled.index(axis) if axis in labelled else None
    reads = [_behind_place(one, axis) for one in cells]
    (tables,) = fold.outputs
    written = _behind_place(tables, None)
    writes = IndexProjection(
        ((1, *[0] * len(fold.index)), *written.matrix),
        (0, *written.offset),
        (1, *written.shape),
    )
    index = (place, *fold.index)
    return Signature(index, (*reads, _behind_place(codes, number)), (writes,))


def _behind_place(projection: IndexProjection, row: int | None) -> IndexProjection:
    """A projection of an index space with places first, of which one row reads its place alone."""
    matrix = [(0, *one) for one in projection.matrix]
    offset, shape = list(projection.offset), list(projection.shape)
    if row is not None:
        matrix[row] = (1, *[0] * (len(matrix[row]) - 1))
        offset[row], shape[row] = 0, 1
    return IndexProjection(matrix, offset, shape, in_ndim=projection.in_ndim + 1)

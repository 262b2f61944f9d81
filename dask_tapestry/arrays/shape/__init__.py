"""The same cells in another shape: reshaped, transposed, broadcast."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.shape.atleast import *
    from dask_tapestry.arrays.shape.broadcasting import *
    from dask_tapestry.arrays.shape.reshaping import *
    from dask_tapestry.arrays.shape.shape_queries import *
    from dask_tapestry.arrays.shape.transposing import *

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]

if not TYPE_CHECKING:
    late_chapter(__name__)

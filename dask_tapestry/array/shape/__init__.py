"""The same cells in another shape: reshaped, transposed, broadcast."""

from dask_tapestry.array.shape.atleast import *
from dask_tapestry.array.shape.broadcasting import *
from dask_tapestry.array.shape.reshaping import *
from dask_tapestry.array.shape.transposing import *

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
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "squeeze",
    "swapaxes",
    "transpose",
]

"""The same cells in another shape: reshaped, transposed, broadcast."""

from dask_tapestry.array.shape.atleast import *
from dask_tapestry.array.shape.blockwise_reshape import *
from dask_tapestry.array.shape.broadcasting import *
from dask_tapestry.array.shape.measures import *
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
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "reshape_blockwise",
    "rollaxis",
    "shape",
    "squeeze",
    "swapaxes",
    "transpose",
]

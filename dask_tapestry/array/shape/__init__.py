"""The same cells in another shape: reshaped, transposed, broadcast."""

from dask_tapestry.array.shape.atleast import *
from dask_tapestry.array.shape.reshape import *

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "squeeze",
    "swapaxes",
    "transpose",
]

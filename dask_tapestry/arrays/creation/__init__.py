"""Arrays made from nothing, or copied."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.creation.copies import *
from dask_tapestry.arrays.creation.filled import *
from dask_tapestry.arrays.creation.filled_like import *
from dask_tapestry.arrays.creation.grids import *
from dask_tapestry.arrays.creation.matrices import *
from dask_tapestry.arrays.creation.ranges import *

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "ascontiguousarray",
    "bounding_box",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "fromfunction",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "index_tensor",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tri",
    "vander",
    "zeros",
    "zeros_like",
]

write_out(__name__)

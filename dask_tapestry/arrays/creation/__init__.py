"""Arrays made from nothing, or copied."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.creation.bracket_grids import *
from dask_tapestry.arrays.creation.bracket_joins import *
from dask_tapestry.arrays.creation.copies import *
from dask_tapestry.arrays.creation.filled import *
from dask_tapestry.arrays.creation.filled_like import *
from dask_tapestry.arrays.creation.grids import *
from dask_tapestry.arrays.creation.matrices import *
from dask_tapestry.arrays.creation.ranges import *
from dask_tapestry.arrays.creation.windows import *

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "ascontiguousarray",
    "bartlett",
    "blackman",
    "bounding_box",
    "c_",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "fromfunction",
    "full",
    "full_like",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "index_tensor",
    "indices",
    "ix_",
    "kaiser",
    "linspace",
    "logspace",
    "meshgrid",
    "mgrid",
    "ogrid",
    "ones",
    "ones_like",
    "r_",
    "tri",
    "vander",
    "zeros",
    "zeros_like",
]

write_out(__name__)

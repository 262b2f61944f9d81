"""Arrays made from nothing, or copied."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
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
    "asfortranarray",
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

if not TYPE_CHECKING:
    late_chapter(__name__)

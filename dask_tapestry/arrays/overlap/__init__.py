"""Blocks that see their neighbours, and windows that overlap: Dask's `dask.array.overlap`.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.overlap.sliding_window_view(dt.arange(4), 2).compute().tolist()
[[0, 1], [1, 2], [2, 3]]
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.overlap.boundary_padding import *
from dask_tapestry.arrays.overlap.map_overlap import *
from dask_tapestry.arrays.overlap.shared import *
from dask_tapestry.arrays.overlap.sliding import *

__all__ = [
    "boundaries",
    "constant",
    "ensure_minimum_chunksize",
    "map_overlap",
    "nearest",
    "overlap",
    "overlap_internal",
    "periodic",
    "reflect",
    "sliding_window_view",
    "trim_internal",
    "trim_overlap",
]

write_out(__name__)

"""Blocks that see their neighbours, and windows that overlap: Dask's `dask.array.overlap`.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.overlap.sliding_window_view(dt.arange(4), 2).compute().tolist()
[[0, 1], [1, 2], [2, 3]]
"""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.late_names import late_names
from dask_tapestry.arrays.overlap.map_overlap import *
from dask_tapestry.arrays.overlap.sliding import *

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.compatibility.boundary_padding import *
    from dask_tapestry.arrays.compatibility.overlapped_blocks import *

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

if not TYPE_CHECKING:
    __getattr__ = late_names("overlap", __all__)

    def __dir__() -> list[str]:
        """The public names, those that come late too."""
        return sorted({*globals(), *__all__})


write_out(__name__)

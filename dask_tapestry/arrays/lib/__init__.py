"""NumPy's namespace `numpy.lib`, as far as it is served: `lib.stride_tricks`.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.lib.stride_tricks.sliding_window_view(dt.arange(4), 3).shape
(2, 3)
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.lib import stride_tricks

__all__ = ["stride_tricks"]

write_out(__name__)

"""Windows under the name of `numpy.lib.stride_tricks`, as NumPy and Dask have them.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.lib.stride_tricks.sliding_window_view(dt.arange(4), 2).shape
(3, 2)
"""

from dask_tapestry.arrays.overlap.sliding import sliding_window_view

__all__ = ["sliding_window_view"]

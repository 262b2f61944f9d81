"""xarray over these arrays: a chunk manager that takes the place of Dask's while it is wished.

Examples
--------
>>> import numpy as np, xarray as xr, dask_tapestry as dt
>>> data = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("time", "place"))
>>> with dt.xarray.use():
...     data.chunk(time=1).mean("place").data
dt.Array<reduce, float64[2], 2 blocks of (1,)>
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.xarray.activation import *
from dask_tapestry.arrays.xarray.chunk_manager import *

__all__ = ["TapestryManager", "use"]

write_out(__name__)

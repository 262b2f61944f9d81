"""Masked arrays: cells of which a mask hides some, as in `numpy.ma` and `dask.array.ma`.

A masked array is a pair of lazy arrays, its cells and its mask, so plans see both and every
sharding gives the same bits. Masks are values: no two arrays share one, and none is hard.

Examples
--------
>>> import dask_tapestry as dt
>>> x = dt.ma.masked_invalid([1.0, dt.nan, 3.0])
>>> x.mean().compute(), (x + 1).filled(0).compute()
(np.float64(2.0), array([2., 0., 4.]))
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.ma.averages import *
from dask_tapestry.arrays.ma.functions import *
from dask_tapestry.arrays.ma.joining import *
from dask_tapestry.arrays.ma.mask_conditions import *
from dask_tapestry.arrays.ma.mask_creation import *
from dask_tapestry.arrays.ma.masked_array import MaskedArray
from dask_tapestry.arrays.ma.masking import *
from dask_tapestry.arrays.ma.medians import *
from dask_tapestry.arrays.ma.products import *

__all__ = [
    "MaskedArray",
    "array",
    "asanyarray",
    "asarray",
    "average",
    "compressed",
    "concatenate",
    "count",
    "dot",
    "empty_like",
    "filled",
    "fix_invalid",
    "getdata",
    "getmask",
    "getmaskarray",
    "is_masked",
    "masked",
    "masked_array",
    "masked_equal",
    "masked_greater",
    "masked_greater_equal",
    "masked_inside",
    "masked_invalid",
    "masked_less",
    "masked_less_equal",
    "masked_not_equal",
    "masked_outside",
    "masked_values",
    "masked_where",
    "median",
    "nomask",
    "nonzero",
    "ones_like",
    "set_fill_value",
    "stack",
    "where",
    "zeros_like",
]

write_out(__name__)

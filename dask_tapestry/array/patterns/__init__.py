"""Parallel patterns: `dt.patterns`.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.patterns.zipmapreduce(lambda attrs, x, y: x * y, [dt.ones(3), 2.0], reduce="sum").compute()
np.float64(6.0)
"""

from dask_tapestry.array.patterns.cell_values import *
from dask_tapestry.array.patterns.dtypes import *
from dask_tapestry.array.patterns.sn_names import *
from dask_tapestry.array.patterns.zipmapreduce import *

__all__ = [
    "Attributes",
    "get_float_type",
    "get_int_or_float_bit_width",
    "get_int_type",
    "get_uint_type",
    "imm",
    "iteridx",
    "reduce",
    "select",
    "sn_imm",
    "sn_iteridx",
    "sn_reduce",
    "sn_select",
    "sn_zipmapreduce",
    "zipmapreduce",
]

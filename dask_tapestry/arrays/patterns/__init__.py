"""Parallel patterns: functions of cells, gather, scatter and what goes with them.

Each has its own name and the one of the page it is from, which begins with ``sn_``.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.patterns.zipmapreduce(lambda attrs, x, y: x * y, [dt.ones(3), 2.0], reduce="sum").compute()
np.float64(6.0)
>>> table = dt.arange(6).reshape(3, 2)
>>> dt.patterns.gather(table, [[2], [0]], [0], [1]).compute().tolist()
[[[4, 5]], [[0, 1]]]
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.patterns.cell_values import *
from dask_tapestry.arrays.patterns.dtypes import *
from dask_tapestry.arrays.patterns.foreach_thread import *
from dask_tapestry.arrays.patterns.gathering import *
from dask_tapestry.arrays.patterns.scattering import *
from dask_tapestry.arrays.patterns.sn_names import *
from dask_tapestry.arrays.patterns.thread_events import *
from dask_tapestry.arrays.patterns.thread_parts import *
from dask_tapestry.arrays.patterns.zipmapreduce import *

__all__ = [
    "Attributes",
    "extract_slice",
    "foreach_thread",
    "gather",
    "get_float_type",
    "get_int_or_float_bit_width",
    "get_int_type",
    "get_uint_type",
    "imm",
    "iteridx",
    "parallel_insert_slice",
    "perform_concurrently",
    "reduce",
    "scatter",
    "select",
    "signal",
    "sn_gather",
    "sn_imm",
    "sn_iteridx",
    "sn_reduce",
    "sn_scatter",
    "sn_select",
    "sn_zipmapreduce",
    "subview",
    "wait",
    "zipmapreduce",
]

write_out(__name__)

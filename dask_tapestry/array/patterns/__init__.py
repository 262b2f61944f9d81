"""Parallel patterns: gather, scatter and what goes with them.

Each has its own name and the one of the page it is from, which begins with ``sn_``.

Examples
--------
>>> import dask_tapestry as dt
>>> table = dt.arange(6).reshape(3, 2)
>>> dt.patterns.gather(table, [[2], [0]], [0], [1]).compute().tolist()
[[[4, 5]], [[0, 1]]]
"""

from dask_tapestry.array.patterns.gathering import *

__all__ = ["gather", "sn_gather"]

"""Linear algebra.

Examples
--------
>>> import dask_tapestry as dt
>>> float(dt.linalg.norm(dt.asarray([3.0, 4.0])))
5.0
"""

from dask_tapestry.array import chains, linalg_products, norms
from dask_tapestry.array.chains import *
from dask_tapestry.array.linalg_products import *
from dask_tapestry.array.norms import *

__all__ = [*chains.__all__, *linalg_products.__all__, *norms.__all__]

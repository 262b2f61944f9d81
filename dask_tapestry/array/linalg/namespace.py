"""Linear algebra.

Examples
--------
>>> import dask_tapestry as dt
>>> float(dt.linalg.norm(dt.asarray([3.0, 4.0])))
5.0
"""

from dask_tapestry.array.linalg import batched_products, matrix_chains, norms
from dask_tapestry.array.linalg.batched_products import *
from dask_tapestry.array.linalg.matrix_chains import *
from dask_tapestry.array.linalg.norms import *

__all__ = [*matrix_chains.__all__, *batched_products.__all__, *norms.__all__]

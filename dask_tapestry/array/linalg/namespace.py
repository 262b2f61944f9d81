"""Linear algebra.

Examples
--------
>>> import dask_tapestry as dt
>>> float(dt.linalg.norm(dt.asarray([3.0, 4.0])))
5.0
"""

from dask_tapestry.array.linalg.array_api import *
from dask_tapestry.array.linalg.matrix_chains import *
from dask_tapestry.array.linalg.norms import *

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

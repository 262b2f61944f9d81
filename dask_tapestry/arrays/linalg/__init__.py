"""Products of matrices and vectors, traces and norms."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.linalg import namespace as linalg
from dask_tapestry.arrays.linalg.cross_trace import *
from dask_tapestry.arrays.linalg.einsum import *
from dask_tapestry.arrays.linalg.products import *
from dask_tapestry.arrays.linalg.sparse_products import *
from dask_tapestry.arrays.linalg.vector_products import *

__all__ = [
    "cross",
    "dot",
    "einsum",
    "einsum_path",
    "inner",
    "kron",
    "linalg",
    "matmul",
    "matvec",
    "outer",
    "sparse_matmul",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
    "vecmat",
]

write_out(__name__)

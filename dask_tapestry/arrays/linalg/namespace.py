"""The namespace ``dt.linalg``: linear algebra by the names of `numpy.linalg`.

Examples
--------
>>> import dask_tapestry as dt
>>> float(dt.linalg.norm(dt.asarray([3.0, 4.0])))
5.0
"""

from typing import TYPE_CHECKING

from numpy.linalg import LinAlgError

from dask_tapestry.arrays.core.late_names import late_names
from dask_tapestry.arrays.linalg.array_api import *
from dask_tapestry.arrays.linalg.eigenvalues import *
from dask_tapestry.arrays.linalg.factorizations import *
from dask_tapestry.arrays.linalg.matrix_chains import *
from dask_tapestry.arrays.linalg.norms import *
from dask_tapestry.arrays.linalg.singular_values import *
from dask_tapestry.arrays.linalg.solving import *
from dask_tapestry.arrays.linalg.triangular import *

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.compatibility.dask_factor_names import *

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "lu",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "sfqr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svd_compressed",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "tsqr",
    "vecdot",
    "vector_norm",
]

if not TYPE_CHECKING:
    __getattr__ = late_names("linalg", __all__)

    def __dir__() -> list[str]:
        """The public names, those that come late too."""
        return sorted({*globals(), *__all__})

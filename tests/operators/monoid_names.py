"""Which monoids take cells of a dtype."""

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.reductions.monoids import MONOIDS


def monoids_of(dtype):
    """Names of the monoids that fold cells of `dtype`."""
    return [name for name in sorted(MONOIDS) if takes(name, dtype)]


def takes(name, dtype):
    try:
        MONOIDS[name].dtypes(np.dtype(dtype), None)
    except DTypeError:
        return False
    return True

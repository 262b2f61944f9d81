"""The error of masks that do not fit, which is NumPy's too; `numpy.ma` is loaded to raise it."""

import numpy as np

from dask_tapestry.errors import ShapeError


class MaskError(ShapeError, np.ma.MaskError):
    """A mask does not have as many cells as what it is to hide."""

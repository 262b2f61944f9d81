"""`x.conj()`: of real cells the array itself, where the function makes another, as NumPy's do."""

from __future__ import annotations

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.elementwise.ufuncs import conjugate


def conjugated(self: Array, out: Array | None = None) -> Array:
    """Return the complex conjugate of each cell, as `numpy.ndarray.conjugate`.

    Parameters
    ----------
    out
        An array that becomes the result.

    Returns
    -------
    Array
        Of this shape and dtype; of real cells this array itself.

    Raises
    ------
    DTypeError
        For cells that are no numbers.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.asarray([True]).conjugate().dtype, dt.conjugate(dt.asarray([True])).dtype
    (dtype('bool'), dtype('int8'))
    """
    if self.dtype.kind in "biuf" and out is None:
        return self
    return conjugate(self, out=out)

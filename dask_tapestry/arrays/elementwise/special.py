"""Elementary functions that NumPy lacks: `dt.special`, by SciPy's names.

``scipy.special.erf(x)`` of one of our arrays comes here too.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.special.erf([0.0, 0.5]).compute()
array([0.        , 0.52049988])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import UFUNC_FUNCTIONS
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.cells.elementwise import cell_call

__all__ = ["erf", "erfc"]


def erf(x: ArrayLike) -> Array:
    """Return the error function of each element, as `scipy.special.erf`.

    {Parameters} x: Real elements; integers and booleans become float64.
    {Returns} Array: Floats, of the shape of `x`.
    {Raises} DTypeError: For complex elements, and elements that are no numbers.

    Notes
    -----
    Within 2 units in the last place.

    {Examples}
    >>> dt.special.erf([-1.0, 0.0, 6.0]).compute()
    array([-0.84270079,  0.        ,  1.        ])
    """
    return _of_floats("erf", x)


def erfc(x: ArrayLike) -> Array:
    """Return one minus the error function of each element, as `scipy.special.erfc`.

    {Parameters} x: Real elements; integers and booleans become float64.
    {Returns} Array: Floats, of the shape of `x`.
    {Raises} DTypeError: For complex elements, and elements that are no numbers.

    Notes
    -----
    Within 2 units in the last place, also where the difference is small.

    {Examples}
    >>> dt.special.erfc([0.0, 6.0]).compute()
    array([1.00000000e+00, 2.15197367e-17])
    """
    return _of_floats("erfc", x)


def _of_floats(function: str, x: ArrayLike) -> Array:
    node = asarray(x).node
    kind = node.type.dtype
    if kind.kind not in "biuf" or kind.char == "g":
        raise DTypeError(f"{function} takes real numbers of at most 64 bits, not {kind.name}")
    loop = kind if kind.kind == "f" else np.dtype(np.float64)
    return Array(cell_call(function, [node], [loop], loop))


UFUNC_FUNCTIONS |= {"erf": erf, "erfc": erfc}

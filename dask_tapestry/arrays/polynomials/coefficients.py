"""Coefficients of polynomials, that of the highest power first: `polyadd`, `roots`, `poly1d`, ...

Those whose number follows from values are computed now.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.manipulation.joining import concatenate
from dask_tapestry.arrays.shape.atleast import atleast_1d
from dask_tapestry.errors import ArgumentError, ShapeError

__all__ = [
    "poly", "poly1d", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "roots",
]  # fmt: skip


class poly1d(np.poly1d):  # noqa: N801  (NumPy's name)
    """A polynomial, as `numpy.poly1d`; its coefficients are computed now.

    Called with an array of ours it gives its lazy values, as `polyval` does.

    {Parameters}
        c_or_r: Coefficients, that of the highest power first, or roots.
        r: Whether they are roots.
        variable: Name of the variable, for `print`.
    {Raises} ShapeError: If there is more than one dimension.
    {See Also} polyval, polyfit, roots
    {Examples}
    >>> p = dt.poly1d([1, 0, -2])
    >>> p(dt.arange(4)).compute()
    array([-2, -1,  2,  7])
    """

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        known = c_or_r if isinstance(c_or_r, np.poly1d) else _known(c_or_r)
        if np.ndim(known) > 1:
            raise ShapeError("Polynomial must be 1d only.")
        super().__init__(known, r, variable)

    def __call__(self, val: Any) -> Any:
        """Return the values at `val`."""
        return np.polyval(self.coeffs, val)


@implements(np.roots)
def roots(p: ArrayLike) -> Array:
    """Return the roots of a polynomial, as `numpy.roots`; the coefficients are computed now.

    {Parameters} p: Coefficients, that of the highest power first.
    {Returns} Array: A vector as long as the degree.
    {Raises} ShapeError: If there is more than one dimension.
    {See Also} poly, polyval
    {Examples}
    >>> dt.roots([1, -3, 2]).compute()
    array([2., 1.])
    """
    known = _known(p)
    if known.ndim > 1:
        raise ShapeError("Input must be a rank-1 array.")
    return asarray(np.asarray(np.roots(known)))


@implements(np.poly)
def poly(seq_of_zeros: ArrayLike) -> Array:
    """Return the coefficients of the polynomial of given roots, as `numpy.poly`.

    {Parameters} seq_of_zeros: Roots, or a square matrix, of which they are the eigenvalues;
        computed now.
    {Returns} Array: A vector, longer by one than there are roots.
    {Raises} ShapeError: For a matrix that is not square, or more dimensions.
    {See Also} roots, polyval
    {Examples}
    >>> dt.poly([2, 1]).compute()
    array([ 1., -3.,  2.])
    """
    known = _known(seq_of_zeros)
    if known.ndim > 2 or (known.ndim == 2 and (known.shape[0] != known.shape[1] or not known.size)):
        raise ShapeError("input must be 1d or non-empty square 2d array.")
    return asarray(np.asarray(np.poly(known)))


@implements(np.polyadd)
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Return the sum of two polynomials, as `numpy.polyadd`.

    {Parameters} a1, a2: Coefficients, that of the highest power first.
    {Returns} Array or poly1d: As many coefficients as the longer has; a `poly1d` if one is.
    {See Also} polysub, polymul
    {Examples}
    >>> dt.polyadd([1, 2], [9, 5, 4]).compute()
    array([9, 6, 6])
    """
    if isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d):
        return poly1d(np.polyadd(_known(a1), _known(a2)))
    first, second = _alike(a1, a2)
    return first + second


@implements(np.polysub)
def polysub(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Return the difference of two polynomials, as `numpy.polysub`.

    {Parameters} a1, a2: Coefficients, that of the highest power first.
    {Returns} Array or poly1d: As many coefficients as the longer has; a `poly1d` if one is.
    {See Also} polyadd, polymul
    {Examples}
    >>> dt.polysub([2, 10, -2], [3, 10, -4]).compute()
    array([-1,  0,  2])
    """
    if isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d):
        return poly1d(np.polysub(_known(a1), _known(a2)))
    first, second = _alike(a1, a2)
    return first - second


@implements(np.polymul)
def polymul(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Return the product of two polynomials, as `numpy.polymul`; both are computed now.

    {Parameters} a1, a2: Coefficients, that of the highest power first; leading zeros do not count.
    {Returns} Array or poly1d: The coefficients; a `poly1d` if one is.
    {See Also} polyadd, polydiv, convolve
    {Examples}
    >>> dt.polymul([1, 2, 3], [9, 5, 1]).compute()
    array([ 9, 23, 38, 17,  3])
    """
    made = np.polymul(_known(a1), _known(a2))
    is_object = isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d)
    return poly1d(made) if is_object else asarray(np.asarray(made))


@implements(np.polydiv)
def polydiv(u: ArrayLike, v: ArrayLike) -> tuple[Any, Any]:
    """Return the quotient and the remainder of two polynomials, as `numpy.polydiv`.

    {Parameters} u, v: Coefficients, that of the highest power first; computed now.
    {Returns} tuple of Array or of poly1d: Both; of `poly1d` if one argument is.
    {See Also} polymul
    {Examples}
    >>> [part.compute().tolist() for part in dt.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])]
    [[1.5, 1.75], [0.25]]
    """
    made = np.polydiv(_known(u), _known(v))
    if isinstance(u, np.poly1d) or isinstance(v, np.poly1d):
        return poly1d(made[0]), poly1d(made[1])
    return asarray(np.asarray(made[0])), asarray(np.asarray(made[1]))


@implements(np.polyder)
def polyder(p: ArrayLike, m: int = 1) -> Any:
    """Return the derivative of a polynomial, as `numpy.polyder`.

    {Parameters}
        p: Coefficients, that of the highest power first.
        m: How often it is derived.
    {Returns} Array or poly1d: Fewer coefficients by `m`; a `poly1d` if `p` is.
    {Raises} ArgumentError: For a negative `m`.
    {See Also} polyint
    {Examples}
    >>> dt.polyder([1, 1, 1, 1]).compute()
    array([3, 2, 1])
    """
    times = integer(m)
    if times < 0:
        raise ArgumentError("Order of derivative must be positive (see polyint)")
    if isinstance(p, np.poly1d):
        return poly1d(np.polyder(p.coeffs, times))
    made = asarray(p)
    for _ in range(times):
        made = made[:-1] * arange(made.shape[0] - 1, 0, -1)
    return made


@implements(np.polyint)
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Any:
    """Return an integral of a polynomial, as `numpy.polyint`.

    {Parameters}
        p: Coefficients, that of the highest power first.
        m: How often it is integrated.
        k: A constant for each time, or one for all; zero by default.
    {Returns} Array or poly1d: More coefficients by `m`; a `poly1d` if `p` is.
    {Raises} ArgumentError: For a negative `m`, or another number of constants.
    {See Also} polyder
    {Examples}
    >>> dt.polyint([6.0, 2.0], k=[5]).compute()
    array([3., 2., 5.])
    """
    times = integer(m)
    if times < 0:
        raise ArgumentError("Order of integral must be positive (see polyder)")
    if isinstance(p, np.poly1d):
        return poly1d(np.polyint(p.coeffs, times, k if k is None else _known(k)))
    constants = atleast_1d(asarray(np.zeros(times) if k is None else k))
    if constants.shape[0] == 1 and times > 1:
        constants = constants[0] * asarray(np.ones(times))
    if constants.shape[0] < times:
        raise ArgumentError("k must be a scalar or a rank-1 array of length 1 or >m.")
    made = asarray(p)
    for number in range(times):
        powers = arange(made.shape[0], 0, -1)
        made = concatenate([made / powers, constants[number : number + 1]])
    return made


def _known(values: Any) -> np.ndarray[Any, Any]:
    """Coefficients as a NumPy vector, computed."""
    known = values.coeffs if isinstance(values, np.poly1d) else values
    return np.atleast_1d(np.asarray(known))


def _alike(a1: ArrayLike, a2: ArrayLike) -> tuple[Array, Array]:
    """Two vectors of coefficients, the shorter one with leading zeros."""
    both = [atleast_1d(asarray(a)) for a in (a1, a2)]
    if any(one.ndim > 1 for one in both):
        raise ShapeError("coefficients are vectors")
    count = max(one.shape[0] for one in both)
    first, second = (_with_zeros(one, count) for one in both)
    return first, second


def _with_zeros(one: Array, count: int) -> Array:
    lacking = count - one.shape[0]
    return concatenate([asarray(np.zeros(lacking, one.dtype)), one]) if lacking else one

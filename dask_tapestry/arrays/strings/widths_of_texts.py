"""Texts as long as their cells make them: `replace`, `center`, `encode`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.strings.cell_texts import measured_call

__all__ = [
    "center",
    "decode",
    "encode",
    "expandtabs",
    "ljust",
    "mod",
    "multiply",
    "replace",
    "rjust",
    "zfill",
]


@implements(np.strings.center)
def center(a: ArrayLike, width: ArrayLike, fillchar: ArrayLike = " ") -> Array:
    """Return texts in the middle of a width, as `numpy.strings.center`.

    {Parameters}
        a: Texts.
        width: Least length of the results.
        fillchar: What fills them up.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.center(["ab"], 4, "*").compute()
    array(['*ab*'], dtype='<U4')
    """
    return measured_call("center", a, width, fillchar)


@implements(np.strings.ljust)
def ljust(a: ArrayLike, width: ArrayLike, fillchar: ArrayLike = " ") -> Array:
    """Return texts at the left of a width, as `numpy.strings.ljust`.

    {Parameters}
        a: Texts.
        width: Least length of the results.
        fillchar: What fills them up.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.ljust(["ab"], 4, "*").compute()
    array(['ab**'], dtype='<U4')
    """
    return measured_call("ljust", a, width, fillchar)


@implements(np.strings.rjust)
def rjust(a: ArrayLike, width: ArrayLike, fillchar: ArrayLike = " ") -> Array:
    """Return texts at the right of a width, as `numpy.strings.rjust`.

    {Parameters}
        a: Texts.
        width: Least length of the results.
        fillchar: What fills them up.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.rjust(["ab"], 4, "*").compute()
    array(['**ab'], dtype='<U4')
    """
    return measured_call("rjust", a, width, fillchar)


@implements(np.strings.zfill)
def zfill(a: ArrayLike, width: ArrayLike) -> Array:
    """Return numerals filled up with zeros behind their sign, as `numpy.strings.zfill`.

    {Parameters}
        a: Texts.
        width: Least length of the results.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.zfill(["-7"], 4).compute()
    array(['-007'], dtype='<U4')
    """
    return measured_call("zfill", a, width)


@implements(np.strings.expandtabs)
def expandtabs(a: ArrayLike, tabsize: ArrayLike = 8) -> Array:
    r"""Return texts with spaces in place of tabulators, as `numpy.strings.expandtabs`.

    {Parameters}
        a: Texts.
        tabsize: Distance of the columns.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.expandtabs(["a\tb"], 4).compute()
    array(['a   b'], dtype='<U5')
    """
    return measured_call("expandtabs", a, tabsize)


@implements(np.strings.multiply)
def multiply(a: ArrayLike, i: ArrayLike) -> Array:
    """Return texts repeated, as `numpy.strings.multiply`.

    {Parameters}
        a: Texts.
        i: How often; negative ones count as 0.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.multiply(["ab"], [2]).compute()
    array(['abab'], dtype='<U4')
    """
    return measured_call("multiply", a, i)


@implements(np.strings.mod)
def mod(a: ArrayLike, values: Any) -> Array:
    """Return formats with values in place, as the operator ``%``, as `numpy.strings.mod`.

    {Parameters}
        a: Texts.
        values: One or a tuple for all, or an array.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.mod(["%d m"], [5]).compute()
    array(['5 m'], dtype='<U3')
    """
    return (
        measured_call("mod", a, values)
        if not isinstance(values, tuple)
        else (measured_call("mod", a, values=values))
    )


@implements(np.strings.replace)
def replace(a: ArrayLike, old: ArrayLike, new: ArrayLike, count: ArrayLike = -1) -> Array:
    """Return texts with others in place of parts, as `numpy.strings.replace`.

    {Parameters}
        a: Texts.
        old, new: The part, and what takes its place.
        count: How many are replaced; -1 stands for all.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.replace(["a-b-c"], "-", "+").compute()
    array(['a+b+c'], dtype='<U5')
    """
    return measured_call("replace", a, old, new, count)


@implements(np.strings.encode)
def encode(a: ArrayLike, encoding: str | None = None, errors: str | None = None) -> Array:
    """Return bytes of texts, as `numpy.strings.encode`.

    {Parameters}
        a: Texts, or bytes.
        encoding, errors: As of Python's method.
    {Returns} Array: Bytes, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.encode(["ab"]).compute()
    array([b'ab'], dtype='|S2')
    """
    return measured_call("encode", a, kind="S", encoding=encoding, errors=errors)


@implements(np.strings.decode)
def decode(a: ArrayLike, encoding: str | None = None, errors: str | None = None) -> Array:
    """Return texts of bytes, as `numpy.strings.decode`.

    {Parameters}
        a: Texts, or bytes.
        encoding, errors: As of Python's method.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.decode([b"ab"]).compute()
    array(['ab'], dtype='<U2')
    """
    return measured_call("decode", a, kind="U", encoding=encoding, errors=errors)

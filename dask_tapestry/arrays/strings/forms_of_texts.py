"""Texts in another form: `upper`, `strip`, `translate`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.strings.cell_texts import text_call

__all__ = [
    "capitalize",
    "lower",
    "lstrip",
    "rstrip",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
]


@implements(np.strings.capitalize)
def capitalize(a: ArrayLike) -> Array:
    """Return texts with a capital first letter, as `numpy.strings.capitalize`.

    {Parameters} a: Texts.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.capitalize(["ab cD"]).compute()
    array(['Ab cd'], dtype='<U5')
    """
    return text_call("capitalize", a)


@implements(np.strings.lower)
def lower(a: ArrayLike) -> Array:
    """Return texts in small letters, as `numpy.strings.lower`.

    {Parameters} a: Texts.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.lower(["ab cD"]).compute()
    array(['ab cd'], dtype='<U5')
    """
    return text_call("lower", a)


@implements(np.strings.swapcase)
def swapcase(a: ArrayLike) -> Array:
    """Return texts with small and capital letters exchanged, as `numpy.strings.swapcase`.

    {Parameters} a: Texts.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.swapcase(["ab cD"]).compute()
    array(['AB Cd'], dtype='<U5')
    """
    return text_call("swapcase", a)


@implements(np.strings.title)
def title(a: ArrayLike) -> Array:
    """Return texts in title case, as `numpy.strings.title`.

    {Parameters} a: Texts.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.title(["ab cD"]).compute()
    array(['Ab Cd'], dtype='<U5')
    """
    return text_call("title", a)


@implements(np.strings.upper)
def upper(a: ArrayLike) -> Array:
    """Return texts in capital letters, as `numpy.strings.upper`.

    {Parameters} a: Texts.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.upper(["ab cD"]).compute()
    array(['AB CD'], dtype='<U5')
    """
    return text_call("upper", a)


@implements(np.strings.strip)
def strip(a: ArrayLike, chars: ArrayLike | None = None) -> Array:
    """Return texts without some characters at both ends, as `numpy.strings.strip`.

    {Parameters}
        a: Texts.
        chars: The characters, white space by default.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.strip([" a "]).compute()
    array(['a'], dtype='<U3')
    """
    return text_call("strip", a, chars)


@implements(np.strings.lstrip)
def lstrip(a: ArrayLike, chars: ArrayLike | None = None) -> Array:
    """Return texts without some characters at the beginning, as `numpy.strings.lstrip`.

    {Parameters}
        a: Texts.
        chars: The characters, white space by default.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.lstrip([" a "]).compute()
    array(['a '], dtype='<U3')
    """
    return text_call("lstrip", a, chars)


@implements(np.strings.rstrip)
def rstrip(a: ArrayLike, chars: ArrayLike | None = None) -> Array:
    """Return texts without some characters at the end, as `numpy.strings.rstrip`.

    {Parameters}
        a: Texts.
        chars: The characters, white space by default.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.rstrip([" a "]).compute()
    array([' a'], dtype='<U3')
    """
    return text_call("rstrip", a, chars)


@implements(np.strings.translate)
def translate(a: ArrayLike, table: Any, deletechars: Any = None) -> Array:
    """Return texts with characters in place of others, as `numpy.strings.translate`.

    {Parameters}
        a: Texts.
        table: As of `str.translate`.
        deletechars: Bytes that are left out, of bytes.
    {Returns} Array: Texts, of the dtype of `a`.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.translate(["abc"], str.maketrans("ab", "xy")).compute()
    array(['xyc'], dtype='<U3')
    """
    return text_call("translate", a, table=table, deletechars=deletechars)

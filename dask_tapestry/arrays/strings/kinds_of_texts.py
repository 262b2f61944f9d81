"""Which texts are of a kind, and their lengths."""

from __future__ import annotations

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.strings.cell_texts import text_call

__all__ = [
    "isalnum",
    "isalpha",
    "isdecimal",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "istitle",
    "isupper",
    "str_len",
]


def isalnum(x: ArrayLike) -> Array:
    """Return which texts are letters or digits alone and not empty, as `numpy.strings.isalnum`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isalnum(["ab", "12", "Ab", " "]).compute()
    array([ True,  True,  True, False])
    """
    return text_call("isalnum", x)


def isalpha(x: ArrayLike) -> Array:
    """Return which texts are letters alone and not empty, as `numpy.strings.isalpha`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isalpha(["ab", "12", "Ab", " "]).compute()
    array([ True, False,  True, False])
    """
    return text_call("isalpha", x)


def isdecimal(x: ArrayLike) -> Array:
    """Return which texts are decimal digits alone and not empty, as `numpy.strings.isdecimal`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isdecimal(["ab", "12", "Ab", " "]).compute()
    array([False,  True, False, False])
    """
    return text_call("isdecimal", x)


def isdigit(x: ArrayLike) -> Array:
    """Return which texts are digits alone and not empty, as `numpy.strings.isdigit`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isdigit(["ab", "12", "Ab", " "]).compute()
    array([False,  True, False, False])
    """
    return text_call("isdigit", x)


def islower(x: ArrayLike) -> Array:
    """Return which texts are small letters alone and not empty, as `numpy.strings.islower`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.islower(["ab", "12", "Ab", " "]).compute()
    array([ True, False, False, False])
    """
    return text_call("islower", x)


def isnumeric(x: ArrayLike) -> Array:
    """Return which texts are numerals alone and not empty, as `numpy.strings.isnumeric`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isnumeric(["ab", "12", "Ab", " "]).compute()
    array([False,  True, False, False])
    """
    return text_call("isnumeric", x)


def isspace(x: ArrayLike) -> Array:
    """Return which texts are white space alone and not empty, as `numpy.strings.isspace`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isspace(["ab", "12", "Ab", " "]).compute()
    array([False, False, False,  True])
    """
    return text_call("isspace", x)


def istitle(x: ArrayLike) -> Array:
    """Return which texts are words in title case alone and not empty, as `numpy.strings.istitle`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.istitle(["ab", "12", "Ab", " "]).compute()
    array([False, False,  True, False])
    """
    return text_call("istitle", x)


def isupper(x: ArrayLike) -> Array:
    """Return which texts are capital letters alone and not empty, as `numpy.strings.isupper`.

    {Parameters} x: Texts.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.isupper(["ab", "12", "Ab", " "]).compute()
    array([False, False, False, False])
    """
    return text_call("isupper", x)


def str_len(x: ArrayLike) -> Array:
    """Return how long texts are, as `numpy.strings.str_len`.

    {Parameters} x: Texts.
    {Returns} Array: int64.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.str_len(["ab", ""]).compute()
    array([2, 0])
    """
    return text_call("str_len", x)

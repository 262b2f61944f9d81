"""Where texts hold others: `find`, `count`, `startswith`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.strings.cell_texts import text_call

__all__ = ["count", "endswith", "find", "index", "rfind", "rindex", "startswith"]


@implements(np.strings.startswith)
def startswith(
    a: ArrayLike, prefix: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None
) -> Array:
    """Return which texts begin with another, as `numpy.strings.startswith`.

    {Parameters}
        a: Texts.
        prefix: The other text.
        start, end: The part that is looked at.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.startswith(["ab", "ba"], "a").compute()
    array([ True, False])
    """
    return text_call("startswith", a, prefix, start, end)


@implements(np.strings.endswith)
def endswith(
    a: ArrayLike, suffix: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None
) -> Array:
    """Return which texts end with another, as `numpy.strings.endswith`.

    {Parameters}
        a: Texts.
        suffix: The other text.
        start, end: The part that is looked at.
    {Returns} Array: Booleans.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.endswith(["ab", "ba"], "a").compute()
    array([False,  True])
    """
    return text_call("endswith", a, suffix, start, end)


@implements(np.strings.find)
def find(a: ArrayLike, sub: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None) -> Array:
    """Return the first place of another text in each, or -1, as `numpy.strings.find`.

    {Parameters}
        a: Texts.
        sub: The other text.
        start, end: The part that is looked at.
    {Returns} Array: int64.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.find(["aba", "ca"], "a").compute()
    array([0, 1])
    """
    return text_call("find", a, sub, start, end)


@implements(np.strings.rfind)
def rfind(
    a: ArrayLike, sub: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None
) -> Array:
    """Return the last place of another text in each, or -1, as `numpy.strings.rfind`.

    {Parameters}
        a: Texts.
        sub: The other text.
        start, end: The part that is looked at.
    {Returns} Array: int64.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.rfind(["aba", "ca"], "a").compute()
    array([2, 1])
    """
    return text_call("rfind", a, sub, start, end)


@implements(np.strings.index)
def index(
    a: ArrayLike, sub: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None
) -> Array:
    """Return the first place of another text in each, as `numpy.strings.index`.

    {Parameters}
        a: Texts.
        sub: The other text.
        start, end: The part that is looked at.
    {Returns} Array: int64. Where there is none, computing raises ValueError.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.index(["aba", "ca"], "a").compute()
    array([0, 1])
    """
    return text_call("index", a, sub, start, end, dtype=np.int64)


@implements(np.strings.rindex)
def rindex(
    a: ArrayLike, sub: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None
) -> Array:
    """Return the last place of another text in each, as `numpy.strings.rindex`.

    {Parameters}
        a: Texts.
        sub: The other text.
        start, end: The part that is looked at.
    {Returns} Array: int64. Where there is none, computing raises ValueError.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.rindex(["aba", "ca"], "a").compute()
    array([2, 1])
    """
    return text_call("rindex", a, sub, start, end, dtype=np.int64)


@implements(np.strings.count)
def count(
    a: ArrayLike, sub: ArrayLike, start: ArrayLike = 0, end: ArrayLike | None = None
) -> Array:
    """Return how often another text is in each, as `numpy.strings.count`.

    {Parameters}
        a: Texts.
        sub: The other text.
        start, end: The part that is looked at.
    {Returns} Array: int64.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.count(["aba", "ca"], "a").compute()
    array([2, 1])
    """
    return text_call("count", a, sub, start, end)

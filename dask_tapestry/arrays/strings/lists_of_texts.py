"""Texts taken apart and joined: `partition`, `split`, `join`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.strings.cell_texts import measured_call, text_call

__all__ = ["join", "partition", "rpartition", "rsplit", "split", "splitlines"]


@implements(np.strings.partition)
def partition(a: ArrayLike, sep: ArrayLike) -> tuple[Array, Array, Array]:
    """Return what comes before the first separator, it, and the rest, as `numpy.strings.partition`.

    {Parameters}
        a: Texts.
        sep: The separator.
    {Returns} tuple of Array: Three arrays of texts, each as wide as its longest one; a text
        without the separator is the first part.
    {Raises} DTypeError: For what are no texts.
    {See Also} rpartition, split
    {Examples}
    >>> [part.compute().item() for part in dt.strings.partition(["a-b-c"], "-")]
    ['a', '-', 'b-c']
    """
    return _parts("partition", a, sep)


@implements(np.strings.rpartition)
def rpartition(a: ArrayLike, sep: ArrayLike) -> tuple[Array, Array, Array]:
    """Return what comes before the last separator, it, and the rest, as `numpy.strings.rpartition`.

    {Parameters}
        a: Texts.
        sep: The separator.
    {Returns} tuple of Array: Three arrays of texts, each as wide as its longest one; a text
        without the separator is the last part.
    {Raises} DTypeError: For what are no texts.
    {See Also} partition, rsplit
    {Examples}
    >>> [part.compute().item() for part in dt.strings.rpartition(["a-b-c"], "-")]
    ['a-b', '-', 'c']
    """
    return _parts("rpartition", a, sep)


@implements(np.char.split)
def split(a: ArrayLike, sep: ArrayLike | None = None, maxsplit: int | None = None) -> Array:
    """Return the words of each text, as `numpy.char.split`.

    {Parameters}
        a: Texts.
        sep: What separates them; white space by default.
        maxsplit: How often a text is split at most, from its beginning.
    {Returns} Array: Lists of Python's.
    {See Also} rsplit, partition
    {Examples}
    >>> dt.strings.split(["a b", "c"]).compute()
    array([list(['a', 'b']), list(['c'])], dtype=object)
    """
    return text_call("split", a, sep, maxsplit, dtype=object)


@implements(np.char.rsplit)
def rsplit(a: ArrayLike, sep: ArrayLike | None = None, maxsplit: int | None = None) -> Array:
    """Return the words of each text, split from its end, as `numpy.char.rsplit`.

    {Parameters}
        a: Texts.
        sep: What separates them; white space by default.
        maxsplit: How often a text is split at most, from its end.
    {Returns} Array: Lists of Python's.
    {See Also} split
    {Examples}
    >>> dt.strings.rsplit(["a b c"], maxsplit=1).compute()
    array([list(['a b', 'c'])], dtype=object)
    """
    return text_call("rsplit", a, sep, maxsplit, dtype=object)


@implements(np.char.splitlines)
def splitlines(a: ArrayLike, keepends: bool | None = None) -> Array:
    """Return the lines of each text, as `numpy.char.splitlines`.

    {Parameters}
        a: Texts.
        keepends: Whether lines keep their ends.
    {Returns} Array: Lists of Python's.
    {See Also} split
    {Examples}
    >>> dt.strings.splitlines(["a", "b"]).compute()
    array([list(['a']), list(['b'])], dtype=object)
    """
    return text_call("splitlines", a, keepends=keepends, dtype=object)


@implements(np.char.join)
def join(sep: ArrayLike, seq: ArrayLike) -> Array:
    """Return the characters of texts with a separator between them, as `numpy.char.join`.

    {Parameters}
        sep: The separator.
        seq: Texts.
    {Returns} Array: Texts, as wide as the longest result.
    {Raises} DTypeError: For what are no texts.
    {Examples}
    >>> dt.strings.join("-", ["abc", "d"]).compute()
    array(['a-b-c', 'd'], dtype='<U5')
    """
    return measured_call("join", sep, seq)


def _parts(name: str, a: ArrayLike, sep: ArrayLike) -> tuple[Array, Array, Array]:
    first, middle, last = (measured_call(name, a, sep, part=number) for number in range(3))
    return first, middle, last

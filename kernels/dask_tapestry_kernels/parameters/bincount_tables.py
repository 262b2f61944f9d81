"""Tables of a bincount, whose numbers are counted: what kernels are told of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Tables(NamedTuple):
    """What is counted, and how tables are added up.

    Attributes
    ----------
    tree
        The canonical tree, with what `reduce.Part` asks of it.
    origin
        Where the block begins.
    bins
        The numbers that are counted.
    state
        Dtype of the tables.
    target
        Level whose tables are returned; None for the value.
    limit
        Number of all bins, to raise ValueError where a cell is none of them; None leaves it out.
    even
        Where cells are counted by bins between edges, whether these are evenly spaced; bins are
        numbered from 1, as the kernel `bin` numbers them. None where cells are numbers of bins.
    """

    tree: Any
    origin: tuple[int, ...]
    bins: range
    state: np.dtype[Any]
    target: int | None
    limit: int | None
    even: bool | None = None


def refusal(low: int, high: int, limit: int) -> str:
    """What is said of numbers from `low` to `high` of which one is none of `limit` bins.

    Examples
    --------
    >>> refusal(0, 7, 5)
    'a cell is 7, and the table has 5 bins'
    """
    if low < 0:
        return "'list' argument must have no negative elements"
    return f"a cell is {high}, and the table has {limit} bins"

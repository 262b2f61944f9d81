"""Folds by group: what kernels are told of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Groups(NamedTuple):
    """What is folded, and into what.

    Attributes
    ----------
    monoid
        A key of `group_leaves.STATES`.
    skipna
        Whether NaN and NaT are left out.
    axes
        The folded axes of the cells.
    labelled
        Those of them that the codes have.
    tree
        The canonical tree over them, with what `reduce.Part` asks of it.
    origin
        Where the block begins along them.
    groups
        The groups that have a column in the table: cells of others are left out.
    dtype, state
        Of the value, and of the tables.
    identity
        State of a group without cells.
    ddof
        Degrees of freedom taken off the count.
    target
        Level whose tables are returned; None for the value.
    """

    monoid: str
    skipna: bool
    axes: tuple[int, ...]
    labelled: tuple[int, ...]
    tree: Any
    origin: tuple[int, ...]
    groups: range
    dtype: np.dtype[Any]
    state: np.dtype[Any]
    identity: Any
    ddof: float
    target: int | None

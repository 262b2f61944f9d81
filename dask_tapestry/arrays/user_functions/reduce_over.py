"""Reduction dimensions of operators that users write: `reduce_over` a monoid."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.operators.user.user_monoid import Monoid, ReduceOver, ScanOver

__all__ = ["Monoid", "reduce_over", "scan_over"]


def reduce_over(monoid: str | Sequence[str] | Monoid) -> ReduceOver:
    """Return the kind of an index dimension whose partial results a monoid combines.

    Where an operator folds dimensions by two monoids, the one that is declared last folds what the
    others made; its dimensions alone are cut.

    Source: Tapestry whitepaper, "Reduction Operations".

    {Parameters} monoid: ``"sum"``, ``"prod"``, ``"min"``, ``"max"``, ``"any"``, ``"all"``; several
        of them, one for each output; or a `Monoid`.
    {Returns} ReduceOver: A value for `index` of `block_operator`.
    {Raises} TypeError: If `monoid` is something else.
    {See Also} block_operator, reduction
    {Examples}
    >>> @dt.block_operator(
    ...     index={"row": "parallel", "column": dt.reduce_over("max")},
    ...     inputs={"x": "row column"},
    ...     outputs={"z": "row"},
    ... )
    ... def widest(x):
    ...     return abs(x).max(axis=1)
    >>> widest([[1, -3], [2, 0]]).compute()
    array([3, 2])
    """
    if isinstance(monoid, str | Monoid):
        return ReduceOver(monoid)
    names = tuple(monoid) if isinstance(monoid, Sequence) else ()
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise ArgumentTypeError(f"reduce_over takes names of monoids or a Monoid, not {monoid!r}")
    return ReduceOver(names)


def scan_over(monoid: str | Monoid) -> ScanOver:
    """Return the kind of an index dimension along which a function runs, as a cumulative sum.

    The function is called for parts of it, as if nothing came before. What came before a part is
    then combined with each of its cells.

    Source: Tapestry whitepaper, "Signature Nodes".

    {Parameters} monoid: ``"sum"``, ``"prod"``, ``"min"``, ``"max"``, ``"any"``, ``"all"``, or a
        `Monoid`; one that combines tuples where the function has several outputs.
    {Returns} ScanOver: A value for `index` of `block_operator`.
    {Raises} TypeError: If `monoid` is neither a name nor a `Monoid`.
    {See Also} block_operator, reduce_over

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> @dt.block_operator(
    ...     index={"row": "parallel", "t": dt.scan_over("max")},
    ...     inputs={"x": "row t"},
    ...     outputs={"z": "row t"},
    ... )
    ... def highest_so_far(x):
    ...     return np.maximum.accumulate(x, axis=1)
    >>> highest_so_far([[1, 3, 2, 5, 4]]).compute()
    array([[1, 3, 3, 5, 5]])
    """
    if not isinstance(monoid, str | Monoid):
        raise ArgumentTypeError(f"scan_over takes a monoid's name or a Monoid, not {monoid!r}")
    return ScanOver(monoid)

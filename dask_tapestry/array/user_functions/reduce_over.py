"""Reduction dimensions of operators that users write: `reduce_over` a monoid."""

from __future__ import annotations

from dask_tapestry.operators.user_monoid import Monoid, ReduceOver

__all__ = ["Monoid", "reduce_over"]


def reduce_over(monoid: str | Monoid) -> ReduceOver:
    """Return the kind of an index dimension whose partial results a monoid combines.

    Source: Tapestry whitepaper, "Reduction Operations".

    Parameters
    ----------
    monoid
        ``"sum"``, ``"prod"``, ``"min"``, ``"max"``, ``"any"``, ``"all"``, or a `Monoid`.

    Returns
    -------
    ReduceOver
        A value for `index` of `block_operator`.

    Raises
    ------
    TypeError
        If `monoid` is neither a name nor a `Monoid`.

    See Also
    --------
    block_operator, reduction

    Examples
    --------
    >>> import dask_tapestry as dt
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
    if not isinstance(monoid, str | Monoid):
        raise TypeError(f"reduce_over takes a monoid's name or a Monoid, not {monoid!r}")
    return ReduceOver(monoid)

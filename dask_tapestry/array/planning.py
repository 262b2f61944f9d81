"""Planning and computing several arrays and writes together."""

from __future__ import annotations

from typing import Any, Literal

from dask import base
from numpy.typing import ArrayLike

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.effect import Effect
from dask_tapestry.array.core.plan import Plan
from dask_tapestry.lower.synchronous import compute_synchronously
from dask_tapestry.plan import build
from dask_tapestry.plan.resources import Resources, computing_with

__all__ = [
    "compute",
    "persist",
    "plan",
]


def plan(
    *arrays: ArrayLike | Effect,
    resources: Resources | None = None,
    method: Literal["auto", "none"] = "auto",
) -> Plan:
    """Plan arrays and writes together, without running anything.

    A shape that depends on data and was not counted yet is planned for its upper bound.

    Parameters
    ----------
    *arrays
        Arrays, and lazy writes of `to_zarr`.
    resources
        The machines to plan for; by default those configured, else the live client's workers, else
        this machine.
    method
        ``"auto"``, or ``"none"`` for one block an operator.

    Raises
    ------
    MemoryLimitError
        If a block cannot be made small enough.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> images = dt.placeholder((1_000_000, 256, 256, 3), "uint8", stored_chunks=(64, 256, 256, 3))
    >>> p = dt.plan(
    ...     images.mean(axis=0), resources=dt.Resources(workers=100, threads=8, memory="32 GiB")
    ... )
    >>> p.verify()
    """
    if not arrays:
        raise TypeError("plan needs at least one array")
    items = tuple(a if isinstance(a, Effect) else asarray(a) for a in arrays)
    roots = [item.node if isinstance(item, Effect) else item.bound for item in items]
    return Plan(build.build_plan(roots, resources, method), items)


def compute(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute several arrays and writes at once: one plan, shared work done once.

    Parameters
    ----------
    *args
        Arrays, writes, other Dask collections, and containers of them.
    **kwargs
        For `dask.compute`, such as ``scheduler``.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(4)
    >>> [int(v) for v in dt.compute(x.sum(), x.max())]
    [6, 3]
    """
    with computing_with(kwargs.get("scheduler")):
        if args and all(type(a) is Array and a.runs_anywhere(kwargs) for a in args):
            values = compute_synchronously([a.node for a in args])
            if values is not None:
                return tuple(values)
        return tuple(base.compute(*args, **kwargs))


def persist(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute several arrays at once and keep their blocks where they are.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> (x,) = dt.persist(dt.arange(4) * 2)
    >>> x.compute()
    array([0, 2, 4, 6])
    """
    with computing_with(kwargs.get("scheduler")):
        return tuple(base.persist(*args, **kwargs))

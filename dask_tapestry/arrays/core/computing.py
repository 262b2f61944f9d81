"""Computing collections: results come from a cluster block by block, else as Dask brings them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dask import base

from dask_tapestry.imports import lazy_import
from dask_tapestry.lower.dask_private import HLGExpr
from dask_tapestry.lower.planned_expression import TapestryExpr
from dask_tapestry.planner.machine.resources import live_client

OF_CLIENTS: Final = frozenset(
    "workers allow_other_workers resources retries priority fifo_timeout actors".split()
)
OF_DASK: Final = frozenset(("scheduler", "optimize_graph", "traverse"))
CLUSTERS: Final = (None, "dask.distributed", "distributed")


def computed(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute collections, those in containers too, as `dask.compute` does.

    With a client of a cluster, the results of this library come block by block.
    """
    client = _fetching_client(kwargs)
    if client is None:
        return tuple(base.compute(*args, **kwargs))
    collections, repack = base.unpack_collections(*args, traverse=kwargs.get("traverse", True))
    arrays, shares = _arrays_of(collections)
    if not arrays:
        return tuple(base.compute(*args, **kwargs))
    others = [c for c, share in zip(collections, shares, strict=True) if share is None]
    options = {name: kwargs[name] for name in OF_CLIENTS if name in kwargs}
    fetch = lazy_import("dask_tapestry.lower.fetch").fetch  # for clusters alone
    values, found = fetch([x.expr for x in arrays], others, client, options)
    beside = iter(found)
    return tuple(repack([next(beside) if s is None else s(values) for s in shares]))


def _fetching_client(options: Mapping[str, Any]) -> Any:
    """The client that results are fetched by; None where Dask is to compute in its way."""
    if options.keys() - OF_CLIENTS - OF_DASK:
        return None
    scheduler, client = options.get("scheduler"), live_client()
    if client is None or client.asynchronous:
        return None
    named = isinstance(scheduler, str | None) and scheduler in CLUSTERS
    return client if named or scheduler is client else None


def _arrays_of(collections: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """All arrays and writes, and for each collection what makes its value of all their values.

    That is None of collections of other kinds.
    """
    arrays: list[Any] = []
    shares: list[Any] = []
    for one in collections:
        parts, made = _parts_of(one)
        place = slice(len(arrays), len(arrays) + len(parts))
        arrays += parts
        shares.append(_Share(place, made) if parts else None)
    return arrays, shares


def _parts_of(one: Any) -> tuple[Sequence[Any], Callable[[Sequence[Any]], Any]]:
    """The arrays and writes that a collection is, or holds, and what makes its value of theirs."""
    expr = getattr(one, "expr", None)
    if isinstance(expr, TapestryExpr):
        return [one], _first
    several = getattr(expr, "parts", None) if isinstance(expr, HLGExpr) else None
    return several or ((), _first)


def _first(values: Sequence[Any]) -> Any:
    return values[0]


class _Share:
    """What makes a collection's value of its part of the values."""

    def __init__(self, place: slice, made: Callable[[Sequence[Any]], Any]) -> None:
        self.place, self.made = place, made

    def __call__(self, values: Sequence[Any]) -> Any:
        return self.made(values[self.place])

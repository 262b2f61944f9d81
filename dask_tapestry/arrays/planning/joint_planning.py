"""Planning and computing several arrays and writes together."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from dask import base
from numpy.typing import ArrayLike

from dask_tapestry.amounts import whole_number
from dask_tapestry.arrays.core.array import Array, run_count
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dynamic_shape import CountRun, Deferred
from dask_tapestry.arrays.core.effect import Effect
from dask_tapestry.arrays.core.floating_errors import ErrorReporting
from dask_tapestry.arrays.core.joint_counts import count_together
from dask_tapestry.arrays.core.late_modules import computing, scheduler_blocks
from dask_tapestry.arrays.core.masked import Masked
from dask_tapestry.arrays.core.replicated import persist_replicated
from dask_tapestry.arrays.planning.plan import Plan, parts_of
from dask_tapestry.arrays.planning.plan_without_arrays import PlanWithoutArrays
from dask_tapestry.diagnostics.plan_file import text_of, told_of_file
from dask_tapestry.errors import ArgumentTypeError, MemoryLimitError
from dask_tapestry.lower.scheduler_choice import local_options
from dask_tapestry.lower.small_jobs import compute_synchronously
from dask_tapestry.planner import build
from dask_tapestry.planner.equivalence import require_computes
from dask_tapestry.planner.machine.resources import Resources, computing_with, live_client
from dask_tapestry.planner.plan_json import loads
from dask_tapestry.teg import Graph, Node

__all__ = [
    "compute",
    "load_plan",
    "persist",
    "plan",
    "resolve_shapes",
    "verify",
]


def plan(
    *arrays: ArrayLike | Effect,
    resources: Resources | None = None,
    method: Literal["auto", "exhaustive", "none"] = "auto",
    budget: float | None = None,
    seed: int = 0,
) -> Plan:
    """Plan arrays and writes together, without running anything.

    A shape that depends on data and was not counted yet is planned for its upper bound.

    {Parameters}
        *arrays: Arrays, masked ones too, and lazy writes, as ``to_zarr(..., compute=False)``
            returns them.
        resources: The machines to plan for; by default those configured, else the live client's
            workers, else this machine.
        method: ``"auto"``; ``"exhaustive"`` for the best of all plans of a small graph, by the cost
            model; or ``"none"`` for one block an operator.
        budget: Seconds to search for, on a core like the one that rates were measured on; by
            default what the plan may be worth: nothing for a job of milliseconds, minutes for one
            of a week.
        seed: Of what chance decides. The same seed and budget give the same plan.
    {Returns} Plan: What will run: to be printed, verified, computed.
    {Raises}
        TypeError: Without arguments.
        MemoryLimitError: If no plan fits the workers: it names a step, its bytes, and which memory
            would do.
        PlanError: If there are too many plans for ``"exhaustive"``.
        ValueError: If there is no such method, or the budget is negative.
    {See Also} compute, Resources
    {Examples}
    >>> images = dt.placeholder((1_000_000, 256, 256, 3), "uint8", stored_chunks=(64, 256, 256, 3))
    >>> p = dt.plan(
    ...     images.mean(axis=0), resources=dt.Resources(workers=100, threads=8, memory="32 GiB")
    ... )
    >>> p.verify()
    """
    if not arrays:
        raise ArgumentTypeError("plan needs at least one array")
    items, roots = _planned(arrays)
    try:
        return Plan(build.build_plan(roots, resources, method, budget, seed), items)
    except MemoryLimitError as error:
        raise _of_bounds(error, items) from None


def _of_bounds(
    error: MemoryLimitError, items: Sequence[Array | Effect | Masked]
) -> MemoryLimitError:
    """The error, with the shapes that depend on data: their upper bounds may be far too large."""
    bounds = [
        x.bound.type for x in parts_of(items) if isinstance(x, Array) and x.deferred is not None
    ]
    if not bounds:
        return error
    shapes = " and ".join(map(str, bounds))
    told = f"{shapes} is the most that a shape may be which depends on data: ask for `.shape` first"
    return MemoryLimitError(f"{told}, and plan what is counted; {error}")


def verify(sharded: Plan, abstract: Graph | ArrayLike | Effect, *more: ArrayLike | Effect) -> None:
    """Prove that a plan computes a graph: every result, whole, by legal steps.

    The plan's steps are taken back to an unsharded graph, `Plan.abstract`. Both graphs are
    rewritten by the rules in force and must then be one; nothing is computed.

    Source: Tapestry whitepaper, "Abstract and Sharded Graphs".

    {Parameters}
        sharded: The plan.
        abstract: What it should compute: a graph, or the first of several arrays and writes.
        *more: The others, in the order of the plan's results.
    {Returns} None: If it is proven.
    {Raises}
        PlanError: Names the first difference, or the constraint that a step breaks.
        ArgumentTypeError: If `sharded` is no plan.
    {See Also} plan, rule
    {Examples}
    >>> x = dt.placeholder((10**8,), "float64")
    >>> p = dt.negative(-x).sum().plan(resources=dt.Resources(workers=4, threads=1, memory="4 GiB"))
    >>> dt.verify(p, x.sum())
    >>> try:
    ...     dt.verify(p, (x + 1).sum())
    ... except dt.PlanError as error:
    ...     print(str(error).partition(" (<doctest")[0])
    result 0 is another value: the plan computes placeholder() : float64[100000000]
    """
    if not isinstance(sharded, Plan):
        raise ArgumentTypeError(f"sharded must be a plan, as dt.plan makes it, not {sharded!r}")
    graph = abstract if isinstance(abstract, Graph) else Graph(_planned((abstract, *more))[1])
    require_computes(sharded.core, graph)


@overload
def load_plan(filename: str | PathLike[str]) -> PlanWithoutArrays: ...
@overload
def load_plan(
    filename: str | PathLike[str],
    array: ArrayLike | Effect,
    /,
    *arrays: ArrayLike | Effect,
) -> Plan: ...
def load_plan(
    filename: str | PathLike[str], *arrays: ArrayLike | Effect
) -> Plan | PlanWithoutArrays:
    """Make a plan again that `Plan.save` has written, without searching.

    {Parameters}
        filename: Of the plan.
        *arrays: The arrays and lazy writes that it was made for, or others that differ in their
            data and places alone: the same operators on the same shapes, dtypes and stored chunks.
            Without any the plan can be explained, compared and visualised, but not computed.
    {Returns} Plan or PlanWithoutArrays: For the resources of the saved one, with the same steps and
        grids.
    {Raises}
        PlanError: If the file is not a plan, damaged, of another version, or made for another
            graph.
        StoreNotFoundError: If there is no file.
    {See Also} plan

    Examples
    --------
    >>> import dask_tapestry as dt, tempfile
    >>> four = dt.Resources(workers=4, threads=2, memory="8 GiB")
    >>> x = dt.placeholder((10**6, 100), "float64", stored_chunks=(10**4, 100))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dt.plan(x.sum(axis=0), resources=four).save(f"{folder}/plan.json")
    ...     p = dt.load_plan(f"{folder}/plan.json", x.sum(axis=0))
    >>> p.resources == four
    True
    """
    if not arrays:
        return PlanWithoutArrays(told_of_file(filename), str(filename))
    items, roots = _planned(arrays)
    return Plan(loads(text_of(Path(filename)), roots, str(filename)), items)


def compute(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute several arrays and writes at once: one plan, shared work done once.

    {Parameters}
        *args: Arrays, lazy writes, other Dask collections, and containers of them.
        **kwargs: For `dask.compute`, such as ``scheduler``.
    {Returns} tuple: For each argument its value: NumPy arrays, and None for writes.
    {See Also} persist, dask.compute
    {Examples}
    >>> x = dt.arange(4)
    >>> [int(v) for v in dt.compute(x.sum(), x.max())]
    [6, 3]
    """
    with computing_with(kwargs.get("scheduler")), ErrorReporting():
        count_together(args)
        if args and all(type(a) is Array and a.runs_anywhere(kwargs) for a in args):
            values = compute_synchronously([a.node for a in args])
            if values is not None:
                return tuple(values)
        return computing.computed(*args, **_options(args, kwargs))


def persist(*args: Any, replicas: int = 1, **kwargs: Any) -> tuple[Any, ...]:
    """Compute several arrays at once and keep their blocks where they are computed.

    {Parameters}
        *args: Arrays, other Dask collections, and containers of them.
        replicas: How many workers of a cluster hold each block: with two, a worker that is lost
            takes none with it. The others are made within seconds of a block's end, and again as
            workers leave.
        **kwargs: For `dask.persist`, such as ``scheduler``.
    {Returns} tuple: For each argument an array of the blocks that are kept.
    {Raises}
        MemoryLimitError: If workers cannot hold the blocks, or not so many times.
        PlanError: For replicas without a cluster, or with fewer workers than replicas.
    {See Also} compute, dask.persist
    {Examples}
    >>> (x,) = dt.persist(dt.arange(4) * 2)
    >>> x.compute()
    array([0, 2, 4, 6])
    """
    with computing_with(kwargs.get("scheduler")):
        count_together(args)
        if whole_number("replicas", replicas, 1) > 1:
            return persist_replicated(args, replicas, _options(args, kwargs))
        if args and all(type(a) is Array and a.runs_anywhere(kwargs) for a in args):
            here = scheduler_blocks.kept_here([a.node for a in args])
            if here is not None:
                return tuple(map(Array, here))
        return tuple(base.persist(*args, **_options(args, kwargs)))


def _options(args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Options for Dask; of other collections it is asked which scheduler they want."""
    return local_options(options) if all(type(a) is Array for a in args) else options


async def resolve_shapes(*arrays: Array) -> None:
    """Count what the shapes of arrays depend on, from asynchronous code.

    A shape that depends on data is counted when it is asked for. With an asynchronous client that
    would block the event loop; await this before.

    {Parameters} *arrays: Arrays of any shapes; those whose shapes are known take no time.
    {Returns} None: Once the shapes are known.
    {Raises} PlanError: If the client has no workers.

    Examples
    --------
    >>> import asyncio, dask_tapestry as dt
    >>> x = dt.arange(10)
    >>> positive = x[x > 6]
    >>> asyncio.run(dt.resolve_shapes(positive))
    >>> positive.shape
    (3,)
    """
    client = live_client()
    for array in arrays:
        deferred = array.deferred
        if deferred is None:
            continue
        if client is None or not client.asynchronous:
            array.node = deferred.resolve(run_count)
            continue
        found: Node | Deferred = deferred
        while isinstance(found, Deferred):
            found = found.remembered() or await _counted(client, found)
        array.node = found


async def _counted(client: Any, deferred: Deferred) -> Node | Deferred:
    """What is built of a count, which a client that cannot be waited for runs."""
    deferred.check_machines(await client.scheduler.identity(n_workers=-1))
    try:
        first, *rest = _kept_by(client, deferred)
    except MemoryLimitError:
        if not deferred.lets_go():
            raise
        first, *rest = _kept_by(client, deferred)
    counts = np.asarray(await client.compute(first))
    return deferred.remember(CountRun(counts, tuple(x.node for x in rest)))


def _kept_by(client: Any, deferred: Deferred) -> list[Array]:
    """What a count run yields and keeps, as a client persists it."""
    kept: list[Array] = client.persist([Array(deferred.counts), *map(Array, deferred.wanted)])
    return kept


def _planned(
    arrays: Sequence[ArrayLike | Effect],
) -> tuple[tuple[Array | Effect | Masked, ...], list[Node]]:
    """The arrays and writes, and what is planned of them."""
    items = tuple(a if isinstance(a, Effect | Masked) else asarray(a) for a in arrays)
    return items, [x.bound if isinstance(x, Array) else x.node for x in parts_of(items)]

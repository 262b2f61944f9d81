"""Plans as the user sees them: print, check, run."""

from __future__ import annotations

from typing import Any, final

from dask import base

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.effect import Effect
from dask_tapestry.diagnostics.explain import explain, plan_html
from dask_tapestry.lower.dask_private import HighLevelGraph
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.synchronous import compute_synchronously
from dask_tapestry.plan import build
from dask_tapestry.plan.plan import Plan as CorePlan
from dask_tapestry.plan.resources import Resources, computing_with
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph

__all__ = [
    "Plan",
    "compute",
    "persist",
    "plan",
]


@final
class Plan:
    """How arrays and writes will be computed together.

    Made by `dask_tapestry.plan`. It is symbolic: its size grows with the number of operators, not
    of blocks.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> p = dt.plan(dt.ones((4, 6)).sum(axis=0))
    >>> p.verify()
    >>> int(p.cost["tasks"]), p.chunks(0)
    (1, ((6,),))
    """

    __slots__ = ("_items", "core")

    def __init__(self, core: CorePlan, items: tuple[Array | Effect, ...]) -> None:
        self.core, self._items = core, items

    @property
    def cost(self) -> dict[str, float]:
        """Estimates: seconds, bytes, tasks; see `dask_tapestry.plan.cost.plan_cost`."""
        return self.core.cost

    @property
    def resources(self) -> Resources:
        """What the plan was made for."""
        return self.core.resources

    @property
    def teg(self) -> Graph:
        """The rewritten expression graph."""
        return self.core.graph

    def chunks(self, x: Array | Effect | int = 0) -> tuple[tuple[int, ...], ...]:
        """Planned block lengths of a result, given as array or number.

        Raises
        ------
        PlanError
            If it is none of the plan's results.
        """
        return self.core.chunks(x if isinstance(x, int) else x.node)

    def verify(self) -> None:
        """Check that outputs are tiled once, inputs are in bounds and memory suffices.

        Raises
        ------
        PlanError, MemoryLimitError
            Names the constraint, the operator and the box.
        """
        self.core.verify()

    def explain(self) -> str:
        """Return the plan as text."""
        return explain(self.core)

    def trace(self) -> Trace:
        """Return the rewrites in order: rule, before, after."""
        return self.core.rewrites

    def graph(self) -> HighLevelGraph:
        """Return the Dask graph of symbolic layers; it pickles to a few kilobytes."""
        return Lowering(self.core, None).lower(final=True).graph

    def compute(self, **kwargs: Any) -> Any:
        """Run the plan; return the result, or a tuple of them.

        Parameters
        ----------
        **kwargs
            For `dask.compute`, such as ``scheduler``.
        """
        results = base.compute(*self._planned(), **kwargs)
        return results[0] if len(results) == 1 else results

    def persist(self, **kwargs: Any) -> Any:
        """Run the plan and keep the blocks where they are; return arrays of them."""
        results = base.persist(*self._planned(), **kwargs)
        return results[0] if len(results) == 1 else results

    def _planned(self) -> list[Array | Effect]:
        """The results with the plan to run; it is made again for shapes that were not counted."""
        nodes, core = [item.node for item in self._items], self.core
        if nodes != list(core.written.roots):
            core = build.build_plan(nodes, core.resources)
        return [type(item)(node, core) for item, node in zip(self._items, nodes, strict=True)]

    def visualize(self, filename: str = "plan.html") -> str:
        """Write a page of the plan and return its name."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(
                f"<!doctype html><meta charset='utf-8'><title>Plan</title>{plan_html(self.core)}"
            )
        return filename

    def __repr__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        return plan_html(self.core)


def plan(*arrays: Any, resources: Resources | None = None, method: str = "auto") -> Plan:
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

"""Plan: how arrays and writes will be computed, as the user sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from dask import base

from dask_tapestry.arrays.core.floating_errors import ErrorReporting
from dask_tapestry.arrays.core.late_modules import computing, graph, local_jobs, profile
from dask_tapestry.arrays.core.masked import Masked
from dask_tapestry.arrays.core.planned_collections import PlannedCollection
from dask_tapestry.arrays.planning.frontier import Frontier
from dask_tapestry.arrays.planning.plan_page import PlanPage
from dask_tapestry.arrays.planning.plan_without_arrays import PlanWithoutArrays
from dask_tapestry.diagnostics.compare import difference
from dask_tapestry.diagnostics.explain import explain
from dask_tapestry.diagnostics.plan_summaries import told_whole
from dask_tapestry.diagnostics.plan_summary_json import as_json
from dask_tapestry.diagnostics.retry_text import retry_lines
from dask_tapestry.errors import PlanError
from dask_tapestry.lower.dask_private import HighLevelGraph
from dask_tapestry.planner.abstraction import abstract
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources, live_client
from dask_tapestry.planner.memory.simulate import simulate
from dask_tapestry.planner.memory.simulated_run import Simulation
from dask_tapestry.planner.plan import PlannedGraph as CorePlan
from dask_tapestry.planner.plan_json import dumps
from dask_tapestry.planner.replan import fitted
from dask_tapestry.planner.search.frontier import Point
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph

if TYPE_CHECKING:
    from dask_tapestry.diagnostics.profile import Profile

__all__ = ["Plan"]


def _plan_at(core: CorePlan, point: Point, items: tuple[PlannedCollection | Masked, ...]) -> Plan:
    """The plan at a point of the frontier."""
    return Plan(core.at(point), items)


def parts_of(items: Sequence[PlannedCollection | Masked]) -> list[PlannedCollection]:
    """Return what is planned of arrays and writes: of a masked array its cells and its mask."""
    parts = list[PlannedCollection]()
    for item in items:
        parts.extend(item._parts() if isinstance(item, Masked) else (item,))
    return parts


@final
class Plan(PlanPage):
    """How arrays and writes will be computed together.

    Made by `dask_tapestry.plan`. It is symbolic: its size grows with the number of operators, not
    of blocks.

    {Parameters}
        core: The plan of the nodes.
        items: The arrays and writes, in order.
    {Examples}
    >>> p = dt.plan(dt.ones((4, 6)).sum(axis=0))
    >>> p.verify()
    >>> int(p.cost["tasks"]), p.chunks(0)
    (1, ((6,),))
    """

    __slots__ = ("_items", "core")

    def __init__(self, core: CorePlan, items: tuple[PlannedCollection | Masked, ...]) -> None:
        self.core, self._items = core, items

    @property
    def cost(self) -> dict[str, float]:
        """Estimates: seconds, bytes, tasks.

        ``"seconds"`` are those of all steps; ``"result_seconds"`` are what `compute` takes beyond
        them to bring ``"result_bytes"`` from a cluster to this process.
        """
        return self.core.cost

    @property
    def resources(self) -> Resources:
        """What the plan was made for."""
        return self.core.resources

    @property
    def frontier(self) -> Frontier[Plan]:
        """The plans that the search found, of which none is better than another in everything.

        This plan is one of them, or the only one where the work is too short to be searched.
        """
        items, core = self._items, self.core
        if not core.points:
            return Frontier([lambda: self])
        return Frontier([partial(_plan_at, core, point, items) for point in core.points])

    @property
    def teg(self) -> Graph:
        """The rewritten expression graph."""
        return self.core.graph

    def chunks(self, x: PlannedCollection | Masked | int = 0) -> tuple[tuple[int, ...], ...]:
        """Return the planned block lengths of a result.

        {Parameters} x: The array, or the number of the result; of a masked array its cells count.
        {Returns} tuple of tuple of int: As `dask.array.Array.chunks`.
        {Raises} PlanError: If it is none of the plan's results.
        """
        if isinstance(x, Masked):
            x = x.cells
        if not isinstance(x, int | PlannedCollection):
            raise PlanError(f"the plan has no result {x!r}: give an array, or a number")
        if isinstance(x, int) and 0 < x < len(self._items):
            x = len(parts_of(self._items[:x]))
        return self.core.chunks(x if isinstance(x, int) else x.node)

    def verify(self) -> None:
        """Check that outputs are tiled once, inputs are in bounds and memory suffices.

        Results are taken to be brought to this process, as `compute` does it; `persist` checks
        before it runs that workers can keep them.

        {Raises} PlanError, MemoryLimitError: Names the constraint, the operator and the box.
        """
        self.core.verify()

    def explain(self, *, all: bool = False, rates: bool = False) -> str:
        """Return the plan as text.

        {Parameters}
            all: Whether to name the operators of each step too, with views, fields and joins: by
                default a step is called by the functions that the user called, and their lines.
            rates: Whether to show how fast the machines are taken to be, too.
        {Returns} str: What runs, how it is cut, and why; and, once it ran, which stores had to be
            asked again, how often since this process began, and what had gone wrong the last time.
        {Examples}
        >>> print(dt.plan(dt.ones((4, 6)).T.std(axis=0)).explain(all=True).splitlines()[3])
          operators: full > reduce
        """
        text = "\n".join([explain(self.core, all=all), *retry_lines(self.core)])
        return f"{text}\n{Machine.of(self.resources).rates!r}" if rates else text

    def diff(self, other: Plan | PlanWithoutArrays) -> str:
        """Return what differs between this plan and another one as text.

        {Parameters} other: Of the same values for other resources or settings, say; or one that was
            read from a file without its arrays.
        {Returns} str: Totals that differ, steps that only one of the plans has, grids and seconds
            of the others; ``"the plans are the same"`` if nothing differs.
        {Examples}
        >>> x = dt.placeholder((1000, 1000), "float64").rechunk((500, 1000))
        >>> y = dt.placeholder((1000, 1000), "float64").rechunk((250, 1000))
        >>> x.plan().diff(x.plan())
        'the plans are the same'
        >>> print(x.plan().diff(y.plan()).splitlines()[-1].partition(";")[0])
        rechunk float64[1000, 1000]: [2x500, 1000] -> [4x250, 1000]
        """
        one = other.told if isinstance(other, PlanWithoutArrays) else other.core
        return difference(self.core, one)

    def save(self, filename: str | PathLike[str]) -> None:
        """Write the plan as JSON, with which `load_plan` makes it again.

        The file has the choices, and the graph as data: operators, parameters, types and the user's
        lines, never code. Without the arrays `load_plan` gives a plan that can be explained,
        compared and visualised.

        {Parameters} filename: Where to write it. What is there is replaced.
        {Returns} None: Once it is written.
        {See Also} load_plan, diff

        Examples
        --------
        >>> import dask_tapestry as dt, tempfile
        >>> x = dt.ones((4, 6)).sum(axis=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     x.plan().save(f"{folder}/plan.json")
        ...     p = dt.load_plan(f"{folder}/plan.json", x)
        >>> p.diff(x.plan())
        'the plans are the same'
        """
        text = dumps(self.core, as_json(told_whole(self.core)))
        Path(filename).write_text(text, "utf-8")

    def simulate(self) -> Simulation:
        """Run the plan in thought: its steps scheduled on the workers that it was made for.

        No task is written out, so that plans of millions of blocks take as long as small ones. The
        rates are those of `cost`; here steps overlap, wait for each other and fill last waves only
        in part, as they will on the workers.

        {Returns} Simulation: When each step runs, how busy threads are and the memory of a worker
            over time; its `plot` draws them.
        {Examples}
        >>> x = dt.placeholder((1_000_000, 1000), "f4", stored_chunks=(1000, 1000))
        >>> p = dt.plan(x.std(axis=0), resources=dt.Resources(workers=16, threads=4))
        >>> found = p.simulate()
        >>> found.seconds > 0, found.peak_worker_bytes < 16e9
        (True, True)
        """
        return simulate(self.core)

    def trace(self) -> Trace:
        """Return the rewrites in order: rule, before, after."""
        return self.core.rewrites

    def abstract(self) -> Graph:
        """Return the graph that the plan computes, unsharded, recovered from its steps.

        Each formula in it has one function. It is the rewritten graph before operators took the
        forms in which they are cut; `verify` compares it with what was asked for.

        {Raises} PlanError: If a form is not one that its operator has.
        {Examples}
        >>> x = dt.placeholder((10**8,), "float64")
        >>> p = (x * 2).sum().plan(resources=dt.Resources(workers=4, threads=1, memory="4 GiB"))
        >>> [node.operator.name for node in p.teg][:3], len(p.teg) > 3
        (['placeholder', 'elementwise', 'reduce'], True)
        >>> print(p.abstract())
        %0 = placeholder() : float64[100000000]
        %1 = elementwise(%0) : float64[100000000]  # multiply(%0, 2.0)
        %2 = reduce(%1, sum, axes=(0,)) : float64[]
        return %2
        """
        return abstract(self.core)

    def graph(self) -> HighLevelGraph:
        """Return the Dask graph of symbolic layers; it pickles to a few kilobytes."""
        return graph.Lowering(self.core, None).lower(final=True).graph

    def compute(self, **kwargs: Any) -> Any:
        """Run the plan.

        On a cluster of more than twice the workers that it was made for, or less than half, a job
        of a minute or more is planned again for those that are there.

        {Parameters} **kwargs: For `dask.compute`, such as ``scheduler``.
        {Returns} numpy.ndarray, None or tuple: The value of the result (None for a write), or a
            tuple of several.
        """
        with local_jobs.counted_here(kwargs.get("scheduler"), self), ErrorReporting():
            self.core = fitted(self._core(), live_client())
            values = computing.computed(*self._planned(), **kwargs)
        results = self._joined(values, lambda masked, parts: masked._value_of(parts))
        return results[0] if len(results) == 1 else results

    def persist(self, **kwargs: Any) -> Any:
        """Run the plan and keep the blocks where they are computed.

        {Parameters} **kwargs: For `dask.persist`, such as ``scheduler``.
        {Returns} Array, Effect or tuple: An array of the blocks that are kept, or a tuple of
            several.
        """
        with local_jobs.counted_here(kwargs.get("scheduler")):
            kept = base.persist(*self._planned(), **kwargs)
        results = self._joined(kept, lambda masked, parts: masked._with_parts(parts))
        return results[0] if len(results) == 1 else results

    def profile(self) -> Profile:
        """Return what the last run of the plan took, beside what it was predicted to take.

        Runs are counted by `compute` and `persist` of the plan; those of the same arrays by
        `dask_tapestry.compute` on a cluster, and elsewhere within `dask_tapestry.ProgressBar`.

        {Returns} Profile: A table of the steps: seconds, bytes of results and peak memory, measured
            and predicted.
        {Raises} PlanError: If no run of the plan is known to the cluster or to this process.
        {See Also} simulate, explain
        {Examples}
        >>> p = dt.plan(dt.ones((1000, 1000)).sum(axis=0))
        >>> values = p.compute()
        >>> print(repr(p.profile()).splitlines()[1].partition("  ")[0])
        step
        """
        return profile.profile_of(self._core())

    def _core(self) -> CorePlan:
        """The plan to run; it is made again for shapes that were not counted."""
        nodes, core = [part.node for part in parts_of(self._items)], self.core
        return core if nodes == list(core.written.roots) else build_plan(nodes, core.resources)

    def _planned(self) -> list[PlannedCollection]:
        """The parts of results with the plan to run."""
        core = self._core()
        return [type(part)(part.node, plan=core) for part in parts_of(self._items)]

    def _joined(self, parts: Sequence[Any], join: Callable[[Masked, Sequence[Any]], Any]) -> Any:
        """The results of what became of their parts."""
        rest = iter(parts)
        return tuple(
            join(item, tuple(islice(rest, len(item._parts()))))
            if isinstance(item, Masked)
            else next(rest)
            for item in self._items
        )

    def __repr__(self) -> str:
        return self.explain()

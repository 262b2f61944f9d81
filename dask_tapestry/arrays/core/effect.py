"""Effect: a write, or a point in time, as a Dask collection that has no value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any, Final, Protocol, final
from uuid import uuid4

import numpy as np
from dask import threaded
from dask.base import DaskMethodsMixin, dont_optimize

from dask_tapestry.amounts import refuse_unknown
from dask_tapestry.arrays.core.late_modules import computing, planned_expression
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.io.sources.dask_blocks_source import from_blocks
from dask_tapestry.lower.scheduler_choice import local_options
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.machine.resources import computing_with
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Graph, Node, Sink, TensorType
from dask_tapestry.teg import sequence_point as sequence_node
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import Cuts

__all__ = [
    "Effect",
    "sequence_point",
]


END: Final = TensorType((1,), np.dtype("V0"))  # of the task that ends an effect
COMPUTE_OPTIONS: Final = frozenset(  # of Dask's schedulers and of a client's compute
    "actors allow_other_workers asynchronous callbacks chunksize cache fifo_timeout get "
    "num_workers optimize_graph pool priority raise_on_exception rerun_exceptions_locally "
    "resources retries scheduler sync traverse".split()
)


class HasNode(Protocol):
    """An array or an effect: what wraps a node."""

    @property
    def node(self) -> Node: ...


def check_options(function: Callable[..., Any], options: Iterable[str]) -> None:
    """Refuse keyword arguments of a function that `compute` would not know.

    {Examples}
    >>> check_options(dt.to_zarr, ["scheduler"])
    """
    refuse_unknown(function.__name__, options, [*signature(function).parameters, *COMPUTE_OPTIONS])


@final
class Effect(DaskMethodsMixin):
    """Something to be done, such as a write: `compute` does it and returns None.

    {Parameters}
        node: The sink or sequence point it wraps.
        plan: How to do it; by default it is planned when it is done.

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> write = dt.to_zarr(dt.ones(3), zarr.storage.MemoryStore(), compute=False)
    >>> dt.compute(write)
    (None,)
    """

    __slots__ = ("__dict__", "_plan_given", "node")

    def __init__(self, node: Node, *, plan: PlannedGraph | None = None) -> None:
        self.node = node
        self._plan_given = plan

    @property
    def teg(self) -> Graph:
        """The expression graph; prints as text."""
        return Graph([self.node])

    @property
    def expr(self) -> planned_expression.TapestryExpr:
        """The Dask expression."""
        return planned_expression.TapestryExpr(self.node, False, self._plan_given)

    def compute(self, **kwargs: Any) -> None:
        """Do it.

        {Parameters} **kwargs: For `dask.compute`, such as ``scheduler``.
        """
        try:
            with computing_with(kwargs.get("scheduler")):
                computing.computed(self, traverse=False, **local_options(kwargs))
        except BaseException as error:
            for text in _left_behind(self.node):
                error.add_note(text)
            raise

    def _lowered(self) -> Any:
        """The layers; of a compute that writes for itself, its graph and keys are of one run."""
        known = self.__dict__.get("lowered")
        if known is not None:
            return known
        plan = self._plan_given or build_plan([self.node])
        lowered = planned_expression.for_other_collections(
            planned_expression.lower_plan(plan, ResultMemory.KEPT)
        )[0]
        if lowered.folder is not None:
            self.__dict__["lowered"] = lowered
        return lowered

    def __dask_graph__(self) -> Any:
        return self._lowered().graph

    def __dask_keys__(self) -> list[Any]:
        keys: list[Any] = self._lowered().keys[0]
        return keys

    def __dask_layers__(self) -> tuple[str, ...]:
        return (self.__dask_keys__()[0][0],)

    def __dask_tokenize__(self) -> str:
        return self.node.digest

    __dask_optimize__ = staticmethod(dont_optimize)
    __dask_scheduler__ = staticmethod(threaded.get)

    def __dask_postcompute__(self) -> tuple[Any, ...]:
        return _none_of, ()

    def __dask_postpersist__(self) -> tuple[Any, ...]:
        return _completed_effect, (self,)

    def __repr__(self) -> str:
        if self.node.is_sequence_point:
            return f"<sequence point after {len(self.node.after)} others>"
        return f"<{self.node.operator.name} of {self.node.type}: {self.node.operator.text()}>"


def _left_behind(node: Node) -> list[str]:
    """Return what sinks tell of what a compute that failed has left."""
    operators = (each.operator for each in topological([node]))
    told = [sink.abandon() for sink in operators if isinstance(sink, Sink)]
    return [text for text in told if text is not None]


def _none_of(results: Any) -> None:
    del results


def _completed_effect(graph: Any, effect: Effect, rename: dict[str, str] | None = None) -> Effect:
    """The sequence point after an effect whose tasks, or their futures, are in `graph`."""
    if rename is None and len(graph) != 1:
        return effect
    (key,) = graph if rename is None else effect.__dask_keys__()
    name = (rename or {}).get(key[0], key[0])
    end = from_blocks(name, END, (Cuts.regular(1, 1),), graph, uuid4().hex)
    return Effect(sequence_node(end))


def points_of(after: Iterable[HasNode]) -> list[Node]:
    """Return a sequence point after each of what ``after=`` names.

    {Raises} TypeError: For what is neither an array nor a sink nor a sequence point.
    """
    nodes = [_node_of(item) for item in after]
    return [node if node.is_sequence_point else sequence_node(node) for node in nodes]


def _node_of(item: object) -> Node:
    node = getattr(item, "node", None)
    if not isinstance(node, Node):
        raise ArgumentTypeError(f"after= takes arrays, sinks and sequence points, not {item!r}")
    return node


def sequence_point(*after: HasNode) -> Effect:
    """Return a point in time when all of `after` have ended.

    What names it in ``after=`` starts no earlier. An array has ended when all its elements are
    computed.

    {Parameters} *after: Lazy writes, sequence points and arrays.
    {Returns} Effect: Computing it computes all of `after`.
    {Raises} TypeError: For anything else.

    Source: Tapestry whitepaper, "Sequence Point Nodes".

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> first = dt.to_zarr(dt.ones(3), zarr.storage.MemoryStore(), compute=False)
    >>> second = dt.to_zarr(
    ...     dt.ones(4), zarr.storage.MemoryStore(), compute=False, after=[dt.sequence_point(first)]
    ... )
    >>> second.compute()
    """
    return Effect(sequence_node(*map(_node_of, after)))

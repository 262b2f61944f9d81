"""Array: what the user holds; it wraps one node and is a Dask collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np
from dask import threaded
from dask.base import DaskMethodsMixin, dont_optimize
from dask.base import persist as dask_persist
from dask.core import flatten
from numpy.typing import DTypeLike

from dask_tapestry.arrays.core.block_names import joined, name_of_blocks
from dask_tapestry.arrays.core.blocks import Blocks
from dask_tapestry.arrays.core.dask_blocks import blocks_named
from dask_tapestry.arrays.core.dispatch import call_numpy_function, call_ufunc
from dask_tapestry.arrays.core.dynamic_shape import CountRun, Deferred
from dask_tapestry.arrays.core.floating_errors import ErrorReporting
from dask_tapestry.arrays.core.late_modules import (
    array_repr,
    computing,
    planned_expression,
    scheduler_blocks,
)
from dask_tapestry.arrays.core.lost_writes import UnreadWrite, is_part
from dask_tapestry.arrays.core.name_suggestions import NameSuggestions
from dask_tapestry.arrays.core.names_of_numpy import hint_of_attribute
from dask_tapestry.arrays.core.python_conversion import PythonConversion
from dask_tapestry.arrays.tuning import PRIORITY
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, PlanError
from dask_tapestry.imports import lazy_import
from dask_tapestry.lower.dask_private import HighLevelGraph
from dask_tapestry.lower.scheduler_choice import local_options, says_nothing
from dask_tapestry.lower.small_jobs import compute_synchronously
from dask_tapestry.planner.machine.resources import computing_with
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.nominal import nominal_cuts
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import with_all_cells

__all__ = ["Array"]


@final
class Array(NameSuggestions, PythonConversion, DaskMethodsMixin):
    """A distributed array that nobody has to chunk by hand.

    Operations build an expression graph; `compute` plans it, runs it with Dask and returns a NumPy
    array. Shapes and dtypes are NumPy's and are always known. Functions such as `asarray`, `zeros`
    and `from_zarr` make arrays; a Dask graph is given as to `dask.array.Array`.

    {Parameters}
        node: The node it wraps, or how that is made once its shape is counted; or a graph of
            Dask's.
        name, chunks, dtype, meta, shape: Of the blocks in a graph, whose keys are ``(name, i, j,
            ...)``, as for Dask.
        plan: How to compute it; by default it is planned when it is computed.
    {Examples}
    >>> x = dt.arange(6).reshape(2, 3)
    >>> (x + 1).sum(axis=0).compute()
    array([5, 7, 9])
    """

    __slots__ = ("_deferred", "_is_part", "_known", "_node", "_plan_given", "_shares", "_write")
    __array_priority__ = PRIORITY
    _elsewhere = staticmethod(hint_of_attribute)

    def __init__(
        self,
        node: Node | Deferred | Mapping[Any, Any],
        name: str | None = None,
        chunks: Any = None,
        dtype: DTypeLike | None = None,
        meta: Any = None,
        shape: tuple[int, ...] | None = None,
        *,
        plan: PlannedGraph | None = None,
    ) -> None:
        if not isinstance(node, (Node, Deferred)):
            node = blocks_named(node, name, chunks, dtype, meta, shape)
        self._known: dict[str, Any] = {}  # what was lowered for this very array, and said of it
        self._deferred = node if isinstance(node, Deferred) else None
        self._node = node if isinstance(node, Node) else None
        self._plan_given = plan
        self._shares = True  # whether it is a part of another array if its node is a view
        self._is_part = False  # whether it is one though its node be that of the other; see `parts`
        self._write: UnreadWrite | None = None  # the last one, of such a part

    @property
    def node(self) -> Node:
        """The node it wraps; a shape that depends on data is counted for it."""
        if self._node is None:
            if self._write is not None:
                self._node = self._write.read()
            else:
                assert self._deferred is not None
                self._node = self._deferred.resolve(run_count)
        return self._node

    @node.setter
    def node(self, node: Node) -> None:
        self._known.clear()  # of the value before
        if self._write is not None:
            self._write.read()
        if self._write is not None or (self._shares and (self._is_part or is_part(self._node))):
            self._write, self._node = UnreadWrite(node), None
        else:
            self._node = node
        self._deferred, self._plan_given, self._shares = None, None, False

    @property
    def is_own(self) -> bool:
        """Whether it was copied or written to, so that it is nobody else's value."""
        return not self._shares

    @property
    def deferred(self) -> Deferred | None:
        """How the node is made once its shape is counted; None if it is there."""
        return self._deferred if self._node is None else None

    @property
    def selected(self) -> Deferred | None:
        """How the node is made, counted or not, if it is of cells that a mask selects."""
        made = self._deferred
        return None if made is None or made.selection is None else made

    @property
    def bound(self) -> Node:
        """The node, or, where that is not counted yet, one of at least its shape."""
        return self.node if self.deferred is None else self.deferred.bound

    # what it is ----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension."""
        return self.node.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the cells."""
        return self.bound.type.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.bound.type.ndim

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.node.type.size

    @property
    def itemsize(self) -> int:
        """Bytes of a cell."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all cells."""
        return self.node.type.size * self.dtype.itemsize

    @property
    def dims(self) -> tuple[str | None, ...] | None:
        """Names of the dimensions, or None."""
        return self.bound.type.dims

    @property
    def device(self) -> str:
        """Where the blocks are: ``"cpu"``, or ``"cuda"`` and which one, as ``"cuda:1"``."""
        known = self.bound.format
        return "cpu" if known is None else known.device

    @property
    def teg(self) -> Graph:
        """The expression graph as written; prints as text."""
        return Graph([self.node])

    # its nominal chunks --------------------------------------------------------------------

    @property
    def nominal_cuts(self) -> tuple[Cuts, ...]:
        """Nominal chunks: what `chunks` spells out."""
        return nominal_cuts(self.node)

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """Lengths of the nominal chunks along each dimension, as in Dask.

        Functions of blocks see these. They depend on the expression alone: they are what the user
        said, else the stored chunks, else a canonical grid (whose size the setting ``block_bytes``
        gives). ``dt.plan(x).chunks(x)`` tells how a plan cuts.
        """
        return tuple(c.listed() for c in self.nominal_cuts)

    @property
    def numblocks(self) -> tuple[int, ...]:
        """Number of nominal chunks along each dimension."""
        return tuple(c.count for c in self.nominal_cuts)

    @property
    def npartitions(self) -> int:
        """Number of nominal chunks."""
        return int(np.prod(self.numblocks, dtype=object))

    @property
    def chunksize(self) -> tuple[int, ...]:
        """Longest nominal chunk along each dimension."""
        return tuple(c.longest for c in self.nominal_cuts)

    @property
    def blocks(self) -> Blocks[Array]:
        """The nominal chunks as arrays: ``x.blocks[i, j]``."""
        return Blocks(self.__getitem__, self.nominal_cuts)

    @property
    def partitions(self) -> Blocks[Array]:
        """The same as `blocks`, by Dask's other name for it."""
        return self.blocks

    # Dask collection -----------------------------------------------------------------------

    def compute(self, **kwargs: Any) -> Any:
        """Plan the array, run it with Dask and return its value.

        {Parameters} **kwargs: For `dask.compute`, such as ``scheduler``.
        {Returns} numpy.ndarray or numpy.generic: Of the array's shape and dtype.
        {Raises} MemoryLimitError: If a block cannot be made small enough for a worker.
        """
        with computing_with(kwargs.get("scheduler")), ErrorReporting():
            values = compute_synchronously([self.node]) if self.runs_anywhere(kwargs) else None
            if values is not None:
                return values[0]
            return computing.computed(self, traverse=False, **local_options(kwargs))[0]

    def runs_anywhere(self, options: Mapping[str, Any]) -> bool:
        """Whether nothing says how to compute: no plan of its own, no option for Dask."""
        return says_nothing(options) and self._plan_given is None

    def persist(self, *, replicas: int = 1, **kwargs: Any) -> Array:
        """Run the array and keep its blocks where they are computed.

        {Parameters}
            replicas: How many workers of a cluster hold each block, for `dask_tapestry.persist`.
            **kwargs: For `dask.persist`, such as ``scheduler``.
        {Returns} Array: Of the same value, made of the blocks that are kept.
        """
        persist = lazy_import("dask_tapestry.arrays.planning").persist
        kept: Array = persist(self, replicas=replicas, traverse=False, **kwargs)[0]
        return kept

    @property
    def _lowered(self) -> planned_expression.LoweredPlan:
        """The layers of this array alone; the last one yields the nominal chunks.

        They are planned for others, who take some chunks, or else for a collection that has all.
        """
        cuts = self.nominal_cuts
        held = self.lowered_for(all_held=True)
        known = held if cuts in held else self.lowered_for(all_held=False)
        if cuts not in known:
            known[cuts] = scheduler_blocks.lowered_alone(self.node, cuts, self.name)
        return known[cuts]

    def lowered_for(self, all_held: bool) -> dict[Any, planned_expression.LoweredPlan]:
        """Layers that are known, by nominal cuts: whose blocks are all held, or taken."""
        known: dict[Any, planned_expression.LoweredPlan]
        known = self._known.setdefault("held" if all_held else "taken", {})
        return known

    @property
    def expr(self) -> planned_expression.TapestryExpr:
        """The Dask expression; all values of one compute are planned together."""
        return planned_expression.TapestryExpr(self.node, False, self._plan_given)

    @property
    def name(self) -> str:
        """First part of the keys of the blocks: the user's name for it, or operation and digest."""
        return name_of_blocks(self.node, self.said)

    @property
    def said(self) -> dict[str, str]:
        """What the user said of this very array: its ``"name"``, what was ``"called"``."""
        known: dict[str, str] = self._known.setdefault("said", {})
        return known

    @property
    def dask(self) -> HighLevelGraph:
        """The Dask graph of this array alone."""
        return self._lowered[0].graph

    def __dask_graph__(self) -> HighLevelGraph:
        return self.dask

    def __dask_keys__(self) -> list[Any]:
        return list(self._lowered[0].keys[0])

    def __dask_layers__(self) -> tuple[str, ...]:
        return (self.name,) if self.name in self.dask.layers else tuple(self.dask.layers)[-1:]

    def __dask_tokenize__(self) -> str:
        return self.node.digest

    __dask_optimize__ = staticmethod(dont_optimize)
    __dask_scheduler__ = staticmethod(threaded.get)

    def __dask_postcompute__(self) -> tuple[Any, ...]:
        return joined, (self.nominal_cuts, self.node.format)

    def __dask_postpersist__(self) -> tuple[Any, ...]:
        return _rebuild, (self,)

    def to_delayed(self) -> np.ndarray[Any, Any]:
        """Return the nominal chunks as Dask Delayed objects.

        {Returns} numpy.ndarray: Of objects, of shape `numblocks`.
        {Examples}
        >>> dt.ones((2, 3)).to_delayed().shape
        (1, 1)
        """
        from dask.delayed import Delayed  # noqa: PLC0415  (it imports a good part of Dask)

        blocks, graph, name = np.empty(self.numblocks, dtype=object), self.dask, self.name
        for key in flatten(self.__dask_keys__()):
            blocks[key[1:]] = Delayed(key, graph, layer=name)
        return blocks

    # NumPy's protocols ---------------------------------------------------------------------

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ArgumentError("an Array has no memory to share: it must be computed and copied")
        return np.asarray(with_all_cells(self.compute()), dtype=dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any],
        kwargs: dict[str, Any],
    ) -> Any:
        return call_numpy_function(function, types, args, kwargs)

    # Python's protocols --------------------------------------------------------------------

    def __len__(self) -> int:
        if not self.ndim:
            raise ArgumentTypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self.ndim:
            raise ArgumentTypeError("iteration over an array without dimensions")
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        raise ArgumentTypeError("an Array is not hashable: == compares cells")

    def __repr__(self) -> str:
        return array_repr.text_of(self.bound, self.deferred is None)

    def _repr_html_(self) -> str:
        return array_repr.html_of(self.bound, self.deferred is None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Array, (self.node,)


def run_count(counts: Node, keep: Sequence[Node]) -> CountRun:
    """Run a count graph; the nodes to keep stay where they are computed."""
    with ErrorReporting():
        kept = scheduler_blocks.kept_here([counts, *keep])
        if kept is None:
            arrays = dask_persist(Array(counts), *map(Array, keep), **local_options({}))
            kept = [x.node for x in arrays]
        first, *rest = kept
        return CountRun(np.asarray(with_all_cells(Array(first).compute())), tuple(rest))


def _rebuild(graph: Any, x: Array, rename: dict[str, str] | None = None) -> Array:
    """An array of the blocks in `graph` (results, futures or tasks), in the nominal chunks of `x`.

    With `rename` the blocks are those of `x` alone, under other names. A graph without tasks of `x`
    holds futures already, and `x` stays as it is.
    """
    layout = scheduler_blocks.layout_in(graph, x.node, x.name, rename)
    if layout is not None:
        return Array(scheduler_blocks.persisted_node(graph, layout, x.node))
    if x.expr.__dask_graph__():
        raise PlanError(f"no layer of a graph holds the blocks of {x!r}")
    return Array(x.node)

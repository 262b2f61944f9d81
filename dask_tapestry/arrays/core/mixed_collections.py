"""Mixed collections: several arrays inside of other kinds, whose graphs are of one plan.

Dask asks each collection for its graph before it sees the next one. A `MixedExpr` stands for a
collection until all of a compute are known: then the arrays of all of them, and those that are
computed beside them, are planned together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dask.base import tokenize

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.late_modules import scheduler_blocks
from dask_tapestry.lower.dask_private import (
    CompositeExpr,
    Expr,
    ExprSequence,
    FinalComposite,
    HLGExpr,
    HLGExprSequence,
)
from dask_tapestry.lower.graph import Lowered
from dask_tapestry.lower.planned_expression import (
    TapestryExpr,
    TapestrySequence,
    for_other_collections,
    lower_plan,
)
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.memory.bound import peak_memory_is_bounded
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.teg import Sink, Tensor
from dask_tapestry.teg.node import reapply, topological
from dask_tapestry.zspace import Cuts


def planned_together(
    arrays: Sequence[Array], results: ResultMemory | None = None
) -> Sequence[Array]:
    """Plan arrays for their Dask graphs as one, so that what they share is computed once.

    Each graph is then that of all of them, and keys are the array's own. Collections that hold
    several arrays, as masked arrays and datasets do, merge the graphs of each. Arrays whose graph
    was asked before keep it.

    Parameters
    ----------
    arrays
        What a collection holds.
    results
        What becomes of their blocks; None where others take those that they need.

    Returns
    -------
    Sequence of Array
        The same.
    """
    all_held = results is not None
    kinds = (True,) if all_held else (True, False)
    new = [x for x in arrays if not any(x.nominal_cuts in x.lowered_for(kind) for kind in kinds)]
    by_node = {x.node: x for x in new}
    if not by_node or (not all_held and len(by_node) < 2):
        return arrays
    in_blocks = scheduler_blocks.held_in if all_held else scheduler_blocks.taken_in
    roots = _reading_each_other(by_node, in_blocks)
    plan = build_plan(roots)
    if results is not None:
        peak_memory_is_bounded(plan, results)
    if len(set(plan.graph.roots)) < len(roots):
        return arrays  # of two that are found to be one the keys would be
    names = [x.name for x in by_node.values()]
    lowered, scattered = for_other_collections(lower_plan(plan, ResultMemory.KEPT, names))
    numbers = {node: number for number, node in enumerate(by_node)}
    for x in new:
        if x.name != by_node[x.node].name:
            continue  # another name of the same value: keys are those of the name
        own = Lowered(lowered.graph, [lowered.keys[numbers[x.node]]], lowered.layouts)
        x.lowered_for(all_held)[x.nominal_cuts] = own, scattered
    return arrays


def _reading_each_other(
    by_node: Mapping[Tensor, Array], in_blocks: Callable[[Tensor, tuple[Cuts, ...]], Tensor]
) -> list[Tensor]:
    """The values in their chunks; one that is computed from another reads its chunks."""
    rebuilt: dict[Tensor, Tensor] = {}
    for node in topological(by_node):
        own = reapply(node, [rebuilt[x] for x in node.inputs], [rebuilt[x] for x in node.after])
        if node in by_node:
            own = in_blocks(own, by_node[node].nominal_cuts)
        rebuilt[node] = own
    return [rebuilt[node] for node in by_node]


class MixedCollection:
    """A collection of Dask's protocol, and the arrays of this library that it holds.

    Where it has nothing else, `value` makes its value of theirs.
    """

    __slots__ = ("arrays", "collection", "name", "value")

    def __init__(
        self,
        collection: Any,
        arrays: Iterable[Array],
        value: Callable[[Sequence[Any]], Any] | None = None,
    ) -> None:
        self.collection, self.arrays, self.value = collection, tuple(arrays), value
        self.name = tokenize(collection)


class MixedExpr(HLGExpr):
    """A collection as a Dask expression; its graph is made once all of a compute are known.

    Parameters
    ----------
    held
        The collection: a `MixedCollection`.
    final
        Whether its value is wanted, as one object, rather than its blocks.
    """

    _parameters = ["held", "final"]  # noqa: RUF012
    _defaults = {"final": False}  # noqa: RUF012
    low_level_optimizer = None
    postcompute = None

    if TYPE_CHECKING:  # Dask's own are not annotated

        def __init__(self, *operands: Any) -> None: ...
        def operand(self, key: str) -> Any: ...

    @property
    def _name(self) -> str:
        return f"tapestryseveral-{self.operand('held').name}-{self.operand('final')}"

    def __dask_tokenize__(self) -> str:
        return self._name

    @property
    def deterministic_token(self) -> str:
        return self._name

    def _operands_for_repr(self) -> list[str]:
        return [self._name]

    @property
    def parts(self) -> tuple[tuple[Array, ...], Callable[[Sequence[Any]], Any]] | None:
        """The arrays inside, and a function that builds the value of theirs; None if unknown."""
        held = self.operand("held")
        return None if held.value is None else (held.arrays, held.value)

    def finalize_compute(self) -> MixedExpr:
        return MixedExpr(self.operand("held"), True)

    def _simplify_up(self, parent: Expr, dependents: Any) -> Expr | None:
        if isinstance(parent, CompositeExpr):  # which Dask makes of what has `__dask_exprs__`
            held = MixedCollection(parent.collection, self.operand("held").arrays)
            return MixedExpr(held, isinstance(parent, FinalComposite))
        if type(parent) in (ExprSequence, HLGExprSequence):
            return TapestrySequence(*parent.operands)
        return None

    def all_planned(self, operands: Sequence[Expr]) -> list[Expr]:
        """What is computed at once, with one plan for these collections and arrays beside them."""
        mine = [expr for expr in operands if isinstance(expr, MixedExpr)]
        plain_arrays = {
            id(expr): Array(expr.operand("root")) for expr in operands if _is_plain(expr)
        }
        inside = [x for expr in mine for x in expr.operand("held").arrays]
        joins = any(expr.operand("final") for expr in mine)
        results = ResultMemory.JOINED if joins else ResultMemory.KEPT
        planned_together([*inside, *plain_arrays.values()], results)
        planned: list[Expr] = []
        for expr in operands:
            x = plain_arrays.get(id(expr))
            if isinstance(expr, MixedExpr):
                planned.append(expr.wrapped_expr)
            elif x is not None and x.lowered_for(all_held=True):
                planned.append(HLGExpr.from_collection(x).finalize_compute())
            else:
                planned.append(expr)
        return planned

    @cached_property
    def wrapped_expr(self) -> Any:
        """The expression of the collection's graph."""
        held, final = self.operand("held"), self.operand("final")
        planned_together(held.arrays, ResultMemory.JOINED if final else ResultMemory.KEPT)
        own = HLGExpr.from_collection(held.collection)
        return own.finalize_compute() if final else own

    @property
    def hlg(self) -> Any:
        return self.wrapped_expr.hlg

    def __dask_keys__(self) -> list[Any]:
        keys: list[Any] = self.wrapped_expr.__dask_keys__()
        return keys

    def __dask_graph__(self) -> dict[Any, Any]:
        graph: dict[Any, Any] = self.wrapped_expr.__dask_graph__()
        return graph

    _layer = __dask_graph__

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        told: dict[str, dict[Any, Any]] = self.wrapped_expr.__dask_annotations__()
        return told

    def __reduce__(self) -> tuple[Any, ...]:
        return _identity, (self.wrapped_expr,)


def _identity(made: Any) -> Any:
    return made


def _is_plain(expr: Expr) -> bool:
    """Whether it is the value of an array that is not planned yet."""
    if not isinstance(expr, TapestryExpr) or expr.operand("dsk") is not None:
        return False
    root = expr.operand("root")
    is_array = not root.is_sequence_point and not isinstance(root.operator, Sink)
    return bool(expr.operand("final") and expr.operand("plan") is None and is_array)

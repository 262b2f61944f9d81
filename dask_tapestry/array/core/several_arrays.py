"""Several arrays inside one collection of another kind: their graphs are of one plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dask_tapestry.array.core.array import Array
from dask_tapestry.lower.expression import lower_plan
from dask_tapestry.lower.graph import Lowered
from dask_tapestry.operators.rechunk import rechunk
from dask_tapestry.plan.build import build_plan
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.node import reapply, topological


def planned_together(arrays: Sequence[Array]) -> None:
    """Plan arrays for their Dask graphs as one, so that what they share is computed once.

    Each graph is then that of all of them, and keys are the array's own. Collections that hold
    several arrays, as masked arrays and datasets do, merge the graphs of each. Arrays whose graph
    was asked before keep it.

    Parameters
    ----------
    arrays
        What a collection holds.
    """
    new = [x for x in arrays if x.nominal_cuts not in x.__dict__.get("lowered", {})]
    held = {x.node: x for x in new}
    if len(held) < 2:
        return
    roots = _reading_each_other(held)
    plan = build_plan(roots)
    if len(set(plan.graph.roots)) < len(roots):
        return  # of two that are found to be one the keys would be
    lowered, sent = lower_plan(plan, False, [x.name for x in held.values()])
    if sent is not None:
        sent.needed_for(None)  # other collections may stand on these blocks
    for number, x in enumerate(held.values()):
        own = Lowered(lowered.graph, [lowered.keys[number]], lowered.layouts)
        x.__dict__.setdefault("lowered", {})[x.nominal_cuts] = own, sent


def _reading_each_other(held: Mapping[Tensor, Array]) -> list[Tensor]:
    """The values in their chunks; one that is computed from another reads its chunks."""
    made: dict[Tensor, Tensor] = {}
    for node in topological(held):
        own = reapply(node, [made[x] for x in node.inputs], [made[x] for x in node.after])
        made[node] = rechunk(own, held[node].nominal_cuts) if node in held else own
    return [made[node] for node in held]

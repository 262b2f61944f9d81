"""Rule on products of a formula and its own transpose: its cells are computed once.

A transpose moves through formulas to what these read, so that ``off.T @ off`` with ``off = x - m``
reads two formulas of the same cells. It takes whole graphs, as it must know who reads both.
"""

from __future__ import annotations

from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import written_as

Read = tuple[Node, tuple[ViewAxis, ...]]  # a value, and where its axes are read


def share_turned_formulas(graph: Graph, trace: Trace | None = None) -> Graph:
    """``f(x.T) @ f(x) -> f(x).T @ f(x)``, if nobody else reads ``f(x.T)``."""
    turned = _turned(graph)
    if not turned:
        return graph

    def share_turned_formulas(node: Node) -> Node | None:
        return turned.get(node)

    return rewrite(graph, (share_turned_formulas,), trace, "turned formulas", carry=False)


def _turned(graph: Graph) -> dict[Node, Node]:
    """For each formula that is another factor turned, a view of that."""
    readers, rewritten = graph.consumers, {}
    for product in graph.nodes:
        if not isinstance(product.operator, MatMul):
            continue
        x, w = sorted(product.inputs, key=_views)
        alone = w not in graph.roots and set(readers[w]) <= set(readers[x])
        if x is w or x in rewritten or not alone:
            continue
        if not all(isinstance(reader.operator, MatMul) for reader in readers[w]):
            continue
        axes = _axes(w, x)
        if axes is not None:
            with written_as(w):
                rewritten[w] = apply(View(w.type.shape, axes), x)
    return rewritten


def _views(node: Node) -> int:
    """Views that a formula reads: that which is as the user wrote it reads fewer."""
    return sum(isinstance(x.operator, View) for x in node.inputs)


def _axes(node: Node, other: Node) -> tuple[ViewAxis, ...] | None:
    """Where `node` reads the axes of `other`, if it is that formula turned; else None."""
    if not isinstance(node.operator, Elementwise):
        return None
    dims: dict[int, int] = {}  # of `node`, by those of `other`
    pairs, seen = [(node, other)], {(node, other)}
    while pairs:
        x, y = pairs.pop()
        if isinstance(x.operator, Elementwise) and x.operator == y.operator and not x.after:
            inputs = set(zip(x.inputs, y.inputs, strict=True)) - seen
            seen |= inputs
            pairs += inputs
        elif not _is_turned(x, y, dims):
            return None
    every = list(range(other.type.ndim))
    if sorted(dims) != every or sorted(dims.values()) != every:
        return None
    if any(node.type.shape[dims[d]] != other.type.shape[d] for d in every):
        return None
    return tuple([ViewAxis(dims[d], 0, 1) for d in every])


def _is_turned(x: Node, y: Node, dims: dict[int, int]) -> bool:
    """Whether both read the same cells, `x` along the dimensions that those of `y` became."""
    (base, own), (same, theirs) = _read(x), _read(y)
    return base is same and all(
        (mine.start, mine.step) == (its.start, its.step)
        and (mine.dim < 0) == (its.dim < 0)
        and (mine.dim < 0 or dims.setdefault(its.dim, mine.dim) == mine.dim)
        for mine, its in zip(own, theirs, strict=True)
    )


def _read(x: Node) -> Read:
    """What is read, and along which dimensions."""
    if isinstance(x.operator, View):
        return x.inputs[0], x.operator.axes
    return x, tuple([ViewAxis(d, 0, 1) for d in range(x.type.ndim)])

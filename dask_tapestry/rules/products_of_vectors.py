"""Rule on products of an array and a vector: they are sums, where others fold the array as well.

A slope at each place, ``t @ x``, beside the mean over time. As ``sum(t * x)`` the product shares
the pass of the mean, and what is stored is read once. By themselves products are left to BLAS.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.reduce import Reduce, reduce
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import Reshape, reshape
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.shared_cells import cells_of, ranks_of
from dask_tapestry.rules.turned_folds import order_of, straightened, turned_as_kept
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, Source
from dask_tapestry.teg.node import written_as

SUMMED_KINDS: Final = (
    "iufc"  # of numbers whose sums are products' as well: those of booleans are not
)


class _Product(NamedTuple):
    """A product of an array and a vector.

    Attributes
    ----------
    array, axes
        The array as it lies, and for each axis of what is multiplied that of the array.
    vector
        Of the array's shape.
    axis
        Of the array, which is folded.
    shape, single
        Of what the fold yields, in the product, and the dimension of one cell beside it.
    """

    array: Node
    axes: tuple[int, ...]
    vector: Node
    axis: int
    shape: tuple[int, ...]
    single: int


def fold_products_of_vectors(graph: Graph, trace: Trace | None = None) -> Graph:
    """``x @ v -> sum(x * v)``, where x has to be read and is folded along that axis by others.

    Neither needs the other: what comes later, as the next step of a descent, has no pass to share.
    """
    ranks = ranks_of(graph, (Reduce, MatMul))
    folded = {
        (cells, node.operator.axes, ranks[node])
        for node in graph.nodes
        if isinstance(node.operator, Reduce) and node.operator.is_whole
        for cells in cells_of(node.inputs)
    }
    sums: dict[Node, Node] = {}
    for node in graph.nodes:
        product = _product_of_vector(node) if folded else None
        if product is not None and _is_folded_by_others(product, ranks[node], folded):
            with written_as(node):
                sums[node] = _as_sum(product, node)
    if not sums:
        return graph

    def sum_of_products(node: Node) -> Node | None:
        return sums.get(node)

    graph = rewrite(graph, (sum_of_products,), trace, "vector products", carry=False)
    return rewrite(graph, Rules(VIEW_RULES), trace, "vector products")


def _product_of_vector(node: Node) -> _Product | None:
    operator = node.operator
    if not isinstance(operator, MatMul) or operator.part is not None or node.after:
        return None
    x, w = node.inputs
    dtype = node.type.dtype
    if node.format is not None or dtype.kind not in SUMMED_KINDS or dtype.itemsize < 4:
        return None
    if w.type.shape[-1] == 1:
        return _product(x, w, x.type.ndim - 1, single=x.type.ndim - 1)
    if x.type.shape[-2] == 1:
        return _product(w, x, w.type.ndim - 2, single=w.type.ndim - 2)
    return None


def _product(operand: Node, vector: Node, folded: int, single: int) -> _Product:
    """The product of an operand whose axis is folded: as it was before dimensions were joined."""
    rank = operand.type.ndim
    shape = (*operand.type.shape[:folded], *operand.type.shape[folded + 1 :])
    whole, place = _before_joining(operand, folded)
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    cells = permute(vector, swapped)
    apart = (
        range(rank - 2, whole.type.ndim - 2) if place > rank - 2 else range(rank, whole.type.ndim)
    )
    along = broadcast(unsqueeze(cells, apart), whole.type.shape)
    axes = order_of(whole)
    straight = straightened(whole, axes, {}) if axes else None
    if axes is None or straight is None:
        return _Product(whole, tuple(range(whole.type.ndim)), along, place, shape, single)
    inverse = [axes.index(axis) for axis in range(len(axes))]
    return _Product(straight, axes, permute(along, inverse), axes[place], shape, single)


def _before_joining(operand: Node, folded: int) -> tuple[Node, int]:
    """The array of which a reshape joined the axes beside the folded one, and that axis of it."""
    shape, rank = operand.type.shape, operand.type.ndim
    if isinstance(operand.operator, Reshape):
        before = operand.inputs[0]
        place = before.type.ndim - 1 if folded == rank - 1 else folded
        alike = before.type.shape[: rank - 2] == shape[: rank - 2] and before.type.ndim > rank
        if alike and before.type.shape[place] == shape[folded]:
            return before, place
    return operand, folded


def _is_folded_by_others(
    product: _Product, rank: int, folded: set[tuple[Node, tuple[int, ...], int]]
) -> bool:
    """Whether cells that have to be read, or computed, are those of a reduction of that rank."""
    cells = cells_of([product.array])
    shared = [x.operator for x in cells if (x, (product.axis,), rank) in folded]
    return any(not (isinstance(one, Source) and one.external) for one in shared)


def _as_sum(product: _Product, node: Node) -> Node:
    dtype = node.type.dtype
    operands = [astype(x, dtype) for x in (product.array, product.vector)]
    cells = elementwise("multiply", *operands, dtype=dtype)
    value = reduce(cells, "sum", product.axis, dtype=dtype)
    kept = [axis for axis in product.axes if axis != product.axis]
    return unsqueeze(reshape(turned_as_kept(value, kept), product.shape), product.single)

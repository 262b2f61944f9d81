"""Rules on sums and diagonals of a matrix product: they do not need the product.

The terms are the product's, added in another order, as for other block shapes: integers wrap to the
same values, floats agree within a product's rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.reduce import Reduce, reduce
from dask_tapestry.operators.views.squeeze import squeeze
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.teg import Graph, Node, apply

ADDABLE = "iufc"  # a product of bools is no sum


@on(Reduce, sharing=True)
def sum_of_product(node: Node, shared: Shared) -> Node | None:
    """``sum(x @ w) -> vecdot(sum of x's rows, sum of w's columns)``; over one axis ``sum(x) @ w``.

    Where nothing else reads the product, and the sum has its dtype.
    """
    match node.operator, *(i.operator for i in node.inputs):
        case Reduce("sum", axes) as whole, MatMul() as product if whole.is_plain:
            return _summed(node.inputs[0], product, whole, axes, node, shared)
    return None


@on(Reduce, sharing=True)
def mean_of_product(node: Node, shared: Shared) -> Node | None:
    """``mean(x @ w) -> sum(x @ w) / n``, whose sums are taken first; for floats."""
    match node.operator, *(i.operator for i in node.inputs):
        case Reduce("mean", axes) as whole, MatMul() as product if whole.is_plain:
            total = _summed(node.inputs[0], product, whole, axes, node, shared)
            if total is None or whole.dtype.kind not in "fc":
                return None
            cells = whole.dtype.type(prod(whole.tree.extents))
            made = elementwise("divide", total, cells)
            return made if made.type == node.type else None
    return None


def _summed(
    y: Node,
    product: MatMul,
    whole: Reduce,
    axes: Sequence[int],
    node: Node,
    shared: Shared,
) -> Node | None:
    """Sum of a product over `axes`, its factors summed first; None where that gains nothing."""
    x, w = y.inputs
    m, n = y.type.ndim - 2, y.type.ndim - 1
    rows, columns = m in axes, n in axes
    least = min(y.type.shape[m:])
    same = whole.dtype == whole.state == product.dtype and product.dtype.kind in ADDABLE
    if y in shared or y.after or product.part is not None or not same:
        return None
    if least < 2 or not (rows or columns) or not x.type.shape[-1]:
        return None
    if rows and columns:
        terms = elementwise("multiply", _sum_along(x, m), _sum_along(w, n))
        total = reduce(terms, "sum", [a for a in axes if a < m] + [m], dtype=product.dtype)
    else:
        left = unsqueeze(_sum_along(x, m), m) if rows else x
        right = unsqueeze(_sum_along(w, n), n) if columns else w
        total = apply(MatMul(product.dtype), left, right)
        alone = len(axes) == 1  # and of length one now
        total = squeeze(total, axes) if alone else reduce(total, "sum", axes, dtype=product.dtype)
    return total if total.type == node.type else None


def _sum_along(x: Node, axis: int) -> Node:
    """Sum along one axis; for a permuted tensor the sum of the tensor, so that equal sums meet."""
    match x.operator:
        case View() as view if (order := permutation(view, x.inputs[0])) is not None:
            (inner,) = x.inputs
            total = reduce(inner, "sum", order[axis], dtype=x.type.dtype)
            left = [dim for dim in order if dim != order[axis]]
            place = {dim: n for n, dim in enumerate(left)}
            axes = tuple(ViewAxis(place[dim], 0, 1) for dim in sorted(left))
            turned = View(x.type.shape[:axis] + x.type.shape[axis + 1 :], axes)
            return total if turned.is_identity(total.type.shape) else apply(turned, total)
    return reduce(x, "sum", axis, dtype=x.type.dtype)


def permutation(view: View, x: Node) -> list[int] | None:
    """The input axis of each output dimension of a view that only permutes; None for others."""
    dims = [axis.dim for axis in view.axes]
    if sorted(dims) != list(range(len(view.shape))):
        return None
    whole = all(
        (axis.start, axis.step) == (0, 1) and view.shape[axis.dim] == extent
        for axis, extent in zip(view.axes, x.type.shape, strict=True)
    )
    return sorted(range(len(dims)), key=dims.__getitem__) if whole else None


@on(View, sharing=True)
def diagonal_of_product(node: Node, shared: Shared) -> Node | None:
    """``diagonal(x @ w) -> sum(x * w.T)``; so ``trace(x @ w) -> sum(x * w.T)`` over all axes.

    Where nothing else reads the product.
    """
    match node.operator, *(i.operator for i in node.inputs):
        case View(shape, axes) as view, MatMul(dtype, None) if view.runs and dtype.kind in ADDABLE:
            (y,) = node.inputs
        case _:
            return None
    (*batch, row, column), (x, w) = axes, y.inputs
    once = y not in shared and not y.after and not view.broadcast
    if row.dim != column.dim or row.dim < 0 or not once or not x.type.shape[-1]:
        return None
    last = len(shape)
    terms = (*shape, x.type.shape[-1])
    folded = ViewAxis(last, 0, 1)
    left = apply(View(terms, (*batch, row, folded)), x)
    right = apply(View(terms, (*batch, folded, column)), w)
    made = reduce(elementwise("multiply", left, right), "sum", last, dtype=dtype)
    return made if made.type == node.type else None


def has_products(graph: Graph) -> bool:
    """Whether a graph has matrix products; the rules here apply to no other one."""
    return any(isinstance(node.operator, MatMul) for node in graph)


PRODUCT_RULES = (sum_of_product, mean_of_product, diagonal_of_product)

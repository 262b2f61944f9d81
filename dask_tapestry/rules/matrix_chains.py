"""Rule on chains of matrix products: the order with the fewest multiplications.

Source: Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", matrix-chain
multiplication.
"""

from __future__ import annotations

from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.products.matrix_chain import Splits, best_splits
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.rules.tuning import MOST_FACTORS
from dask_tapestry.teg import Node, apply


@on(MatMul, sharing=True)
def order_chain(node: Node, shared: Shared) -> Node | None:
    """``matmul(matmul(a, b), c) -> matmul(a, matmul(b, c))``, where that takes fewer operations.

    For any number of factors; a product that is read elsewhere too is one factor. Integers wrap to
    the same values in every order; floats are rounded as for other block shapes.
    """
    match node.operator:
        case MatMul(part=None) as whole:
            factors, flops = chain_of(node, whole, shared)
        case _:
            return None
    if len(factors) < 3:
        return None
    sides = (*[x.type.shape[-2] for x in factors], factors[-1].type.shape[-1])
    splits = best_splits(sides)
    if splits.cost >= flops:
        return None
    made = _product(factors, splits, whole, 0, len(factors))
    return made if made.type == node.type else None


def chain_of(node: Node, whole: MatMul, shared: Shared) -> tuple[list[Node], int]:
    """The factors of a product of products, in order, and its number of multiplications."""
    factors: list[Node] = []
    flops, stack = 0, [node]
    while stack:
        top = stack.pop()
        inner = top is node or (top.operator == whole and top not in shared and not top.after)
        if inner and len(factors) + len(stack) + 2 <= MOST_FACTORS:
            x, w = top.inputs
            flops += x.type.shape[-2] * x.type.shape[-1] * w.type.shape[-1]
            stack += [w, x]
        else:
            factors.append(top)
    return factors, flops


def _product(factors: list[Node], splits: Splits, whole: MatMul, i: int, j: int) -> Node:
    if j == i + 1:
        return factors[i]
    k = splits.of[i, j]
    left, right = _product(factors, splits, whole, i, k), _product(factors, splits, whole, k, j)
    return apply(whole, left, right)


CHAIN_RULES = (order_chain,)

"""Products of one long factor with several others, in one pass.

As the two products of normal equations, ``x.T @ x`` and ``x.T @ y``. It costs what another form of
one of them may save, as half of a symmetric one, where it spares reading or computing the factor
twice. So it is a form that plans are compared in, and no rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.views.permute import Permute, permute
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rules.shared_cells import cells_of, ranks_of, reduction_ranks
from dask_tapestry.rules.tuning import LONG_FACTOR_TIMES, MOST_JOINT_PRODUCTS
from dask_tapestry.teg import Graph, Node, Source, apply
from dask_tapestry.teg.annotations import joined
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.users_line import said_together

Group = tuple[Node, ...]
TURNED: Final = (ViewAxis(1, 0, 1), ViewAxis(0, 0, 1))


class _Factor(NamedTuple):
    """A factor of a product.

    Attributes
    ----------
    matrix, axis
        What is multiplied, as it is or turned, and its axis that is folded.
    side
        Which input of the product it is.
    """

    matrix: Node
    axis: int
    side: int


def product_ranks(graph: Graph) -> dict[Node, tuple[int, int]]:
    """For each node the most reductions, and the most products, on a path that ends in it.

    Of two products of one rank neither needs the other, nor does what each of them reads.
    """
    reductions, products = reduction_ranks(graph), ranks_of(graph, (MatMul,))
    return {node: (reductions[node], products[node]) for node in graph.nodes}


def products_of_one_factor(graph: Graph) -> tuple[Group, ...]:
    """Products that have one long factor in common, none of which needs another one.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.teg import Graph
    >>> x, y = (dt.placeholder((10**6, n), "f8", (10**5, n)) for n in (20, 1))
    >>> (together,) = products_of_one_factor(Graph([(x.T @ (2 * x)).node, (y.T @ x).node]))
    >>> [str(node.type) for node in together]
    ['float64[20, 20]', 'float64[1, 20]']
    """
    if sum([isinstance(node.operator, MatMul) for node in graph.nodes]) < 2:
        return ()
    ranks = product_ranks(graph)
    alike: dict[object, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        for factor in _long_factors(node):
            key = factor.matrix, factor.axis, ranks[node], node.type.dtype
            alike[key] += [] if node in alike[key] else [node]
    found, taken = list[Group](), set[Node]()
    for nodes in sorted(alike.values(), key=len, reverse=True):
        group = [node for node in nodes if node not in taken][:MOST_JOINT_PRODUCTS]
        if len(group) > 1 and joined(node.annotations for node in group) is not None:
            found.append(tuple(group))
            taken |= set(group)
    return tuple(found)


def _long_factors(node: Node) -> list[_Factor]:
    """The factors of a product that are long matrices, which have to be read or computed."""
    if not isinstance(node.operator, MatMul) or node.operator.part is not None or node.after:
        return []
    if node.format is not None or any(x.type.ndim != 2 or not x.type.size for x in node.inputs):
        return []
    factors = [_factor(node, side) for side in (0, 1)]
    return [one for one in factors if _is_long(one.matrix, node) and not _lies_here(one.matrix)]


def _factor(node: Node, side: int) -> _Factor:
    """An input of a product, as its matrix was before it was turned."""
    x = node.inputs[side]
    turned = x.type.ndim == 2 and _is_turned(x)
    return _Factor(x.inputs[0] if turned else x, (1 - side) ^ turned, side)


def _is_turned(x: Node) -> bool:
    if isinstance(x.operator, Permute):
        return True
    whole = isinstance(x.operator, View) and x.operator.axes == TURNED
    return whole and x.type.shape == x.inputs[0].type.shape[::-1]


def _is_long(matrix: Node, product: Node) -> bool:
    return LONG_FACTOR_TIMES * product.type.size <= matrix.type.size


def _lies_here(matrix: Node) -> bool:
    """Whether all cells that a matrix is a formula of are in memory, outside of the plan."""
    return all(isinstance(x.operator, Source) and x.operator.external for x in cells_of([matrix]))


def joint_product(group: Group) -> dict[Node, Node] | None:
    """``x @ a, b @ x.T -> r[:, of a], r[:, of b].T with r = x @ concat(a, b.T)``.

    What replaces each product of a group is returned, or None where they share no factor.
    """
    shared = _shared_factors(group)
    if shared is None:
        return None
    with written_as(next((node for node in group if node.line), group[0])):
        common = _unnamed(shared[0].matrix)
        common = common if shared[0].axis else permute(common, (1, 0))
        others = [_other(node, one) for node, one in zip(group, shared, strict=True)]
        factors = common, concat(others, 1)
        line = said_together(node.line for node in group)
        together = apply(group[0].operator, *factors, line=line)
    together = reapply(together, factors, annotations=joined(n.annotations for n in group))
    ends = accumulate([x.type.shape[1] for x in others], initial=0)
    done: dict[Node, Node] = {}
    for node, one, (first, end) in zip(group, shared, pairwise(ends), strict=True):
        with written_as(node):
            part = basic_slice(together, (slice(None), slice(first, end)))
            part = permute(part, (1, 0)) if one.side else part
            done[node] = part if part.type == node.type else rename(part, node.type.dims or ())
    return done


def _shared_factors(group: Sequence[Node]) -> list[_Factor] | None:
    """A factor of each product, which is the same matrix folded along the same axis."""
    for wanted in (_factor(group[0], side) for side in (0, 1)):
        factors = [[_factor(node, side) for side in (0, 1)] for node in group]
        found = [[one for one in both if one[:2] == wanted[:2]] for both in factors]
        if all(found):
            return [some[0] for some in found]
    return None


def _other(node: Node, factor: _Factor) -> Node:
    """The other factor of a product, as it is multiplied from the right."""
    x = _unnamed(node.inputs[1 - factor.side])
    return permute(x, (1, 0)) if factor.side else x


def _unnamed(node: Node) -> Node:
    return rename(node, (None, None)) if node.type.dims else node

"""Rules on merged dimensions: what folds cells, or keeps them apart, takes those that were merged.

``image.reshape(bands, -1)`` puts rows of pixels one behind the other, and a block of it has cells
of many tiles of the image. Sums and products over all pixels need no such order: they are taken
over the dimensions that were merged. So is what is parted again afterwards. The rules apply to data
that is stored in tiles; of whole rows, merged dimensions are cut as well as others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.products.tensordot import Labelled, arranged, contracted
from dask_tapestry.operators.reductions.bincount import BinCount, bincount, count_by_bin
from dask_tapestry.operators.reductions.monoids import ARG_REDUCTIONS
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import tree_over
from dask_tapestry.operators.views.reshape import Reshape, reshape
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.rules.tuning import LEFT_PART, MOST_MERGED_NODES
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import reapply
from dask_tapestry.teg.stored_grid import stored_cuts

Sides = tuple[int, ...]  # extents of the dimensions that were merged


class Parting(NamedTuple):
    """How values are parted, and what has become of them: by those and dimensions, one each.

    However many paths lead to a value, as from the steps of a loop, it is parted once.
    """

    sides: Sides
    shared: Shared
    known: dict[tuple[Node, int], Node | None]

    @classmethod
    def of(cls, sides: Sides, shared: Shared = frozenset()) -> Parting:
        return cls(sides, shared, {})


@on(Reduce)
def fold_before_merge(node: Node) -> Node | None:
    """``reduce(merged x) -> reduce(x)`` over the dimensions that were merged."""
    match node.operator:
        case Reduce() as whole if whole.is_plain and len(node.inputs) == 1:
            (y,) = node.inputs
        case _:
            return None
    for dim in whole.axes:
        sides = merged_sides(y, dim)
        if sides is None or (whole.monoid in ARG_REDUCTIONS and len(whole.axes) > 1):
            continue
        x = parted_value(y, dim, Parting.of(sides))
        if x is None:
            continue
        axes = [axis for d in whole.axes for axis in _places(d, dim, sides)]
        tree = tree_over(x, axes)
        if tree.lattice is not None:  # else cells are few, and have one sum however they are stored
            made = replace(whole, axes=tuple(axes), tree=tree)
            return apply(made, x, line=node.line or "", after=list(node.after))
    return None


@on(BinCount)
def count_before_merge(node: Node) -> Node | None:
    """``bincount(merged x) -> bincount(x)``, its weights parted too."""
    match node.operator:
        case BinCount() as whole if whole.is_whole:
            sides = merged_sides(node.inputs[0], 0)
        case _:
            return None
    if sides is None or node.inputs[0].type.ndim != 1:
        return None
    cells, *others = node.inputs
    edges = others[:1] if whole.even is not None else []
    how = Parting.of(sides)
    parted = [parted_value(x, 0, how) for x in (cells, *others[len(edges) :])]
    if None in parted:
        return None
    numbers, *weights = [x for x in parted if x is not None]
    if whole.even is None:
        made = bincount(numbers, whole.count, *weights, strict=whole.strict)
    else:
        made = count_by_bin(numbers, *edges, *weights, even=whole.even)
    assert isinstance(made.operator, BinCount)
    return made if made.operator.tree.lattice is not None or not weights else None


@on(Reshape, sharing=True)
def part_what_was_merged(node: Node, shared: Shared) -> Node | None:
    """``parted(f(merged x)) -> f(x)``, if dimensions are parted as they were before."""
    match node.operator:
        case Reshape(_, _, None) as parting:
            (y,) = node.inputs
        case _:
            return None
    for a, b, c, d in parting.groups:
        sides = parting.new[c:d]
        if b - a == 1 < d - c and merged_sides(y, a) == sides:
            x = parted_value(y, a, Parting.of(sides, shared))
            if x is not None:
                return reshape(x, node.type.shape)
    return None


@on(Reduce, MatMul, sharing=True)
def merge_what_is_left(node: Node, shared: Shared) -> Node | None:
    """``reduce(merged x) -> merged(reduce(x))`` over others, and so of products, if few are left.

    Their cells are put in a row after that, which are less than half of the bytes before.
    """
    most = max(x.type.nbytes for x in node.inputs)
    if LEFT_PART * node.type.nbytes > most:
        return None
    for dim in range(node.type.ndim):
        sides = merged_sides(node, dim)
        x = None if sides is None else parted_value(node, dim, Parting.of(sides, shared - {node}))
        if x is not None:
            return reshape(x, node.type.shape)
    return None


def merged_sides(y: Node, dim: int) -> Sides | None:
    """The dimensions that a dimension of `y` was merged of, if they are stored in tiles."""
    stack, seen = [(y, dim)], {(y, dim)}
    while stack and len(seen) < MOST_MERGED_NODES:
        node, at = stack.pop()
        match node.operator:
            case Reshape(old, new, None) as merge:
                for a, b, c, d in merge.groups:
                    if c == at and d - c == 1 < b - a and new[c]:
                        cuts = stored_cuts(node.inputs[0])[a + 1 : b]
                        if any(one is not None and one.count > 1 for one in cuts):
                            return old[a:b]
            case _:
                fresh = [one for one in _followed(node, at) if one not in seen]
                seen.update(fresh)
                stack += fresh
    return None


def _followed(node: Node, dim: int) -> list[tuple[Node, int]]:
    """The inputs whose cells a dimension keeps apart, each with the dimension that it follows."""
    match node.operator:
        case Elementwise():
            return [(x, dim) for x in node.inputs]
        case View() as view:
            return [(node.inputs[0], at) for at in _whole_axes(view, node.inputs[0], dim)]
        case Reduce() as fold if fold.is_plain:
            return [(x, _kept_axis(fold, dim)) for x in node.inputs]
        case MatMul(_, None) if dim >= node.type.ndim - 2:
            factor = node.inputs[dim - (node.type.ndim - 2)]
            return [(factor, dim)]
    return []


def parted_value(node: Node, dim: int, how: Parting) -> Node | None:
    """`node` with a dimension parted into those it was merged of; None where that is no use.

    Formulas are computed again for it where others read them merged, products and folds are not.
    """
    key = node, dim
    if key not in how.known:
        how.known[key] = _parted_once(node, dim, how)
    return how.known[key]


def _parted_once(node: Node, dim: int, how: Parting) -> Node | None:
    shape, sides = node.type.shape, how.sides
    if shape[dim] != prod(sides):
        return None
    parted = (*shape[:dim], *sides, *shape[dim + 1 :])
    match node.operator:
        case Reshape(old, _, None) as merge:
            is_merged = any(c == dim and old[a:b] == sides for a, b, c, _ in merge.groups)
            return reshape(node.inputs[0], parted) if is_merged else None
        case Full(type_, value) if type_.dims is None:
            return apply(Full(type_._replace(shape=parted), value))
        case Elementwise():
            inputs = [parted_value(x, dim, how) for x in node.inputs]
            return None if None in inputs else reapply(node, [x for x in inputs if x is not None])
        case View() as view:
            return _view_parted(view, node.inputs[0], dim, how)
        case Reduce() as fold if fold.is_plain and len(node.inputs) == 1 and node not in how.shared:
            x = parted_value(node.inputs[0], at := _kept_axis(fold, dim), how)
            axes = tuple([axis for d in fold.axes for axis in _places(d, at, sides)])
            return None if x is None else apply(replace(fold, axes=axes), x)
        case MatMul(_, None) if dim >= len(shape) - 2 and node not in how.shared:
            return _product_parted(node, dim, how)
    return None


def _view_parted(view: View, x: Node, dim: int, how: Parting) -> Node | None:
    sides = how.sides
    shape, more = (*view.shape[:dim], *sides, *view.shape[dim + 1 :]), len(sides) - 1
    axes = [a._replace(dim=a.dim + more) if a.dim > dim else a for a in view.axes]
    if not any(axis.dim == dim for axis in axes):
        return apply(View(shape, tuple(axes)), x)
    for at in _whole_axes(view, x, dim):
        inner = parted_value(x, at, how)
        if inner is not None:
            each = [ViewAxis(dim + n, 0, 1) for n in range(len(sides))]
            return apply(View(shape, (*axes[:at], *each, *axes[at + 1 :])), inner)
    return None


def _product_parted(node: Node, dim: int, how: Parting) -> Node | None:
    """A product whose rows, or columns, are parted; None if few are joined again to multiply."""
    inputs, first = list(node.inputs), node.type.ndim - 2
    number = dim - first
    factor = parted_value(inputs[number], dim, how)
    if factor is None:
        return None
    batch, apart = [f"b{n}" for n in range(first)], [f"p{n}" for n in range(len(how.sides))]
    rows, columns = (apart, ["n"]) if number == 0 else (["m"], apart)
    inputs[number] = factor
    x = Labelled(inputs[0], (*batch, *rows, "k"))
    w = Labelled(inputs[1], (*batch, "k", *columns))
    keep = [*batch, *rows, *columns]
    made = arranged(contracted(x, w, keep), keep)
    apart_too = _product_below(made).type.shape != node.type.shape
    return made if apart_too and made.type.dtype == node.type.dtype else None


def _product_below(node: Node) -> Node:
    """What a value is a view of, or the same cells in another shape."""
    while node.operator.is_selector and len(node.inputs) == 1:
        (node,) = node.inputs
    return node


def _places(dim: int, parted: int, sides: Sides) -> Sequence[int]:
    """Where a dimension is once another one is parted."""
    more = len(sides) - 1
    if dim == parted:
        return range(dim, dim + more + 1)
    return (dim + more if dim > parted else dim,)


def _kept_axis(fold: Reduce, dim: int) -> int:
    """The axis of what is folded that a dimension of the result is."""
    at = dim
    for axis in sorted(fold.axes):
        at += axis <= at
    return at


def _whole_axes(view: View, x: Node, dim: int) -> list[int]:
    """The axis that a view's dimension shows whole, if it shows one; no other one shows that."""
    found = [at for at, axis in enumerate(view.axes) if axis.dim == dim]
    whole = len(found) == 1 and view.axes[found[0]] == (dim, 0, 1)
    return found if whole and x.type.shape[found[0]] == view.shape[dim] else []


def has_merged_dims(graph: Graph) -> bool:
    """Whether a graph merges dimensions; the rules here apply to no other one."""
    return any(
        isinstance(node.operator, Reshape) and node.operator.new and _merges(node.operator)
        for node in graph
    )


def _merges(merge: Reshape) -> bool:
    return any(d - c == 1 < b - a for a, b, c, d in merge.groups)


MERGED_DIM_RULES = (
    fold_before_merge,
    count_before_merge,
    part_what_was_merged,
    merge_what_is_left,
)

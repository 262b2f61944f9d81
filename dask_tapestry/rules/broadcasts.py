"""Rules on reductions of equal cells: along broadcast dimensions, and of constants."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.formula_identities import FOLDED, constant
from dask_tapestry.teg import Node, apply

IDEMPOTENT_FOLDS: Final = frozenset("min max any all bitwise_and bitwise_or".split())
CHOOSING: Final = frozenset(("fmin", "fmax"))  # idempotent too, for floats in the tree's order
TOLD: Final = "fcmM"  # kinds of which folds that choose tell where no cell is a number
ADDING: Final = frozenset(("sum", "add", "prod"))  # of one integer they yield it
ORDERED: Final = "fcO"  # kinds whose least cell may have several bit patterns: two zeros, NaNs


class BroadcastReduction(NamedTuple):
    """A reduction of a view that is broadcast along some of the reduced axes."""

    rest: Reduce | None  # the reduction over the other axes
    cells: Node  # the input without the broadcast dimensions
    times: int  # how many copies there are of each of its cells


@on(Reduce)
def fold_of_broadcast(node: Node) -> Node | None:
    """``min|max|any|all(broadcast(x)) -> min|max|any|all(x)``.

    For floats only where all reduced axes are broadcast: which of two zeros, or NaNs, is the least
    depends on the order of the cells. A fold that tells of what it finds stays.
    """
    match node.operator:
        case Reduce(monoid) as whole if whole.is_plain and is_idempotent(whole, node.inputs[0]):
            spread = spread_of(whole, node.inputs[0])
            if (
                spread is None
                or not spread.times
                or (spread.rest is None and gives_numbers_of_lanes(whole))
            ):
                return None
            if spread.rest and monoid not in ("any", "all") and whole.state.kind in ORDERED:
                return None
            return as_written(folded(spread, whole), node)
    return None


@on(Reduce)
def sum_of_broadcast(node: Node) -> Node | None:
    """``sum(broadcast(x)) -> n * sum(x)``, n the number of copies; for integers, which wrap."""
    match node.operator:
        case Reduce("sum" | "add") as whole if whole.is_plain and whole.state.kind in "iu":
            return repeated(node, whole)
    return None


def is_idempotent(whole: Reduce, x: Node) -> bool:
    """Whether equal cells fold to one of them."""
    return whole.monoid in IDEMPOTENT_FOLDS | CHOOSING and x.type.dtype.kind in FOLDED


def gives_numbers_of_lanes(whole: Reduce) -> bool:
    """Whether a fold tells of lanes without numbers."""
    return whole.monoid in CHOOSING and whole.state.kind in TOLD


def of_one_is_itself(whole: Reduce, x: Node) -> bool:
    """Whether one cell folds to itself, cast to the result's dtype, and nothing is told of it."""
    adds = whole.monoid in ADDING and whole.state.kind in "iu"
    return adds or (is_idempotent(whole, x) and not gives_numbers_of_lanes(whole))


def repeated(node: Node, whole: Reduce) -> Node | None:
    """A sum of copies as a multiple of the sum of one of them."""
    spread = spread_of(whole, node.inputs[0])
    if spread is None or not spread.times:
        return None
    return as_written(
        elementwise("multiply", folded(spread, whole), count(spread.times, whole)), node
    )


def count(times: int, whole: Reduce) -> Any:
    """A number of cells in the dtype of a sum; for integers modulo its range."""
    if whole.dtype.kind in "iu":
        bits = 8 * whole.dtype.itemsize
        return np.array([times % 2**bits], f"u{whole.dtype.itemsize}").astype(whole.dtype)[0]
    return whole.dtype.type(times)


def folded(spread: BroadcastReduction, whole: Reduce) -> Node:
    """The reduction of the tensor without its copies."""
    return (
        astype(spread.cells, whole.dtype)
        if spread.rest is None
        else apply(spread.rest, spread.cells)
    )


def as_written(made: Node, node: Node) -> Node | None:
    """`made`, if it has the type of `node`; else None."""
    return made if made.type == node.type else None


def spread_of(whole: Reduce, x: Node) -> BroadcastReduction | None:
    """How a reduction reads copies of cells by a broadcast view; None where it does not."""
    match x.operator:
        case View() as view:
            same = set(view.broadcast) & set(whole.axes)
        case _:
            return None
    if not same:
        return None
    new_dim = {dim: n for n, dim in enumerate(d for d in range(x.type.ndim) if d not in same)}
    new_dim[-1] = -1
    shape = tuple(n for dim, n in enumerate(view.shape) if dim not in same)
    small = View(shape, tuple(ViewAxis(new_dim[a.dim], a.start, a.step) for a in view.axes))
    left = [n for n, axis in enumerate(whole.axes) if axis not in same]
    rest = None
    if left:
        axes = tuple([new_dim[whole.axes[n]] for n in left])
        rest = replace(whole, axes=axes, tree=whole.tree.over_axes(left))
    times = prod(view.shape[dim] for dim in same)
    return BroadcastReduction(rest, apply(small, *x.inputs), times)


@on(Reduce)
def fold_of_one_cell(node: Node) -> Node | None:
    """``min|max|any|all(x) -> x`` over axes of length one."""
    match node.operator:
        case Reduce() as whole if (
            whole.is_plain
            and set(whole.tree.extents) == {1}
            and of_one_is_itself(whole, node.inputs[0])
        ):
            (x,) = node.inputs
            kept = [dim for dim in range(x.type.ndim) if dim not in whole.axes]
            follows = {dim: n for n, dim in enumerate(kept)}
            seen = tuple(ViewAxis(follows.get(dim, -1), 0, 1) for dim in range(x.type.ndim))
            view = View(tuple(x.type.shape[dim] for dim in kept), seen)
            return as_written(astype(apply(view, x), whole.dtype), node)
    return None


@on(Reduce)
def fold_of_full(node: Node) -> Node | None:
    """``min|max|any|all(full(c)) -> full(c)``."""
    match node.operator, *(x.operator for x in node.inputs):
        case Reduce() as whole, Full() as full if (
            whole.is_plain and is_idempotent(whole, node.inputs[0]) and prod(whole.tree.extents) > 0
        ):
            value = full.type._replace(shape=node.type.shape, dims=node.type.dims)
            return as_written(astype(apply(Full(value, full.value)), whole.dtype), node)
    return None


@on(Reduce)
def sum_of_full(node: Node) -> Node | None:
    """``sum|mean(full(c)) -> full(n * c)|full(c)``, where no sum on the way is rounded."""
    match node.operator, *(x.operator for x in node.inputs):
        case Reduce() as whole, Full() as full if whole.is_plain and whole.monoid in (
            "sum",
            "mean",
        ):
            cells = prod(whole.tree.extents)
            total = exact_sum(full.scalar, cells, whole)
            if total is None:
                return None
            value = total if whole.monoid == "sum" else total / whole.state.type(cells)
            return constant(value, node.type)
    return None


def exact_sum(value: Any, times: int, whole: Reduce) -> Any:
    """The sum of equal cells, if it is the same in every order of additions; else None."""
    if not times or value.dtype.kind not in "biuf":
        return None
    if whole.state.kind in "iu" and value.dtype.kind != "f":
        return np.multiply(value.astype(whole.dtype), count(times, whole))
    if whole.state.kind != "f" or not np.isfinite(value.astype(whole.state)):
        return None
    cell = value.astype(whole.state)
    number = abs(cell.as_integer_ratio()[0])
    odd = number // (number & -number) if number else 0
    if odd * times > 2 ** (np.finfo(whole.state).nmant + 1):
        return None
    with np.errstate(all="ignore"):
        total = cell * whole.state.type(times) + whole.state.type(0)  # a sum is never -0.0
    return total if np.isfinite(total) else None


BROADCAST_RULES = (
    fold_of_broadcast,
    sum_of_broadcast,
    fold_of_one_cell,
    fold_of_full,
    sum_of_full,
)

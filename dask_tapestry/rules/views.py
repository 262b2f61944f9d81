"""Rules on selectors: every chain of them becomes one view."""

from __future__ import annotations

from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.operators.views.reshape import Reshape
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.rules.mosaics import MOSAIC_RULES
from dask_tapestry.rules.reshapes import RESHAPE_RULES
from dask_tapestry.rules.tuning import COSTLY_FLOPS
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.node import reapply


@on(ViewSelector)
def selector_as_view(node: Node) -> Node | None:
    """``permute|reverse|slice|squeeze|unsqueeze|broadcast(x) -> view(x)``."""
    match node.operator:
        case ViewSelector() as selector:
            return apply(selector.view(node.inputs[0].type), *node.inputs, line=node.line or "")
    return None


@on(View)
def compose_views(node: Node) -> Node | None:
    """``view(view(x)) -> view(x)``."""
    match node.operator, *(i.operator for i in node.inputs):
        case View() as outer, View() as inner:
            return apply(outer.composed_with(inner), *node.inputs[0].inputs, line=node.line or "")
    return None


@on(View)
def drop_identity_view(node: Node) -> Node | None:
    """``view(x) -> x`` where it changes nothing."""
    match node.operator:
        case View() as view if view.is_identity(node.inputs[0].type.shape):
            return node.inputs[0]
    return None


@on(View)
def view_of_full(node: Node) -> Node | None:
    """``view(full) -> full``."""
    match node.operator, *(i.operator for i in node.inputs):
        case View() as view, Full() as full:
            return apply(
                Full(full.type._replace(shape=view.shape, dims=node.type.dims), full.value)
            )
    return None


@on(View)
def lengths_of_one_in_order(node: Node) -> Node | None:
    """``view(x) -> view(x)``, whose dimensions of length one follow such axes of x in their order.

    What is read of an axis of one cell does not depend on which dimension it follows, or whether
    it follows any. So an exchange of such dimensions is not a view at all.
    """
    match node.operator:
        case View(shape, axes) as view if 1 in shape:
            alone = [i for i, axis in enumerate(axes) if axis.dim < 0 or shape[axis.dim] == 1]
            units = [dim for dim, n in enumerate(shape) if n == 1]
            follows = dict(zip(alone, units, strict=False))
            ordered = list(axes)
            for i in alone:
                ordered[i] = ViewAxis(follows.get(i, -1), axes[i].start, 1)
            if tuple(ordered) == view.axes:
                return None
            made = apply(View(shape, tuple(ordered)), *node.inputs, line=node.line or "")
            return made if made.type == node.type else None  # else it would lose dimension names
    return None


@on(Concat)
def drop_empty_from_concat(node: Node) -> Node | None:
    """``concat(x, empty, y) -> concat(x, y)``, ``concat(x) -> x``."""
    match node.operator:
        case Concat() as concat:
            filled = [x for x in node.inputs if x.type.shape[concat.axis]] or [node.inputs[0]]
            if len(filled) == 1:
                return filled[0]
            if len(filled) < len(node.inputs):
                return apply(concat, *filled, line=node.line or "")
    return None


@on(View, Reshape, sharing=True)
def selector_before_elementwise(node: Node, shared: Shared) -> Node | None:
    """``view|reshape(elementwise(f, x)) -> elementwise(f, view|reshape(x))``.

    Where each cell is taken once. Formulas on both sides of the selector can then be fused. A
    costly formula stays, as it would be computed once for each of its selectors; so does a slice,
    as several may share cells; and so does one with other readers whose cells are fewer bytes than
    what it is made of, as they are what is worth holding.
    """
    match node.operator, *(i.operator for i in node.inputs):
        case (View() | Reshape()) as selector, Elementwise(expression):
            once = selector.reads_once(node.input_types)[0] or isinstance(selector, Reshape)
            whole = node.type.size == node.inputs[0].type.size
            if not (once and whole) or expression.flops >= COSTLY_FLOPS:
                return None
            formula = node.inputs[0]
            if formula in shared and formula.type.nbytes < sum(
                x.type.nbytes for x in formula.inputs
            ):
                return None
            moved = [apply(selector, x, line="", form=node.form) for x in formula.inputs]
            return reapply(formula, moved)
    return None


VIEW_RULES = (
    selector_as_view,
    compose_views,
    drop_identity_view,
    view_of_full,
    lengths_of_one_in_order,
    drop_empty_from_concat,
    selector_before_elementwise,
    *MOSAIC_RULES,
    *RESHAPE_RULES,
)

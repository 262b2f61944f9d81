"""Rules on reshapes: two in a row are one, and dimensions of length one are left to views."""

from __future__ import annotations

from dask_tapestry.operators.views.reshape import Reshape, reshape
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.teg import Node, apply


@on(Reshape)
def compose_reshapes(node: Node) -> Node | None:
    """``reshape(reshape(x)) -> reshape(x)``."""
    match node.operator, *(i.operator for i in node.inputs):
        case Reshape(_, new, None), Reshape(_, _, None):
            return reshape(node.inputs[0].inputs[0], new)
    return None


@on(Reshape)
def reshape_as_view(node: Node) -> Node | None:
    """``reshape(x) -> view(x)``, where it only adds or drops dimensions of length one."""
    match node.operator:
        case Reshape(old, new, None) if node.type.size and longer_dims(old) == longer_dims(new):
            return typed(view_between(node.inputs[0], new, node.line), node)
    return None


@on(Reshape)
def reshape_without_ones(node: Node) -> Node | None:
    """``reshape(x) -> view(reshape(view(x)))``; only the views know dimensions of length one.

    So views before and after it become one with theirs, and reshapes that differ by such
    dimensions are one.
    """
    match node.operator:
        case Reshape(old, new, None) if node.type.size and 1 in (*old, *new):
            short = view_between(node.inputs[0], longer_dims(old), node.line)
            return typed(view_between(reshape(short, longer_dims(new)), new, node.line), node)
    return None


def longer_dims(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The extents that are not one."""
    return tuple([n for n in shape if n != 1])


def view_between(x: Node, shape: tuple[int, ...], line: str | None) -> Node:
    """`x` as a view of `shape`, whose other dimensions have length one; `x` itself if it has it."""
    if x.type.shape == shape:
        return x
    targets = iter([dim for dim, n in enumerate(shape) if n != 1])
    axes = tuple(ViewAxis(-1 if n == 1 else next(targets), 0, 1) for n in x.type.shape)
    return apply(View(shape, axes), x, line=line or "")


def typed(made: Node, node: Node) -> Node | None:
    """`made`, unless it has lost names of dimensions."""
    return made if made.type == node.type else None


RESHAPE_RULES = (compose_reshapes, reshape_as_view, reshape_without_ones)

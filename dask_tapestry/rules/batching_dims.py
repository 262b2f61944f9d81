"""Rules on gather and scatter: batching dimensions as coordinates in index vectors, and back.

A batching dimension is the same as a collapsed one whose part of each index vector is the vector's
own coordinate. Written so, as programs without batching dimensions do, nobody sees that the
dimension can be cut without communication; so the parts are taken out again where they are found.

Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter", "Compatibility".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.operators.cells.elementwise import Elementwise, astype
from dask_tapestry.operators.generators.arange import Arange
from dask_tapestry.operators.generators.coordinates import Coordinates, coordinates
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import Gather
from dask_tapestry.operators.indexing.scatter import Scatter
from dask_tapestry.operators.joins.concat import Concat, concat
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.rewrite.rule import on
from dask_tapestry.teg import Node, apply


@on(Gather, Scatter)
def decompose_batching(node: Node) -> Node | None:
    """``gather(x, i, batching) -> gather(x, concat(i, iota))``; in no pass, for other systems."""
    operator, place = node.operator, _indices_place(node)
    if not isinstance(operator, Gather | Scatter) or not operator.numbers.batching_dims:
        return None
    numbers, indices = operator.numbers, node.inputs[place]
    if numbers.vector_dim == indices.type.ndim:
        indices = unsqueeze(indices, numbers.vector_dim)
    sides = list(indices.type.shape)
    sides[numbers.vector_dim] = 1
    dtype = indices.type.dtype
    if not _holds(dtype, max(sides)):
        dtype = np.dtype(np.int64)
    iotas = [astype(coordinates(tuple(sides), dim), dtype) for dim in numbers.indices_batching_dims]
    joined = concat([astype(indices, dtype), *iotas], numbers.vector_dim)
    collapsed = tuple(sorted((*numbers.collapsed_dims, *numbers.batching_dims)))
    plain = replace(
        numbers,
        collapsed_dims=collapsed,
        batching_dims=(),
        indices_batching_dims=(),
        index_map=(*numbers.index_map, *numbers.batching_dims),
    )
    return _with_numbers(node, plain, joined)


@on(Gather, Scatter)
def recover_batching(node: Node) -> Node | None:
    """``gather(x, concat(i, iota)) -> gather(x, i, batching)``."""
    operator = node.operator
    if not isinstance(operator, Gather | Scatter):
        return None
    numbers, indices = operator.numbers, node.inputs[_indices_place(node)]
    other_parts: list[Node] = []
    pairs = list(zip(numbers.batching_dims, numbers.indices_batching_dims, strict=True))
    indexed_dims: list[int] = []
    for part, dims in _parts(numbers, indices):
        along = _batch_of(node, part, numbers, dims)
        if along is None or along in [other for _, other in pairs]:
            other_parts.append(part)
            indexed_dims += dims
        else:
            pairs.append((dims[0], along))
    if len(pairs) == len(numbers.batching_dims):
        return None
    joined = (
        concat(other_parts, numbers.vector_dim)
        if other_parts
        else _none_of(indices, numbers.vector_dim)
    )
    return _with_numbers(node, _batched(numbers, sorted(pairs), indexed_dims), joined)


def _parts(numbers: DimensionNumbers, indices: Node) -> list[tuple[Node, tuple[int, ...]]]:
    """What index vectors are joined of, and the operand's dimensions that each part is for."""
    if not isinstance(indices.operator, Concat) or indices.operator.axis != numbers.vector_dim:
        return [(indices, numbers.index_map)]
    parts, end = [], 0
    for part in indices.inputs:
        begin, end = end, end + part.type.shape[numbers.vector_dim]
        parts.append((part, numbers.index_map[begin:end]))
    return parts


def _none_of(indices: Node, vector_dim: int) -> Node:
    """Index vectors of length 0, as many as those given."""
    if vector_dim == indices.type.ndim:
        indices = unsqueeze(indices, vector_dim)
    none = [slice(None)] * indices.type.ndim
    none[vector_dim] = slice(0, 0)
    return basic_slice(indices, tuple(none))


def _batched(
    numbers: DimensionNumbers, pairs: Sequence[tuple[int, int]], index_map: Sequence[int]
) -> DimensionNumbers:
    """Numbers whose batching dimensions are `pairs`, of the operand's and the indices'."""
    batching = tuple(dim for dim, _ in pairs)
    return replace(
        numbers,
        collapsed_dims=tuple(dim for dim in numbers.collapsed_dims if dim not in batching),
        batching_dims=batching,
        indices_batching_dims=tuple(other for _, other in pairs),
        index_map=tuple(index_map),
    )


def _batch_of(node: Node, part: Node, numbers: DimensionNumbers, dims: Sequence[int]) -> int | None:
    """Dimension of the indices that a part of the vectors, for `dims`, says the coordinate of.

    None where it says anything else, or that is no batch of the operand's dimension.
    """
    if len(dims) != 1 or dims[0] not in numbers.collapsed_dims:
        return None
    along = counted_along(part)
    if along is None or along == numbers.vector_dim:
        return None
    return along if part.type.shape[along] == node.inputs[0].type.shape[dims[0]] else None


def counted_along(x: Node) -> int | None:
    """The dimension whose coordinate every cell of `x` is; None where there is none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> counted_along(dt.broadcast_to(dt.arange(3)[:, None], (2, 3, 4)).node)
    1
    """
    operator = x.operator
    if isinstance(operator, Coordinates):
        return operator.axis if (operator.places.start, operator.places.step) == (0, 1) else None
    if isinstance(operator, Arange):
        return 0 if _counts(operator) else None
    if len(x.inputs) != 1:
        return None
    (inner,) = x.inputs
    if isinstance(operator, View | ViewSelector):
        dim = counted_along(inner)
        view = operator if isinstance(operator, View) else operator.view(inner.type)
        return None if dim is None else _followed(view.axes[dim])
    if isinstance(operator, Elementwise) and x.type.dtype.kind in "iu":
        steps = [step.function for step in operator.expression.steps]
        dim = counted_along(inner) if steps == ["cast"] else None
        return dim if dim is not None and _holds(x.type.dtype, x.type.shape[dim]) else None
    return None


def _holds(dtype: np.dtype[Any], count: int) -> bool:
    """Whether an integer dtype holds the numbers below `count`."""
    return count - 1 <= int(np.iinfo(dtype).max)


def _counts(line: Arange) -> bool:
    """Whether it is 0, 1, 2, ..."""
    if line.dtype.kind not in "iu" or line.places.start:
        return False
    first, delta = (int(np.frombuffer(n, line.dtype)[0]) for n in (line.first, line.delta))
    return first == 0 and delta * line.places.step == 1


def _followed(axis: ViewAxis) -> int | None:
    """The dimension along which a view reads an axis as it is, from its first cell on."""
    return axis.dim if axis.dim >= 0 and (axis.start, axis.step) == (0, 1) else None


def _indices_place(node: Node) -> int:
    """Which input holds the index vectors."""
    return node.operator.count if isinstance(node.operator, Scatter) else 1


def _with_numbers(node: Node, numbers: DimensionNumbers, indices: Node) -> Node:
    """The node with other numbers and indices."""
    assert isinstance(node.operator, Gather | Scatter)
    place = _indices_place(node)
    inputs = (*node.inputs[:place], indices, *node.inputs[place + 1 :])
    return apply(replace(node.operator, numbers=numbers), *inputs)


BATCHING_RULES = (recover_batching,)

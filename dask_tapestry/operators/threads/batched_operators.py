"""Batched: operators as they are applied to many inputs at once, along new leading dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_function import CellFunction
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.scans.scan import Scan
from dask_tapestry.operators.sorting.sort import ArgSort, Sort
from dask_tapestry.operators.views.reshape import Reshape
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Node, Operator, TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.devices import kernels_of

Block = Any  # an array; of an operator with several outputs what its kernel returns


def computed_batch(node: Node, inputs: Sequence[Block], rank: int) -> Block:
    """The values of `node` for a batch of values of each of its inputs.

    The batch is along the first `rank` dimensions, of length 1 where an input is the same for all.
    An operator that has no form for a batch is computed for one after the other.
    """
    shape = broadcast_shape([x.shape[:rank] for x in inputs])
    operator = batched(node.operator, node.input_types, shape)
    given = [np.broadcast_to(x, (*shape, *x.shape[rank:])) for x in inputs]
    if operator is None:
        return _one_by_one(node, given, shape)
    types = tuple(TensorType(x.shape, x.dtype) for x in given)
    return called_whole(operator, types, kernels_of("cpu"))(given)


def batched(operator: Operator, types: Types, shape: tuple[int, ...]) -> Operator | None:
    """An operator for inputs with leading dimensions of `shape`; None if there is none.

    A view's value for a batch is a view; of a reduction the axes move.
    """
    rank = len(shape)
    if isinstance(operator, Elementwise | CellFunction):
        return operator
    if isinstance(operator, MatMul) and operator.part is None:
        return operator
    if isinstance(operator, Reduce) and operator.source is None and operator.target is None:
        return replace(operator, axes=tuple(axis + rank for axis in operator.axes))
    if isinstance(operator, Sort | ArgSort | Scan | Concat):
        return replace(operator, axis=operator.axis + rank)
    if isinstance(operator, Reshape):
        return _reshaped(operator, shape)
    return batched_view(operator, types, shape)


def batched_view(operator: Operator, types: Types, shape: tuple[int, ...]) -> View | None:
    """The view that an operator is, with leading dimensions of `shape`; None if it is none."""
    rank = len(shape)
    view = operator.view(types[0]) if isinstance(operator, ViewSelector) else operator
    if not isinstance(view, View):
        return None
    lead = [ViewAxis(dim, 0, 1) for dim in range(rank)]
    axes = [axis._replace(dim=axis.dim + rank if axis.dim >= 0 else -1) for axis in view.axes]
    return View((*shape, *view.shape), (*lead, *axes))


def _reshaped(operator: Reshape, shape: tuple[int, ...]) -> Reshape:
    """A reshape of each of a batch: its leading dimensions are groups of their own."""
    old, new = (*shape, *operator.old), (*shape, *operator.new)
    if operator.window is None or operator.held is None:
        return Reshape(old, new)
    none = (0,) * len(shape)
    window, held = (
        ZRange((*none, *box.lo), (*shape, *box.hi)) for box in (operator.window, operator.held)
    )
    return Reshape(old, new, window, held)


def _one_by_one(node: Node, given: Sequence[Block], shape: tuple[int, ...]) -> Block:
    kernel, stacked_result = called_whole(node.operator, node.input_types, kernels_of("cpu")), None
    for index in np.ndindex(shape):
        block = kernel([x[index] if x.dtype.hasobject else x[(*index, ...)] for x in given])
        if stacked_result is None and isinstance(block, np.ndarray):
            stacked_result = np.empty((*shape, *block.shape), block.dtype)
        elif stacked_result is None:
            stacked_result = np.empty(shape, object)
        stacked_result[index] = block
    return stacked_result


def called_whole(
    operator: Operator, types: Types, kernels: Mapping[str, Callable[..., Any]]
) -> Callable[[Sequence[Block]], Block]:
    """A function of whole inputs that yields the whole value of an operator, by some kernels."""
    box = operator.infer(*types).box
    reads = operator.pieces(types, box)
    options = operator.arguments(types, box, tuple(need for _, need in reads))
    kernel = kernels[operator.kernel]
    cuts = [(number, (*need.slices(), ...)) for number, need in reads]

    def run(inputs: Sequence[Block]) -> Block:
        pieces = [
            inputs[number] if isinstance(inputs[number], Collected) else inputs[number][cut]
            for number, cut in cuts
        ]
        return kernel(None, *pieces, **options)

    return run

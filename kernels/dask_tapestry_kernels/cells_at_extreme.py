"""Cells at extremes: the place of the first extreme along an axis, and what lies there elsewhere.

Each device has the same steps: its own fold finds places, and cells are taken at them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry_kernels.fold_part import FoldPart
from dask_tapestry_kernels.kernel_table import Kernel

Block = Any  # an array of host or device; of nodes, one of fields


class CarriedCells(NamedTuple):
    """What is taken where an extreme is.

    Attributes
    ----------
    reads
        Numbers of the blocks that it is made of.
    expression
        The formula of their cells; None for those of the one block as they are.
    """

    reads: tuple[int, ...]
    expression: Any


class Score(NamedTuple):
    """What is folded.

    Attributes
    ----------
    reads
        Numbers of the blocks that it is made of.
    fold
        The fields of `FoldPart`, whose formula is of these blocks.
    """

    reads: tuple[int, ...]
    fold: Mapping[str, Any]


class DeviceKernels(NamedTuple):
    """The kernels of a device that the steps are made of."""

    reduce: Kernel
    take_along: Kernel
    evaluate: Kernel


def cells_at_extreme(
    kernels: DeviceKernels,
    blocks: Sequence[Block],
    score: Score,
    carried: Sequence[CarriedCells],
    count: int,
) -> list[Block]:
    """Nodes or places of a fold to places along one axis, and the cells that lie there.

    Parameters
    ----------
    blocks
        Cells; or one block of nodes, with the fields ``at``, ``f0``, ``f1``...
    score
        What is folded.
    carried
        What is taken; of nodes it is taken already.
    count
        How much is taken.
    """
    part = FoldPart(**score.fold)
    (axis,), (origin,) = part.axes, part.origin
    if part.source is None:
        nodes = kernels.reduce(None, *[blocks[i] for i in score.reads], **score.fold)
        places = _places(nodes, part)
        places = places - origin if origin else places
        return [nodes, *[_taken(kernels, blocks, one, places, axis) for one in carried]]
    (before,) = blocks
    nodes = kernels.reduce(None, before["at"], **score.fold)
    (start,), (side,) = part.tree.offset, part.tree.sides(part.source)
    numbers = (_places(nodes, part) - start) // side - origin
    fields = [before[f"f{number}"] for number in range(count)]
    every = CarriedCells((0,), None)
    return [nodes, *[_taken(kernels, [field], every, numbers, axis) for field in fields]]


def _places(nodes: Block, part: FoldPart) -> Block:
    """Places, with the folded axis."""
    if part.target is not None:
        return nodes["place"]
    (axis,) = part.axes
    return nodes.reshape((*nodes.shape[:axis], 1, *nodes.shape[axis:]))


def _taken(
    kernels: DeviceKernels, blocks: Sequence[Block], what: CarriedCells, places: Block, axis: int
) -> Block:
    """The cells of a formula at places along an axis of its blocks."""
    operands = [
        kernels.take_along(None, blocks[i], places, axis=axis, extent=blocks[i].shape[axis])
        for i in what.reads
    ]
    if what.expression is None:
        return operands[0]
    return kernels.evaluate(None, *operands, expression=what.expression)


def shaped(parts: Sequence[Block], fold: Mapping[str, Any]) -> tuple[np.dtype[Any], list[Block]]:
    """The dtype of nodes or values with those fields, and their blocks in its order."""
    part = FoldPart(**fold)
    nodes, *cells = parts
    if part.target is None:
        cells = [cell.reshape(nodes.shape) for cell in cells]
    names = ["at", *[f"f{number}" for number in range(len(cells))]]
    found = [nodes, *cells]
    return np.dtype([(n, b.dtype) for n, b in zip(names, found, strict=True)]), found

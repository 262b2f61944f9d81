"""Threads whose body is one formula of views: on a device all of them are one launch.

A value is not computed but kept as a formula of blocks, which have a dimension for each id of the
threads and then those of a thread's value. What only moves cells moves those of the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from dask_tapestry.cells import CellBuilder, CellExpression, identity
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.threads.batched_operators import batched_view
from dask_tapestry.teg import Node, TensorType

Block = Any  # an array on a device
Kernel = Callable[..., Block]
Strided = Callable[[Block, Sequence[int], Sequence[int]], Block]


class ThreadFormula(NamedTuple):
    """A value of all threads: an expression of the cells of blocks, which lie as they are read.

    Along the ids of the threads a block is of length 1 where they all read the same.
    """

    expression: CellExpression
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, block: Block) -> ThreadFormula:
        """The cells of a block themselves."""
        return cls(identity(block.dtype), (block,))


def is_fused(node: Node) -> bool:
    """Whether the values of a node are formulas, given those of its inputs."""
    return (
        isinstance(node.operator, Elementwise)
        or batched_view(node.operator, node.input_types, ()) is not None
    )


def fused(node: Node, inputs: Sequence[ThreadFormula], rank: int, view: Kernel) -> ThreadFormula:
    """The values of a node for all threads, whose ids are the first `rank` dimensions.

    `view` is the device's kernel of views.
    """
    if isinstance(node.operator, Elementwise):
        return joined_formula(node.operator.expression, inputs)
    (cells,) = inputs
    return ThreadFormula(
        cells.expression, tuple([_seen(node, x, rank, view) for x in cells.blocks])
    )


def joined_formula(expression: CellExpression, inputs: Sequence[ThreadFormula]) -> ThreadFormula:
    """An expression of the values of other ones; a block that several read is read once."""
    blocks: list[Block] = []
    position: dict[int, int] = {}
    for block in [block for cells in inputs for block in cells.blocks]:
        if id(block) not in position:
            position[id(block)] = len(blocks)
            blocks.append(block)
    builder = CellBuilder([block.dtype for block in blocks])
    numbers = [
        builder.inline(cells.expression, [position[id(block)] for block in cells.blocks])
        for cells in inputs
    ]
    return ThreadFormula(builder.finish(builder.inline(expression, numbers)), tuple(blocks))


def _seen(node: Node, block: Block, rank: int, view: Kernel) -> Block:
    """The view that a node is, of each of a batch of values."""
    operator = batched_view(node.operator, node.input_types, tuple(block.shape[:rank]))
    assert operator is not None
    type_ = TensorType(tuple(block.shape), block.dtype)
    box = operator.infer(type_).box
    ((_, need),) = operator.pieces((type_,), box)
    cells = block[(*need.slices(), ...)]
    return view(None, cells, **operator.arguments((type_,), box, (need,)))


def written(cells: ThreadFormula, places: Block, strided: Strided, kernel: Kernel) -> None:
    """Compute the values of all threads into `places`, in one launch of the kernel of formulas."""
    shape = tuple(places.shape)
    if not prod(shape):
        return
    blocks = [strided(block, shape, spread(block, shape)) for block in cells.blocks]
    made = kernel(places, *blocks, expression=cells.expression)
    if made is not places:
        places[...] = made


def spread(block: Block, shape: Sequence[int]) -> list[int]:
    """Strides of a block of as many dimensions that is repeated to a shape.

    Examples
    --------
    >>> import numpy as np
    >>> spread(np.zeros((1, 3)), (4, 3))
    [0, 8]
    """
    own = zip(block.shape, block.strides, shape, strict=True)
    return [0 if n == 1 != side else stride for n, stride, side in own]

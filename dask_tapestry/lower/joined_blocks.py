"""Joined blocks: those that lie side by side in one array are a view of it together, no copy.

Where each block of a step reads all blocks of another, as after a transform along one axis comes
one along the other, all of these live until the last reader ends. In one array they are no more
memory, and readers copy nothing: a transform of 10,000 x 10,000 cells along both axes copied 1.6 GB
into fresh memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from dask_tapestry.lower.result_buffer import Block, ResultBuffer
from dask_tapestry.lower.tuning import LEAST_JOINED_BYTES
from dask_tapestry.teg import Node, Sink
from dask_tapestry.zspace import ZRange, block_box, block_range

if TYPE_CHECKING:
    from dask_tapestry.planner.cost.step import Step


def joined(hull: ZRange, boxes: Sequence[ZRange], blocks: Sequence[Block]) -> Block | None:
    """The cells `hull` as a view, if `blocks`, which tile it, lie so in one array; else None.

    Parameters
    ----------
    held
        The box of each block.

    Examples
    --------
    >>> whole = np.arange(6.0).reshape(2, 3)
    >>> boxes = [ZRange((0, 0), (2, 1)), ZRange((0, 1), (2, 3))]
    >>> view = joined(ZRange((0, 0), (2, 3)), boxes, [whole[:, :1], whole[:, 1:]])
    >>> view is not None and np.shares_memory(view, whole)
    True
    """
    first = blocks[0]
    if not isinstance(first, np.ndarray) or not isinstance(first.base, np.ndarray):
        return None
    base, strides = first.base, first.strides
    if first.dtype.hasobject or not base.flags.forc:
        return None
    begin = _begin(first, boxes[0], hull)
    for block, box in zip(blocks[1:], boxes[1:], strict=True):
        if not isinstance(block, np.ndarray) or block.base is not base:
            return None
        if (block.strides, block.dtype) != (strides, first.dtype):
            return None
        if _begin(block, box, hull) != begin:
            return None
    cells = base.reshape(-1, order="A").view(np.uint8)
    view: Block = np.ndarray(hull.shape, first.dtype, cells, begin - _address(base), strides)
    view.flags.writeable = first.flags.writeable
    return view


def _begin(block: Block, box: ZRange, hull: ZRange) -> int:
    """Where the cells of the hull begin, if they lie as the block's do."""
    steps = zip(box.lo, hull.lo, block.strides, strict=True)
    return _address(block) - sum((at - lo) * stride for at, lo, stride in steps)


def _address(block: Block) -> int:
    return int(block.__array_interface__["data"][0])


def buffers_between(steps: Mapping[Node, Step]) -> dict[Node, ResultBuffer]:
    """Buffers for the values of which each block of some step reads all blocks.

    Parameters
    ----------
    steps
        By the value that each computes.
    """
    return {x: ResultBuffer(x.type, kept=False) for x in values_to_join(steps)}


def lie_in_a_row(step: Step) -> bool:
    """Whether the blocks of a value, each whole, lie one behind the other in an array of all.

    So they do where it is cut along its first dimension alone. Who reads several of them, as each
    step of an iteration over an array that is kept, then copies nothing.
    """
    node, dtype = step.node, step.node.type.dtype
    if isinstance(node.operator, Sink) or node.format is not None or step.count == 1:
        return False
    if not isinstance(dtype, np.dtype) or dtype.hasobject or node.type.nbytes < LEAST_JOINED_BYTES:
        return False
    return all(cuts.count == 1 for cuts in step.cuts[1:])


def values_to_join(steps: Mapping[Node, Step]) -> list[Node]:
    """The values of which each block of some step reads all blocks, in the order of readers."""
    found: dict[Node, None] = {}
    for step in steps.values():
        if not step.program.instructions:
            continue
        needs = step.program.input_boxes(block_box(step.cuts, (0,) * len(step.cuts)))
        for x, boxes in zip(step.inputs, needs, strict=True):
            producer = steps.get(x)
            if producer is not None and producer is not step and _is_shared(producer, boxes):
                found[x] = None
    return list(found)


def share_results(steps: Mapping[Node, Step], buffers: dict[Node, ResultBuffer]) -> None:
    """Let values lie where the results come that replace them, block for block.

    Parameters
    ----------
    buffers
        Of results, and of values between; those of the latter become those of their only reader.
    """
    readers = Counter(x for step in steps.values() for x in dict.fromkeys(step.inputs))
    for node, step in reversed(list(steps.items())):
        x = step.inputs[0] if step.inputs else node
        if node not in buffers or x not in buffers or buffers[x].kept or readers[x] > 1:
            continue
        if x.type == node.type and _replaces_what_it_reads(step):
            buffers[x] = buffers[node]


def _replaces_what_it_reads(step: Step) -> bool:
    """Whether each block reads those cells alone that it computes, and may write where it reads."""
    if len(step.program.instructions) != 1 or not step.program.instructions[0].operator.in_place:
        return False
    ends = ((0,) * len(step.cuts), tuple([c.count - 1 for c in step.cuts]))
    boxes = [block_box(step.cuts, end) for end in ends]
    return all(step.program.input_boxes(box) == ((box,),) for box in boxes)


def _is_shared(producer: Step, boxes: Sequence[ZRange]) -> bool:
    """Whether a block that reads `boxes` reads all blocks of a step, each an array of numbers."""
    type_ = producer.node.type
    if producer.node.format is not None:
        return False
    if producer.count == 1 or len(boxes) != 1 or boxes[0].is_empty:
        return False
    if (
        not isinstance(type_.dtype, np.dtype)
        or type_.dtype.hasobject
        or type_.nbytes < LEAST_JOINED_BYTES
    ):
        return False
    return prod(map(len, block_range(producer.cuts, boxes[0]))) == producer.count

"""Picks: whether the cells that a mask selects are kept by who counts them, beside the mask.

They are where the mask reads all that they are made of: who picks them later reads it once more.
"""

from __future__ import annotations

from math import prod

from dask_tapestry.arrays.tuning import MASK_NODES
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import ZRange

Reads = dict[Tensor, ZRange]  # the cells that are read of each stored array, in whole chunks


def are_worth_keeping(x: Tensor, mask: Tensor) -> bool:
    """Whether cells of `x` that a mask selects are kept as it is counted.

    Not where nothing is read that is decoded or comes from elsewhere: memory, and cells in files of
    this machine, are read once more in no more time than is taken to keep what is picked.
    """
    if x.format is not None or mask.format is not None or x.type.dtype.hasobject:
        return False
    wanted, read = _reads(x), _reads(mask)
    return bool(wanted) and all(
        source in read and read[source].contains(box) for source, box in wanted.items()
    )


def _reads(x: Tensor) -> Reads:
    """What is read for all cells of `x` of stored arrays; of too many nodes nothing is known."""
    if not _is_made_of_few(x):
        return {}
    boxes, reads = {x: x.type.box}, Reads()
    for node in reversed(topological([x])):
        box, operator = boxes.get(node), node.operator
        if box is None or box.is_empty:
            continue
        if isinstance(operator, ChunkedSource):
            if not operator.is_plain:
                reads[node] = _whole_chunks(box, operator.read_sides, node)
            continue
        for number, part in operator.pieces(node.input_types, box):
            read = node.inputs[number]
            boxes[read] = boxes[read].hull(part) if read in boxes else part
    return reads


def _is_made_of_few(x: Tensor) -> bool:
    stack, seen = [x], {x}
    while stack and len(seen) < MASK_NODES:
        one = stack.pop()
        new = [n for n in (*one.inputs, *one.after) if n not in seen]
        seen.update(new)
        stack += new
    return not stack


def _whole_chunks(box: ZRange, sides: tuple[int, ...] | None, x: Tensor) -> ZRange:
    """The box grown to chunks of these sides, which end with `x`."""
    if sides is None or not prod(sides):
        return box
    edges = zip(box.lo, box.hi, sides, x.type.shape, strict=True)
    pairs = [(lo // side * side, min(-(-hi // side) * side, n)) for lo, hi, side, n in edges]
    return ZRange(tuple(lo for lo, _ in pairs), tuple(hi for _, hi in pairs))

"""Nominal chunks: the chunks of a value that a user sees, whatever its plan cuts.

They are a function of the expression, never of workers: what the user said, else the grid in which
data is stored, else a canonical grid, which `block-bytes` sizes; and they pass through operators
(`chunking`).
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from weakref import WeakKeyDictionary

from dask_tapestry.settings import block_bytes
from dask_tapestry.teg.chunking import AxisChunks, Chunks, Known
from dask_tapestry.teg.node import Node
from dask_tapestry.teg.operator import Operator
from dask_tapestry.teg.tuning import MOST_NOMINAL_GROWTH, WORKING_SET_SHARE
from dask_tapestry.teg.types import TensorType, Types
from dask_tapestry.zspace import Cuts, fitting_sides

_known: WeakKeyDictionary[Node, dict[int, Chunks]] = (
    WeakKeyDictionary()
)  # by node, bytes of a chunk


def nominal_cuts(node: Node) -> tuple[Cuts, ...]:
    """Nominal chunks of a tensor.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones((6, 9), chunks=(4, 2))
    >>> [str(cuts) for cuts in nominal_cuts((x + 1).T.node)]
    ['5x2', '2x4']
    """
    return tuple(one.cuts for one in nominal_chunks(node))


def nominal_chunks(node: Node) -> Chunks:
    """Nominal chunks of a tensor, and along which axes somebody has said them."""
    return _chunks(node, chunk_bytes())


def chunk_bytes() -> int:
    """Bytes of a canonical chunk."""
    return max(1, block_bytes() // WORKING_SET_SHARE)


def _chunks(node: Node, most: int) -> Chunks:
    """Chunks of a node, its inputs' first: without recursion, as chains may be long."""
    stack = [node]
    while stack:
        top = stack[-1]
        chunks_by_most = _known.setdefault(top, {})
        inputs = () if top.operator.tells_chunks else top.inputs
        missing = [x for x in inputs if most not in _known.get(x, {})]
        if most in chunks_by_most or not missing:
            stack.pop()
            if most not in chunks_by_most:
                chunks_by_most[most] = _chunks_over(
                    top, tuple([_known[x][most] for x in inputs]), most
                )
        stack += missing
    return _known[node][most]


def _chunks_over(node: Node, chunks: tuple[Chunks, ...], most: int) -> Chunks:
    """Chunks of a node whose inputs have `chunks`."""
    if chunks:
        return _passed(node.operator, node.input_types, chunks, most)
    return _completed(node.operator.nominal(node.input_types, chunks), node.type, most)


@lru_cache(maxsize=4096)  # steps of a loop are alike
def _passed(operator: Operator, inputs: Types, chunks: tuple[Chunks, ...], most: int) -> Chunks:
    """Chunks that pass through an operator."""
    return _completed(operator.nominal(inputs, chunks), operator.infer(*inputs), most)


def _completed(along: Known, type_: TensorType, most: int) -> Chunks:
    """Chunks along all axes: those that no input tells are cut until a chunk is small enough.

    So are chunks that nobody said, where operators have made them too large.
    """
    all_chunks = [
        AxisChunks(Cuts.regular(n, max(1, n)), False) if chunks is None else chunks
        for n, chunks in zip(type_.shape, along, strict=True)
    ]
    size = prod(chunks.cuts.longest for chunks in all_chunks) * max(1, type_.dtype.itemsize)
    free = [
        axis
        for axis, (chunks, given_chunks) in enumerate(zip(all_chunks, along, strict=True))
        if given_chunks is None or (not chunks.said and size > MOST_NOMINAL_GROWTH * most)
    ]
    sides = [chunks.cuts.longest for chunks in all_chunks]
    fitting = fitting_sides(sides, free, most // max(1, type_.dtype.itemsize))
    return tuple(
        chunks
        if side >= chunks.cuts.longest
        else AxisChunks(Cuts.regular(chunks.cuts.extent, side), False)
        for side, chunks in zip(fitting, all_chunks, strict=True)
    )

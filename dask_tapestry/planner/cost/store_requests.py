"""Requests to stores: chunks that are opened, each of which takes time whatever its size."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Sink, Source, TensorType
from dask_tapestry.zspace import Cuts, ZRange


def block_requests(program: Program, box: ZRange) -> tuple[float, float]:
    """Stored chunks that the cells `box` of a program's output are read from, and written to."""
    chunks_read = chunks_written = 0.0
    first, lasting = len(program.inputs), program.lasting
    for value, own, _ in program.schedule(box).works:
        operator, _, _, type_, *_ = program.instructions[value - first]
        if lasting[value - first].is_source and isinstance(operator, Source):
            chunks = operator.chunk_cuts
            met = _chunks_met(own, chunks) if chunks is not None else 0
            chunks_read += met * program.asked_shares.get(value, 1.0)
        elif lasting[value - first].is_sink and isinstance(operator, Sink):
            whole = set(operator.chunks) <= {1}  # it has no pieces: a box is written at once
            size = own.size * type_.dtype.itemsize
            chunks_written += 1.0 if whole else size / _chunk_bytes(operator.chunks, type_)
    return chunks_read, chunks_written


def _chunks_met(box: ZRange, chunks: Sequence[Cuts]) -> int:
    if box.is_empty:
        return 0
    met = [cuts.overlapping(*span) for cuts, *span in zip(chunks, box.lo, box.hi, strict=True)]
    return prod([end - first for first, end in met])


def _chunk_bytes(sides: tuple[int, ...], type_: TensorType) -> int:
    shape = [min(side, n) for side, n in zip(sides, type_.shape, strict=True)]
    return max(1, prod(shape) * type_.dtype.itemsize)

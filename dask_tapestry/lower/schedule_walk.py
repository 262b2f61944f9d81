"""The walk: the entries of a block's schedule, run in order until the block is computed."""

from __future__ import annotations

from typing import Any

from dask_tapestry.lower.frame import Frame
from dask_tapestry.lower.piece_run import PieceRun
from dask_tapestry.lower.tile_run import TileRun
from dask_tapestry.lower.values_until_last_use import ValuesUntilLastUse
from dask_tapestry.steps.block_schedule import LoopEntry, TileEntry
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry_kernels.block_format import with_all_cells
from dask_tapestry_kernels.stopping import stop_if_asked


def walk(frame: Frame) -> Any:
    """Run the entries of a frame, with the frames of each loop among them, and return the output.

    A computation calls one instruction. A loop runs the frames of its pieces, which write into its
    result, and then what completes that.
    """
    values, entries, out = frame
    last = values.last
    for entry in entries:
        stop_if_asked()
        if isinstance(entry, Work):
            if not values.is_computed(entry):
                values.compute(entry, out if entry.value == last else None)
            continue
        loop = _begun(entry, values, out if entry.work.value == last else None)
        for piece in loop.frames():
            block = walk(piece)
            if piece.out is not None and block is not piece.out:
                piece.out[...] = with_all_cells(block)
        completion = loop.completion()
        values.keep(entry.work, loop.result if completion is None else walk(completion))
    return values.output()


def _begun(entry: LoopEntry | TileEntry, held: ValuesUntilLastUse, out: Any) -> PieceRun | TileRun:
    """A loop that is about to run."""
    if isinstance(entry, LoopEntry):
        return PieceRun(entry, held, out)
    return TileRun(entry, held, out)

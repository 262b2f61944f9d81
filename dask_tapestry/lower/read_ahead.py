"""Reading ahead: what the next piece reads from stores is read while a piece is computed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from dask_tapestry.idle_threads import busy_thread, threads_known, waiting_thread
from dask_tapestry.lower.values_until_last_use import Blocks, ValuesUntilLastUse
from dask_tapestry.steps.block_schedule import PieceLoop
from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.store_reads import read_from_stores
from dask_tapestry.zspace import ZRange


def pieces_with_reads(loop: PieceLoop) -> Iterator[tuple[ZRange, Blocks]]:
    """The pieces, each with what was read for it while the one before was computed."""
    if not loop.ahead:
        for piece in loop.pieces:
            yield piece, {}
        return
    pieces, threads = list(loop.pieces), threads_known()
    with ThreadPoolExecutor(1, "tapestry-ahead") as reader:
        reading = reader.submit(_read, loop.program, pieces[0], threads)
        for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
            with waiting_thread():
                read = reading.result()
            if after is not None:
                reading = reader.submit(_read, loop.program, after, threads)
            yield piece, read


def _read(program: Program, piece: ZRange, threads: int) -> Blocks:
    """What a piece reads from stores, by one of so many threads of this process."""
    held = ValuesUntilLastUse(program, InstructionSchedule(program.schedule(piece).boxes, ()), {})
    with busy_thread(threads):
        for work in read_from_stores(program, piece):
            held.compute(work, None)
    return held.blocks

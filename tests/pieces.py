"""Blocks in small pieces: what is computed in turns only where it is large, for few cells."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

import pytest

from dask_tapestry.planner.cost import footprint
from dask_tapestry.steps import block_schedule, parts, program, streaming, windows

REMEMBERED = (
    streaming.in_turns,
    streaming.may_stream,
    streaming._block_schedule,
    footprint._own_needs,
    footprint._needs_of,
)


@contextmanager
def pieces_of(size: int, always: bool = True) -> Iterator[None]:
    """Compute in turns what takes more than `size` bytes, whether that saves memory or not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "PIECE_BYTES", size)
        patch.setattr(parts, "PARTIAL_SHARE", 0.25)
        for module in (block_schedule, streaming, windows):
            patch.setattr(module, "LARGE_WINDOW_BYTES", 16 * size)
        if always:
            patch.setattr(streaming, "WORTHWHILE_SHARE", inf)
        _forget()
        yield
    _forget()


def _forget() -> None:
    for remembered in REMEMBERED:
        remembered.cache_clear()

"""Jobs that fail or are killed, and what they write and call until then."""

from __future__ import annotations

from collections import Counter
from itertools import product
from threading import Lock
from typing import Any

import numpy as np

from dask_tapestry.io.chunks.zarr_chunk_io import write_box
from dask_tapestry.io.sinks import zarr_sink
from dask_tapestry.io.targets import zarr_target


class Tripping:
    """A function of blocks that fails from call number `after` on, until it is told not to.

    All of them are one, known by a name alone: a plan that is kept calls the first, and what it
    counts is no part of what a job computes.
    """

    after: float = np.inf
    calls = 0
    lock = Lock()

    def __init__(self, after: float) -> None:
        Tripping.after, Tripping.calls = after, 0

    def __dask_tokenize__(self) -> str:
        return "doubles"

    def __call__(self, block: Any) -> Any:
        with self.lock:
            Tripping.calls += 1
            if Tripping.calls > self.after:
                raise OSError("the disk is on fire")
        return block * 2

    def mended(self) -> Tripping:
        """The same one, which does not fail and begins to count."""
        return Tripping(np.inf)


class Written:
    """How often each chunk is written: by the first cell of each."""

    def __init__(self, patch: Any, sides: tuple[int, ...]) -> None:
        self.chunks, self.lock, self.sides = Counter[tuple[int, ...]](), Lock(), sides
        for module in (zarr_sink, zarr_target):
            patch.setattr(module, "write_box", self.write)

    def write(
        self, location: Any, selection: tuple[slice, ...], block: Any, empty: bool | None = None
    ) -> None:
        """Write as the library does, and count."""
        sides = zip(selection, self.sides, strict=True)
        spans = [range(part.start // n, -(-part.stop // n)) for part, n in sides]
        with self.lock:
            self.chunks.update(product(*spans))
        write_box(location, selection, block, empty)

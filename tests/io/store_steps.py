"""One of several processes that use one Zarr array at a time.

Each does steps until it has done enough or is killed, and writes a line of JSON before each write
and after each step. The cells of a write are its number, so a reader can say which writes it saw.
"""

from __future__ import annotations

import json
import os
import random
import time
import warnings
from typing import Any

import numpy as np
from dask import threaded  # noqa: F401

import dask_tapestry as dt
from dask_tapestry.io.stores import retrying_store  # noqa: F401
from tests.io import object_server  # noqa: F401  (its file system)

SHAPE, CHUNKS = (12, 8), (3, 4)
ROWS = SHAPE[0]
PARTS = ((0, 12), (0, 3), (3, 6), (2, 7), (6, 12))  # rows that are read, and compared by row


class Steps:
    """The steps of a process on an array: reads, overwrites, or writes of some of its rows.

    The kind is "reader", "overwriter", or the rows that are written, as "3:6".
    """

    def __init__(self, url: str, options: Any, kind: str, seed: int, log: str) -> None:
        self.url, self.options, self.kind = url, options, kind
        self.random, self.seed, self.count = random.Random(seed), seed, 0
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def tell(self, **what: Any) -> None:
        line = json.dumps({"at": time.monotonic(), "process": self.seed, **what}) + "\n"
        os.write(self.log, line.encode())

    def paused(self, block: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if self.random.random() < 0.3:
            time.sleep(self.random.uniform(0, 0.003))
        return block

    def read(self) -> dict[str, Any]:
        x = dt.from_zarr(self.url, storage_options=self.options)
        lo, hi = self.random.choice(PARTS)
        x = x[lo:hi]
        if self.random.random() < 0.5:
            x = x.map_blocks(self.paused, dtype="f8")
        found = x.compute(scheduler=self.random.choice([None, "sync", "threads"]))
        return {"first": lo, "seen": [sorted(set(row.tolist())) for row in found]}

    def write(self) -> dict[str, Any]:
        self.count += 1
        number = self.seed * 10_000 + self.count
        overwrites = self.kind == "overwriter"
        lo, hi = (0, ROWS) if overwrites else map(int, self.kind.split(":"))
        self.tell(begins=number, rows=[lo, hi])
        x = dt.full((hi - lo, SHAPE[1]), float(number), chunks=CHUNKS)
        x = x.map_blocks(self.paused, dtype="f8")
        if overwrites:
            how: dict[str, Any] = {"chunks": CHUNKS, "overwrite": True}
        else:
            how = {"region": (slice(lo, hi), slice(None))}
        scheduler = self.random.choice(["sync", "threads"])
        dt.to_zarr(x, self.url, storage_options=self.options, scheduler=scheduler, **how)
        return {"number": number}

    def step(self) -> None:
        begun = time.monotonic()
        try:
            done = self.read() if self.kind == "reader" else self.write()
        except Exception as error:
            known = isinstance(error, dt.TapestryError)
            text = f"{type(error).__name__}: {error}"
            number = self.seed * 10_000 + self.count
            self.tell(failed=self.kind, begun=begun, known=known, text=text, number=number)
        else:
            self.tell(done=self.kind, begun=begun, **done)


def run(url: str, options: Any, kind: str, seed: int, log: str, until: float) -> None:
    """Do steps until a time of the monotonic clock."""
    warnings.simplefilter("ignore")
    steps = Steps(url, options, kind, seed, log)
    with dt.config(block_bytes=200):
        while time.monotonic() < until:
            steps.step()

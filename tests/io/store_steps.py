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
from dask_tapestry.io import patient_store  # noqa: F401
from tests.io import object_server  # noqa: F401  (its file system)

SHAPE, CHUNKS = (12, 8), (3, 4)
ROWS = 3  # of a band: a row of chunks, which one writer of regions writes
BANDS = SHAPE[0] // ROWS


class Steps:
    """The steps of a process on an array: reads, overwrites, or writes of the region of a band."""

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
        band = self.random.choice([None, *range(BANDS)])
        x = x if band is None else x[band * ROWS : (band + 1) * ROWS]
        if self.random.random() < 0.5:
            x = x.map_blocks(self.paused, dtype="f8")
        found = x.compute(scheduler=self.random.choice([None, "sync", "threads"]))
        bands = found.reshape(-1, ROWS * SHAPE[1])
        return {"first": band or 0, "seen": [sorted(set(one.tolist())) for one in bands]}

    def write(self) -> dict[str, Any]:
        self.count += 1
        number = self.seed * 10_000 + self.count
        band = None if self.kind == "overwriter" else int(self.kind.removeprefix("writer"))
        self.tell(begins=number, band=band)
        x = dt.full((SHAPE[0] if band is None else ROWS, SHAPE[1]), float(number), chunks=CHUNKS)
        x = x.map_blocks(self.paused, dtype="f8")
        if band is None:
            how: dict[str, Any] = {"chunks": CHUNKS, "overwrite": True}
        else:
            how = {"region": (slice(band * ROWS, (band + 1) * ROWS), slice(None))}
        scheduler = self.random.choice(["sync", "threads"])
        dt.to_zarr(x, self.url, storage_options=self.options, scheduler=scheduler, **how)
        return {"number": number, "band": band}

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

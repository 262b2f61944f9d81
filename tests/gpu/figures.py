"""The works timed on a device: ours, kernels alone and as an expression, or one of the peers.

``python -m tests.gpu.figures --peer ours --bytes 1000000000 FILE`` writes JSON, after each work; a
file that is there is gone on with. A work that a peer has not, or fails at, is none of its figures,
and no failure of ours.
"""

import argparse
import os
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np

from tests.gpu import resumed
from tests.gpu.parts import ENDS
from tests.gpu.works import WORKS

REPEATS = 15
PARTS = 8  # of a Dask array


def main(arguments=None):
    """Time all works of one library."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", default="ours", choices=sorted(PEERS))
    parser.add_argument("--bytes", default=10**9, type=int, help="of the largest operand")
    parser.add_argument("file", type=Path)
    told = parser.parse_args(arguments)
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    found = resumed.begun(told.file, {"rows": {}})
    failed = "failed" if told.peer == "ours" else "none"
    ends = float(os.environ.get(ENDS, "inf"))
    if tried := found.get("at"):
        found["rows"][tried] = {failed: "the process ended in it", "bytes": 0, "cells": 0}
    for name, work in WORKS.items():
        if name in found["rows"]:
            continue
        cells = min(work.cells, told.bytes // 4)
        amounts = {"bytes": int(4 * cells * work.moved), "cells": cells}
        if time.time() > ends:
            found["rows"][name] = {failed: "no time was left"} | amounts
            continue
        resumed.write(told.file, found | {"at": name})
        try:
            row = PEERS[told.peer](work.program, work.inputs(cells))
        except ImportError as error:
            found["without"] = str(error)
            break
        except Exception as error:
            row = {failed: f"{type(error).__name__}: {error}"[:600], "at": _place()}
        found["rows"][name] = row | amounts
        resumed.write(told.file, found)
        if failed in row and resumed.is_lost():
            return resumed.AGAIN
    found.pop("at", None)
    resumed.write(told.file, found)
    return 1 if any("failed" in row for row in found["rows"].values()) else 0


def _place():
    return traceback.format_exc(limit=-3)[-900:]


def timed(call, wait):
    """Median seconds of a call by the clock, after two, each until what it began has ended."""
    for _ in range(2):
        call()
    wait()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - began)
    return median(times)


def _cupy():
    import cupy

    return cupy


def _wait():
    _cupy().cuda.Device().synchronize()


def ours(program, inputs):
    """Seconds of the expression, of the kernels that it launches, and the first time."""
    import dask_tapestry as dt

    given = [dt.asarray(_cupy().asarray(x)) for x in inputs]

    def call():
        return program(dt, *given).compute()

    with dt.config(host_parts=False):
        began = time.perf_counter()
        call()
        _wait()
        first = time.perf_counter() - began
        seconds = timed(call, _wait)
        with launches_timed() as events:
            call()
            _wait()
    kernels = sum(_cupy().cuda.get_elapsed_time(*pair) for pair in events) / 1000
    return {"seconds": seconds, "kernels": kernels, "launches": len(events), "first": first}


@contextmanager
def launches_timed():
    """Events before and after each launch of our kernels."""
    from dask_tapestry_kernels.cuda.jit import runtime

    events, before = [], runtime.runtime()

    class Timed(type(before)):
        def __init__(self):
            self.__dict__ = before.__dict__

        def launch(self, program, blocks, arguments):
            pair = _cupy().cuda.Event(), _cupy().cuda.Event()
            pair[0].record()
            super().launch(program, blocks, arguments)
            pair[1].record()
            events.append(pair)

    runtime.use(Timed())
    try:
        yield events
    finally:
        runtime.use(before)


def of_cupy(program, inputs):
    """Seconds of CuPy."""
    given = [_cupy().asarray(x) for x in inputs]
    return {"seconds": timed(lambda: program(_cupy(), *given), _wait)}


def of_jax(program, inputs):
    """Seconds of JAX, compiled."""
    import jax

    given = [jax.device_put(x) for x in inputs]
    compiled = jax.jit(lambda *xs: program(jax.numpy, *xs))
    return {"seconds": timed(lambda: jax.block_until_ready(compiled(*given)), lambda: None)}


def of_torch(program, inputs):
    """Seconds of PyTorch, compiled."""
    import torch

    given = [torch.from_numpy(np.ascontiguousarray(x)).cuda() for x in inputs]
    names = TorchNames(torch)
    compiled = torch.compile(lambda *xs: program(names, *xs))
    return {"seconds": timed(lambda: compiled(*given), torch.cuda.synchronize)}


class TorchNames:
    """PyTorch's functions by NumPy's names and with NumPy's arguments."""

    library = "torch"

    def __init__(self, torch):
        self._torch = torch

    def __getattr__(self, name):
        return getattr(self._torch, name)

    def take(self, x, at, axis):
        """Rows."""
        return self._torch.index_select(x, axis, at)

    def var(self, x, axis):
        """Of all cells, as NumPy's."""
        return self._torch.var(x, dim=axis, correction=0)

    def histogram(self, x, bins, range):
        """Counts, and no edges."""
        return (self._torch.histc(x, bins, *range),)


def of_dask(program, inputs):
    """Seconds of `dask.array` over blocks of CuPy, in a few parts."""
    import dask
    import dask.array

    large = max(x.size for x in inputs)
    given = [
        dask.array.from_array(
            _cupy().asarray(x),
            chunks=(-(-x.shape[0] // PARTS), *x.shape[1:]) if x.size == large else x.shape,
            asarray=False,
        )
        for x in inputs
    ]
    with dask.config.set(scheduler="threads"):
        return {"seconds": timed(lambda: program(dask.array, *given).compute(), _wait)}


PEERS = {"ours": ours, "cupy": of_cupy, "jax": of_jax, "torch": of_torch, "dask": of_dask}


if __name__ == "__main__":
    sys.exit(main())

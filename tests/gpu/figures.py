"""The works timed on a device: ours, kernels alone and as an expression, or one of the peers.

``python -m tests.gpu.figures --peer ours --bytes 1000000000 FILE`` writes JSON, after each work.
"""

import argparse
import json
import os
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np

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
    found = {"rows": {}}
    begin = PEERS[told.peer]
    ends = float(os.environ.get(ENDS, "inf"))
    for name, work in WORKS.items():
        if time.time() > ends:
            found["rows"][name] = {"failed": "no time was left", "bytes": 0, "cells": 0}
            continue
        cells = min(work.cells, told.bytes // 4)
        try:
            row = begin(work.program, work.inputs(cells))
        except ImportError as error:
            found["without"] = str(error)
            break
        except Exception as error:
            row = {"failed": f"{type(error).__name__}: {error}"[:600], "at": _place()}
        found["rows"][name] = row | {"bytes": int(4 * cells * work.moved), "cells": cells}
        told.file.write_text(json.dumps(found))
    if told.peer == "ours" and "without" not in found and time.time() < ends:
        found |= attempted(
            {"overhead": overhead, "small operations": small_operations, "stored job": stored_job}
        )
    told.file.write_text(json.dumps(found))
    return 1 if any("failed" in row for row in found["rows"].values()) else 0


def attempted(works):
    """What functions return, or why they failed."""
    found = {}
    for name, work in works.items():
        try:
            found[name] = work()
        except Exception as error:
            found[name] = {"failed": f"{type(error).__name__}: {error}"[:600], "at": _place()}
    return found


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


def overhead():
    """Seconds by which an expression of few cells takes longer than nothing, planned before."""
    import dask_tapestry as dt

    x = dt.asarray(_cupy().zeros(1024, "f4"))
    with dt.config(host_parts=False):
        return {"seconds": timed(lambda: (x * 2 + 1).compute(), _wait), "target": 300e-6}


def small_operations(count=10**5, every=100):
    """Seconds of many operations on 1,024 cells, computed from time to time; of some of them."""
    import dask_tapestry as dt

    tried = count // 20
    x = dt.asarray(_cupy().zeros(1024, "f4"))
    began = time.perf_counter()
    with dt.config(host_parts=False):
        for number in range(1, tried + 1):
            x = x * 1.0001 + 0.5 if number % 2 else x - 0.25
            if number % every == 0:
                x = x.persist()
        x.compute()
    _wait()
    seconds = (time.perf_counter() - began) * count / tried
    return {"seconds": seconds, "of": count, "tried": tried, "target": 5.0}


def stored_job(size=2**30):
    """Seconds of a job from store to store over the device, and what it reads and writes."""
    import tempfile

    import dask_tapestry as dt

    with tempfile.TemporaryDirectory() as folder:
        side = int((size // 4) ** 0.5)
        x = dt.random.default_rng(0).random((side, side), dtype="f4")
        dt.to_zarr(x, f"{folder}/a.zarr", chunks=(side // 8, side))
        began = time.perf_counter()
        with dt.config(host_parts=False):
            there = dt.from_zarr(f"{folder}/a.zarr").to_device("cuda")
            dt.to_zarr(np.sqrt(there) * 2 + there, f"{folder}/b.zarr")
        return {"seconds": time.perf_counter() - began, "read": 4 * side**2, "written": 4 * side**2}


PEERS = {"ours": ours, "cupy": of_cupy, "jax": of_jax, "torch": of_torch, "dask": of_dask}


if __name__ == "__main__":
    sys.exit(main())

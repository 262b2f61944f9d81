"""What is timed once: shares of a copy's rate, overhead, many small operations, a stored job.

Each is written when it is known; a file that is there is gone on with.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

import dask_tapestry as dt
from tests.gpu import resumed
from tests.gpu.bandwidth import seconds as by_events
from tests.gpu.figures import launches_timed, timed
from tests.gpu.parts import ENDS

F4 = np.dtype("f4")


def main(arguments=None):
    """Time all of them, as far as there is time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    told = parser.parse_args(arguments)
    found = resumed.begun(told.file, {})
    ends = float(os.environ.get(ENDS, "inf"))
    if tried := found.get("at"):
        found[tried] = {"failed": "the process ended in it"}
    for name, work in ONCE.items():
        if name in found:
            continue
        resumed.write(told.file, found | {"at": name})
        try:
            found[name] = work() if time.time() < ends else {"failed": "no time was left"}
        except Exception as error:
            text = f"{type(error).__name__}: {error}"[:600]
            found[name] = {"failed": text, "place": traceback.format_exc(limit=-3)[-900:]}
        resumed.write(told.file, found)
        if "failed" in found[name] and resumed.is_lost():
            return resumed.AGAIN
    found.pop("at", None)
    resumed.write(told.file, found)
    return 1 if any("failed" in one for one in found.values()) else 0


def _cupy():
    import cupy

    return cupy


def _wait():
    _cupy().cuda.Device().synchronize()


def _line(size):
    """An array of so many bytes on the device, or of an eighth of its memory."""
    cupy = _cupy()
    free, _ = cupy.cuda.runtime.memGetInfo()
    return cupy.zeros(min(size, free // 8) // F4.itemsize, F4)


def _copying(x):
    """A copy of an array to another one."""
    out = _cupy().empty_like(x)
    return lambda: _cupy().copyto(out, x)


def kernel_share(size=10**9):
    """A kernel's part of the rate of a copy of as much, by events; both read and write."""
    cupy, x = _cupy(), _line(size)
    given, copied = dt.asarray(x), by_events(_copying(x))
    with dt.config(host_parts=False):
        made = given * 2 + 1
        made.compute()
        with launches_timed() as events:
            made.compute()
            _wait()
    kernels = sum(cupy.cuda.get_elapsed_time(*pair) for pair in events) / 1000
    return {"bytes": 2 * x.nbytes, "seconds": kernels, "share": copied / kernels, "target": 0.9}


def expression_share(size=5 * 10**9):
    """A whole expression's part of the rate of a copy of as much, by the clock."""
    x = _line(size)
    given, copied = dt.asarray(x), timed(_copying(x), _wait)
    with dt.config(host_parts=False):
        seconds = timed(lambda: (given * 2 + 1).compute(), _wait)
    return {"bytes": 2 * x.nbytes, "seconds": seconds, "share": copied / seconds, "target": 0.9}


def overhead():
    """Seconds by which an expression of few cells takes longer than nothing, planned before."""
    x = dt.asarray(_cupy().zeros(1024, "f4"))
    with dt.config(host_parts=False):
        return {"seconds": timed(lambda: (x * 2 + 1).compute(), _wait), "target": 300e-6}


def small_operations(count=10**5, every=100):
    """Seconds of many operations on 1,024 cells, computed from time to time; of some of them."""
    tried = count // 20
    x = dt.asarray(_cupy().zeros(1024, "f4"))

    def run(operations, x):
        for number in range(1, operations + 1):
            x = x * 1.0001 if number % 2 else x + 0.5
            if number % every == 0:
                x = x.persist()
        x.compute()
        _wait()

    with dt.config(host_parts=False):
        run(2 * every, x)  # kernels are compiled
        began = time.perf_counter()
        run(tried, x)
    seconds = (time.perf_counter() - began) * count / tried
    return {"seconds": seconds, "of": count, "tried": tried, "target": 5.0}


def stored_job(size=2**30):
    """Seconds of a job from store to store over the device, of the store and the link alone.

    The job takes what the slowest of them takes, and a part of the others that nothing overlaps.
    """
    with tempfile.TemporaryDirectory() as folder:
        side = int((size // 4) ** 0.5)
        x = dt.random.default_rng(0).random((side, side), dtype="f4")
        dt.to_zarr(x, f"{folder}/a.zarr", chunks=(max(1, side // 32), side))
        began = time.perf_counter()
        dt.to_zarr(dt.from_zarr(f"{folder}/a.zarr"), f"{folder}/c.zarr")
        stores = time.perf_counter() - began
        cells = np.zeros((side, side), "f4")
        began = time.perf_counter()
        dt.asarray(cells).to_device("cuda").persist()
        _wait()
        link = time.perf_counter() - began
        with dt.config(host_parts=False):
            there = dt.from_zarr(f"{folder}/a.zarr").to_device("cuda")
            made = np.sqrt(there) * 2 + there
            predicted = made.plan().cost["seconds"]
            began = time.perf_counter()
            dt.to_zarr(made, f"{folder}/b.zarr")
            seconds = time.perf_counter() - began
    told = {"read": 4 * side**2, "written": 4 * side**2, "predicted without writing": predicted}
    return {"seconds": seconds, "stores": stores, "link there": link} | told


ONCE = {
    "kernel beside a copy, 1 GB": kernel_share,
    "expression beside a copy, 10 GB read and written": expression_share,
    "overhead": overhead,
    "small operations": small_operations,
    "stored job": stored_job,
}


if __name__ == "__main__":
    sys.exit(main())

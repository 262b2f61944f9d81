"""Linear algebra, transforms and medians of arrays in memory, beside NumPy, SciPy and dask.array.

    python benchmarks/linalg.py
    python benchmarks/linalg.py --fast --only solve --json linalg.json

Seconds are the best of the repeats, planning included; the libraries take turns. dask.array has
its own default chunks, or where it asks for others the fewest that it takes. A dash means that a
library has no such function. With `--processor` they are seconds of the processor, all threads
together: other work on the machine disturbs them less, with one thread of BLAS. `--fast` takes
sides a quarter as long, and 10**7 cells of the median.
"""

import argparse
import gc
import json
import time

import dask
import dask.array as da
import numpy as np

import dask_tapestry as dt
from dask_tapestry.imports import lazy_import

OURS = "dask_tapestry"
LIBRARIES = (OURS, "NumPy", "SciPy", "dask.array")
MEDIAN = 10**8
LONG = 20.0  # seconds; a call that takes longer is not repeated


def scipy_linalg():
    """SciPy's module, or None; dask.array's `solve` and `cholesky` need it too."""
    try:
        return lazy_import("scipy.linalg")
    except ImportError:
        return None


def lazily(made):
    """A call that computes what is lazy: one collection, or a tuple of them."""
    return lambda: dask.compute(*made) if isinstance(made, tuple) else made.compute()


def normal(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def solve(scale):
    a, b = normal(8000 // scale, 8000 // scale), normal(8000 // scale)
    scipy = scipy_linalg()
    chunked = squares(da.from_array(a))
    return {
        OURS: lazily(dt.linalg.solve(a, b)),
        "NumPy": lambda: np.linalg.solve(a, b),
        "SciPy": scipy and (lambda: scipy.solve(a, b)),
        "dask.array": scipy
        and lazily(da.linalg.solve(chunked, da.from_array(b, chunks=chunked.chunks[0]))),
    }


def squares(x, pieces=4):
    """A matrix in equal square chunks, which dask.array's factors ask for."""
    return x.rechunk(-(-x.shape[0] // pieces))


def cholesky(scale):
    a = normal(8000 // scale, 8000 // scale)
    a = a @ a.T + len(a) * np.eye(len(a))
    scipy = scipy_linalg()
    return {
        OURS: lazily(dt.linalg.cholesky(a)),
        "NumPy": lambda: np.linalg.cholesky(a),
        "SciPy": scipy and (lambda: scipy.cholesky(a, lower=True)),
        "dask.array": scipy and lazily(da.linalg.cholesky(squares(da.from_array(a)), lower=True)),
    }


def qr(scale):
    a = normal(20_000 // scale, 2000 // scale)
    scipy = scipy_linalg()
    rows = da.from_array(a, chunks=(len(a) // 4, a.shape[1]))
    return {
        OURS: lazily(tuple(dt.linalg.qr(a))),
        "NumPy": lambda: np.linalg.qr(a),
        "SciPy": scipy and (lambda: scipy.qr(a, mode="economic")),
        "dask.array": lazily(da.linalg.qr(rows)),
    }


def tall_qr(scale):
    a = normal(700_000 // scale, 64)
    scipy = scipy_linalg()
    return {
        OURS: lazily(tuple(dt.linalg.qr(a))),
        "NumPy": lambda: np.linalg.qr(a),
        "SciPy": scipy and (lambda: scipy.qr(a, mode="economic")),
        "dask.array": lazily(da.linalg.qr(da.from_array(a, chunks=(-(-len(a) // 14), 64)))),
    }


def svd_compressed(scale):
    a = normal(8000 // scale, 8000 // scale)
    return {
        OURS: lazily(dt.linalg.svd_compressed(a, 10, seed=0)),
        "dask.array": lazily(da.linalg.svd_compressed(squares(da.from_array(a)), 10, seed=0)),
    }


def fft2(scale):
    a = normal(10_000 // scale, 10_000 // scale)
    side = len(a)
    rows = da.from_array(a, chunks=(-(-side // 4), side))
    both = da.fft.fft(da.fft.fft(rows, axis=1).rechunk((side, -(-side // 4))), axis=0)
    return {
        OURS: lazily(dt.fft.fft2(a)),
        "NumPy": lambda: np.fft.fft2(a),
        "dask.array": lazily(both),
    }


def median(scale):
    a = normal(MEDIAN if scale == 1 else max(100, 4 * MEDIAN // 10 // scale))
    return {
        OURS: lazily(dt.median(a)),
        "NumPy": lambda: np.median(a),
        "dask.array": lazily(da.median(da.from_array(a).rechunk(-1), axis=0)),
    }


WORKS = {
    "solve 8000": solve,
    "cholesky 8000": cholesky,
    "qr 20000 x 2000": qr,
    "qr 700000 x 64": tall_qr,
    "svd_compressed 8000, 10": svd_compressed,
    "fft2 10000": fft2,
    "median 10**8": median,
}


def seconds(call, clock):
    gc.collect()
    start = clock()
    call()
    return clock() - start


def measure(work, scale, repeats, clock=time.perf_counter):
    """The least seconds of each library that has the function."""
    calls = {name: call for name, call in work(scale).items() if call}
    best = {name: seconds(call, clock) for name, call in calls.items()}
    for _ in range(repeats - 1):
        for name, call in calls.items():
            if best[name] < LONG:
                best[name] = min(best[name], seconds(call, clock))
    return best


def line(name, found):
    """A row of the table: seconds, and how many times ours each other library takes."""
    cells = [f"{found[OURS]:.3f}"]
    for other in LIBRARIES[1:]:
        own = found.get(other)
        cells.append("-" if own is None else f"{own:.3f} ({own / found[OURS]:.2f})")
    return f"| {name} | " + " | ".join(cells) + " |"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true", help="sides a quarter as long")
    parser.add_argument("--scale", type=int, help="sides shorter by this factor")
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--processor", action="store_true", help="seconds of the processor")
    parser.add_argument("--json", help="write the seconds there")
    given = parser.parse_args(arguments)
    scale = given.scale or (4 if given.fast else 1)
    print(f"| work, sides / {scale} | " + " | ".join(LIBRARIES) + " |")
    print("|---|" + "--:|" * len(LIBRARIES))
    clock = time.process_time if given.processor else time.perf_counter
    rows = {}
    for name, work in WORKS.items():
        if given.only in name:
            rows[name] = measure(work, scale, given.repeats, clock)
            print(line(name, rows[name]), flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"scale": scale, "seconds": rows}, file, indent=1)


if __name__ == "__main__":
    main()

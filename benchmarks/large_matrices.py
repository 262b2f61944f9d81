"""Equations and triangles of a stored matrix larger than each worker of a cluster, beside Dask's.

    python benchmarks/large_matrices.py
    python benchmarks/large_matrices.py --side 4000 --workers 2 --memory 600MB --only solve
    python benchmarks/large_matrices.py --dtype f4 --workers-processor

The matrix is a Zarr store in chunks of 1000 x 1000; what a work gives is written to others, each
part to its own. dask.array has no `qr` of chunks in both directions: `q and r` gives it whole rows.
Each is run in a cluster of its own of one thread a worker. Seconds include planning. A cell names
the error if there is one. With ``--workers-processor`` it tells the workers' processor seconds too,
which other work on the machine changes less, and the most memory that one of them had.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import dask
import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster

import dask_tapestry as dt

CHUNK: Final = 1000
MADE: Final = ("made.zarr", "made too.zarr")  # the stores of what is made
OURS, DASKS = "dask_tapestry", "dask.array"
WORKS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "solve": lambda library, a: library.linalg.solve(
        a, library.ones((len(a), 8), chunks=CHUNK, dtype=a.dtype)
    ),
    "cholesky": lambda library, a: library.linalg.cholesky(a, lower=True),
    "qr": lambda library, a: library.linalg.qr(a)[0],
    "inv": lambda library, a: library.linalg.inv(a),
    "q and r": lambda library, a: library.linalg.qr(a.rechunk((CHUNK, -1)) if library is da else a),
}


def stored(path: Path, side: int, dtype: str) -> np.ndarray[Any, Any]:
    """Write a positive definite matrix, by which all works are defined, and return it."""
    made = np.random.default_rng(0).standard_normal((side, side))
    made += made.T
    made += 4 * side**0.5 * np.eye(side)
    made = made.astype(dtype)
    zarr.create_array(path, data=made, chunks=(CHUNK, CHUNK))
    return made


def taken() -> tuple[float, int]:
    """Processor seconds of this process so far, and the most bytes that it had."""
    status = Path("/proc/self/status").read_text()  # `getrusage` tells a parent's peak, too
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return time.process_time(), 1024 * int(line.split()[1])


def run(library: Any, name: str, given: argparse.Namespace, folder: Path) -> str:
    """Seconds of one work, or its error."""
    limits = {"n_workers": given.workers, "threads_per_worker": 1, "memory_limit": given.memory}
    with LocalCluster(**limits, dashboard_address=":0") as cluster, Client(cluster) as client:
        before = client.run(taken)
        began = time.perf_counter()
        try:
            made = WORKS[name](library, library.from_zarr(str(folder / "a.zarr")))
            parts = made if isinstance(made, tuple) else (made,)
            written = [
                part.to_zarr(str(folder / place), overwrite=True, compute=False)
                for part, place in zip(parts, MADE, strict=False)
            ]
            dask.compute(*written)
        except Exception as error:  # what a library cannot do is a result, too
            return f"{type(error).__name__} after {time.perf_counter() - began:.0f} s"
        cell = f"{time.perf_counter() - began:.1f} s"
        after = client.run(taken)
    if not given.workers_processor or before.keys() != after.keys():  # one was started again
        return cell
    seconds = sum(after[worker][0] - before[worker][0] for worker in after)
    most = max(peak for _, peak in after.values())
    return f"{cell}, {seconds:.1f} s of processors, {most / 1e6:.0f} MB"


def error_of(name: str, a: np.ndarray[Any, Any], folder: Path) -> float:
    """How far what was written is from what it is defined by, in parts of a matrix's largest cell.

    Columns that are orthonormal have cells of their own size.
    """
    x = zarr.open_array(str(folder / MADE[0]), mode="r")[...]
    wrong = {
        "solve": lambda: (a @ x - 1) / abs(a).max(),
        "cholesky": lambda: (x @ x.T - a) / abs(a).max(),
        "qr": lambda: x.T @ x - np.eye(len(a)),
        "q and r": lambda: (
            (x @ zarr.open_array(str(folder / MADE[1]), mode="r")[...] - a) / abs(a).max()
        ),
        "inv": lambda: (a @ x - np.eye(len(a))) / abs(a).max(),
    }
    return float(abs(wrong[name]()).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--memory", default="700MB")
    parser.add_argument("--dtype", default="f8", choices=("f4", "f8"))
    parser.add_argument("--workers-processor", action="store_true")
    parser.add_argument("--only", nargs="*", default=list(WORKS), choices=WORKS)
    given = parser.parse_args()
    print(f"| work | {OURS} | error | {DASKS} |\n|---|---|--:|---|", flush=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        a = stored(folder / "a.zarr", given.side, given.dtype)
        for name in given.only:
            ours = run(dt, name, given, folder)
            wrong = "" if "after" in ours else f"{error_of(name, a, folder):.0e}"
            print(f"| {name} | {ours} | {wrong} | {run(da, name, given, folder)} |", flush=True)


if __name__ == "__main__":
    main()

"""Jobs that last until they are interrupted, each in a process of its own.

``python -m tests.interrupts.jobs WHERE FOLDER NAME...`` begins one after the other and says so.
Interrupted, it computes something else, looks at what lies in the folder, and says what it found.
``leave`` as the first name has the process end by the interrupt.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any

import dask
import numpy as np
import zarr
from dask.system import CPU_COUNT
from distributed import Client, LocalCluster

import dask_tapestry as dt

ENDLESS = 10**12  # cells: a quarter of an hour
SIDE = 1000
STORED = np.arange(float(SIDE * SIDE)).reshape(SIDE, SIDE)


def endless(folder: Path, **options: Any) -> None:
    dt.arange(ENDLESS).sum().compute(**options)


def small(folder: Path, **options: Any) -> None:
    for n in count():
        dt.compute((dt.arange(2000) * n + 1).sum(), dt.ones(n % 50), **options)


def formulas(folder: Path, **options: Any) -> None:
    for n in count(1):
        x = dt.arange(10**7) / n
        (dt.sin(x) * dt.exp(-x)).compute(**options)


def draws(folder: Path, **options: Any) -> None:
    for n in count():
        dt.random.default_rng(n).gamma(2.5, size=3 * 10**6).std().compute(**options)


def sorts(folder: Path, **options: Any) -> None:
    for n in count():
        x = dt.random.default_rng(n).random((300, 10**4))
        dt.compute(dt.sort(x, axis=1)[:, 7], dt.median(x, axis=0), **options)


def users(folder: Path, **options: Any) -> None:
    dt.ones(10**4, chunks=1).map_blocks(slow, dtype=float).sum().compute(**options)


def slow(block: Any) -> Any:
    """A function of the user that takes a while."""
    sleep(0.02)
    return block


def reads(folder: Path, **options: Any) -> None:
    path = folder / "read.zarr"
    if not path.exists():
        zarr.create_array(path, data=STORED, chunks=(100, 100))
    for n in count():
        x = dt.from_zarr(path)
        dt.compute((x - x.mean(axis=0)).max(axis=1), x[n % SIDE], **options)


def writes(folder: Path, **options: Any) -> None:
    """A version of one number all over takes another's place."""
    for n in count(1):
        x = dt.full((SIDE, SIDE), float(n), chunks=(100, 100))
        dt.to_zarr(x, folder / "written.zarr", overwrite=True, **options)


def plans(folder: Path, **options: Any) -> None:
    resources = dt.Resources(workers=100, threads=4, memory="8 GiB")
    for n in count(3):
        x = dt.placeholder((10**5, 10**4 + n), "float64", stored_chunks=(1000, 1000))
        for _ in range(6):
            x = (x - x.mean(axis=0)) / x.std(axis=1)[:, None]
        dt.plan(x, resources=resources)


def persists(folder: Path, **options: Any) -> None:
    dt.arange(ENDLESS).sum().persist(**options)


def by_dask(folder: Path, **options: Any) -> None:
    dask.compute(dt.arange(ENDLESS).sum(), dask.delayed(abs)(-1), **options)


def large_results(folder: Path, **options: Any) -> None:
    for n in count():
        (dt.ones((3000, 4000), chunks=(100, 4000)) * n).compute(**options)


JOBS: dict[str, Callable[..., None]] = {
    one.__name__: one
    for one in (
        endless,
        small,
        formulas,
        draws,
        sorts,
        users,
        reads,
        writes,
        plans,
        persists,
        by_dask,
        large_results,
    )
}


def main(where: str, folder: Path, *names: str) -> None:
    if where in ("threads", "sync"):
        with dask.config.set(scheduler=where):
            each(folder, *names)
        return
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": where == "processes"}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster):
        each(folder, *names)


def each(folder: Path, *names: str) -> None:
    """Jobs that are interrupted one after the other.

    Dask's threads are begun before: Python does not end one whose beginning was interrupted.
    """
    dt.arange(5).sum().compute()  # what is imported when it is first used
    dask.compute(*[dask.delayed(sleep)(0.1) for _ in range(2 * CPU_COUNT)])
    if names[0] == "leave":
        print("begun", flush=True)
        JOBS[names[1]](folder)
    for name in names:
        interrupted(name, folder)


def interrupted(name: str, folder: Path) -> None:
    try:
        print("begun", flush=True)
        JOBS[name](folder)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    x = dt.from_array(STORED, chunks=(300, 400))
    total, found = dt.compute((x + 1).sum(), (x * 2)[::7])
    assert total == STORED.sum() + STORED.size
    np.testing.assert_array_equal(found, STORED[::7] * 2)
    look(folder / "written.zarr")


def look(path: Path) -> None:
    """What was written is one version, or says that it is none."""
    try:
        found = dt.from_zarr(path).compute()
    except dt.StoreError:
        return
    assert found.shape == STORED.shape
    assert (found == found[0, 0]).all()
    assert found[0, 0] > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` has it ignored
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])

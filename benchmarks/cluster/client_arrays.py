"""Sums of an array in the client's memory on a LocalCluster, beside dask.array's.

    python benchmarks/cluster/client_arrays.py --megabytes 500 --repeats 3

Two workers with one thread each. *Sent* is what it takes to send the blocks straight to workers
and to sum each one there, with nothing else of either library. Seconds are by the clock and, which
other programs disturb less, of the processors that client, scheduler and workers took together.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

ROW = 1000  # cells
BLOCK = 2048  # rows of a block that is sent alone

Seconds = tuple[float, float]  # by the clock, of processors


def ours(client: Any, data: np.ndarray[Any, Any]) -> float:
    import dask_tapestry as dt

    return float(dt.asarray(data).sum().compute())


def peer(client: Any, data: np.ndarray[Any, Any]) -> float:
    import dask.array as da

    return float(da.from_array(data).sum().compute())


def sent(client: Any, data: np.ndarray[Any, Any]) -> float:
    blocks = [data[i : i + BLOCK] for i in range(0, len(data), BLOCK)]
    futures = client.scatter(blocks, direct=True, hash=False)
    return float(sum(client.gather(client.map(np.sum, futures, pure=False))))


WAYS: dict[str, Callable[[Any, np.ndarray[Any, Any]], float]] = {
    "dask_tapestry": ours,
    "dask.array": peer,
    "sent": sent,
}


def processors(client: Any) -> float:
    """Seconds that all processes have taken."""
    return time.process_time() + sum(client.run(time.process_time).values())


def seconds(client: Any, way: str, data: np.ndarray[Any, Any]) -> Seconds:
    """Seconds of one sum, which must be right."""
    taken, begin = processors(client), time.perf_counter()
    value = WAYS[way](client, data)
    passed = time.perf_counter() - begin
    assert np.isclose(value, data.sum())
    return passed, processors(client) - taken


def compare(megabytes: int, repeats: int) -> dict[str, Seconds]:
    """The least seconds of each way, by turns."""
    from distributed import Client, LocalCluster

    rows = max(1, megabytes * 10**6 // (8 * ROW))
    data = np.random.default_rng(0).random((rows, ROW))
    found: dict[str, list[Seconds]] = {way: [] for way in WAYS}
    told = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**told, silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
        for _ in range(repeats + 1):  # the first time all is loaded
            for way, times in found.items():
                times.append(seconds(client, way, data))
    return {
        way: (min(t for t, _ in times[1:]), min(p for _, p in times[1:]))
        for way, times in found.items()
    }


def main() -> None:
    """Measure what the command line says, and print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for way, (passed, taken) in compare(options.megabytes, options.repeats).items():
        print(f"{way:14} {passed:6.2f} s by the clock, {taken:6.2f} s of processors")


if __name__ == "__main__":
    main()

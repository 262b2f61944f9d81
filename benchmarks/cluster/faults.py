"""Workers killed while works run: whether anything is lost.

    python benchmarks/cluster/faults.py --times 20
    python benchmarks/cluster/faults.py --times 20 --no-nanny --only "sum,heat"

Each work of `works.py`, of small stores, runs again and again on three workers, of which one is
killed at a random moment of each run: a nanny starts it anew, or with `--no-nanny` another one is
started after the run. What is computed, and what is written, must be what it is without deaths, bit
for bit. Workers of products that end in BLAS may round otherwise: of those to a few digits.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.cluster.compare import OURS, library  # noqa: E402
from benchmarks.cluster.works import WORKS, create, stores  # noqa: E402

WORKERS = 3
SCALE = 0.003
SLOWEST = 60.0  # seconds until killed workers are replaced
ROUNDED = "tall gram", "images", "many images"  # works that end in BLAS
SETTLING = 0.5  # seconds for which all workers are there before the next one is killed
KEPT = "1 h"  # a cluster gives up nannies whose worker was away 15 s after an earlier death


@contextmanager
def workers(nanny: bool, count: int = WORKERS) -> Iterator[Any]:
    """The client of a cluster whose workers are processes; without a nanny there are none yet."""
    import dask
    from distributed import Client, LocalCluster

    dask.config.set({"distributed.deploy.lost-worker-timeout": KEPT})
    cluster = LocalCluster(
        n_workers=count if nanny else 0, threads_per_worker=1, memory_limit="1 GB",
        dashboard_address=":0", silence_logs=logging.CRITICAL,
    )  # fmt: skip
    try:
        with Client(cluster) as client:
            yield client
    finally:
        with suppress(KeyError):  # of a worker that died while the cluster closes
            cluster.close()


class Workers:
    """Processes without a nanny, started anew where some are missing."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.processes: list[subprocess.Popen[bytes]] = []

    def fill(self) -> None:
        """Start as many as are missing."""
        self.processes = [p for p in self.processes if p.poll() is None]
        told = ["--no-nanny", "--nthreads", "1", "--memory-limit", "1GB", "--no-dashboard"]
        while len(self.processes) < WORKERS:
            command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address, *told]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            self.processes.append(subprocess.Popen(command, **quiet))

    def end(self) -> None:
        """End them all."""
        for process in self.processes:
            process.kill()
            process.wait()


def results(work: str, folder: Path) -> list[np.ndarray]:
    """What a work computes, and what it has written."""
    import dask
    import zarr

    found = dask.compute(*WORKS[work].make(library(OURS, folder)))
    values = [np.asarray(value) for value in found if value is not None]
    return values + [zarr.open_array(path)[...] for path in sorted(folder.glob("out-*.zarr"))]


def processes(client: Any, own: Workers | None) -> list[int]:
    """Process numbers of all workers, once the scheduler knows who is dead and who is new."""
    end = time.monotonic() + SLOWEST
    while True:
        if own:
            own.fill()
        with suppress(OSError):
            client.wait_for_workers(WORKERS, timeout=1)
            time.sleep(SETTLING)
            found = list(client.run(os.getpid).values())
            if len(found) == WORKERS:
                return found
        if time.monotonic() > end:
            raise TimeoutError(f"there are no {WORKERS} workers after {SLOWEST} s")


class Killer(Timer):
    """Kills a worker's process so many seconds from now; `ended` says whether that was too late."""

    def __init__(self, seconds: float, client: Any, own: Workers | None) -> None:
        super().__init__(seconds, self._kill)
        self.pid = random.choice(processes(client, own))
        self.ended = self.late = False

    def _kill(self) -> None:
        self.late = self.ended
        os.kill(self.pid, signal.SIGKILL)


def same(first: list[np.ndarray], second: list[np.ndarray], exactly: bool) -> bool:
    if exactly:
        return all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))
    pairs = zip(first, second, strict=True)
    return all(np.allclose(a, b, rtol=1e-2, atol=1e-2) for a, b in pairs)


def lost(work: str, folder: Path, times: int, nanny: bool) -> tuple[list[str], int]:
    """Run a work with deaths; return what went wrong, and how many deaths came after its end."""
    with workers(nanny) as client:
        own = None if nanny else Workers(client.scheduler.address)
        try:
            processes(client, own)
            expected = results(work, folder)
            begin = time.perf_counter()
            results(work, folder)
            usual = time.perf_counter() - begin
            wrong, late = [], 0
            for _ in range(times):
                killer = Killer(random.uniform(0, usual), client, own)
                killer.start()
                try:
                    if not same(results(work, folder), expected, work not in ROUNDED):
                        wrong.append("other values")
                except Exception as error:
                    wrong.append(repr(error)[:200])
                killer.ended = True
                killer.join()
                late += killer.late
            return wrong, late
        finally:
            if own:
                own.end()


def main() -> None:
    """Kill, compare, and tell what was lost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="names of works, with commas")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--no-nanny", dest="nanny", action="store_false")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random.seed(options.seed)
    chosen = [work for work in WORKS if not options.only or work in options.only.split(",")]
    failed = False
    for work in chosen:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for store in WORKS[work].reads:
                create(folder, store, stores(SCALE)[store])
            wrong, late = lost(work, folder, options.times, options.nanny)
        failed |= bool(wrong)
        print(f"{work:20} {options.times} deaths, {late} too late, {len(wrong)} lost", *set(wrong))
    sys.exit(failed)


if __name__ == "__main__":
    main()

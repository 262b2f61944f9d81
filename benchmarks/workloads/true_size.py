"""Works of xarray as they are planned at their true size, on machines that are not here.

    python benchmarks/workloads/true_size.py

Stores are placeholders with the shapes and chunks of the data sets that the works' sources name.
What a work would compute first is planned for 50 workers of 4 threads and 16 GiB. Shown are the
processor seconds until then (building the graph, planning), and what the plan reads over the size
of its data, moves, holds and runs.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.corpus.table import PlanningStopped, stopped_after  # noqa: E402
from benchmarks.workloads import climate  # noqa: E402, F401
from benchmarks.workloads.workload import WORKLOADS, Session  # noqa: E402
from dask_tapestry.arrays.xarray.chunk_manager import TapestryManager  # noqa: E402

MACHINES = {"workers": 50, "threads": 4, "memory": "16 GiB"}
MAP = {"lat": 721, "lon": 1440}
SETS: dict[str, tuple[str, str, int, str, int, dict[str, int]]] = {
    "daily": ("t rain", "1959-01-01", 14_610, "D", 24, MAP),
    "gaps": ("t", "1959-01-01", 14_610, "D", 24, MAP),
    "six hourly": ("sst", "2020-01-01", 4_384, "6h", 1, MAP),
    "hourly levels": ("u v t w", "2020-01-01", 768, "h", 1, {"level": 37} | MAP),
    "bands": ("B08 B11", "2021-01-01", 240, "3D", 1, {"y": 12_000, "x": 12_000}),
}


NEWLINE = "\n"
LATEST = 40  # processor seconds until a work is given up


class Planned(Exception):  # noqa: N818  # no error: it ends a work
    """What would be computed is planned."""

    def __init__(self, plan: Any) -> None:
        self.plan = plan


def dataset(name: str) -> Any:
    """A Dataset of placeholders."""
    import pandas as pd
    import xarray as xr

    names, first, count, step, chunk, sides = SETS[name]
    dims, shape = ("time", *sides), (count, *sides.values())
    chunks = (chunk, *(min(n, 3000) for n in sides.values()))
    times = pd.date_range(first, periods=count, freq=step)
    coords = {dim: np.linspace(-60, 60, n) for dim, n in sides.items()}
    cells = {one: (dims, dt.placeholder(shape, "f4", chunks)) for one in names.split()}
    return xr.Dataset(cells, coords | {"time": times})


@contextmanager
def planning_only(machines: dt.Resources) -> Iterator[None]:
    """What is computed, or written by xarray, is planned, and `Planned` is raised."""

    def compute(self: Any, *data: Any, **kwargs: Any) -> NoReturn:
        raise Planned(dt.plan(*data, resources=machines))

    def store(self: Any, sources: Any, targets: Any, **kwargs: Any) -> NoReturn:
        kwargs.pop("flush", None)
        written = dt.store(sources, targets, **kwargs | {"compute": False})
        raise Planned(dt.plan(written, resources=machines))

    with ExitStack() as stack:
        for owner, name, planned in (
            (TapestryManager, "compute", compute),
            (TapestryManager, "store", store),
            (dt.Array, "compute", lambda self, **_: compute(None, self)),
        ):
            stack.enter_context(patch.object(owner, name, planned))
        yield


def row(name: str, machines: dt.Resources) -> str:
    """One work's row of the table."""
    with TemporaryDirectory() as folder, planning_only(machines):
        session = Session(dt, lambda name: NoReturn, dataset, f"{folder}/target.zarr")
        begin = time.process_time()
        try:
            with stopped_after(LATEST):
                WORKLOADS[name].run(session)
            return f"{name:28} computes nothing that is planned"
        except Planned as planned:
            cost, seconds = planned.plan.cost, time.process_time() - begin
        except (dt.TapestryError, PlanningStopped) as error:
            seconds = time.process_time() - begin
            reason = str(error).partition(NEWLINE)[0]
            return f"{name:28} {seconds:7.2f} {type(error).__name__} {reason:.90}"
    read, moved, peak, tasks = (
        cost[one] for one in ("bytes_read", "bytes_moved", "peak_worker_bytes", "tasks")
    )
    told = f"{read / 1e9:8.1f} {moved / 1e9:8.1f} {peak / 2**30:6.1f} {tasks:8.0f}"
    return f"{name:28} {seconds:7.2f} {told}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="names of works, with commas")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    dt.xarray.use()
    print(f"{'work':28} {'cpu s':>7} {'read GB':>8} {'moved':>8} {'peak':>6} {'tasks':>8}")
    works = [n for n, work in WORKLOADS.items() if work.run.__module__.endswith("climate")]
    for name in options.only.split(",") if options.only else works:
        print(row(name, dt.Resources(**MACHINES)), flush=True)


if __name__ == "__main__":
    main()

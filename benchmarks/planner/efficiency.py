"""Efficiency: how simulated jobs get faster with more workers.

    python benchmarks/planner/efficiency.py --json efficiency.json

For each job and number of workers: the seconds of the simulated plan, and its efficiency, which is
the seconds of 8 workers times 8, over its own seconds times its workers. Nothing is computed: what
is simulated is the plan, at the rates in force, with one store for all workers whose bandwidth is
told. The table is in Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402

WORKERS = (8, 64, 512, 4096)
MACHINE = {"threads": 8, "memory": "64 GiB", "bandwidth": "2 GB/s", "store_bandwidth": 1e12}


def mlp() -> Any:
    """Eight layers of 1024 on 100 million rows."""
    y = dt.placeholder((100_000_000, 1024), "f4", (10_000, 1024))
    for _ in range(8):
        y = dt.nn.relu(dt.nn.linear(y, dt.placeholder((1024, 1024), "f4")))
    return dt.to_zarr(y, "nowhere", chunks=(10_000, 1024), compute=False)


def matmul() -> Any:
    """Two square matrices of 100,000 rows."""
    a, b = (dt.placeholder((100_000, 100_000), "f8", (2000, 2000)) for _ in range(2))
    return a @ b


def images(count: int) -> Any:
    """Images minus their mean, over their deviation, written as float32."""
    x = dt.placeholder((count, 256, 256, 3), "u1", (64, 256, 256, 3))
    y = (x - x.mean(axis=0)) / x.std(axis=0)
    return dt.to_zarr(y.astype("f4"), "nowhere", chunks=(64, 256, 256, 3), compute=False)


def stencil() -> Any:
    """Ten steps of a finite-element sweep on a square of 400,000 nodes a side."""
    u = dt.placeholder((400_000, 400_000), "f4", (2000, 2000))
    for _ in range(10):
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u = 0.5 * u[1:-1, 1:-1] + 0.125 * around
    return dt.to_zarr(u, "nowhere", chunks=(2000, 2000), compute=False)


JOBS: dict[str, Callable[[], Any]] = {
    "MLP of 8 layers, 410 GB": mlp,
    "matmul of 80 GB each": matmul,
    "images, 1.97 TB": lambda: images(10_000_000),
    "images, 32 TB": lambda: images(163_000_000),
    "FEM stencil, 10 steps of 640 GB": stencil,
}


class Run(NamedTuple):
    """A simulated job."""

    job: str
    workers: int
    seconds: float
    utilisation: float
    tasks: int


def runs(jobs: dict[str, Callable[[], Any]], workers: tuple[int, ...]) -> Iterator[Run]:
    """Simulate each job on each number of workers."""
    for name, make in jobs.items():
        for count in workers:
            plan = dt.plan(make(), resources=dt.Resources(workers=count, **MACHINE))
            plan.verify()
            found = plan.simulate()
            yield Run(name, count, found.seconds, found.utilisation, int(plan.cost["tasks"]))


def table(found: list[Run]) -> str:
    """Seconds and efficiency in Markdown, one row a job."""
    workers = sorted({run.workers for run in found})
    lines = [
        f"| job | {' | '.join(f'{n} workers' for n in workers)} |",
        f"|---|{'---|' * len(workers)}",
    ]
    for job in dict.fromkeys(run.job for run in found):
        mine = {run.workers: run for run in found if run.job == job}
        cells = [f"{mine[n].seconds:,.0f} s, {efficiency(mine, n):.0%}" for n in workers]
        lines.append(f"| {job} | {' | '.join(cells)} |")
    return "\n".join(lines)


def efficiency(runs: dict[int, Run], workers: int) -> float:
    """Of the work that the fewest workers do in a second, the share that each of more does."""
    first = min(runs)
    return runs[first].seconds * first / (runs[workers].seconds * workers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", default="", help="where to write all runs")
    found = list(runs(JOBS, WORKERS))
    arguments = parser.parse_args()
    found = list(runs(JOBS, WORKERS))
    print(table(found))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps([run._asdict() for run in found], indent=1))


if __name__ == "__main__":
    main()

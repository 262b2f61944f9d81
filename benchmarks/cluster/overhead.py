"""Seconds that a task takes on a cluster beside what it computes, beside dask.array's Blockwise.

    python benchmarks/cluster/overhead.py --tasks 100000 --repeats 3
    python benchmarks/cluster/overhead.py --parts --tasks 5000

Both libraries compute the same cells in as many blocks, of a few cells each, on a LocalCluster of
two workers with one thread, by turns: a formula, whose results stay where they are, and a formula
of two arrays. Seconds count from building the expression until the last block is there; those of
processors are of client, scheduler and workers together, which other programs disturb less. The
least of the repeats counts, and *times* is dask.array's over ours.

With `--parts` no cluster is started: what libraries add to Dask's own work is timed in this
process. A task is written out and ordered on a scheduler, pickled there, and loaded and run on a
worker.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

CELLS = 4  # of a block
LIBRARIES: Final = ("dask.array", "dask_tapestry")
JOBS: Final = (("one array", False), ("two arrays", True))

Seconds = tuple[float, float]  # by the clock, of processors


def blocks(name: str, tasks: int, two: bool) -> Any:
    """A lazy array of so many blocks: a formula of one array, or of two, fused into one task."""
    n = tasks * CELLS
    if name == "dask.array":
        import dask.array as da

        x = da.ones(n, chunks=CELLS)
        return x * 2 + da.zeros(n, chunks=CELLS) if two else x + 1
    import dask_tapestry as dt

    y = dt.ones(n) * 2 + dt.zeros(n) if two else dt.ones(n) + 1
    return y.rechunk(CELLS)


def processors(client: Any) -> float:
    """Seconds that client, scheduler and workers have taken of processors."""
    return time.process_time() + sum(client.run(time.process_time).values())


def seconds(client: Any, make: Callable[[], Any]) -> Seconds:
    """Compute an array's blocks where they are; see the module's text."""
    from distributed import wait

    before, begin = processors(client), time.perf_counter()
    held = make().persist()
    wait(held)
    passed = time.perf_counter() - begin
    taken = processors(client) - before
    del held
    return passed, taken


def compare(tasks: int, repeats: int) -> dict[str, dict[str, Seconds]]:
    """The least seconds of each library, by job."""
    from distributed import Client, LocalCluster

    found: dict[str, dict[str, Seconds]] = {}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for job, two in JOBS:
            times: dict[str, list[Seconds]] = {name: [] for name in LIBRARIES}
            for name in LIBRARIES:
                seconds(client, partial(blocks, name, 50, two))  # what is loaded at first
            for _ in range(repeats):
                for name in LIBRARIES:
                    times[name].append(seconds(client, partial(blocks, name, tasks, two)))
            found[job] = {
                name: (min(t for t, _ in each), min(p for _, p in each))
                for name, each in times.items()
            }
    return found


def parts(name: str, tasks: int, two: bool) -> dict[str, float]:
    """Microseconds of processors that a task takes of a scheduler and of a worker, by what for."""
    import dask
    from distributed.protocol import pickle

    expr = dask.base.collections_to_expr([blocks(name, tasks, two)]).optimize()
    far = pickle.loads(pickle.dumps(expr))
    found: dict[str, float] = {}

    def timed(part: str, function: Callable[[], Any]) -> Any:
        begin = time.process_time()
        result = function()
        found[part] = (time.process_time() - begin) / tasks * 1e6
        return result

    graph = timed("written", far.__dask_graph__)
    timed("ordered", partial(dask.order.order, graph))
    sent = timed("dumped", lambda: [pickle.dumps(task) for task in graph.values()])
    loaded = timed("loaded", lambda: [pickle.loads(text) for text in sent])
    timed("run", lambda: [task() for task in loaded])
    return found


def report_parts(tasks: int, repeats: int) -> None:
    """Print the least microseconds of each part, for both libraries and jobs."""
    for job, two in JOBS:
        for name in LIBRARIES:
            parts(name, 50, two)  # what is loaded at first
            each = [parts(name, tasks, two) for _ in range(repeats)]
            least = {part: min(one[part] for one in each) for part in each[0]}
            row = "  ".join(f"{part} {micro:5.1f}" for part, micro in least.items())
            print(f"{job:12} {name:14} {row}  together {sum(least.values()):6.1f} µs a task")


def main() -> None:
    """Measure what the command line says, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--parts", action="store_true", help="without a cluster")
    parser.add_argument("--json", type=Path, help="file to write what is measured to")
    options = parser.parse_args()
    if options.parts:
        report_parts(options.tasks, options.repeats)
        return
    found = compare(options.tasks, options.repeats)
    micro = 1e6 / options.tasks
    print(f"{options.tasks} tasks: µs a task by the clock, of processors")
    for job, rows in found.items():
        (t, p), (our_t, our_p) = rows[LIBRARIES[0]], rows[LIBRARIES[1]]
        print(
            f"{job:12} dask.array {t * micro:6.0f} {p * micro:6.0f}   dask_tapestry "
            f"{our_t * micro:6.0f} {our_p * micro:6.0f}   times {t / our_t:.2f} {p / our_p:.2f}"
        )
    if options.json:
        options.json.write_text(json.dumps({"tasks": options.tasks, **found}, indent=1))


if __name__ == "__main__":
    main()

"""What watching costs: a job of 10,000 tasks with and without the scheduler's plugin.

    python benchmarks/cluster/watching.py --tasks 10000 --repeats 7

The job is a formula of a few cells a block on a LocalCluster of two workers with one thread, whose
results stay where they are. By turns it runs as always: described by the client, counted by the
plugin on the scheduler, whose page is asked for twice a second; and with neither, the plugin taken
off and nothing described. Seconds count from building the expression until the last block is
there. Those of processors are of client, scheduler and workers together, which other programs
disturb less. Middle and least of the repeats are printed, and their ratios.

With `--parts` no cluster is started: seconds of processors are counted of what is added alone, the
description of the job on the client, and the plugin's count of each change of a task's state.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, pairwise
from pathlib import Path
from statistics import median
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

CELLS: Final = 4  # of a block
ASKED: Final = 0.5  # seconds between looks at the page's data, as a browser has them
WAYS: Final = ("unwatched", "watched", "watched, page open")
_numbers: Final = count(1)
FEW: Final = 100  # tasks of a first job, which is not counted
STATES: Final = ("released", "waiting", "processing", "memory", "released", "forgotten")
UNTIL: Final = 2.0  # seconds that a scheduler may take to forget a job


def processors(client: Any) -> float:
    """Seconds that client, scheduler and workers have taken of processors."""
    return time.process_time() + sum(client.run(time.process_time).values())


def job(tasks: int, added: int = 1) -> Any:
    """A lazy array of so many blocks, others for each number: kept ones are not computed again."""
    import dask_tapestry as dt

    return (dt.ones(tasks * CELLS) + added).rechunk(CELLS)


@contextmanager
def unwatched(cluster: Any) -> Iterator[None]:
    """Inside, nothing is described, and the scheduler counts nothing."""
    from dask_tapestry.lower import planned_expression
    from dask_tapestry.lower.job_watch import NAME

    scheduler = cluster.scheduler
    plugin = scheduler.plugins.pop(NAME, None)
    try:
        undescribed = patch.object(planned_expression.job, "describe", return_value=None)
        with undescribed, patch.object(planned_expression, "sent"):
            yield
    finally:
        if plugin is not None:
            scheduler.plugins[NAME] = plugin


@contextmanager
def looked_at(cluster: Any) -> Iterator[None]:
    """Inside, the data of the page is asked for again and again."""
    stop, url = Event(), f"http://127.0.0.1:{cluster.scheduler.http_server.port}/tapestry.json"

    def ask() -> None:
        while not stop.wait(ASKED):
            urlopen(url, timeout=30).read()

    thread = Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def watched(cluster: Any) -> Iterator[None]:
    """Inside, all is as always."""
    yield


def measure(client: Any, tasks: int, pause: float) -> tuple[float, float]:
    """Run the job; seconds by the clock, and of processors."""
    from distributed import wait

    cpu, begun = processors(client), time.perf_counter()
    kept = job(tasks, next(_numbers)).persist()
    wait(kept)
    taken = time.perf_counter() - begun
    cpu = processors(client) - cpu
    del kept
    time.sleep(pause)
    return taken, cpu


def compare(tasks: int, repeats: int, pause: float = UNTIL) -> dict[str, list[tuple[float, float]]]:
    """What each way takes, by turns."""
    from distributed import Client, LocalCluster

    contexts: dict[str, Callable[[Any], Any]] = dict(
        zip(WAYS, (unwatched, watched, looked_at), strict=True)
    )
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        measure(client, min(tasks, FEW), pause)  # imports
        for turn in range(repeats):
            for way in WAYS if turn % 2 else reversed(WAYS):
                with contexts[way](cluster):
                    found[way].append(measure(client, tasks, pause))
                wall, cpu = found[way][-1]
                print(f"{way}: {wall:.2f} s, {cpu:.2f} s of processors", flush=True)
    return found


def parts(tasks: int) -> dict[str, float]:
    """Seconds of processors that are added to a job: to describe it, and to count its tasks."""
    import dask_tapestry as dt
    from dask_tapestry.lower.graph import Lowering
    from dask_tapestry.lower.job import describe
    from dask_tapestry.lower.job_watch import JobWatch, WatchedStep

    two = dt.Resources(workers=2, threads=1, memory="4 GiB")
    plan = dt.plan(job(tasks), resources=two).core
    graph = Lowering(plan, None).lower(False).graph
    begun = time.process_time()
    told = describe(plan, {}, graph, "run")
    described = time.process_time() - begun
    watch = JobWatch(SimpleNamespace(handlers={}))
    (step,) = told["steps"]
    watch._steps[step["name"]] = WatchedStep(step)
    keys = [(step["name"], number) for number in range(tasks)]
    begun = time.process_time()
    for key in keys:
        for before, after in pairwise(STATES):
            watch.transition(key, before, after)
    return {"described": described, "counted": time.process_time() - begun}


def table(found: dict[str, list[tuple[float, float]]]) -> Iterator[str]:
    """What was measured, and how it compares with no watching."""
    yield f"{'':20} {'wall s':>14} {'CPU s':>14}   {'times':>5} (middle, least)"
    for way, runs in found.items():
        texts = []
        for which in (0, 1):
            values = [run[which] for run in runs]
            texts.append(f"{median(values):>7.2f}{min(values):>7.2f}")
        ours, theirs = ([run[1] for run in found[w]] for w in (way, WAYS[0]))
        ratios = f"{median(ours) / median(theirs):.3f}, {min(ours) / min(theirs):.3f}"
        yield f"{way:20} {texts[0]} {texts[1]}   {ratios}"


def main() -> None:
    """Measure what the command line says, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", type=Path, help="file to write what is measured to")
    parser.add_argument("--parts", action="store_true", help="what is added alone")
    options = parser.parse_args()
    if options.parts:
        print({name: round(seconds, 6) for name, seconds in parts(options.tasks).items()})
        return
    found = compare(options.tasks, options.repeats)
    print("\n".join(table(found)))
    if options.json is not None:
        told = {"tasks": options.tasks, "seconds": found}
        options.json.write_text(json.dumps(told, indent=1), "utf-8")


if __name__ == "__main__":
    main()

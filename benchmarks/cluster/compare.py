"""Works on stored arrays, of dask_tapestry beside dask.array, on a cluster of small workers.

    python benchmarks/cluster/compare.py --json cluster.json
    python benchmarks/cluster/compare.py --on threads --only "sum,heat" --scale 0.2 --latest 60

Each work of `works.py` runs on a cluster of its own, of two workers with one thread and 1 GB each,
for each library by turns; with `--on threads` in a process of its own, on all threads. Seconds
count graph building, planning and computing: *first* is the first run of a fresh cluster, with all
that workers import and compile, *best* the least of the repeats. Peak is the memory of the worker
that took most, above what a fresh worker takes. *Scheduler* is the CPU seconds of a run, the
repeats' mean, in the thread that scheduler, nannies and the client's messages share. A library that
does not end a work in `--latest` seconds is given up: dask.array takes minutes for `heat`. Stores
in `--folder` are kept for later runs; that of `many images` has 10 GB, and what is written of it
twice that.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import exp, log
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.cluster.works import WORKS, Library, Shape, create, stores  # noqa: E402

LIBRARIES = ("dask.array", "dask_tapestry")
OURS = LIBRARIES[-1]
MEMORY_LIMIT = "1 GB"
LATEST = 240.0  # seconds after which a library is given up on a work

Row = dict[str, Any]


def memory_of(pid: int) -> tuple[int, int]:
    """Bytes that a process takes, and the most that it has taken."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = (re.search(rf"{name}:\s+(\d+) kB", text) for name in ("VmRSS", "VmHWM"))
    now, most = (1024 * int(one[1]) if one else 0 for one in found)
    return now, most


def library(name: str, folder: Path) -> Library:
    """A library's namespace with its own way to read and write stores."""
    if name == OURS:
        import dask_tapestry as namespace
    else:
        import dask.array as namespace

    def path(store: str) -> str:
        return str(folder / f"{store}.zarr")

    def save(x: Any, store: str, chunks: Shape | None) -> Any:
        if name == OURS:
            told = {} if chunks is None else {"chunks": chunks}
            return x.to_zarr(path(f"out-{store}"), overwrite=True, compute=False, **told)
        x = x if chunks is None else x.rechunk(chunks)
        return x.to_zarr(path(f"out-{store}"), overwrite=True, compute=False)

    return Library(namespace, lambda store: namespace.from_zarr(path(store)), save)


@contextmanager
def workers_of(place: str) -> Iterator[Any]:
    """A fresh cluster's client; None where this process computes."""
    if place == "threads":
        yield None
        return
    from distributed import Client, LocalCluster

    told = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        LocalCluster(memory_limit=MEMORY_LIMIT, silence_logs=logging.CRITICAL, **told) as cluster,
        Client(cluster) as client,
    ):
        yield client


def processes(client: Any) -> dict[str, int]:
    """Numbers of the processes that compute, by their names."""
    import os

    return {"this": os.getpid()} if client is None else dict(client.run(os.getpid))


def scheduler_seconds(client: Any) -> float:
    """CPU seconds that the scheduler's thread has taken; 0 where there is none."""
    return 0.0 if client is None else client.run_on_scheduler(time.thread_time)


def measure(
    name: str, work: str, place: str, folder: Path, repeats: int, latest: float = LATEST
) -> Row:
    """Run a work again and again on fresh workers; see the module's text."""
    import dask

    with workers_of(place) as client:
        before = processes(client)
        start = {who: memory_of(pid)[0] for who, pid in before.items()}
        seconds, failed = [], ""
        scheduled = scheduler_seconds(client)
        while len(seconds) < repeats and sum(seconds) < latest / 4:
            begin = time.perf_counter()
            try:
                dask.compute(*WORKS[work].make(library(name, folder)))
            except Exception as error:  # a row says so
                failed = type(error).__name__
                break
            seconds.append(time.perf_counter() - begin)
        scheduled = scheduler_seconds(client) - scheduled
        after = processes(client)
        peak = max(
            (
                memory_of(pid)[1] - start[who]
                for who, pid in before.items()
                if after.get(who) == pid
            ),
            default=0,
        )
        pauses = _pauses(client)
    return {
        "work": work,
        "library": name,
        "first": seconds[0] if seconds else None,
        "best": min(seconds, default=None),
        "peak": peak,
        "scheduler": scheduled / len(seconds) if seconds else None,
        "pauses": pauses,
        "restarts": sum(after.get(who) != pid for who, pid in before.items()),
        "failed": failed,
    }


def _pauses(client: Any) -> int:
    """How often a worker was paused."""
    if client is None:
        return 0
    logs = client.get_worker_logs()
    return sum("Pausing" in text for lines in logs.values() for _, text in lines)


def apart(name: str, work: str, options: argparse.Namespace) -> Row:
    """`measure` in a process of its own."""
    told = ["--one", name, "--only", work, "--on", options.on, "--scale", str(options.scale)]
    told += ["--repeats", str(options.repeats), "--folder", str(options.folder)]
    told += ["--latest", str(options.latest)]
    try:
        done = subprocess.run(
            [sys.executable, __file__, *told],
            capture_output=True, text=True, timeout=options.latest, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        given_up = f"> {options.latest:.0f} s"
        return {"work": work, "library": name, "best": None, "failed": given_up}
    except subprocess.CalledProcessError as error:
        sys.stderr.write(error.stderr)
        return {"work": work, "library": name, "best": None, "failed": "lost"}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def line(rows: Sequence[Row]) -> str:
    """One work's row of the table."""
    cells = []
    for row in rows:
        if row["best"] is None:
            cells.append(f"{row['failed']:>34}")
            continue
        told = f"{row['first']:6.2f} {row['best']:6.2f} s {row['peak'] / 1e6:6.0f} MB"
        told += f" {row['scheduler']:5.2f} s"
        trouble = f" {row['pauses']}p {row['restarts']}r" if row["pauses"] + row["restarts"] else ""
        cells.append(told + trouble)
    times = ratio(rows)
    return f"{rows[0]['work']:20}" + "   ".join(cells) + (f"  {times:5.2f}" if times else "")


def ratio(rows: Sequence[Row]) -> float | None:
    """Seconds of dask.array over ours."""
    found = {row["library"]: row["best"] for row in rows}
    return found[LIBRARIES[0]] / found[OURS] if None not in found.values() else None


def main() -> None:
    """Measure what the command line says, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="names of works, with commas")
    parser.add_argument("--on", choices=("cluster", "threads"), default="cluster")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--latest", type=float, default=LATEST, help="seconds for each library")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/dask-tapestry-cluster"))
    parser.add_argument("--json", type=Path, help="file to add what is measured to")
    parser.add_argument("--one", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [work for work in WORKS if not options.only or work in options.only.split(",")]
    if options.one:
        (work,) = chosen
        told = options.on, options.folder, options.repeats, options.latest
        print(json.dumps(measure(options.one, work, *told)))
        return
    sizes = stores(options.scale)
    for name in dict.fromkeys(store for work in chosen for store in WORKS[work].reads):
        create(options.folder, name, sizes[name])
    known = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    print(
        f"{'':20}" + "   ".join(f"{name:>10}: first, best, peak, scheduler" for name in LIBRARIES)
    )
    found = []
    for work in chosen:
        rows = [apart(name, work, options) for name in LIBRARIES]
        found.append(rows)
        print(line(rows), flush=True)
        if options.json:
            known[f"{options.on} {work}"] = rows
            options.json.write_text(json.dumps(known, indent=1))
    ratios = [times for rows in found if (times := ratio(rows))]
    if ratios:
        mean = exp(sum(map(log, ratios)) / len(ratios))
        print(f"geometric mean {mean:.2f} of {len(ratios)}, worst {min(ratios):.2f}")


if __name__ == "__main__":
    main()

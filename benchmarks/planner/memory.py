"""Peak memory of random programs beside what their plans predict.

    python benchmarks/planner/memory.py --programs 200
    python benchmarks/planner/memory.py --programs 200 --on cluster --json memory.json
    python benchmarks/planner/memory.py --only 17 --explain

Each program is run on few cells, so that its kernels are compiled, and then on many; the peak is
what the process holds at most above what it held before, read from Linux's counters; on a cluster
(two workers of one thread on this machine, where results stay) that of the worker that holds most.
A line is printed for each program whose ratio of the measured to the predicted peak is outside
`BOUNDS`, and the shares at the end. Peaks of less than `LEAST` bytes tell of the interpreter, not
of plans.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Protocol
from unittest.mock import patch

import distributed

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.process_memory import begin, most, return_memory  # noqa: E402
from dask_tapestry_kernels import compilation  # noqa: E402
from tests.planner.large_programs import drawn  # noqa: E402

BOUNDS = 0.6, 1.1
LEAST = 16 * 2**20
SIZES = 30, 60  # megabytes
SMALL = 2 * 10**6  # bytes of the run before, which compiles
IN_ONE_PROCESS = 20  # programs; more leave the heap in pieces
WORKERS = 2


class Peak(Protocol):
    """Computes something; returns the bytes that are held at most meanwhile."""

    def __call__(self, x: Any) -> int: ...


def here(x: Any) -> int:
    """Bytes that the process holds at most while `x` is computed, above those before."""
    before = begin()
    result = dt.compute(x)
    above = most() - before
    del result
    return above


@contextmanager
def on_process() -> Iterator[Peak]:
    """Peaks of this process."""
    return_memory()
    with compilation.mode("wait"):
        yield here


@contextmanager
def on_cluster() -> Iterator[Peak]:
    """Peaks of the worker of a cluster that holds most."""
    with (
        patch.dict(os.environ, DASK_TAPESTRY_KERNELS="wait"),  # of the workers
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"
        ) as local,
        distributed.Client(local) as client,
    ):
        client.run(return_memory)

        def there(x: Any) -> int:
            before = client.run(begin)
            result = dt.persist(x)
            distributed.wait(result)
            held = client.run(most)
            del result
            return max(held[worker] - before[worker] for worker in held)

        yield there


PLACES = {"process": on_process, "cluster": on_cluster}


def measured(number: int, peak_of: Peak, explain: bool = False) -> dict[str, Any]:
    """Program `number`: its text, and the predicted and the measured peak in bytes."""
    random = Random(number)
    size = random.randint(*SIZES) * 10**6
    with tempfile.TemporaryDirectory() as folder:
        dt.compute(drawn(Random(number), SMALL, Path(folder))[1])
        text, x = drawn(random, size, Path(folder))
        p = dt.plan(x)
        row: dict[str, Any] = {"number": number, "text": text}
        row["predicted"] = p.cost["peak_worker_bytes"]
        started = time.perf_counter()
        try:
            row["measured"] = peak_of(x)
            if row["measured"] > BOUNDS[1] * row["predicted"]:  # what a first call loads stays
                row["measured"] = min(row["measured"], peak_of(x))
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"[:300]
        row["seconds"] = time.perf_counter() - started
        if explain:
            print(p.explain())
            for step in p.core.steps.values():
                print(step.node, step.needs)
    return row


def rows_of(numbers: list[int], place: str) -> list[dict[str, Any]]:
    """The rows of some programs, measured in a process of their own."""
    command = [sys.executable, str(Path(__file__)), "--inside", json.dumps(numbers), "--on", place]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode and len(found) < len(numbers):
        lost = numbers[len(found)]
        found.append({"number": lost, "text": "", "error": done.stderr[-300:]})
        found += rows_of(numbers[len(found) :], place) if numbers[len(found) :] else []
    return found


def report(rows: list[dict[str, Any]]) -> None:
    """Print how many programs keep to the bounds."""
    ratios = sorted(r["measured"] / r["predicted"] for r in rows if _counts(r))
    within = sum(BOUNDS[0] <= ratio <= BOUNDS[1] for ratio in ratios)
    above = sum(ratio > BOUNDS[1] for ratio in ratios)
    print(f"{len(rows)} programs, {len(ratios)} of them above {LEAST >> 20} MiB")
    if ratios:
        marks = [ratios[min(len(ratios) - 1, int(q * len(ratios)))] for q in (0, 0.1, 0.5, 0.9, 1)]
        print(f"within {BOUNDS}: {within}, above: {above}, below: {len(ratios) - within - above}")
        print(
            "measured / predicted, least, 10 %, median, 90 %, most:", *[f"{m:.2f}" for m in marks]
        )


def _counts(row: dict[str, Any]) -> bool:
    return "measured" in row and max(row["measured"], row["predicted"]) >= LEAST


def show(row: dict[str, Any]) -> None:
    """Print a program that is outside the bounds, or failed."""
    if "error" in row:
        print(f"{row['number']:4} {row['text']}: {row['error']}", flush=True)
    elif _counts(row):
        ratio = row["measured"] / row["predicted"]
        if not BOUNDS[0] <= ratio <= BOUNDS[1]:
            megabytes = f"{row['measured'] / 1e6:.0f} of {row['predicted'] / 1e6:.0f} MB"
            print(f"{row['number']:4} {ratio:.2f} {megabytes}: {row['text']}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one program")
    parser.add_argument("--explain", action="store_true", help="print the plan of that one")
    parser.add_argument("--on", choices=PLACES, default="process")
    parser.add_argument("--json", type=Path, help="file to write what is measured to")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        with PLACES[given.on]() as peak_of:
            for number in json.loads(given.inside):
                print(json.dumps(measured(number, peak_of)), flush=True)
        return
    if given.only is not None:
        with PLACES[given.on]() as peak_of:
            row = measured(given.only, peak_of, given.explain)
        print(row, row["measured"] / row["predicted"])
        return
    rows: list[dict[str, Any]] = []
    for first in range(given.seed, given.seed + given.programs, IN_ONE_PROCESS):
        last = min(first + IN_ONE_PROCESS, given.seed + given.programs)
        for row in rows_of(list(range(first, last)), given.on):
            show(row)
            rows.append(row)
    report(rows)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

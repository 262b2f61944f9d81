"""Random programs on stored data of about twice a worker's memory: what workers hold at most.

    python benchmarks/cluster/memory.py --programs 50
    python benchmarks/cluster/memory.py --only 0,17 --latest 300 --explain --json memory.json

Each program runs on two workers with one thread and 1 GB each, first on a small store, so that its
kernels are loaded, then on a large one. The peak is that of the worker that takes most, above what
it took before, read from Linux's counters, beside what the plan predicts. A program keeps to the
bound if that is at most 1.1 of the prediction and `SPARE`; no worker may be paused, killed or
started anew. A plan that does not fit is refused before the first task; one that would read its
data more than `MOST_READ` times is left out, as it takes long. The chunks of a store are one file
by many names, so that 2 GB take 32 MB of disk.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.process_memory import begin, most, return_memory  # noqa: E402
from tests.planner.large_programs import ENDING, KEEPING  # noqa: E402

MEMORY_LIMIT = "1 GB"
BYTES = 2 * 10**9  # of a large store
PART = 400  # of a large store's cells in a small one, which has the same numbers of chunks
BOUND = 1.1
SPARE = 64 * 2**20  # bytes of what kernels have for themselves, and of the interpreter
LATEST = 150.0  # seconds after which a program is given up
STEPS = 3  # at most, before the last
FIXED = ("held",)  # steps whose blocks the user makes too large for such workers
MOST_READ = 16  # times that a program may read its data
REFUSED, LEFT_OUT = "refused", "left out"
WHOLE = ("keep",)  # ends whose result is as large as the data


class Layout(NamedTuple):
    """How a store is laid out: a dtype, and how many chunks there are along each dimension."""

    dtype: str
    chunks: tuple[int, int]
    compressed: bool


LAYOUTS = {
    "squares": Layout("f8", (8, 8), False),
    "rows": Layout("f8", (128, 1), False),
    "columns": Layout("f4", (1, 128), True),
    "packed": Layout("i4", (12, 6), True),
}


class Row(NamedTuple):
    """A program: its text, the bytes that are predicted and held at most, seconds, trouble."""

    number: int
    text: str
    predicted: int
    measured: int
    seconds: float
    trouble: str

    @property
    def is_kept(self) -> bool:
        """Whether nothing went wrong."""
        is_small = self.measured <= BOUND * self.predicted + SPARE
        return is_small and self.trouble in ("", REFUSED, LEFT_OUT)

    def __str__(self) -> str:
        ratio = self.measured / self.predicted if self.predicted else 0.0
        sizes = f"{self.measured / 1e6:5.0f} of {self.predicted / 1e6:5.0f} MB  {ratio:4.2f}"
        mark = "" if self.is_kept else "  !"
        return f"{self.number:3} {sizes} {self.seconds:6.1f} s  {self.text} {self.trouble}{mark}"


def create(folder: Path, name: str, size: int) -> dt.Array:
    """The array of a store of about so many bytes, written unless it is there."""
    import zarr

    path, layout = folder / f"{name}-{size}.zarr", LAYOUTS[name]
    if not (path / "complete").exists():
        side = round((size / np.dtype(layout.dtype).itemsize) ** 0.5)
        chunk = tuple(max(1, side // n) for n in layout.chunks)
        shape = tuple(n * c for n, c in zip(layout.chunks, chunk, strict=True))
        z = zarr.create_array(
            path, shape=shape, chunks=chunk, dtype=layout.dtype, overwrite=True,
            compressors="auto" if layout.compressed else None,
        )  # fmt: skip
        cells = np.random.default_rng(0).integers(0, 100, chunk, "u1").astype(layout.dtype)
        z[: chunk[0], : chunk[1]] = cells
        first = path / "c" / "0" / "0"
        for index in product(*map(range, layout.chunks)):
            place = path / "c" / str(index[0]) / str(index[1])
            place.parent.mkdir(exist_ok=True)
            if place != first:
                os.link(first, place)
        (path / "complete").touch()
    return dt.from_zarr(path)


def drawn(number: int, folder: Path, size: int) -> tuple[str, Any]:
    """Program `number` on a store of so many bytes: its text, and the array or the write."""
    random = Random(number)
    name = random.choice(list(LAYOUTS))
    x, text = create(folder, name, size), [name]
    for _ in range(random.randint(0, STEPS)):
        step = random.choice([n for n in KEEPING if n not in FIXED])
        text.append(step)
        x = KEEPING[step](random, x)
    step = random.choice([n for n in ENDING if n not in WHOLE])
    text.append(step)
    x = ENDING[step](random, x)
    if step == "write":
        x = dt.to_zarr(x, folder / "written.zarr", overwrite=True, compute=False)
    return " > ".join(text), x


@contextmanager
def workers() -> Iterator[Any]:
    """The client of two small workers."""
    from distributed import Client, LocalCluster

    with (
        patch.dict(os.environ, DASK_TAPESTRY_KERNELS="wait"),  # of the workers
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=MEMORY_LIMIT, dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        client.run(return_memory)
        yield client


def run(client: Any, x: Any, latest: float) -> int:
    """Compute where the workers are; the bytes that one of them held at most above before."""
    from distributed import wait

    before = client.run(begin)
    result = dt.persist(x)
    try:
        wait(result, timeout=latest)
        dt.compute(*result)  # an error of a task is raised here
    finally:
        del result
    held = client.run(most)
    return max(held[worker] - before[worker] for worker in before if worker in held)


def measured(client: Any, number: int, folder: Path, options: argparse.Namespace) -> Row:
    """Run a program; see the module's text."""
    size, latest = options.bytes, options.latest
    text, x = drawn(number, folder, size)
    processes, paused = client.run(os.getpid), pauses(client)
    begun = time.perf_counter()
    predicted = held = 0
    trouble = ""
    try:
        p = dt.plan(x)
        p.verify()
        predicted = round(p.cost["peak_worker_bytes"])
        if p.cost["bytes_read"] > MOST_READ * size:
            return Row(number, text, predicted, 0, 0.0, LEFT_OUT)
        run(client, drawn(number, folder, size // PART)[1], latest)
        if options.explain:
            print(p.explain())
        begun = time.perf_counter()
        held = run(client, x, latest)
        if held > BOUND * predicted + SPARE:  # what a first call loads stays
            held = min(held, run(client, x, latest))
    except dt.MemoryLimitError:
        trouble = REFUSED
    except Exception as error:  # a row says so
        trouble = f"{type(error).__name__}: {error}"[:100]
    seconds = time.perf_counter() - begun
    if client.run(os.getpid) != processes:
        trouble += " a worker was lost"
    if pauses(client) > paused:
        trouble += " a worker was paused"
    shutil.rmtree(folder / "written.zarr", ignore_errors=True)
    return Row(number, text, predicted, held, seconds, trouble)


def pauses(client: Any) -> int:
    """How often a worker was paused."""
    logs = client.get_worker_logs()
    return sum("Pausing" in text for lines in logs.values() for _, text in lines)


def add(place: Path, row: Row) -> None:
    """Write a row to a file of JSON, in place of an older one of its program."""
    known = json.loads(place.read_text()) if place.exists() else {}
    known[str(row.number)] = {**row._asdict(), "kept": row.is_kept}
    place.write_text(json.dumps(known, indent=1))


def report(rows: Sequence[Row]) -> None:
    """Print how many programs kept to the bound."""
    ratios = sorted(row.measured / row.predicted for row in rows if row.measured)
    missed = sum(not row.is_kept for row in rows)
    refused, long = (sum(row.trouble == why for row in rows) for why in (REFUSED, LEFT_OUT))
    print(
        f"{len(rows)} programs: {len(rows) - missed - refused - long} kept to the bound, {refused}"
        f" were refused as too large, {long} left out as too long, {missed} did not keep to it"
    )
    if ratios:
        middle, last = ratios[len(ratios) // 2], ratios[-1]
        print(f"measured of predicted: median {middle:.2f}, most {last:.2f}")


def main() -> None:
    """Measure what the command line says, and print a line for each program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--only", help="numbers of programs, with commas")
    parser.add_argument("--latest", type=float, default=LATEST, help="seconds for a program")
    parser.add_argument("--json", type=Path, help="file to add what is measured to")
    parser.add_argument("--explain", action="store_true", help="print plans")
    parser.add_argument("--bytes", type=int, default=BYTES, help="of a store")
    options = parser.parse_args()
    numbers: Sequence[int] = range(options.seed, options.seed + options.programs)
    if options.only:
        numbers = [int(number) for number in options.only.split(",")]
    rows = []
    with tempfile.TemporaryDirectory() as name, workers() as client:
        for number in numbers:
            rows.append(measured(client, number, Path(name), options))
            print(rows[-1], flush=True)
            if options.json:
                add(options.json, rows[-1])
    report(rows)
    sys.exit(not all(row.is_kept for row in rows))


if __name__ == "__main__":
    main()

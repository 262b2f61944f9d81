"""Bytes that go from worker to worker beside those that plans predict.

    python benchmarks/planner/transfers.py
    python benchmarks/planner/transfers.py --workers 4 --only "rows" --explain --json moved.json

Each program is run on a cluster on this machine; measured is what its workers have logged of values
that came from others. Arrays lie on the workers in blocks as they would after a step before; what a
program makes stays there. Dask decides which worker computes what, so the share that happens to be
where it is needed varies from run to run: the median of several counts. Rates are as shipped, so
that plans are the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import distributed
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402

NEAR = 0.1  # of what is measured: within this the predicted bytes should be
LEAST = 2**20  # bytes: fewer are partial results and messages
REPEATS = 3
WORKERS = 2

Row = dict[str, Any]


def placed(*shape: int, chunks: tuple[int, ...]) -> dt.Array:
    """An array on the workers, in blocks."""
    cells = np.random.default_rng(0).random(shape)
    x = dt.asarray(cells).rechunk(chunks).persist()
    distributed.wait(x)
    return x


def rows_to_columns() -> dt.Array:
    return placed(3000, 2000, chunks=(250, 2000)).rechunk((3000, 250))


def rows_to_tiles() -> dt.Array:
    return placed(4000, 2000, chunks=(250, 2000)).rechunk((1000, 500))


def turned() -> dt.Array:
    return placed(3000, 3000, chunks=(300, 3000)).T.rechunk((300, 3000)) + 1


def symmetric() -> dt.Array:
    x = placed(3000, 3000, chunks=(1000, 1000))
    return x + x.T


def product() -> dt.Array:
    x, y = (placed(1600, 1600, chunks=(400, 400)) for _ in range(2))
    return x @ y


def gram() -> dt.Array:
    x = placed(20_000, 200, chunks=(2000, 200))
    return x.T @ x


def normalised() -> dt.Array:
    x = placed(4000, 1000, chunks=(500, 1000))
    return (x - x.mean(axis=0)) / x.std(axis=0)


def normalised_tiles() -> dt.Array:
    x = placed(4000, 2000, chunks=(1000, 500))
    return (x - x.mean(axis=1, keepdims=True)).sum(axis=0)


def sorted_columns() -> dt.Array:
    return dt.sort(placed(4000, 1000, chunks=(500, 1000)), axis=0)


def sum_along_rows() -> dt.Array:
    return dt.cumsum(placed(2000, 4000, chunks=(2000, 500)), axis=1)


def stencil() -> dt.Array:
    x = placed(4000, 2000, chunks=(500, 2000))
    return x[2:] - 2 * x[1:-1] + x[:-2]


def reversed_rows() -> dt.Array:
    return placed(4000, 2000, chunks=(500, 2000))[::-1] * 2


def two_grids() -> dt.Array:
    x, y = placed(4000, 1000, chunks=(500, 1000)), placed(4000, 1000, chunks=(4000, 125))
    return x + y


def made_of_one() -> dt.Array:
    x = placed(640_000, 50, chunks=(20_000, 50))
    y = dt.sin(x).rechunk(x.chunks)
    z = dt.cos(y).rechunk(x.chunks)
    return (x + y * z).rechunk(x.chunks)


def taken() -> dt.Array:
    x = placed(8000, 500, chunks=(1000, 500))
    return dt.take(x, np.random.default_rng(0).permutation(8000), axis=0)


PROGRAMS: dict[str, Callable[[], dt.Array]] = {
    make.__name__.replace("_", " "): make
    for make in (
        rows_to_columns,
        rows_to_tiles,
        turned,
        symmetric,
        product,
        gram,
        normalised,
        normalised_tiles,
        sorted_columns,
        sum_along_rows,
        stencil,
        reversed_rows,
        two_grids,
        made_of_one,
        taken,
    )
}


def come(dask_worker: Any) -> int:
    """Bytes of values that came to a worker since it was asked last."""
    log = dask_worker.transfer_incoming_log
    total = sum(entry["total"] for entry in log)
    log.clear()
    return int(total)


def measured(make: Callable[[], dt.Array], client: distributed.Client, repeats: int) -> Row:
    """Bytes that the plan of a program predicts, and those that runs of it moved.

    Each run has arrays of its own: of those that were read, copies stay where they were read.
    """
    moved = []
    for _ in range(repeats):
        plan = dt.plan(make())
        client.run(come)
        result = plan.persist()
        distributed.wait(result)
        moved.append(sum(client.run(come).values()))
        del result
    return {
        "predicted": plan.cost["bytes_moved"],
        "measured": median(moved),
        "runs": moved,
        "text": plan.explain(),
    }


def is_near(row: Row) -> bool:
    """Whether the prediction is near to what was measured, or both are next to nothing."""
    apart = abs(row["predicted"] - row["measured"])
    return bool(apart <= max(NEAR * row["measured"], LEAST))


@contextmanager
def cluster(workers: int) -> Iterator[distributed.Client]:
    """A client of workers on this machine with one thread each."""
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0"
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def report(found: dict[str, Row]) -> str:
    """A line for each program, and how many predictions are near."""
    lines = [f"{'program':18} {'predicted':>12} {'measured':>12}  ratio"]
    for name, row in found.items():
        ratio = row["predicted"] / row["measured"] if row["measured"] else float("nan")
        runs = ", ".join(f"{n / 1e6:.1f}" for n in row["runs"])
        lines.append(
            f"{name:18} {row['predicted'] / 1e6:9.1f} MB {row['measured'] / 1e6:9.1f} MB "
            f"{ratio:6.2f} {' ' if is_near(row) else '*'} ({runs})"
        )
    near = sum(map(is_near, found.values()))
    predicted, moved = (sum(row[w] for row in found.values()) for w in ("predicted", "measured"))
    all_of_them = predicted / moved if moved else float("nan")
    lines.append(f"within {NEAR:.0%}: {near} of {len(found)}; of all: {all_of_them:.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="names of programs, or parts, with commas")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--explain", action="store_true", help="print the plans too")
    parser.add_argument("--json", type=Path, help="file to write what is measured to")
    given = parser.parse_args()
    found: dict[str, Row] = {}
    with dt.config(rates="shipped"), cluster(given.workers) as client:
        for name, make in PROGRAMS.items():
            if any(part in name for part in given.only.split(",")):
                found[name] = measured(make, client, given.repeats)
                if given.explain:
                    print(name, found[name]["text"])
    print(report(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()

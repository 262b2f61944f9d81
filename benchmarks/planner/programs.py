"""Programs whose best plans are known, on tensors that need not exist.

`NAMED` has them by name; each is a function without arguments that returns a `Case`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask_tapestry as dt

GIB = 2**30
USUAL = {"workers": 64, "threads": 4, "memory": "16 GiB", "bandwidth": "1 GB/s"}


@dataclass(frozen=True)
class Ask:
    """A figure of a plan and the most that it may be."""

    what: str
    figure: Callable[[Any], float]
    most: float
    unit: str = ""


@dataclass(frozen=True)
class Case:
    """What is planned, for which machines, and what is asked of its plan besides `IDLE`."""

    roots: tuple[Any, ...]
    resources: dt.Resources
    asks: tuple[Ask, ...]


IDLE = Ask("work idle in a last wave", lambda found: found.idle_share(), 0.05)


def case(*roots: Any, asks: list[Ask], **resources: Any) -> Case:
    return Case(roots, dt.Resources(**(USUAL | resources)), tuple(asks))


def reads(x: Any, most: float) -> Ask:
    return Ask("read of the input", lambda found: found.read_of(x.node) / x.nbytes, most)


def moves(of: float, most: float, what: str) -> Ask:
    return Ask(f"moved of {what}", lambda found: found.moved / of, most)


def matmul(chunks: tuple[int, int] | None) -> Case:
    """The 2.5D bound: a cube of the index space a worker, whose three faces it sends or takes."""
    n, workers = 100_000, USUAL["workers"]
    a, b = (dt.placeholder((n, n), "f8", chunks) for _ in range(2))
    bound = 3 * n**2 * workers ** (1 / 3) * 8
    once = a.nbytes + b.nbytes
    again = Ask(
        "moved and read again of the 2.5D bound", lambda f: (f.moved + f.read - once) / bound, 1.2
    )
    return case(a @ b, asks=[again, Ask("edges", lambda f: f.edges, 50_000)])


def mlp24() -> Case:
    """24 layers, whose activations need not leave a task; only weights go to all workers."""
    x = dt.placeholder((10_000_000, 1024), "f4", (1000, 1024))
    weights = [dt.placeholder((1024, 1024), "f4") for _ in range(24)]
    y = x
    for w in weights:
        y = dt.nn.relu(dt.nn.linear(y, w))
    slots, rows = 4096 * 8, x.shape[0]
    return case(
        y,
        workers=4096,
        threads=8,
        memory="64 GiB",
        asks=[
            Ask("tasks a slot", lambda f: f.tasks / slots, 4),
            Ask("bytes of activations moved", lambda f: _moved_tall(f, rows), 0),
            reads(x, 1.05),
        ],
    )


def _moved_tall(found: Any, rows: int) -> float:
    """Bytes moved of values that have `rows`."""
    return sum(n for s in found.steps for x, n in s.moved.items() if x.type.shape[0] == rows)


def normalise() -> Case:
    x = dt.placeholder((100_000, 100_000), "f8", (2000, 2000))
    y = ((x - x.mean(0)) / x.std(0)).sum(1)
    return case(y, asks=[moves(x.nbytes, 0.05, "the input"), reads(x, 3.0)])


def rows_to_columns(stored: bool) -> Case:
    """Rows are read and columns held: 2 GB each, of which a worker has two."""
    x = dt.placeholder((100_000, 500_000), "f8", (500, 500_000))
    y = x.rechunk((100_000, 2500))
    root = dt.to_zarr(y, "nowhere", chunks=(10_000, 2500), compute=False) if stored else y
    asks = [reads(x, 1.05), moves(x.nbytes, 1.1, "the input")]
    return case(root, workers=100, threads=2, memory="48 GiB", asks=asks)


def attended(q: Any, k: Any, v: Any) -> Any:
    scores = q @ dt.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    scores = dt.exp(scores - scores.max(axis=-1, keepdims=True))
    return (scores / scores.sum(axis=-1, keepdims=True)) @ v


def attention(*batch: int, cells: int) -> Case:
    q, k, v = (dt.placeholder((*batch, cells, 128), "f4") for _ in range(3))
    asks = [Ask("moved and read again", lambda f: _again(f, q, k, v) / GIB, 1.0, "GiB")]
    return case(attended(q, k, v), asks=asks if cells < 10**6 else [])


def _again(found: Any, *sources: Any) -> float:
    return found.moved + found.read - sum(x.nbytes for x in sources)


def heat() -> Case:
    """Ten steps at once: a block needs ten cells around it."""
    n, steps = 1_000_000, 10
    x = u = dt.placeholder((n, n), "f4", (2000, 2000))
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u = inner + 0.1 * (around - 4 * inner)
    asks = [
        reads(x, 1.1),
        Ask("moved of the surface", lambda f: f.moved / max(1, _surface(f, n, steps)), 1.2),
    ]
    return case(dt.to_zarr(u, "nowhere", compute=False), asks=asks)


def _surface(found: Any, n: int, depth: int) -> float:
    """Bytes around all blocks of the value that is computed from the halo, those on cuts alone."""
    step = max((s.step for s in found.steps), key=lambda s: len(s.program.instructions))
    rows, columns = (c.count - 1 for c in step.cuts)
    return 2 * depth * n * (rows + columns) * 4.0


def quadratic_means() -> Case:
    """The products of two fields, averaged over time; each field is needed by two of the three."""
    shape, chunks = (5000, 987, 1920), (10, 987, 1920)
    u, v = (dt.placeholder(shape, "f8", chunks) for _ in range(2))
    once = u.nbytes + v.nbytes
    means = [(a * b).mean(axis=0) for a, b in ((u, u), (v, v), (u, v))]
    asks = [Ask("read and moved of the inputs", lambda f: (f.read + f.moved) / once, 1.1)]
    return case(*means, workers=100, asks=asks)


def image_mean() -> Case:
    x = dt.placeholder((163_000_000, 256, 256, 3), "u1", (64, 256, 256, 3))
    asks = [
        Ask("tasks with slices", lambda f: f.tasks, 40_000),
        Ask("moved", lambda f: f.moved / 1e9, 70, "GB"),
        reads(x, 1.05),
    ]
    return case(x.mean(axis=0), asks=asks)


def pca() -> Case:
    """The covariance of 1000 columns: 8 MB from each task that reads rows."""
    x = dt.placeholder((800_000, 1000), "f8", (10_000, 1000))
    asks = [
        reads(x, 1.05),
        moves(x.nbytes, 0.25, "the input"),
        Ask("tasks with slices", lambda f: f.tasks, 1000),
    ]
    return case(x.T @ x, workers=16, threads=2, memory="2 GiB", asks=asks)


def climatology() -> Case:
    x = dt.placeholder((14610, 1800, 3600), "f4", (30, 450, 900))
    return case(x.mean(axis=0), workers=50, asks=[reads(x, 1.05)])


def transpose_add() -> Case:
    """Pairs of chunks: what is read of one side serves the other, or is read a second time."""
    x = dt.placeholder((100_000, 100_000), "f8", (2000, 2000))
    root = dt.to_zarr(x + x.T, "nowhere", compute=False)
    told = Ask("bytes foretold, from those counted", _misjudged, 0.01)
    both = Ask("read and moved of the input", lambda f: (f.read + f.moved) / x.nbytes, 2.05)
    return case(root, asks=[both, told])


def terabyte_sorted() -> Case:
    """One lane of 1 TB: each cell goes to another worker once, and probes before."""
    x = dt.placeholder((125 * 10**9,), "f8", (62_500_000,))
    asks = [moves(x.nbytes, 1.3, "the input")]
    return case(dt.sort(x), workers=100, threads=4, memory="64 GiB", asks=asks)


def _misjudged(found: Any) -> float:
    return abs(found.plan.cost["bytes_read"] / found.read - 1)


NAMED: dict[str, Callable[[], Case]] = {
    "matmul chunked": lambda: matmul((2000, 2000)),
    "matmul not chunked": lambda: matmul(None),
    "MLP of 24 layers": mlp24,
    "normalise and sum": normalise,
    "rows to columns": lambda: rows_to_columns(stored=False),
    "rows to columns in Zarr": lambda: rows_to_columns(stored=True),
    "attention 8192": lambda: attention(cells=8192),
    "attention 16 x 8192": lambda: attention(16, cells=8192),
    "attention 10**6": lambda: attention(cells=10**6),
    "heat x 10": heat,
    "quadratic means": quadratic_means,
    "mean of 32 TB of images": image_mean,
    "PCA": pca,
    "climatology": climatology,
    "x + x.T to Zarr": transpose_add,
    "sort of 1 TB": terabyte_sorted,
}

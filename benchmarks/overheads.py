"""What it costs to build and plan, beside dask.array.

    python benchmarks/overheads.py
    python benchmarks/overheads.py --repeats 20 --json overheads.json

Both libraries run in one process, taking turns; each figure is the best of the repeats, in
milliseconds. `imports.py` has what it costs to start.
"""

import argparse
import itertools
import json
import pickle
import tempfile
import time

import dask
import dask.array as da
import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.cache import plan_of

IMAGES = {"10 M images (2 TB)": 10_000_000, "163 M images (32 TB)": 163_000_000}
WORKERS = (1, 10, 100, 1000, 10_000)


def head_of_million_chunks(xp):
    return xp.ones((10**6,), chunks=1)[:5].compute()


def head_of_chain(xp):
    """A small slice of 20 elementwise operators and selections over 10,000 blocks."""
    x = xp.ones((10**4, 100), chunks=(1, 100))
    for step in range(10):
        x = xp.where(x > step, x, x + 1)
        x = xp.sqrt(x) * 2 if step % 2 else x[::-1]
    return x[:3].compute()


def trivial(xp):
    return (xp.asarray(np.arange(1000.0)) + 1).compute()


def build_only(xp):
    return xp.asarray(np.arange(1000.0)) + 1


# name, function, how often dask.array is measured (None: as often as ours)
PAIRS = [
    ("x[:5] of 10**6 chunks", head_of_million_chunks, 1),
    ("[:3] of 20 operators over 10**4 blocks", head_of_chain, 3),
    ("one trivial compute, graph included", trivial, None),
    ("the same, graph only", build_only, None),
]


def milliseconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return 1000 * (time.perf_counter() - start)


def pair(name, function, dask_repeats, repeats):
    """Best times of both, alternating; our first call is kept as well."""
    limit = repeats if dask_repeats is None else dask_repeats
    ours, theirs = [], []
    for turn in range(repeats):
        ours.append(milliseconds(function, dt))
        if turn < limit:
            theirs.append(milliseconds(function, da))
    return {"name": name, "ours_ms": min(ours), "ours_first_ms": ours[0], "dask_ms": min(theirs)}


def image_job(images):
    """The two writes of the image job, from a store that need not exist to ones that do not."""
    x = dt.placeholder(
        (images, 256, 256, 3),
        "uint8",
        stored_chunks=(64, 256, 256, 3),
        dims=("batch", "height", "width", "channel"),
    )
    y = x.astype("float16") / 255
    w = dt.placeholder((256 * 256 * 3, 64), "float32")
    b = dt.placeholder((64,), "float32")
    z = dt.nn.relu(dt.nn.linear(y.reshape(images, -1), w, b))
    return dt.to_zarr(y, "nowhere/y", compute=False), dt.to_zarr(z, "nowhere/z", compute=False)


def dask_image_job(images):
    """The same graph in dask.array, optimised as compute would; images of stored chunks of 64."""
    x = da.ones((images, 256, 256, 3), chunks=(64, 256, 256, 3), dtype="uint8")
    y = x.astype("float16") / 255
    w = da.ones((256 * 256 * 3, 64), chunks=-1, dtype="float32")
    z = da.maximum(y.reshape(images, -1) @ w + da.ones(64, dtype="float32"), 0)
    graph = dask.optimize(y, z)[0].__dask_graph__()
    return len(graph)


def plans(repeats):
    rows = []
    for name, images in IMAGES.items():
        for workers in WORKERS:
            resources = dt.Resources(workers=workers, threads=8, memory="64 GiB")
            times = []
            for _ in range(repeats):
                start = time.perf_counter()
                plan = dt.plan(*image_job(images), resources=resources)
                planned = time.perf_counter()
                graph = pickle.dumps(plan.graph())
                times.append((planned - start, time.perf_counter() - planned))
            rows.append(
                {
                    "name": name,
                    "workers": workers,
                    "plan_ms": 1000 * min(t[0] for t in times),
                    "graph_and_pickle_ms": 1000 * min(t[1] for t in times),
                    "pickled_bytes": len(graph),
                    "tasks": plan.cost["tasks"],
                }
            )
    return rows


def ten_operators(x):
    for step in range(5):
        x = dt.sqrt(x * 1.5 + step)
    return x


def found_again(repeats):
    """A chain of ten operators, planned for the first time and then found, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        dt.to_zarr(dt.ones((1000, 1000)), f"{folder}/x")
        names = (f"{folder}/{number}" for number in itertools.count())
        chains = {
            "memory": lambda: ten_operators(dt.asarray(np.ones((1000, 1000)))),
            "Zarr": lambda: ten_operators(dt.from_zarr(f"{folder}/x")),
            "Zarr to Zarr": lambda: dt.to_zarr(
                ten_operators(dt.from_zarr(f"{folder}/x")), next(names), compute=False
            ),
        }
        rows = {}
        for name, chain in chains.items():
            nodes = [chain().node for _ in range(repeats + 1)]
            first, *others = (milliseconds(plan_of, [node]) for node in nodes)
            rows[name] = {"first_ms": first, "again_ms": min(others)}
        return rows


def measure(repeats):
    report = {}
    dask.config.set(scheduler="threads")
    report["pairs"] = [pair(*row, repeats) for row in PAIRS]
    report["plans"] = plans(repeats)
    report["found_again"] = found_again(repeats)
    images = 1_000_000  # a tenth, because dask.array's graph grows with the number of chunks
    report["dask_graph_of_1_M_images_ms"] = milliseconds(dask_image_job, images)
    return report


def table(report):
    lines = [f"{'milliseconds':44}{'ours':>10}{'dask.array':>12}{'ratio':>8}"]
    rows = [(row["name"], row["ours_ms"], row["dask_ms"]) for row in report["pairs"]]
    for name, ours, theirs in rows:
        lines.append(f"{name:44}{ours:10.2f}{theirs:12.2f}{theirs / ours:8.1f}")
    lines.append("")
    lines.append(f"{'image job':22}{'workers':>9}{'plan ms':>10}{'pickle B':>10}{'tasks':>9}")
    lines += [
        f"{row['name']:22}{row['workers']:9}{row['plan_ms']:10.2f}"
        f"{row['pickled_bytes']:10}{row['tasks']:9.0f}"
        for row in report["plans"]
    ]
    lines.append(f"{'ten operators':22}{'first ms':>10}{'again ms':>10}")
    lines += [
        f"{name:22}{row['first_ms']:10.3f}{row['again_ms']:10.3f}"
        for name, row in report["found_again"].items()
    ]
    dask_ms = report["dask_graph_of_1_M_images_ms"]
    lines.append(f"dask.array builds and optimises the graph of 1 M images in {dask_ms:.0f} ms")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--json", default=None, help="also write the report to this file")
    arguments = parser.parse_args()
    report = measure(arguments.repeats)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(report, file, indent=1)
    print(table(report))


if __name__ == "__main__":
    main()

"""Every operator beside dask.array: building the graph, tasks, and bytes handed between tasks.

    python benchmarks/operators.py
    python benchmarks/operators.py --json operators.json

Both libraries read the same Zarr array (4096 x 4096 float64 in chunks of 1024 x 1024). dask.array
takes these chunks of 8 MiB, ours plans for four workers. The graphs that a persist would run are
written out and run task by task in this process; `tasks` is their number, `bytes` the sum of the
results of other tasks that each task takes. A task that only names another counts for neither.
"""

import argparse
import json
import time
import warnings
from statistics import geometric_mean, median

import dask.array as da
import numpy as np
import zarr
from dask._task_spec import Alias, DataNode, convert_legacy_graph
from dask.highlevelgraph import HighLevelGraph
from dask.utils import ensure_dict

import dask_tapestry as dt
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.teg import Graph

SIDE, CHUNK = 4096, 1024
REPEATS = 20

OPERATIONS = {
    "x + 1": lambda m, x: x + 1,
    "x * x.T": lambda m, x: x * x.T,
    "x[::2, 100:-1]": lambda m, x: x[::2, 100:-1],
    "x[::-1].T": lambda m, x: x[::-1].T,
    "reshape(-1)": lambda m, x: x.reshape(-1),
    "reshape(8192, 2048)": lambda m, x: x.reshape(8192, 2048),
    "concatenate": lambda m, x: m.concatenate([x, x]),
    "stack": lambda m, x: m.stack([x, x]),
    "broadcast_to": lambda m, x: m.broadcast_to(x[0], (50, SIDE)) + 1,
    "where": lambda m, x: m.where(x > 0.5, x, 0),
    "clip": lambda m, x: m.clip(x, 0.2, 0.8),
    "astype": lambda m, x: x.astype("f4"),
    "roll": lambda m, x: m.roll(x, 3, axis=0),
    "flip": lambda m, x: m.flip(x, 1),
    "rot90": lambda m, x: m.rot90(x),
    "tile": lambda m, x: m.tile(x, (2, 2)),
    "repeat": lambda m, x: m.repeat(x, 2, axis=0),
    "pad constant": lambda m, x: m.pad(x, 2),
    "pad edge": lambda m, x: m.pad(x, 2, mode="edge"),
    "pad wrap": lambda m, x: m.pad(x, 2, mode="wrap"),
    "tril": lambda m, x: m.tril(x),
    "diagonal": lambda m, x: m.diagonal(x),
    "diff": lambda m, x: m.diff(x, axis=0),
    "sum": lambda m, x: x.sum(),
    "sum axis 0": lambda m, x: x.sum(axis=0),
    "mean axis 1": lambda m, x: x.mean(axis=1),
    "var": lambda m, x: x.var(),
    "max": lambda m, x: x.max(),
    "argmax axis 0": lambda m, x: x.argmax(axis=0),
    "any": lambda m, x: (x > 2).any(),
    "nansum": lambda m, x: m.nansum(x, axis=0),
    "nanmean": lambda m, x: m.nanmean(x, axis=0),
    "median axis 0": lambda m, x: m.median(x, axis=0),
    "ptp": lambda m, x: m.ptp(x, axis=0),
    "average": lambda m, x: m.average(x, axis=0, weights=np.arange(SIDE)),
    "count_nonzero": lambda m, x: m.count_nonzero(x > 0.5),
    "histogram": lambda m, x: m.histogram(x, bins=10, range=(0, 1))[0],
    "bincount": lambda m, x: m.bincount((x[0] * 10).astype(int), minlength=10),
    "cumsum axis 0": lambda m, x: m.cumsum(x, axis=0),
    "cumprod axis 1": lambda m, x: m.cumprod(x, axis=1),
    "topk": lambda m, x: m.topk(x, 3, axis=0),
    "argtopk": lambda m, x: m.argtopk(x, 3, axis=1),
    "isin": lambda m, x: m.isin(x, [0.5, 0.25]),
    "searchsorted": lambda m, x: m.searchsorted(m.asarray(np.arange(9.0)), x),
    "digitize": lambda m, x: m.digitize(x, np.linspace(0, 1, 5)),
    "x[[1, 900, 5]]": lambda m, x: x[[1, 900, 5]],
    "take": lambda m, x: m.take(x, np.arange(0, SIDE, 3), axis=1),
    "x[sorted places]": lambda m, x: x[np.arange(0, SIDE, 7)],
    "vindex": lambda m, x: x.vindex[np.arange(0, SIDE, 5), np.arange(0, SIDE, 5)],
    "x @ x": lambda m, x: x @ x,
    "x @ v": lambda m, x: x @ x[0],
    "tensordot": lambda m, x: m.tensordot(x, x, axes=((0,), (0,))),
    "einsum": lambda m, x: m.einsum("ij,kj->ik", x, x),
    "outer": lambda m, x: m.outer(x[0], x[1]),
    "vdot": lambda m, x: m.vdot(x, x),
    "cov": lambda m, x: m.cov(x[:100]),
    "map_blocks": lambda m, x: m.map_blocks(np.sqrt, x),
    "apply_along_axis": lambda m, x: m.apply_along_axis(np.sort, 0, x),
}


def theirs(result):
    """Tasks of a dask.array that would be persisted."""
    (optimized,) = [result.__dask_optimize__(result.dask, result.__dask_keys__())]
    return convert_legacy_graph(ensure_dict(optimized))


def ours(result):
    graph = HighLevelGraph(result.dask.layers, result.dask.dependencies)
    return materialize(graph, flat(result.__dask_keys__()))


def flat(keys):
    return [k for key in keys for k in flat(key)] if isinstance(keys, list) else [keys]


def run(tasks):
    """Run tasks in order of need; return their number and the bytes they take from each other."""
    values, count, moved = {}, 0, 0
    for key in ordered(tasks):
        task = tasks[key]
        values[key] = task(values)
        if isinstance(task, Alias | DataNode):
            continue
        count += 1
        taken = [values[d] for d in task.dependencies]
        moved += sum(x.nbytes for x in taken if isinstance(x, np.ndarray))
    return count, moved


def ordered(tasks):
    done, stack = {}, list(tasks)
    while stack:
        key = stack[-1]
        missing = [d for d in tasks[key].dependencies if d not in done]
        if key in done:
            stack.pop()
        elif missing:
            stack += missing
        else:
            done[key] = None
    return done


def build_time(operation, module, make):
    seconds = []
    for _ in range(REPEATS):
        x = make()
        start = time.perf_counter()
        operation(module, x)
        seconds.append(time.perf_counter() - start)
    return 1e6 * median(seconds)


def measure(operation, store):
    row = {}
    for name, module, write in (("ours", dt, ours), ("dask", da, theirs)):
        make = lambda module=module: module.from_zarr(store)  # noqa: E731
        try:
            row[f"{name}_us"] = build_time(operation, module, make)
            if module is dt:
                row["operators"] = len(Graph([operation(dt, make()).bound]).nodes) - 1
            row[f"{name}_tasks"], row[f"{name}_bytes"] = run(write(operation(module, make())))
        except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
            row[f"{name}_error"] = f"{type(error).__name__}: {error}"[:60]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the figures there")
    parser.add_argument("--only", help="operations whose name contains this")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    store = zarr.storage.MemoryStore()
    cells = np.random.default_rng(0).random((SIDE, SIDE))
    dt.to_zarr(cells, store, chunks=(CHUNK, CHUNK))
    machines = dt.Resources(workers=4, threads=1, memory="4 GiB")
    rows = []
    print("| operation | build µs | dask | tasks | dask | MB between tasks | dask |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    with dt.config(resources=machines):
        for name, operation in OPERATIONS.items():
            if given.only and given.only not in name:
                continue
            row = {"name": name, **measure(operation, store)}
            rows.append(row)
            print("| " + " | ".join([name, *map(str, cells_of(row))]) + " |", flush=True)
    both = [r for r in rows if "ours_us" in r and "dask_us" in r]
    each = median(r["ours_us"] / max(r["operators"], 1) for r in rows if "operators" in r)
    print(f"\nbuilding: median {each:.0f} µs an operator of the graph")
    print(f"building: median {median(r['ours_us'] for r in rows if 'ours_us' in r):.0f} µs, "
          f"dask.array {median(r['dask_us'] for r in both):.0f} µs")  # fmt: skip
    counted = [r for r in both if "ours_tasks" in r and "dask_tasks" in r]
    ratio = geometric_mean(max(r["dask_tasks"], 1) / max(r["ours_tasks"], 1) for r in counted)
    more = [r["name"] for r in counted if r["ours_tasks"] > r["dask_tasks"]]
    moved = [r["name"] for r in counted if r["ours_bytes"] > r["dask_bytes"] + 2**20]
    print(f"dask.array needs {ratio:.1f} times the tasks (geometric mean of {len(counted)})")
    print(f"more tasks than dask.array: {more or 'none'}; 1 MiB more: {moved or 'none'}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def cells_of(row):
    found = []
    for kind, shown in (("us", "{:.0f}"), ("tasks", "{}"), ("bytes", None)):
        for library in ("ours", "dask"):
            value = row.get(f"{library}_{kind}")
            if value is None:
                found.append("–")
            else:
                found.append(f"{value / 1e6:.1f}" if shown is None else shown.format(value))
    return found


if __name__ == "__main__":
    main()

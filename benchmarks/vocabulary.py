"""Masks, scans, sorts, histograms and random fields in memory, beside NumPy and dask.array.

    python benchmarks/vocabulary.py
    python benchmarks/vocabulary.py --cells 100000000 --repeats 3 --json vocabulary.json

All run in one process, taking turns; each figure is the best of the repeats, in seconds, graph
building and planning included. Where a shape depends on data, dask.array's `compute_chunk_sizes`
counts it, as ours is counted.
"""

import argparse
import json
import time

import dask.array as da
import numpy as np

import dask_tapestry as dt


def mask_shape(xp, x):
    picked = x[x > 0.5]
    if xp is da:
        picked.compute_chunk_sizes()
    return picked.shape


def mask_value(xp, x):
    picked = x[x > 0.5]
    if xp is da:
        picked.compute_chunk_sizes()
    assert picked.shape
    return picked


def unique(xp, x):
    return xp.unique((x * 1000).astype("i4"))


def assign(xp, x):
    y = x.copy()
    y[y > 0.5] = 0
    return y


def random(xp, x):
    return xp.random.default_rng(0).random(size=x.size)


CASES = {
    "x[x > .5], its shape": (mask_shape, ("dt", "da")),
    "x[x > .5]": (mask_value, ("np", "dt", "da")),
    "cumsum": (lambda xp, x: xp.cumsum(x, axis=0), ("np", "dt", "da")),
    "sum, var": (lambda xp, x: [x.sum(), x.var()], ("np", "dt", "da")),
    "nanmean": (lambda xp, x: xp.nanmean(x), ("np", "dt", "da")),
    "histogram": (lambda xp, x: xp.histogram(x, 100, (0, 1))[0], ("np", "dt", "da")),
    "sort": (lambda xp, x: xp.sort(x), ("np", "dt")),
    "median": (lambda xp, x: xp.median(x, axis=0), ("np", "dt", "da")),
    "unique": (unique, ("np", "dt", "da")),
    "x[[...]] of 10 % places": (
        lambda xp, x: x[np.arange(0, x.size, 10)],
        ("np", "dt", "da"),
    ),
    "x[x > .5] = 0": (assign, ("np", "dt", "da")),
    "pad, edge": (lambda xp, x: xp.pad(x, 5, mode="edge"), ("np", "dt", "da")),
    "uniform random": (random, ("np", "dt", "da")),
}


LIBRARIES = {"np": np, "dt": dt, "da": da}


def given(name, cells):
    if name == "da":
        return da.from_array(cells, name=False)
    return dt.asarray(cells) if name == "dt" else cells


def compute(result):
    if isinstance(result, list):
        return [compute(one) for one in result]
    return result.compute() if hasattr(result, "compute") else result


def seconds(name, call, cells):
    x = given(name, cells)
    start = time.perf_counter()
    compute(call(LIBRARIES[name], x))
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10**8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", help="write the figures there")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    cells = np.random.default_rng(0).random(options.cells)
    rows = []
    print("| float64 | NumPy | dask_tapestry | dask.array |\n|---|--:|--:|--:|")
    for name, (call, libraries) in CASES.items():
        if options.only not in name:
            continue
        best = {}
        for _ in range(options.repeats):
            for library in libraries:
                took = seconds(library, call, cells)
                best[library] = min(took, best.get(library, took))
        rows.append({"name": name, **best})
        shown = [f"{best[k]:.2f}" if k in best else "–" for k in ("np", "dt", "da")]
        print("| " + " | ".join([name, *shown]) + " |", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()

"""Predicted and measured seconds of programs that are one step, by one thread.

    python benchmarks/planner/rates.py
    python benchmarks/planner/rates.py --rates measured --cells 4000000

Predicted are the kernels alone; measured is the least time of the processor, so that what else
runs does not count, less what the same program takes on few cells. The rank correlation says how
well the model orders programs.
"""

import argparse
import math
import time

import numpy as np
from dask.utils import format_time

import dask_tapestry as dt
from dask_tapestry.planner.cost.block_seconds import block_seconds
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.blas_threads import threads_each
from dask_tapestry_kernels.compilation import mode

ONE = dt.Resources(workers=1, threads=1)
FEW = 2**12
UNARY = "exp log sin tan tanh sqrt arctan cosh log1p cbrt".split()


def cells(n, dtype="f8", key=0):
    made = np.random.default_rng(key).random(n)
    return dt.asarray((made * 2**30 if np.dtype(dtype).kind in "iu" else made).astype(dtype))


def rows(n, dtype="f8", length=256):
    return dt.asarray(np.random.default_rng(0).random((n // length, length)).astype(dtype))


def horner(n, dtype, terms):
    x = cells(n, dtype)
    y = x
    for _ in range(terms):
        y = y * x + 0.5
    return y


def product(n, dtype, fraction=4):
    side = round((n / fraction) ** 0.5)
    x = dt.asarray(np.random.default_rng(0).integers(0, 9, (side, side)).astype(dtype))
    return x @ x


def shuffled(n):
    return dt.asarray(np.random.default_rng(1).permutation(n))


def two(function, dtype="f8"):
    return lambda n: function(cells(n, dtype), cells(n, dtype, 1) + 1)


PROGRAMS = {
    "x + y": two(dt.add),
    "x + y, float32": two(dt.add, "f4"),
    "x + y, int64": two(dt.add, "i8"),
    "x / y": two(dt.divide),
    "x ** y": two(dt.power),
    "x % y": lambda n: (cells(n) * 40) % (cells(n, key=1) + 1),
    "x % y, int64": two(dt.remainder, "i8"),
    "arctan2": two(dt.arctan2),
    **{name: lambda n, name=name: getattr(dt, name)(cells(n)) for name in UNARY},
    "exp, float32": lambda n: dt.exp(cells(n, "f4")),
    "where": lambda n: dt.where(cells(n) > 0.5, cells(n, key=1), 0.0),
    "a polynomial of 16": lambda n: horner(n, "f8", 16),
    "a polynomial of 16, float32": lambda n: horner(n, "f4", 16),
    "x.T + 1": lambda n: rows(n).T + 1,
    "x.T + 1, float32": lambda n: rows(n, "f4").T + 1,
    "sum": lambda n: cells(n).sum(),
    "sum, float32": lambda n: cells(n, "f4").sum(),
    "sum(axis=0)": lambda n: rows(n).sum(axis=0),
    "sum(axis=1)": lambda n: rows(n).sum(axis=1),
    "var": lambda n: cells(n).var(),
    "sum of exp": lambda n: dt.exp(cells(n)).sum(),
    "argmax": lambda n: cells(n).argmax(),
    "cumsum": lambda n: dt.cumsum(cells(n)),
    "cumsum(axis=0)": lambda n: dt.cumsum(rows(n), axis=0),
    "sort": lambda n: dt.sort(cells(n)),
    "sort, float32": lambda n: dt.sort(cells(n, "f4")),
    "sort of rows": lambda n: dt.sort(rows(n)),
    "sort, int64": lambda n: dt.sort(cells(n, "i8")),
    "argsort": lambda n: dt.argsort(cells(n // 4)),
    "median": lambda n: dt.median(cells(n)),
    "x[places]": lambda n: dt.take(cells(n), shuffled(n)),
    "x[places] of rows": lambda n: dt.take(rows(n), shuffled(n // 256), axis=0),
    "searchsorted": lambda n: dt.searchsorted(dt.linspace(0, 1, 500), cells(n // 4)),
    "histogram": lambda n: dt.histogram(cells(n), bins=40, range=(0, 1))[0],
    "bincount": lambda n: dt.bincount(cells(n, "i8") % 512, minlength=512),
    "x @ x": lambda n: product(n, "f8"),
    "x @ x, float32": lambda n: product(n, "f4"),
    "x @ x, int64": lambda n: product(n, "i8", 16),
    "random": lambda n: dt.random.default_rng(0).random(n),
    "normal": lambda n: dt.random.default_rng(0).normal(size=n),
    "concatenate": lambda n: dt.concatenate([cells(n), cells(n, key=1)]),
    "pad": lambda n: dt.pad(rows(n), 2),
    "astype": lambda n: cells(n).astype("f4"),
}


def predicted(x, machine):
    """Seconds of the kernels of each step, each step as one block."""
    steps = dt.plan(x, resources=ONE, method="none").core.steps.values()
    boxes = [(step.program, ZRange.of_shape(step.node.type.shape)) for step in steps]
    return sum(block_seconds(program, box, machine) for program, box in boxes)


def measured(x, repeats):
    plan = dt.plan(x, resources=ONE, method="none")
    best = math.inf
    for _ in range(repeats + 1):  # the first one loads kernels
        start = time.thread_time()
        plan.compute(scheduler="sync")
        best = min(best, time.thread_time() - start)
    return best


def compare(programs, n, repeats, machine):
    """Name, predicted and measured seconds of each program."""
    found = []
    with mode("wait"), dt.config(resources=ONE), threads_each(1):
        for name, make in programs.items():
            large, small = make(n), make(FEW)
            took = measured(large, repeats) - measured(small, repeats)
            found.append((name, predicted(large, machine), max(took, 1e-6)))
    return found


def rank_correlation(first, second):
    """Spearman's, of values that are all different."""
    ranks = [np.argsort(np.argsort(values)) for values in (first, second)]
    return float(np.corrcoef(*ranks)[0, 1])


def report(found):
    lines = [f"{'program':30} {'predicted':>10} {'measured':>10}  ratio"]
    for name, guess, took in sorted(found, key=lambda row: row[1] / row[2]):
        lines.append(
            f"{name:30} {format_time(guess):>10} {format_time(took):>10} {guess / took:6.2f}"
        )
    _, guesses, times = zip(*found, strict=True)
    lines.append(f"rank correlation of {len(found)}: {rank_correlation(guesses, times):.3f}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", type=int, default=2**20, help="of a program's arrays")
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--rates", default="shipped", help="shipped, measured, or a file")
    options = parser.parse_args()
    n = max(1, options.cells // FEW) * FEW
    with dt.config(rates=options.rates):
        machine = Machine.of(ONE)
    print(report(compare(PROGRAMS, n, options.repeats, machine)))


if __name__ == "__main__":
    main()

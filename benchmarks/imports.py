"""What it costs to import the library and to compute for the first time, beside dask.array.

    python benchmarks/imports.py
    python benchmarks/imports.py --repeats 15 --before FOLDER

Each figure is the median of processor seconds of fresh processes, from their start to their end,
after one that writes the bytecode; all take turns. With ``--least`` it is the least, which other
work on the machine changes less. FOLDER is another checkout of this repository, which then has a
column too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
COMPUTE = "({}.asarray([1.0, 2.0]) + 1).compute()"
FORMULA = "import dask_tapestry as dt; (dt.asarray(x) * 2 + 1).compute()"
MASK = "import dask_tapestry as dt; x = dt.asarray(x); x[x > 0].compute()"
PICTURE = "import {} as m; m.ones((9, 9), chunks=3)._repr_html_()"
NORMAL = "import {} as m; m.random.default_rng(0).normal(size=1000).compute()"
STORE = "import tempfile, {} as m; m.ones(9).to_zarr(tempfile.mkdtemp(), overwrite=True)"
SORTED = "import dask_tapestry as dt; dt.sort(dt.ones(10**6)).compute()"
CELLS = "import numpy as np; x = np.ones(10**7)"
PROGRAMS = {
    "nothing": "",
    "NumPy and Dask": "import numpy, dask.base, dask.highlevelgraph, dask.threaded",
    "NumPy, Dask and Zarr": "import numpy, dask, zarr",
    "import dask_tapestry": "import dask_tapestry",
    "first name": "import dask_tapestry as dt; dt.asarray",
    "first compute": f"import dask_tapestry as dt; {COMPUTE.format('dt')}",
    "x * 2 + 1 of NumPy, 10 M": f"{CELLS}; x * 2 + 1",
    "x * 2 + 1, 10 M cells": f"{CELLS}; {FORMULA}",
    "x[x > 0], 10 M cells": f"{CELLS}; {MASK}",
    "sort, 1 M cells": SORTED,
    "picture": PICTURE.format("dask_tapestry"),
    "normal variates": NORMAL.format("dask_tapestry"),
    "to_zarr": STORE.format("dask_tapestry"),
    "import dask.array": "import dask.array",
    "first compute there": f"import dask.array as da; {COMPUTE.format('da')}",
    "picture there": PICTURE.format("dask.array"),
    "normal variates there": NORMAL.format("dask.array"),
    "to_zarr there": STORE.format("dask.array"),
}


def seconds(program: str, checkout: Path) -> float:
    """Processor seconds of a fresh process."""
    environment = os.environ | {"PYTHONPATH": f"{checkout}{os.pathsep}{checkout / 'kernels'}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", program]  # modules are sought in the working folder first
    subprocess.run(command, env=environment, cwd=checkout, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(
    repeats: int, checkouts: list[Path], of_all: Callable[[Iterable[float]], float] = median
) -> dict[str, list[float]]:
    """For each program the median, or the least, in each checkout."""
    pairs = [(program, checkout) for program in PROGRAMS for checkout in checkouts]
    turns = [[seconds(PROGRAMS[p], checkout) for p, checkout in pairs] for _ in range(repeats + 1)]
    found: dict[str, list[float]] = {program: [] for program in PROGRAMS}
    for (program, _), taken in zip(pairs, zip(*turns[1:], strict=True), strict=True):
        found[program].append(of_all(taken))
    return found


def table(found: dict[str, list[float]]) -> str:
    """A line for each program."""
    return "\n".join(
        f"{program:26}" + "".join(f"{value:8.3f}" for value in values)
        for program, values in found.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--least", action="store_true", help="instead of the median")
    arguments = parser.parse_args()
    before = [arguments.before.resolve()] if arguments.before else []
    of_all = min if arguments.least else median
    print(table(measure(arguments.repeats, [*before, ROOT], of_all)))


if __name__ == "__main__":
    main()

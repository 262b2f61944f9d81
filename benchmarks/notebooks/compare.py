"""Public notebooks, unchanged but for one import, with dask_tapestry beside dask.array.

    python benchmarks/notebooks/compare.py CHECKOUTS
    python benchmarks/notebooks/compare.py CHECKOUTS --only "Dask examples, svd" --json found.json

CHECKOUTS is a folder with clones of dask/dask-tutorial, dask/dask-examples,
pangeo-data/pangeo-tutorial and pydata/xarray. Each notebook of `public.py` runs in a fresh process
for each library by turns; seconds are of its cells, from the first import to the last display.
Cells that draw or fetch are left out for both. xarray's tutorial files, which are fetched, are
replaced by numbers of the same shape.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.notebooks.cells import cells_of, imported_from, without_imports  # noqa: E402
from benchmarks.notebooks.public import DRAWS, FETCHES, LACKING, NOTEBOOKS, Notebook  # noqa: E402

LIBRARIES = ("dask.array", "dask_tapestry")
LATEST = 600.0  # seconds after which a notebook is given up

Found = dict[str, Any]


def cells_for(notebook: Notebook, checkouts: Path, library: str) -> list[str]:
    """The notebook's cells that a machine without display and network runs."""
    leave_out = (*DRAWS, *FETCHES, *notebook.lacking)
    kept = []
    for cell in cells_of(checkouts / notebook.repository / notebook.path):
        for before, after in notebook.changed:
            cell = cell.replace(before, after)
        if not any(text in cell for text in leave_out):
            kept.append(imported_from(without_imports(cell, LACKING), library))
    return kept


def measured(notebook: Notebook, checkouts: Path, library: str) -> Found:
    """What `run.py` finds, in a fresh process and an empty folder."""
    told = {"library": library, "cells": cells_for(notebook, checkouts, library)}
    paths = (str(ROOT), str(ROOT / "kernels"), os.environ.get("PYTHONPATH", ""))
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, Path(__file__).with_name("run.py")],
                input=json.dumps(told), capture_output=True, text=True, timeout=LATEST, check=True,
                cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )  # fmt: skip
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            lost = str(error.stderr)[-300:]
            return {"seconds": [], "errors": [{"cell": None, "error": f"{error}: {lost}"}]}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def line(notebook: Notebook, found: dict[str, Found]) -> str:
    """One notebook's row of the table."""
    told = [
        f"{sum(one['seconds']):8.2f} s {len(one['seconds']) - len(one['errors']):3} of "
        f"{len(one['seconds']):3} cells"
        for one in found.values()
    ]
    seconds = [sum(one["seconds"]) for one in found.values()]
    ratio = f"{seconds[0] / seconds[-1]:6.2f}" if all(seconds) else ""
    return f"{notebook.name:28}" + "   ".join(told) + ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--only", help="names of notebooks, with semicolons")
    parser.add_argument("--json", type=Path, help="file to write what is measured to")
    options = parser.parse_args()
    chosen = [n for n in NOTEBOOKS if not options.only or n.name in options.only.split(";")]
    every = {}
    print(f"{'':28}" + "   ".join(f"{library:>24}" for library in LIBRARIES) + "  ratio")
    for notebook in chosen:
        found = {one: measured(notebook, options.checkouts, one) for one in LIBRARIES}
        every[notebook.name] = found
        print(line(notebook, found), flush=True)
        for library, one in found.items():
            for error in one["errors"]:
                print(f"    {library}, cell {error['cell']}: {error['error'][:300]}")
        if options.json:
            options.json.write_text(json.dumps(every, indent=1))


if __name__ == "__main__":
    main()

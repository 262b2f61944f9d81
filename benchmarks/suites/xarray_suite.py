"""xarray's own tests of chunked arrays, run with our chunk manager in the place of Dask's.

    python benchmarks/suites/xarray_suite.py
    python benchmarks/suites/xarray_suite.py --only dask --failing

The installed package's test files are copied with ``dask.array`` replaced by this library, after
`dask_tapestry.xarray.use`. Tests of what is not installed are skipped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import xarray  # noqa: E402

from benchmarks.suites.outcomes import Outcome, report, run_pytest, tally  # noqa: E402

PLUGIN: Final = ("-p", "benchmarks.suites.xarray_plugin", "-W", "ignore")
FUTURE: Final = "from __future__ import annotations\n"
FILES: Final = ("dask", "duck_array_ops", "variable")
REASONS: Final[dict[str, str]] = {  # the first that fits a test's name or error
    "package is required|TestToDaskDataFrame": "needs a package that is not installed",
    "cftime|Python objects|dtype=object|bool-True-var|x-bool-True": (
        "Python objects are no cells here: xarray keeps them without chunks"
    ),
    r"masked_invalid|getmaskarray|ma\.MaskedArray": "asks for masked arrays by name",
    "DID NOT RAISE": "expects an error where we compute: median of all axes, argsort",
    "dask_kwargs": "counts calls of a function that it replaces in Dask's modules",
    "_repr": "expects the text that Dask's arrays print, or the name of a delayed value",
    "test_persist|minimize_graph": "counts tasks of Dask's graph, of which a plan makes fewer",
    "test_new_chunk|test_chunk ": "expects keys made of xarray's names, and cells to be hashed",
    "idxmin_chunking": "nominal chunks of cells picked by lazy places are canonical",
    "reduce_keepdims": "compares a mean bit for bit with NumPy's sum; ours does not depend on cuts",
}


def copied(target: Path, name: str) -> str:
    """A test file of the installed xarray with this library for dask.array, beside its fixtures."""
    tests = Path(xarray.__file__).parent / "tests"
    (target / "conftest.py").write_text((tests / "conftest.py").read_text())
    file = target / f"test_{name}.py"
    head, future, rest = (tests / file.name).read_text().partition(FUTURE)
    text = f"{head}{future}import dask_tapestry\n{rest}"
    file.write_text(text.replace("dask.array", "dask_tapestry"))
    return file.name


def run_files(only: list[str], more: list[str]) -> dict[str, list[Outcome]]:
    """Outcomes by test file, one process a file."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        for name in only:
            file = copied(target, name)
            found[name] = run_pytest([file], target / "log", target, [*PLUGIN, *more])
            print(name, tally(found[name]), file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=FILES, choices=FILES)
    parser.add_argument("--failing", action="store_true", help="list failing tests and errors")
    parser.add_argument("-k", default="", help="pytest's expression on names of tests")
    given = parser.parse_args()
    found = run_files(list(given.only), ["-k", given.k] if given.k else [])
    report(found, REASONS, given.failing)


if __name__ == "__main__":
    main()

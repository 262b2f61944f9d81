"""NumPy's own tests, run with our functions in the place of NumPy's.

    python benchmarks/suites/numpy_suite.py
    python benchmarks/suites/numpy_suite.py --only lib/arraypad --json build/np.json --failing

The installed package's test files are copied with ``numpy`` replaced by the modules of
`numpy_stand_in`. Those tests count that called at least one of our functions.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import numpy as np  # noqa: E402

from benchmarks.suites.numpy_reasons import REASONS  # noqa: E402
from benchmarks.suites.numpy_stand_in import translated  # noqa: E402
from benchmarks.suites.outcomes import Outcome, report, run_pytest, tally  # noqa: E402

FILES: Final = {
    "_core": (
        *("einsum", "function_base", "indexing", "item_selection", "multiarray", "numeric"),
        *("regression", "shape_base", "ufunc", "umath", "umath_complex", "nep50_promotions"),
        *("half", "longdouble", "datetime", "strings", "errstate", "getlimits"),
    ),
    "lib": (
        *("arraypad", "arraysetops", "function_base", "histograms", "index_tricks"),
        *("nanfunctions", "regression", "shape_base", "stride_tricks", "twodim_base"),
        *("type_check", "ufunclike"),
    ),
    "fft": ("helper", "pocketfft"),
    "linalg": ("linalg", "regression"),
}
# Tests of 3,000 to 16,000 calls each, all planned and run: of multiarray, of linalg's stacks of
# matrices in every order in memory, of `at` against a loop of single cells.
LONG: Final = "(test_count_nonzero or test_generalized or test_ufunc_at_inner_loops)"
PLUGIN: Final = ("-p", "benchmarks.suites.numpy_plugin", "-p", "no:randomly")


def copied(target: Path) -> dict[str, str]:
    """The installed NumPy's test files, translated, in `target`; their paths by short names."""
    home = Path(np.__file__).parent
    made = {}
    for folder, names in FILES.items():
        (target / folder).mkdir()
        for name in names:
            source = home / folder / "tests" / f"test_{name}.py"
            file = f"{folder}/test_{folder.strip('_')}_{name}.py"
            (target / file).write_text(translated(source.read_text()))
            made[f"{folder.strip('_')}/{name}"] = file
    return made


def run_files(only: list[str], more: list[str], save: Path | None) -> dict[str, list[Outcome]]:
    """Outcomes by test file of the tests that reach us, one process a file; saved after each."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        files = copied(target)
        for name in only or files:
            whole = run_pytest([files[name]], target / "log", target, [*PLUGIN, *more])
            found[name] = [one for one in whole if one.ours or "::" not in one.test]
            print(name, tally(found[name]), "of", len(whole), file=sys.stderr, flush=True)
            if save is not None:
                rows = {key: [asdict(x) for x in some] for key, some in found.items()}
                save.write_text(json.dumps(rows, indent=1))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="files, as core/numeric lib/arraypad")
    parser.add_argument("--json", type=Path, help="where outcomes go")
    parser.add_argument("--failing", action="store_true", help="list failing tests and errors")
    parser.add_argument("-k", default="", help="pytest's expression on names of tests")
    given = parser.parse_args()
    names = f"({given.k}) and not {LONG}" if given.k else f"not {LONG}"
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
    found = run_files(given.only, ["-k", names], given.json)
    report(found, REASONS, given.failing)


if __name__ == "__main__":
    main()

"""dask.array's own tests, run with our library in place of ``dask.array``.

    python benchmarks/suites/dask_array.py
    python benchmarks/suites/dask_array.py --only fft linalg --json build/suite.json --failing

The installed package's test files are copied with ``dask.array`` replaced by the modules of
`stand_in`, so that values, declared shapes and dtypes of ours are compared with what the tests
expect. Tests of CuPy are left out.
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

import dask  # noqa: E402
import dask.array  # noqa: E402

from benchmarks.suites.dask_array_reasons import INSIDE, REASONS  # noqa: E402
from benchmarks.suites.outcomes import Outcome, behaving, report, run_pytest, tally  # noqa: E402
from benchmarks.suites.stand_in import translated  # noqa: E402

PACKAGE: Final = "dask_array_tests"


def copied(target: Path) -> list[Path]:
    """The test files of the installed dask.array, translated, in a package of `target`."""
    package = target / PACKAGE
    package.mkdir()
    fixtures = Path(dask.__file__).parent / "conftest.py"
    (package / "conftest.py").write_text(fixtures.read_text())
    made = []
    for file in sorted((Path(dask.array.__file__).parent / "tests").glob("*.py")):
        if "cupy" not in file.name:
            made.append(package / file.name)
            made[-1].write_text(translated(file.read_text()) if file.stem != "__init__" else "")
    return [file for file in made if file.name.startswith("test_")]


def run_files(only: list[str], more: list[str], save: Path | None) -> dict[str, list[Outcome]]:
    """Outcomes by test file, one process a file; saved after each."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        for file in copied(target):
            name = file.stem.removeprefix("test_")
            if not only or name in only:
                found[name] = run_pytest([f"{PACKAGE}/{file.name}"], target / "log", target, more)
                print(name, tally(found[name]), file=sys.stderr, flush=True)
                if save is not None:
                    rows = {key: [asdict(x) for x in some] for key, some in found.items()}
                    save.write_text(json.dumps(rows, indent=1))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="files, as array_core fft")
    parser.add_argument("--json", type=Path, help="where outcomes go")
    parser.add_argument("--failing", action="store_true", help="list failing tests and errors")
    parser.add_argument("-k", default="", help="pytest's expression on names of tests")
    given = parser.parse_args()
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
    found = run_files(given.only, ["-k", given.k] if given.k else [], given.json)
    report(found, REASONS, given.failing)
    passed, tried = behaving([one for some in found.values() for one in some], REASONS, INSIDE)
    share = passed / max(tried, 1)
    print(f"of those that look at what arrays do {passed} of {tried} ({share:.1%})")


if __name__ == "__main__":
    main()

"""Runs of other libraries' tests, counted: one line of JSON for each test, and a table of reasons.

As a plugin of pytest this module writes what became of each test to the file that the environment
variable ``SUITE_OUTCOMES`` names; `run_pytest` starts pytest so, and `tally` counts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
OUTCOMES: Final = "SUITE_OUTCOMES"
LIMIT: Final = 3600  # seconds of one run of pytest; the longest file takes half of it
NOTHING: Final = 5  # pytest's exit status where no test was collected
LONGEST: Final = 300  # characters of an error that are kept


@dataclass(frozen=True)
class Outcome:
    """What became of one test: passed, failed or skipped, and the last line of its error."""

    test: str
    outcome: str
    error: str = ""
    ours: bool = True  # whether the test made one of our arrays or called one of our functions


def run_pytest(
    targets: Sequence[str], log: Path, where: Path, more: Sequence[str] = ()
) -> list[Outcome]:
    """The outcomes of test files, run with this module as a plugin."""
    log.unlink(missing_ok=True)
    path = [str(ROOT), str(ROOT / "kernels"), str(where), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.suites.outcomes"]
    command += ["-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull, "--tb=no", "-q"]
    run = subprocess.run(
        [*command, "--rootdir", str(where), *more, *targets],
        cwd=where,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), OUTCOMES: str(log)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if not log.exists() and run.returncode == NOTHING:
        return []  # a file that is skipped as a whole
    if not log.exists():
        raise RuntimeError(f"no test ran:\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}")
    return [Outcome(**json.loads(line)) for line in log.read_text().splitlines()]


def tally(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many tests passed, failed, were skipped, and of the passed how many used ours."""
    counted = Counter(x.outcome for x in outcomes)
    return {
        "passed": counted["passed"],
        "failed": counted["failed"],
        "skipped": counted["skipped"],
        "of them without ours": sum(x.outcome == "passed" and not x.ours for x in outcomes),
    }


def reasons(outcomes: Sequence[Outcome], known: Mapping[str, str]) -> dict[str, list[str]]:
    """Failing tests by reason: that of the first pattern that fits the test's name or error."""
    grouped: dict[str, list[str]] = {}
    for one in outcomes:
        if one.outcome == "failed":
            text = f"{one.test} :: {one.error}"
            fitting = (why for what, why in known.items() if re.search(what, text))
            grouped.setdefault(next(fitting, "not explained"), []).append(text)
    return dict(sorted(grouped.items(), key=lambda item: -len(item[1])))


def behaving(
    outcomes: Sequence[Outcome], known: Mapping[str, str], inside: Collection[str]
) -> tuple[int, int]:
    """How many tests of what arrays do passed, and how many there are.

    Tests that never came to us are not among them, nor those that fail for a reason in `inside`.
    """
    passed = sum(one.outcome == "passed" and one.ours for one in outcomes)
    failing = reasons(outcomes, known)
    others = sum(len(tests) for why, tests in failing.items() if why not in inside)
    return passed, passed + others


def table(files: Mapping[str, Sequence[Outcome]], known: Mapping[str, str]) -> str:
    """Counts by file, and the reasons of what fails, as Markdown."""
    rows = ["| file | passed | failed | skipped |", "|---|---|---|---|"]
    whole = [one for outcomes in files.values() for one in outcomes]
    for name, outcomes in [*files.items(), ("all", whole)]:
        counted = tally(outcomes)
        rows.append("| {} | {passed} | {failed} | {skipped} |".format(name, **counted))
    rows += ["", "| failing | reason |", "|---|---|"]
    rows += [f"| {len(tests)} | {why} |" for why, tests in reasons(whole, known).items()]
    return "\n".join(rows)


def report(files: Mapping[str, Sequence[Outcome]], known: Mapping[str, str], failing: bool) -> None:
    """Print the table, how many pass, and where asked the failing tests by reason."""
    print(table(files, known))
    whole = [one for outcomes in files.values() for one in outcomes]
    counted = tally(whole)
    tried = counted["passed"] + counted["failed"]
    print(f"\n{counted['passed']} of {tried} pass ({counted['passed'] / max(tried, 1):.1%})")
    for why, tests in reasons(whole, known).items() if failing else ():
        print(f"\n# {why}", *tests, sep="\n")


# the plugin ------------------------------------------------------------------------------------


def pytest_configure(config: Any) -> None:
    """Begin to count what each test asks of us."""
    if OUTCOMES in os.environ:
        config.pluginmanager.register(_Recorder(Path(os.environ[OUTCOMES])))


class _Recorder:
    """Writes a line for each test, at once: a run that is killed leaves what it reached."""

    def __init__(self, path: Path) -> None:
        import dask_tapestry as dt
        from benchmarks.suites import stand_in

        stand_in.install()
        self.path, self.served, self.made = path, stand_in.served, 0
        usual = dt.Array.__init__

        def counted(array: Any, *args: Any, **kwargs: Any) -> None:
            self.made += 1
            usual(array, *args, **kwargs)

        dt.Array.__init__ = counted  # type: ignore[method-assign]

    def pytest_runtest_setup(self, item: Any) -> None:
        self.served.clear()
        self.made = 0

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.write(Outcome(report.nodeid, "failed", _last(report.longrepr), False))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or (report.outcome != "passed" and report.when == "setup"):
            outcome = "skipped" if hasattr(report, "wasxfail") else report.outcome
            error = _last(report.longrepr) if report.outcome == "failed" else ""
            ours = bool(self.served) or self.made > 0
            self.write(Outcome(report.nodeid, outcome, error, ours))

    def write(self, outcome: Outcome) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(outcome.__dict__) + "\n")


def _last(longrepr: Any) -> str:
    """The last line of an error."""
    crash = getattr(longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(longrepr)
    return " ".join(text.split())[:LONGEST]

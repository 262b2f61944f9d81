"""Jobs that users write, and their plans beside an expert's bound.

    python benchmarks/planner/corpus/table.py
    python benchmarks/planner/corpus/table.py --only "k-means,lag" --explain

Each line has the processor's seconds of planning, then bytes read and moved (GB), the peak of a
worker (GiB) and tasks, each beside its bound (of a job that has two, the nearer one); then the
worst of three ratios, and of which: bytes read and moved together, for a plan may read again what
another one moves, the peak, and tasks. A job that is refused, or whose planning is stopped after
`MOST` seconds, is told. Nothing is computed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.corpus.algebra import ALGEBRA_JOBS  # noqa: E402
from benchmarks.planner.corpus.climate import CLIMATE_JOBS  # noqa: E402
from benchmarks.planner.corpus.imaging import IMAGING_JOBS  # noqa: E402
from benchmarks.planner.corpus.job import GB, GIB, Bound, Job, Jobs  # noqa: E402
from benchmarks.planner.corpus.learning import LEARNING_JOBS  # noqa: E402
from benchmarks.planner.corpus.simulations import SIMULATION_JOBS  # noqa: E402
from benchmarks.planner.corpus.statistics import STATISTICS_JOBS  # noqa: E402

MOST = 20.0  # seconds of the processor for one plan
NEAR = 1.2  # times the bound that is as good as an expert's
UNCOUNTED = GB  # bytes that no bound is about: tables, edges of blocks

CORPUS = Jobs(
    CLIMATE_JOBS | IMAGING_JOBS | STATISTICS_JOBS | ALGEBRA_JOBS | LEARNING_JOBS | SIMULATION_JOBS
)


class PlanningStopped(BaseException):
    """Planning has taken `MOST` seconds: no error, so that nothing takes it for one."""


@dataclass(frozen=True)
class Found:
    """The plan of a job, or why there is none."""

    job: Job
    seconds: float
    plan: Any = None
    error: str = ""

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """Bytes read and moved, the peak of a worker, and tasks."""
        if self.plan is None:
            return inf, inf, inf, inf
        cost = self.plan.cost
        return tuple(
            cost[name] for name in ("bytes_read", "bytes_moved", "peak_worker_bytes", "tasks")
        )

    @property
    def ratios(self) -> dict[str, float]:
        """Each figure over its bound, the nearest one of the job's."""
        each = [self._over(bound) for bound in self.job.bound.each]
        return min(each, key=lambda ratios: max(ratios.values()))

    @property
    def bound(self) -> Bound:
        """The bound that the plan is nearest to."""
        return min(self.job.bound.each, key=lambda bound: max(self._over(bound).values()))

    def _over(self, bound: Bound) -> dict[str, float]:
        read, moved, peak, tasks = self.figures
        return {
            "bytes": (read + moved + UNCOUNTED) / (bound.read + bound.moved + UNCOUNTED),
            "peak": peak / bound.peak,
            "tasks": tasks / bound.tasks,
        }

    @property
    def is_near(self) -> bool:
        """Whether a plan that fits is as good as an expert's."""
        return not self.error and max(self.ratios.values()) <= NEAR


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise `PlanningStopped` when the process has computed for so many seconds."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise PlanningStopped

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def find(job: Job, most: float = MOST) -> Found:
    """Plan a job, and verify the plan."""
    roots = job.roots()
    start = time.thread_time()
    try:
        with stopped_after(most):
            plan = dt.plan(*roots, resources=job.cluster.resources)
    except PlanningStopped:
        return Found(job, most, error=f"no plan after {most:g} s")
    except dt.TapestryError as error:
        return Found(job, time.thread_time() - start, error=_brief(error))
    seconds = time.thread_time() - start
    try:
        plan.verify()
    except dt.TapestryError as error:
        return Found(job, seconds, plan, _brief(error))
    return Found(job, seconds, plan)


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:110]}"


def line(found: Found) -> str:
    """One row of the table."""
    units = (GB, GB, GIB, 1)
    pairs = zip(found.figures, found.bound[:4], units, strict=True)
    text = [f"{has / unit:,.4g}/{most / unit:,.4g}" for has, most, unit in pairs]
    what, ratio = max(found.ratios.items(), key=lambda one: one[1])
    columns = "".join(f"{one:>18}" for one in text)
    start = f"{found.job.name:42}{found.seconds:7.2f}{columns}"
    return f"{start}  {ratio:6.2f} {what} {found.error}".rstrip()


def summary(every: list[Found]) -> Iterator[str]:
    """How many are near, in all and in each figure, and which are not planned."""
    total = len(every)
    yield f"within {NEAR} of the bound: {sum(found.is_near for found in every)} of {total}"
    for what in ("bytes", "peak", "tasks"):
        near = sum(found.ratios[what] <= NEAR for found in every if not found.error)
        yield f"    in {what}: {near}"
    yield f"refused or not planned: {sum(bool(found.error) for found in every)}"
    yield f"planning: {sum(found.seconds for found in every):.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names, or parts of them, with commas")
    parser.add_argument("--explain", action="store_true", help="print the plans too")
    arguments = parser.parse_args()
    heads = ("read", "moved", "peak", "tasks")
    print(f"{'job':42}{'seconds':>7}{''.join(f'{head:>18}' for head in heads)}   ratio")
    every = []
    for name, job in CORPUS.items():
        if any(part in name for part in arguments.only.split(",")):
            found = find(job)
            every.append(found)
            print(line(found), flush=True)
            if arguments.explain and found.plan is not None:
                print(found.plan.explain())
    print("\n".join(summary(every)))


if __name__ == "__main__":
    main()

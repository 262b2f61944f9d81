"""A cluster under load while its workers are killed and paused: whether anything breaks.

    python benchmarks/cluster/soak.py --minutes 20 --json soak.json

Works of `works.py`, of small stores, cut into many tasks, run by turns on four workers. Meanwhile a
worker is killed, or paused for some seconds, at random moments. Each result must be what it is on
a quiet cluster, bit for bit, but of those that end in BLAS. The report counts runs, tasks, kills,
pauses and what went wrong, and says how memory of the client and the scheduler grew between the
second fifth of the time and the last, and how many tasks the scheduler holds when all is over.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean
from threading import Event, Thread
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.cluster.faults import ROUNDED, SCALE, results, same, workers  # noqa: E402
from benchmarks.cluster.works import WORKS, create, stores  # noqa: E402

WORKERS: Final = 4
PAUSE: Final = (0.5, 4.0)  # seconds for which a worker is paused
QUIET: Final = (1.0, 6.0)  # seconds between two disturbances
BLOCK_BYTES: Final = 400_000  # so that small stores are cut into many tasks
SETTLED: Final = 10.0  # seconds after which nothing may be left on the scheduler


@dataclass
class Report:
    """What happened.

    Attributes
    ----------
    seconds, runs, tasks
        How long it ran, how many works, and of how many tasks the scheduler heard.
    kills, pauses
        Of workers.
    wrong
        What differed, or was raised, with the name of the work.
    client_growth, scheduler_growth
        Memory of the process in the last fifth of the time over that in the second.
    tasks_left
        On the scheduler when everything is over.
    """

    seconds: float = 0.0
    runs: int = 0
    tasks: int = 0
    kills: int = 0
    pauses: int = 0
    wrong: list[str] = field(default_factory=list)
    client_growth: float = 1.0
    scheduler_growth: float = 1.0
    tasks_left: int = 0


class Disturber(Thread):
    """Kills or pauses a worker now and then, until it is told to stop."""

    def __init__(self, client: Any, report: Report) -> None:
        super().__init__(daemon=True)
        self.client, self.report, self.over = client, report, Event()

    def run(self) -> None:
        while not self.over.wait(random.uniform(*QUIET)):
            with suppress(OSError, ValueError, TimeoutError):  # a worker that has just gone
                pids = list(self.client.run(os.getpid, on_error="ignore").values())
                if len(pids) == WORKERS:
                    self._disturb(random.choice(pids))

    def _disturb(self, pid: int) -> None:
        if random.random() < 0.5:
            os.kill(pid, signal.SIGKILL)
            self.report.kills += 1
            return
        os.kill(pid, signal.SIGSTOP)
        try:
            self.over.wait(random.uniform(*PAUSE))
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self.report.pauses += 1

    def end(self) -> None:
        """Stop, with no worker paused."""
        self.over.set()
        self.join()


def memory(pid: int) -> int:
    """Bytes that a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def count_tasks(client: Any) -> None:
    """Have the scheduler count the tasks that end."""
    from distributed import SchedulerPlugin

    class Ended(SchedulerPlugin):
        """Counts tasks that end."""

        name = "ended"

        def __init__(self) -> None:
            self.count = 0

        def transition(self, key: Any, start: str, finish: str, *args: Any, **named: Any) -> None:
            self.count += start == "processing" and finish == "memory"

    client.register_plugin(Ended())


def scheduler_state(dask_scheduler: Any) -> tuple[int, int, int]:
    """Tasks that have ended, tasks that are held, and the process."""
    return dask_scheduler.plugins["ended"].count, len(dask_scheduler.tasks), os.getpid()


def soak(minutes: float, only: list[str], folder: Path) -> Report:
    """Run works by turns for so many minutes, disturbed; return what happened."""
    import dask_tapestry as dt

    report, sizes = Report(), list[tuple[int, int]]()
    with workers(nanny=True, count=WORKERS) as client, dt.config(block_bytes=BLOCK_BYTES):
        count_tasks(client)
        expected = {work: results(work, folder / work) for work in only}
        _, _, scheduler = client.run_on_scheduler(scheduler_state)
        disturber = Disturber(client, report)
        disturber.start()
        begin = time.monotonic()
        while time.monotonic() < begin + 60 * minutes:
            work = only[report.runs % len(only)]
            report.runs += 1
            try:
                if not same(results(work, folder / work), expected[work], work not in ROUNDED):
                    report.wrong.append(f"{work}: other values")
            except Exception as error:
                report.wrong.append(f"{work}: {error!r}"[:300])
            sizes.append((memory(os.getpid()), memory(scheduler)))
        disturber.end()
        report.seconds = time.monotonic() - begin
        report.client_growth, report.scheduler_growth = growth(sizes)
        report.tasks, report.tasks_left = settled(client)
    return report


def growth(sizes: list[tuple[int, int]]) -> tuple[float, ...]:
    """Mean sizes in the last fifth over those in the second, of each process."""
    fifth = max(1, len(sizes) // 5)
    early, late = sizes[fifth : 2 * fifth] or sizes, sizes[-fifth:]
    pairs = zip(zip(*late, strict=True), zip(*early, strict=True), strict=True)
    return tuple(round(mean(after) / mean(before), 3) for after, before in pairs)


def settled(client: Any) -> tuple[int, int]:
    """How many tasks have ended, and how many are held once nobody wants a result."""
    end = time.monotonic() + SETTLED
    while True:
        gc.collect()
        ended, held, _ = client.run_on_scheduler(scheduler_state)
        if not held or time.monotonic() > end:
            return ended, held
        time.sleep(0.2)


def main() -> None:
    """Soak, print the report, and say by the exit status whether anything broke."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--only", help="names of works, with commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    random.seed(options.seed)
    only = options.only.split(",") if options.only else list(WORKS)
    with tempfile.TemporaryDirectory() as name:
        for work in only:
            (Path(name) / work).mkdir()
            for store in WORKS[work].reads:
                create(Path(name) / work, store, stores(SCALE)[store])
        report = soak(options.minutes, only, Path(name))
    text = json.dumps(asdict(report), indent=1)
    if options.json:
        options.json.write_text(text)
    print(text)
    sys.exit(bool(report.wrong) or report.tasks_left > 0)


if __name__ == "__main__":
    main()

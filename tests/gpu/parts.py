"""The parts of what is run on a machine with a GPU, each a set of processes of their own.

A part that fails, hangs or cannot begin says so in what is found, and the next one begins.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.gpu.resumed import AGAIN

ROOT = Path(__file__).parents[2]
SIMULATED = ROOT / "tests" / "kernels" / "cuda" / "simulated"
ON_DEVICE = {"DASK_TAPESTRY_TEST_DEVICE": "cuda"}
PROCESSES = max(1, min(12, (os.cpu_count() or 2) - 2))
ENDS = "DASK_TAPESTRY_PART_ENDS"  # when a process should have written all, in seconds of the clock
WRITING = 2.0  # seconds that this takes
PEERS = {"cupy": 4, "jax": 5, "torch": 8, "dask": 4}  # hundredths of all seconds: some compile
LETTERS = 4000  # of what a process printed last that are kept
LOOK = 0.05  # seconds between looks at processes
MOST_AGAIN = 20  # times that a run begins again


@dataclass(frozen=True)
class Run:
    """A process: what it is called, its command, and what its environment has besides.

    `writes` says whether it writes what it found as JSON to the file that is its last argument.
    """

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    writes: bool = True


@dataclass(frozen=True)
class Part:
    """Processes that run together, and the seconds after which they are ended."""

    name: str
    runs: tuple[Run, ...]
    seconds: float


def module(name, *arguments):
    """A run of a module of this folder."""
    label = " ".join((name, *arguments))
    return Run(label, (sys.executable, "-m", f"tests.gpu.{name}", *arguments))


def shared(name, *arguments):
    """Runs of a module each of which does a share of the work."""
    return tuple(module(name, "--share", f"{k}/{PROCESSES}", *arguments) for k in range(PROCESSES))


def kernel_tests():
    """Tests of kernels that elsewhere are simulated, a process for each module."""
    pytest = (sys.executable, "-m", "pytest", "-q", "-m", "", "-p", "no:cacheprovider")
    files = sorted(SIMULATED.glob("*_simulated.py"))
    return tuple(Run(f.stem, (*pytest, str(f)), ON_DEVICE, writes=False) for f in files)


def all_parts(seconds, size, programs, peers):
    """The parts, in order, for so many seconds together.

    Parameters
    ----------
    size
        Bytes of the largest operand of figures.
    programs
        How many random programs are compared.
    peers
        Names of those that figures have beside ours.
    """
    part = seconds / 100
    beside = [Part(f"figures of {p}", (_peer(p, size),), PEERS[p] * part) for p in peers]
    return (
        Part("figures", (_peer("ours", size),), 14 * part),
        Part("timed once", (module("once"),), 6 * part),
        *beside,
        Part("rates of kernels", (module("bandwidth", "--bytes", str(size)),), 5 * part),
        Part("tests of kernels", kernel_tests(), 25 * part),
        Part("operators", shared("operators"), 13 * part),
        Part("random programs", shared("programs", "--programs", str(programs)), 16 * part),
    )


def _peer(name, size):
    return module("figures", "--peer", name, "--bytes", str(size))


def run_part(part):
    """Run the processes of a part together; what each found, by its name."""
    ends = time.monotonic() + part.seconds
    with tempfile.TemporaryDirectory() as folder:
        own = {ENDS: str(time.time() + 0.95 * part.seconds - WRITING)}
        begun = [Begun(run, Path(folder) / str(n), own) for n, run in enumerate(part.runs)]
        while sum(one.goes_on() for one in begun) and time.monotonic() < ends:  # looks at each
            time.sleep(LOOK)
        return {one.run.name: one.ended() for one in begun}


class Begun:
    """A run that has begun, and begins again where its process lost the device or crashed.

    A process goes on behind what it tried last, which is in its file.
    """

    def __init__(self, run, file, own):
        self.run, self.file, self.own = run, file, own
        self.process, self.again = _process(run, file, own), 0

    def goes_on(self):
        """Whether it has not ended."""
        code = self.process.poll()
        lost = code is not None and (code == AGAIN or code < 0)
        if lost and self.file.exists() and self.again < MOST_AGAIN:
            self.again += 1
            self.process, code = _process(self.run, self.file, self.own), None
        return code is None

    def ended(self):
        """What it found; of one that failed also why."""
        code, why = self.process.poll(), ""
        if code is None:
            self.process.kill()
            self.process.wait()
            why = "it took longer than its time"
        elif code:
            why = f"it ended with {code}"
        said = self.file.with_suffix(".log").read_bytes().decode(errors="replace")[-LETTERS:]
        found = {}
        if self.file.exists():
            try:
                found = json.loads(self.file.read_text())
            except ValueError:
                why = why or "what it wrote is no JSON"
        if self.again:
            found["again"] = self.again
        return found | ({"failed": why, "said": said} if why else {"said": said[-300:]})


def _process(run, file, own):
    """A process, which writes to a file, and prints to one beside it."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "kernels"), os.environ.get("PYTHONPATH", "")])
    told = {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"} | own
    environment = os.environ | told | run.environment
    command = [*run.command, *([str(file)] if run.writes else [])]
    with file.with_suffix(".log").open("ab") as printed:
        return subprocess.Popen(
            command, env=environment, cwd=ROOT, stdout=printed, stderr=subprocess.STDOUT
        )

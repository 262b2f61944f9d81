"""The machine benchmark as asv runs it: `asv run --config benchmarks/asv.conf.json`.

Rows and peers are those of `benchmarks/machine.py`, at a tenth of the cells. The table and the
peers are the checkout's, the library is the one that asv installed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: asv's library comes first

from benchmarks import fresh  # noqa: E402
from benchmarks.peers import BENCHED, OURS, PEERS, Cubed, named  # noqa: E402

SCALE = 0.1
NAMES = [peer.name for peer in PEERS if not isinstance(peer, Cubed)]


class Programs:
    """Seconds of each program on each peer, once it is compiled."""

    params: ClassVar = [list(BENCHED), NAMES]
    param_names: ClassVar = ["program", "peer"]
    version = "1"
    timeout = 120

    def setup(self, program, peer):
        (library,), row = named(peer), BENCHED[program]
        if not library.is_installed() or library.refusal(row):
            raise NotImplementedError  # asv's way to leave it out
        self.call = library.program(row, [library.give(x) for x in row.bench.large(SCALE)])
        self.call()
        library.settle()

    def time_program(self, program, peer):
        self.call()


class Fresh:
    """What a new process shows of ours: its first call, and memory above inputs and results."""

    params: ClassVar = [list(BENCHED)]
    param_names: ClassVar = ["program"]
    version = "1"
    timeout = 120

    def track_first_call(self, program):
        return fresh.ask("first_call", OURS.name, program, SCALE)["first"]

    def track_peak(self, program):
        return fresh.ask("peak", OURS.name, program, SCALE)["above"]

    track_first_call.unit = "s"
    track_peak.unit = "B"

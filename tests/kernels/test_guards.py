"""Compiled kernels between pages that may not be touched, in a process that may crash."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.covering import beyond
from tests.kernels.guarded_memory import Room, array, copied

ROOT = Path(__file__).parents[2]


def ended(group):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")])}
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.kernels.guarded_kernels", group]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False
    )


@pytest.mark.parametrize(
    ("group", "kernels"), [("some", 25), beyond("every fold", 12), beyond("every call", 20)]
)
def test_kernels_stay_within_their_memory(group, kernels):
    process = ended(group)
    assert process.returncode == 0, process.stderr[-4000:]
    assert int(process.stdout.split()[0]) >= kernels


def test_an_overrun_ends_the_process():
    assert ended("overrun").returncode == -signal.SIGSEGV


def test_what_is_written_before_a_room_is_seen():
    room = Room(100)
    assert room.is_whole()
    ctypes.memset(room.address - 1, 0, 1)
    assert not room.is_whole()


@pytest.mark.parametrize("at_end", [True, False])
def test_arrays_have_the_cells_and_their_order(at_end):
    cells = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    made = copied(cells, at_end)
    assert np.array_equal(made, cells)
    assert made.strides == cells.strides
    assert array((0, 3), "f4").shape == (0, 3)
    assert array((), "i8").shape == ()

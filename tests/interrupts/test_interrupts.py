"""Ctrl-C at random moments in every kind of compute: it ends, and what follows is right.

The seconds that are waited are no measure: jobs that are not stopped take a quarter of an hour.
"""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Timer
from time import sleep

import pytest

from tests.examples import examples
from tests.interrupts.jobs import JOBS

ROOT = Path(__file__).parents[2]
AGAIN = 10.0  # seconds after which it is pressed again: Python loses one that meets a finaliser
PATIENCE = 60.0  # seconds of all that takes one
LONGEST = 1.0  # seconds before the interrupt
ENDS = (-signal.SIGINT, 1)  # Python forgets the interrupt if a thread evaluates text as it ends
CASES = {
    "threads": tuple(JOBS),
    "sync": ("endless", "formulas", "writes"),
    "workers of this process": ("endless", "writes", "large_results", "by_dask"),
    "processes": ("endless", "writes"),
}


@contextmanager
def begun(where, folder, *names):
    """Jobs in a process of their own, whose end is waited for; one that hangs says where."""
    paths = f"{ROOT}{os.pathsep}{ROOT / 'kernels'}"
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONFAULTHANDLER": "1"}
    with (folder / "errors").open("w") as errors:
        job = subprocess.Popen(
            [sys.executable, "-m", "tests.interrupts.jobs", where, str(folder), *names],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # nobody else is interrupted
        )
    killing = Timer(PATIENCE + 5 * len(names), job.send_signal, [signal.SIGABRT])
    killing.start()
    try:
        yield job
        job.wait()
    finally:
        killing.cancel()
        job.kill()
        job.wait()
        job.stdout.close()


def press(job):
    """Interrupt a job."""
    if job.poll() is None:
        os.kill(job.pid, signal.SIGINT)


@pytest.mark.few(3)  # each takes a process or more
@pytest.mark.cluster
@pytest.mark.parametrize("where", CASES)
@pytest.mark.parametrize("seed", range(examples(1).max_examples))
def test_an_interrupted_compute_ends(where, seed, tmp_path):
    draw, names = Random(f"{where} {seed}"), CASES[where]
    said = []
    with begun(where, tmp_path, *names) as job:
        for _ in names:
            said.append(job.stdout.readline())
            sleep(draw.uniform(0, LONGEST))
            press(job)
            again = Timer(AGAIN, press, [job])
            again.start()
            said.append(job.stdout.readline())
            again.cancel()
    errors = (tmp_path / "errors").read_text()
    assert (said, job.returncode) == (["begun\n", "interrupted\n"] * len(names), 0), errors


@pytest.mark.cluster
@pytest.mark.parametrize("name", ["endless", "by_dask", "users"])
def test_an_interrupted_process_ends(name, tmp_path):
    with begun("threads", tmp_path, "leave", name) as job:
        assert job.stdout.readline() == "begun\n"
        sleep(LONGEST)
        press(job)
    errors = (tmp_path / "errors").read_text()
    assert job.returncode in ENDS, errors
    assert "KeyboardInterrupt" in errors.splitlines()
